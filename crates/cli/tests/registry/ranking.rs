//! RX9: the same query has the same first result, whatever the parts of a server are.

use std::fmt::Write as _;
use std::time::Instant;

use prowess_registry::{PackageFile, PackageTree, pack};
use prowess_spec::SkillPath;
use prowess_testing::skill_text;

use crate::client::Client;
use crate::deployment::Deployment;
use crate::server::{DEADLINE, Server};

#[allow(dead_code, reason = "the benchmark uses more of it")]
#[path = "../../../core/benches/search/labelled.rs"]
mod labelled;
#[allow(
    dead_code,
    clippy::cast_precision_loss,
    reason = "the benchmark uses more of it"
)]
#[path = "../../../core/benches/search/own.rs"]
mod own;

fn encoded(query: &str) -> String {
    let mut text = String::new();
    for byte in query.bytes() {
        if byte.is_ascii_alphanumeric() {
            text.push(char::from(byte));
        } else {
            write!(text, "%{byte:02X}").unwrap();
        }
    }
    text
}

/// Publishes the labelled skills; waits until all can be found.
fn fill(client: &Client, server: &Server, skills: &[labelled::Skill]) {
    for skill in skills {
        let name = skill.id.rsplit('/').next().unwrap();
        let description = serde_json::to_string(&skill.description).unwrap();
        let file = PackageFile {
            bytes: skill_text(name, &description, &skill.body).into_bytes(),
            executable: false,
        };
        let tree = PackageTree::new([(SkillPath::parse("SKILL.md").unwrap(), file)]).unwrap();
        let version = format!("{}/1.0.0", skill.id);
        let answer = client.publish(server.port, &version, &pack(&tree).unwrap());
        let answer = answer.unwrap();
        assert_eq!(answer.status, 201, "{version}: {}", answer.text());
    }
    let began = Instant::now();
    let wanted = format!("x-total-count: {}\r\n", skills.len());
    loop {
        let all = client.get(server.port, "/api/v1/search?limit=1").unwrap();
        if format!("{}\r\n", all.head).contains(&wanted) {
            return;
        }
        assert!(began.elapsed() < DEADLINE, "{}", all.head);
    }
}

#[test]
fn rx9_both_databases_give_the_same_first_results() {
    let (skills, tasks) = (own::skills(), own::tasks());
    let deployments = [Deployment::files(), Deployment::services()];
    let servers = deployments.each_ref().map(|deployment| {
        let client = deployment.publisher();
        let server = deployment.start();
        fill(&client, &server, &skills);
        (client, server)
    });
    let (mut same, mut right) = (0, 0);
    for task in &tasks {
        let path = format!("/api/v1/search?limit=5&q={}", encoded(task.query));
        let firsts = servers.each_ref().map(|(client, server)| {
            let answer = client.get(server.port, &path).unwrap();
            assert_eq!(answer.status, 200, "{}", answer.text());
            answer.json()[0]["name"].as_str().map(str::to_owned)
        });
        same += usize::from(firsts[0] == firsts[1]);
        let is_right = firsts[0]
            .as_deref()
            .is_some_and(|it| task.expected.contains(&it));
        right += usize::from(is_right);
    }
    let count = tasks.len();
    println!("{count} tasks: the same first result for {same}, the right one for {right}");
    assert!(same * 100 >= count * 95, "{same} of {count}");
    assert!(right * 2 > count, "{right} of {count}");
}
