//! What the generated skills are made of: each list goes from the usual to the strange.

mod descriptions;
mod fields;
mod frames;
mod names;

pub(crate) use descriptions::{odd_descriptions, valid_descriptions};
pub(crate) use fields::{odd_fields, valid_fields};
pub(crate) use frames::{BODIES, FRAMES};
pub(crate) use names::{LETTER_RANGES, NAME_LINES, odd_names, valid_names};

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}
