//! What is not started, and why.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod support;

use std::fs;

use prowess_sandbox::{
    AbilityState, Command, Confinement, Isolation, Launcher, Mount, Requirement, Sandbox,
    SandboxError, abilities,
};
use support::{again_as_nobody, confinement, copy_program, finish, launcher, sandbox, ways};

#[test]
fn invalid_programs_are_rejected_with_a_reason() {
    let refused = |confinement: &Confinement, program: &str| {
        let error = sandbox(Isolation::Namespaces)
            .spawn(&Command::new(program), confinement)
            .unwrap_err();
        error.to_string()
    };
    let own = confinement();
    assert_eq!(
        refused(&own, "/no/such"),
        "cannot start `/no/such` in the sandbox: cannot run `/no/such`: No such file or directory (os error 2)"
    );
    assert_eq!(refused(&own, "sh"), "`sh` is not absolute");
    assert!(refused(&own, "/etc/passwd").contains("Permission denied"));
    let absent = Confinement {
        read_only: vec![Mount::new("/no/such", "/skill")],
        ..confinement()
    };
    assert!(
        refused(&absent, "/bin/true").contains("cannot mount `/no/such`: No such file"),
        "{}",
        refused(&absent, "/bin/true")
    );
    let nowhere = Confinement {
        working_directory: "/nowhere".into(),
        ..confinement()
    };
    assert!(refused(&nowhere, "/bin/true").contains("cannot enter `/nowhere`"));
    let over = Confinement {
        read_only: vec![Mount::new("/tmp", "/etc")],
        ..confinement()
    };
    assert_eq!(
        refused(&over, "/bin/true"),
        "`/etc` is a place of the sandbox itself"
    );
}

#[test]
fn a_mount_through_a_link_is_refused() {
    let place = tempfile::tempdir_in("/tmp").unwrap();
    let link = place.path().join("link");
    std::os::unix::fs::symlink("/", &link).unwrap();
    for way in ways() {
        let own = Confinement {
            read_write: vec![Mount::new(&link, "/project")],
            ..confinement()
        };
        let error = sandbox(way)
            .spawn(&Command::new("/bin/true"), &own)
            .unwrap_err();
        assert!(
            matches!(error, SandboxError::Refused { .. }),
            "{way}: {error}"
        );
    }
}

#[test]
fn invalid_launcher_is_reported() {
    let own = Sandbox::new(Launcher::new("/no/such"), Requirement::Full);
    let error = own
        .spawn(&Command::new("/bin/true"), &confinement())
        .unwrap_err();
    assert!(matches!(error, SandboxError::Launcher { .. }), "{error}");
    let own = Sandbox::new(Launcher::new("/bin/true"), Requirement::Full);
    let error = own
        .spawn(&Command::new("/bin/true"), &confinement())
        .unwrap_err();
    assert!(matches!(error, SandboxError::Launcher { .. }), "{error}");
}

#[test]
fn without_namespaces_nothing_is_started() {
    // A child of a jail cannot build another one, as on a system that forbids it.
    let place = tempfile::tempdir_in("/tmp").unwrap();
    let own = place.path().join("jail");
    fs::create_dir(&own).unwrap();
    let test = own.join("test");
    copy_program(&std::env::current_exe().unwrap(), &test);
    copy_program(&launcher().program, &own.join("launcher"));
    let confinement = Confinement {
        read_only: vec![Mount::new(&own, "/own")],
        environment: vec![("PROWESS_TEST_LAUNCHER".into(), "/own/launcher".into())],
        ..Confinement::default()
    };
    let command = Command::new("/own/test").arguments([
        "--exact",
        "inside_a_jail",
        "--ignored",
        "--nocapture",
    ]);
    let done = finish(
        sandbox(Isolation::Namespaces)
            .spawn(&command, &confinement)
            .unwrap(),
    );
    assert!(done.text().contains("1 passed"), "{done:?}");
}

#[test]
#[ignore = "runs inside the one above"]
fn inside_a_jail() {
    let own = Sandbox::new(launcher(), Requirement::Full);
    match own.spawn(&Command::new("/bin/true"), &confinement()) {
        Err(SandboxError::Unavailable { missing }) => {
            assert_eq!(missing.len(), 2, "{missing:?}");
            assert!(
                missing.iter().all(|way| !way.refusal.reason.is_empty()),
                "{missing:?}"
            );
        }
        other => panic!("{other:?}"),
    }
    let found = abilities(&launcher());
    assert_eq!(found.isolation, None);
    assert_eq!(found.namespaces.state, AbilityState::Missing);
    assert_eq!(found.landlock.state, AbilityState::Works, "{found:?}");
}

#[test]
fn abilities_are_probed() {
    let found = abilities(&launcher());
    assert_eq!(found.isolation, Some(Isolation::Namespaces), "{found:?}");
    assert_eq!(found.seccomp.state, AbilityState::Works);
    assert!(
        found
            .layers()
            .iter()
            .all(|(_, ability)| !ability.sentence.is_empty())
    );
    let text = serde_json::to_string(&found).unwrap();
    assert_eq!(
        serde_json::from_str::<prowess_sandbox::Abilities>(&text).unwrap(),
        found
    );
}

#[test]
fn links_are_refused_as_nobody() {
    again_as_nobody("a_mount_through_a_link_is_refused");
}
