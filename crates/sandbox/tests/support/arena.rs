//! Attacks in a jail, one after the other.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use prowess_sandbox::{Command, Confinement, Isolation, Network};

use super::attack::{Attack, Grant, Outcome};
use super::watched::{Known, Verdict, Watched, processes_with};
use super::{PYTHON, confinement, finish, mount, sandbox};

pub(crate) struct Arena(Watched);

impl Arena {
    pub(crate) fn new() -> Self {
        Self(Watched::new())
    }

    fn skill(&self) -> PathBuf {
        self.0.root().join("project/skills/attack")
    }

    /// Runs an attack and looks at what it left.
    pub(crate) fn run(&mut self, attack: &Attack, isolation: Isolation) -> Verdict {
        let confinement = self.confinement(attack);
        let text = self.text(attack, isolation, &confinement);
        fs::write(self.skill().join("main.py"), text).unwrap();
        let before = self.0.before();
        let mark = self.0.mark(&attack.id);
        let command = Command::new(PYTHON).arguments(["-I", "/skill/main.py", &mark]);
        let mut child = match sandbox(isolation).spawn(&command, &confinement) {
            Ok(child) => child,
            Err(error) => return Verdict::Unclear(error.to_string()),
        };
        let verdict = match attack.outcome {
            Outcome::ByItself => verdict(attack, &finish(child)),
            Outcome::EndedByLimit => {
                let mut lines = BufReader::new(child.stdout.take().unwrap());
                let mut text = String::new();
                lines.read_to_string(&mut text).unwrap();
                let status = child.wait().unwrap();
                self.remove_filling();
                match child.excess() {
                    Some(excess) => Verdict::Held(excess.to_string()),
                    None => Verdict::of(&text, status.code(), &status.to_string()),
                }
            }
            Outcome::KilledByUs => {
                let mut lines = BufReader::new(child.stdout.take().unwrap());
                let mut line = String::new();
                lines.read_line(&mut line).unwrap();
                assert_eq!(line, "READY\n");
                assert!(processes_with(&mark).len() > 3);
                child.kill().unwrap();
                let status = child.wait().unwrap();
                Verdict::Held(format!("killed: {status}"))
            }
        };
        self.0.after(&before, &mark, verdict)
    }

    /// Removes what an attack filled the project with until it was stopped: that it could is no trace.
    fn remove_filling(&self) {
        let project = self.0.root().join("project");
        for entry in fs::read_dir(project).unwrap().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with("many-") || name.starts_with("large-") {
                fs::remove_file(entry.path()).unwrap();
            }
        }
    }

    fn confinement(&self, attack: &Attack) -> Confinement {
        let project = mount(&self.0.root().join("project"), "/project");
        let mut made = Confinement {
            read_only: vec![mount(&self.skill(), "/skill")],
            working_directory: "/skill".into(),
            environment: vec![("LANG".into(), "C.UTF-8".into())],
            ..confinement()
        };
        if attack.grants.contains(&Grant::ProjectWrite) {
            made.projects.push(project);
        } else {
            made.read_only.push(project);
        }
        if attack.grants.contains(&Grant::Network) {
            made.network = Network::Host;
        }
        made
    }

    fn text(&self, attack: &Attack, isolation: Isolation, confinement: &Confinement) -> String {
        let (project, skill) = (self.0.root().join("project"), self.skill());
        let (project, skill) = if isolation == Isolation::None {
            (project.as_path(), skill.as_path())
        } else {
            (Path::new("/project"), Path::new("/skill"))
        };
        let known = Known {
            project,
            skill,
            given: &["LANG", "PWD", "LC_CTYPE"],
            limits: confinement.limits,
            scratch: confinement.scratch,
        };
        self.0.text(&attack.id, &known)
    }
}

fn verdict(attack: &Attack, done: &super::Done) -> Verdict {
    if let Some(excess) = done.excess {
        return Verdict::Held(excess.to_string());
    }
    if attack.id == "escape-bytes"
        && !done
            .output
            .starts_with(b"\x1b]0;owned\x07\x1b[2J\x9b31m\x00\n")
    {
        return Verdict::Unclear(format!("{:?}", done.output));
    }
    Verdict::of(&done.text(), done.status.code(), &done.errors)
}
