//! What runs a file: the file itself, what its first line names, or what its name says.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use prowess_spec::SkillPath;

/// Directories of the system's programs; what is elsewhere belongs to a user.
const SYSTEM: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];

/// Interpreters by extension, and the package in which systems have them.
const BY_EXTENSION: &[(&str, &str, &str)] = &[
    ("py", "python3", "python3"),
    ("js", "node", "nodejs"),
    ("mjs", "node", "nodejs"),
    ("cjs", "node", "nodejs"),
    ("sh", "sh", "dash"),
    ("bash", "bash", "bash"),
    ("rb", "ruby", "ruby"),
    ("pl", "perl", "perl"),
    ("php", "php", "php-cli"),
    ("lua", "lua", "lua5.4"),
    ("r", "Rscript", "r-base-core"),
];

/// Why something cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// It is not among the files.
    #[error("`{0}` is not in the skill")]
    Missing(String),
    /// Nobody knows what runs it.
    #[error(
        "`{0}` is no program: it has no `#!` line, is no binary, and its extension names no interpreter"
    )]
    Unknown(String),
    /// What runs it is not there.
    #[error("`{program}` is not installed{}", package(.program))]
    NotInstalled {
        /// The program.
        program: String,
    },
    /// There is nothing to run.
    #[error("the command is empty")]
    Empty,
}

fn package(program: &str) -> String {
    let known = BY_EXTENSION.iter().find(|(_, name, _)| *name == program);
    known.map_or(String::new(), |(_, _, package)| {
        format!("; on Debian and Ubuntu the package is `{package}`")
    })
}

/// A program as it is inside, with its first arguments, and what of ours it needs to be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<OsString>,
    /// The place of an interpreter that is not the system's.
    pub(super) prefix: Option<PathBuf>,
}

/// What runs a file of a skill.
pub(super) fn for_file(
    path: &SkillPath,
    bytes: &[u8],
    inside: &Path,
    search: Option<&str>,
) -> Result<Found, ProgramError> {
    let file = inside.join(path.as_str());
    if bytes.starts_with(b"\x7fELF") {
        return Ok(Found {
            program: file,
            arguments: Vec::new(),
            prefix: None,
        });
    }
    let extension = Path::new(path.as_str()).extension();
    let extension = extension.map(|it| it.to_string_lossy().to_lowercase());
    let by_extension = BY_EXTENSION
        .iter()
        .find(|(known, ..)| extension.as_deref() == Some(known))
        .map(|(_, program, _)| vec![(*program).to_owned()]);
    let words = first_line(bytes)
        .or(by_extension)
        .ok_or_else(|| ProgramError::Unknown(path.as_str().to_owned()))?;
    let mut found = for_command(&words, inside, search)?;
    found.arguments.push(file.into_os_string());
    Ok(found)
}

/// A command as a manifest has it: the program is one of the system, or a file of the skill.
pub(super) fn for_command(
    words: &[String],
    inside: &Path,
    search: Option<&str>,
) -> Result<Found, ProgramError> {
    let (name, arguments) = words.split_first().ok_or(ProgramError::Empty)?;
    let arguments = arguments.iter().map(OsString::from).collect();
    if name.contains('/') && !name.starts_with('/') {
        let file = SkillPath::parse(name).map_err(|_| ProgramError::Missing(name.clone()))?;
        return Ok(Found {
            program: inside.join(file.as_str()),
            arguments,
            prefix: None,
        });
    }
    let (program, prefix) = locate(name, search).ok_or_else(|| ProgramError::NotInstalled {
        program: name.clone(),
    })?;
    Ok(Found {
        program,
        arguments,
        prefix,
    })
}

/// The words of a `#!` line. `/usr/bin/env` is not needed to find a program here.
fn first_line(bytes: &[u8]) -> Option<Vec<String>> {
    let rest = bytes.strip_prefix(b"#!")?;
    let line = rest.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?.trim();
    let mut words = line.split_whitespace().map(str::to_owned);
    let first = words.next()?;
    let mut words: Vec<String> = words.collect();
    if first.ends_with("/env") {
        // Options of `env` itself come first; `-S` is what lets there be more words.
        let own = words
            .iter()
            .take_while(|word| word.starts_with('-'))
            .count();
        words.drain(..own);
    } else {
        // A path names a place of the author's machine; its last part names the interpreter.
        let name = first.rsplit('/').next().unwrap_or(&first).to_owned();
        words.insert(0, name);
    }
    (!words.is_empty()).then_some(words)
}

/// Where a program is: with the system's, or elsewhere on the search path with the prefix that it belongs to.
fn locate(name: &str, search: Option<&str>) -> Option<(PathBuf, Option<PathBuf>)> {
    if name.starts_with('/') {
        let path = PathBuf::from(name);
        return path.is_file().then_some((path, None));
    }
    let in_system = SYSTEM
        .iter()
        .map(|directory| Path::new(directory).join(name));
    if let Some(found) = in_system.into_iter().find(|path| path.is_file()) {
        return Some((found, None));
    }
    let elsewhere = search?
        .split(':')
        .map(|directory| Path::new(directory).join(name));
    let found = elsewhere.into_iter().find(|path| path.is_file())?;
    // `PREFIX/bin/NAME`, links followed: the jail has no others.
    let real = found.canonicalize().ok()?;
    let prefix = real.parent()?.parent()?.to_owned();
    Some((real, Some(prefix)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str, expected: &[&str]) {
        let path = SkillPath::parse(path).unwrap();
        let found = for_file(&path, text.as_bytes(), Path::new("/skill"), None).unwrap();
        let name = found
            .program
            .file_name()
            .unwrap()
            .to_string_lossy()
            .into_owned();
        let arguments = found
            .arguments
            .iter()
            .map(|it| it.to_string_lossy().into_owned());
        let words: Vec<String> = [name].into_iter().chain(arguments).collect();
        assert_eq!(words, expected);
    }

    #[test]
    fn what_runs_a_file() {
        check(
            "scripts/a.py",
            "print()",
            &["python3", "/skill/scripts/a.py"],
        );
        check("a", "#!/usr/bin/env python3\n", &["python3", "/skill/a"]);
        check("a.py", "#!/bin/sh -e\r\necho", &["sh", "-e", "/skill/a.py"]);
        check(
            "a",
            "#!/usr/bin/env -S python3 -u\n",
            &["python3", "-u", "/skill/a"],
        );
        check("a.SH", "echo", &["sh", "/skill/a.SH"]);
        check(
            "a",
            "#!/opt/odd/place/bin/python3\n",
            &["python3", "/skill/a"],
        );
        check("a", "\x7fELF", &["a"]);
    }

    #[test]
    fn what_cannot_be_run() {
        let file = |name: &str, text: &str| {
            let path = SkillPath::parse(name).unwrap();
            for_file(&path, text.as_bytes(), Path::new("/skill"), None)
                .unwrap_err()
                .to_string()
        };
        assert!(file("notes.txt", "text").contains("is no program"));
        let missing = file("a", "#!/usr/bin/env no-such-program\n");
        assert_eq!(missing, "`no-such-program` is not installed");
        let found = ProgramError::NotInstalled {
            program: "node".to_owned(),
        };
        assert!(found.to_string().contains("`nodejs`"));
    }
}
