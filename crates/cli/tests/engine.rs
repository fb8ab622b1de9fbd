//! The commands over an agent's skills, on the layouts that people have.
#![cfg(test)]

mod support;

use std::fs;

use insta::assert_snapshot;
use support::TestProject;

fn described(project: &TestProject, path: &str, description: &str) {
    let name = path.rsplit('/').next().unwrap();
    project.write(
        &format!("{path}/SKILL.md"),
        format!("---\nname: {name}\ndescription: {description}\n---\nBody of {name}.\n"),
    );
}

/// `.agents/skills` with skills side by side.
fn flat() -> TestProject {
    let project = TestProject::new();
    described(&project, ".agents/skills/pdf", "Reads PDF files");
    described(&project, ".agents/skills/csv", "Summarises CSV files");
    project.write(".agents/skills/csv/references/GUIDE.md", "Guide.\n");
    project.write(".agents/skills/broken/SKILL.md", "no frontmatter\n");
    project
}

/// The configuration may disable all skills, and every command says so.
#[test]
fn d23_disabled_skills_are_said_to_be() {
    let project = flat();
    project.write("prowess.toml", "[skills]\nenabled = false\n");
    for arguments in [
        &["list"][..],
        &["list", "--json"],
        &["prompt"],
        &["search", "pdf"],
        &["info", "core-tools"],
        &["browse"],
        &["doctor"],
        &["why", "git"],
        &["run", "core-tools/run_command"],
        &["chat", "-p", "list my skills"],
    ] {
        let shown = project.run(arguments).snapshot();
        let note = "skills are disabled: `enabled = false` at prowess.toml:2";
        assert!(shown.contains(note), "{arguments:?} {shown}");
        assert!(!shown.contains("Reads PDF files"), "{arguments:?} {shown}");
        assert!(
            !shown.contains("no .agents/skills"),
            "{arguments:?} {shown}"
        );
    }
    let shown = project.run(&["list", "--in", ".agents/skills"]).snapshot();
    assert!(shown.contains("Reads PDF files") && !shown.contains("disabled"));
}

