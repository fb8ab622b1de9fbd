//! RX3: one version, published with many contents at the same moment.

use std::sync::Barrier;
use std::thread;

use crate::client::{Client, path};
use crate::deployment::{Deployment, assert_whole, digest, package};
use crate::server::Server;

const CLIENTS: usize = 50;

fn one_wins(client: &Client, servers: &[Server]) {
    let contents: Vec<Vec<u8>> = (0..CLIENTS)
        .map(|number| package("pdf", &format!("content {number}"), 4096))
        .collect();
    let barrier = Barrier::new(CLIENTS);
    let statuses: Vec<u16> = thread::scope(|scope| {
        let threads: Vec<_> = contents
            .iter()
            .enumerate()
            .map(|(number, bytes)| {
                let barrier = &barrier;
                let port = servers[number % servers.len()].port;
                scope.spawn(move || {
                    barrier.wait();
                    let answer = client.publish(port, "pdf/1.0.0", bytes).unwrap();
                    if answer.status == 409 {
                        assert_eq!(answer.problem(), "version-exists");
                    }
                    answer.status
                })
            })
            .collect();
        threads.into_iter().map(|it| it.join().unwrap()).collect()
    });
    let count = |wanted: u16| statuses.iter().filter(|it| **it == wanted).count();
    assert_eq!((count(201), count(409)), (1, CLIENTS - 1), "{statuses:?}");
    let winner = statuses.iter().position(|it| *it == 201).unwrap();
    for server in servers {
        assert_whole(client, server.port, "pdf/1.0.0", &contents[winner]);
        let info = client.get(server.port, &path("pdf", "")).unwrap().json();
        assert_eq!(info["versions"].as_array().unwrap().len(), 1);
        assert_eq!(info["versions"][0]["digest"], digest(&contents[winner]));
    }
}

#[test]
fn rx3_one_of_fifty_contents_is_published_with_files() {
    let deployment = Deployment::files();
    let client = deployment.publisher();
    one_wins(&client, &[deployment.start()]);
}

#[test]
fn rx3_one_of_fifty_contents_is_published_with_two_replicas() {
    let deployment = Deployment::services();
    let client = deployment.publisher();
    one_wins(&client, &[deployment.start(), deployment.start()]);
}
