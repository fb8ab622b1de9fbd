//! Packages that look like those of users: few words in many of them, many words in few.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use prowess_registry::package_digest;
use prowess_testing::{Random, repository};

/// Versions of each package.
pub(crate) const VERSIONS: usize = 3;
/// Words of a description and of a body.
const DESCRIPTION: usize = 14;
const BODY: usize = 110;
/// Words that few packages have, such as names of products.
const RARE: usize = 60_000;
/// Bytes of each of the packages that are downloaded.
const LARGE: usize = 32 * 1024 * 1024;
/// How many of them there are: 1 GiB.
pub(crate) const LARGE_COUNT: usize = 32;

/// The words of real skills, the most frequent ones first.
pub(crate) struct Corpus {
    pub(crate) words: Vec<String>,
    /// The share of packages that have each of the first words.
    pub(crate) shares: Vec<f64>,
    /// For each word, the sum of the weights up to it.
    weights: Vec<f64>,
    pub(crate) names: Vec<String>,
}

impl Corpus {
    pub(crate) fn new(packages: usize) -> Self {
        let mut counts = std::collections::BTreeMap::<String, usize>::new();
        for text in texts() {
            for word in text.split(|c: char| !c.is_ascii_alphabetic()) {
                if word.len() > 3 {
                    *counts.entry(word.to_lowercase()).or_default() += 1;
                }
            }
        }
        let mut words: Vec<(usize, String)> = counts
            .into_iter()
            .map(|(word, count)| (count, word))
            .collect();
        words.sort_by(|a, b| b.cmp(a));
        let words: Vec<String> = words.into_iter().map(|(_, word)| word).collect();
        let mut sum = 0.0;
        let weights = (0..words.len()).map(|rank| {
            sum += 1.0 / (rank as f64 + 3.0);
            sum
        });
        let weights: Vec<f64> = weights.collect();
        let mut random = Random::new(7);
        let names = (0..packages).map(|number| {
            let name = format!("{}-{}", random.pick(&words), random.pick(&words));
            match number % 3 {
                0 => format!("{name}-{number}"),
                _ => format!("team-{}/{name}-{number}", number % 200),
            }
        });
        Self {
            names: names.collect(),
            shares: Vec::new(),
            weights,
            words,
        }
    }

    /// A word; frequent ones are frequent.
    pub(crate) fn word(&self, random: &mut Random) -> &str {
        let total = self.weights.last().unwrap();
        let point = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64 * total;
        &self.words[self.weights.partition_point(|it| *it < point)]
    }

    pub(crate) fn rare(random: &mut Random) -> String {
        let mut number = random.below(RARE);
        let mut word = String::new();
        for _ in 0..3 {
            word.push(char::from(b"bcdfghklmnprstvz"[number % 16]));
            number /= 16;
            word.push(char::from(b"aeiou"[number % 5]));
            number /= 5;
        }
        word
    }

    fn prose(&self, random: &mut Random, count: usize) -> String {
        let words: Vec<String> = (0..count)
            .map(|_| match random.below(40) {
                0 => Self::rare(random),
                _ => self.word(random).to_owned(),
            })
            .collect();
        words.join(" ")
    }

    /// Writes the rows of the tables, as PostgreSQL copies them: `packages`, `versions`, `owners`.
    pub(crate) fn write_rows(&mut self, directory: &Path, large: &[String]) {
        let create = |name: &str| BufWriter::new(File::create(directory.join(name)).unwrap());
        let (mut packages, mut versions) = (create("packages"), create("versions"));
        let mut owners = create("owners");
        let mut random = Random::new(11);
        let mut with_word = vec![0_usize; 40];
        let mut with_owner = std::collections::BTreeSet::new();
        for (number, name) in self.names.iter().enumerate() {
            let changed = (number + 1) * VERSIONS;
            let downloads = random.below(10_000);
            writeln!(packages, "{name}\t1.2.0\t{downloads}\t{changed}").unwrap();
            let owner = name.split('/').next().unwrap();
            if with_owner.insert(owner.to_owned()) {
                writeln!(owners, "{owner}\tbench").unwrap();
            }
            let skill = name.rsplit('/').next().unwrap();
            let description = self.prose(&mut random, DESCRIPTION);
            let body = self.prose(&mut random, BODY);
            for (word, count) in self.words.iter().zip(&mut with_word) {
                *count += usize::from(body.split(' ').any(|it| it == word));
            }
            for version in 0..VERSIONS {
                let digest = large.get(number).filter(|_| version == VERSIONS - 1);
                let (digest, size) = match digest {
                    Some(digest) => (digest.clone(), LARGE),
                    None => (format!("sha256:{changed:060x}{version:04x}"), 4000),
                };
                let facts = serde_json::json!({
                    "description": description, "size": size, "files": 3, "types": [],
                    "permissions": [], "licence": "MIT", "has_code": false,
                    "verdict": "clean", "findings": [], "signed_by": null,
                });
                writeln!(
                    versions,
                    "{name}\t1.{version}.0\t{digest}\t{}\tbench\t{facts}\tname: {skill}\\ndescription: {description}\\nlicense: MIT\\n\t\\N\tkeyword{}\t{body}\t\\N\t\\N\t{downloads}",
                    1_780_000_000_000_u64 + changed as u64,
                    number % 500,
                )
                .unwrap();
            }
        }
        self.shares = with_word
            .iter()
            .map(|count| *count as f64 / self.names.len() as f64)
            .collect();
    }

    /// Texts of queries, by kind.
    pub(crate) fn queries(&self, kind: &str, count: usize) -> Vec<String> {
        let mut random = Random::new(kind.len() as u64);
        let one = |random: &mut Random| match kind {
            "frequent words" => {
                let words: Vec<&String> = (0..3).map(|_| &self.words[random.below(20)]).collect();
                format!("{} {} {}", words[0], words[1], words[2])
            }
            "rare words" => format!("{} {}", Self::rare(random), Self::rare(random)),
            "names" => random.pick(&self.names).clone(),
            _ => {
                // Two letters change places.
                let mut word = self.word(random).to_owned().into_bytes();
                let at = word.len() / 2;
                word.swap(at, at - 1);
                let other = self.word(random);
                format!("{} {other}", String::from_utf8(word).unwrap())
            }
        };
        (0..count).map(|_| one(&mut random)).collect()
    }
}

/// The texts of the examples and of the benchmark of search.
fn texts() -> Vec<String> {
    let mut texts = vec![include_str!("../../../core/benches/search/skills.txt").to_owned()];
    let mut directories = vec![repository().join("examples")];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path.ends_with("SKILL.md") {
                texts.push(fs::read_to_string(path).unwrap());
            }
        }
    }
    texts
}

/// Writes the large packages where a server with a directory has them; their digests, and the paths.
pub(crate) fn write_large(storage: &Path) -> Vec<(String, std::path::PathBuf)> {
    let mut bytes = Random::new(3).bytes(LARGE);
    (0..LARGE_COUNT)
        .map(|number| {
            bytes[0] = u8::try_from(number).unwrap();
            let digest = package_digest(&bytes).to_string();
            let (first, rest) = digest.strip_prefix("sha256:").unwrap().split_at(2);
            let directory = storage.join("packages/sha256").join(first);
            fs::create_dir_all(&directory).unwrap();
            let path = directory.join(rest);
            fs::write(&path, &bytes).unwrap();
            (digest, path)
        })
        .collect()
}
