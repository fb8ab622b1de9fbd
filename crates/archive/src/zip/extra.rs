//! The extra fields of a header.

use crate::fields::Fields;
use crate::problem::ZipProblem;
use crate::shown::Shown;

const ZIP64: u16 = 0x0001;
const UNICODE_PATH: u16 = 0x7075;

/// Fields that change neither the name, nor the kind, nor the content of an entry: times, owners, a comment,
/// and the padding and marks of Java, Android and Office. Others may mean something to some reader.
const HARMLESS: [u16; 9] = [
    0x000a, 0x5455, 0x5855, 0x6375, 0x7855, 0x7875, 0xa220, 0xcafe, 0xd935,
];

/// The sizes that a zip64 field holds.
pub(super) struct Large {
    pub(super) size: u64,
    pub(super) packed: u64,
}

/// Reads the fields of an entry that is called so. A zip64 field is an error unless it has both sizes.
pub(super) fn read(extra: &[u8], name: &[u8]) -> Result<Option<Large>, ZipProblem> {
    let mut fields = Fields(extra);
    let mut large = None;
    while !fields.is_empty() {
        let id = fields.u16().unwrap_or_default();
        let refuse = || ZipProblem::Extra {
            name: Shown::new(name),
            id,
        };
        let length = fields.u16().ok_or_else(refuse)?;
        let data = fields.bytes(length.into()).ok_or_else(refuse)?;
        match id {
            ZIP64 if large.is_none() => large = Some(sizes(data).ok_or_else(refuse)?),
            UNICODE_PATH if same_name(data, name) => {}
            _ if HARMLESS.contains(&id) => {}
            _ => return Err(refuse()),
        }
    }
    Ok(large)
}

fn sizes(data: &[u8]) -> Option<Large> {
    let mut fields = Fields(data);
    let large = Large {
        size: fields.u64()?,
        packed: fields.u64()?,
    };
    fields.is_empty().then_some(large)
}

/// A name in Unicode is let through when it is the name.
fn same_name(data: &[u8], name: &[u8]) -> bool {
    let mut fields = Fields(data);
    let version = fields.bytes(1);
    let sum = fields.u32();
    version == Some(&[1]) && sum == Some(crc32fast::hash(name)) && fields.0 == name
}
