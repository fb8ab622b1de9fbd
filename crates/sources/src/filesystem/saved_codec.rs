//! A scan as bytes.
//!
//! Groups of descriptors come first, so that little memory is needed to write and to read them. The table of contents
//! follows: the key, directories, where each skill is with its stamp, and how long each group is. Its length and its checksum
//! are the last bytes. It is all that a walk needs, so that descriptors are read meanwhile.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use prowess_core::{Descriptor, Invocation, Scope, SkillId, checksum, reserve_heap};

use super::scan::{Listing, Listings, Scan};
use crate::stamp::Stamp;

/// Incremented with every change of the layout, or of how the head of a skill is read.
const VERSION: u8 = 2;
/// Skills of a group. The bytes of one are small enough for memory that is used again for the next.
const GROUP: usize = 128;
/// Directories that are read before the heap grows again, and the bytes of a path with what its allocation adds.
const AT_ONCE: usize = 1_024;
const DIRECTORY: usize = 80;
/// Bytes of a stamp.
const STAMP: usize = 7 * 8;
/// Bytes at the end: length and checksum of the table of contents.
const FOOTER: u64 = 16;

/// What another scan can rely on: what is settled, and on one device.
pub(super) struct Content<'s> {
    pub(super) listings: Vec<(&'s str, &'s Listing)>,
    pub(super) skills: Vec<(&'s Descriptor, &'s str, &'s Stamp)>,
}

impl<'s> Content<'s> {
    pub(super) fn of(scan: &'s Scan, device: u64) -> Self {
        let is_reliable = |stamp: &Stamp| *stamp != Stamp::default() && stamp.device == device;
        let listings = scan.listings.iter().map(|(path, it)| (&**path, &**it));
        let snapshot = &scan.snapshot;
        let skills = snapshot.skills.iter().zip(&snapshot.directories);
        let skills = skills.zip(&scan.stamps);
        Self {
            listings: listings.filter(|(_, it)| is_reliable(&it.stamp)).collect(),
            skills: skills
                .filter(|(_, stamp)| is_reliable(stamp))
                .map(|((descriptor, directory), stamp)| (descriptor, &**directory, stamp))
                .collect(),
        }
    }
}

/// Writes a file.
pub(super) fn encode(content: &Content<'_>, key: &[u8], file: &mut impl Write) -> io::Result<()> {
    let mut contents = vec![VERSION];
    put_size(&mut contents, key.len());
    contents.extend(key);
    put_size(&mut contents, content.listings.len());
    for (path, listing) in &content.listings {
        put_text(&mut contents, path);
        put_stamp(&mut contents, listing.stamp);
        contents.extend(listing.hidden.to_le_bytes());
        contents.push(u8::from(listing.is_described));
        put_texts(&mut contents, &listing.below);
    }
    put_size(&mut contents, content.skills.len());
    for (_, directory, stamp) in &content.skills {
        put_text(&mut contents, directory);
        put_stamp(&mut contents, **stamp);
    }
    put_size(&mut contents, content.skills.len().div_ceil(GROUP));
    let mut group = Vec::new();
    for skills in content.skills.chunks(GROUP) {
        group.clear();
        for (descriptor, ..) in skills {
            put_descriptor(&mut group, descriptor);
        }
        file.write_all(&group)?;
        put_size(&mut contents, group.len());
        contents.extend(checksum(&group).to_le_bytes());
    }
    file.write_all(&contents)?;
    file.write_all(&(contents.len() as u64).to_le_bytes())?;
    file.write_all(&checksum(&contents).to_le_bytes())
}

