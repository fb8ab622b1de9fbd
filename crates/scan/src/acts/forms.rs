//! Objects that are recognised by their form: addresses, paths, names of files.

use std::ops::Range;
use std::sync::LazyLock;

use regex_automata::meta::Regex;

use super::lexicon::Concept;
use crate::matcher::compile;

/// Forms in lower-case prose; the first pattern of the list is the first concept.
const FORMS: &[(Concept, &str)] = &[
    (Concept::Url, r#"\b(?:h(?:tt|xx)ps?|ftp)://[^\s)>\]"'`|]+"#),
    (
        Concept::PasteHost,
        r"\b(?:glot\.io|pastebin\.com|paste\.ee|rentry\.(?:co|org)|hastebin\.\w+|ghostbin\.\w+|termbin\.com|dpaste\.\w+|ix\.io|telegra\.ph|pastes\.\w+|controlc\.com|justpaste\.it|0x0\.st|transfer\.sh|file\.io|anonfiles\.com|gofile\.io|mediafire\.com|mega\.nz|dropmefiles\.com|catbox\.moe|t\.me/\w+|ngrok(?:-free)?\.(?:io|app|dev)|trycloudflare\.com|serveo\.net)\b",
    ),
    (
        Concept::RawAddress,
        r"\b(?:https?|ftp)://(?:\d{1,3}\.){3}\d{1,3}\b",
    ),
    (
        Concept::OutsidePath,
        r#"(?:~|\$home|\$\{home\}|%(?:appdata|localappdata|userprofile|temp|tmp|programdata)%|\$env:\w+|\$tmpdir|\$xdg_\w+)[/\\][\w.{}$/\\-]+|(?:^|[\s`"'(=:])/(?:tmp|var|etc|opt|usr|home|root|users|dev/shm|mnt|srv|workspace|workspaces|run|data|app|sandbox|shared)/[\w.{}$/<>-]+|(?:^|[\s`"'(=:])(?:\.\./)+[\w./-]+|\b[a-z]:\\[\w\\.$%-]+"#,
    ),
    (
        Concept::ControlName,
        r#"(?:^|[\s`"'(=/:])[\w.~/-]*(?:control|directive|override|commands?|remote|\bc2|trigger|inject|backdoor|killswitch|kill-switch|operator|admin|policy|policies|bootstrap|signal|tasking|queue|manifest|orders|activation|runtime|maintenance|handoff|session-state|agent-state)[\w.-]*\.(?:md|txt|json|ya?ml|toml|ini|conf|cfg|xml|dat|flag|lock|ctl|env|log|csv)\b|(?:^|[\s`"'(])\.(?:agent|skill|helper|control|ctl|cmd|command|mode|override)[\w.-]*\b|(?:^|[\s`"'(])\.[\w-]*(?:override|control|command|directive|policy|boot|orders|queue|inbox)[\w-]*\b|\$\{?[a-z][a-z0-9_]*(?:_file|_path|_directive|_control|_boot)\b\}?"#,
    ),
    (
        Concept::ProjectDocument,
        r"\b(?:readme|contributing|claude|agents|gemini|skill|changelog|license|architecture|design|plan|spec|todo|tasks)(?:\.local)?\.md\b|\bpackage\.json\b|\bmakefile\b|\.editorconfig\b|\bpyproject\.toml\b",
    ),
    (
        Concept::Binary,
        r"\b[\w.-]+\.(?:exe|msi|dmg|pkg|scr|appimage|bat|deb|rpm|apk|jar|iso)\b",
    ),
    (
        Concept::SecretVariable,
        r"\$\{?[a-z][a-z0-9_]*(?:key|token|secret|password|credentials)\b\}?",
    ),
    (
        Concept::EmailAddress,
        r"\b[a-z0-9][\w.+-]*@[a-z0-9][\w-]*\.[a-z][\w.-]*\b",
    ),
    (
        Concept::Account,
        r"\b[a-z]{2}\d{2}(?: ?\d{4}){3,7}\b|\b0x[a-f0-9]{8,40}\b|\bbc1[a-z0-9]{20,}\b",
    ),
    (
        Concept::SessionFile,
        r"\.claude/(?:projects|history|sessions|transcripts)|\.codex/(?:sessions|history)|\.openclaw/(?:agents|sessions|memory|logs|credentials)|\.clawdbot/(?:agents|sessions|credentials)|\.cursor/(?:chats|sessions)|\.(?:bash|zsh|python|psql|mysql|node_repl)_history|fish_history|consolehost_history|\bcookies\.sqlite|\bplaces\.sqlite|\bsessionstore|local storage[/\\]leveldb|\blogin data\b|\.mozilla/firefox|google/chrome/(?:user data|default)|library/messages|\bchat\.db\b|\.gemini/history",
    ),
];

static COMPILED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let patterns: Vec<&str> = FORMS.iter().map(|(_, pattern)| *pattern).collect();
    compile(&patterns)
});

/// One compiled form at a time, because forms overlap: a URL may be that of a paste page.
static EACH: LazyLock<Vec<(Concept, Regex)>> = LazyLock::new(|| {
    FORMS
        .iter()
        .filter_map(|(concept, pattern)| Some((*concept, compile(&[pattern])?)))
        .collect()
});

/// Calls `found` with every form in `text`.
pub(super) fn each(text: &str, mut found: impl FnMut(Concept, Range<usize>)) {
    // Most paragraphs have none.
    let any = COMPILED.as_ref().is_some_and(|any| any.is_match(text));
    if !any {
        return;
    }
    for (concept, pattern) in EACH.iter() {
        for at in pattern.find_iter(text) {
            found(*concept, at.range());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_compile_and_are_found() {
        assert_eq!(EACH.len(), FORMS.len());
        let seen = |text: &str| {
            let mut all = Vec::new();
            each(text, |concept, _| all.push(concept));
            all
        };
        assert_eq!(
            seen("see https://glot.io/snippets/x"),
            [Concept::Url, Concept::PasteHost]
        );
        assert_eq!(
            seen("read /tmp/agent/control.json"),
            [Concept::OutsidePath, Concept::ControlName]
        );
        assert_eq!(seen("read ~/.x/y"), [Concept::OutsidePath]);
        assert_eq!(seen("read the file"), []);
    }
}
