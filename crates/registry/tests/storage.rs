#![cfg(test)]
//! The storage of packages: the same behaviour in a directory and in a bucket, and what happens when they fail.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use futures_util::StreamExt as _;
use prowess_config::Secret;
use prowess_policy::ContentDigest;
use prowess_registry::{
    PackageStorage, S3Options, StorageError, StorageLocation, StoredPackage, package_digest,
};
use prowess_testing::s3::{ACCESS_KEY, BUCKET, Fault, S3Server, SECRET_KEY};
use prowess_testing::{ClosedPort, TestDirectory};

fn bytes(size: usize) -> (ContentDigest, Bytes) {
    let mut random = prowess_testing::Random::new(size as u64 + 1);
    let bytes: Vec<u8> = (0..size.div_ceil(8))
        .flat_map(|_| random.next_u64().to_le_bytes())
        .take(size)
        .collect();
    (package_digest(&bytes), bytes.into())
}

fn object(digest: ContentDigest) -> String {
    let text = digest.to_string();
    let (first, rest) = text.strip_prefix("sha256:").unwrap().split_at(2);
    format!("packages/sha256/{first}/{rest}")
}

fn directory(path: &Path) -> PackageStorage {
    PackageStorage::open(&StorageLocation::Directory(path.to_owned())).unwrap()
}

fn bucket(endpoint: &str, location: &str) -> PackageStorage {
    let options = S3Options {
        endpoint: Some(endpoint.to_owned()),
        region: None,
        access_key: Some(Secret::new(ACCESS_KEY)),
        secret_key: Some(Secret::new(SECRET_KEY)),
        allow_http: true,
    };
    PackageStorage::open(&StorageLocation::parse(location, options).unwrap()).unwrap()
}

fn bucket_of(server: &S3Server) -> PackageStorage {
    bucket(&server.endpoint(), &format!("s3://{BUCKET}/registry"))
}

/// The bytes, and the size of the largest piece.
async fn collect(mut package: StoredPackage) -> (Vec<u8>, usize) {
    let (mut all, mut largest) = (Vec::new(), 0);
    while let Some(piece) = package.stream.next().await {
        let piece = piece.unwrap();
        largest = largest.max(piece.len());
        all.extend_from_slice(&piece);
    }
    (all, largest)
}

/// A storage of each kind, with the files behind it.
struct Kinds {
    parent: TestDirectory,
    server: S3Server,
}

impl Kinds {
    async fn start() -> Self {
        Self {
            parent: TestDirectory::new(),
            server: S3Server::start().await,
        }
    }

    fn each(&self) -> [(PackageStorage, PathBuf); 2] {
        let path = self.parent.path("packages");
        [
            (directory(&path), path),
            (bucket_of(&self.server), self.server.object("registry")),
        ]
    }
}

#[tokio::test]
async fn packages_are_stored_and_read() {
    for (storage, files) in Kinds::start().await.each() {
        for size in [0, 1, 1_000, 256 * 1024, 700_000] {
            let (digest, content) = bytes(size);
            assert!(matches!(
                storage.read(digest).await,
                Err(StorageError::NotFound { .. })
            ));
            for _ in 0..2 {
                storage.put(digest, content.clone()).await.unwrap();
            }
            assert_eq!(storage.read(digest).await.unwrap(), content);
            assert_eq!(fs::read(files.join(object(digest))).unwrap(), content);
            let package = storage.open_package(digest, None).await.unwrap();
            assert_eq!(package.size, size as u64);
            let (found, largest) = collect(package).await;
            assert_eq!(found, content);
            assert!(largest <= 256 * 1024);
        }
        storage.check().await.unwrap();
    }
}

