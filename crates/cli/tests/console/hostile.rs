//! Skills, models and files that attack the page.

use std::fs::File;

use prowess_testing::model::{ScriptedModel, Step, Wire, call};
use prowess_testing::run;
use serde_json::json;

use crate::support::TestProject;
use crate::{Console, nothing};

/// Each would set `window.injected` if a page ran it.
const INJECTIONS: &[&str] = &[
    "<script>injected=1</script>",
    "<img src=x onerror=injected=1>",
    "<svg onload=injected=1>",
    "<svg><script>injected=1</script></svg>",
    "<iframe src=\"javascript:parent.injected=1\"></iframe>",
    "<iframe srcdoc=\"<script>parent.injected=1</script>\"></iframe>",
    "<a href=\"javascript:injected=1\" id=go>x</a>",
    "<body onload=injected=1>",
    "<details open ontoggle=injected=1>x</details>",
    "<video><source onerror=injected=1></video>",
    "<input autofocus onfocus=injected=1>",
    "<select autofocus onfocus=injected=1></select>",
    "<marquee onstart=injected=1>x</marquee>",
    "<object data=\"javascript:injected=1\"></object>",
    "<embed src=\"javascript:injected=1\">",
    "<form action=\"javascript:injected=1\"><button>x</button></form>",
    "<math><mtext></mtext><mglyph><svg><mtext><style><img src=x onerror=injected=1></style></mtext></svg></mglyph></math>",
    "<noscript><p title=\"</noscript><img src=x onerror=injected=1>\"></noscript>",
    "<template><script>injected=1</script></template>",
    "<base href=\"javascript:injected=1//\">",
    "<meta http-equiv=refresh content=\"0;url=javascript:injected=1\">",
    "<link rel=stylesheet href=\"https://evil.example/x.css\">",
    "<style>@import 'https://evil.example/x.css';*{background:url(https://evil.example/x)}</style>",
    "<img src=\"https://evil.example/x.png\">",
    "<p style=\"background:url(https://evil.example/y)\">x</p>",
    "[x](javascript:injected=1)",
    "[x](data:text/html,<script>injected=1</script>)",
    "![x](https://evil.example/z.png)",
    "![x\"onerror=\"injected=1](x)",
    "[x]: javascript:injected=1\n\n[x]",
    "<https://evil.example/\"onmouseover=\"injected=1>",
    "```html\n<script>injected=1</script>\n```",
    "`<img src=x onerror=injected=1>`",
    "| <img src=x onerror=injected=1> | b |\n|---|---|\n| <svg onload=injected=1> | d |",
    "<a href=\"vbscript:injected=1\">x</a>",
    "<a href=\" jav&#x09;ascript:injected=1\">x</a>",
    "<button popovertarget=x onclick=injected=1>x</button><div popover id=x onbeforetoggle=injected=1>y</div>",
    "<x contenteditable onblur=injected=1 tabindex=1>x</x>",
    "\"><script>injected=1</script>",
    "'-injected=1-'",
    "${injected=1}{{injected=1}}",
    "<form id=location><input name=href></form><img name=getElementById>",
];

#[test]
fn co30_no_script_of_a_skill_or_a_model_runs() {
    assert!(INJECTIONS.len() >= 40);
    let all = INJECTIONS.join("\n\n");
    let project = TestProject::new();
    for (number, injection) in INJECTIONS.iter().enumerate() {
        let quoted = serde_json::to_string(&injection.replace('\n', " ")).unwrap();
        let text = format!(
            "---\nname: attack-{number}\ndescription: {quoted}\nargument-hint: {quoted}\nmetadata:\n  author: {quoted}\n---\n{injection}\n"
        );
        let directory = format!("work/.agents/skills/attack-{number}");
        project.write(&format!("{directory}/SKILL.md"), text);
        let name: String = injection
            .chars()
            .map(|it| if it == '/' || it == '\n' { '_' } else { it })
            .take(80)
            .collect();
        project.write(&format!("{directory}/references/{name}.md"), injection);
    }
    project.write(
        "work/.agents/skills/attack-0/SKILL.md",
        format!("---\nname: attack-0\ndescription: All of them\n---\n{all}\n"),
    );
    project.write("work/.agents/skills/attack-0/references/all.md", &all);
    project.write(
        "work/.agents/skills/<img src=x onerror=injected=1>/SKILL.md",
        &all,
    );
    let answer: &'static str = Box::leak(all.clone().into_boxed_str());
    let tool: &'static str = "<img src=x onerror=injected=1>";
    let model = ScriptedModel::start(
        Wire::OpenAi,
        [
            call("load_skill", &json!({"id": "attack-0"})),
            call(
                "read_skill_file",
                &json!({"id": "attack-0", "path": "references/all.md"}),
            ),
            call("read_skill_file", &json!({"id": all, "path": all})),
            call(tool, &json!({"x": all})),
            Step::Say(answer),
        ],
    );
    Console::start(project, Some(&model)).browse_with(
        "injections",
        &json!({"count": INJECTIONS.len()}),
        nothing,
    );
}

