//! The conformance skill, through the program: from discovery to a script in the sandbox, over both wire formats.

use prowess_core::{Dialect, Operation, ToolSpec, provider_name};
use prowess_testing::model::{BOTH, Step, Wire, call};
use serde_json::{Value, json};

use crate::setup::{events, model, run};
use crate::support::TestProject;

const SKILL: &str = "skills-system-validation";

fn read(path: &str) -> (&'static str, String) {
    (
        "read_skill_file",
        json!({"id": SKILL, "path": path}).to_string(),
    )
}

/// A project that has it.
fn new_project() -> TestProject {
    let project = TestProject::copy_of("skills");
    std::fs::create_dir(project.path(".agents")).unwrap();
    std::fs::rename(project.path("skills"), project.path(".agents/skills")).unwrap();
    std::fs::create_dir(project.path(".git")).unwrap();
    project
}

#[test]
fn conformance_skill_is_used_by_reference() {
    for wire in BOTH {
        let model = model(wire, [Step::Say("VALIDATION: passed")]);
        let said = run(
            &new_project(),
            Some(&model),
            &["-p", &format!("/{SKILL} run")],
        );
        assert_eq!(said.stdout, "VALIDATION: passed\n", "{}", said.stderr);
        assert_eq!(model.seen().len(), 1);
        let text = &model.last().messages()[0].1;
        assert!(text.starts_with(&format!("<skill id=\"{SKILL}\">")) && text.ends_with("\n\nrun"));
        assert!(text.contains("PROWESS-VALIDATION-BODY-7c1e"));
    }
}

#[test]
fn conformance_skill_works_from_discovery_to_script() {
    let project = new_project();
    let fixture = project.read(&format!(".agents/skills/{SKILL}/assets/fixture.json"));
    let fixture: Value = serde_json::from_str(&fixture).unwrap();
    let marker = |name: &str| fixture["markers"][name].as_str().unwrap().to_owned();
    let refused = [
        "../SKILL.md",
        "/etc/passwd",
        "references/../../../../etc/passwd",
    ];
    assert_eq!(fixture["refused"], json!(refused));
    for wire in BOTH {
        let script = || {
            call(
                "run_skill_script",
                &json!({"id": SKILL, "path": "scripts/echo.sh"}),
            )
        };
        let steps = [
            call(
                "browse_skills",
                &json!({"query": "validate the skills system"}),
            ),
            call("load_skill", &json!({"id": SKILL})),
            Step::Call(
                "",
                vec![
                    read("references/REFERENCE.md"),
                    read("./assets/fixture.json"),
                ],
            ),
            Step::Call("", refused.map(read).to_vec()),
            script(),
            Step::Say("VALIDATION: passed"),
            script(),
            Step::Say("not allowed"),
        ];
        let model = model(wire, steps);
        let arguments = [
            "--json",
            "--approve-skills",
            SKILL,
            "-p",
            "Please validate the skills system.",
        ];
        let said = run(&project, Some(&model), &arguments);
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        let last = events(&said).pop().unwrap();
        assert_eq!(
            (&last["ending"], &last["text"]),
            (&json!("answered"), &json!("VALIDATION: passed"))
        );

        let seen = model.seen();
        for request in &seen {
            request.assert_whole();
            let listed = format!("<skill id=\"{SKILL}\"");
            assert_eq!(request.system().matches(&listed).count(), 1);
            let names: Vec<String> = request.tools().into_iter().map(|(name, _)| name).collect();
            for name in [
                "browse_skills",
                "load_skill",
                "read_skill_file",
                "run_skill_script",
            ] {
                assert!(names.iter().any(|it| it == name), "{names:?}");
            }
        }
        // Discovery shows the description and nothing more; the body comes when it is loaded, files when they are read.
        assert!(seen[0].system().contains("paths that leave the skill"));
        let in_body =
            |number: usize, name: &str| seen[number].body.to_string().contains(&marker(name));
        assert!(!in_body(1, "body") && in_body(2, "body") && !in_body(2, "reference"));
        let results = seen.last().unwrap().results();
        let found: Value = serde_json::from_str(&results[0]).unwrap();
        assert_eq!(found["skills"][0]["id"], SKILL);
        let loaded: Value = serde_json::from_str(&results[1]).unwrap();
        assert_eq!(loaded["files"], fixture["files"]);
        assert_eq!(loaded["frontmatter"]["license"], "MIT OR Apache-2.0");
        assert!(results[2].contains(&format!("MARKER: {}", marker("reference"))));
        let given: Value = serde_json::from_str(&results[3]).unwrap();
        assert_eq!(given["path"], "assets/fixture.json");
        let content: Value = serde_json::from_str(given["content"].as_str().unwrap()).unwrap();
        assert_eq!(content, fixture);
        for result in &results[4..7] {
            let result: Value = serde_json::from_str(result).unwrap();
            assert_eq!(result["error"]["code"], "invalid-path", "{result}");
            assert!(!result.to_string().contains("root:"), "{result}");
        }
        let output: Value = serde_json::from_str(&results[7]).unwrap();
        assert_eq!(
            output["stdout"],
            format!("{}\n", marker("script")),
            "{output}"
        );
        assert_eq!(output["exit_code"], 0);

        // The same script without approval, and nobody to ask: it does not run, and the model hears why.
        let denied = run(&project, Some(&model), &["-p", "Run it."]);
        assert_eq!(denied.code, Some(0), "{}", denied.stderr);
        let result = model.last().results().pop().unwrap();
        assert!(!result.contains(&marker("script")), "{result}");
        assert!(result.contains("approve"), "{result}");
    }
}

