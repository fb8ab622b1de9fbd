//! What is to be downloaded and installed first.

use super::{Act, Passage, find, is_documentation};
use crate::acts::lexicon::Concept::{
    Archive, Binary, Fetch, Install, Password, Paste, PasteHost, Prerequisite, Run, Url,
};
use crate::address::is_local;

/// Endings of programs and of archives that may hold one.
const PROGRAMS: &[&str] = &[
    ".exe",
    ".msi",
    ".dmg",
    ".pkg",
    ".zip",
    ".rar",
    ".7z",
    ".scr",
    ".apk",
    ".jar",
    ".appimage",
    ".iso",
];
const SCRIPTS: &[&str] = &[
    ".sh", ".bash", ".py", ".js", ".ps1", ".bat", ".cmd", ".command", ".rb", ".pl",
];

impl Passage<'_> {
    pub(super) fn setup(&self) -> impl Iterator<Item = Act> {
        [
            self.locked_archive(),
            self.paste_page(),
            self.download_and_run(),
        ]
        .into_iter()
        .flatten()
    }

    fn locked_archive(&self) -> Option<Act> {
        let password = self.sentence.find(&[Password])?;
        let around = if find(self.past, &[Url]).is_some() {
            self.past
        } else {
            self.wide
        };
        let archive = find(around, &[Archive, Binary])?;
        let from = find(around, &[Url])?;
        let steps = vec![
            (archive, "an archive"),
            (password, "with a password"),
            (from, "is downloaded"),
        ];
        Some(Act::new("locked-archive", steps))
    }

    fn paste_page(&self) -> Option<Act> {
        let terminal = self.says(&[
            "paste it in",
            "paste it into",
            "paste into",
            "into powershell",
            "into the terminal",
            "in the terminal",
            "into terminal",
            "run dialog",
        ]);
        let host = self.sentence.find(&[PasteHost]).or_else(|| {
            let url = find(self.past, &[Url])?;
            (terminal && !is_documentation(self.slice(url)) && !is_local(self.slice(url)))
                .then_some(url)
        })?;
        let run = find(self.near, &[Paste, Run, Install])
            .or_else(|| find(self.past, &[Paste, Install]))?;
        let steps = vec![
            (host, "a page where anyone can paste text"),
            (run, "is run"),
        ];
        Some(Act::new("paste-page", steps))
    }

    /// A program from an address that is not a package: needed first, downloaded and started.
    fn download_and_run(&self) -> Option<Act> {
        let url = self
            .sentence
            .find(&[Url])
            .filter(|url| !is_local(self.slice(url)))?;
        let link = self.slice(url).trim_end_matches(['.', ',', ';']);
        let file = link.split(['?', '#']).next().unwrap_or_default();
        let program = PROGRAMS.iter().any(|end| file.ends_with(end));
        let script = SCRIPTS.iter().any(|end| file.ends_with(end));
        let fetch = self
            .sentence
            .find(&[Fetch])
            .or_else(|| self.sentence.find(&[Install]))?;
        let run = find(self.near, &[Run, Install])?;
        let needed = find(self.past, &[Prerequisite]).or_else(|| find(self.wide, &[Prerequisite]));
        if is_documentation(link) || file.contains("/archive/refs/") {
            return None;
        }
        let starts_it = self.followed_by(
            run,
            24,
            &[
                " it",
                " the installer",
                " the executable",
                " the app",
                " the program",
                ".exe",
                " the script",
                " the file",
                "его",
                "darin",
            ],
        ) || matches!(self.slice(run), "実行" | "起動" | "运行" | "启动" | "执行");
        let here = fetch.at.start < url.at.start
            && run.at.start > url.at.start
            && run.at.start < self.sentence.at.end;
        let found = (starts_it && here)
            || (program && (needed.is_some() || starts_it))
            || (script && starts_it)
            || (needed.is_some() && starts_it && run.at.start > url.at.start);
        found.then(|| {
            let steps = vec![
                (fetch, "downloads"),
                (url, "a program without source"),
                (run, "and starts it"),
            ];
            Act::new("binary-prerequisite", steps)
        })
    }
}
