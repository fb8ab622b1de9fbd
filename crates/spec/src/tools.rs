//! The tokens of `allowed-tools`.

use crate::value::{Node, Value};

/// The tokens, and whether they have the standard format: text, separated by spaces.
pub(crate) struct AllowedTools {
    pub(crate) tokens: Vec<String>,
    pub(crate) standard: bool,
}

pub(crate) fn allowed_tools(node: &Node) -> Option<AllowedTools> {
    let mut standard = true;
    let mut tokens = Vec::new();
    let mut add = |token: &str| {
        let token = token.trim();
        if token.is_empty() {
            return;
        }
        if tokens.iter().any(|known| known == token) {
            standard = false;
        } else {
            tokens.push(token.to_owned());
        }
    };
    match &node.value {
        Value::Mapping(_) => return None,
        Value::Scalar(scalar) => {
            let commas = split(&scalar.text, |c| c == ',');
            let comma_list = commas.len() > 1;
            for part in commas {
                split(part, char::is_whitespace)
                    .into_iter()
                    .for_each(&mut add);
            }
            standard &= !comma_list;
        }
        Value::Sequence(items) => {
            for item in items {
                match &item.value {
                    Value::Scalar(scalar) => add(&scalar.text),
                    Value::Sequence(_) | Value::Mapping(_) => return None,
                }
            }
            standard = false;
        }
    }
    Some(AllowedTools { tokens, standard })
}

/// Splits outside parentheses: `Bash(git add:*)` is one token.
fn split(text: &str, separator: impl Fn(char) -> bool) -> Vec<&str> {
    let mut depth = 0_usize;
    text.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && separator(c)
    })
    .collect()
}
