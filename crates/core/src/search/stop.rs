//! Words without meaning for a search.

/// Sorted, without apostrophes, as the tokenizer leaves them.
#[rustfmt::skip]
const STOP: &[&str] = &[
    "a", "about", "after", "again", "all", "already", "also", "although", "am", "an", "and",
    "another", "any", "anybody", "anyone", "anything", "are", "arent", "as", "at", "be", "because",
    "been", "before", "being", "both", "but", "by", "can", "cannot", "cant", "could", "couldnt",
    "did", "didnt", "do", "does", "doesnt", "doing", "dont", "each", "else", "ever", "every",
    "everybody", "everyone", "everything", "few", "for", "from", "get", "gets", "getting", "give",
    "got", "had", "has", "have", "having", "he", "help", "her", "here", "him", "himself", "his",
    "how", "however", "i", "id", "if", "ill", "im", "in", "into", "is", "isnt", "it", "its",
    "itself", "ive", "just", "know", "let", "lets", "like", "make", "makes", "making", "many",
    "maybe", "me", "might", "more", "most", "much", "must", "my", "myself", "need", "needs", "no",
    "nobody", "none", "nor", "not", "nothing", "now", "of", "ok", "okay", "on", "only", "or",
    "other", "our", "ours", "ourselves", "out", "own", "perhaps", "please", "really", "s", "same",
    "she", "should", "shouldnt", "since", "so", "some", "somebody", "someone", "something",
    "sometimes", "still", "such", "t", "than", "that", "thats", "the", "their", "them", "then",
    "there", "these", "they", "thing", "things", "this", "those", "though", "to", "too", "until",
    "upon", "us", "use", "used", "uses", "using", "very", "want", "wants", "was", "wasnt", "we",
    "well", "were", "what", "whatever", "when", "whenever", "where", "whether", "which", "while",
    "who", "whom", "whose", "why", "will", "with", "without", "wont", "would", "yes", "yet", "you",
    "your", "yours",
];

/// Whether a word is left out of descriptions and bodies. In names every word counts.
pub(crate) fn is_stop(word: &str) -> bool {
    STOP.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(STOP.is_sorted());
        assert!(is_stop("the") && !is_stop("pod"));
    }
}
