//! Finds the interpreter of a file: the file itself, its `#!` line, or its extension.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use prowess_spec::SkillPath;

/// Directories of system programs.
const SYSTEM: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];

/// Interpreters by extension, and their Debian packages.
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

/// Why a program cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// The skill has no such file.
    #[error("`{0}` is not in the skill")]
    Missing(String),
    /// No interpreter is known.
    #[error(
        "`{0}` is no program: it has no `#!` line, is no binary, and its extension names no interpreter"
    )]
    Unknown(String),
    /// The interpreter is not installed.
    #[error("`{program}` is not installed{}", package(.program))]
    NotInstalled {
        /// The program.
        program: String,
    },
    /// The interpreter is a shim of a version manager, which does not work in a sandbox.
    #[error(
        "cannot run `{program}` in the sandbox: `{}` only starts a version that a version manager chooses\nhint: install it for the whole system{}, or put the directory of one version on the PATH",
        path.display(), package(.program)
    )]
    VersionManager {
        /// The program.
        program: String,
        /// The shim.
        path: PathBuf,
    },
    /// The command is empty.
    #[error("the command is empty")]
    Empty,
}

fn package(program: &str) -> String {
    let known = BY_EXTENSION.iter().find(|(_, name, _)| *name == program);
    known.map_or(String::new(), |(_, _, package)| {
        format!("; on Debian and Ubuntu the package is `{package}`")
    })
}

/// A program in the sandbox, its first arguments, and the mounts that it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<OsString>,
    /// Files and directories of a program outside the system directories.
    pub(super) mounts: Vec<PathBuf>,
}

/// Where to look for programs, and directories that are never mounted whole.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Places<'a> {
    /// The user's search path.
    pub(super) search: Option<&'a str>,
    pub(super) home: Option<&'a Path>,
    pub(super) project: Option<&'a Path>,
}

