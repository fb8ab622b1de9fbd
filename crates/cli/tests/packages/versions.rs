//! Rows Q33 and Q34: a registry that serves old packages as new ones, or takes new ones back.

use prowess_registry::{KeyPair, PackageFile, PackageTree, pack, sign};
use prowess_spec::SkillPath;

use crate::fake_registry::{FakeRegistry, skill};
use crate::workshop::Workshop;

/// A skill that states its version.
fn versioned(version: &str) -> Vec<u8> {
    let text = format!(
        "---\nname: pdf-forms\ndescription: Fills forms. Use for PDF files.\nmetadata:\n  version: \"{version}\"\n---\n\n{version}\n"
    );
    let file = PackageFile {
        bytes: text.into_bytes(),
        executable: false,
    };
    pack(&PackageTree::new([(SkillPath::parse("SKILL.md").unwrap(), file)]).unwrap()).unwrap()
}

fn installed(workshop: &Workshop) -> String {
    workshop.read("project/.agents/skills/pdf-forms/SKILL.md")
}

#[test]
fn q33_old_signed_bytes_are_not_a_newer_version() {
    let workshop = Workshop::new();
    let registry = FakeRegistry::start();
    registry.configure(&workshop);
    let author = KeyPair::generate(None).unwrap();
    let signed = |bytes: &[u8], comment: &str| sign(bytes, &author.secret, None, comment).unwrap();
    let (first, second) = (versioned("1.0.0"), versioned("1.1.0"));
    let old = signed(&first, "file:pdf-forms-1.0.0.tar.gz");
    let new = signed(&second, "file:pdf-forms-1.1.0.tar.gz");
    registry.edit(|shelf| {
        shelf.publish("pdf-forms", "1.0.0", first.clone(), Some(old.clone()));
        shelf.publish("pdf-forms", "1.1.0", second, Some(new));
    });
    workshop.expect(0, &["add", "pdf-forms"]);
    assert!(installed(&workshop).contains("1.1.0"));
    let before = workshop.project();
    // The first version with its valid signature, under a higher number.
    registry.edit(|shelf| shelf.publish("pdf-forms", "1.2.0", first, Some(old)));
    let refused = "the skill says version 1.0.0, not 1.2.0";
    for (code, arguments) in [
        (1, &["update", "--refresh", "--yes"][..]),
        (1, &["update", "--force", "--allow-downgrade"]),
        (1, &["add", "pdf-forms", "--force"]),
        (1, &["add", "pdf-forms@1.2.0", "--yes"]),
        (1, &["install", "pdf-forms"]),
    ] {
        let run = workshop.expect(code, arguments);
        assert!(run.stderr.contains(refused), "{arguments:?}: {run:?}");
        assert_eq!(workshop.project(), before, "{arguments:?}");
    }
    // A lock file that says so, too.
    let lock = workshop.read("project/prowess.lock");
    let lock = lock.replace("resolved = \"1.1.0\"", "resolved = \"1.2.0\"");
    workshop.write("clone/prowess.lock", lock);
    std::fs::remove_dir_all(workshop.path("home/.local/share/prowess/packages")).unwrap();
    let run = workshop.expect_in("clone", 1, &["sync", "--yes"]);
    assert!(run.stderr.contains(refused), "{run:?}");
    assert!(!workshop.exists("clone/.agents"));
}

#[test]
fn q33_without_a_version_in_the_skill_the_signed_comment_says_it() {
    let workshop = Workshop::new();
    let registry = FakeRegistry::start();
    registry.configure(&workshop);
    let author = KeyPair::generate(None).unwrap();
    let bytes = pack(&skill("pdf-forms", "one")).unwrap();
    let comment = "file:pdf-forms-1.0.0.tar.gz";
    let signature = sign(&bytes, &author.secret, None, comment).unwrap();
    let publish = |version: &str| {
        let (bytes, signature) = (bytes.clone(), Some(signature.clone()));
        registry.edit(|shelf| shelf.publish("pdf-forms", version, bytes, signature));
    };
    publish("1.0.0");
    workshop.expect(0, &["add", "pdf-forms"]);
    publish("1.1.0");
    let before = workshop.project();
    for arguments in [
        &["update", "--refresh"][..],
        &["add", "pdf-forms", "--force"],
        &["install", "pdf-forms@1.1.0"],
    ] {
        let run = workshop.expect(1, arguments);
        let refused = "its signature is not of version 1.1.0";
        assert!(run.stderr.contains(refused), "{arguments:?}: {run:?}");
        assert_eq!(workshop.project(), before, "{arguments:?}");
    }
}