/// Reads the table of contents of a file of this version and this key; none if it is another one, or damaged.
pub(super) fn decode(file: File, length: u64, key: &[u8], scope: Scope) -> Option<RestoredScan> {
    let end = length.checked_sub(FOOTER)?;
    let (mut footer, mut contents) = (Vec::new(), Vec::new());
    read_at(&file, end, FOOTER, &mut footer)?;
    let footer = &mut footer.as_slice();
    let contents_length = u64::from_le_bytes(array(footer)?);
    let start = end.checked_sub(contents_length)?;
    read_at(&file, start, contents_length, &mut contents)?;
    if checksum(&contents) != u64::from_le_bytes(array(footer)?) {
        return None;
    }
    let rest = &mut contents.as_slice();
    let key_length = array(rest)
        .filter(|version| *version == [VERSION])
        .and(size(rest))?;
    if take(rest, key_length)? != key {
        return None;
    }
    let mut listings = Listings::new();
    for _ in 0..size(rest)? {
        let path = text(rest)?.into();
        listings.insert(path, Arc::new(listing(rest)?));
    }
    let count = size(rest)?;
    // A damaged count must not reserve memory.
    let room = count.min(rest.len() / STAMP);
    let (mut directories, mut stamps) = (Vec::with_capacity(room), Vec::with_capacity(room));
    for number in 0..count {
        if number % AT_ONCE == 0 {
            reserve_heap(AT_ONCE * DIRECTORY);
        }
        directories.push(text(rest)?.into());
        stamps.push(stamp(rest)?);
    }
    let mut groups = Vec::new();
    let mut at = 0;
    for _ in 0..size(rest)? {
        let length = size(rest)? as u64;
        groups.push((at, length, u64::from_le_bytes(array(rest)?)));
        at = (at + length <= start).then_some(at + length)?;
    }
    (rest.is_empty() && at == start).then(|| RestoredScan {
        scan: Scan::restored(directories, stamps, listings),
        skills: StoredSkills {
            file,
            groups,
            scope,
        },
    })
}

/// A scan of another process.
pub(super) struct RestoredScan {
    /// Without skills, but with their directories and stamps.
    pub(super) scan: Scan,
    pub(super) skills: StoredSkills,
}

/// Descriptors in a file.
pub(super) struct StoredSkills {
    file: File,
    /// Where each group begins, how long it is, and its checksum.
    groups: Vec<(u64, u64, u64)>,
    scope: Scope,
}

impl StoredSkills {
    /// The descriptors of the skills with these stamps, sorted by id; none if they are damaged.
    pub(super) fn read(&self, stamps: &[Stamp]) -> Option<Vec<Descriptor>> {
        let mut skills: Vec<Descriptor> = Vec::with_capacity(stamps.len());
        let mut stamps = stamps.iter();
        let mut group = Vec::new();
        for (at, length, sum) in &self.groups {
            read_at(&self.file, *at, *length, &mut group)?;
            if checksum(&group) != *sum {
                return None;
            }
            reserve_heap(group.len() * 3 / 2);
            let mut rest = group.as_slice();
            while !rest.is_empty() {
                skills.push(descriptor(&mut rest, self.scope, stamps.next()?.number())?);
            }
        }
        let is_sorted = skills.is_sorted_by(|left, right| left.id <= right.id);
        (is_sorted && stamps.next().is_none()).then_some(skills)
    }
}

/// Bytes of a file. No length is larger than the file, so that damage cannot reserve much memory.
fn read_at(file: &File, start: u64, length: u64, bytes: &mut Vec<u8>) -> Option<()> {
    bytes.resize(usize::try_from(length).ok()?, 0);
    file.read_exact_at(bytes, start).ok()
}

fn listing(bytes: &mut &[u8]) -> Option<Listing> {
    Some(Listing {
        stamp: stamp(bytes)?,
        hidden: u32::from_le_bytes(array(bytes)?),
        is_described: array(bytes)? == [1],
        below: texts(bytes)?,
        is_plain: true,
    })
}