/// Finds the interpreter of a file.
pub(super) fn for_file(
    path: &SkillPath,
    bytes: &[u8],
    inside: &Path,
    places: &Places<'_>,
) -> Result<Found, ProgramError> {
    let file = inside.join(path.as_str());
    if bytes.starts_with(b"\x7fELF") {
        return Ok(Found {
            program: file,
            arguments: Vec::new(),
            mounts: Vec::new(),
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
    let mut found = for_command(&words, inside, places)?;
    found.arguments.push(file.into_os_string());
    Ok(found)
}

/// Resolves a command of a manifest: a system program, or a file of the skill.
pub(super) fn for_command(
    words: &[String],
    inside: &Path,
    places: &Places<'_>,
) -> Result<Found, ProgramError> {
    let (name, arguments) = words.split_first().ok_or(ProgramError::Empty)?;
    let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
    if name.contains('/') && !name.starts_with('/') {
        let file = SkillPath::parse(name).map_err(|_| ProgramError::Missing(name.clone()))?;
        return Ok(Found {
            program: inside.join(file.as_str()),
            arguments,
            mounts: Vec::new(),
        });
    }
    let mut found = locate(name, places, SCRIPTS)?;
    found.arguments.extend(arguments);
    Ok(found)
}

/// The words of a `#!` line, without `/usr/bin/env`.
fn first_line(bytes: &[u8]) -> Option<Vec<String>> {
    let rest = bytes.strip_prefix(b"#!")?;
    let line = rest.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?.trim();
    let mut words = line.split_whitespace().map(str::to_owned);
    let first = words.next()?;
    let mut words: Vec<String> = words.collect();
    if first.ends_with("/env") {
        // Options of `env` come first; `-S` allows further words.
        let own = words
            .iter()
            .take_while(|word| word.starts_with('-'))
            .count();
        words.drain(..own);
    } else {
        // A path is of the author's machine; its last part names the interpreter.
        let name = first.rsplit('/').next().unwrap_or(&first).to_owned();
        words.insert(0, name);
    }
    (!words.is_empty()).then_some(words)
}

/// Nested `#!` lines.
const SCRIPTS: usize = 4;
/// Bytes of a `#!` line.
const LINE_BYTES: u64 = 512;
/// Directories of version manager shims.
const SHIMS: &[&str] = &["shims", ".volta"];

/// Finds a program in the system directories, or elsewhere on the search path with its mounts.
fn locate(name: &str, places: &Places<'_>, scripts: usize) -> Result<Found, ProgramError> {
    let plain = |program| Found {
        program,
        arguments: Vec::new(),
        mounts: Vec::new(),
    };
    let absent = || ProgramError::NotInstalled {
        program: name.to_owned(),
    };
    if name.starts_with('/') {
        let path = PathBuf::from(name);
        return path.is_file().then(|| plain(path)).ok_or_else(absent);
    }
    let in_system = SYSTEM.iter().map(|place| Path::new(place).join(name));
    if let Some(found) = in_system.into_iter().find(|path| path.is_file()) {
        return Ok(plain(found));
    }
    // An empty or relative part means the working directory, whose content is untrusted.
    let search = places.search.unwrap_or_default().split(':');
    let directories = search.map(Path::new).filter(|place| place.is_absolute());
    let mut managed = None;
    for directory in directories {
        let path = directory.join(name);
        let Ok(real) = path.canonicalize() else {
            continue;
        };
        if !real.is_file() {
            continue;
        }
        if is_shim(&path, &real) {
            managed.get_or_insert(path);
            continue;
        }
        return with_needs(real, places, scripts);
    }
    Err(
        managed.map_or_else(absent, |path| ProgramError::VersionManager {
            program: name.to_owned(),
            path,
        }),
    )
}

/// Whether a program is a shim that starts another by its own name.
fn is_shim(path: &Path, real: &Path) -> bool {
    let by_name = real.file_name() != path.file_name()
        && real
            .file_stem()
            .is_some_and(|stem| stem == "rustup" || stem == "mise");
    let among = |part: std::path::Component<'_>| SHIMS.iter().any(|name| part.as_os_str() == *name);
    by_name || path.components().any(among)
}

/// A program with its mounts: the directory of its version, or itself and its interpreter.
fn with_needs(real: PathBuf, places: &Places<'_>, scripts: usize) -> Result<Found, ProgramError> {
    let version = version_of(&real, places);
    let mut mounts = vec![version.unwrap_or_else(|| real.clone())];
    let Some(words) = beginning(&real).as_deref().and_then(first_line) else {
        return Ok(Found {
            program: real,
            arguments: Vec::new(),
            mounts,
        });
    };
    let Some((name, rest)) = words.split_first().filter(|_| scripts > 0) else {
        return Err(ProgramError::Unknown(real.display().to_string()));
    };
    let mut found = locate(name, places, scripts - 1)?;
    found.arguments.extend(rest.iter().map(OsString::from));
    found.arguments.push(real.into_os_string());
    found.mounts.append(&mut mounts);
    Ok(found)
}

fn beginning(path: &Path) -> Option<Vec<u8>> {
    use std::io::Read;
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).ok()?;
    file.take(LINE_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The directory of one version of a language, from `VERSION/bin/NAME`, if it contains nothing else. Below a home
/// directory it must be deep enough, as in `.pyenv/versions/3.12.1`.
fn version_of(real: &Path, places: &Places<'_>) -> Option<PathBuf> {
    const DEEP_IN_HOME: usize = 3;
    const DEEP: usize = 2;
    let bin = real
        .parent()
        .filter(|it| it.file_name().is_some_and(|name| name == "bin"))?;
    let version = bin.parent()?;
    let real_path = |path: Option<&Path>| path.and_then(|path| path.canonicalize().ok());
    let (home, project) = (real_path(places.home), real_path(places.project));
    let holds = |inner: &Option<PathBuf>| inner.as_ref().is_some_and(|it| it.starts_with(version));
    let in_project = project.as_ref().is_some_and(|it| version.starts_with(it));
    if holds(&home) || holds(&project) || in_project || !version.join("lib").is_dir() {
        return None;
    }
    let deep = match home
        .as_ref()
        .and_then(|home| version.strip_prefix(home).ok())
    {
        // Conda has one directory for everything, without user data.
        Some(_) if version.join("conda-meta").is_dir() => true,
        Some(rest) => rest.components().count() >= DEEP_IN_HOME,
        // The first is the root itself.
        None => version.components().count() > DEEP,
    };
    deep.then(|| version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str, expected: &[&str]) {
        let path = SkillPath::parse(path).unwrap();
        let found = for_file(
            &path,
            text.as_bytes(),
            Path::new("/skill"),
            &Places::default(),
        )
        .unwrap();
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
    fn interpreters_are_found() {
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
    fn the_package_of_an_interpreter_is_named() {
        let program = "ruby".to_owned();
        let text = ProgramError::NotInstalled { program }.to_string();
        assert!(text.ends_with("the package is `ruby`"), "{text}");
    }

    #[test]
    fn files_without_an_interpreter_are_rejected() {
        let file = |name: &str, text: &str| {
            let path = SkillPath::parse(name).unwrap();
            for_file(
                &path,
                text.as_bytes(),
                Path::new("/skill"),
                &Places::default(),
            )
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

    /// A home with programs at the usual places, and what is shown of it for one of them.
    fn shown(search: &str, program: &str) -> Result<(Vec<String>, Vec<String>), String> {
        use std::os::unix::fs::symlink;
        let place = tempfile::tempdir().unwrap();
        let home = place.path().canonicalize().unwrap().join("me");
        let write = |path: &str, text: &str| {
            let path = home.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("bin/tool-of-mine", "\x7fELF");
        write(".local/bin/script-of-mine", "#!/usr/bin/env -S sh -e\n");
        write(".local/lib/x", "");
        write("lib/x", "");
        write(".cargo/bin/rustup", "\x7fELF");
        symlink("rustup", home.join(".cargo/bin/cargo-of-mine")).unwrap();
        write(".pyenv/shims/python-of-mine", "#!/usr/bin/env bash\n");
        write(".pyenv/versions/3.12.1/bin/python-of-mine", "\x7fELF");
        write(
            ".pyenv/versions/3.12.1/bin/pip-of-mine",
            "#!/any/where/python-of-mine\n",
        );
        write(".pyenv/versions/3.12.1/lib/x", "");
        write("project/venv/bin/evil-of-mine", "\x7fELF");
        write("project/venv/lib/x", "");
        let all: Vec<String> = search
            .split(':')
            .map(|part| part.replace('~', home.to_str().unwrap()))
            .collect();
        let project = home.join("project");
        let places = Places {
            search: Some(&all.join(":")),
            home: Some(&home),
            project: Some(&project),
        };
        let strip = |path: &Path| {
            let text = path.display().to_string();
            text.replace(home.to_str().unwrap(), "~")
        };
        let words = [program.to_owned()];
        let found = for_command(&words, Path::new("/skill"), &places)
            .map_err(|error| error.to_string().replace(home.to_str().unwrap(), "~"))?;
        let mut line = vec![strip(&found.program)];
        line.extend(found.arguments.iter().map(|word| strip(Path::new(word))));
        Ok((line, found.mounts.iter().map(|it| strip(it)).collect()))
    }

    fn check_shown(search: &str, program: &str, line: &[&str], mounts: &[&str]) {
        let (found_line, found_mounts) = shown(search, program).unwrap();
        let first = found_line.first().unwrap().replace("/usr/bin/", "/bin/");
        let found_line: Vec<_> = [first]
            .into_iter()
            .chain(found_line.into_iter().skip(1))
            .collect();
        assert_eq!(
            (found_line, found_mounts),
            (
                line.iter().map(|it| (*it).to_owned()).collect(),
                mounts.iter().map(|it| (*it).to_owned()).collect(),
            )
        );
    }

    #[test]
    fn q21_only_the_program_or_its_version_is_mounted() {
        let own = "~/bin/tool-of-mine";
        check_shown("~/bin", "tool-of-mine", &[own], &[own]);
        let script = "~/.local/bin/script-of-mine";
        check_shown(
            "~/.local/bin",
            "script-of-mine",
            &["/bin/sh", "-e", script],
            &[script],
        );
        let version = "~/.pyenv/versions/3.12.1";
        let python = "~/.pyenv/versions/3.12.1/bin/python-of-mine";
        let path = "~/.pyenv/shims:~/.pyenv/versions/3.12.1/bin";
        check_shown(path, "python-of-mine", &[python], &[version]);
        let pip = "~/.pyenv/versions/3.12.1/bin/pip-of-mine";
        check_shown(path, "pip-of-mine", &[python, pip], &[version, version]);
        let evil = "~/project/venv/bin/evil-of-mine";
        check_shown("~/project/venv/bin", "evil-of-mine", &[evil], &[evil]);
    }

    #[test]
    fn q21_version_managers_are_rejected() {
        for (path, program) in [
            ("~/.pyenv/shims", "python-of-mine"),
            ("~/.cargo/bin", "cargo-of-mine"),
        ] {
            let error = shown(path, program).unwrap_err();
            assert!(error.contains("version manager"), "{error}");
            assert!(error.contains("hint: install it"), "{error}");
        }
    }

    #[test]
    fn q21_an_empty_or_relative_part_of_the_path_is_not_the_working_directory() {
        // This file's own directory is the working directory of its tests.
        for search in ["", ":", "src/confined", ".:~/nowhere"] {
            let error = shown(search, "Cargo.toml").unwrap_err();
            assert_eq!(error, "`Cargo.toml` is not installed");
        }
    }
}
