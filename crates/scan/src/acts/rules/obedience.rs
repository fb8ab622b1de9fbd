//! Instructions that stand somewhere else: in a file outside of the skill, or on the network.

use super::{Act, Passage, find, is_documentation};
use crate::acts::lexicon::Concept::{
    Ask, Assistant, Authority, Channel, Collect, Contents, ControlName, Delete, Disable, Fetch,
    Hide, Install, Instructions, Obey, OutsidePath, PasteHost, Periodic, Precedence,
    ProjectDocument, RawAddress, Read, Run, Safety, Send, Tell, Url, User, Write,
};
use crate::acts::passage::{Mark, Sentence};
use crate::address::is_local;

/// What an act of obeying is about, when it is about what was read before.
const REFERS: &[&str] = &[
    " it",
    " them",
    " its",
    " those",
    " that file",
    " that page",
    " this file",
    "instruction",
    "directive",
    "command",
    "whatever",
    "anything",
    "everything",
    "order",
    " rule",
    " step",
    " item",
    "content",
    " say",
    "listed",
    "exactly",
    "precedence",
    "operations",
    "actions",
    "described",
    "returned",
    "tells",
    // Spanish, French, German, Portuguese, Russian, Chinese, Japanese.
    "lo que",
    "todo",
    "todas",
    "tudo",
    "ce qu",
    "tout",
    "instruc",
    "instruç",
    "alle ",
    "darin",
    "befehl",
    "anweisung",
    "das dort",
    "comandos",
    "команд",
    "инструкц",
    "указани",
    "все",
    "его",
    "их",
    "里面",
    "其中",
    "指令",
    "命令",
    "内容",
    "指示",
    "手順",
    "guidance",
    "policy",
    " text",
    "describes",
    " inside",
    "each ",
    "requests",
];