/// Two versions, of which the newer one is installed.
fn set_up() -> (Workshop, FakeRegistry) {
    let workshop = Workshop::new();
    let registry = FakeRegistry::start();
    registry.configure(&workshop);
    registry.publish("pdf-forms", "1.0.0", "one");
    registry.publish("pdf-forms", "1.2.0", "two");
    workshop.expect(0, &["add", "pdf-forms"]);
    (workshop, registry)
}

/// No command installs the older version, unless it is allowed.
fn expect_no_downgrade(workshop: &Workshop) {
    let before = workshop.project();
    for (code, arguments) in [
        (1, &["update", "--refresh", "--yes"][..]),
        (1, &["update", "pdf-forms", "--force"]),
        (1, &["update", "--theirs"]),
        (4, &["add", "pdf-forms", "--yes"]),
        (4, &["add", "pdf-forms", "--force"]),
        (4, &["add", "pdf-forms@1.0.0", "--force"]),
        (4, &["add", "pdf-forms@<1.2", "--force"]),
    ] {
        let run = workshop.expect(code, arguments);
        for expected in [
            "`pdf-forms` 1.0.0 is older than the installed 1.2.0",
            "--allow-downgrade",
        ] {
            assert!(run.stderr.contains(expected), "{arguments:?}: {run:?}");
        }
        assert_eq!(workshop.project(), before, "{arguments:?}");
    }
}

#[test]
fn q34_a_version_that_disappears_brings_back_no_older_one() {
    let (workshop, registry) = set_up();
    registry.edit(|shelf| {
        let package = shelf.packages.get_mut("pdf-forms").unwrap();
        package.versions.retain(|known| known.version.minor == 0);
    });
    expect_no_downgrade(&workshop);
    let run = workshop.expect(3, &["outdated"]);
    assert!(
        run.stdout.contains("withdrawn  1.2.0      1.0.0"),
        "{run:?}"
    );
    assert!(!run.stderr.contains("`prowess update` updates"), "{run:?}");
    let row = workshop.expect(3, &["outdated", "--json"]).json()["skills"][0].clone();
    assert_eq!(row["state"], "withdrawn");
    workshop.expect(0, &["update", "--allow-downgrade"]);
    assert!(installed(&workshop).contains("one"));
    workshop.expect(0, &["outdated"]);
    // Something newer is an update again.
    registry.publish("pdf-forms", "1.3.0", "three");
    workshop.expect(3, &["outdated", "--refresh"]);
    workshop.expect(0, &["update"]);
    workshop.expect(0, &["add", "pdf-forms@1.0.0", "--allow-downgrade"]);
    assert!(installed(&workshop).contains("one"));
}

#[test]
fn q34_a_yank_brings_back_no_older_version() {
    let (workshop, registry) = set_up();
    registry.yank("pdf-forms", "1.2.0", "safe to leave, trust me");
    expect_no_downgrade(&workshop);
    let run = workshop.expect(3, &["outdated"]);
    assert!(run.stdout.contains("yanked"), "{run:?}");
    assert!(!run.stderr.contains("`prowess update` updates"), "{run:?}");
}

#[test]
fn q34_a_package_without_versions_is_withdrawn() {
    let (workshop, registry) = set_up();
    let versions = registry.edit(|shelf| {
        let package = shelf.packages.get_mut("pdf-forms").unwrap();
        std::mem::take(&mut package.versions)
    });
    assert_eq!(versions.len(), 2);
    let state = || {
        let run = workshop.expect(3, &["outdated", "--refresh", "--json"]);
        run.json()["skills"][0]["state"].clone()
    };
    assert_eq!(state(), "withdrawn");
    registry.edit(|shelf| shelf.packages.clear());
    assert_eq!(state(), "withdrawn");
    assert!(installed(&workshop).contains("two"));
}
