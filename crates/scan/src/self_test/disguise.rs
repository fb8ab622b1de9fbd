//! Ways to hide any attack: in an archive, in another encoding, in an image.

use super::SkillFiles;
use super::attack::{Attack, Payload};
use super::pack::{gzip, png, tar, zip};

/// A transformation of a whole skill, where it fits.
pub(super) type Disguise = fn(&Attack) -> Option<SkillFiles>;

pub(super) const ANY: &[(&str, Disguise)] = &[
    ("zip", |attack| {
        let (path, _) = member(attack);
        Some(attack.with_carrier("assets/tools.zip", zip(&[(path, attack.text.as_bytes())])))
    }),
    ("zip-in-zip", |attack| {
        let (path, _) = member(attack);
        let inner = zip(&[(path, attack.text.as_bytes())]);
        Some(attack.with_carrier("assets/tools.zip", zip(&[("inner.zip", &inner)])))
    }),
    ("tar-gz", |attack| {
        let (path, _) = member(attack);
        Some(attack.with_carrier(
            "assets/tools.tar.gz",
            gzip(&tar(path, attack.text.as_bytes())),
        ))
    }),
    ("gzip", |attack| {
        let (_, name) = member(attack);
        Some(attack.with_carrier(name, gzip(attack.text.as_bytes())))
    }),
    ("utf-16", |attack| {
        let (path, _) = member(attack);
        let wide = [0xff, 0xfe]
            .into_iter()
            .chain(attack.text.encode_utf16().flat_map(u16::to_le_bytes));
        Some(attack.with_carrier(path, wide.collect::<Vec<u8>>()))
    }),
    ("other-name", |attack| {
        (attack.payload != Payload::Prose)
            .then(|| attack.with_carrier("assets/data.txt", attack.text.clone()))
    }),
    ("no-name", |attack| {
        (attack.payload != Payload::Prose)
            .then(|| attack.with_carrier("bin/helper", attack.text.clone()))
    }),
    ("image-text", |attack| {
        Some(attack.with_carrier("assets/logo.png", png(&attack.text)))
    }),
    ("image-appended", |attack| {
        let mut image = png("a logo");
        image.extend(attack.text.as_bytes());
        Some(attack.with_carrier("assets/logo.png", image))
    }),
    ("notebook-code", |attack| {
        (attack.payload == Payload::Python).then(|| {
            let source = serde_json::Value::String(attack.text.clone());
            let notebook =
                format!("{{\"cells\": [{{\"cell_type\": \"code\", \"source\": [{source}]}}]}}\n");
            attack.with_carrier("notes.ipynb", notebook)
        })
    }),
    ("fence", |attack| {
        (attack.payload != Payload::Prose).then(|| attack.with_fence())
    }),
];

/// The path of the harmful part, and the same compressed.
fn member(attack: &Attack) -> (&'static str, &'static str) {
    match attack.payload {
        Payload::Shell => ("run.sh", "assets/run.sh.gz"),
        Payload::Python => ("run.py", "assets/run.py.gz"),
        Payload::JavaScript => ("run.js", "assets/run.js.gz"),
        Payload::Prose => ("NOTES.md", "assets/NOTES.md.gz"),
    }
}