fn descriptor(bytes: &mut &[u8], scope: Scope, stamp: u64) -> Option<Descriptor> {
    let id: SkillId = text(bytes)?.parse().ok()?;
    let description = text(bytes)?.into();
    let [invocation, has_hint] = array(bytes)?;
    Some(Descriptor {
        id,
        description,
        scope,
        invocation: match invocation {
            0 => Invocation::Anyone,
            1 => Invocation::UserOnly,
            2 => Invocation::ModelOnly,
            3 => Invocation::ProgramOnly,
            _ => return None,
        },
        argument_hint: match has_hint {
            0 => None,
            _ => Some(text(bytes)?.into()),
        },
        requires_capabilities: texts(bytes)?.into(),
        metadata: pairs(texts(bytes)?)?.into(),
        body_bytes: u32::from_le_bytes(array(bytes)?),
        stamp,
    })
}

fn put_descriptor(bytes: &mut Vec<u8>, descriptor: &Descriptor) {
    put_text(bytes, descriptor.id.as_str());
    put_text(bytes, &descriptor.description);
    bytes.push(match descriptor.invocation {
        Invocation::Anyone => 0,
        Invocation::UserOnly => 1,
        Invocation::ModelOnly => 2,
        Invocation::ProgramOnly => 3,
    });
    bytes.push(u8::from(descriptor.argument_hint.is_some()));
    if let Some(hint) = &descriptor.argument_hint {
        put_text(bytes, hint);
    }
    put_texts(bytes, &descriptor.requires_capabilities);
    put_size(bytes, descriptor.metadata.len() * 2);
    for (key, value) in &descriptor.metadata {
        put_text(bytes, key);
        put_text(bytes, value);
    }
    bytes.extend(descriptor.body_bytes.to_le_bytes());
}

fn pairs(texts: Vec<Box<str>>) -> Option<Vec<(Box<str>, Box<str>)>> {
    let mut pairs = Vec::with_capacity(texts.len() / 2);
    let mut texts = texts.into_iter();
    while let Some(key) = texts.next() {
        pairs.push((key, texts.next()?));
    }
    Some(pairs)
}

fn put_stamp(bytes: &mut Vec<u8>, stamp: Stamp) {
    bytes.extend(stamp.device.to_le_bytes());
    bytes.extend(stamp.inode.to_le_bytes());
    for time in [stamp.modified, stamp.changed] {
        bytes.extend(time.0.to_le_bytes());
        bytes.extend(time.1.to_le_bytes());
    }
    bytes.extend(stamp.length.to_le_bytes());
}

fn stamp(bytes: &mut &[u8]) -> Option<Stamp> {
    let mut numbers = [0; 7];
    for number in &mut numbers {
        *number = u64::from_le_bytes(array(bytes)?);
    }
    let [
        device,
        inode,
        seconds,
        nanoseconds,
        changed,
        changed_nanoseconds,
        length,
    ] = numbers;
    Some(Stamp {
        device,
        inode,
        modified: (seconds.cast_signed(), nanoseconds.cast_signed()),
        changed: (changed.cast_signed(), changed_nanoseconds.cast_signed()),
        length,
    })
}

/// Numbers of bytes and items; a catalog stays far below four gigabytes.
fn put_size(bytes: &mut Vec<u8>, size: usize) {
    bytes.extend(u32::try_from(size).unwrap_or(u32::MAX).to_le_bytes());
}

fn size(bytes: &mut &[u8]) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(array(bytes)?)).ok()
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put_size(bytes, text.len());
    bytes.extend(text.as_bytes());
}

fn text<'b>(bytes: &mut &'b [u8]) -> Option<&'b str> {
    let length = size(bytes)?;
    std::str::from_utf8(take(bytes, length)?).ok()
}

fn put_texts(bytes: &mut Vec<u8>, texts: &[Box<str>]) {
    put_size(bytes, texts.len());
    for text in texts {
        put_text(bytes, text);
    }
}

fn texts(bytes: &mut &[u8]) -> Option<Vec<Box<str>>> {
    // A damaged count must not reserve memory.
    let mut texts = Vec::new();
    for _ in 0..size(bytes)? {
        texts.push(text(bytes)?.into());
    }
    Some(texts)
}

fn take<'b>(bytes: &mut &'b [u8], length: usize) -> Option<&'b [u8]> {
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

fn array<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*taken)
}
