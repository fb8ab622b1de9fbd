//! Signatures that the real program `minisign` accepts, and its own that we accept.
#![cfg(test)]
#![cfg(target_os = "linux")]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use prowess_registry::{KeyPair, PublicKey, SignatureError, is_encrypted, sign, verify};
use prowess_testing::minisign;

/// Runs the program in a directory; whether it succeeds, and what it prints.
fn run(directory: &Path, arguments: &[&str], input: &str) -> (bool, String) {
    let mut child = minisign()
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that asks nothing does not read it.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.success(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

#[test]
fn sg4_minisign_accepts_our_signatures_and_keys() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    fs::write(root.join("a.tar.gz"), "package").unwrap();
    for password in [None, Some("correct horse")] {
        let pair = KeyPair::generate(password).unwrap();
        let signature = sign(b"package", &pair.secret, password, "file:a.tar.gz").unwrap();
        fs::write(root.join("a.tar.gz.minisig"), &signature).unwrap();
        fs::write(root.join("key.pub"), pair.public_file()).unwrap();
        for key in [["-p", "key.pub"], ["-P", &pair.public.to_string()]] {
            let arguments = [&["-V", "-m", "a.tar.gz"][..], &key].concat();
            let (verified, text) = run(root, &arguments, "");
            assert!(verified, "{text}");
            assert!(text.contains("Trusted comment: file:a.tar.gz"), "{text}");
        }
        fs::write(root.join("b.tar.gz"), "another").unwrap();
        fs::write(root.join("b.tar.gz.minisig"), &signature).unwrap();
        let (verified, _) = run(root, &["-V", "-m", "b.tar.gz", "-p", "key.pub"], "");
        assert!(!verified);

        // It signs with our secret key, too.
        fs::write(root.join("key"), &pair.secret).unwrap();
        let typed = password.map(|it| format!("{it}\n")).unwrap_or_default();
        let (signed, text) = run(root, &["-S", "-m", "b.tar.gz", "-s", "key"], &typed);
        assert!(signed, "{text}");
        let theirs = fs::read_to_string(root.join("b.tar.gz.minisig")).unwrap();
        verify(b"another", &theirs, &pair.public).unwrap();
    }
}

#[test]
fn sg4_we_accept_signatures_and_keys_of_minisign() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    fs::write(root.join("a.tar.gz"), "package").unwrap();
    let make = ["-G", "-W", "-p", "key.pub", "-s", "key"];
    let (generated, text) = run(root, &make, "");
    assert!(generated, "{text}");
    let (signed, text) = run(root, &["-S", "-m", "a.tar.gz", "-s", "key"], "");
    assert!(signed, "{text}");
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap();
    let key: PublicKey = read("key.pub").parse().unwrap();
    let signature = read("a.tar.gz.minisig");
    let comment = verify(b"package", &signature, &key).unwrap();
    assert!(comment.contains("file:a.tar.gz"), "{comment}");
    assert_eq!(
        verify(b"other", &signature, &key),
        Err(SignatureError::Mismatch)
    );
    let secret = read("key");
    assert_eq!(is_encrypted(&secret), Ok(false));
    let ours = sign(b"package", &secret, None, "x").unwrap();
    verify(b"package", &ours, &key).unwrap();
}
