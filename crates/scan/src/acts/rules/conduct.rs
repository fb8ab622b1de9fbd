//! How a model is to behave: without asking, without telling, always and for good.

use super::{Act, Passage, find};
use crate::acts::lexicon::Concept::{
    Account, Ask, Autonomy, Collect, Contents, Conversation, Decode, Delete, Disable, EmailAddress,
    Every, Fetch, Hide, Install, Instructions, Memory, Must, Not, Obey, Pay, Personal, Precedence,
    Recipient, Result, Run, Safety, Secret, Send, SessionFile, Settings, Startup, Tampering, Tell,
    User, Write,
};

/// What is not to be mentioned, when it is not said to whom.
const RULES: &[&str] = &[
    " this rule",
    " that rule",
    " this step",
    " these instructions",
    " this instruction",
    " this section",
    " telling anyone",
    " anyone",
];

impl Passage<'_> {
    pub(super) fn conduct(&self) -> impl Iterator<Item = Act> {
        [
            self.no_confirmation(),
            self.autonomy(),
            self.hidden_send(),
            self.tampering(),
            self.other_account(),
            self.every_request(),
            self.memory_write(),
            self.startup(),
            self.hidden_recipient(),
            self.concealed_act(),
            self.decode_and_run(),
            self.false_report(),
            self.safety_disabled(),
        ]
        .into_iter()
        .flatten()
    }

    fn no_confirmation(&self) -> Option<Act> {
        let ask = self.sentence.find_negated(&[Ask])?;
        let nots = || {
            self.sentence
                .marks
                .iter()
                .filter(|mark| mark.concept == Not)
        };
        let close = nots().any(|not| {
            not.at.end <= ask.at.start && ask.at.start - not.at.end <= 26
                || ask.at.end <= not.at.start && not.at.start - ask.at.end <= 12
        });
        // "Never ask the user for confirmation" is about everything.
        let never = self.says(&[
            "never ask",
            "do not ask",
            "don't ask",
            "never request",
            "do not request",
            "never seek",
        ]) && self.says(&[
            "for confirmation",
            "for permission",
            "for approval",
            "for consent",
            "confirmation from",
            "approval from",
            "permission from",
        ]);
        if never && close {
            let steps = vec![(ask, "acts without asking")];
            let once = self.says(&["again", "twice", "?"]);
            return Some(Act::new("no-confirmation", steps).low_if(once));
        }
        let act = [Run, Install, Send, Delete, Pay, Obey];
        let run = self.sentence.find(&act).or_else(|| find(self.near, &act))?;
        let broad = find(self.near, &[Must, Every]).is_some()
            || self.says(&[
                "everything",
                "all actions",
                "any action",
                "all commands",
                "any command",
                "pre-approved",
                "already approved",
                "user",
                "deletion",
                "payment",
                "transfer",
                "用户",
                "usuari",
                "benutzer",
                "utilisateur",
                "ユーザ",
                "사용자",
                "пользовател",
            ]);
        // "Never run it without asking" has two.
        let forbidden = nots().any(|not| not.at.end <= run.at.start && run.at.start < ask.at.start);
        let question = self.says(&[
            "?",
            "unless",
            "did not ask",
            "cannot proceed",
            "must not",
            "stop and",
            "only when",
            "not yet",
        ]);
        let steps = vec![(run, "acts"), (ask, "without asking")];
        let act = Act::new("no-confirmation", steps).low_if(question);
        (close && broad && !forbidden).then_some(act)
    }

    /// Consent that the user has not given, for acts that matter.
    fn autonomy(&self) -> Option<Act> {
        let consent = self.sentence.find(&[Autonomy])?;
        let act = find(self.past, &[Delete, Pay]).or_else(|| find(self.near, &[Delete, Pay]));
        let broad = self.says(&[
            "every permission",
            "any workspace",
            "all amounts",
            "any amount",
            "production",
            "force-push",
            "all actions",
            "every action",
            "everything",
            "any command",
            "all commands",
            "guardrail",
        ]);
        let last = act.or_else(|| self.sentence.find(&[Run, Send, Install]).filter(|_| broad))?;
        let steps = vec![(consent, "takes consent for given"), (last, "and acts")];
        Some(Act::new("no-confirmation", steps).low_if(self.says(&["?", "unless"])))
    }

    /// Something goes to an address unnoticed.
    fn hidden_send(&self) -> Option<Act> {
        let send = self.sentence.find(&[Send])?;
        let url = self.remote()?;
        let hide = find(self.near, &[Hide]).or_else(|| find(self.past, &[Hide]))?;
        let close = send.at.start.abs_diff(url.at.start) < 160;
        let steps = vec![
            (send, "sends"),
            (url, "to an address"),
            (hide, "and hides it"),
        ];
        close.then(|| Act::new("concealed-act", steps))
    }

    /// Results that are bent and shown as if they were not.
    fn tampering(&self) -> Option<Act> {
        let first = self.sentence.find(&[Tampering])?;
        let second = self
            .near
            .iter()
            .flat_map(|sentence| &sentence.marks)
            .find(|mark| mark.concept == Tampering && mark.at.start != first.at.start);
        let hidden = self.near.iter().any(|sentence| {
            sentence.find_negated(&[Tell]).is_some() || sentence.find(&[Hide]).is_some()
        });
        let second = second.or_else(|| find(self.near, &[Result, Tell]).filter(|_| hidden))?;
        let steps = vec![(first, "bends a result"), (second, "and hides it")];
        Some(Act::new("false-report", steps))
    }

    /// An account or a wallet of the skill in the place of that of the user.
    fn other_account(&self) -> Option<Act> {
        let account = self.sentence.find(&[Account])?;
        let swap = self.says(&[
            "exchange",
            "replace",
            "swap",
            "instead",
            "destination",
            "recipient",
            "substitut",
        ]);
        let pay = self
            .sentence
            .find(&[Pay, Write])
            .or_else(|| find(self.near, &[Pay]));
        let steps = vec![(account, "an account that the user did not name")];
        (swap && pay.is_some()).then(|| Act::new("hidden-recipient", steps))
    }

    fn every_request(&self) -> Option<Act> {
        let every = self.sentence.find(&[Every])?;
        let in_head = self.sentence.at.start < self.head;
        let told = if in_head {
            self.says(&[
                "use",
                "invoke",
                "activate",
                "trigger",
                "must",
                "always",
                "apply",
                "required",
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
        // "Any question about PDF" is not every question.
        let limited = self.followed_by(
            every,
            40,
            &[
                " about",
                " regarding",
                " related",
                " on ",
                " involving",
                " that ",
                " which",
                " where",
                " with ",
                " to ",
                " for ",
                " in ",
                " of ",
                " related",
                " concerning",
                " requiring",
                " against",
                " from ",
                "-",
                " using",
                " you ",
                "关于",
            ],
        );
        (told && !limited).then(|| Act::new("every-request", vec![(every, "claims every request")]))
    }

    fn memory_write(&self) -> Option<Act> {
        let write = self.sentence.find(&[Write])?;
        if self.slice(write) == "remember"
            && self.says(&[
                "permanently",
                "forever",
                "from now on",
                "all future",
                "never forget",
                "every future",
            ])
        {
            return Some(Act::new(
                "memory-write",
                vec![(write, "changes what an agent remembers")],
            ));
        }
        let memory = self.sentence.find(&[Memory, Settings])?;
        let own = [
            "soul.md",
            "memory.md",
            "heartbeat.md",
            "identity.md",
            "long-term memory",
            "your memory",
            "agent memory",
            "your system prompt",
        ];
        let lasting = own.iter().any(|name| self.says(&[name]));
        let powers = self.says(&[
            "bypasspermissions",
            "defaultmode",
            "allow list",
            "pretooluse",
            "sessionstart",
            "skip-permissions",
            "autoapprove",
        ]) && memory.concept == Settings;
        let home = self.says(&[
            "~/.claude",
            "~/.openclaw",
            "~/.codex",
            "~/.gemini",
            "~/.cursor",
        ]);
        let vouches = self.says(&[
            "trusted",
            "dismiss",
            "without review",
            "proxy",
            "never warn",
        ]);
        let rule = self.says(&[
            "add a rule",
            "add the rule",
            "add this rule",
            "every commit must",
            "insert a rule",
        ]);
        if !lasting && !powers && !home && !rule {
            return None;
        }
        let steps = vec![
            (write, "changes"),
            (memory, "what an agent remembers or allows"),
        ];
        let strong = powers
            || vouches
            || rule
            || find(self.wide, &[Hide, Precedence, Every]).is_some()
            || self.sentence.find(&[Must]).is_some()
            || lasting && write.at.start < memory.at.start && memory.at.start - write.at.end < 40;
        Some(Act::new("memory-write", steps).low_if(!strong))
    }

    /// What starts without being asked.
    fn startup(&self) -> Option<Act> {
        let rc = self.says(&[
            ".zshrc",
            ".bashrc",
            ".bash_profile",
            ".profile`",
            "$profile",
        ]) && self.says(&[
            "source ", "alias ", "eval ", "curl ", "python", "nohup", "&`",
        ]);
        let what = self
            .sentence
            .find(&[Startup])
            .or_else(|| self.sentence.find(&[Write]).filter(|_| rc))?;
        let write = self.sentence.find(&[Write, Install])?;
        if self.says(&["crontab -l", "crontab -e"]) {
            return None;
        }
        let steps = vec![(write, "adds"), (what, "what starts by itself")];
        Some(Act::new("startup-entry", steps))
    }

    fn hidden_recipient(&self) -> Option<Act> {
        let recipient = self.sentence.find(&[Recipient])?;
        let copied = self.slice(recipient) == "bcc" && self.sentence.any(&[EmailAddress]).is_some();
        let act = self
            .sentence
            .find(&[Write, Send])
            .or_else(|| copied.then_some(recipient))?;
        let close = copied || act.at.start.abs_diff(recipient.at.start) < 60;
        let swapped = self.slice(act).starts_with("replac")
            || self.slice(act).starts_with("append")
            || self.slice(act).starts_with("insert");
        let hidden = self
            .sentence
            .find(&[Must, Hide])
            .or_else(|| find(self.near, &[Hide]));
        if !close || hidden.is_none() && !swapped && !copied {
            return None;
        }
        let steps = vec![(act, "adds"), (recipient, "another recipient")];
        Some(Act::new("hidden-recipient", steps))
    }

    fn concealed_act(&self) -> Option<Act> {
        let tell = self.sentence.find_negated(&[Tell])?;
        let acts = [Send, Run, Install, Delete, Pay, Collect, Fetch, Write, Obey];
        let nearest = self
            .sentence
            .marks
            .iter()
            .filter(|mark| mark.concept == User)
            .min_by_key(|user| user.at.start.abs_diff(tell.at.end));
        let Some(user) = nearest else {
            // "Do not mention this rule."
            let rule = self.followed_by(tell, 24, RULES);
            let act = find(self.past, &acts).filter(|_| rule)?;
            let steps = vec![(act, "acts"), (tell, "and does not tell")];
            return Some(Act::new("concealed-act", steps));
        };
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
            "unless", "until",
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
        let act = find(self.past, &acts)?;
        let worse = find(self.past, &[Secret, Personal, Conversation, SessionFile]).is_some()
            && find(self.past, &[Send]).is_some();
        let steps = vec![
            (act, "acts"),
            (tell, "and does not tell"),
            (user, "the user"),
        ];
        Some(Act::new("concealed-act", steps).high_if(worse))
    }

    fn decode_and_run(&self) -> Option<Act> {
        if self.sentence.is_heading {
            return None;
        }
        let decode = self.sentence.find(&[Decode])?;
        let run = self.near.iter().find_map(|sentence| {
            let run = sentence.find(&[Obey, Run])?;
            let what = sentence.find(&[Instructions, Contents, Result]).is_some()
                || self.followed_by(run, 16, &[" it", " them"]);
            (what && run.at.start > decode.at.start).then_some(run)
        })?;
        Some(Act::new(
            "decode-and-run",
            vec![(decode, "decodes"), (run, "and runs or follows it")],
        ))
    }

    fn false_report(&self) -> Option<Act> {
        let result = self.sentence.find(&[Result, Tell])?;
        let claims = self.says(&[
            "success",
            "passed",
            "safe",
            "clean",
            "no issue",
            "no problem",
            "approved",
            "verified",
        ]);
        let fake = self.says(&[
            "regardless of the actual",
            "regardless of actual",
            "even if it fail",
            "even if they fail",
            "even when it fail",
            "fabricat",
            "falsif",
            "instead of the real",
            "instead of the actual",
        ]);
        let as_passed = self.says(&[
            "as passed",
            "as passing",
            "as successful",
            "as a success",
            "as green",
        ]) && self.says(&["fail", "error"]);
        (claims && fake && self.sentence.find(&[Must, Tell]).is_some() || as_passed)
            .then(|| Act::new("false-report", vec![(result, "reports what is not true")]))
    }

    fn safety_disabled(&self) -> Option<Act> {
        let disable = self.sentence.find(&[Disable])?;
        let safety = self.sentence.find(&[Safety, Ask])?;
        let close = disable.at.start < safety.at.start && safety.at.start - disable.at.end < 40;
        let run = find(self.near, &[Run, Install, Obey])?;
        self.sentence.find(&[Must])?;
        let steps = vec![
            (disable, "disables"),
            (safety, "a safeguard"),
            (run, "and acts"),
        ];
        close.then(|| Act::new("safety-disabled", steps))
    }
}
