//! Zip entries whose content is not what the headers say.

use prowess_testing::table;

use super::ProblemName;
use crate::corpus::zip::{Descriptor, File, zip};
use crate::corpus::{Row, deflate, rows_of};

pub(super) fn rows() -> Vec<Row<ProblemName>> {
    let a = || File::deflated("a", "hello");
    let descriptor = |form| a().descriptor(form);
    let flip = |at: usize| move |file: &mut File| file.after[at] ^= 1;
    rows_of(table![
        "checksum", zip([a().both(|head| head.crc ^= 1)]), "Content";
        "stored checksum", zip([File::stored("a", "x").both(|head| head.crc ^= 1)]), "Content";
        "link checksum", zip([File::symlink("a", "x").both(|head| head.crc ^= 1)]), "Content";
        "directory checksum", zip([File::directory("a/").both(|head| head.crc ^= 1)]), "Content";
        "more than declared", zip([a().both(|head| head.size = 4)]), "Size";
        "less than declared", zip([a().both(|head| head.size = 6)]), "Size";
        "nothing declared", zip([a().both(|head| head.size = 0)]), "Size";
        "4 GB declared", zip([a().both(|head| head.size = u32::MAX - 1)]), "Size";
        "bytes behind the stream",
        zip([File::packed("a", [deflate(b"hello"), vec![0]].concat(), 5, 0x3610_a686)]),
        "Content";
        "stream cut off",
        zip([File::packed("a", deflate(b"hello")[..4].to_vec(), 5, 0x3610_a686)]),
        "Truncated::Content";
        "no stream", zip([File::packed("a", Vec::new(), 0, 0)]), "Truncated::Content";
        "no deflate", zip([File::packed("a", b"\xff\xff\xff\xff".to_vec(), 5, 0)]), "Content";
        "directory that inflates", zip([File::packed("a/", deflate(b"x"), 0, 0).mode(0)]), "Size";
        "no descriptor",
        zip([descriptor(Descriptor::Short).change(|file| file.after.clear())]),
        "Zip::Trailing";
        "descriptor without flag", zip([a().change(|file| file.after = vec![0; 12])]), "Zip::Trailing";
        "descriptor of odd length",
        zip([descriptor(Descriptor::Short).change(|file| file.after.push(0))]),
        "Zip::Trailing";
        "no descriptor before another",
        zip([descriptor(Descriptor::Short).change(|file| file.after.clear()), File::stored("b", "")]),
        "Zip::Gap";
        "descriptor checksum", zip([descriptor(Descriptor::Short).change(flip(0))]), "Zip::Disagree";
        "descriptor packed size", zip([descriptor(Descriptor::Short).change(flip(4))]), "Zip::Disagree";
        "descriptor size", zip([descriptor(Descriptor::Short).change(flip(8))]), "Zip::Disagree";
        "descriptor signature", zip([descriptor(Descriptor::ShortSigned).change(flip(0))]), "Zip::Disagree";
        "long descriptor size", zip([descriptor(Descriptor::LongSigned).change(flip(23))]), "Zip::Disagree";
        "descriptor and other local size",
        zip([descriptor(Descriptor::Short).local(|head| head.size = 4)]),
        "Zip::Disagree";
        "descriptor and other local checksum",
        zip([descriptor(Descriptor::Short).local(|head| head.crc = 4)]),
        "Zip::Disagree";
        "target larger than declared",
        zip([File::packed("a", deflate(b"targets"), 6, 0).mode(0o120_777)]),
        "Size";
    ])
}