#[tokio::test]
async fn ranges_are_read() {
    let (digest, content) = bytes(600_000);
    for (storage, _) in Kinds::start().await.each() {
        storage.put(digest, content.clone()).await.unwrap();
        for (range, expected) in [
            (0..1, &content[..1]),
            (0..600_000, &content[..]),
            (10..300_000, &content[10..300_000]),
            (599_999..600_000, &content[599_999..]),
            (500_000..u64::MAX, &content[500_000..]),
            (5..5, &[]),
            (600_000..600_001, &[]),
        ] {
            let package = storage.open_package(digest, Some(range.clone())).await;
            let package = package.unwrap();
            assert_eq!(package.size, 600_000);
            assert!(collect(package).await.0 == expected, "{range:?}");
        }
        let beyond = storage.open_package(digest, Some(600_001..600_002)).await;
        let is_range = |error| matches!(error, StorageError::InvalidRange { size: 600_000, .. });
        assert!(is_range(beyond.unwrap_err()));
        let missing = storage
            .open_package(ContentDigest([1; 32]), Some(0..1))
            .await;
        assert!(matches!(missing, Err(StorageError::NotFound { .. })));
    }
}

#[tokio::test]
async fn fifty_writers_store_one_package() {
    let (digest, content) = bytes(100_000);
    for (storage, files) in Kinds::start().await.each() {
        let tasks: Vec<_> = (0..50)
            .map(|_| {
                let (storage, content) = (storage.clone(), content.clone());
                tokio::spawn(async move { storage.put(digest, content).await })
            })
            .collect();
        for task in tasks {
            task.await.unwrap().unwrap();
        }
        assert_eq!(storage.read(digest).await.unwrap(), content);
        let parent = files.join(object(digest));
        assert_eq!(fs::read_dir(parent.parent().unwrap()).unwrap().count(), 1);
    }
}

#[tokio::test]
async fn damaged_packages_are_detected_and_replaced() {
    let (digest, content) = bytes(10_000);
    for (storage, files) in Kinds::start().await.each() {
        storage.put(digest, content.clone()).await.unwrap();
        let mut damaged = content.to_vec();
        damaged[5_000] ^= 1;
        fs::write(files.join(object(digest)), &damaged).unwrap();
        let error = storage.read(digest).await.unwrap_err();
        let found = package_digest(&damaged);
        let text = format!("corrupt package: expected {digest}, found {found}");
        assert_eq!(error.to_string(), text);
        storage.put(digest, content.clone()).await.unwrap();
        assert_eq!(storage.read(digest).await.unwrap(), content);
        let wrong = storage.put(ContentDigest([7; 32]), content.clone()).await;
        assert!(matches!(wrong, Err(StorageError::Corrupt { .. })));
    }
}

#[tokio::test]
async fn objects_that_are_too_large_are_not_read() {
    let (digest, content) = bytes(1_000);
    for (storage, files) in Kinds::start().await.each() {
        storage.put(digest, content.clone()).await.unwrap();
        storage
            .put_named("search/index", content.clone())
            .await
            .unwrap();
        let grow = |object: &str, size: u64| {
            let file = File::options().write(true).open(files.join(object));
            file.unwrap().set_len(size).unwrap();
        };
        // Files with holes: what is read whole would fill the memory.
        grow(&object(digest), 100 * 1024 * 1024 * 1024);
        grow("named/search/index", 100 * 1024 * 1024 * 1024);
        for failed in [
            storage.read(digest).await.map(|_| ()),
            storage.read_named("search/index").await.map(|_| ()),
        ] {
            let error = failed.unwrap_err();
            assert!(matches!(error, StorageError::TooLarge { .. }), "{error}");
        }
    }
}

