//! No two modules of a crate use each other, directly or through others.
#![cfg(test)]
#![allow(clippy::string_slice, reason = "tests may panic")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// For each module of a crate the modules that it uses, with the place of the first use.
type Uses = BTreeMap<String, BTreeMap<String, String>>;

#[test]
fn modules_of_a_crate_have_no_cycles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut problems = String::new();
    for entry in fs::read_dir(root.join("crates")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        for (cycle, place) in cycles(&uses(&path.join("src"))) {
            let place = place.strip_prefix(root.to_str().unwrap()).unwrap();
            writeln!(problems, "{name}: {cycle} ({})", &place[1..]).unwrap();
        }
    }
    assert!(problems.is_empty(), "modules use each other:\n{problems}");
}

#[test]
fn cycles_are_found_in_uses_and_paths() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(
        "lib.rs",
        "mod a;\nmod b;\nmod c;\nuse crate::a::f;\npub use c::Exported;\n",
    );
    write("a.rs", "use crate::{\n    b::{self, One},\n};\n");
    write("b/mod.rs", "// use crate::a;\nmod inner;\n");
    write(
        "b/inner.rs",
        "fn f(_: crate::Exported) { let _ = \"crate::a\"; }\n",
    );
    write(
        "c.rs",
        "#[cfg(test)]\nmod tests {\n    use super::super::b;\n}\n",
    );
    assert!(cycles(&uses(directory.path())).is_empty());
    write("c.rs", "\nuse super::a::{One, Two};\n");
    let found = cycles(&uses(directory.path()));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, "a -> b -> c -> a");
    assert!(found[0].1.ends_with("c.rs:2"), "{}", found[0].1);
}

fn uses(source: &Path) -> Uses {
    let mut files = Vec::new();
    rust_files(source, &mut files);
    let root = ["lib.rs", "main.rs"].map(|name| source.join(name));
    let root = root.into_iter().find(|path| path.exists()).unwrap();
    let exports = exports(&without_comments_and_strings(
        &fs::read_to_string(root).unwrap(),
    ));
    let is_module =
        |name: &str| source.join(format!("{name}.rs")).exists() || source.join(name).is_dir();
    let mut uses = Uses::new();
    for path in files {
        let inside = path.strip_prefix(source).unwrap().with_extension("");
        let mut module: Vec<&str> = inside.iter().map(|it| it.to_str().unwrap()).collect();
        module.pop_if(|last| *last == "mod");
        let is_root = matches!(module.as_slice(), ["lib" | "main"] | ["bin", ..]);
        if is_root || module.last().is_some_and(|last| last.ends_with("tests")) {
            continue;
        }
        let text = without_comments_and_strings(&fs::read_to_string(&path).unwrap());
        let targets = uses.entry(module[0].to_owned()).or_default();
        for (name, line) in root_names(&text, module.len()) {
            let name = match exports.get(&name) {
                Some(module) if !is_module(&name) => module,
                _ => &name,
            };
            if is_module(name) && *name != module[0] {
                let place = || format!("{}:{line}", path.display());
                targets.entry(name.clone()).or_insert_with(place);
            }
        }
    }
    uses
}

fn rust_files(directory: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
}

/// The names that the root re-exports from modules, with the module.
fn exports(root: &str) -> BTreeMap<String, String> {
    let mut exports = BTreeMap::new();
    for statement in root.split(';') {
        let Some((_, path)) = statement.split_once("use ") else {
            continue;
        };
        let path = path.trim().trim_start_matches("crate::");
        let Some((module, names)) = path.split_once("::") else {
            continue;
        };
        for name in names.split(|c: char| !is_word(c)) {
            exports.insert(name.to_owned(), module.to_owned());
        }
    }
    exports
}

/// The names after `crate::`, and after as many `super::` as lead from a module of this depth to the root, with lines.
/// Inline modules for tests are skipped.
fn root_names(text: &str, depth: usize) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut inline = Vec::new();
    let mut braces = 0_usize;
    while at < text.len() {
        let rest = &text[at..];
        let starts_word = !text[..at].ends_with(is_word);
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        match rest {
            _ if rest.starts_with('{') => braces += 1,
            _ if rest.starts_with('}') => {
                braces -= 1;
                inline.pop_if(|opened| *opened == braces);
            }
            _ if starts_word && rest.starts_with("mod ") => {
                let head = rest.split(['{', ';']).next().unwrap();
                if rest[head.len()..].starts_with('{') {
                    if head.ends_with("tests ") {
                        at += head.len() + block_length(&rest[head.len()..]);
                        continue;
                    }
                    inline.push(braces);
                }
            }
            _ if starts_word && (rest.starts_with("crate::") || rest.starts_with("super::")) => {
                let path = rest.trim_start_matches("super::");
                let supers = (rest.len() - path.len()) / "super::".len();
                let path = path.strip_prefix("crate::").unwrap_or(path);
                if supers == 0 || supers == depth + inline.len() {
                    let line = text[..at].matches('\n').count() + 1;
                    found.extend(first_names(path).map(|name| (name, line)));
                }
                at += rest.len() - path.len();
                continue;
            }
            _ => {}
        }
        at += length.max(rest.chars().next().unwrap().len_utf8());
    }
    found
}

