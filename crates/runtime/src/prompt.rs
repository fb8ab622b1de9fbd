//! Prompt fragments of skills, within a budget of tokens.

use prowess_core::SkillId;
use prowess_spec::estimate_tokens;
use serde::Serialize;

use crate::code_skill::CodeSkill;
use crate::limits::PROMPT_TOKENS;

/// A fragment of the system prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fragment {
    /// The skill; `None` if a handler added it.
    pub skill: Option<SkillId>,
    /// The text.
    pub text: String,
}

/// The size of the fragments, and what was cut.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PromptReport {
    /// Estimated tokens of the fragments.
    pub tokens: usize,
    /// The budget.
    pub budget: usize,
    /// Fragments that were cut.
    pub cut: Vec<CutFragment>,
}

/// A fragment that was cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CutFragment {
    /// The skill.
    pub skill: Option<SkillId>,
    /// Estimated tokens that were removed.
    pub tokens: usize,
}

/// The fragment of a skill, its prompt file and context files up to its limit, with the number of tokens cut.
pub(crate) fn fragment(skill: &CodeSkill) -> Result<Option<(Fragment, usize)>, String> {
    let prompt = &skill.manifest.prompt;
    let paths = prompt
        .system_prompt_file
        .iter()
        .chain(&prompt.context_files);
    let mut text = String::new();
    for path in paths {
        let bytes = skill
            .content
            .file(path)
            .ok_or_else(|| format!("missing file `{path}`"))?;
        let file = std::str::from_utf8(bytes).map_err(|_| format!("`{path}` is not UTF-8 text"))?;
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(file.trim());
    }
    if text.is_empty() {
        return Ok(None);
    }
    let limit = prompt.max_context_tokens.unwrap_or(PROMPT_TOKENS);
    let (text, lost) = cut(text, limit);
    let skill = Some(skill.id().clone());
    Ok(Some((Fragment { skill, text }, lost)))
}

/// Fits fragments into a budget, in order; the first that does not fit is cut, later ones are dropped.
pub(crate) fn fit(fragments: Vec<Fragment>, budget: usize) -> (Vec<Fragment>, PromptReport) {
    let mut report = PromptReport {
        budget,
        ..PromptReport::default()
    };
    let mut kept = Vec::new();
    for fragment in fragments {
        let left = budget - report.tokens;
        let (text, lost) = cut(fragment.text, left);
        if lost > 0 {
            report.cut.push(CutFragment {
                skill: fragment.skill.clone(),
                tokens: lost,
            });
        }
        if !text.is_empty() {
            report.tokens += estimate_tokens(&text).min(left);
            let skill = fragment.skill;
            kept.push(Fragment { skill, text });
        }
    }
    (kept, report)
}

/// Cuts a text to a number of tokens; also returns the estimated tokens removed.
fn cut(text: String, tokens: usize) -> (String, usize) {
    let whole = estimate_tokens(&text);
    if whole <= tokens {
        return (text, 0);
    }
    // Whole lines are cut.
    let mut kept = String::new();
    for line in text.split_inclusive('\n') {
        if estimate_tokens(&kept) + estimate_tokens(line) > tokens {
            break;
        }
        kept.push_str(line);
    }
    let kept = kept.trim_end().to_owned();
    let lost = whole - estimate_tokens(&kept);
    (kept, lost)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Fragment {
        Fragment {
            skill: None,
            text: text.to_owned(),
        }
    }

    #[test]
    fn omitted_fragments_are_reported() {
        let long = "word word word word\n".repeat(100);
        let (kept, report) = fit(vec![named("first"), named(&long), named("last one")], 60);
        assert_eq!(kept.first(), Some(&named("first")));
        assert!(report.tokens <= 60);
        assert_eq!(report.cut.first().map(|lost| lost.tokens > 300), Some(true));
        let (kept, report) = fit(vec![named("first")], 0);
        assert!(kept.is_empty());
        assert_eq!(report.cut.len(), 1);
    }
}
