//! Random commands that are killed at random system calls, on disks that are full at random moments, beside editors and beside each
//! other. After each round: every edit is in its file or in a place that was named, `verify` tells the truth, what was acknowledged
//! is there, and nothing of ours is left behind.
//!
//! `cargo xtask soak durability` runs more of it; a failure names the seed of its round.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use prowess_registry::{LockFile, PackageTree, digest_of};
use prowess_testing::{Random, new_seed};

use crate::kill::{NEED_ROOM, bounded, changes, traced};
use crate::support::Run;
use crate::workshop::Workshop;

/// Rounds in the test command.
const ROUNDS: u64 = 40;
const LOCK: &str = "project/prowess.lock";
const SKILLS: &str = "project/.agents/skills";

/// How a round begins. Each has a copy of project and home, and what a newer version of the source brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Start {
    /// The first version is installed, the second one published.
    Installed,
    /// The same, with an edit of other lines.
    Edited,
    /// An edit of the same line waits to be merged, and a third version is published.
    Conflict,
    /// The lock file of someone who has the second version was pulled over an edited first one.
    Pulled,
}

const STARTS: [Start; 4] = [
    Start::Installed,
    Start::Edited,
    Start::Conflict,
    Start::Pulled,
];
const COMMANDS: [&[&str]; 6] = [
    &["update", "--yes"],
    &["sync", "--yes"],
    &["remove", "csv"],
    &["add", "../source/notes"],
    &["update", "pdf", "--ours", "--yes"],
    &["update", "pdf", "--continue", "--yes"],
];

/// What goes wrong.
#[derive(Clone, Copy, Debug)]
enum Fault {
    Kill,
    FullDisk,
    Editor,
    Other,
}

const FAULTS: [Fault; 6] = [
    Fault::Kill,
    Fault::Kill,
    Fault::Kill,
    Fault::FullDisk,
    Fault::Editor,
    Fault::Other,
];

#[derive(Debug, Default)]
struct Counts {
    /// Commands that were killed.
    kills: u64,
    full_disks: u64,
    editors: u64,
    pairs: u64,
    edits: u64,
}

struct Soak {
    workshop: Workshop,
    /// The changes that a command makes from a start.
    moments: BTreeMap<(Start, usize), Vec<(String, usize)>>,
    counts: Counts,
}

fn pdf(first: &str, middle: &str, last: &str) -> String {
    let gap = "\nsame\nsame\nsame\n";
    format!(
        "---\nname: pdf\ndescription: Fills PDF forms. Use for PDF files.\n---\n\n{first}\n{gap}\n{middle}\n{gap}\n{last}\n"
    )
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    prowess_testing::run(Command::new("cp").arg("-a").arg(from).arg(to));
}

impl Soak {
    fn new() -> Self {
        let workshop = Workshop::new();
        workshop.skill("source/csv", "Reads tables.", "Read it.\n");
        workshop.skill("source/notes", "Takes notes.", "Take them.\n");
        workshop.skill("source/last", "Comes last.", "Wait.\n");
        workshop.write("source/pdf/data.bin", b"\0\x01\x02");
        workshop.write("source/pdf/scripts/fill.py", "print(1)\n");
        workshop.write("source/pdf/SKILL.md", pdf("one", "two", "version 1"));
        workshop.expect(0, &["add", "../source/pdf", "--yes"]);
        workshop.expect(0, &["add", "../source/csv"]);
        let publish = |version: &str| {
            workshop.write("source/pdf/SKILL.md", pdf("one", "two", version));
            workshop.write(&format!("source/pdf/{version}.md"), version);
        };
        let save = |start: Start| {
            for name in ["project", "home", "source"] {
                let to = workshop.path(&format!("starts/{start:?}/{name}"));
                copy(&workshop.path(name), &to);
            }
        };
        let edit = |first: &str, last: &str| {
            workshop.write(&format!("{SKILLS}/pdf/SKILL.md"), pdf(first, "two", last));
        };
        publish("version 2");
        save(Start::Installed);
        edit("one, edited", "version 1");
        save(Start::Edited);
        // A colleague's lock file.
        let first = workshop.read(LOCK);
        copy(&workshop.path("project"), &workshop.path("colleague"));
        copy(&workshop.path("home"), &workshop.path("home-of-colleague"));
        workshop.expect_in("colleague", 0, &["update", "--theirs", "--yes"]);
        let second = workshop.read("colleague/prowess.lock");
        assert_ne!(first, second);
        workshop.write(LOCK, second);
        save(Start::Pulled);
        workshop.write(LOCK, first);
        edit("one", "version 1, edited");
        workshop.expect(3, &["update", "--yes"]);
        publish("version 3");
        save(Start::Conflict);
        let mut soak = Self {
            workshop,
            moments: BTreeMap::new(),
            counts: Counts::default(),
        };
        for start in STARTS {
            for (command, arguments) in COMMANDS.iter().enumerate() {
                soak.restore(start);
                let found = changes(&soak.workshop, arguments, None);
                assert!(!found.is_empty(), "{start:?} {arguments:?}");
                soak.moments.insert((start, command), found);
            }
        }
        soak
    }