#[test]
fn cl1_flat_layout_is_listed() {
    let project = flat();
    assert_snapshot!(project.run(&["list"]).snapshot(), @r"
    exit 0
    --- stdout
    SKILL         DESCRIPTION                                                   TOKENS  SOURCE
    core-tools    Reads, writes, lists and searches the files of the project …  152     built-in
    csv           Summarises CSV files                                          4       .agents/skills
    git           Shows what changed in the repository and its history, stage…  114     built-in
    pdf           Reads PDF files                                               4       .agents/skills
    skill-author  Writes a new Agent Skill or improves an existing one. Use i…  357     built-in
    --- stderr
    5 skills in 1 place, 3 built in, 1 invalid (see `prowess list --all`)
    ");
    assert_snapshot!(project.run(&["prompt"]).snapshot(), @r#"
    exit 0
    --- stdout
    <available_skills>
      <skill id="core-tools">
        <description>Reads, writes, lists and searches the files of the project and runs commands in it. Use it for any task that needs to look at or change files, or to run a program.</description>
      </skill>
      <skill id="csv">
        <description>Summarises CSV files</description>
      </skill>
      <skill id="git">
        <description>Shows what changed in the repository and its history, stages files and commits them. Use it when the task is about commits, differences, history or what is uncommitted.</description>
      </skill>
      <skill id="pdf">
        <description>Reads PDF files</description>
      </skill>
      <skill id="skill-author">
        <description>Writes a new Agent Skill or improves an existing one. Use it when a user wants to teach an agent something for good, asks for a SKILL.md, or a skill is not picked up when it should be.</description>
      </skill>
    </available_skills>
    --- stderr
    5 of 5 skills listed, about 229 tokens, for the system prompt
    "#);
    assert_snapshot!(project.run(&["list", "--all", "--quiet"]).stdout.lines().last().unwrap(), @"invalid: .agents/skills/broken/SKILL.md: the file does not start with a `---` line");
}

#[test]
fn nested_collections_are_browsed() {
    let project = TestProject::new();
    for index in 0..7 {
        described(
            &project,
            &format!("library/extraction/skill-{index}"),
            "Extracts",
        );
        described(
            &project,
            &format!("library/extraction/medical/scan-{index}"),
            "Scans",
        );
    }
    described(&project, "library/pdf", "Reads PDF files");
    project.write("library/extraction/COLLECTION.md", "Entity extraction\n");
    assert_snapshot!(project.run(&["prompt", "--in", "library"]).snapshot(), @r#"
    exit 0
    --- stdout
    <available_skills mode="collections">
      <collection path="extraction" count="14">Entity extraction</collection>
      <skill id="pdf">
        <description>Reads PDF files</description>
      </skill>
      Use the browse_skills tool to list skills in a collection, or to search with up to three `queries`: technical terms, tools, formats and synonyms, the most specific first.
      Use the load_skill tool or /collection/skill-name to activate a skill.
    </available_skills>
    --- stderr
    1 of 15 skills listed, about 114 tokens, for the system prompt; 14 available through collections or search
    "#);
    assert_snapshot!(project.run(&["browse", "--in", "library"]).stdout, @r"
    extraction/  Entity extraction

    SKILL  DESCRIPTION      TOKENS  SOURCE
    pdf    Reads PDF files  4       library
    ");
    let below = project
        .run(&["browse", "extraction", "--in", "library", "--json"])
        .json();
    assert_eq!(below["subcollections"][0]["path"], "extraction/medical");
    assert_eq!(below["skills"].as_array().unwrap().len(), 7);
}

#[test]
fn nearest_level_of_a_monorepo_wins() {
    let project = TestProject::new();
    fs::create_dir_all(project.path("home/repo/.git")).unwrap();
    described(&project, "home/.agents/skills/pdf", "The user's");
    described(&project, "home/repo/.agents/skills/pdf", "The repository's");
    described(&project, "home/repo/apps/.claude/skills/pdf", "The apps'");
    described(
        &project,
        "home/repo/apps/web/.agents/skills/pdf",
        "The web app's",
    );
    described(
        &project,
        "home/repo/apps/web/.agents/skills/css",
        "Writes CSS",
    );
    let run = project.run(&["-C", "home/repo/apps/web", "list", "--all"]);
    assert_snapshot!(run.snapshot(), @r"
    exit 0
    --- stdout
    SKILL         DESCRIPTION                                          TOKENS  SOURCE
    core-tools    Reads, writes, lists and searches the files of the…  152     built-in
    css           Writes CSS                                           4       apps/web/.agents/skills
    git           Shows what changed in the repository and its histo…  114     built-in
    pdf           The web app's                                        4       apps/web/.agents/skills
    skill-author  Writes a new Agent Skill or improves an existing o…  357     built-in
    shadowed: apps/.claude/skills/pdf, by apps/web/.agents/skills/pdf
    shadowed: .agents/skills/pdf, by apps/web/.agents/skills/pdf
    shadowed: ~/.agents/skills/pdf, by apps/web/.agents/skills/pdf
    --- stderr
    5 skills in 4 places, 3 built in, 3 shadowed
    ");
}

#[test]
fn cl3_show_and_read_print_content() {
    let project = flat();
    assert_snapshot!(project.run(&["show", "pdf", "page", "3"]).stdout, @r#"
    <skill id="pdf">
    Body of pdf.

    ARGUMENTS: page 3
    </skill>
    "#);
    assert_eq!(
        project.run(&["read", "csv", "references/GUIDE.md"]).stdout,
        "Guide.\n"
    );
    assert_eq!(
        project
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
    assert_snapshot!(project.run(&["read", "csv", "../pdf/SKILL.md"]).snapshot(), @r"
    exit 1
    --- stdout
    --- stderr
    error: `../pdf/SKILL.md` contains `..`
    hint: pass a path inside the skill, such as references/API.md
    ");
    assert_snapshot!(project.run(&["read", "csv", "references/GUIDES.md"]).snapshot(), @r"
    exit 1
    --- stdout
    --- stderr
    error: `csv` has no file `references/GUIDES.md`
    hint: did you mean references/GUIDE.md?
    ");
    assert_snapshot!(project.run(&["show", "csw"]).snapshot(), @r"
    exit 1
    --- stdout
    --- stderr
    error: unknown skill `csw`
    hint: did you mean csv?
    ");
    let info = project.run(&["info", "csv", "--json"]).json();
    assert_eq!(info["files"][0]["path"], "references/GUIDE.md");
    assert_eq!(info["frontmatter"]["description"], "Summarises CSV files");
}

#[test]
fn d10_info_shows_the_target_of_a_linked_skill() {
    let project = TestProject::new();
    described(&project, "store/pdf", "Reads PDF files");
    fs::create_dir_all(project.path(".agents/skills")).unwrap();
    std::os::unix::fs::symlink("../../store/pdf", project.path(".agents/skills/pdf")).unwrap();
    let target = fs::canonicalize(project.path("store/pdf")).unwrap();
    let info = project.run(&["info", "pdf", "--json"]).json();
    assert_eq!(info["target"], target.to_str().unwrap());
    let shown = project.run(&["info", "pdf"]).stdout;
    let line = format!("links to      {}", target.display());
    assert!(shown.lines().any(|it| it.trim() == line), "{shown}");
    assert!(project.run(&["list"]).stdout.contains("Reads PDF files"));
}

#[test]
fn cl2_search_finds_by_body_and_forgives_typos() {
    let project = flat();
    described(&project, ".agents/skills/k8s", "Helps with clusters");
    project.write(".agents/skills/k8s/SKILL.md", "---\nname: k8s\ndescription: Helps with clusters\n---\nWhen a pod restarts, look at the logs.\n");
    for (query, expected) in [
        ("my pod keeps restarting", "k8s"),
        ("spreadsheet csv", "csv"),
        ("summarsies", "csv"),
    ] {
        let found = project.run(&["search", query, "--json"]).json();
        assert_eq!(found["skills"][0]["id"], expected, "{query}");
    }
    assert!(
        project.path("home/.cache/prowess").is_dir(),
        "the index is kept"
    );
    assert_snapshot!(project.run(&["search", "zzzzzz"]).snapshot(), @r#"
    exit 0
    --- stdout
    --- stderr
    No results for "zzzzzz".
    "#);
    // A damaged cache is made again.
    for entry in fs::read_dir(project.path("home/.cache/prowess")).unwrap() {
        fs::write(entry.unwrap().path(), "damaged").unwrap();
    }
    let found = project.run(&["search", "pod", "--json"]).json();
    assert_eq!(found["skills"][0]["id"], "k8s");
}

#[test]
fn cl2_damaged_postings_are_noticed_by_the_search_that_reads_them() {
    let project = flat();
    let search = || {
        project
            .run(&["search", "csv", "--json", "--explain"])
            .stdout
    };
    let expected = search();
    let cache = fs::read_dir(project.path("home/.cache/prowess")).unwrap();
    let mut paths = cache.map(|entry| entry.unwrap().path());
    let index = paths.find(|path| path.extension().is_none()).unwrap();
    let intact = fs::read(&index).unwrap();
    let mut damaged = intact.clone();
    damaged[0] ^= 1;
    fs::write(&index, damaged).unwrap();
    assert_eq!(search(), expected);
    assert!(
        fs::read(&index).unwrap() == intact,
        "the index is written again"
    );
}

#[test]
fn se6_search_explains_every_feature() {
    let project = flat();
    let found = project.run(&["search", "spreadsheet csv", "--json", "--explain"]);
    let first = &found.json()["skills"][0];
    assert_eq!(first["id"], "csv");
    let features = first["features"].as_array().unwrap();
    assert!(
        features.len() >= 20 && first["score"].is_number(),
        "{first}"
    );
    let named = |name: &str| features.iter().find(|feature| feature["name"] == name);
    let covered = named("covered-name").unwrap();
    assert!(covered["value"].as_f64() > Some(0.0) && covered["adds"].is_number());
    let shown = project
        .run(&["search", "spreadsheet csv", "--explain"])
        .stdout;
    assert!(
        shown.starts_with("csv  ") && shown.contains("\n  covered-name "),
        "{shown}"
    );
}

#[test]
fn cl9_doctor_reports_broken_skills() {
    let project = flat();
    let run = project.run(&["doctor"]);
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
    assert_eq!(TestProject::new().run(&["doctor"]).code, Some(0));
}

#[test]
fn cl1_commands_work_without_skills() {
    let project = TestProject::new();
    assert_snapshot!(project.run(&["list"]).snapshot(), @r"
    exit 0
    --- stdout
    SKILL         DESCRIPTION                                                         TOKENS  SOURCE
    core-tools    Reads, writes, lists and searches the files of the project and ru…  152     built-in
    git           Shows what changed in the repository and its history, stages file…  114     built-in
    skill-author  Writes a new Agent Skill or improves an existing one. Use it when…  357     built-in
    --- stderr
    3 built-in skills; no .agents/skills, .claude/skills or .prowess/skills in this directory or above
    ");
    assert_snapshot!(project.run(&["list", "--in", "nowhere"]).snapshot(), @r"
    exit 0
    --- stdout
    --- stderr
    warning: nowhere does not exist
    0 skills in 1 place
    ");
    // With nothing at all, there is no prompt.
    project.write(
        "home/.config/prowess/prowess.toml",
        "skills.builtin = false\n",
    );
    assert_eq!(project.run(&["prompt", "--quiet"]).stdout, "");
    let listed = project.run(&["list", "--json"]).json();
    assert_eq!(listed["skills"], serde_json::json!([]));
    assert_eq!(
        project.run(&["list"]).stderr,
        "no skills: no .agents/skills, .claude/skills or .prowess/skills in this directory or above\n"
    );
}

#[test]
fn cl8_dialects_change_the_prompt() {
    let project = flat();
    let arguments = [
        "prompt",
        "--dialect",
        "remcochat",
        "--quiet",
        "--in",
        ".agents/skills",
    ];
    let prompt = project.run(&arguments).stdout;
    let (instructions, catalog) = prompt.split_once("\n\n").unwrap();
    assert!(instructions.contains("skills.activate"));
    assert_eq!(
        catalog,
        "{\"available_skills\":[{\"name\":\"csv\",\"description\":\"Summarises CSV files\"},{\"name\":\"pdf\",\"description\":\"Reads PDF files\"}]}\n"
    );
    let wrong = project.run(&["prompt", "--dialect", "nope"]);
    assert_eq!(wrong.code, Some(1));
    assert!(wrong.stderr.contains("vibe-tavern"));
}

/// The program as somebody for whom modes count: root is turned into nobody, in a directory that nobody
/// may enter.
#[cfg(unix)]
fn without_privileges(project: &TestProject, arguments: &[&str]) -> support::Run {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let program = project.path("prowess");
    fs::copy(env!("CARGO_BIN_EXE_prowess"), &program).unwrap();
    fs::set_permissions(project.root(), fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = std::process::Command::new(program);
    command
        .args(arguments)
        .current_dir(project.root())
        .env_clear()
        .env("HOME", "/nonexistent");
    if rustix::process::geteuid().is_root() {
        command.uid(65534).gid(65534);
    }
    support::Run::of(command.output().unwrap())
}

#[cfg(unix)]
#[test]
fn d9_unreadable_skills_are_reported_and_the_rest_loads() {
    use std::os::unix::fs::PermissionsExt;
    let project = TestProject::new();
    project
        .skill(".agents/skills/fine")
        .skill(".agents/skills/closed-file")
        .skill(".agents/skills/closed-directory");
    let close = |path: &str| {
        fs::set_permissions(project.path(path), fs::Permissions::from_mode(0o000)).unwrap();
    };
    close(".agents/skills/closed-file/SKILL.md");
    close(".agents/skills/closed-directory");
    assert_snapshot!(without_privileges(&project, &["list"]).snapshot(), @r"
    exit 0
    --- stdout
    SKILL         DESCRIPTION                                                   TOKENS  SOURCE
    core-tools    Reads, writes, lists and searches the files of the project …  152     built-in
    fine          d                                                             2       .agents/skills
    git           Shows what changed in the repository and its history, stage…  114     built-in
    skill-author  Writes a new Agent Skill or improves an existing one. Use i…  357     built-in
    --- stderr
    warning: cannot read closed-directory/SKILL.md: permission denied
    warning: cannot read closed-file/SKILL.md: permission denied
    4 skills in 1 place, 3 built in
    ");
}

#[test]
fn browsing_an_invalid_path_lists_nothing() {
    let project = flat();
    for path in ["nope", "../etc", "No Such Thing", "a//b"] {
        let run = project.run(&["browse", path]);
        assert_eq!(
            (run.code, run.stdout.as_str(), run.stderr.as_str()),
            (Some(0), "", format!("nothing in {path}\n").as_str())
        );
    }
}

#[test]
fn completions_include_skill_ids() {
    let project = flat();
    described(&project, ".agents/skills/writing/poems", "Writes poems");
    let script = project.run(&["completions", "bash"]);
    project.write("completions.bash", &script.stdout);
    let ask = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let mut command = project.command(&["--"]);
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
        .current_dir(project.root())
        .env("HOME", project.path("home"))
        .env("PATH", format!("{}:{}", std::path::Path::new(env!("CARGO_BIN_EXE_prowess")).parent().unwrap().display(), std::env::var("PATH").unwrap()))
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        "csv",
        "{output:?}"
    );
    let unknown = project.run(&["completions", "tcsh"]);
    assert_eq!(unknown.code, Some(1));
    assert!(
        unknown.stderr.contains("bash, elvish, fish"),
        "{}",
        unknown.stderr
    );
}

#[test]
fn d13_a_cut_names_its_setting_everywhere() {
    let project = flat();
    project.write(
        "prowess.toml",
        "[skills]\nmax_skills = 1\nbuiltin = false\n",
    );
    let listed = project.run(&["list"]);
    assert!(listed.stderr.contains("1 omitted (`skills.max_skills`)"));
    let json = project.run(&["list", "--json"]).json();
    let expected = serde_json::json!({"count": 1, "setting": "skills.max_skills"});
    assert_eq!(json["omitted"], expected);
    let prompt = project.run(&["prompt"]);
    assert!(prompt.stderr.contains("1 omitted (`skills.max_skills`)"));
    let doctor = project.run(&["doctor"]);
    assert!(
        doctor
            .stdout
            .contains("omitted   1 skills: raise `skills.max_skills`")
    );
}
