//! Row PK20: a signature from `pack` to `update`.

use std::fs;
use std::process::Command;

use crate::support::Run;
use crate::workshop::{FIRST, Workshop};

/// A workshop with the keys `first` and `second`, and `dist/pdf-0.0.0.tar.gz` that `first` signed.
fn signed() -> (Workshop, [String; 2]) {
    let workshop = Workshop::new();
    let keys = ["first", "second"].map(|name| {
        let path = format!("../{name}.key");
        pack(&workshop, &["--generate-key", &path]);
        let text = workshop.read(&format!("{name}.key.pub"));
        text.lines().last().unwrap().to_owned()
    });
    workshop.create("dist");
    sign(&workshop, "first");
    (workshop, keys)
}

fn pack(workshop: &Workshop, arguments: &[&str]) {
    let words = [&["pack"], arguments].concat();
    let mut command: Command = workshop.command(&words);
    let run = Run::of(command.env("PROWESS_KEY_PASSWORD", "").output().unwrap());
    assert_eq!(run.code, Some(0), "{run:?}");
}

/// Packs and signs the skill in the repository.
fn sign(workshop: &Workshop, key: &str) {
    let (key, output) = (format!("../{key}.key"), "../dist/pdf-0.0.0.tar.gz");
    let skill = "../repository/skills/pdf";
    let words = [skill, "--output", output, "--sign", &key, "--force"];
    pack(workshop, &words);
}

const SOURCE: &str = "../dist/pdf-0.0.0.tar.gz";

#[test]
fn pk20_the_key_of_a_package_is_pinned() {
    let (workshop, [first, second]) = signed();
    let run = workshop.expect(0, &["add", SOURCE]);
    assert!(run.stdout.contains(&first), "{}", run.stdout);
    workshop.expect(0, &["outdated"]);
    // The same key signs a new version.
    workshop.write("repository/skills/pdf/new.md", "new");
    sign(&workshop, "first");
    workshop.expect(0, &["update"]);
    assert!(workshop.exists("project/.agents/skills/pdf/new.md"));
    // Another key at the same place.
    workshop.write("repository/skills/pdf/new.md", "newer");
    sign(&workshop, "second");
    let before = workshop.project();
    let run = workshop.expect(4, &["add", SOURCE]);
    assert!(run.stderr.contains(&first), "{}", run.stderr);
    assert!(
        run.stderr.contains(&format!("--key {second}`")),
        "{}",
        run.stderr
    );
    let run = workshop.expect(1, &["update"]);
    assert!(
        run.stderr.contains(&first) && run.stderr.contains(&second),
        "{}",
        run.stderr
    );
    let run = workshop.expect(4, &["add", SOURCE, "--key", &first]);
    assert!(run.stderr.contains("not by"), "{}", run.stderr);
    assert_eq!(workshop.project(), before);
    workshop.expect(2, &["add", SOURCE, "--key", "nonsense"]);
    workshop.expect(0, &["add", SOURCE, "--key", &second]);
    assert_eq!(workshop.read("project/.agents/skills/pdf/new.md"), "newer");
    // It is the pinned one now, in every project.
    workshop.create("other");
    let other = |code, arguments: &[&str]| {
        let run = Run::of(
            workshop
                .command_in("other", "home", arguments)
                .output()
                .unwrap(),
        );
        assert_eq!(run.code, Some(code), "{arguments:?} {run:?}");
    };
    other(0, &["add", SOURCE]);
    sign(&workshop, "first");
    other(4, &["add", SOURCE, "--as", "renamed"]);
}

#[test]
fn pk20_another_name_does_not_change_the_pin() {
    let (workshop, _) = signed();
    workshop.expect(0, &["add", SOURCE, "--as", "forms"]);
    workshop.write("repository/skills/pdf/new.md", "new");
    sign(&workshop, "second");
    let before = workshop.project();
    let run = workshop.expect(1, &["update"]);
    assert!(run.stderr.contains("was signed by"), "{}", run.stderr);
    assert_eq!(workshop.project(), before);
}

#[test]
fn pk20_changed_or_unsigned_packages_are_refused() {
    let (workshop, _) = signed();
    workshop.expect(0, &["add", SOURCE]);
    let before = workshop.project();
    let path = workshop.path("dist/pdf-0.0.0.tar.gz");
    let good = fs::read(&path).unwrap();
    let mut bad = good.clone();
    // The time in the head of gzip: the files are the same, the bytes are not.
    bad[4] ^= 1;
    fs::write(&path, bad).unwrap();
    let run = workshop.expect(1, &["add", SOURCE]);
    assert!(run.stderr.contains("invalid signature"), "{}", run.stderr);
    workshop.write(
        "repository/skills/pdf/SKILL.md",
        FIRST.replace("first", "evil"),
    );
    pack(
        &workshop,
        &["../repository/skills/pdf", "--output", SOURCE, "--force"],
    );
    assert!(!workshop.exists("dist/pdf-0.0.0.tar.gz.minisig"));
    let run = workshop.expect(4, &["add", SOURCE]);
    assert!(
        run.stderr
            .contains("is not signed, but it was signed before"),
        "{}",
        run.stderr
    );
    let run = workshop.expect(1, &["update"]);
    assert!(run.stderr.contains("is not signed"), "{}", run.stderr);
    assert_eq!(workshop.project(), before);
}

#[test]
fn pk20_a_user_can_require_signatures() {
    let (workshop, _) = signed();
    workshop.add();
    let lock = workshop.read("project/prowess.lock");
    workshop.expect(0, &["remove", "pdf"]);
    let setting = "[packages]\nrequire_signature = [\"*\"]\n";
    workshop.write("home/.config/prowess/prowess.toml", setting);
    for source in [
        "../repository/skills/pdf",
        &format!("{}#skills/pdf", workshop.url()),
    ] {
        let run = workshop.expect(4, &["add", source, "--force"]);
        assert!(
            run.stderr.contains("`require_signature` covers it"),
            "{}",
            run.stderr
        );
    }
    assert!(!workshop.read("project/prowess.lock").contains("[[skill]]"));
    workshop.expect(0, &["add", SOURCE]);
    // A lock file is no way around it.
    workshop.write("home-of-clone/.config/prowess/prowess.toml", setting);
    workshop.write("clone/prowess.lock", lock);
    let run = workshop.expect_in("clone", 4, &["sync", "--yes"]);
    assert!(
        run.stderr.contains("`require_signature` covers it"),
        "{}",
        run.stderr
    );
    assert!(!workshop.exists("clone/.agents/skills/pdf"));
    let lock = workshop.read("project/prowess.lock");
    workshop.write("clone/prowess.lock", lock);
    workshop.expect_in("clone", 0, &["sync", "--frozen", "--yes"]);
    // A project can ask for less as little as for more.
    workshop.write("clone/prowess.toml", "[packages]\nrequire_signature = []\n");
    let run = workshop.expect_in("clone", 4, &["add", &workshop.url(), "--skill", "csv"]);
    assert!(
        run.stderr.contains("`packages.require_signature` ignored"),
        "{}",
        run.stderr
    );
}