#[tokio::test]
async fn names_that_are_not_ours_are_left_alone() {
    let (used, old) = (bytes(1), bytes(2));
    for (storage, files) in Kinds::start().await.each() {
        let past = SystemTime::now() - Duration::from_hours(3);
        let make_old = |path: &Path| {
            let file = File::options().write(true).open(path).unwrap();
            file.set_modified(past).unwrap();
        };
        for (digest, content) in [&used, &old] {
            storage.put(*digest, content.clone()).await.unwrap();
            make_old(&files.join(object(*digest)));
        }
        // Names that others gave to objects, some of which look like a digest of ours.
        let digits = "ab".repeat(31);
        let odd = [
            "packages/sha256/..%2f..%2fnamed".to_owned(),
            "packages/sha256/a b\u{202e}".to_owned(),
            format!("packages/sha256/AB/{digits}"),
            format!("packages/sha256/ab/{digits}.bak"),
            format!("packages/sha256/ab/cd/{}", "ab".repeat(30)),
            format!("packages/sha256x/ab/{digits}"),
            "named/search/index".to_owned(),
        ];
        for name in &odd {
            let path = files.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "not ours").unwrap();
            make_old(&path);
        }
        let is_used = move |digest| digest == used.0;
        let hour = Duration::from_hours(1);
        assert_eq!(storage.remove_unused(is_used, hour).await.unwrap(), 1);
        for name in &odd {
            assert_eq!(fs::read(files.join(name)).unwrap(), b"not ours", "{name:?}");
        }
        storage.read(used.0).await.unwrap();
    }
}

#[tokio::test]
async fn named_objects_are_replaced() {
    for (storage, _) in Kinds::start().await.each() {
        assert_eq!(storage.read_named("search/index").await.unwrap(), None);
        for text in ["one", "a longer one", ""] {
            storage
                .put_named("search/index", text.into())
                .await
                .unwrap();
            let found = storage.read_named("search/index").await.unwrap();
            assert_eq!(found.as_deref(), Some(text.as_bytes()));
        }
        let wrong = storage.read_named("../packages").await;
        assert!(matches!(wrong, Err(StorageError::InvalidName(_))));
    }
}

#[tokio::test]
async fn only_old_unused_packages_are_removed() {
    for (storage, files) in Kinds::start().await.each() {
        let (used, old, new) = (bytes(1), bytes(2), bytes(3));
        let past = SystemTime::now() - Duration::from_hours(3);
        for (digest, content) in [&used, &old, &new] {
            storage.put(*digest, content.clone()).await.unwrap();
            let file = File::options()
                .write(true)
                .open(files.join(object(*digest)));
            file.unwrap().set_modified(past).unwrap();
        }
        fs::write(files.join("packages/sha256/notes.txt"), "not ours").unwrap();
        // Stored again: a version is about to refer to it.
        storage.put(new.0, new.1.clone()).await.unwrap();
        let is_used = move |digest| digest == used.0;
        let hour = Duration::from_hours(1);
        assert_eq!(storage.remove_unused(is_used, hour).await.unwrap(), 1);
        assert_eq!(storage.remove_unused(is_used, hour).await.unwrap(), 0);
        storage.read(used.0).await.unwrap();
        storage.read(new.0).await.unwrap();
        let gone = storage.read(old.0).await;
        assert!(matches!(gone, Err(StorageError::NotFound { .. })));
    }
}

#[tokio::test]
async fn interrupted_write_leaves_nothing() {
    let parent = TestDirectory::new();
    let (digest, content) = bytes(1_000);
    let storage = directory(parent.root());
    // What a process leaves that is killed between writing and renaming.
    let left = parent.path("temporary/.tmpAbCdEf");
    fs::write(&left, &content[..500]).unwrap();
    let error = storage.read(digest).await.unwrap_err();
    assert!(matches!(error, StorageError::NotFound { .. }));
    storage.put(digest, content.clone()).await.unwrap();
    assert_eq!(storage.read(digest).await.unwrap(), content);
    // It may be of a process that is still writing.
    let storage = directory(parent.root());
    assert!(left.exists());
    let file = File::options().write(true).open(&left).unwrap();
    let past = SystemTime::now() - Duration::from_hours(2);
    file.set_modified(past).unwrap();
    drop(storage);
    directory(parent.root());
    assert!(!left.exists());
}

