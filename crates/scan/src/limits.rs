//! Every bound of a scan, in one place.
//!
//! | constant | bounds |
//! |---|---|
//! | [`FILE_BYTES`] | bytes of one file that is looked into |
//! | [`TOTAL_BYTES`], [`FILES`] | a whole skill |
//! | [`TEXT_BYTES`], [`TEXT_TOTAL`], [`CODE_BYTES`] | texts and programs |
//! | [`WINDOW_BYTES`], [`WINDOW_OVERLAP`] | how much of a long line a pattern sees at once |
//! | [`RULE_FINDINGS`], [`FILE_FINDINGS`] | findings of a rule, and of all rules, in one file |
//! | [`FILE_NOT_READ`] | passages of one file that are listed as not read |
//! | [`EXCERPT_CHARS`], [`MESSAGE_CHARS`] | what a finding shows |
//! | [`PATTERN_BYTES`], [`PATTERN_MEMORY`], [`RULE_ID_BYTES`] | a rule that is added at run time |
//! | [`PAYLOAD_MIN`], [`PAYLOAD_MAX`], [`PAYLOADS`] | encoded text that is decoded |
//! | [`PAYLOAD_DEPTH`] | encodings around each other |
//! | [`PROSE_MARKS`] | acts and objects in the prose of one file |
//! | [`PICTURE_BYTES`], [`PICTURE_PARTS`], [`PICTURE_DEPTH`] | what is inside of archives, notebooks, images and PDFs |
//! | [`STAGE_LINES`], [`COMBINE_LINES`] | how far apart two steps may be to belong together |

/// Largest file that is looked into, in bytes.
pub const FILE_BYTES: usize = 8 * 1024 * 1024;
/// Bytes of all files together; what comes later is not looked into.
pub const TOTAL_BYTES: usize = 32 * 1024 * 1024;
/// Largest text that is looked into, in bytes; pictures and other binary files may be larger.
pub const TEXT_BYTES: usize = 4 * 1024 * 1024;
/// Bytes of all texts together, with those that were unpacked.
pub const TEXT_TOTAL: usize = 16 * 1024 * 1024;
/// Largest program that is parsed, in bytes.
pub const CODE_BYTES: usize = 512 * 1024;
/// Most files; what comes later is not looked into.
pub const FILES: usize = 10_000;
/// Bytes of a long line that a pattern sees at once, besides the overlap on both sides.
pub const WINDOW_BYTES: usize = 4096;
/// Bytes on either side of a window that the neighbouring windows see too.
pub const WINDOW_OVERLAP: usize = 1024;
/// Findings of one rule in one file; the others are counted.
pub const RULE_FINDINGS: usize = 20;
/// Findings in one file; the others are counted.
pub const FILE_FINDINGS: usize = 200;
/// Passages of one file that are listed as not read.
pub const FILE_NOT_READ: usize = 20;
/// Characters of the text that a finding shows.
pub const EXCERPT_CHARS: usize = 160;
/// Characters of a message or a help text of a skill.
pub const MESSAGE_CHARS: usize = 1000;
/// Bytes of a pattern that is added at run time.
pub const PATTERN_BYTES: usize = 4096;
/// Bytes of memory that the program of such a pattern may take.
pub const PATTERN_MEMORY: usize = 1024 * 1024;
/// Bytes of a rule's name.
pub const RULE_ID_BYTES: usize = 100;
/// Fewest characters of encoded text that is worth decoding.
pub const PAYLOAD_MIN: usize = 24;
/// Most characters of encoded text that is decoded.
pub const PAYLOAD_MAX: usize = 1024 * 1024;
/// Pieces of encoded text that are decoded in one file.
pub const PAYLOADS: usize = 2000;
/// Acts and objects in the prose of one file.
pub const PROSE_MARKS: usize = 50_000;
/// Bytes that are unpacked from the files of one skill.
pub const PICTURE_BYTES: usize = 16 * 1024 * 1024;
/// Parts of files of one skill.
pub const PICTURE_PARTS: usize = 2000;
/// Archives inside of each other that are opened.
pub const PICTURE_DEPTH: usize = 4;
/// Encodings around each other that are undone.
pub const PAYLOAD_DEPTH: usize = 4;
/// Lines between a download and the start of what was downloaded.
pub const STAGE_LINES: usize = 200;
/// Lines between the reading of a secret and the sending.
pub const COMBINE_LINES: usize = 15;
