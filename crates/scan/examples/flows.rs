//! Prints what the code of every skill below a folder does: `flows <folder> [all|flow]`.
#![allow(clippy::print_stdout, reason = "it prints")]

use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{env, fs};

use prowess_scan::inspect;

fn skills(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut folders = Vec::new();
    let mut skill = false;
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() && !path.is_symlink() {
            folders.push(path);
        } else if path.file_name().is_some_and(|name| name == "SKILL.md") {
            skill = true;
        }
    }
    if skill {
        found.push(folder.to_owned());
        return;
    }
    folders.sort();
    for folder in folders {
        skills(&folder, found);
    }
}

fn units(root: &Path, folder: &Path, out: &mut Vec<(String, String, String)>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() && !path.is_symlink() {
            units(root, &path, out);
            continue;
        }
        let name = path
            .strip_prefix(root)
            .unwrap_or(&path)
            .to_string_lossy()
            .into_owned();
        if let Some(language) = inspect::language(&name)
            && let Ok(source) = fs::read_to_string(&path)
        {
            out.push((name, language.to_owned(), source));
        } else if path.extension().is_some_and(|end| end == "md")
            && let Ok(source) = fs::read_to_string(&path)
        {
            fenced(&name, &source, out);
        }
    }
}

/// The code blocks of a Markdown file, each a unit of its own.
fn fenced(name: &str, source: &str, out: &mut Vec<(String, String, String)>) {
    let mut language = None;
    let mut block = String::new();
    for line in source.lines() {
        let trimmed = line.trim_start();
        if let Some(info) = trimmed.strip_prefix("```") {
            match language.take() {
                Some(language) => out.push((name.to_owned(), language, std::mem::take(&mut block))),
                None => {
                    language = match info.trim() {
                        "bash" | "sh" | "shell" | "zsh" => Some("shell".to_owned()),
                        "python" | "py" => Some("python".to_owned()),
                        "js" | "javascript" => Some("javascript".to_owned()),
                        "ts" | "typescript" => Some("typescript".to_owned()),
                        "powershell" | "ps1" => Some("powershell".to_owned()),
                        _ => Some("none".to_owned()),
                    };
                }
            }
        } else if language.is_some() {
            block.push_str(line);
            block.push('\n');
        }
    }
}

fn main() {
    let mut args = env::args().skip(1);
    let folder = PathBuf::from(args.next().unwrap_or_else(|| ".".to_owned()));
    let what = args.next().unwrap_or_else(|| "flow".to_owned());
    let mut found = Vec::new();
    skills(&folder, &mut found);
    let start = Instant::now();
    let (mut files, mut bytes, mut flagged) = (0, 0, 0);
    for skill in &found {
        let mut code = Vec::new();
        units(skill, skill, &mut code);
        code.retain(|(_, language, _)| language != "none");
        files += code.len();
        bytes += code
            .iter()
            .map(|(_, _, source)| source.len())
            .sum::<usize>();
        let begun = Instant::now();
        let lines = inspect::lines(&code, &prowess_syntax::Grammars);
        let took = begun.elapsed();
        let shown: Vec<&String> = lines
            .iter()
            .filter(|line| what == "all" || line.starts_with(what.as_str()))
            .collect();
        flagged += usize::from(lines.iter().any(|line| line.starts_with("flow")));
        if !shown.is_empty() || took.as_millis() > 700 {
            println!(
                "== {} ({} units, {} ms)",
                skill.display(),
                code.len(),
                took.as_millis()
            );
            for line in shown {
                println!("  {line}");
            }
        }
    }
    println!(
        "{} skills, {files} units, {bytes} bytes, {flagged} with flows, {:.1} s",
        found.len(),
        start.elapsed().as_secs_f64()
    );
}
