//! RX2: a server that is killed while it stores a version.

use std::env;
use std::thread;
use std::time::{Duration, Instant};

use prowess_testing::{Random, median};
use rustix::process::Signal;

use crate::client::{Client, path};
use crate::deployment::{Deployment, assert_absent, assert_whole, package};

/// How often the server is killed, unless the environment says another number.
const KILLS: usize = 60;
/// The shortest range of moments, in milliseconds after the beginning of a request.
const LATEST: u128 = 30;

/// The latest moment of a kill in microseconds: about half of all publishes end before theirs.
fn latest(deployment: &Deployment, client: &Client) -> usize {
    let mut times = Vec::new();
    for number in 0..3 {
        let server = deployment.start();
        let bytes = package("pdf", &format!("alive {number}"), 100_000);
        let began = Instant::now();
        let answer = client.publish(server.port, &format!("pdf/0.0.{number}"), &bytes);
        times.push(began.elapsed());
        assert_eq!(answer.unwrap().status, 201);
    }
    let publish = median(times).as_micros();
    (publish * 2).max(LATEST * 1000).try_into().unwrap()
}

#[test]
fn rx2_a_killed_publish_is_whole_or_absent() {
    let kills = env::var("PROWESS_KILLS").map_or(KILLS, |it| it.parse().unwrap());
    let deployment = Deployment::files();
    let client = deployment.publisher();
    let latest = latest(&deployment, &client);
    let mut random = Random::of_run(2);
    let (mut whole, mut answered) = (0, 0);
    let began = Instant::now();
    for number in 0..kills {
        let version = format!("pdf/1.0.{number}");
        let bytes = package("pdf", &format!("kill {number}"), 100_000);
        let server = deployment.start();
        let delay = Duration::from_micros(random.below(latest) as u64);
        let outcome = thread::scope(|scope| {
            let publish = scope.spawn(|| client.publish(server.port, &version, &bytes));
            // The moment of the kill is what is tested.
            thread::sleep(delay);
            server.signal(Signal::KILL);
            publish.join().unwrap()
        });
        drop(server);
        let server = deployment.start();
        let was_answered = outcome.is_ok_and(|it| it.status == 201);
        answered += usize::from(was_answered);
        let info = client.get(server.port, &path(&version, "")).unwrap();
        if info.status == 200 {
            whole += 1;
            assert_whole(&client, server.port, &version, &bytes);
        } else {
            assert!(!was_answered, "{version} was lost");
            assert_absent(&client, server.port, &version);
        }
        let again = client.publish(server.port, &version, &bytes).unwrap();
        let expected = if info.status == 200 { 200 } else { 201 };
        assert_eq!(again.status, expected, "{version}: {}", again.text());
        assert_whole(&client, server.port, &version, &bytes);
    }
    let absent = kills - whole;
    println!("| kills | whole | of these answered | absent | seconds |\n|---|---|---|---|---|");
    let seconds = began.elapsed().as_secs();
    println!("| {kills} | {whole} | {answered} | {absent} | {seconds} |");
    // Otherwise the moments were all too early or all too late.
    assert!(absent > 0 && whole > 0, "{absent} absent, {whole} whole");
}
