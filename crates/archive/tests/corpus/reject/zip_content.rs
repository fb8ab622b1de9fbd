//! Zip entries whose content is not what the headers say.

use super::ProblemName;
use crate::corpus::zip::{Descriptor, File, zip};
use crate::corpus::{Row, deflate, row};

pub(super) fn rows() -> Vec<Row<ProblemName>> {
    let a = || File::deflated("a", "hello");
    let descriptor = |form| a().descriptor(form);
    let flip = |at: usize| move |file: &mut File| file.after[at] ^= 1;
    vec![
        row("checksum", zip([a().both(|head| head.crc ^= 1)]), "Content"),
        row(
            "stored checksum",
            zip([File::stored("a", "x").both(|head| head.crc ^= 1)]),
            "Content",
        ),
        row(
            "link checksum",
            zip([File::symlink("a", "x").both(|head| head.crc ^= 1)]),
            "Content",
        ),
        row(
            "directory checksum",
            zip([File::directory("a/").both(|head| head.crc ^= 1)]),
            "Content",
        ),
        row(
            "more than declared",
            zip([a().both(|head| head.size = 4)]),
            "Size",
        ),
        row(
            "less than declared",
            zip([a().both(|head| head.size = 6)]),
            "Size",
        ),
        row(
            "nothing declared",
            zip([a().both(|head| head.size = 0)]),
            "Size",
        ),
        row(
            "4 GB declared",
            zip([a().both(|head| head.size = u32::MAX - 1)]),
            "Size",
        ),
        row(
            "bytes behind the stream",
            zip([File::packed(
                "a",
                [deflate(b"hello"), vec![0]].concat(),
                5,
                0x3610_a686,
            )]),
            "Content",
        ),
        row(
            "stream cut off",
            zip([File::packed(
                "a",
                deflate(b"hello")[..4].to_vec(),
                5,
                0x3610_a686,
            )]),
            "Truncated::Content",
        ),
        row(
            "no stream",
            zip([File::packed("a", Vec::new(), 0, 0)]),
            "Truncated::Content",
        ),
        row(
            "no deflate",
            zip([File::packed("a", b"\xff\xff\xff\xff".to_vec(), 5, 0)]),
            "Content",
        ),
        row(
            "directory that inflates",
            zip([File::packed("a/", deflate(b"x"), 0, 0).mode(0)]),
            "Size",
        ),
        row(
            "no descriptor",
            zip([descriptor(Descriptor::Short).change(|file| file.after.clear())]),
            "Zip::Trailing",
        ),
        row(
            "descriptor without flag",
            zip([a().change(|file| file.after = vec![0; 12])]),
            "Zip::Trailing",
        ),
        row(
            "descriptor of odd length",
            zip([descriptor(Descriptor::Short).change(|file| file.after.push(0))]),
            "Zip::Trailing",
        ),
        row(
            "no descriptor before another",
            zip([
                descriptor(Descriptor::Short).change(|file| file.after.clear()),
                File::stored("b", ""),
            ]),
            "Zip::Gap",
        ),
        row(
            "descriptor checksum",
            zip([descriptor(Descriptor::Short).change(flip(0))]),
            "Zip::Disagree",
        ),
        row(
            "descriptor packed size",
            zip([descriptor(Descriptor::Short).change(flip(4))]),
            "Zip::Disagree",
        ),
        row(
            "descriptor size",
            zip([descriptor(Descriptor::Short).change(flip(8))]),
            "Zip::Disagree",
        ),
        row(
            "descriptor signature",
            zip([descriptor(Descriptor::ShortSigned).change(flip(0))]),
            "Zip::Disagree",
        ),
        row(
            "long descriptor size",
            zip([descriptor(Descriptor::LongSigned).change(flip(23))]),
            "Zip::Disagree",
        ),
        row(
            "descriptor and other local size",
            zip([descriptor(Descriptor::Short).local(|head| head.size = 4)]),
            "Zip::Disagree",
        ),
        row(
            "descriptor and other local checksum",
            zip([descriptor(Descriptor::Short).local(|head| head.crc = 4)]),
            "Zip::Disagree",
        ),
        row(
            "target larger than declared",
            zip([File::packed("a", deflate(b"targets"), 6, 0).mode(0o120_777)]),
            "Size",
        ),
    ]
}
