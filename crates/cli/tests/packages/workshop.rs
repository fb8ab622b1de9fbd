//! A user with a project and a repository of skills.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use prowess_registry::{LockFile, LockedSkill, PackageTree, digest_of};
use prowess_spec::SkillName;
use prowess_testing::{TestDirectory, at_home, file_url, git};

use crate::support::Run;

pub(crate) struct Workshop(TestDirectory);

impl std::ops::Deref for Workshop {
    type Target = TestDirectory;

    fn deref(&self) -> &TestDirectory {
        &self.0
    }
}

pub(crate) const FIRST: &str = "---\nname: pdf\ndescription: Fills PDF forms. Use for PDF files.\n---\n\n# One\n\nfirst\n\n# Two\n\nsecond\n";

impl Workshop {
    /// A project, a home with Claude Code, and a repository with the skills `pdf` and `csv`.
    pub(crate) fn new() -> Self {
        Self::over(TestDirectory::new())
    }

    /// The same in a directory whose path has no blanks, for scripts of a shell.
    pub(crate) fn with_plain_path() -> Self {
        Self::over(TestDirectory::new_in("/tmp"))
    }

    fn over(directory: TestDirectory) -> Self {
        let workshop = Self(directory);
        workshop
            .create("home/.claude")
            .write("repository/skills/pdf/SKILL.md", FIRST)
            .write("repository/skills/pdf/scripts/fill.py", "print(1)\n")
            .skill("repository/skills/csv", "Reads tables.", "Read it.\n");
        for name in ["project", "repository"] {
            workshop.create(name);
            git(workshop.path(name), &["init", "-q", "-b", "main"]);
        }
        workshop.commit("first");
        workshop
    }

    /// Commits everything in the repository.
    pub(crate) fn commit(&self, message: &str) {
        let repository = self.path("repository");
        git(&repository, &["add", "-A"]);
        git(&repository, &["commit", "-q", "-m", message]);
    }

    /// The URL of the repository on this machine.
    pub(crate) fn url(&self) -> String {
        self.url_of("repository")
    }

    /// The URL of a directory on this machine.
    pub(crate) fn url_of(&self, directory: &str) -> String {
        file_url(&self.path(directory))
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.command_in("project", "home", arguments)
    }

    pub(crate) fn command_in(&self, project: &str, home: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_prowess"));
        at_home(&mut command, self.path(home))
            .args(arguments)
            .current_dir(self.path(project));
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::of(self.command(arguments).output().unwrap())
    }

    /// Runs the program, which must exit with this code.
    pub(crate) fn expect(&self, code: i32, arguments: &[&str]) -> Run {
        let run = self.run(arguments);
        assert_eq!(run.code, Some(code), "{arguments:?} {run:?}");
        run
    }

    /// Runs the program for another user in another clone.
    pub(crate) fn expect_in(&self, project: &str, code: i32, arguments: &[&str]) -> Run {
        let home = format!("home-of-{project}");
        self.create(&home);
        let run = Run::of(self.command_in(project, &home, arguments).output().unwrap());
        assert_eq!(run.code, Some(code), "{arguments:?} {run:?}");
        run
    }

    /// The lock file that says of a directory what is in it, as the skill `pdf` of a source.
    pub(crate) fn lock_of(&self, directory: &str, source: &str) -> String {
        let (tree, _) = PackageTree::read_directory(&self.path(directory)).unwrap();
        let files = tree.digests();
        let skill = LockedSkill {
            source: source.to_owned(),
            resolved: None,
            signed_by: None,
            digest: digest_of(&files),
            source_digest: None,
            files,
        };
        let skills = [(SkillName::parse("pdf").unwrap(), skill)].into();
        LockFile { skills }.render()
    }

    /// Adds the skill `pdf` from the repository.
    pub(crate) fn add(&self) -> Run {
        self.expect(0, &["add", &self.url(), "--skill", "pdf"])
    }

    /// Every file and link of the project, but for git.
    pub(crate) fn project(&self) -> BTreeMap<String, String> {
        state(&self.path("project"))
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        fs::symlink_metadata(self.path(path)).is_ok()
    }
}

/// Lines of ten bytes that compress badly.
pub(crate) fn noise(lines: u32) -> String {
    let line = |it: u32| format!("{:09}\n", it.wrapping_mul(2_654_435_761) % 1_000_000_000);
    (0..lines).map(line).collect::<Vec<_>>().concat()
}

/// Every file and link below a directory, by path.
pub(crate) fn state(directory: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut directories: Vec<PathBuf> = vec![directory.to_owned()];
    while let Some(current) = directories.pop() {
        for entry in fs::read_dir(&current).unwrap() {
            let path = entry.unwrap().path();
            let inside = path.strip_prefix(directory).unwrap().display().to_string();
            if inside.split('/').next() == Some(".git") {
                continue;
            }
            let metadata = fs::symlink_metadata(&path).unwrap();
            if metadata.is_symlink() {
                let target = fs::read_link(&path).unwrap();
                found.insert(inside, format!("-> {}", target.display()));
            } else if metadata.is_dir() {
                directories.push(path);
            } else {
                let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
                found.insert(inside, text);
            }
        }
    }
    found
}
