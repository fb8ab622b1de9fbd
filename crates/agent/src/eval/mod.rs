//! Whether a skill is worth having: prompts with and without it, and whether a model finds it by itself.
//!
//! A skill can contain two files, both optional.
//!
//! `evals/evals.json` holds prompts and what their answers must be like:
//!
//! ```json
//! {
//!   "skill_name": "haiku",
//!   "evals": [
//!     {
//!       "id": 1,
//!       "prompt": "Write a haiku about rain.",
//!       "expected_output": "Three lines of five, seven and five syllables.",
//!       "files": ["evals/files/words.txt"],
//!       "expectations": [
//!         "The answer has exactly three lines",
//!         {"contains": "rain"},
//!         {"not_contains": "sorry"},
//!         {"regex": "(?m)^.+$"},
//!         {"json_path": "$.lines[0].syllables", "equals": 5},
//!         {"script": "evals/check.sh"},
//!         {"judge": "It is about rain"}
//!       ]
//!     }
//!   ]
//! }
//! ```
//!
//! | field | meaning |
//! |---|---|
//! | `id` | a number or a text, each once; its position if absent |
//! | `prompt` | what the user says |
//! | `expected_output` | what a good answer is, in words: for the judge, and by itself if nothing else is expected |
//! | `files` | text files of the skill that go along with the prompt, in whole |
//! | `expectations`, or `assertions` | what must hold; a text is for the judge, an object for a grader |
//!
//! The graders: `contains` and `not_contains` (a text, case-insensitive), `regex`, `json_path` (`$.a[0].b` or `/a/0/b`
//! in the JSON of the answer, which must exist, or equal `equals`), `script` (a file of the skill that gets the answer
//! as its argument and exits with 0 if it is good), `judge` (another model decides).
//!
//! `evals/triggers.json` holds messages and whether the skill should be used for them; a list, or an object with the list
//! under `triggers`:
//!
//! ```json
//! [
//!   {"query": "five seven five please", "should_trigger": true},
//!   {"query": "what is the time", "should_trigger": false}
//! ]
//! ```
//!
//! An eval with the skill names it in the turn, so that instructions are measured and not luck; a trigger eval never does.
//! A skill with code is used, too, when the words of a message activate it.

mod benchmark;
mod cost;
mod error;
mod figure;
mod grade;
mod html;
mod judge;
mod parse;
mod path;
mod read;
mod run;
mod silence;
mod suite;
mod summary;
mod used;

pub use benchmark::{
    Benchmark, Configuration, Delta, Graded, Run, Spread, Spreads, Summary, TriggerRun,
    TriggerSummary,
};
pub use error::SuiteError;
pub use figure::Figure;
pub use grade::Graders;
pub use html::{GENERATOR, html};
pub use path::JsonPath;
pub use run::{Contest, Progress, run};
pub use suite::{Attachment, Eval, Expectation, Pattern, Suite, Trigger};
