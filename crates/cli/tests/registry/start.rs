//! RX4, RX8, DU21: starting and stopping.

use std::fs;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use prowess_testing::s3::Fault;
use prowess_testing::{ClosedPort, free_port};

use crate::client::{Client, path};
use crate::deployment::{Deployment, assert_whole, package};
use crate::support::TestProject;

#[test]
fn rx4_two_servers_start_at_once_on_an_empty_database() {
    let deployment = Deployment::services();
    let servers: Vec<_> = thread::scope(|scope| {
        let starts: Vec<_> = (0..2).map(|_| scope.spawn(|| deployment.start())).collect();
        starts.into_iter().map(|it| it.join().unwrap()).collect()
    });
    let bytes = package("pdf", "pages", 1000);
    for (server, expected) in servers.iter().zip([201, 200]) {
        // Tokens that are created now are known within two seconds; that of the console is known at once.
        let console = server.ready["console"].as_str().unwrap();
        let token = console.split_once("#token=").unwrap().1.to_owned();
        let client = Client { token: Some(token) };
        let answer = client.publish(server.port, "pdf/1.0.0", &bytes).unwrap();
        assert_eq!(answer.status, expected, "{}", answer.text());
        for server in &servers {
            assert_whole(&Client { token: None }, server.port, "pdf/1.0.0", &bytes);
        }
    }
}

#[test]
fn rx10_a_registry_does_not_start_without_its_database() {
    let port = free_port();
    let _closed = ClosedPort::new(port);
    let project = TestProject::new();
    let configure = |registry: &str| {
        let text =
            format!("[store]\nurl = \"postgres://u:hunter2@127.0.0.1:{port}/d\"\n{registry}");
        project.write("home/.config/prowess/prowess.toml", text);
    };
    let storage = project.path("packages");
    let storage = format!("[registry]\nstorage = \"{}\"\n", storage.display());
    // Whether or not packages are stored elsewhere: it could not keep what it acknowledges.
    for registry in [storage.as_str(), ""] {
        configure(registry);
        let run = project.run(&["serve", "--bind", "127.0.0.1:0"]);
        assert_eq!(run.code, Some(1), "{}", run.snapshot());
        assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
    }
}

#[test]
fn rx8_downloads_are_counted_across_a_restart() {
    let deployment = Deployment::files();
    let client = deployment.publisher();
    let server = deployment.start();
    let bytes = package("pdf", "pages", 1000);
    let answer = client.publish(server.port, "pdf/1.0.0", &bytes).unwrap();
    assert_eq!(answer.status, 201, "{}", answer.text());
    for _ in 0..3 {
        let answer = client.get(server.port, &path("pdf/1.0.0", "/download"));
        assert_eq!(answer.unwrap().status, 200);
    }
    server.stop();
    let server = deployment.start();
    let info = client.get(server.port, &path("pdf", "")).unwrap().json();
    assert_eq!(info["downloads"], 3, "{info}");
    assert_eq!(info["versions"][0]["downloads"], 3, "{info}");
}

#[test]
fn du21_packages_in_a_bucket_are_counted_and_removed() {
    let deployment = Deployment::services();
    let client = deployment.publisher();
    let bytes = package("pdf", "pages", 1000);
    let server = deployment.start();
    let answer = client.publish(server.port, "pdf/1.0.0", &bytes).unwrap();
    assert_eq!(answer.status, 201, "{}", answer.text());
    drop(server);
    let doctor = || {
        let output = deployment.command(&["doctor"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let shown = doctor();
    assert!(
        shown.contains("every stored package has a version"),
        "{shown}"
    );
    let object = |digit: char| {
        let name = format!(
            "registry/packages/sha256/{digit}{digit}/{}",
            digit.to_string().repeat(62)
        );
        deployment.bucket.as_ref().unwrap().server.object(&name)
    };
    let (old, new) = (object('1'), object('2'));
    for path in [&old, &new] {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "a package").unwrap();
    }
    let day_ago = SystemTime::now() - Duration::from_hours(25);
    let file = fs::File::options().write(true).open(&old).unwrap();
    file.set_modified(day_ago).unwrap();
    let shown = doctor();
    assert!(
        shown.contains("1 stored package without a version"),
        "{shown}"
    );
    let server = deployment.start();
    let end = Instant::now() + Duration::from_mins(1);
    while old.exists() {
        assert!(Instant::now() < end, "never removed");
        thread::yield_now();
    }
    assert!(new.exists());
    drop(server);
    // A storage that does not answer is no reason to wait for it.
    deployment
        .bucket
        .as_ref()
        .unwrap()
        .server
        .set_fault(Fault::Silence);
    let shown = doctor();
    assert!(shown.contains("timed out after 3 s"), "{shown}");
}
