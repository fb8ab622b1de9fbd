//! Names inside, where inside is the same as outside.

use std::ffi::OsStr;
use std::path::Path;

use crate::command::Command;
use crate::confinement::Confinement;

/// The same command by the names that its files have outside, so that one command serves with and without mounts: the
/// program, and each argument that is a path below a mount.
pub(crate) fn translate(command: &Command, confinement: &Confinement) -> Command {
    let outside = |text: &OsStr| {
        let path = confinement.outside(Path::new(text));
        path.map_or_else(|| text.to_owned(), Into::into)
    };
    Command {
        program: outside(command.program.as_os_str()).into(),
        arguments: command.arguments.iter().map(|text| outside(text)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confinement::Mount;

    #[test]
    fn names_outside() {
        let confinement = Confinement {
            read_only: vec![Mount::new("/home/me/skill", "/skill")],
            ..Confinement::default()
        };
        let command =
            Command::new("/usr/bin/python3").arguments(["/skill/main.py", "skill", "--in=/skill"]);
        let expected = Command::new("/usr/bin/python3").arguments([
            "/home/me/skill/main.py",
            "skill",
            "--in=/skill",
        ]);
        assert_eq!(translate(&command, &confinement), expected);
        let own = translate(&Command::new("/skill/run"), &confinement);
        assert_eq!(own, Command::new("/home/me/skill/run"));
    }
}