    fn restore(&self, start: Start) {
        for name in ["project", "home", "source"] {
            let place = self.workshop.path(name);
            fs::remove_dir_all(&place).unwrap();
            copy(
                &self.workshop.path(&format!("starts/{start:?}/{name}")),
                &place,
            );
        }
    }

    /// Files of installed skills, and of merges that wait.
    fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        let mut left = vec![self.workshop.path(SKILLS)];
        let root = self.workshop.path("");
        while let Some(directory) = left.pop() {
            for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
                let name = entry.file_name();
                let kind = entry.file_type().unwrap();
                if name.to_string_lossy().starts_with('.') {
                    continue;
                }
                if kind.is_dir() {
                    left.push(entry.path());
                } else if kind.is_file() {
                    let path = entry.path();
                    files.push(
                        path.strip_prefix(&root)
                            .unwrap()
                            .to_str()
                            .unwrap()
                            .to_owned(),
                    );
                }
            }
        }
        files.sort();
        files
    }

    /// A person edits a file, or adds one; returns what was written.
    fn edit(&self, random: &mut Random, number: u64) -> Option<String> {
        let token = format!("token-{number}-{}", random.next_u64());
        let files = self.files();
        let text: Vec<&String> = files
            .iter()
            .filter(|file| !file.contains("data.bin"))
            .collect();
        if text.is_empty() {
            return None;
        }
        let file = self.workshop.path(random.pick(&text).as_str());
        if random.one_in(3) {
            let beside = file.with_file_name(format!("mine-{number}.md"));
            fs::write(beside, format!("{token}\n")).ok()?;
            return Some(token);
        }
        // As editors save: the whole file, under a name of their own, then renamed.
        let before = fs::read_to_string(&file).ok()?;
        let lines: Vec<&str> = before.lines().collect();
        let at = 5.min(lines.len());
        let after = [&lines[..at], &[token.as_str()], &lines[at..]]
            .concat()
            .join("\n")
            + "\n";
        let saved = self.workshop.path("editor-saves");
        fs::write(&saved, after).ok()?;
        fs::rename(&saved, &file).ok()?;
        Some(token)
    }

    /// Runs a command that is killed at a random moment; returns what it said.
    fn kill(&mut self, start: Start, command: usize, random: &mut Random) -> String {
        let moments = self.moments[&(start, command)].clone();
        let (call, count) = random.pick(&moments);
        let inject = format!("inject={call}:signal=SIGKILL:when={count}");
        let strace = ["-o", "/dev/null", "-e", &inject];
        let output = traced(&self.workshop, COMMANDS[command], &strace).output();
        let output = output.unwrap();
        // After an earlier kill, a command may have less to do.
        self.counts.kills += u64::from(output.status.signal() == Some(9));
        all_of(&output)
    }

    fn round(&mut self, seed: u64, number: u64) {
        let mut random = Random::new(seed);
        let start = *random.pick(&STARTS);
        let command = random.below(COMMANDS.len());
        let fault = *random.pick(&FAULTS);
        self.restore(start);
        let arguments = COMMANDS[command];
        let mut said = String::new();
        let mut tokens = BTreeSet::new();
        if let Fault::Kill = fault {
            // The command that would finish what a killed one began may be killed, too.
            let mut command = command;
            loop {
                said.push_str(&self.kill(start, command, &mut random));
                if random.one_in(2) {
                    break;
                }
                command = random.below(COMMANDS.len());
            }
        } else if let Fault::FullDisk = fault {
            let inject = format!(
                "inject={NEED_ROOM}:error=ENOSPC:when={}+",
                1 + random.below(120)
            );
            let strace = ["-o", "/dev/null", "-e", &inject];
            let output = bounded(&traced(&self.workshop, arguments, &strace)).output();
            let output = output.unwrap();
            assert_ne!(
                output.status.code(),
                Some(137),
                "{arguments:?} does not end"
            );
            said.push_str(&all_of(&output));
            self.counts.full_disks += 1;
        } else {
            let other = random.pick(&COMMANDS);
            let wait = Duration::from_micros(random.next_u64() % 60_000);
            let mut theirs = Random::new(seed + 1);
            let (run, beside) = thread::scope(|scope| {
                let beside = scope.spawn(|| {
                    thread::sleep(wait);
                    match fault {
                        Fault::Editor => (self.edit(&mut theirs, number), None),
                        _ => (None, Some(self.workshop.run(other))),
                    }
                });
                (self.workshop.run(arguments), beside.join().unwrap())
            });
            said.push_str(&text_of(&run));
            tokens.extend(beside.0);
            match beside.1 {
                Some(run) => {
                    said.push_str(&text_of(&run));
                    self.counts.pairs += 1;
                }
                None => self.counts.editors += 1,
            }
        }
        if random.one_in(2) {
            tokens.extend(self.edit(&mut random, number + 1_000_000));
        }
        self.counts.edits += tokens.len() as u64;
        // Commands that read change nothing.
        let before = self.workshop.project();
        let reader = *random.pick(&["verify", "outdated", "list", "doctor"]);
        said.push_str(&text_of(&self.workshop.run(&[reader])));
        assert_eq!(self.workshop.project(), before, "{reader} wrote");
        // The last one always writes, and removes what others left behind.
        let last = ["add", "../source/last", "--yes"];
        for command in [&["sync", "--yes"][..], &["update", "--yes"], &last] {
            let run = self.workshop.run(command);
            said.push_str(&text_of(&run));
        }
        self.check(&tokens, &said);
    }

    fn check(&self, tokens: &BTreeSet<String>, said: &str) {
        let state = self.workshop.project();
        for token in tokens {
            let held = state.iter().find(|(path, text)| {
                text.contains(token.as_str())
                    && (!path.contains(".prowess-") || said.contains(path.as_str()))
            });
            assert!(held.is_some(), "{token} is gone\n{said}\n{state:#?}");
        }
        for path in state.keys().filter(|path| path.contains(".prowess-")) {
            let name = path
                .split('/')
                .find(|name| name.starts_with(".prowess-"))
                .unwrap();
            assert!(said.contains(name), "{path} is left behind\n{said}");
        }
        let journals = self
            .workshop
            .path("home/.local/share/prowess/packages/journals");
        let left = fs::read_dir(journals).into_iter().flatten().flatten();
        let left: Vec<_> = left.map(|entry| entry.file_name()).collect();
        assert!(left.is_empty(), "{left:?}\n{said}");
        // `verify` says what a second look finds.
        let lock = LockFile::parse(&self.workshop.read(LOCK)).unwrap();
        let is_whole = lock.skills.iter().all(|(name, locked)| {
            let directory = self.workshop.path(&format!("{SKILLS}/{name}"));
            let read = PackageTree::read_directory(&directory);
            read.is_ok_and(|(tree, _)| digest_of(&tree.digests()) == locked.digest)
        });
        let verified = self.workshop.run(&["verify"]);
        let expected = if is_whole { 0 } else { 3 };
        assert_eq!(verified.code, Some(expected), "{verified:?}\n{said}");
    }
}

fn all_of(output: &std::process::Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let all = text(&output.stdout) + &text(&output.stderr);
    assert!(!all.contains("panicked"), "{all}");
    all
}

fn text_of(run: &Run) -> String {
    format!("{}{}", run.stdout, run.stderr)
}

#[test]
fn soak_of_commands_that_are_killed_and_disturbed() {
    let rounds = std::env::var("PROWESS_SOAK").map_or(ROUNDS, |it| it.parse().unwrap());
    let seed = new_seed();
    println!("{rounds} rounds");
    let mut soak = Soak::new();
    let mut seeds = Random::new(seed);
    for round in 0..rounds {
        let seed = seeds.next_u64();
        println!("round {round}: seed {seed}");
        soak.round(seed, round);
        if (round + 1) % 500 == 0 || round + 1 == rounds {
            println!("after {} rounds: {:?}", round + 1, soak.counts);
        }
    }
}
