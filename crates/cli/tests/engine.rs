//! The commands over an agent's skills, on the layouts that people have.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests may panic"
)]

mod support;

use std::fs;

use insta::assert_snapshot;
use support::Place;

fn described(place: &Place, path: &str, description: &str) {
    let name = path.rsplit('/').next().unwrap();
    place.write(
        &format!("{path}/SKILL.md"),
        format!("---\nname: {name}\ndescription: {description}\n---\nBody of {name}.\n"),
    );
}

/// `.agents/skills` with skills side by side.
fn flat() -> Place {
    let place = Place::new();
    described(&place, ".agents/skills/pdf", "Reads PDF files");
    described(&place, ".agents/skills/csv", "Summarises CSV files");
    place.write(".agents/skills/csv/references/GUIDE.md", "Guide.\n");
    place.write(".agents/skills/broken/SKILL.md", "no frontmatter\n");
    place
}

#[test]
fn cl1_a_flat_layout() {
    let place = flat();
    assert_snapshot!(place.run(&["list"]).snapshot(), @r"
    exit 0
    --- stdout
    SKILL  DESCRIPTION           TOKENS  SOURCE
    csv    Summarises CSV files  4       .agents/skills
    pdf    Reads PDF files       4       .agents/skills
    --- stderr
    2 skills in 1 place, 1 invalid (see `prowess list --all`)
    ");
    assert_snapshot!(place.run(&["prompt"]).snapshot(), @r#"
    exit 0
    --- stdout
    <available_skills>
      <skill id="csv">
        <description>Summarises CSV files</description>
      </skill>
      <skill id="pdf">
        <description>Reads PDF files</description>
      </skill>
    </available_skills>
    --- stderr
    2 of 2 skills listed, about 50 tokens, for the system prompt
    "#);
    assert_snapshot!(place.run(&["list", "--all", "--quiet"]).stdout.lines().last().unwrap(), @"invalid: .agents/skills/broken/SKILL.md: the file does not start with a `---` line");
}

#[test]
fn nested_collections() {
    let place = Place::new();
    for index in 0..7 {
        described(
            &place,
            &format!("library/extraction/skill-{index}"),
            "Extracts",
        );
        described(
            &place,
            &format!("library/extraction/medical/scan-{index}"),
            "Scans",
        );
    }
    described(&place, "library/pdf", "Reads PDF files");
    place.write("library/extraction/COLLECTION.md", "Entity extraction\n");
    assert_snapshot!(place.run(&["prompt", "--in", "library"]).snapshot(), @r#"
    exit 0
    --- stdout
    <available_skills mode="collections">
      <collection path="extraction" count="14">Entity extraction</collection>
      <skill id="pdf">
        <description>Reads PDF files</description>
      </skill>
      Use the browse_skills tool to list skills in a collection or to search.
      Use the load_skill tool or /collection/skill-name to activate a skill.
    </available_skills>
    --- stderr
    1 of 15 skills listed, about 89 tokens, for the system prompt; 14 available through collections or search
    "#);
    assert_snapshot!(place.run(&["browse", "--in", "library"]).stdout, @r"
    extraction/  Entity extraction

    SKILL  DESCRIPTION      TOKENS  SOURCE
    pdf    Reads PDF files  4       library
    ");
    let below = place
        .run(&["browse", "extraction", "--in", "library", "--json"])
        .json();
    assert_eq!(below["subcollections"][0]["path"], "extraction/medical");
    assert_eq!(below["skills"].as_array().unwrap().len(), 7);
}

#[test]
fn a_monorepo_of_four_levels() {
    let place = Place::new();
    fs::create_dir_all(place.path("home/repo/.git")).unwrap();
    described(&place, "home/.agents/skills/pdf", "The user's");
    described(&place, "home/repo/.agents/skills/pdf", "The repository's");
    described(&place, "home/repo/apps/.claude/skills/pdf", "The apps'");
    described(
        &place,
        "home/repo/apps/web/.agents/skills/pdf",
        "The web app's",
    );
    described(
        &place,
        "home/repo/apps/web/.agents/skills/css",
        "Writes CSS",
    );
    let run = place.run(&["-C", "home/repo/apps/web", "list", "--all"]);
    assert_snapshot!(run.snapshot(), @r"
    exit 0
    --- stdout
    SKILL  DESCRIPTION    TOKENS  SOURCE
    css    Writes CSS     4       apps/web/.agents/skills
    pdf    The web app's  4       apps/web/.agents/skills
    shadowed: pdf of apps/.claude/skills, by apps/web/.agents/skills
    shadowed: pdf of .agents/skills, by apps/web/.agents/skills
    shadowed: pdf of ~/.agents/skills, by apps/web/.agents/skills
    --- stderr
    2 skills in 4 places, 3 shadowed
    ");
}

#[test]
fn cl3_instructions_and_files() {
    let place = flat();
    assert_snapshot!(place.run(&["show", "pdf", "page", "3"]).stdout, @r#"
    <skill id="pdf">
    Body of pdf.

    ARGUMENTS: page 3
    </skill>
    "#);
    assert_eq!(
        place.run(&["read", "csv", "references/GUIDE.md"]).stdout,
        "Guide.\n"
    );
    assert_eq!(
        place
            .run(&[
                "read",
                "csv",
                "references/GUIDE.md",
                "--offset",
                "2",
                "--limit",
                "2"
            ])
            .stdout,
        "id"
    );
    assert_snapshot!(place.run(&["read", "csv", "../pdf/SKILL.md"]).snapshot(), @r"
    exit 1
    --- stdout
    --- stderr
    error: `../pdf/SKILL.md` contains `..`
    hint: pass a path inside the skill, such as references/API.md
    ");
    assert_snapshot!(place.run(&["read", "csv", "references/GUIDES.md"]).snapshot(), @r"
    exit 1
    --- stdout
    --- stderr
    error: `csv` has no file `references/GUIDES.md`
    hint: did you mean references/GUIDE.md?
    ");
    assert_snapshot!(place.run(&["show", "csw"]).snapshot(), @r"
    exit 1
    --- stdout
    --- stderr
    error: unknown skill `csw`
    hint: did you mean csv?
    ");
    let info = place.run(&["info", "csv", "--json"]).json();
    assert_eq!(info["files"][0]["path"], "references/GUIDE.md");
    assert_eq!(info["frontmatter"]["description"], "Summarises CSV files");
}

#[test]
fn d10_info_shows_the_target_of_a_linked_skill() {
    let place = Place::new();
    described(&place, "store/pdf", "Reads PDF files");
    fs::create_dir_all(place.path(".agents/skills")).unwrap();
    std::os::unix::fs::symlink("../../store/pdf", place.path(".agents/skills/pdf")).unwrap();
    let target = fs::canonicalize(place.path("store/pdf")).unwrap();
    let info = place.run(&["info", "pdf", "--json"]).json();
    assert_eq!(info["target"], target.to_str().unwrap());
    let shown = place.run(&["info", "pdf"]).stdout;
    let line = format!("links to      {}", target.display());
    assert!(shown.lines().any(|it| it.trim() == line), "{shown}");
    assert!(place.run(&["list"]).stdout.contains("Reads PDF files"));
}

#[test]
fn cl2_search_finds_by_body_and_forgives_typos() {
    let place = flat();
    described(&place, ".agents/skills/k8s", "Helps with clusters");
    place.write(".agents/skills/k8s/SKILL.md", "---\nname: k8s\ndescription: Helps with clusters\n---\nWhen a pod restarts, look at the logs.\n");
    for (query, expected) in [
        ("my pod keeps restarting", "k8s"),
        ("spreadsheet csv", "csv"),
        ("summarsies", "csv"),
    ] {
        let found = place.run(&["search", query, "--json"]).json();
        assert_eq!(found["skills"][0]["id"], expected, "{query}");
    }
    assert!(
        place.path("home/.cache/prowess").is_dir(),
        "the index is kept"
    );
    assert_snapshot!(place.run(&["search", "zzzzzz"]).snapshot(), @r#"
    exit 0
    --- stdout
    --- stderr
    No results for "zzzzzz".
    "#);
    // A damaged cache is made again.
    for entry in fs::read_dir(place.path("home/.cache/prowess")).unwrap() {
        fs::write(entry.unwrap().path(), "damaged").unwrap();
    }
    let found = place.run(&["search", "pod", "--json"]).json();
    assert_eq!(found["skills"][0]["id"], "k8s");
}

#[test]
fn cl9_doctor_says_what_is_broken() {
    let place = flat();
    let run = place.run(&["doctor"]);
    assert_eq!(run.code, Some(1));
    assert!(
        run.stdout.contains("ok        .agents/skills (2 skills)"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout
            .contains("invalid   .agents/skills/broken/SKILL.md")
    );
    assert_eq!(Place::new().run(&["doctor"]).code, Some(0));
}

#[test]
fn cl1_nothing_anywhere() {
    let place = Place::new();
    assert_snapshot!(place.run(&["list"]).snapshot(), @r"
    exit 0
    --- stdout
    --- stderr
    no skills: no .agents/skills, .claude/skills or .prowess/skills in this directory or above
    ");
    assert_snapshot!(place.run(&["list", "--in", "nowhere"]).snapshot(), @r"
    exit 0
    --- stdout
    --- stderr
    warning: nowhere does not exist
    0 skills in 1 place
    ");
    assert_eq!(place.run(&["prompt", "--quiet"]).stdout, "");
    assert_eq!(
        place.run(&["list", "--json"]).json()["skills"]
            .as_array()
            .unwrap()
            .len(),
        0
    );
}

#[test]
fn cl8_dialects_change_the_prompt() {
    let place = flat();
    assert_eq!(
        place
            .run(&["prompt", "--dialect", "remcochat", "--quiet"])
            .stdout,
        "{\"available_skills\":[{\"name\":\"csv\",\"description\":\"Summarises CSV files\"},{\"name\":\"pdf\",\"description\":\"Reads PDF files\"}]}\n"
    );
    let wrong = place.run(&["prompt", "--dialect", "nope"]);
    assert_eq!(wrong.code, Some(1));
    assert!(wrong.stderr.contains("vibe-tavern"));
}

/// The program as somebody for whom modes count: root is turned into nobody, in a directory that nobody
/// may enter.
#[cfg(unix)]
fn without_privileges(place: &Place, arguments: &[&str]) -> support::Run {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let program = place.path("prowess");
    fs::copy(env!("CARGO_BIN_EXE_prowess"), &program).unwrap();
    fs::set_permissions(place.root(), fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = std::process::Command::new(program);
    command
        .args(arguments)
        .current_dir(place.root())
        .env_clear()
        .env("HOME", "/nonexistent");
    if rustix::process::geteuid().is_root() {
        command.uid(65534).gid(65534);
    }
    support::Run::of(command.output().unwrap())
}

#[cfg(unix)]
#[test]
fn d9_what_cannot_be_read_is_said_and_the_rest_loads() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place
        .skill(".agents/skills/fine")
        .skill(".agents/skills/closed-file")
        .skill(".agents/skills/closed-directory");
    let close = |path: &str| {
        fs::set_permissions(place.path(path), fs::Permissions::from_mode(0o000)).unwrap();
    };
    close(".agents/skills/closed-file/SKILL.md");
    close(".agents/skills/closed-directory");
    assert_snapshot!(without_privileges(&place, &["list"]).snapshot(), @r"
    exit 0
    --- stdout
    SKILL  DESCRIPTION  TOKENS  SOURCE
    fine   d            0       .agents/skills
    --- stderr
    warning: cannot read closed-directory/SKILL.md: permission denied
    warning: cannot read closed-file/SKILL.md: permission denied
    1 skill in 1 place
    ");
}

#[test]
fn browsing_what_cannot_exist() {
    let place = flat();
    for path in ["nope", "../etc", "No Such Thing", "a//b"] {
        let run = place.run(&["browse", path]);
        assert_eq!(
            (run.code, run.stdout.as_str(), run.stderr.as_str()),
            (Some(0), "", format!("nothing in {path}\n").as_str())
        );
    }
}

#[test]
fn completions_know_the_ids() {
    let place = flat();
    described(&place, ".agents/skills/writing/poems", "Writes poems");
    let script = place.run(&["completions", "bash"]);
    place.write("completions.bash", &script.stdout);
    let ask = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let mut command = place.command(&["--"]);
        command
            .args(&words)
            .env("PROWESS_COMPLETE", "bash")
            .env("_CLAP_IFS", "\n")
            .env("_CLAP_COMPLETE_INDEX", (words.len() - 1).to_string())
            .env("_CLAP_COMPLETE_COMP_TYPE", "9");
        support::Run::of(command.output().unwrap()).stdout
    };
    assert_eq!(ask("prowess show p"), "pdf\nwriting/poems");
    assert_eq!(ask("prowess info writing/"), "writing/poems");
    // A real shell takes the script and is answered.
    let output = std::process::Command::new("bash")
        .args(["--norc", "-c", "source completions.bash; COMP_WORDS=(prowess show cs); COMP_CWORD=2; COMP_TYPE=9; _clap_complete_prowess prowess cs show; echo ${COMPREPLY[@]}"])
        .current_dir(place.root())
        .env("HOME", place.path("home"))
        .env("PATH", format!("{}:{}", std::path::Path::new(env!("CARGO_BIN_EXE_prowess")).parent().unwrap().display(), std::env::var("PATH").unwrap()))
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        "csv",
        "{output:?}"
    );
    let unknown = place.run(&["completions", "tcsh"]);
    assert_eq!(unknown.code, Some(1));
    assert!(
        unknown.stderr.contains("bash, elvish, fish"),
        "{}",
        unknown.stderr
    );
}
