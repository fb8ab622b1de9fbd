//! What no two runs have in common, replaced by what is always the same: the chat's id, and how long things took.

/// Stands for the id of any chat.
const CHAT: &str = "7r2k9m4x8p3v";
/// What comes before an id.
const BEFORE_CHAT: &str = "--resume ";
/// Units, and what stands for any time in them. The demo does not think: these are what it takes, rounded.
const TIMES: [(&str, &str); 2] = [(" ms", "0"), (" s", "0.0")];

/// `text` as it would be in any other run.
pub(super) fn fixed(text: &str) -> String {
    let text = TIMES.iter().fold(text.to_owned(), |text, (unit, time)| {
        times(&text, unit, time)
    });
    chats(&text)
}

fn times(text: &str, unit: &str, time: &str) -> String {
    let mut done = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(unit) {
        let number = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let is_time = number.len() < before.len() && !after.starts_with(char::is_alphanumeric);
        if is_time {
            done.push_str(number);
            done.push_str(time);
        } else {
            done.push_str(before);
        }
        done.push_str(unit);
        rest = after;
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
        check("12 ms, 571 bytes", "0 ms, 571 bytes");
        check(
            "\u{1b}[2m478 out, 10.7 s\u{1b}[0m",
            "\u{1b}[2m478 out, 0.0 s\u{1b}[0m",
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
