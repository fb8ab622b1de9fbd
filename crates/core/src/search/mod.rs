//! Ranked search over skills: finds those that help with a task.
//!
//! Words of the name, the description, the keywords and the body are scored together (BM25 over fields), so a skill is
//! found by its text as well as its name. The index reads no files: the caller provides texts, asks
//! [`SearchIndex::stale`] which ones to read, and caches the bytes.
//!
//! ```
//! use prowess_core::{IndexedSkill, SearchIndex};
//!
//! let skill = |id, description, body| IndexedSkill {
//!     id,
//!     description,
//!     keywords: Vec::new(),
//!     body: Some(body),
//!     stamp: 1,
//!     ..IndexedSkill::default()
//! };
//! let (index, report) = SearchIndex::empty().update([
//!     skill("docs/pdf-forms", "Fills in PDF forms.", "Flatten the result with qpdf."),
//!     skill("docs/pdf-merge", "Joins PDF files.", "Keeps the bookmarks."),
//! ]);
//! assert_eq!(report.added, 2);
//!
//! let first = |query| index.search(query, 10).first().map(|hit| hit.id);
//! assert_eq!(first("keep my bookmarks"), Some("docs/pdf-merge"));
//! assert_eq!(first("pdf fomrs"), Some("docs/pdf-forms"));
//! assert_eq!(first("qp"), None);
//! ```

mod builder;
mod codec;
mod expand;
mod features;
mod finish;
mod fuse;
mod index;
mod lexicon;
mod lists;
mod pages;
mod pool;
mod postings;
mod ranker;
mod score;
#[expect(clippy::module_inception, reason = "it is what the module is about")]
mod search;
mod segment;
mod sketch;
mod stop;
mod tokenize;
mod typo;
mod update;
mod when;
mod words;

pub(crate) use stop::is_stop;

pub use builder::IndexBuilder;
pub use codec::checksum;
pub use expand::query_stems;
pub use fuse::{FoundSkill, SearchRequest, SignalRanking};
pub use index::{Hit, IndexedSkill, SearchIndex, UpdateReport};
pub use lists::IndexFile;
pub use search::{ExplainedHit, FeatureValue};
