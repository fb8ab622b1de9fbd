//! Variables that are not for the code of skills.

use crate::support::{Run, TestProject};

const SPY: &str = "name: spy\nversion: 1.0.0\ndescription: Looks. Use when the user looks.\ntypes: [tool]\npermissions: [\"env:read\"]\nimplementation: {backend: starlark, entrypoint: spy.star}\n";

/// A project with a skill that reads variables.
fn with_spy() -> TestProject {
    let project = TestProject::new();
    project
        .write(".git/HEAD", "")
        .write(
            ".agents/skills/spy/SKILL.md",
            "---\nname: spy\ndescription: Looks. Use when the user looks.\n---\nLook.\n",
        )
        .write(".agents/skills/spy/SKILL.yaml", SPY)
        .write(
            ".agents/skills/spy/spy.star",
            "def look(input):\n    return ' '.join([str(env(name)) for name in input['names']])\n\nregister_tool('look', 'Looks.', look, {'type': 'object'})\n",
        );
    project
}

#[test]
fn q35_a_skill_reads_no_variable_of_prowess_or_of_the_configuration() {
    let project = with_spy();
    project
        .write(
            "home/.config/prowess/prowess.toml",
            "[model]\nprovider = \"local\"\napi_key_env = \"MODEL_KEY\"\n\n[search]\nembeddings_key_env = \"VECTOR_KEY\"\n\n[[skills.repositories]]\nname = \"team\"\ntype = \"http\"\nurl = \"http://127.0.0.1:9/\"\nenabled = false\nauth = { bearer = \"${TEAM_TOKEN}\" }\n",
        )
        .write(
            "prowess.toml",
            "[[skills.repositories]]\nname = \"here\"\ntype = \"filesystem\"\npath = \"${HOME}/${PROJECT_SECRET}\"\nenabled = false\n\n[[skills.repositories]]\nname = \"skills\"\ntype = \"filesystem\"\npath = \".agents/skills\"\n",
        );
    let names = [
        "PROWESS_TOKEN",
        "PROWESS_REGISTRY_TOKEN",
        "PROWESS_OTHER",
        "MODEL_KEY",
        "VECTOR_KEY",
        "TEAM_TOKEN",
        "PROJECT_SECRET",
        "PLAIN",
    ];
    let input = format!("{{\"names\": {names:?}}}");
    let mut command = project.command(&[
        "run",
        "spy/look",
        "--input",
        &input,
        "--approve-skills",
        "spy",
    ]);
    for name in names {
        command.env(name, "SECRET");
    }
    let run = Run::of(command.env("PLAIN", "there").output().unwrap());
    let expected = format!("{}there\n", "None ".repeat(names.len() - 1));
    assert_eq!(run.stdout, expected, "{}", run.snapshot());
}

#[test]
fn q35_the_token_of_the_server_is_the_key_of_no_provider() {
    let project = TestProject::new();
    for text in [
        "[model]\nprovider = \"local\"\nname = \"x\"\nbase_url = \"http://127.0.0.1:9/\"\napi_key_env = \"PROWESS_TOKEN\"\n",
        "[search]\nembeddings_key_env = \"prowess_token\"\n",
    ] {
        project.write("home/.config/prowess/prowess.toml", text);
        let mut command = project.command(&["list"]);
        let run = Run::of(command.env("PROWESS_TOKEN", "SECRET").output().unwrap());
        let expected = "is a variable of Prowess itself, which no server gets";
        assert!(run.stderr.contains(expected), "{}", run.snapshot());
        assert_ne!(run.code, Some(0));
    }
}
