//! What no two runs have in common, replaced by what is always the same, or left out: the chat's id, and how long things
//! took.

/// Stands for the id of any chat.
const CHAT: &str = "7r2k9m4x8p3v";
/// What comes before an id.
const BEFORE_CHAT: &str = "--resume ";

/// `text` as it would be in any other run. Times are left out, as the program does where they are next to nothing: the
/// demo does not think.
pub(super) fn fixed(text: &str) -> String {
    chats(&without(&without(text, "", " ms, "), ", ", " s"))
}

/// `text` without numbers between `before` and `after`.
fn without(text: &str, before: &str, after: &str) -> String {
    let mut done = String::new();
    let mut rest = text;
    while let Some((start, end)) = rest.split_once(after) {
        let head = start.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let is_time = head.len() < start.len()
            && (after.ends_with(' ') || !end.starts_with(char::is_alphanumeric));
        match head.strip_suffix(before).filter(|_| is_time) {
            Some(head) => done.push_str(head),
            None => done.extend([start, after]),
        }
        rest = end;
    }
    done + rest
}

fn chats(text: &str) -> String {
    let mut done = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(BEFORE_CHAT) {
        done.push_str(before);
        done.push_str(BEFORE_CHAT);
        rest = after.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
        if rest.len() < after.len() {
            done.push_str(CHAT);
        }
    }
    done + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_chats() {
        let check = |text, expected: &str| assert_eq!(fixed(text), expected);
        check("", "");
        check("load 12 ms, 571 bytes", "load 571 bytes");
        check(
            "\u{1b}[2m478 out, 10.7 s\u{1b}[0m",
            "\u{1b}[2m478 out\u{1b}[0m",
        );
        check(
            "4 skills, 3 msgs, that is 5 so",
            "4 skills, 3 msgs, that is 5 so",
        );
        check(
            "`prowess chat --resume 42s8ez6aarj2` goes on",
            "`prowess chat --resume 7r2k9m4x8p3v` goes on",
        );
        check("--resume ", "--resume ");
    }
}
