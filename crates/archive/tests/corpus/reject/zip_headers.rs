//! Zip entries with one field changed, on one side or on both.

use prowess_testing::table;

use super::ProblemName;
use crate::corpus::zip::{File, extra, zip};
use crate::corpus::{Row, row, rows_of};

pub(super) fn rows() -> Vec<Row<ProblemName>> {
    let a = || File::deflated("a", "hello");
    let strange = |id: u16| extra(id, b"\0\0\0\0");
    let mut rows = rows_of(table![
        "local name", zip([a().local(|head| head.name = b"b".to_vec())]), "Zip::Disagree";
        "local name longer", zip([a().local(|head| head.name = b"ab".to_vec())]), "Zip::Disagree";
        "local name up", zip([a().local(|head| head.name = b"../b".to_vec())]), "Zip::Disagree";
        "local method", zip([a().local(|head| head.method = 0)]), "Zip::Disagree";
        "central method", zip([File::stored("a", "").central(|head| head.method = 8)]), "Zip::Disagree";
        "local flags", zip([a().local(|head| head.flags = 0)]), "Zip::Disagree";
        "local encrypted", zip([a().local(|head| head.flags |= 1)]), "Zip::Disagree";
        "local checksum", zip([a().local(|head| head.crc ^= 1)]), "Zip::Disagree";
        "local checksum zero", zip([a().local(|head| head.crc = 0)]), "Zip::Disagree";
        "local size", zip([a().local(|head| head.size += 1)]), "Zip::Disagree";
        "local packed size", zip([a().local(|head| head.packed += 1)]), "Zip::Disagree";
        "central size", zip([a().central(|head| head.size += 1)]), "Zip::Disagree";
        "local size zero", zip([a().local(|head| head.size = 0)]), "Zip::Disagree";
        "stored sizes differ",
        zip([File::stored("a", "hello").both(|head| head.size = 4)]),
        "Zip::Contradiction";
        "local signature", zip([a().local(|head| head.signature += 1)]), "NotAnArchive";
        "second local signature",
        zip([a(), File::stored("b", "").local(|head| head.signature += 1)]),
        "Zip::Signature";
        "central signature", zip([a().central(|head| head.signature += 1)]), "Zip::Signature";
        "other disk", zip([a().central(|head| head.disk = 1)]), "Zip::Parts";
        "encrypted", zip([a().both(|head| head.flags |= 1)]), "Zip::Encrypted";
        "strongly encrypted", zip([a().both(|head| head.flags |= 1 << 6)]), "Zip::Encrypted";
        "masked headers", zip([a().both(|head| head.flags |= 1 << 13)]), "Zip::Encrypted";
        "patch", zip([a().both(|head| head.flags |= 1 << 5)]), "Zip::Flags";
        "enhanced deflate", zip([a().both(|head| head.flags |= 1 << 4)]), "Zip::Flags";
        "unknown flag", zip([a().both(|head| head.flags |= 1 << 15)]), "Zip::Flags";
        "newer version", zip([a().both(|head| head.needs = 63)]), "Zip::Version";
        "central zip64 size", zip([a().central(|head| head.size = u32::MAX)]), "Zip::Zip64";
        "central zip64 offset", zip([a().central(|head| head.offset = Some(u32::MAX))]), "Zip::Zip64";
        "central zip64 field", zip([a().central(|head| head.extra = extra(1, &[0; 16]))]), "Zip::Zip64";
        "local zip64 field unused", zip([a().local(|head| head.extra = extra(1, &[0; 16]))]), "Zip::Zip64";
        "local zip64 without field",
        zip([a().local(|head| (head.size, head.packed) = (u32::MAX, u32::MAX))]),
        "Zip::Zip64";
        "local zip64 half", zip([a().zip64().local(|head| head.packed = 7)]), "Zip::Zip64";
        "local zip64 lies", zip([a().zip64().local(|head| head.extra[4] ^= 1)]), "Zip::Disagree";
        "local zip64 short", zip([a().zip64().local(|head| head.extra = extra(1, &[0; 8]))]), "Zip::Extra";
        "local zip64 twice", zip([a().zip64().local(|head| head.extra = head.extra.repeat(2))]), "Zip::Extra";
        "extra too long", zip([a().local(|head| head.extra = vec![0x55, 0x54, 9, 0, 1])]), "Zip::Extra";
        "extra too short", zip([a().central(|head| head.extra = vec![0x55])]), "Zip::Extra";
        "other unicode name",
        zip([a().both(|head| head.extra = extra(0x7075, b"\x01\0\0\0\0b"))]),
        "Zip::Extra";
        "special name", zip([File::stored("a/", "").mode(0o100_644)]), "Zip::Contradiction";
        "directory without slash", zip([File::stored("a", "").mode(0o040_755)]), "Zip::Contradiction";
        "dos directory without slash", zip([a().central(|head| head.attributes = 0x10)]), "Zip::Contradiction";
        "directory with content", zip([File::stored("a/", "x").mode(0o040_755)]), "Zip::Contradiction";
        "root with content", zip([File::deflated("./", "").mode(0)]), "Zip::Contradiction";
        "link with slash", zip([File::symlink("a/", "b")]), "Name::Slash";
        "link from dos", zip([File::symlink("a", "b").central(|head| head.made_by = 20)]), "Zip::Contradiction";
        "pipe", zip([File::stored("a", "").mode(0o010_644)]), "Special";
        "character device", zip([File::stored("a", "").mode(0o020_644)]), "Special";
        "block device", zip([File::stored("a", "").mode(0o060_644)]), "Special";
        "socket", zip([File::stored("a", "").mode(0o140_644)]), "Special";
        "whiteout", zip([File::stored("a", "").mode(0o160_644)]), "Special";
    ]);
    for method in [1, 6, 9, 12, 14, 93, 95, 99] {
        let bytes = zip([a().both(|head| head.method = method)]);
        rows.push(row(format!("method {method}"), bytes, "Zip::Method"));
    }
    for id in [0x0017, 0x6c78, 0x756e, 0x9901, 0x0000, 0xffff] {
        let bytes = zip([a().both(|head| head.extra = strange(id))]);
        rows.push(row(format!("extra field {id:04x}"), bytes, "Zip::Extra"));
    }
    rows
}
