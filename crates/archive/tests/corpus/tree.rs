//! What lies in a directory, as sorted lines: `d/`, `f=content`, `x*=content`, `l -> target`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

pub(crate) fn lines(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    walk(directory, "", &mut found);
    found.sort();
    found
}

fn walk(directory: &Path, prefix: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        let metadata = entry.path().symlink_metadata().unwrap();
        let mode = metadata.permissions().mode();
        if metadata.is_symlink() {
            let target = fs::read_link(entry.path()).unwrap();
            found.push(format!("{path} -> {}", target.display()));
        } else if metadata.is_dir() {
            found.push(format!("{path}/"));
            walk(&entry.path(), &format!("{path}/"), found);
        } else {
            let content = fs::read(entry.path()).unwrap();
            let star = if mode & 0o111 == 0 { "" } else { "*" };
            let content = if content.len() > 200 {
                format!("{} bytes, {:08x}", content.len(), crc32fast::hash(&content))
            } else {
                content.escape_ascii().to_string()
            };
            found.push(format!("{path}{star}={content}"));
        }
    }
}
