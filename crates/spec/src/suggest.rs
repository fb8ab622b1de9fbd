//! The nearest of the names that exist, for people who mistype.

/// Up to three of `candidates` similar to `text`, nearest first.
pub fn nearest<'c>(text: &str, candidates: impl IntoIterator<Item = &'c str>) -> Vec<&'c str> {
    let text = text.to_lowercase();
    let length = text.chars().count();
    let limit = (length / 3).clamp(1, 3);
    let mut near: Vec<(usize, &str)> = candidates
        .into_iter()
        // Every edit changes the length by at most one; most names are out by that alone.
        .filter(|name| name.chars().count().abs_diff(length) <= limit)
        .map(|name| (strsim::osa_distance(&text, &name.to_lowercase()), name))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    near.sort_unstable();
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

/// All of `candidates`, nearest to `text` first.
pub(crate) fn by_distance<'c>(text: &str, candidates: &[&'c str]) -> Vec<&'c str> {
    let mut all = candidates.to_vec();
    all.sort_by_key(|name| strsim::osa_distance(text, name));
    all
}

/// `did you mean ...?`, when something is near.
pub(crate) fn did_you_mean<'c>(
    text: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<String> {
    let near = nearest(text, candidates);
    let first = near.first()?;
    Some(format!("did you mean `{first}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions_are_sorted_by_distance() {
        let names = ["license", "name", "metadata"];
        assert_eq!(nearest("licence", names), ["license"]);
        assert_eq!(nearest("nmae", names), ["name"]);
        assert!(nearest("whatever", names).is_empty());
    }
}
