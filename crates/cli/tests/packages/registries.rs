//! Packages of registries: installing, updating, verifying, and who is asked about what.

use std::process::Command;

use crate::fake_registry::{FakeRegistry, TOKEN};
use crate::workshop::{Workshop, state};

fn set_up() -> (Workshop, FakeRegistry) {
    let workshop = Workshop::new();
    let registry = FakeRegistry::start();
    registry.configure(&workshop);
    registry.publish("pdf-forms", "1.0.0", "one");
    registry.publish("pdf-forms", "1.2.0", "two");
    registry.publish("pdf-forms", "2.0.0-rc.1", "three");
    (workshop, registry)
}

/// Makes all cached answers older.
pub(crate) fn age_cache(workshop: &Workshop, seconds: u32) {
    let script = format!(
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('UPDATE cache SET fetched = fetched - {seconds}'); c.commit()"
    );
    let store = workshop.path("home/.local/share/prowess/prowess.db");
    prowess_testing::run(Command::new("python3").args(["-c", &script]).arg(store));
}

#[test]
fn rc1_a_package_is_installed_by_name_and_range() {
    let (workshop, registry) = set_up();
    let run = workshop.expect(0, &["add", "pdf-forms@^1"]);
    let source = format!("{}/api/v1/skills/pdf-forms@^1", registry.url);
    assert!(
        run.stdout
            .ends_with(&format!("+ pdf-forms ({source} at 1.2.0)\n")),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("audit of the registry: nothing found"),
        "{}",
        run.stdout
    );
    let lock = workshop.read("project/prowess.lock");
    assert!(
        lock.contains(&format!("source = \"{source}\"\nresolved = \"1.2.0\"\n")),
        "{lock}"
    );
    workshop.expect(0, &["verify"]);
    workshop.expect(0, &["outdated"]);
    // A new version in the range, and one outside of it.
    registry.publish("pdf-forms", "1.3.0", "four");
    registry.publish("pdf-forms", "2.0.0", "five");
    let run = workshop.expect(3, &["outdated", "--refresh"]);
    assert!(run.stdout.contains("1.2.0      1.3.0"), "{}", run.stdout);
    workshop.expect(0, &["update"]);
    let lock = workshop.read("project/prowess.lock");
    assert!(lock.contains("resolved = \"1.3.0\""), "{lock}");
    // Another user gets exactly the locked version, after a yes to the source.
    registry.publish("pdf-forms", "1.4.0", "six");
    workshop.write("clone/prowess.lock", &lock);
    let run = workshop.expect_in("clone", 4, &["sync", "--frozen"]);
    let host = registry.url.strip_prefix("http://").unwrap();
    assert!(
        run.stderr
            .contains(&format!("{host}/api/v1/skills/pdf-forms")),
        "{}",
        run.stderr
    );
    workshop.expect_in("clone", 0, &["sync", "--frozen", "--yes"]);
    assert_eq!(
        state(&workshop.path("clone/.agents")),
        state(&workshop.path("project/.agents"))
    );
    for (range, expected) in [
        ("^3", "no version of `pdf-forms` matches ^3"),
        ("^9.0", "it has 2.0.0, 2.0.0-rc.1, 1.3.0, 1.2.0, 1.0.0"),
    ] {
        let run = workshop.expect(1, &["add", &format!("pdf-forms@{range}")]);
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
    let run = workshop.expect(1, &["add", "nothing-here"]);
    assert!(
        run.stderr
            .contains("unknown package `nothing-here` at 127.0.0.1:"),
        "{}",
        run.stderr
    );
}

#[test]
fn rc2_a_name_is_asked_only_where_its_owner_is() {
    let workshop = Workshop::new();
    let (public, private) = (FakeRegistry::start(), FakeRegistry::start());
    workshop.write(
        "home/.config/prowess/prowess.toml",
        format!(
            "[registry]\nurl = \"{}\"\n[[registries]]\nname = \"acme\"\nurl = \"{}\"\nnamespaces = [\"acme\"]\n",
            public.url, private.url
        ),
    );
    // Another user publishes the private name in public, with a higher version.
    public.publish("acme/billing", "99.0.0", "harmful");
    public.publish("charts", "1.0.0", "draws");
    private.publish("acme/billing", "1.0.0", "ours");
    private.publish("charts", "99.0.0", "never asked");
    workshop.expect(0, &["add", "acme/billing", "charts"]);
    let text = workshop.read("project/.agents/skills/billing/SKILL.md");
    assert!(text.contains("ours"), "{text}");
    private.publish("acme/billing", "1.1.0", "ours, newer");
    workshop.expect(3, &["outdated", "--refresh"]);
    workshop.expect(0, &["update", "--refresh"]);
    workshop.expect(0, &["info", "acme/billing@^1", "--refresh"]);
    workshop.expect(0, &["info", "charts@^1", "--refresh"]);
    workshop.expect(1, &["info", "no-such-chart", "--refresh"]);
    workshop.expect(1, &["info", "acme/no-such", "--refresh"]);
    workshop.expect(0, &["verify", "--refresh"]);
    // The registry that a user names does not change where a name belongs.
    for arguments in [
        ["add", "registry:acme/billing", "--registry", "default"],
        ["add", "charts", "--registry", "acme"],
        ["add", "registry:acme/billing", "--registry", &public.url],
    ] {
        let run = workshop.expect(1, &arguments);
        assert!(run.stderr.contains("is not a package of"), "{}", run.stderr);
    }
    // Nor does a lock file.
    let source = format!("{}/api/v1/skills/acme/billing", public.url);
    let run = workshop.expect(1, &["add", &source]);
    assert!(
        run.stderr.contains("its owner is at acme only"),
        "{}",
        run.stderr
    );
    let [public, private] = [public.lines(), private.lines()];
    assert!(!public.is_empty() && !private.is_empty());
    for line in public.iter().filter(|it| !it.contains("/search?")) {
        assert!(
            !line.contains("billing") && !line.contains("acme"),
            "{line}"
        );
    }
    for line in private.iter().filter(|it| !it.contains("/search?")) {
        assert!(line.contains("/skills/acme/"), "{line}");
    }
    // Names that look alike are searched only where the package is.
    assert!(
        !public.iter().any(|it| it.contains("billing")),
        "{public:?}"
    );
    assert!(
        !private.iter().any(|it| it.contains("charts")),
        "{private:?}"
    );
}

#[test]
fn rc3_a_project_names_no_registry() {
    let workshop = Workshop::new();
    let (own, theirs) = (FakeRegistry::start(), FakeRegistry::start());
    own.log_in(&workshop);
    own.publish("pdf-forms", "1.0.0", "one");
    workshop.write(
        "project/prowess.toml",
        format!(
            "[registry]\nurl = \"{0}\"\n[[registries]]\nname = \"theirs\"\nurl = \"{0}\"\nnamespaces = [\"acme\"]\n",
            theirs.url
        ),
    );
    let run = workshop.expect(0, &["add", "pdf-forms"]);
    assert!(
        run.stderr.contains("`registry.url` ignored"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("`registries` ignored"),
        "{}",
        run.stderr
    );
    workshop.expect(0, &["search", "pdf"]);
    // A lock file that names another registry: after a yes it is asked, without a token.
    theirs.publish("pdf-forms", "1.0.0", "one");
    let lock = workshop
        .read("project/prowess.lock")
        .replace(&own.url, &theirs.url);
    workshop.write("clone/prowess.lock", &lock);
    workshop.write("clone/x", "");
    assert!(theirs.requests().is_empty());
    let mut command = workshop.command_in("clone", "home", &["sync", "--yes"]);
    prowess_testing::run(command.env("PROWESS_REGISTRY_TOKEN", TOKEN));
    // The files are stored already; asking for newer ones asks the server.
    let mut command = workshop.command_in("clone", "home", &["outdated", "--yes"]);
    prowess_testing::run(command.env("PROWESS_REGISTRY_TOKEN", TOKEN));
    let asked = theirs.requests();
    assert!(!asked.is_empty());
    assert!(asked.iter().all(|it| it.token.is_none()), "{asked:?}");
    let own = own.requests();
    assert!(
        own.iter().all(|it| it.token.as_deref() == Some(TOKEN)),
        "{own:?}"
    );
}

#[test]
fn rc4_yanked_versions_are_named_with_their_reason() {
    let (workshop, registry) = set_up();
    workshop.expect(0, &["add", "pdf-forms@~1.2"]);
    registry.yank("pdf-forms", "1.2.0", "loses the last page");
    let run = workshop.expect(3, &["outdated", "--refresh", "--json"]);
    assert!(
        run.stdout.contains("\"state\": \"yanked\""),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("yanked: loses the last page"),
        "{}",
        run.stdout
    );
    let warning = "warning: pdf-forms 1.2.0 is yanked: loses the last page\n";
    let run = workshop.expect(0, &["verify"]);
    assert!(run.stderr.contains(warning), "{}", run.stderr);
    // From the cache, and without a registry that answers.
    let run = workshop.expect(0, &["verify", "--offline"]);
    assert!(run.stderr.contains(warning), "{}", run.stderr);
    registry.edit(|it| it.always = Some(crate::fake_registry::Fault::new(500, "")));
    age_cache(&workshop, 3_600);
    let run = workshop.expect(0, &["verify"]);
    assert!(run.stderr.contains(warning), "{}", run.stderr);
    registry.edit(|it| it.always = None);
    // A range avoids it, the exact version is installed with a warning.
    workshop.expect(0, &["remove", "pdf-forms"]);
    let run = workshop.expect(1, &["add", "pdf-forms@~1.2", "--refresh"]);
    assert!(
        run.stderr
            .contains("no version of `pdf-forms` matches ~1.2"),
        "{}",
        run.stderr
    );
    let run = workshop.expect(0, &["add", "pdf-forms@1.2.0"]);
    assert!(
        run.stdout
            .contains("warning: 1.2.0 is yanked: loses the last page"),
        "{}",
        run.stdout
    );
    workshop.expect(0, &["remove", "pdf-forms"]);
    workshop.expect(0, &["add", "pdf-forms"]);
    let lock = workshop.read("project/prowess.lock");
    assert!(lock.contains("resolved = \"1.0.0\""), "{lock}");
}

#[test]
fn rc5_names_that_look_alike_are_warned_about() {
    let (workshop, registry) = set_up();
    registry.publish("pdf-forrns", "1.0.0", "harmful");
    registry.edit(|it| {
        it.packages.get_mut("pdf-forms").unwrap().downloads = 1_200;
        it.packages.get_mut("pdf-forrns").unwrap().downloads = 3;
    });
    let run = workshop.expect(0, &["add", "pdf-forrns"]);
    assert!(
        run.stdout.contains(
            "warning: the name looks like `pdf-forms`, which has 1200 downloads; this one has 3"
        ),
        "{}",
        run.stdout
    );
    let run = workshop.expect(0, &["add", "pdf-forms"]);
    assert!(
        run.stdout
            .contains("warning: the name looks like that of the installed skill `pdf-forrns`"),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains("downloads"), "{}", run.stdout);
}
