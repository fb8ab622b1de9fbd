//! Vectors on disk, by the digest of their text.

use std::collections::HashMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

/// The beginning of a digest: enough to tell texts apart.
pub(crate) type TextDigest = [u8; 16];

/// A direction: whole numbers from -127 to 127.
pub(crate) type Direction = Box<[i8]>;

const MARK: [u8; 8] = *b"prowvec1";

/// The vectors that one embedder computed.
#[derive(Debug, Default)]
pub(crate) struct Vectors {
    path: Option<PathBuf>,
    pub(crate) columns: usize,
    pub(crate) known: HashMap<TextDigest, Direction>,
}

impl Vectors {
    /// Those on disk, if they can be read. `fingerprint` tells embedders apart.
    pub(crate) fn load(directory: Option<&Path>, fingerprint: &str) -> Self {
        let name = digest(fingerprint)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<Vec<_>>();
        let path = directory.map(|it| it.join(format!("vectors-{}", name.concat())));
        let bytes = path.as_ref().and_then(|path| fs::read(path).ok());
        let (columns, known) = bytes.and_then(|bytes| read(&bytes)).unwrap_or_default();
        Self {
            path,
            columns,
            known,
        }
    }

    /// Saves them. A cache that cannot be written is not an error.
    pub(crate) fn save(&self) {
        let Some(path) = &self.path else { return };
        let write = || -> std::io::Result<()> {
            let directory = path.parent().unwrap_or(Path::new("."));
            fs::create_dir_all(directory)?;
            let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
            temporary.write_all(&self.bytes())?;
            temporary.persist(path)?;
            Ok(())
        };
        let _ = write();
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = MARK.to_vec();
        bytes.extend((self.columns as u64).to_le_bytes());
        for (digest, direction) in &self.known {
            bytes.extend(digest);
            bytes.extend(direction.iter().map(|number| number.to_le_bytes()[0]));
        }
        bytes
    }
}

fn read(bytes: &[u8]) -> Option<(usize, HashMap<TextDigest, Direction>)> {
    let rest = bytes.strip_prefix(&MARK)?;
    let (columns, rest) = rest.split_first_chunk()?;
    let columns = usize::try_from(u64::from_le_bytes(*columns)).ok()?;
    let size = columns
        .checked_add(16)
        .filter(|size| rest.len() % size == 0)?;
    let record = |record: &[u8]| {
        let (digest, numbers) = record.split_first_chunk()?;
        let numbers = numbers.iter().map(|byte| i8::from_le_bytes([*byte]));
        Some((*digest, numbers.collect()))
    };
    Some((columns, rest.chunks(size).filter_map(record).collect()))
}

pub(crate) fn digest(text: &str) -> TextDigest {
    let whole = Sha256::digest(text.as_bytes());
    let mut start = TextDigest::default();
    for (to, from) in start.iter_mut().zip(whole) {
        *to = from;
    }
    start
}

/// The direction of a vector; none for one without.
pub(crate) fn direction(vector: &[f32]) -> Direction {
    let length = vector
        .iter()
        .map(|number| number * number)
        .sum::<f32>()
        .sqrt();
    // Few numbers of a direction are above four times their mean, so the scale is spent on those below.
    let columns = u16::try_from(vector.len()).unwrap_or(u16::MAX);
    let scale = 127.0 * f32::from(columns).sqrt() / 4.0 / length.max(f32::MIN_POSITIVE);
    #[expect(clippy::cast_possible_truncation, reason = "the number is clamped")]
    let number = |number: &f32| (number * scale).round().clamp(-127.0, 127.0) as i8;
    vector.iter().map(number).collect()
}

/// How near two directions are; higher is nearer.
pub(crate) fn nearness(left: &[i8], right: &[i8]) -> f32 {
    let product = |left: &[i8], right: &[i8]| -> i32 {
        let pairs = left.iter().zip(right);
        pairs
            .map(|(left, right)| i32::from(*left) * i32::from(*right))
            .sum()
    };
    let real = |number: i32| f64::from(number);
    let lengths = (real(product(left, left)) * real(product(right, right))).sqrt();
    #[expect(clippy::cast_possible_truncation, reason = "for comparison")]
    let nearness = (real(product(left, right)) / lengths.max(1.0)) as f32;
    nearness
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_compared_by_their_angle() {
        let near = |left: &[f32], right: &[f32]| nearness(&direction(left), &direction(right));
        assert!(near(&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0]) > 0.99);
        assert!(near(&[1.0, 0.0], &[0.0, 1.0]).abs() < 0.01);
        assert!(near(&[1.0, 0.0], &[-1.0, 0.0]) < -0.99);
        assert!(near(&[0.0, 0.0], &[1.0, 0.0]).abs() < 0.01);
    }

    #[test]
    fn vectors_round_trip_and_damage_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let mut vectors = Vectors::load(Some(directory.path()), "a");
        vectors.columns = 2;
        vectors.known.insert(digest("x"), direction(&[1.0, -1.0]));
        vectors.save();
        let again = Vectors::load(Some(directory.path()), "a");
        assert_eq!((again.columns, &again.known), (2, &vectors.known));
        assert!(Vectors::load(Some(directory.path()), "b").known.is_empty());
        let path = vectors.path.unwrap();
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert!(Vectors::load(Some(directory.path()), "a").known.is_empty());
    }
}
