//! The files of a skill as one archive. The same files give the same bytes, on every machine.

use std::io::{self, Cursor, Write};

use flate2::{Compression, GzBuilder};
use prowess_archive::{Limits, walk};
use prowess_policy::ContentDigest;
use prowess_spec::{MANIFEST_FILE, SKILL_FILE};
use sha2::{Digest, Sha256};
use tar::{Builder, EntryType, Header};

use crate::tree::PackageTree;

/// Below this many unpacked bytes for a packed one, an unpacker does not take the archive for a bomb.
const RATIO: usize = 50;

/// Why files cannot be packed.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// A skill has this file.
    #[error("cannot pack: no {SKILL_FILE} or SKILL.yaml")]
    NoSkill,
    /// The archive would be refused by those who unpack it.
    #[error("cannot pack: {0}")]
    Refused(#[from] prowess_archive::Error),
    /// The archive cannot be written.
    #[error("cannot pack")]
    Write(#[from] io::Error),
}

/// Packs the files of one skill as a `.tar.gz`: sorted, without times, owners and names of users.
pub fn pack(tree: &PackageTree) -> Result<Vec<u8>, PackageError> {
    if tree.skill_file().is_none() && tree.get(MANIFEST_FILE).is_none() {
        return Err(PackageError::NoSkill);
    }
    let packed = archive(tree, Compression::best())?;
    // Names that differ only in case, too many bytes, paths too deep: better refused here than by users.
    walk(Cursor::new(&packed), &Limits::default(), |_, _| Ok(()))?;
    Ok(packed)
}

/// The archive of a tree, whatever is in it.
pub(crate) fn archive(tree: &PackageTree, level: Compression) -> io::Result<Vec<u8>> {
    let tar = tar(tree)?;
    let packed = compress(&tar, level)?;
    if tar.len() / RATIO > packed.len() {
        return compress(&tar, Compression::none());
    }
    Ok(packed)
}

/// The digest of a package, as a user compares it.
pub fn package_digest(package: &[u8]) -> ContentDigest {
    ContentDigest(Sha256::digest(package).into())
}

fn tar(tree: &PackageTree) -> io::Result<Vec<u8>> {
    let mut builder = Builder::new(Vec::new());
    for (path, file) in tree.files() {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_size(file.bytes.len() as u64);
        header.set_mode(if file.executable { 0o755 } else { 0o644 });
        header.set_mtime(0);
        header.set_uid(0);
        header.set_gid(0);
        builder.append_data(&mut header, path.as_str(), file.bytes.as_slice())?;
    }
    builder.into_inner()
}

fn compress(tar: &[u8], level: Compression) -> io::Result<Vec<u8>> {
    // 255: an unknown operating system.
    let builder = GzBuilder::new().mtime(0).operating_system(255);
    let mut encoder = builder.write(Vec::new(), level);
    encoder.write_all(tar)?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use proptest::prelude::*;
    use prowess_archive::unpack;
    use prowess_spec::SkillPath;
    use prowess_testing::properties;

    use super::*;
    use crate::tree::PackageFile;

    fn file(path: &str, bytes: &[u8], executable: bool) -> (SkillPath, PackageFile) {
        let bytes = bytes.to_vec();
        let path = SkillPath::parse(path).unwrap();
        (path, PackageFile { bytes, executable })
    }

    fn skill() -> (SkillPath, PackageFile) {
        file("SKILL.md", b"---\nname: a\ndescription: b\n---\n", false)
    }

    fn packed(files: &[(SkillPath, PackageFile)]) -> Vec<u8> {
        pack(&PackageTree::new(files.to_vec()).unwrap()).unwrap()
    }

    /// Paths in three directories, so that files and directories never share a name.
    fn files() -> impl Strategy<Value = BTreeMap<String, (Vec<u8>, bool)>> {
        let path = "[ab]{0,1}/(x|long-{1,120})/[a-z]{1,12}(\\.[a-z]{1,3})?";
        let bytes = prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..2_000),
            (0_usize..3_000_000).prop_map(|length| vec![0; length]),
        ];
        proptest::collection::btree_map(path, (bytes, any::<bool>()), 0..8)
    }

    proptest! {
        #![proptest_config(properties(48))]

        #[test]
        fn sg1_packages_are_the_same_and_unpack_to_the_same_files(files in files()) {
            let mut given: Vec<(SkillPath, PackageFile)> = files
                .iter()
                .filter_map(|(path, (bytes, executable))| {
                    let path = format!("d{path}");
                    SkillPath::parse(&path).ok()?;
                    Some(file(&path, bytes, *executable))
                })
                .collect();
            given.push(skill());
            let packed = packed(&given);
            given.reverse();
            prop_assert_eq!(&super::tests::packed(&given), &packed, "the order does not matter");
            let place = tempfile::tempdir().unwrap();
            let root = place.path().join("skill");
            let tree = unpack(Cursor::new(&packed), &root, &Limits::default()).unwrap();
            prop_assert_eq!(tree.members.len(), given.len());
            for (path, file) in &given {
                let path = root.join(path.as_str());
                prop_assert_eq!(&fs::read(&path).unwrap(), &file.bytes);
                let mode = fs::metadata(&path).unwrap().permissions().mode();
                prop_assert_eq!(mode & 0o100 != 0, file.executable);
            }
        }
    }

    #[test]
    fn sg1_headers_name_no_user_and_no_time() {
        let packed = packed(&[skill(), file("run.sh", b"exit 0\n", true)]);
        assert_eq!(packed[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255]);
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(packed.as_slice()));
        let mut found = Vec::new();
        for entry in archive.entries().unwrap() {
            let entry = entry.unwrap();
            let header = entry.header();
            assert_eq!(header.mtime().unwrap(), 0);
            assert_eq!((header.uid().unwrap(), header.gid().unwrap()), (0, 0));
            assert_eq!(header.username().unwrap(), Some(""));
            found.push((
                entry.path().unwrap().to_string_lossy().into_owned(),
                header.mode().unwrap(),
            ));
        }
        let expected = [("SKILL.md".to_owned(), 0o644), ("run.sh".to_owned(), 0o755)];
        assert_eq!(found, expected);
    }

    #[test]
    fn sg1_what_no_one_could_unpack_is_refused() {
        let shown = |files: &[(SkillPath, PackageFile)]| {
            let tree = PackageTree::new(files.to_vec()).unwrap();
            pack(&tree).unwrap_err().to_string()
        };
        assert!(shown(&[file("a.md", b"", false)]).contains("no SKILL.md"));
        let deep = vec!["d"; 30].join("/");
        assert!(shown(&[skill(), file(&deep, b"", false)]).contains("cannot pack"));
    }
}
