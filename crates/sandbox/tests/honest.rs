//! What honest programs need.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::thread;

use prowess_sandbox::{
    Command, Confinement, Isolation, Limits, Mount, Network, Requirement, Sandbox,
};
use support::{
    again_as_nobody, confinement, copy_program, finish, launcher, mount, python, sandbox, shell,
    ways,
};

fn skill() -> tempfile::TempDir {
    let place = tempfile::tempdir_in("/tmp").unwrap();
    fs::write(place.path().join("words.txt"), "from the skill").unwrap();
    fs::write(
        place.path().join("run.sh"),
        "#!/bin/sh\necho \"$0\" \"$@\"\n",
    )
    .unwrap();
    fs::set_permissions(
        place.path().join("run.sh"),
        fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    place
}

fn with_skill(place: &Path) -> Confinement {
    Confinement {
        read_only: vec![mount(place, "/skill")],
        working_directory: "/skill".into(),
        ..confinement()
    }
}

#[test]
fn reads_its_skill_writes_to_tmp_and_prints() {
    let place = skill();
    for way in ways() {
        let text = "
import os, tempfile, multiprocessing
words = open('words.txt').read()
with tempfile.NamedTemporaryFile('w+') as file:
    file.write(words); file.flush(); file.seek(0)
    print(os.getcwd(), file.read(), os.getuid(), os.uname().nodename, os.path.dirname(file.name))
with multiprocessing.Pool(2) as pool:
    print(pool.map(abs, [-1, -2]))
";
        let done = python(way, &with_skill(place.path()), text);
        assert_eq!(
            done.text(),
            "/skill from the skill 1000 sandbox /tmp\n[1, 2]\n",
            "{way}: {done:?}"
        );
        assert_eq!(done.status.code(), Some(0));
    }
}

#[test]
fn a_script_of_the_skill_runs() {
    let place = skill();
    for way in ways() {
        let command = Command::new("/skill/run.sh").arguments(["a", "b c"]);
        let done = finish(
            sandbox(way)
                .spawn(&command, &with_skill(place.path()))
                .unwrap(),
        );
        assert_eq!(done.text(), "/skill/run.sh a b c\n", "{way}: {done:?}");
    }
}

#[test]
fn other_languages_start() {
    for program in ["/usr/bin/node", "/usr/bin/perl", "/usr/bin/ruby"] {
        if !Path::new(program).exists() {
            continue;
        }
        let own = Confinement::default();
        let flag = "-e";
        let text = if program.ends_with("node") {
            "console.log(6*7)"
        } else {
            "print 6*7, \"\\n\""
        };
        let done = finish(
            sandbox(Isolation::Namespaces)
                .spawn(&Command::new(program).arguments([flag, text]), &own)
                .unwrap(),
        );
        assert_eq!(done.text().trim(), "42", "{program}: {done:?}");
    }
}

#[test]
fn interpreter_in_another_directory_is_mounted() {
    let place = tempfile::tempdir_in("/tmp").unwrap();
    let prefix = place.path().join("prefix/bin");
    fs::create_dir_all(&prefix).unwrap();
    copy_program(Path::new("/bin/sh"), &prefix.join("own-sh"));
    for way in ways() {
        let own = Confinement {
            read_only: vec![Mount::same(place.path().join("prefix"))],
            ..confinement()
        };
        let command = Command::new(prefix.join("own-sh")).arguments(["-c", "echo here"]);
        let done = finish(sandbox(way).spawn(&command, &own).unwrap());
        assert_eq!(done.text(), "here\n", "{way}: {done:?}");
    }
}

#[test]
fn project_can_be_writable() {
    for way in ways() {
        let project = tempfile::tempdir_in("/tmp").unwrap();
        let own = Confinement {
            read_write: vec![mount(project.path(), "/project")],
            ..confinement()
        };
        let done = shell(
            way,
            &own,
            "echo new > /project/made && mkdir /project/d && mv /project/made /project/d/",
        );
        assert_eq!(done.status.code(), Some(0), "{way}: {done:?}");
        let made = project.path().join("d/made");
        assert_eq!(fs::read_to_string(&made).unwrap(), "new\n");
        let ours = fs::metadata(project.path()).unwrap();
        assert_eq!(fs::metadata(made).unwrap().uid(), ours.uid());
    }
}

#[test]
fn network_can_be_allowed() {
    for way in ways() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let answer = thread::spawn(move || {
            let (mut other, _) = listener.accept().unwrap();
            other.write_all(b"hello").unwrap();
        });
        let own = Confinement {
            network: Network::Host,
            ..confinement()
        };
        let text = format!(
            "import socket; s = socket.create_connection(('localhost', {port})); print(s.recv(9))"
        );
        let done = python(way, &own, &text);
        assert_eq!(done.text(), "b'hello'\n", "{way}: {done:?}");
        answer.join().unwrap();
    }
}

#[test]
fn paths_are_translated_without_a_sandbox() {
    let place = skill();
    let own = Sandbox::new(launcher(), Requirement::ExplicitlyNone);
    let command = Command::new("/skill/run.sh").arguments(["/skill/words.txt", "x"]);
    let done = finish(own.spawn(&command, &with_skill(place.path())).unwrap());
    let root = place.path().display();
    assert_eq!(
        done.text(),
        format!("{root}/run.sh {root}/words.txt x\n"),
        "{done:?}"
    );
}

#[test]
fn limits_hold_without_a_sandbox() {
    let own = Confinement {
        limits: Limits {
            open_files: 20,
            ..Limits::default()
        },
        ..confinement()
    };
    let done = shell(Isolation::None, &own, "ulimit -n; ulimit -c");
    assert_eq!(done.text(), "20\n0\n", "{done:?}");
}

#[test]
fn reads_its_skill_as_nobody() {
    again_as_nobody("reads_its_skill_writes_to_tmp_and_prints");
}

#[test]
fn project_can_be_writable_as_nobody() {
    again_as_nobody("project_can_be_writable");
}

#[test]
fn network_can_be_allowed_as_nobody() {
    again_as_nobody("network_can_be_allowed");
}
