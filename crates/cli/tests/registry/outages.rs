//! RX6: a storage or a database that is down for a while.

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use prowess_testing::run;
use prowess_testing::s3::Fault;

use crate::client::{Client, path};
use crate::database::Postgres;
use crate::deployment::{Deployment, assert_absent, assert_whole, package};
use crate::server::DEADLINE;

/// Another server with other parts, which does not notice anything.
fn assert_other_pair_works(files: &Deployment) {
    let client = files.publisher();
    let server = files.start();
    let bytes = package("pdf", "pages", 1000);
    let answer = client.publish(server.port, "pdf/1.0.0", &bytes).unwrap();
    assert_eq!(answer.status, 201, "{}", answer.text());
    assert_whole(&client, server.port, "pdf/1.0.0", &bytes);
}

#[test]
fn rx6_a_storage_that_is_down_leaves_nothing_half() {
    let deployment = Deployment::services();
    let client = deployment.publisher();
    let server = deployment.start();
    let bucket = &deployment.bucket.as_ref().unwrap().server;
    let first = package("pdf", "first", 1000);
    let answer = client.publish(server.port, "pdf/1.0.0", &first).unwrap();
    assert_eq!(answer.status, 201, "{}", answer.text());
    for (number, fault) in [
        Fault::Status(503, usize::MAX),
        Fault::Status(403, usize::MAX),
        Fault::LostWrites,
        Fault::Silence,
    ]
    .into_iter()
    .enumerate()
    {
        let version = format!("pdf/1.1.{number}");
        let bytes = package("pdf", &format!("outage {number}"), 200_000);
        bucket.set_fault(fault);
        let began = Instant::now();
        let answer = client.publish(server.port, &version, &bytes).unwrap();
        assert_eq!(answer.status, 503, "{fault:?}: {}", answer.text());
        assert_eq!(answer.problem(), "unavailable");
        println!("{fault:?}: 503 after {} ms", began.elapsed().as_millis());
        assert_absent(&client, server.port, &version);
        // What needs no bytes still works.
        for part in ["", "/manifest"] {
            let answer = client.get(server.port, &path("pdf/1.0.0", part)).unwrap();
            assert_eq!(answer.status, 200, "{}", answer.text());
        }
        bucket.set_fault(Fault::None);
        let answer = client.publish(server.port, &version, &bytes).unwrap();
        assert_eq!(answer.status, 201, "{fault:?}: {}", answer.text());
        assert_whole(&client, server.port, &version, &bytes);
    }
    assert_whole(&client, server.port, "pdf/1.0.0", &first);
}

/// A PostgreSQL server that can be stopped and started again.
struct Restartable {
    programs: PathBuf,
    data: PathBuf,
    port: u16,
}

impl Restartable {
    fn of(database: &Postgres) -> Self {
        let url = database.url();
        let mut psql = Command::new("psql");
        let data = run(psql.args(["-qtAc", "SHOW data_directory", url.expose()]));
        let mut versions: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
            .unwrap()
            .map(|entry| entry.unwrap().path().join("bin"))
            .filter(|bin| bin.join("pg_ctl").exists())
            .collect();
        versions.sort();
        let port = url.expose().rsplit([':', '/']).nth(1).unwrap();
        Self {
            programs: versions.pop().unwrap(),
            data: data.trim().into(),
            port: port.parse().unwrap(),
        }
    }

    fn control(&self, arguments: &[&str]) {
        let mut command = Command::new(self.programs.join("pg_ctl"));
        if rustix::process::geteuid().is_root() {
            command.uid(65534).gid(65534);
        }
        command
            .args(arguments)
            .args(["--silent", "--wait", "-l", "log", "-D"])
            .arg(&self.data)
            .current_dir(self.data.parent().unwrap())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        assert!(command.status().unwrap().success());
    }

    /// As a crash does it: nobody is asked to finish.
    fn stop(&self) {
        self.control(&["stop", "--mode=immediate"]);
    }

    fn start(&self) {
        let port = self.port;
        let sockets = self.data.parent().unwrap().display();
        let options = format!(
            "-p {port} -c listen_addresses=127.0.0.1 -c fsync=off -c unix_socket_directories={sockets}"
        );
        self.control(&["start", "-o", &options]);
    }
}

/// Publishes versions until it is told to stop; those that were refused, and those that were stored.
fn publish_until(client: &Client, port: u16, name: &str, is_over: &AtomicBool) -> [Vec<usize>; 2] {
    let mut outcomes = [Vec::new(), Vec::new()];
    for number in 0.. {
        if is_over.load(Ordering::SeqCst) {
            break;
        }
        let bytes = package(name, &format!("{name} {number}"), 1000);
        let answer = client.publish(port, &format!("{name}/1.0.{number}"), &bytes);
        let answer = answer.unwrap();
        match answer.status {
            201 => outcomes[1].push(number),
            503 => {
                assert_eq!(answer.problem(), "unavailable");
                outcomes[0].push(number);
            }
            other => panic!("{other}: {}", answer.text()),
        }
    }
    outcomes
}

#[test]
fn rx6_a_database_that_is_down_leaves_nothing_half() {
    let deployment = Deployment::services();
    let client = deployment.publisher();
    let server = deployment.start();
    let database = Restartable::of(deployment.database.as_ref().unwrap());
    let files = Deployment::files();
    let is_over = AtomicBool::new(false);
    let outcomes = Mutex::new(Vec::new());
    let names = ["one", "two", "three"];
    thread::scope(|scope| {
        for name in names {
            let (client, is_over, outcomes) = (&client, &is_over, &outcomes);
            let port = server.port;
            scope.spawn(move || {
                let found = publish_until(client, port, name, is_over);
                outcomes.lock().unwrap().push((name, found));
            });
        }
        // Until something is stored, so that the stop is in the middle.
        while client
            .get(server.port, &path("one/1.0.3", ""))
            .unwrap()
            .status
            != 200
        {}
        database.stop();
        let began = Instant::now();
        let answer = client.get(server.port, &path("one/1.0.0", "")).unwrap();
        assert_eq!(answer.status, 503, "{}", answer.text());
        assert_eq!(answer.problem(), "unavailable");
        println!("503 after {} ms", began.elapsed().as_millis());
        assert_other_pair_works(&files);
        database.start();
        // The same process works again.
        let began = Instant::now();
        while client
            .get(server.port, &path("one/1.0.0", ""))
            .unwrap()
            .status
            != 200
        {
            assert!(began.elapsed() < DEADLINE);
        }
        println!("works again after {} ms", began.elapsed().as_millis());
        is_over.store(true, Ordering::SeqCst);
    });
    let mut refused = 0;
    for (name, [failed, stored]) in outcomes.into_inner().unwrap() {
        let version = |number: usize| format!("{name}/1.0.{number}");
        let bytes = |number: usize| package(name, &format!("{name} {number}"), 1000);
        for number in stored {
            assert_whole(&client, server.port, &version(number), &bytes(number));
        }
        refused += failed.len();
        for number in failed {
            let (version, bytes) = (version(number), bytes(number));
            // The answer of a version that is stored may be lost, but then it is whole.
            let info = client.get(server.port, &path(&version, "")).unwrap();
            if info.status == 404 {
                assert_absent(&client, server.port, &version);
            } else {
                assert_whole(&client, server.port, &version, &bytes);
            }
            let again = client.publish(server.port, &version, &bytes).unwrap();
            assert!([200, 201].contains(&again.status), "{}", again.text());
            assert_whole(&client, server.port, &version, &bytes);
        }
    }
    assert!(refused > 0);
}
