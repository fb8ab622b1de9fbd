//! Running the other readers.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// An archive and where to extract it.
pub(crate) struct Job {
    pub(crate) archive: PathBuf,
    pub(crate) directory: PathBuf,
}

/// Starts a reader that answers one line for each job.
fn run(mut command: Command, missing: &str, jobs: &[Job]) -> Vec<String> {
    let mut child = command
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{missing}: {error}"));
    let mut input = String::new();
    for job in jobs {
        let (archive, directory) = (job.archive.display(), job.directory.display());
        writeln!(input, "{archive}\t{directory}").unwrap();
    }
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let answers = String::from_utf8_lossy(&output.stdout);
    let answers: Vec<String> = answers.lines().map(str::to_owned).collect();
    assert_eq!(answers.len(), jobs.len(), "{missing}");
    answers
}

fn version(program: &str, missing: &str) {
    let found = Command::new(program).arg("--version").output();
    assert!(
        found.is_ok_and(|output| output.status.success()),
        "{missing}"
    );
}

/// Extracts with `zipfile` and `tarfile`, all in one process.
pub(crate) fn python(jobs: &[Job]) -> Vec<String> {
    const MISSING: &str = "python3 is needed to compare with its zipfile and tarfile";
    version("python3", MISSING);
    let mut command = Command::new("python3");
    command.args(["-c", include_str!("extract.py")]);
    run(command, MISSING, jobs)
}

/// Extracts with libarchive.
pub(crate) fn bsdtar(jobs: &[Job]) -> Vec<String> {
    const MISSING: &str =
        "bsdtar is needed to compare with (Debian: apt-get install libarchive-tools)";
    const LOOP: &str = r#"
        tab=$(printf '\t')
        while IFS="$tab" read -r archive directory; do
            if said=$(bsdtar -xf "$archive" -C "$directory" 2>&1 </dev/null); then
                echo ok
            else
                echo "error: $said" | tr '\n' ' '; echo
            fi
        done"#;
    version("bsdtar", MISSING);
    let mut command = Command::new("sh");
    command.args(["-c", LOOP]);
    run(command, MISSING, jobs)
}

/// The same archives, each with a directory of its own below `root`.
pub(crate) fn jobs(root: &Path, archives: &[PathBuf]) -> Vec<Job> {
    let job = |(number, archive): (usize, &PathBuf)| {
        let directory = root.join(number.to_string());
        std::fs::create_dir_all(&directory).unwrap();
        let archive = archive.clone();
        Job { archive, directory }
    };
    archives.iter().enumerate().map(job).collect()
}