/// A file system of one mebibyte; unmounted when it is dropped.
struct SmallDisk(TestDirectory);

impl SmallDisk {
    /// `None` for users who cannot mount.
    fn mount(options: &str) -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            eprintln!("skipped: only the superuser can mount");
            return None;
        }
        let directory = TestDirectory::new();
        let disk = Self(directory);
        disk.run("mount", &["-t", "tmpfs", "-o", options, "tmpfs"]);
        Some(disk)
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let mut command = Command::new(program);
        prowess_testing::run(command.args(arguments).arg(self.0.root()));
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.root()).status();
    }
}

#[tokio::test]
async fn full_disk_is_an_error_and_leaves_what_was_there() {
    let Some(disk) = SmallDisk::mount("size=1m") else {
        return;
    };
    let storage = directory(disk.0.root());
    let (small, content) = bytes(100_000);
    storage.put(small, content.clone()).await.unwrap();
    let (large, too_much) = bytes(2_000_000);
    let error = storage.put(large, too_much).await.unwrap_err();
    assert!(
        error.to_string().contains("No space left on device"),
        "{error}"
    );
    assert!(matches!(
        storage.read(large).await,
        Err(StorageError::NotFound { .. })
    ));
    assert_eq!(storage.read(small).await.unwrap(), content);
    // Nothing of it stays: there is room for others.
    let (next, content) = bytes(700_000);
    storage.put(next, content).await.unwrap();
}

#[tokio::test]
async fn read_only_disk_is_read_and_not_ready() {
    let Some(disk) = SmallDisk::mount("size=1m") else {
        return;
    };
    let storage = directory(disk.0.root());
    let (digest, content) = bytes(1_000);
    storage.put(digest, content.clone()).await.unwrap();
    storage.check().await.unwrap();
    disk.run("mount", &["-o", "remount,ro"]);
    let error = storage.check().await.unwrap_err();
    assert!(
        error.to_string().contains("Read-only file system"),
        "{error}"
    );
    assert_eq!(storage.read(digest).await.unwrap(), content);
    let (other, content) = bytes(2_000);
    let error = storage.put(other, content).await.unwrap_err();
    assert!(matches!(error, StorageError::Io { .. }));
    let again = PackageStorage::open(&StorageLocation::Directory(disk.0.root().to_owned()));
    again.unwrap();
}

#[tokio::test]
async fn directory_that_vanishes_is_not_ready() {
    let parent = TestDirectory::new();
    let path = parent.path("packages");
    let storage = directory(&path);
    storage.check().await.unwrap();
    fs::remove_dir_all(&path).unwrap();
    let error = storage.check().await.unwrap_err().to_string();
    assert!(
        error.starts_with("cannot write to ") && error.contains("No such file"),
        "{error}"
    );
}

/// The error of an operation that must not take longer than a store may be silent.
async fn failure<T: std::fmt::Debug>(
    work: impl Future<Output = Result<T, StorageError>>,
) -> String {
    let begin = Instant::now();
    let error = work.await.unwrap_err();
    assert!(
        // Silence ends it after 8 s; the rest is for a busy machine.
        begin.elapsed() < Duration::from_mins(1),
        "{:?}",
        begin.elapsed()
    );
    let text = error.to_string();
    assert!(!text.contains(SECRET_KEY) && !text.contains('\n'), "{text}");
    text
}

#[tokio::test]
async fn bucket_that_refuses_connections_is_unavailable() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let _closed = ClosedPort::new(port);
    let storage = bucket(&format!("http://127.0.0.1:{port}"), "s3://skills");
    let (digest, content) = bytes(10);
    let (put, read, check) = tokio::join!(
        failure(storage.put(digest, content)),
        failure(storage.read(digest)),
        failure(storage.check()),
    );
    let refused = "package storage unavailable: Connection refused (os error 111)";
    assert_eq!((put.as_str(), read.as_str()), (refused, refused));
    // Whichever comes first.
    let late = "package storage unavailable: timed out after 3 s";
    assert!(check == refused || check == late, "{check}");
}

