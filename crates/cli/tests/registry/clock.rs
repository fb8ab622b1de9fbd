//! RX5: replicas whose clocks differ.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use prowess_testing::fake_time;

use crate::client::path;
use crate::deployment::{Deployment, package};
use crate::server::Server;

const TWO_HOURS: i64 = 7200;

fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(now.as_secs()).unwrap()
}

#[test]
fn rx5_times_are_those_of_the_database() {
    // Not a bucket: stores refuse requests whose clock is wrong.
    let deployment = Deployment::postgres_and_directory();
    let client = deployment.publisher();
    let mut ahead = deployment.serve();
    fake_time(&mut ahead, "+2h");
    let servers = [Server::start(&mut ahead), deployment.start()];
    // The clock of the first one is really ahead.
    let answer = client.get(servers[0].port, "/readyz").unwrap();
    let date = answer.head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("date").then(|| value.to_owned())
    });
    let date = jiff::fmt::rfc2822::parse(&date.unwrap()).unwrap();
    let difference = date.timestamp().as_second() - now();
    assert!((difference - TWO_HOURS).abs() < 60, "{difference}");
    let mut times: Vec<Timestamp> = Vec::new();
    for number in 0..6 {
        let port = servers[number % 2].port;
        let version = format!("pdf/1.{number}.0");
        let bytes = package("pdf", &format!("part {number}"), 1000);
        let answer = client.publish(port, &version, &bytes).unwrap();
        assert_eq!(answer.status, 201, "{}", answer.text());
        let info = client.get(port, &path(&version, "")).unwrap().json();
        times.push(info["published_at"].as_str().unwrap().parse().unwrap());
    }
    assert!(times.is_sorted(), "{times:?}");
    for time in times {
        assert!((time.as_second() - now()).abs() < 60, "{time}");
    }
    for server in &servers {
        let latest = client.get(server.port, &path("pdf/latest", "")).unwrap();
        assert_eq!(latest.json()["version"], "1.5.0");
    }
}
