//! RX7: uploads and tokens that are refused.

use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::client::{path, read_answer};
use crate::deployment::{Deployment, assert_absent, package};

const UPLOAD: usize = 200 * 1024 * 1024;
const PART: usize = 64 * 1024;

#[test]
fn rx7_large_uploads_are_refused_before_they_end() {
    let deployment = Deployment::files();
    let client = deployment.publisher();
    let server = deployment.start();
    for length in [
        format!("Content-Length: {UPLOAD}"),
        "Transfer-Encoding: chunked".to_owned(),
    ] {
        let is_chunked = length.starts_with("Transfer");
        let mut stream = server.connect();
        let head = client.head("PUT", &path("pdf/1.0.0", ""), &length);
        stream.write_all(head.as_bytes()).unwrap();
        let mut writer = stream.try_clone().unwrap();
        let upload = thread::spawn(move || {
            let mut sent = 0;
            let part = vec![0x1f; PART];
            while sent < UPLOAD {
                let written = if is_chunked {
                    let mut chunk = format!("{PART:x}\r\n").into_bytes();
                    chunk.extend_from_slice(&part);
                    chunk.extend_from_slice(b"\r\n");
                    writer.write_all(&chunk)
                } else {
                    writer.write_all(&part)
                };
                if written.is_err() {
                    break;
                }
                sent += PART;
            }
            sent
        });
        let answer = read_answer(&mut stream).unwrap();
        assert_eq!(answer.status, 413, "{}", answer.text());
        assert_eq!(answer.problem(), "too-large");
        drop(stream);
        let sent = upload.join().unwrap();
        assert!(sent < UPLOAD / 2, "{sent}");
    }
    assert_absent(&client, server.port, "pdf/1.0.0");
}

/// An archive with one file of 300 MB, all zeros.
fn bomb() -> Vec<u8> {
    const FILE: u64 = 300 * 1024 * 1024;
    let mut header = tar::Header::new_gnu();
    header.set_path("SKILL.md").unwrap();
    header.set_size(FILE);
    header.set_mode(0o644);
    header.set_cksum();
    let mut gzip = Command::new("gzip")
        .arg("-1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = gzip.stdin.take().unwrap();
    let writer = thread::spawn(move || {
        stdin.write_all(header.as_bytes()).unwrap();
        let zeros = vec![0; 1024 * 1024];
        for _ in 0..=FILE / zeros.len() as u64 {
            stdin.write_all(&zeros).unwrap();
        }
    });
    let output = gzip.wait_with_output().unwrap();
    writer.join().unwrap();
    output.stdout
}

#[test]
fn rx7_a_decompression_bomb_is_refused() {
    let deployment = Deployment::files();
    let client = deployment.publisher();
    let server = deployment.start();
    let bomb = bomb();
    let answer = client.publish(server.port, "pdf/1.0.0", &bomb).unwrap();
    assert_eq!(answer.status, 422, "{}", answer.text());
    assert_eq!(answer.problem(), "invalid-package");
    assert_absent(&client, server.port, "pdf/1.0.0");
}

#[test]
fn rx7_a_revoked_token_and_a_wrong_scope_are_refused() {
    let deployment = Deployment::files();
    let (id, client) = deployment.token("alice", "publish");
    let (_, reader) = deployment.token("bob", "read");
    let server = deployment.start();
    let bytes = package("pdf", "pages", 1000);
    let answer = reader.publish(server.port, "pdf/1.0.0", &bytes).unwrap();
    assert_eq!(answer.status, 403, "{}", answer.text());
    let answer = client.publish(server.port, "pdf/1.0.0", &bytes).unwrap();
    assert_eq!(answer.status, 201, "{}", answer.text());
    let yank = client.ask(server.port, "DELETE", &path("pdf/1.0.0", ""), b"");
    assert_eq!(yank.unwrap().status, 403);
    let revoked = deployment.command(&["token", "revoke", &id]).output();
    assert!(revoked.unwrap().status.success());
    let began = Instant::now();
    while client
        .publish(server.port, "pdf/1.0.0", &bytes)
        .unwrap()
        .status
        != 401
    {
        assert!(began.elapsed() < Duration::from_secs(10), "still accepted");
    }
    println!("refused after {} ms", began.elapsed().as_millis());
}
