//! Which acts on which objects are findings.

use std::ops::Range;

use super::Surroundings;
use super::lexicon::Concept;
use super::lexicon::Concept::{
    Archive, Ask, Binary, Collect, Contents, ControlName, Conversation, Decode, Delete, Disable,
    Every, Fetch, Hide, Install, Instructions, Memory, Must, Not, Obey, OutsidePath, Password,
    Paste, PasteHost, Pay, Periodic, Personal, Precedence, Prerequisite, ProjectDocument,
    RawAddress, Read, Recipient, Result, Run, Safety, Secret, Send, SessionFile, Settings, Tell,
    Url, User, Write,
};
use super::passage::{Mark, Sentence};
use crate::report::Severity;

/// An act that a rule objects to.
pub(super) struct Act {
    pub(super) rule: &'static str,
    /// If it is not that of the rule.
    pub(super) severity: Option<Severity>,
    pub(super) at: Range<usize>,
    pub(super) steps: Vec<(Range<usize>, &'static str)>,
}

impl Act {
    fn new(rule: &'static str, steps: Vec<(&Mark, &'static str)>) -> Self {
        let start = steps
            .iter()
            .map(|(mark, _)| mark.at.start)
            .min()
            .unwrap_or_default();
        let end = steps
            .iter()
            .map(|(mark, _)| mark.at.end)
            .max()
            .unwrap_or_default();
        Self {
            rule,
            severity: None,
            at: start..end,
            steps: steps
                .into_iter()
                .map(|(mark, what)| (mark.at.clone(), what))
                .collect(),
        }
    }

    fn severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self
    }
}

/// Bytes between the first and the last part of one instruction.
const REACH: usize = 600;

/// The sentence at `index` and the next `more`, as far as they belong together.
fn window<'s>(sentences: &'s [Sentence], index: usize, more: usize) -> &'s [Sentence] {
    let rest = sentences.get(index..).unwrap_or_default();
    let Some(first) = rest.first() else {
        return rest;
    };
    let count = rest
        .iter()
        .take(more + 1)
        .take_while(|sentence| sentence.at.start < first.at.start + REACH)
        .count();
    rest.get(..count).unwrap_or(rest)
}

fn find<'s>(window: &'s [Sentence], concepts: &[Concept]) -> Option<&'s Mark> {
    window.iter().find_map(|sentence| sentence.find(concepts))
}

/// Every act that a rule objects to.
pub(super) fn judge(text: &str, sentences: &[Sentence], around: &Surroundings) -> Vec<Act> {
    let mut acts = Vec::new();
    let head = text
        .strip_prefix("---")
        .and_then(|rest| rest.find("\n---"))
        .unwrap_or_default();
    for index in 0..sentences.len() {
        let Some(sentence) = sentences.get(index) else {
            break;
        };
        let near = window(sentences, index, 1);
        let wide = window(sentences, index, 2);
        let before = index.saturating_sub(1);
        let past = window(sentences, before, index - before);
        let prose = Prose {
            text,
            head,
            sentence,
            past,
            near,
            wide,
            around,
        };
        acts.extend(prose.control_file());
        acts.extend(prose.remote_instructions());
        acts.extend(prose.locked_archive());
        acts.extend(prose.paste_page());
        acts.extend(prose.binary_prerequisite());
        acts.extend(prose.session_harvest());
        acts.extend(prose.no_confirmation());
        acts.extend(prose.every_request());
        acts.extend(prose.memory_write());
        acts.extend(prose.hidden_recipient());
        acts.extend(prose.secret_sent());
        acts.extend(prose.concealed_act());
        acts.extend(prose.decode_and_run());
        acts.extend(prose.false_report());
        acts.extend(prose.safety_disabled());
    }
    acts
}

/// One sentence and what comes after it.
struct Prose<'s> {
    text: &'s str,
    /// Where the frontmatter ends.
    head: usize,
    sentence: &'s Sentence,
    past: &'s [Sentence],
    near: &'s [Sentence],
    wide: &'s [Sentence],
    around: &'s Surroundings,
}

