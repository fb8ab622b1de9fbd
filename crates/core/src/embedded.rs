//! Skills that are compiled into a program.

use include_dir::Dir;
use prowess_spec::{SkillPath, is_skill_file};

use crate::descriptor::Scope;
use crate::memory::MemorySource;

/// A source over a directory that was compiled in with the macro of the crate `include_dir`.
///
/// ```
/// use include_dir::{Dir, include_dir};
///
/// static SKILLS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../examples/skills");
/// assert_eq!(prowess_core::embedded(&SKILLS).len(), 4);
/// ```
pub fn embedded(directory: &Dir<'_>) -> MemorySource {
    let mut source = MemorySource::new(Scope::Builtin);
    add(&mut source, directory);
    source
}

fn add(source: &mut MemorySource, directory: &Dir<'_>) {
    let name_of = |path: &std::path::Path| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };
    let skill_file = directory
        .files()
        .find(|file| name_of(file.path()).is_some_and(|name| is_skill_file(&name)));
    let Some(skill_file) = skill_file else {
        directory.dirs().for_each(|below| add(source, below));
        return;
    };
    let path = directory.path().to_string_lossy().replace('\\', "/");
    let text = String::from_utf8_lossy(skill_file.contents());
    if let Some(id) = source.add(&path, &text) {
        let mut files = Vec::new();
        collect(directory, &mut files);
        for (file, bytes) in files {
            let inside = file
                .strip_prefix(&path)
                .unwrap_or(&file)
                .trim_start_matches('/');
            if let Ok(inside) = SkillPath::parse(inside)
                && !is_skill_file(inside.as_str())
            {
                source.add_file(&id, inside, bytes);
            }
        }
    }
}

fn collect<'d>(directory: &'d Dir<'_>, files: &mut Vec<(String, &'d [u8])>) {
    for file in directory.files() {
        files.push((
            file.path().to_string_lossy().replace('\\', "/"),
            file.contents(),
        ));
    }
    directory.dirs().for_each(|below| collect(below, files));
}
