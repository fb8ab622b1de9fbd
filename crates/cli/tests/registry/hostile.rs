//! Q56: packages that are made to end the program that audits them.

use std::thread;

use prowess_registry::{PackageFile, PackageTree, pack};
use prowess_spec::SkillPath;
use prowess_testing::{hostile_programs, skill_text};

use crate::client::path;
use crate::deployment::Deployment;

fn package(name: &str, path: &str, text: &str) -> Vec<u8> {
    let skill = skill_text(name, "Tests parsers. Use it for tests.", "# Test\n");
    let files = [("SKILL.md", skill.as_str()), (path, text)].map(|(path, text)| {
        let bytes = text.as_bytes().to_vec();
        let executable = false;
        (
            SkillPath::parse(path).unwrap(),
            PackageFile { bytes, executable },
        )
    });
    pack(&PackageTree::new(files).unwrap()).unwrap()
}

#[test]
fn q56_a_package_that_kills_a_parser_does_not_end_the_registry() {
    let deployment = Deployment::files();
    let client = deployment.publisher();
    let mut server = deployment.start();
    let port = server.port;
    thread::scope(|scope| {
        let publishing: Vec<_> = hostile_programs()
            .into_iter()
            .enumerate()
            .map(|(at, (file, text))| {
                let client = &client;
                scope.spawn(move || {
                    let name = format!("hostile-{at}");
                    let bytes = package(&name, file, &text);
                    let answer = client.publish(port, &format!("{name}/1.0.0"), &bytes);
                    (file, answer.unwrap().status)
                })
            })
            .collect();
        // Others are served meanwhile.
        for _ in 0..200 {
            assert_eq!(
                client.get(port, "/api/v1/search?limit=1").unwrap().status,
                200
            );
        }
        for publish in publishing {
            let (file, status) = publish.join().unwrap();
            assert_eq!(status, 201, "{file}");
        }
    });
    let info = client.get(port, &path("hostile-2", "")).unwrap().json();
    assert_eq!(info["versions"][0]["verdict"], "unverified", "{info}");
    assert!(server.child.try_wait().unwrap().is_none());
}