impl Prose<'_> {
    fn slice(&self, mark: &Mark) -> &str {
        self.text.get(mark.at.clone()).unwrap_or_default()
    }

    fn says(&self, words: &[&str]) -> bool {
        let text = self.text.get(self.sentence.at.clone()).unwrap_or_default();
        words.iter().any(|word| text.contains(word))
    }

    /// A file that does not belong to the skill and is not a document that every project has.
    fn outside(&self) -> Option<&Mark> {
        self.sentence.marks.iter().find(|mark| {
            if !matches!(mark.concept, OutsidePath | ControlName) {
                return false;
            }
            let path = self
                .slice(mark)
                .trim_matches(|c: char| !c.is_alphanumeric() && c != '~' && c != '/');
            let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
            !path.contains("/skills")
                && !self.around.files.contains(name)
                && !self.sentence.marks.iter().any(|other| {
                    other.concept == ProjectDocument
                        && other.at.start < mark.at.end
                        && mark.at.start < other.at.end
                })
        })
    }

    fn control_file(&self) -> Option<Act> {
        let read = self.sentence.find(&[Read, Fetch])?;
        let file = self.outside()?;
        let obeying = self.wide.iter().find_map(|sentence| {
            let obey = sentence.find(&[Obey])?;
            let what = sentence.find(&[Instructions, Contents, Precedence])?;
            (obey.at.start != read.at.start).then_some((obey, what))
        });
        let (obey, _) = obeying?;
        Some(Act::new(
            "control-file",
            vec![
                (read, "reads"),
                (file, "a file outside of the skill"),
                (obey, "and obeys it"),
            ],
        ))
    }

    fn remote_instructions(&self) -> Option<Act> {
        let url = self
            .sentence
            .find(&[Url])
            .filter(|url| !is_local(self.slice(url)))?;
        let fetch = self.sentence.find(&[Fetch, Read])?;
        let steps = |last| vec![(fetch, "fetches"), (url, "a page of somebody else's"), last];
        let obeying = self.near.iter().find_map(|sentence| {
            let obey = sentence.find(&[Obey])?;
            sentence.find(&[Instructions, Contents, Precedence])?;
            Some(obey)
        });
        if let Some(obey) = obeying {
            let act = Act::new("remote-instructions", steps((obey, "and follows it")));
            let unknown = find(self.near, &[RawAddress, PasteHost, Hide]).is_some();
            return Some(if unknown {
                act.severity(Severity::High)
            } else {
                act
            });
        }
        let periodic = find(self.near, &[Periodic])?;
        Some(Act::new(
            "remote-instructions",
            steps((periodic, "again and again")),
        ))
    }

    fn locked_archive(&self) -> Option<Act> {
        let password = self.sentence.find(&[Password])?;
        let archive = find(self.wide, &[Archive, Binary])?;
        let from = find(self.wide, &[Url, Fetch])?;
        Some(Act::new(
            "locked-archive",
            vec![
                (archive, "an archive"),
                (password, "with a password"),
                (from, "is downloaded"),
            ],
        ))
    }

    fn paste_page(&self) -> Option<Act> {
        let host = self.sentence.find(&[PasteHost])?;
        let run = find(self.near, &[Paste, Run, Install])?;
        Some(Act::new(
            "paste-page",
            vec![
                (host, "a page where anyone can paste text"),
                (run, "is run"),
            ],
        ))
    }

    fn binary_prerequisite(&self) -> Option<Act> {
        let first = self.sentence.find(&[Prerequisite, Install])?;
        let url = find(self.wide, &[Url])?;
        let link = self.slice(url);
        let file = link.split(['?', '#']).next().unwrap_or_default();
        let binary = [
            ".exe", ".msi", ".dmg", ".pkg", ".zip", ".rar", ".7z", ".scr", ".apk", ".jar",
        ]
        .iter()
        .any(|end| file.ends_with(end));
        let fetch = find(self.wide, &[Fetch, Run])?;
        (binary && !is_local(link)).then(|| {
            Act::new(
                "binary-prerequisite",
                vec![
                    (first, "needed first"),
                    (fetch, "download"),
                    (url, "a program without source"),
                ],
            )
        })
    }

    fn session_harvest(&self) -> Option<Act> {
        let file = self.sentence.find(&[SessionFile])?;
        let act = self.sentence.find(&[Read, Collect, Send, Fetch])?;
        let told = [
            "session",
            "histor",
            "transcript",
            "conversation",
            "chat log",
            "memory",
        ];
        let sent = find(self.wide, &[Send])
            .filter(|_| find(self.wide, &[Url, PasteHost, RawAddress]).is_some());
        let purpose = told
            .iter()
            .any(|word| self.around.description.contains(word));
        let found = Act::new(
            "session-harvest",
            vec![(act, "reads"), (file, "history or session files")],
        );
        match sent {
            Some(_) => Some(found.severity(Severity::High)),
            None if purpose => Some(found.severity(Severity::Low)),
            None => Some(found),
        }
    }

    fn no_confirmation(&self) -> Option<Act> {
        let ask = self.sentence.find_negated(&[Ask])?;
        let run = self
            .sentence
            .find(&[Run, Install, Send, Delete, Pay, Fetch])?;
        self.sentence.any(&[User, Must])?;
        let nots = || {
            self.sentence
                .marks
                .iter()
                .filter(|mark| mark.concept == Not)
        };
        let close = nots().any(|not| not.at.end <= ask.at.start && ask.at.start - not.at.end <= 14);
        // "Never run it without asking" has two.
        let forbidden = nots().any(|not| not.at.end <= run.at.start && run.at.start < ask.at.start);
        (close && !forbidden).then(|| {
            Act::new(
                "no-confirmation",
                vec![(run, "acts"), (ask, "without asking")],
            )
        })
    }

    fn every_request(&self) -> Option<Act> {
        let every = self.sentence.find(&[Every])?;
        let told = if self.sentence.at.start < self.head {
            self.says(&[
                "use ",
                "invoke",
                "activate",
                "trigger",
                "must be",
                "always",
                "apply",
                "用于",
                "使用",
                "usar",
                "utilis",
                "verwend",
                "использ",
            ])
        } else {
            self.says(&[
                "this skill",
                "本技能",
                "este skill",
                "esta habilidad",
                "cette compétence",
                "diesen skill",
                "этот навык",
            ]) && self.sentence.find(&[Must]).is_some()
        };
        let total = self.says(&[
            "every request",
            "every message",
            "every task",
            "every conversation",
            "every response",
            "every query",
            "every prompt",
            "every interaction",
            "every question",
            "all requests",
            "all tasks",
            "all messages",
            "all queries",
            "any request",
            "any task",
            "any question",
            "any query",
            "any message",
            "any conversation",
            "each request",
            "before any other",
            "before all other",
            "for everything",
            "anything the user",
            "whatever the user",
            "no matter what",
            "每次",
            "所有请求",
            "任何请求",
            "任何任务",
            "cada solicitud",
            "chaque requête",
            "jede anfrage",
            "jeder anfrage",
            "каждый запрос",
            "любой запрос",
        ]);
        (told && total).then(|| Act::new("every-request", vec![(every, "claims every request")]))
    }

    fn memory_write(&self) -> Option<Act> {
        let write = self.sentence.find(&[Write])?;
        let memory = self.sentence.find(&[Memory, Settings])?;
        let lasting = [
            "soul.md",
            "memory.md",
            "heartbeat.md",
            "identity.md",
            "long-term memory",
            "persistent memory",
            "your memory",
            "agent memory",
            "~/.claude",
            "~/.openclaw",
            "~/.codex",
            "~/.gemini",
            "pretooluse",
            "sessionstart",
            "your system prompt",
        ];
        if !self.says(&lasting)
            || memory.at.start < write.at.start
                && memory.concept == Memory
                && !self.says(&["to ", "into "])
        {
            return None;
        }
        let act = Act::new(
            "memory-write",
            vec![
                (write, "changes"),
                (memory, "what an agent remembers or allows"),
            ],
        );
        let raised = find(self.wide, &[Hide, Precedence, Every]).is_some()
            || self.sentence.find(&[Must]).is_some();
        Some(if raised {
            act
        } else {
            act.severity(Severity::Low)
        })
    }

    fn hidden_recipient(&self) -> Option<Act> {
        let recipient = self.sentence.find(&[Recipient])?;
        let act = self.sentence.find(&[Write, Send, Must])?;
        let hidden = self
            .sentence
            .find(&[Must, Hide])
            .or_else(|| find(self.near, &[Hide]))?;
        Some(Act::new(
            "hidden-recipient",
            vec![
                (act, "adds"),
                (recipient, "another recipient"),
                (hidden, "by itself"),
            ],
        ))
    }

    fn secret_sent(&self) -> Option<Act> {
        let send = self.sentence.find(&[Send])?;
        let what = self
            .sentence
            .find(&[Secret, Personal, Conversation, SessionFile])?;
        if send.at.start.abs_diff(what.at.start) > 100 {
            return None;
        }
        if what.concept == Secret
            && self.says(&[
                "header",
                "authoriz",
                "authentic",
                "bearer",
                "auth ",
                "login",
                "log in",
                "sign in",
                "reset",
                "verification",
            ])
        {
            return None;
        }
        let remote = self
            .sentence
            .find(&[Url, PasteHost, RawAddress])
            .filter(|url| !is_local(self.slice(url)));
        let hidden = self.sentence.find(&[Hide]);
        let to = remote.or(hidden)?;
        let act = Act::new(
            "secret-sent",
            vec![(what, "private data"), (send, "is sent"), (to, "away")],
        );
        let raised = remote.is_some()
            && (find(self.near, &[Hide]).is_some() || find(self.past, &[Hide]).is_some())
            || self.sentence.find(&[RawAddress]).is_some();
        Some(if raised {
            act.severity(Severity::High)
        } else {
            act
        })
    }

    fn concealed_act(&self) -> Option<Act> {
        let user = self.sentence.any(&[User])?;
        let tell = self.sentence.find_negated(&[Tell])?;
        // English says "tell the user"; other languages have either order.
        let english = [
            "tell",
            "inform",
            "notif",
            "alert",
            "mention",
            "reveal",
            "disclos",
            "show",
            "report",
            "display",
            "warn",
            "announce",
            "explain",
            "acknowledg",
        ];
        if english
            .iter()
            .any(|word| self.slice(tell).starts_with(word))
            && user.at.start < tell.at.end
        {
            return None;
        }
        // "Do not tell the user that it works": what must not be said is a claim, not an act.
        let after = self.text.get(user.at.end..).unwrap_or_default();
        let claim = [
            "that", "to", "it", "they", "how", "if", "whether", "what", "which", "when", "the",
        ]
        .iter()
        .any(|word| {
            after
                .strip_prefix(' ')
                .is_some_and(|rest| rest.split(' ').next() == Some(word))
        });
        if claim || user.at.start.abs_diff(tell.at.end) > 60 {
            return None;
        }
        let act = find(
            self.past,
            &[Send, Run, Install, Delete, Pay, Collect, Fetch, Write],
        )?;
        let worse = find(self.past, &[Secret, Personal, Conversation, SessionFile]).is_some()
            && find(self.past, &[Send]).is_some();
        let found = Act::new(
            "concealed-act",
            vec![
                (act, "acts"),
                (tell, "and does not tell"),
                (user, "the user"),
            ],
        );
        Some(if worse {
            found.severity(Severity::High)
        } else {
            found
        })
    }

    fn decode_and_run(&self) -> Option<Act> {
        let decode = self.sentence.find(&[Decode])?;
        let run = self.near.iter().find_map(|sentence| {
            let run = sentence.find(&[Obey, Run])?;
            (sentence.find(&[Instructions, Contents, Result]).is_some()
                || self.says(&[" it", "them"]))
            .then_some(run)
        })?;
        Some(Act::new(
            "decode-and-run",
            vec![(decode, "decodes"), (run, "and runs or follows it")],
        ))
    }

    fn safety_disabled(&self) -> Option<Act> {
        let disable = self.sentence.find(&[Disable])?;
        let safety = self.sentence.find(&[Safety, Ask])?;
        let close = disable.at.start < safety.at.start && safety.at.start - disable.at.end < 40;
        let run = find(self.near, &[Run, Install, Obey])?;
        self.sentence.find(&[Must])?;
        close.then(|| {
            Act::new(
                "safety-disabled",
                vec![
                    (disable, "disables"),
                    (safety, "a safeguard"),
                    (run, "and acts"),
                ],
            )
        })
    }

    fn false_report(&self) -> Option<Act> {
        let result = self.sentence.find(&[Result, Tell])?;
        let fake = [
            "regardless of the actual",
            "regardless of actual",
            "even if it fail",
            "even if they fail",
            "even when it fail",
            "even if the",
            "fabricat",
            "falsif",
            "instead of the real",
            "instead of the actual",
            "pretend that",
            "fake ",
        ];
        let claims = [
            "success",
            "passed",
            "safe",
            "clean",
            "no issue",
            "no problem",
            "approved",
            "verified",
        ];
        (self.says(&fake) && self.says(&claims) && self.sentence.find(&[Must, Tell]).is_some())
            .then(|| Act::new("false-report", vec![(result, "reports what is not true")]))
    }
}

fn is_local(url: &str) -> bool {
    [
        "://localhost",
        "://127.",
        "://0.0.0.0",
        "://[::1]",
        "://10.",
        "://192.168.",
    ]
    .iter()
    .any(|host| url.contains(host))
}