/// The same steps with the tools of each dialect; one without a tool for a step leaves it out.
#[test]
fn di12_conformance_skill_works_under_each_dialect() {
    for dialect in Dialect::ALL {
        let project = new_project();
        let config = format!("[skills]\ndialect = \"{}\"\n", dialect.name);
        project.write("prowess.toml", config);
        let tool = |operation| {
            let mut tools = dialect.tools.iter();
            tools.find(|tool| tool.operation == operation)
        };
        let of = |tool: &ToolSpec, path: Option<&str>| {
            let mut arguments = json!({ tool.id: SKILL });
            if let (Some(name), Some(path)) = (tool.path, path) {
                arguments[name] = json!(path);
            }
            let name: &'static str = provider_name(tool.name).leak();
            (name, arguments.to_string())
        };
        let load = tool(Operation::Load).unwrap();
        let mut steps = vec![Step::Call("", vec![of(load, None)])];
        let reads = tool(Operation::Read).or(load.path.and(Some(load)));
        if let Some(read) = reads {
            let paths = [
                "references/REFERENCE.md",
                "../SKILL.md",
                "/etc/passwd",
                "references/../../../../etc/passwd",
            ];
            steps.push(Step::Call("", paths.map(|it| of(read, Some(it))).to_vec()));
        }
        let runs = tool(Operation::Run);
        if let Some(run) = runs {
            steps.push(Step::Call("", vec![of(run, Some("scripts/echo.sh"))]));
        }
        steps.push(Step::Say("VALIDATION: passed"));
        let model = model(Wire::OpenAi, steps);
        let arguments = [
            "--approve-skills",
            SKILL,
            "-p",
            "Validate the skills system.",
        ];
        let said = run(&project, Some(&model), &arguments);
        assert_eq!(said.stdout, "VALIDATION: passed\n", "{}", said.stderr);
        let mut results = model.last().results().into_iter();
        let loaded = results.next().unwrap();
        assert!(loaded.contains("PROWESS-VALIDATION-BODY-7c1e"), "{loaded}");
        if reads.is_some() {
            let reference = results.next().unwrap();
            assert!(reference.contains("MARKER: "), "{reference}");
            for refused in results.by_ref().take(3) {
                assert!(!refused.contains("root:"), "{refused}");
                assert!(refused.contains("error"), "{refused}");
            }
        }
        if runs.is_some() {
            let output = results.next().unwrap();
            assert!(output.contains("PROWESS-VALIDATION-SCRIPT"), "{output}");
        }
        assert_eq!(results.next(), None, "{}", dialect.name);
    }
}