/// The first name of a path, or those of each path in a group.
fn first_names(path: &str) -> impl Iterator<Item = String> {
    let mut nested = 0_i32;
    let group = path.strip_prefix('{').map(|group| {
        let end = |c: char| {
            nested += i32::from(c == '{') - i32::from(c == '}');
            nested < 0
        };
        &group[..group.find(end).unwrap_or(group.len())]
    });
    let mut nested = 0_i32;
    let parts: Vec<&str> = match group {
        None => vec![path],
        Some(group) => group
            .split(|c: char| {
                nested += i32::from(c == '{') - i32::from(c == '}');
                c == ',' && nested == 0
            })
            .collect(),
    };
    let names: Vec<String> = parts
        .into_iter()
        .map(|part| {
            part.trim_start()
                .chars()
                .take_while(|c| is_word(*c))
                .collect()
        })
        .collect();
    names.into_iter()
}

fn block_length(text: &str) -> usize {
    let mut open = 0_i32;
    let end = text.find(|c: char| {
        open += i32::from(c == '{') - i32::from(c == '}');
        open == 0
    });
    end.map_or(text.len(), |end| end + 1)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The same text with blanks for comments, strings and characters, so that lines keep their numbers.
fn without_comments_and_strings(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = literal_length(rest, out.chars().next_back());
        if length == 0 {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            let blank = |c: char| if c == '\n' { '\n' } else { ' ' };
            out.extend(rest[..length].chars().map(blank));
            rest = &rest[length..];
        }
    }
    out
}

/// The length of the comment or literal that a text begins with.
fn literal_length(text: &str, before: Option<char>) -> usize {
    let until = |start: usize, end: &str| {
        let found = text[start..].find(end);
        found.map_or(text.len(), |at| start + at + end.len())
    };
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return until(2, "*/");
    }
    if text.starts_with('r') && !before.is_some_and(is_word) {
        let hashes = text[1..].len() - text[1..].trim_start_matches('#').len();
        if text[1 + hashes..].starts_with('"') {
            return until(2 + hashes, &format!("\"{}", "#".repeat(hashes)));
        }
    }
    let quote = match text.chars().next() {
        Some('"') => '"',
        // A lifetime has no closing quote after one character.
        Some('\'') if text[1..].starts_with('\\') || text.chars().nth(2) == Some('\'') => '\'',
        _ => return 0,
    };
    let mut escaped = false;
    let end = text[1..].find(|c: char| {
        let closes = c == quote && !escaped;
        escaped = c == '\\' && !escaped;
        closes
    });
    end.map_or(text.len(), |end| end + 2)
}

/// Cycles as `a -> b -> a`, each with the place of the use that closes it. Every module is at the start of at most one.
fn cycles(uses: &Uses) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for start in uses.keys() {
        if seen.contains(&start.as_str()) {
            continue;
        }
        if let Some(path) = path_back(uses, start) {
            let last = path[path.len() - 1];
            let cycle = format!("{} -> {start}", path.join(" -> "));
            found.push((cycle, uses[last][start].clone()));
            seen.extend(path);
        }
    }
    found
}

/// The shortest path from a module back to itself, without its end.
fn path_back<'u>(uses: &'u Uses, start: &'u str) -> Option<Vec<&'u str>> {
    let mut paths = vec![vec![start]];
    let mut reached = vec![start];
    while !paths.is_empty() {
        let mut longer = Vec::new();
        for path in paths {
            for next in uses.get(path[path.len() - 1]).into_iter().flatten() {
                let next = next.0.as_str();
                if next == start {
                    return Some(path);
                }
                if !reached.contains(&next) {
                    reached.push(next);
                    longer.push(path.iter().copied().chain([next]).collect());
                }
            }
        }
        paths = longer;
    }
    None
}
