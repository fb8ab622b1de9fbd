//! Skills, places, registry and evals.

use std::fs;
use std::process::Command;

use prowess_testing::{run, skill_text};
use serde_json::json;

use crate::support::TestProject;
use crate::{Console, nothing};

const SKILLS: &str = "work/.agents/skills";

fn project() -> TestProject {
    let project = TestProject::new();
    for name in ["haiku", "pdf-forms", "writing/release-notes"] {
        let last = name.rsplit('/').next().unwrap();
        let text = skill_text(
            last,
            &format!("Does {last}. Use it for {last}."),
            "# Steps\n\nFive, seven, five.\n",
        );
        project.write(&format!("{SKILLS}/{name}/SKILL.md"), text);
    }
    project.write(&format!("{SKILLS}/haiku/references/season.md"), "Spring.\n");
    project
}

#[test]
fn co20_skills_are_found_read_and_disabled() {
    let project = project();
    project.write(
        &format!("{SKILLS}/flawed/SKILL.md"),
        "---\nname: flawed\ndescription: Has flaws. Use it for flaws.\nauthor: Ada\n---\nText.\n",
    );
    let mut console = Console::start(project, None);
    console.browse("skills", nothing);
    let file = console.project.read("home/.config/prowess/prowess.toml");
    assert!(!file.contains("haiku"), "{file}");
}

#[test]
fn co21_an_edit_shows_its_problems_and_conflicts() {
    let mut console = Console::start(project(), None);
    let file = console
        .project
        .path(&format!("{SKILLS}/pdf-forms/SKILL.md"));
    console.browse("edit", |_, name| match name {
        "change" => {
            let text = fs::read_to_string(&file).unwrap();
            fs::write(&file, format!("{text}Written by an editor.\n")).unwrap();
        }
        "delete" => fs::remove_dir_all(file.parent().unwrap()).unwrap(),
        other => panic!("{other}"),
    });
    let haiku = console.project.read(&format!("{SKILLS}/haiku/SKILL.md"));
    assert!(haiku.contains("Written in the browser."), "{haiku}");
    let made = console.project.read(&format!("{SKILLS}/limerick/SKILL.md"));
    assert!(made.contains("name: limerick"), "{made}");
}

#[test]
fn co22_a_zip_and_a_folder_are_dropped() {
    let project = project();
    let text = skill_text("dropped", "Was dropped. Use it.", "Dropped.\n");
    project.write("pack/dropped/SKILL.md", text);
    project.write("pack/dropped/references/a.md", "A.\n");
    let zip = "import shutil; shutil.make_archive('dropped', 'zip', 'pack')";
    run(Command::new("python3")
        .args(["-c", zip])
        .current_dir(project.root()));
    let mut console = Console::start(project, None);
    console.browse("drop", nothing);
    for (name, file) in [("dropped", "references/a.md"), ("folder", "notes/b.md")] {
        let path = console.project.path(&format!("{SKILLS}/{name}/{file}"));
        assert!(path.is_file(), "{}", path.display());
    }
}

#[test]
fn co23_the_trust_question() {
    let outside = TestProject::new();
    outside.skill("shared/from-outside");
    let project = project();
    project.write(
        "work/prowess.toml",
        format!(
            "[[skills.repositories]]\nname = \"shared\"\ntype = \"filesystem\"\npath = \"{}\"\n",
            outside.path("shared").display()
        ),
    );
    project.write(&format!("{SKILLS}/broken/SKILL.md"), "no fields\n");
    Console::start(project, None).browse("places", nothing);
}

#[test]
fn co24_a_package_is_published_compared_and_installed() {
    let project = project();
    for (version, line) in [("1.0.0", "One."), ("1.1.0", "Two.")] {
        let text = format!(
            "---\nname: csv-clean\ndescription: Cleans CSV files. Use it for tables.\nmetadata:\n  version: \"{version}\"\n---\n{line}\n"
        );
        project.write(&format!("versions/{version}/csv-clean/SKILL.md"), text);
    }
    let mut console = Console::start(project, None);
    let url = format!("http://127.0.0.1:{}", console.port);
    console.project.write("token", &console.token);
    let mut login = console.project.command(&["login", &url, "--token-stdin"]);
    run(login.stdin(fs::File::open(console.project.path("token")).unwrap()));
    for version in ["1.0.0", "1.1.0"] {
        let path = format!("versions/{version}/csv-clean");
        run(&mut console
            .project
            .command(&["publish", &path, "--yes", "--quiet"]));
    }
    console.browse("registry", nothing);
    let lock = console.project.read("work/prowess.lock");
    assert!(lock.contains("csv-clean"), "{lock}");
}

#[test]
fn co25_evals_run_in_the_page() {
    let project = project();
    project.write(
        &format!("{SKILLS}/haiku/evals/evals.json"),
        r#"[{"id": "rain", "prompt": "a haiku about rain", "expectations": [{"contains": "seven"}]}]"#,
    );
    Console::start(project, None).browse("evals", nothing);
}

#[test]
fn co26_every_page_is_accessible_dark_and_narrow() {
    let project = project();
    let text = skill_text("שלום", "طريقة للكتابة. Use it for Arabic.", "النص\n");
    project.write(
        &format!("{SKILLS}/rtl/SKILL.md"),
        text.replace("שלום", "rtl"),
    );
    Console::start(project, None).browse("looks", nothing);
}

#[test]
fn co27_ten_thousand_skills() {
    let project = TestProject::new();
    for number in 0..10_000 {
        let name = format!("skill-{number:05}");
        let text = skill_text(&name, &format!("Does task {number}. Use it."), "Do it.\n");
        project.write(&format!("{SKILLS}/{name}/SKILL.md"), text);
    }
    Console::start(project, None).browse("many-skills", nothing);
}

#[test]
fn co28_a_revoked_token_keeps_what_was_typed() {
    let mut console = Console::start(project(), None);
    let create = ["token", "create", "second", "--scope", "admin", "--quiet"];
    let second = console.project.run(&create).stdout.trim().to_owned();
    console.browse_with("token", &json!({"second": second}), |console, name| {
        assert_eq!(name, "revoke");
        let list = console.project.run(&["token", "list", "--json"]);
        let list: serde_json::Value = serde_json::from_str(&list.stdout).unwrap();
        let tokens = list["tokens"].as_array().unwrap();
        let first = tokens.iter().find(|it| it["name"] == "browser").unwrap();
        run(&mut console
            .project
            .command(&["token", "revoke", first["id"].as_str().unwrap()]));
    });
}
