//! Which commands do the same tomorrow, so that an answer may count for longer than one call.

use std::fs;
use std::path::Path;

use prowess_policy::{CommandReach, reads_project};

use super::exec::find;

/// Whether what runs cannot be changed by whom the question is about.
///
/// The words of a command are not the program: a model, a skill or an editor may write another `./x.sh`, `Makefile` or
/// `~/bin/tool` afterwards. In the sandbox that harms nothing that the sandbox does not allow. With a network or outside of
/// it, the program must lie where only the administrator of the machine writes, must not be one that runs what a
/// project says, and no word may name something in the project. This is asked again at every call.
pub(super) fn lasts(
    command: &[String],
    reach: CommandReach,
    search: Option<&str>,
    project: &Path,
) -> bool {
    if reach == CommandReach::Sandboxed {
        return true;
    }
    let Some((name, arguments)) = command.split_first() else {
        return false;
    };
    let Some(program) = find(name, search, project).and_then(|path| path.canonicalize().ok())
    else {
        return false;
    };
    !reads_project(name)
        && program
            .file_name()
            .is_some_and(|name| !reads_project(&name.to_string_lossy()))
        && !program.starts_with(project)
        && program.ancestors().all(is_of_the_system)
        && !arguments.iter().any(|word| names_a_file(word, project))
}

/// Whether only the administrator can write here.
#[cfg(unix)]
fn is_of_the_system(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    fs::symlink_metadata(path).is_ok_and(|found| found.uid() == 0 && found.mode() & 0o022 == 0)
}

#[cfg(not(unix))]
fn is_of_the_system(_: &Path) -> bool {
    false
}

/// Whether a word, or the value of an option in it, is a path of something in the project.
fn names_a_file(word: &str, project: &Path) -> bool {
    let glued = word.strip_prefix('-').and_then(|option| {
        let mut rest = option.chars();
        rest.next()?;
        Some(rest.as_str())
    });
    let after = word.match_indices(['=', '@', ':', ',']);
    let values = after.filter_map(|(at, sign)| word.get(at + sign.len()..));
    values.chain(glued).chain([word]).any(|value| {
        let value = value.trim_start_matches("file://");
        let path = project.join(value);
        let is_there = fs::symlink_metadata(&path).is_ok();
        // The project itself is what every command sees.
        !value.is_empty() && (is_there && path.starts_with(project) || reaches(&path, project))
    })
}

/// Whether a path leads into the project by another way.
fn reaches(path: &Path, project: &Path) -> bool {
    path.canonicalize()
        .is_ok_and(|real| real.starts_with(project) || project.starts_with(real))
}
