//! RX1: two replicas, one of which is killed every second.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::client::{Answer, Client, path};
use crate::deployment::{Deployment, assert_whole, digest, package};
use crate::server::DEADLINE;

const KILLS: usize = 12;
const RHYTHM: Duration = Duration::from_secs(1);
/// Clients that publish versions of their own, clients that publish the same versions, and clients that read.
const WRITERS: usize = 3;
const RIVALS: usize = 3;
const READERS: usize = 4;

/// What all clients saw.
#[derive(Default)]
struct Seen {
    requests: usize,
    first_errors: usize,
    errors: Vec<String>,
    published: usize,
    conflicts: usize,
    /// Versions that a client was told are published, with their bytes.
    stored: BTreeMap<String, Vec<u8>>,
    /// The digests that clients were told for each version.
    digests: BTreeMap<String, BTreeSet<String>>,
}

struct Replicas<'a> {
    ports: [AtomicU16; 2],
    client: &'a Client,
    seen: Mutex<Seen>,
    is_over: AtomicBool,
}

impl Replicas<'_> {
    /// Sends a request to a replica, and once more to the other one if that fails.
    fn ask(&self, first: usize, method: &str, path: &str, body: &[u8]) -> Option<Answer> {
        let send = |replica: usize| {
            let port = self.ports[replica % 2].load(Ordering::SeqCst);
            match self.client.ask(port, method, path, body) {
                Ok(answer) if answer.status >= 500 => {
                    let text = format!("{} {}", answer.status, answer.text());
                    Err(io::Error::other(text))
                }
                other => other,
            }
        };
        self.seen().requests += 1;
        if let Ok(answer) = send(first) {
            return Some(answer);
        }
        self.seen().first_errors += 1;
        match send(first + 1) {
            Ok(answer) => Some(answer),
            Err(error) => {
                let line = format!("{method} {path}: {error}");
                self.seen().errors.push(line);
                None
            }
        }
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn publish(&self, replica: usize, version: &str, bytes: Vec<u8>) {
        let Some(answer) = self.ask(replica, "PUT", &path(version, ""), &bytes) else {
            return;
        };
        let mut seen = self.seen();
        match answer.status {
            201 | 200 => {
                seen.published += 1;
                let told = answer.json()["digest"].as_str().unwrap().to_owned();
                assert_eq!(told, digest(&bytes));
                seen.digests.entry(version.into()).or_default().insert(told);
                seen.stored.insert(version.to_owned(), bytes);
            }
            409 => seen.conflicts += 1,
            _ => panic!("{version}: {} {}", answer.status, answer.text()),
        }
    }

    /// Versions that nobody else publishes.
    fn write(&self, writer: usize) {
        for number in 0.. {
            let name = format!("writer-{writer}");
            let bytes = package(&name, &format!("{name} {number}"), 20_000);
            self.publish(number, &format!("{name}/1.0.{number}"), bytes);
            if self.is_over.load(Ordering::SeqCst) {
                return;
            }
        }
    }

    /// Versions that all rivals publish, each with other bytes.
    fn compete(&self, rival: usize) {
        for number in 0.. {
            let bytes = package("rivals", &format!("rival {rival} {number}"), 20_000);
            self.publish(number + rival, &format!("rivals/1.0.{number}"), bytes);
            if self.is_over.load(Ordering::SeqCst) {
                return;
            }
        }
    }

    /// Reads what is published.
    fn read(&self, reader: usize) {
        for number in reader.. {
            let known = {
                let seen = self.seen();
                let count = seen.stored.len().max(1);
                seen.stored.keys().nth(number * 7 % count).cloned()
            };
            let get = |path: &str| self.ask(number, "GET", path, b"");
            if let Some(version) = known {
                if let Some(answer) = get(&path(&version, "/manifest")) {
                    assert_eq!(answer.status, 200, "{version}: {}", answer.text());
                }
                if let Some(answer) = get(&path(&version, "/download")) {
                    assert_eq!(answer.status, 200, "{version}: {}", answer.text());
                    let found = digest(&answer.body);
                    self.seen().digests.get_mut(&version).unwrap().insert(found);
                }
            }
            if let Some(answer) = get("/api/v1/search?q=writer") {
                assert_eq!(answer.status, 200, "{}", answer.text());
            }
            if self.is_over.load(Ordering::SeqCst) {
                return;
            }
        }
    }
}

#[test]
fn rx1_nothing_is_lost_while_replicas_are_killed() {
    let deployment = Deployment::services();
    let client = deployment.publisher();
    let mut servers = [deployment.start(), deployment.start()];
    let replicas = Replicas {
        ports: [servers[0].port.into(), servers[1].port.into()],
        client: &client,
        seen: Mutex::default(),
        is_over: AtomicBool::new(false),
    };
    thread::scope(|scope| {
        let replicas = &replicas;
        for number in 0..WRITERS {
            scope.spawn(move || replicas.write(number));
        }
        for number in 0..RIVALS {
            scope.spawn(move || replicas.compete(number));
        }
        for number in 0..READERS {
            scope.spawn(move || replicas.read(number));
        }
        for kill in 0..KILLS {
            // The rhythm of the kills; nothing waits for its end.
            thread::sleep(RHYTHM);
            servers[kill % 2].signal(Signal::KILL);
            servers[kill % 2] = deployment.start();
            replicas.ports[kill % 2].store(servers[kill % 2].port, Ordering::SeqCst);
        }
        thread::sleep(RHYTHM);
        replicas.is_over.store(true, Ordering::SeqCst);
    });
    let seen = replicas.seen.into_inner().unwrap();
    let mut lost = Vec::new();
    for (number, (version, bytes)) in seen.stored.iter().enumerate() {
        let port = servers[number % 2].port;
        let info = client.get(port, &path(version, "")).unwrap();
        if info.status == 404 {
            lost.push(version);
        } else {
            assert_whole(&client, port, version, bytes);
        }
    }
    println!(
        "| requests | publishes | refused, another was first | kills | errors | errors after one retry | lost publishes |"
    );
    println!("|---|---|---|---|---|---|---|");
    println!(
        "| {} | {} | {} | {KILLS} | {} | {} | {} |",
        seen.requests,
        seen.published,
        seen.conflicts,
        seen.first_errors,
        seen.errors.len(),
        lost.len()
    );
    assert!(lost.is_empty(), "{lost:?}");
    assert!(seen.errors.is_empty(), "{:#?}", seen.errors);
    for (version, digests) in &seen.digests {
        assert_eq!(digests.len(), 1, "{version}: {digests:?}");
    }
    assert!(seen.published > KILLS && seen.conflicts > 0);
    // Both replicas find everything before long.
    for server in &servers {
        let began = Instant::now();
        loop {
            let found = client.get(server.port, "/api/v1/search?q=writer").unwrap();
            if found.json().as_array().unwrap().len() == WRITERS {
                break;
            }
            assert!(began.elapsed() < DEADLINE, "{}", found.text());
        }
    }
}