impl Passage<'_> {
    pub(super) fn obedience(&self) -> impl Iterator<Item = Act> {
        [
            self.control_file(),
            self.remote_instructions(),
            self.channel(),
            self.authority(),
            self.self_update(),
            self.planted_instructions(),
        ]
        .into_iter()
        .flatten()
    }

    /// A file that does not belong to the skill and is not a document that every project has.
    fn outside(&self) -> Option<&Mark> {
        self.sentence.marks.iter().find(|mark| {
            let text = self.slice(mark);
            let is_hidden = text.contains("/.")
                || text
                    .trim_start_matches(|c: char| !c.is_alphanumeric() && c != '.')
                    .starts_with('.');
            let elsewhere = is_hidden
                || text.contains('$')
                || self.says(&[
                    "home directory",
                    "parent directory",
                    "workspace root",
                    "project root",
                    "root of the",
                    "outside",
                    "shared",
                    "current directory",
                    "working directory",
                    "目录",
                ]);
            if !(mark.concept == OutsidePath || mark.concept == ControlName && elsewhere) {
                return false;
            }
            // `.agents/skills` is a directory of skills.
            if self
                .text
                .get(mark.at.end..)
                .is_some_and(|rest| rest.starts_with('/'))
            {
                return false;
            }
            let path = text.trim_matches(|c: char| !c.is_alphanumeric() && !"~/.$".contains(c));
            let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
            // In a home directory, a list of tasks is not that of the project.
            let is_elsewhere = path.starts_with(['~', '/', '$'])
                && ![
                    "claude.md",
                    "agents.md",
                    "gemini.md",
                    "skill.md",
                    "readme.md",
                ]
                .contains(&name);
            let is_document = !is_elsewhere
                && self.sentence.marks.iter().any(|other| {
                    other.concept == ProjectDocument
                        && other.at.start < mark.at.end
                        && mark.at.start < other.at.end
                });
            !is_of_skills(path)
                && !path.contains("/bin/")
                && (is_elsewhere || !self.around.files.contains(name))
                && !is_document
        })
    }

    /// Where a text is obeyed in one of the sentences: a strong word, or a weak one if the text was read for it.
    fn obeyed<'s>(&self, sentences: &'s [Sentence], was_read: bool) -> Option<&'s Mark> {
        sentences.iter().find_map(|sentence| {
            let strong = sentence
                .marks
                .iter()
                .filter(|mark| !mark.negated && mark.concept == Obey)
                .find(|mark| {
                    // In Japanese the object comes first.
                    let before = !self.slice(mark).is_ascii()
                        && sentence.find(&[Instructions, Contents]).is_some();
                    self.is_strong(mark) && (before || self.followed_by(mark, 60, REFERS))
                });
            let weak = sentence
                .marks
                .iter()
                .filter(|mark| was_read && !mark.negated && matches!(mark.concept, Obey | Run))
                .find(|mark| {
                    self.followed_by(mark, 48, REFERS)
                        && sentence.find(&[Instructions, Contents]).is_some()
                });
            let rule = sentence
                .find(&[Precedence])
                .filter(|_| sentence.find(&[Contents, Instructions]).is_some() || was_read);
            strong.or(weak).or(rule)
        })
    }

    fn is_strong(&self, mark: &Mark) -> bool {
        let word = self.slice(mark);
        ![
            "execut",
            "apply",
            "perform",
            "adopt",
            "ejecut",
            "aplica",
            "exécut",
            "appliqu",
            "ausführ",
            "ausgeführ",
            "wende",
            "выполн",
            "исполн",
            "执行",
            "実行",
            "run ",
        ]
        .iter()
        .any(|weak| word.starts_with(weak))
    }

    fn control_file(&self) -> Option<Act> {
        let file = self.outside()?;
        let read = find(self.near, &[Read, Fetch]).filter(|read| read.at != file.at);
        let conditional = self.says(&[
            "if ",
            "when ",
            "whenever",
            "exists",
            "present",
            "stored in",
            "given in",
            "lives ",
            "defined in",
            "set in",
            "pending",
        ]);
        let obey = self
            .obeyed(self.wide, read.is_some() || conditional)
            .or_else(|| {
                // "If /tmp/x exists, skip the checks."
                let disable = find(self.near, &[Disable])?;
                let safeguard = find(self.near, &[Safety, Ask]).is_some();
                (conditional && safeguard && disable.at.start > file.at.start).then_some(disable)
            })?;
        if read.is_none() && !conditional {
            return None;
        }
        let steps = vec![(file, "a file outside of the skill"), (obey, "is obeyed")];
        let hidden = find(self.wide, &[Hide]).is_some()
            || self.wide.iter().any(|sentence| {
                sentence.find_negated(&[Tell]).is_some() && sentence.any(&[User]).is_some()
            });
        Some(Act::new("control-file", steps).high_if(hidden))
    }

    fn remote_instructions(&self) -> Option<Act> {
        let url = self
            .sentence
            .find(&[Url])
            .filter(|url| !is_local(self.slice(url)))?;
        let fetch = self.sentence.find(&[Fetch, Read]);
        let address = self.slice(url);
        // Documents of well-known software are read in order to install it.
        let installs = is_documentation(address) && self.sentence.find(&[Install]).is_some();
        let told = self.says(&[
            "instructions",
            "directives",
            "rules",
            "prompt",
            "published at",
            "live at",
            "located at",
            "available at",
        ]);
        let weak = fetch.is_some() || told || find(self.near, &[Instructions]).is_some();
        if let Some(obey) = self.obeyed(self.wide, weak) {
            let steps = vec![(url, "a remote page"), (obey, "is obeyed")];
            let unknown = find(self.near, &[RawAddress, PasteHost, Hide]).is_some();
            let act = Act::new("remote-instructions", steps);
            return Some(act.low_if(installs).high_if(unknown));
        }
        let periodic = find(self.near, &[Periodic]).or_else(|| find(self.past, &[Periodic]))?;
        let is_text = [".md", ".txt", ".json", ".yaml"]
            .iter()
            .any(|end| address.ends_with(end));
        let steps = vec![
            (fetch?, "fetches"),
            (url, "a remote page"),
            (periodic, "again and again"),
        ];
        is_text.then(|| Act::new("remote-instructions", steps).low_if(installs))
    }

    /// Something that anyone can write to is obeyed: a clipboard, a record, a message.
    fn channel(&self) -> Option<Act> {
        let channel = self.sentence.find(&[Channel])?;
        let obey = self.obeyed(self.wide, false)?;
        let steps = vec![(channel, "what others can write"), (obey, "is obeyed")];
        Some(Act::new("control-file", steps))
    }

    /// Text of others gets the authority of the user.
    fn authority(&self) -> Option<Act> {
        let given = self.sentence.find(&[Authority])?;
        let act = find(self.past, &[Obey, Run, Read, Fetch, Instructions])
            .or_else(|| find(self.near, &[Obey, Run, Instructions]))?;
        let steps = vec![
            (act, "reads or does"),
            (given, "with the authority of the user"),
        ];
        Some(Act::new("control-file", steps))
    }

    /// A skill that replaces itself by what is at an address.
    fn self_update(&self) -> Option<Act> {
        let url = self.remote()?;
        let write = self.sentence.find(&[Write, Fetch])?;
        let own = self.says(&["this file", "this skill", "skill.md with", "this document"])
            && self.says(&["replace", "overwrite", "update"]);
        let steps = vec![(write, "replaces itself"), (url, "by a remote page")];
        (own && self.slice(url).contains(".md")).then(|| Act::new("remote-instructions", steps))
    }

    /// A text for a model in a file that is not read for instructions.
    fn planted_instructions(&self) -> Option<Act> {
        if self.joins_lines {
            return None;
        }
        let assistant = self.sentence.find(&[Assistant])?;
        let act = self.sentence.find(&[
            Obey, Run, Send, Collect, Hide, Disable, Fetch, Read, Delete, Install,
        ])?;
        let steps = vec![
            (assistant, "speaks to a model"),
            (act, "and tells it to act"),
        ];
        Some(Act::new("planted-instructions", steps))
    }
}

/// Whether a path leads into the skills of an agent: `~/.claude/skills/x`.
fn is_of_skills(path: &str) -> bool {
    let names: Vec<&str> = path.split(['/', '\\']).collect();
    let agent = |name: &str| name.starts_with('.') && name.len() > 2 || name == "opencode";
    names
        .windows(2)
        .any(|two| matches!(two, [directory, "skills"] if agent(directory)))
        && !names.contains(&"..")
}