#[tokio::test]
async fn silent_bucket_is_unavailable() {
    let server = S3Server::start().await;
    let storage = bucket_of(&server);
    server.set_fault(Fault::Silence);
    let (digest, content) = bytes(30_000_000);
    let (put, read, open, check) = tokio::join!(
        failure(storage.put(digest, content)),
        failure(storage.read(digest)),
        failure(storage.open_package(digest, Some(0..5))),
        failure(storage.check()),
    );
    let silent = "package storage unavailable: no answer for 8 s";
    assert_eq!(
        (put.as_str(), read.as_str(), open.as_str()),
        (silent, silent, silent)
    );
    assert_eq!(check, "package storage unavailable: timed out after 3 s");
}

#[tokio::test]
async fn slow_bucket_is_waited_for() {
    let server = S3Server::start().await;
    let storage = bucket_of(&server);
    let (digest, content) = bytes(10_000_000);
    storage.put(digest, content.clone()).await.unwrap();
    server.set_fault(Fault::BytesPerSecond(1_000_000));
    let (other, large) = bytes(14_000_000);
    let begin = Instant::now();
    let read = async {
        assert_eq!(storage.read(digest).await.unwrap(), content);
        // Longer than it may be silent.
        assert!(begin.elapsed() > Duration::from_secs(9));
    };
    let (put, ()) = tokio::join!(storage.put(other, large), read);
    put.unwrap();
    assert!(begin.elapsed() > Duration::from_secs(9));
}

#[tokio::test]
async fn lost_write_is_an_error() {
    let server = S3Server::start().await;
    let storage = bucket_of(&server);
    let (digest, content) = bytes(1_000);
    server.set_fault(Fault::LostWrites);
    let error = failure(storage.put(digest, content.clone())).await;
    let name = object(digest);
    let text = format!("cannot store {name}: accepted 1000 bytes, but none are stored");
    assert_eq!(error, text);
    server.set_fault(Fault::None);
    storage.put(digest, content).await.unwrap();
}

#[tokio::test]
async fn requests_are_repeated_while_a_bucket_recovers() {
    let server = S3Server::start().await;
    let storage = bucket_of(&server);
    let (digest, content) = bytes(1_000);
    server.set_fault(Fault::Status(503, 3));
    storage.put(digest, content.clone()).await.unwrap();
    assert_eq!(server.fault(), Fault::None);
    server.set_fault(Fault::Status(500, 2));
    assert_eq!(storage.read(digest).await.unwrap(), content);
    server.set_fault(Fault::Status(503, usize::MAX));
    let error = failure(storage.read(digest)).await;
    assert!(
        error.starts_with("package storage unavailable: "),
        "{error}"
    );
    assert!(error.contains("503"), "{error}");
}

#[tokio::test]
async fn wrong_key_and_missing_bucket_are_not_ready() {
    let server = S3Server::start().await;
    let options = S3Options {
        endpoint: Some(server.endpoint()),
        access_key: Some(Secret::new(ACCESS_KEY)),
        secret_key: Some(Secret::new("another-secret")),
        allow_http: true,
        ..S3Options::default()
    };
    let location = StorageLocation::parse("s3://skills", options).unwrap();
    let storage = PackageStorage::open(&location).unwrap();
    assert!(!format!("{storage:?}").contains("another-secret"));
    let error = storage.check().await.unwrap_err();
    assert!(matches!(error, StorageError::Denied { .. }), "{error}");
    assert!(!error.to_string().contains("another-secret"));
    let storage = bucket(&server.endpoint(), "s3://missing");
    let error = storage.check().await.unwrap_err().to_string();
    assert!(error.contains("s3://missing/"), "{error}");
}
