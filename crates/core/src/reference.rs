//! `/id text`: a skill that a person names.

use crate::id::SkillId;

/// A message that begins with a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference<'m> {
    /// The id that was named; it need not exist.
    pub id: SkillId,
    /// The text after it.
    pub rest: &'m str,
}

/// The reference at the start of `message`, if any.
///
/// ```
/// use prowess_core::reference;
///
/// let found = reference("/extraction/email hello").unwrap();
/// assert_eq!((found.id.as_str(), found.rest), ("extraction/email", "hello"));
/// assert_eq!(reference("hello /extraction/email"), None);
/// ```
pub fn reference(message: &str) -> Option<Reference<'_>> {
    let text = message.strip_prefix('/')?;
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (token, rest) = text.split_at_checked(end)?;
    Some(Reference {
        id: token.parse().ok()?,
        rest: rest.trim_start(),
    })
}
