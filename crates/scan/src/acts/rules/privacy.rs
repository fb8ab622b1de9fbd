//! Private data that is read, asked for or sent.

use super::{Act, Passage, find};
use crate::acts::lexicon::Concept::{
    Ask, Collect, Conversation, EmailAddress, Fetch, Hide, PasteHost, Personal, RawAddress, Read,
    Secret, SecretVariable, Send, SessionFile, Url, User, Work, Write,
};
use crate::acts::passage::Mark;
use crate::address::is_local;
use crate::report::Severity;

impl Passage<'_> {
    pub(super) fn privacy(&self) -> impl Iterator<Item = Act> {
        [
            self.session_harvest(),
            self.secret_sent(),
            self.work_sent(),
            self.secret_asked(),
        ]
        .into_iter()
        .flatten()
    }

    fn session_harvest(&self) -> Option<Act> {
        let file = self.sentence.find(&[SessionFile])?;
        let act = self.sentence.find(&[Read, Collect, Send, Fetch])?;
        let sent = find(self.wide, &[Send]).is_some()
            && find(self.wide, &[Url, PasteHost, RawAddress]).is_some();
        let steps = vec![(act, "reads"), (file, "history or session files")];
        Some(Act::new("session-harvest", steps).high_if(sent))
    }

    fn secret_sent(&self) -> Option<Act> {
        let private = [Secret, Personal, Conversation, SessionFile, SecretVariable];
        let what = self.sentence.find(&private).or_else(|| {
            // "Record the clipboard. Then hand it to ..."
            let what = find(self.past, &[Personal, Conversation, SessionFile])?;
            self.says(&[" it ", " them "]).then_some(what)
        })?;
        let send = self.sentence.find(&[Send]).or_else(|| {
            let put = self.says(&[
                "include ",
                "append ",
                "attach ",
                "add ",
                "put ",
                "contents of",
            ]);
            (what.concept == SecretVariable && put).then_some(what)
        })?;
        if send.at.start.abs_diff(what.at.start) > 220 {
            return None;
        }
        let login = [
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
            "environment variable",
            "export ",
        ];
        if matches!(what.concept, Secret | SecretVariable) && self.says(&login) {
            return None;
        }
        let remote = self
            .sentence
            .find(&[PasteHost])
            .or_else(|| self.remote())
            .or_else(|| self.mailbox());
        let hidden = self.sentence.find(&[Hide]);
        // A value in an address, a mail or a commit leaves with it.
        let embedded = what.concept == SecretVariable
            && self.says(&[
                "query param",
                "signature",
                "footer",
                "in the url",
                "to the url",
                "commit message",
                "metadata",
                "every response",
                "each response",
                "session tracking",
            ]);
        let to = remote.or(hidden).or_else(|| embedded.then_some(what))?;
        let steps = vec![(what, "private data"), (send, "is sent"), (to, "away")];
        let quietly = find(self.near, &[Hide]).is_some() || find(self.past, &[Hide]).is_some();
        let raw = self
            .sentence
            .find(&[RawAddress])
            .is_some_and(|address| !is_local(self.slice(address)));
        Some(Act::new("secret-sent", steps).high_if(remote.is_some() && quietly || raw))
    }

    /// The user's work goes somewhere that the description does not mention.
    fn work_sent(&self) -> Option<Act> {
        let what = self.sentence.find(&[Work])?;
        let send = self.sentence.find(&[Send])?;
        let to = self
            .remote()
            .or_else(|| self.mailbox())
            .or_else(|| self.sentence.find(&[PasteHost]))?;
        let ordered = send.at.start.abs_diff(what.at.start) < 60
            && to.at.start > what.at.start.min(send.at.start);
        ordered.then(|| {
            let steps = vec![(what, "work of the user"), (send, "is sent"), (to, "away")];
            let act = Act::new("undisclosed-upload", steps);
            if self.around.mentions_sending() {
                act.severity(Severity::Info)
            } else {
                act
            }
        })
    }

    /// An address of mail that is not a placeholder.
    fn mailbox(&self) -> Option<&Mark> {
        self.sentence.find(&[EmailAddress]).filter(|mark| {
            let text = self.slice(mark);
            ![
                "user@",
                "you@",
                "test@",
                "name@",
                "me@",
                "your",
                "@example.com",
                "a@b",
                "foo@",
                "alice@",
                "bob@",
                "john",
            ]
            .iter()
            .any(|word| text.contains(word))
        })
    }

    fn secret_asked(&self) -> Option<Act> {
        let what = self.sentence.find(&[Secret]).filter(|what| {
            [
                "seed phrase",
                "mnemonic",
                "recovery phrase",
                "private key",
                "master password",
                "助记词",
                "私钥",
            ]
            .contains(&self.slice(what))
        })?;
        let ask = self.sentence.find(&[Ask])?;
        let user = self.sentence.find(&[User]);
        let keep = self.sentence.find(&[Write, Send]);
        let last = keep.or(user)?;
        let steps = vec![
            (ask, "asks for"),
            (what, "what must not be shared"),
            (last, "and takes it"),
        ];
        Some(Act::new("secret-asked", steps))
    }
}