/// Characters of the reason of a yank.
const REASON: usize = 500;

#[test]
fn q46_no_text_of_a_registry_runs_in_the_page() {
    let mut reasons: Vec<String> = Vec::new();
    for injection in INJECTIONS {
        let injection = injection.replace('\n', " ");
        match reasons.last_mut() {
            Some(last) if last.len() + injection.len() < REASON => {
                last.push(' ');
                last.push_str(&injection);
            }
            _ => reasons.push(injection),
        }
    }
    let project = TestProject::new();
    let licence = serde_json::to_string("<img src=x onerror=injected=1>").unwrap();
    for version in 0..=reasons.len() {
        let body = INJECTIONS.join("\n\n");
        project.write(
            &format!("versions/{version}/attack/SKILL.md"),
            format!(
                "---\nname: attack\ndescription: Attacks the page. Use it for tests.\nlicense: {licence}\nmetadata:\n  version: \"1.{version}.0\"\n---\n{version}\n\n{body}\n"
            ),
        );
    }
    let mut console = Console::start(project, None);
    let url = format!("http://127.0.0.1:{}", console.port);
    console.project.write("token", &console.token);
    let mut login = console.project.command(&["login", &url, "--token-stdin"]);
    run(login.stdin(File::open(console.project.path("token")).unwrap()));
    for version in 0..=reasons.len() {
        let path = format!("versions/{version}/attack");
        run(&mut console
            .project
            .command(&["publish", &path, "--yes", "--quiet"]));
    }
    for (version, reason) in reasons.iter().enumerate() {
        let package = format!("attack@1.{version}.0");
        run(&mut console
            .project
            .command(&["yank", &package, "--reason", reason]));
    }
    let count = json!({"count": reasons.len()});
    console.browse_with("registry-injections", &count, nothing);
}

#[test]
fn co31_five_megabytes_and_markdown_that_hurts() {
    let project = TestProject::new();
    project.skill("work/.agents/skills/plain");
    let large: &'static str = Box::leak(
        "A sentence of the answer. "
            .repeat(200_000)
            .into_boxed_str(),
    );
    let mut hurting = String::new();
    hurting.push_str(&"[".repeat(20_000));
    hurting.push_str("\n\n");
    hurting.push_str(&"> ".repeat(2_000));
    hurting.push_str("\n\n");
    hurting.push_str(&"*a _b ".repeat(5_000));
    hurting.push_str("\n\n");
    hurting.push_str(&"<div>".repeat(5_000));
    hurting.push_str("\n\n");
    for depth in 0..500 {
        hurting.push_str(&" ".repeat(depth * 2));
        hurting.push_str("- x\n");
    }
    hurting.push_str("\n\n|");
    hurting.push_str(&"a|".repeat(3_000));
    hurting.push_str("\n|");
    hurting.push_str(&"-|".repeat(3_000));
    hurting.push_str("\n\nthe last line\n");
    let hurting: &'static str = Box::leak(hurting.into_boxed_str());
    let model = ScriptedModel::start(Wire::OpenAi, [Step::Say(large), Step::Say(hurting)]);
    Console::start(project, Some(&model)).browse("large-answers", nothing);
}
