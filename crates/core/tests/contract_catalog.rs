//! The rows of `docs/contract/rendering.md`.
#![cfg(test)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use prowess_core::{
    Catalog, CatalogFormat, CatalogOptions, CatalogReport, Dialect, Event, Hints, MemorySource,
    Operation, Prompt, RenderError, RenderOptions, Scope, SkillId, Skills, ToolNames,
    render_catalog, render_skill, with_arguments,
};
use support::{TREE, borrowed, catalog, layer, many};

const BUDGET: usize = 8_000;

const FORMATS: [CatalogFormat; 5] = [
    CatalogFormat::Xml,
    CatalogFormat::XmlElements,
    CatalogFormat::XmlAttributes,
    CatalogFormat::Json,
    CatalogFormat::Markdown,
];

fn render_with(
    catalog: &Catalog,
    format: CatalogFormat,
    budget: usize,
    active: &[&str],
) -> (String, CatalogReport) {
    let active: BTreeSet<SkillId> = active.iter().map(|id| id.parse().unwrap()).collect();
    let locate = |id: &SkillId| Some(format!("skills/{id}/SKILL.md"));
    let options = RenderOptions {
        format,
        inventory_threshold: 12,
        max_skills: usize::MAX,
        budget,
        preloaded: &active,
        likely: &[],
        tools: Some(ToolNames {
            search: "browse_skills",
            load: "load_skill",
        }),
        location: (format == CatalogFormat::XmlElements).then_some(&locate),
    };
    render_catalog(catalog, &options)
}

fn render(skills: &[(&str, &str)]) -> String {
    render_with(&catalog(skills), CatalogFormat::Xml, BUDGET, &[]).0
}

#[test]
fn c1_no_skills() {
    for format in [
        CatalogFormat::Xml,
        CatalogFormat::Json,
        CatalogFormat::Markdown,
    ] {
        let (text, report) = render_with(&catalog(&[]), format, BUDGET, &[]);
        assert_eq!((text.as_str(), report), ("", CatalogReport::default()));
    }
}

#[test]
fn c2_two_skills() {
    assert_eq!(
        render(&TREE[..2]),
        "<available_skills>\n  <skill id=\"extraction/email-extractor\">\n    <description>Extract entities from emails</description>\n  </skill>\n  <skill id=\"extraction/fiction-extractor\">\n    <description>Extract characters from fiction</description>\n  </skill>\n</available_skills>"
    );
}

#[test]
fn c3_threshold() {
    let twelve = many("", 12);
    assert!(render(&borrowed(&twelve)).starts_with("<available_skills>\n"));
    let thirteen = many("a/", 13);
    assert!(render(&borrowed(&thirteen)).starts_with("<available_skills mode=\"collections\">\n"));
}

#[test]
fn c4_collections() {
    let mut skills = many("extraction/deep/", 4);
    skills.extend(many("extraction/", 4));
    skills.extend(many("formatting/", 5));
    let mut skills = borrowed(&skills);
    skills.push(("pdf-processing", "Process PDFs"));
    let mut layer = layer("test", &skills);
    let description = "Entity and relationship extraction".to_owned();
    let collections = BTreeMap::from([("extraction".parse().unwrap(), description)]);
    std::sync::Arc::make_mut(&mut layer.snapshot).collections = collections;
    let catalog = Catalog::new(vec![layer], &CatalogOptions::default(), 1);
    let (text, report) = render_with(&catalog, CatalogFormat::Xml, BUDGET, &[]);
    assert_eq!(
        text,
        "<available_skills mode=\"collections\">
  <collection path=\"extraction\" count=\"8\">Entity and relationship extraction</collection>
  <collection path=\"formatting\" count=\"5\">5 skills</collection>
  <skill id=\"pdf-processing\">
    <description>Process PDFs</description>
  </skill>
  Use the browse_skills tool to list skills in a collection, or to search with up to three `queries`: technical terms, tools, formats and synonyms, the most specific first.
  Use the load_skill tool or /collection/skill-name to activate a skill.
</available_skills>"
    );
    assert_eq!((report.total, report.shown, report.omitted), (14, 1, 13));
}

#[test]
fn c5_markup_is_escaped() {
    let text = render(&[("a", "a & \"b\" <c> 'd'")]);
    assert!(
        text.contains("<description>a &amp; &quot;b&quot; &lt;c&gt; &apos;d&apos;</description>")
    );
}

#[test]
fn c6_one_line() {
    let text = render(&[("a", "one\r\n  two\u{7}\tthree\n")]);
    assert!(
        text.contains("<description>one two three</description>"),
        "{text}"
    );
}

#[test]
fn c7_preloaded_skills_are_marked() {
    let (text, _) = render_with(
        &catalog(&TREE[..1]),
        CatalogFormat::Xml,
        BUDGET,
        &["extraction/email-extractor"],
    );
    assert!(text.contains("  <skill id=\"extraction/email-extractor\" active=\"true\">"));
}

#[test]
fn c8_xml_elements() {
    let (text, _) = render_with(
        &catalog(&[("foo", "Does foo")]),
        CatalogFormat::XmlElements,
        BUDGET,
        &[],
    );
    assert_eq!(
        text,
        "<available_skills>\n  <skill>\n    <name>foo</name>\n    <description>Does foo</description>\n    <location>skills/foo/SKILL.md</location>\n  </skill>\n</available_skills>"
    );
}

#[test]
fn c9_xml_attributes() {
    let (text, _) = render_with(
        &catalog(&[("foo", "Does \"foo\"")]),
        CatalogFormat::XmlAttributes,
        BUDGET,
        &[],
    );
    assert!(
        text.contains("  <skill name=\"foo\" description=\"Does &quot;foo&quot;\" />\n"),
        "{text}"
    );
}

#[test]
fn c10_json() {
    let (text, _) = render_with(
        &catalog(&[("foo", "Does \"foo\"")]),
        CatalogFormat::Json,
        BUDGET,
        &[],
    );
    assert_eq!(
        text,
        r#"{"available_skills":[{"name":"foo","description":"Does \"foo\""}]}"#
    );
}

#[test]
fn c11_budget() {
    let twelve = many("", 12);
    let catalog = catalog(&borrowed(&twelve));
    for format in FORMATS {
        let (whole, full) = render_with(&catalog, format, usize::MAX, &[]);
        assert_eq!((full.shown, full.shortened, full.omitted), (12, 0, 0));
        for budget in (0..whole.chars().count()).step_by(5) {
            let (text, report) = render_with(&catalog, format, budget, &[]);
            assert!(
                text.chars().count() <= budget,
                "{format:?} {budget}: {text}"
            );
            assert_eq!(report.shown + report.omitted, report.total);
            assert!(report.shortened + report.undescribed + report.omitted > 0);
        }
    }
    let (shorter, report) = render_with(&catalog, CatalogFormat::Xml, 2_000, &[]);
    assert_eq!((report.shown, report.shortened), (12, 12));
    assert_eq!(report.undescribed, 0);
    let lengths: BTreeSet<usize> = shorter
        .lines()
        .filter_map(|line| {
            line.trim()
                .strip_prefix("<description>")?
                .strip_suffix("</description>")
        })
        .map(|description| description.chars().count())
        .collect();
    assert!(lengths.iter().all(|length| *length >= 78), "{lengths:?}");
    assert!(
        lengths.last().unwrap() - lengths.first().unwrap() <= 2,
        "cut evenly: {lengths:?}"
    );
    assert!(report.tokens_after < report.tokens_before);
}

#[test]
fn c11_likely_skills_come_first() {
    let mut skills = many("", 300);
    skills.push(("kubernetes".to_owned(), "Rolls out a deployment".to_owned()));
    skills.push(("terraform".to_owned(), "Plans infrastructure".to_owned()));
    skills.push(("zebra".to_owned(), "Stripes".to_owned()));
    let mut source = MemorySource::new(Scope::Project);
    for (id, description) in &skills {
        source.add(
            id,
            &format!("---\nname: {id}\ndescription: {description}\n---\n"),
        );
    }
    let skills = Skills::builder()
        .source("memory", source)
        .catalog_chars(4_000);
    let skills = pollster::block_on(skills.build()).unwrap();
    let session = skills.session();
    let before = session.prompt().text;
    session.rank(&Hints {
        pinned: &[id("zebra")],
        message: "Can you deploy this?",
        project: &["infrastructure".to_owned()],
        recent: &[id("skill-00250")],
    });
    let Prompt { text, report } = session.prompt();
    let listed: Vec<&str> = text
        .split("<skill id=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    assert_eq!(
        listed.get(..5).unwrap(),
        [
            "zebra",
            "kubernetes",
            "skill-00250",
            "terraform",
            "skill-00000"
        ]
    );
    assert_eq!(listed.len(), report.shown);
    assert_eq!(
        (report.undescribed, report.shown + report.omitted),
        (0, 303)
    );
    assert_ne!(text, before);
    assert_eq!(session.fork().prompt().text, text);
}

#[test]
fn c14_a_thousand_skills_are_described_or_counted() {
    let thousand = many("", 1_000);
    let catalog = catalog(&borrowed(&thousand));
    for format in FORMATS {
        let (text, report) = render_with(&catalog, format, BUDGET, &[]);
        assert!(text.chars().count() <= BUDGET);
        assert!(report.shown >= 30, "{format:?}: {report:?}");
        assert_eq!(report.undescribed, 0);
        let rest = format!("Not listed here: {} skills.", 1_000 - report.shown);
        assert_eq!(text.matches(&rest).count(), 1, "{format:?}: {text}");
        assert!(text.contains("browse_skills"));
    }
}

#[test]
fn c16_a_tool_that_loads_searches_where_no_other_does() {
    let mut source = MemorySource::new(Scope::Project);
    for (id, description) in many("", 250) {
        let text = format!("---\nname: {id}\ndescription: {description}\n---\n");
        source.add(&id, &text);
    }
    source.add(
        "zebra",
        "---\nname: zebra\ndescription: Draws stripes on horses\n---\nBody.\n",
    );
    let source = std::sync::Arc::new(source);
    for dialect in Dialect::ALL {
        let builder = Skills::builder().source("memory", std::sync::Arc::clone(&source));
        let skills = pollster::block_on(builder.dialect(dialect).build()).unwrap();
        let session = skills.session();
        let tools = session.tools();
        let load = tools
            .iter()
            .find(|tool| ["skill", "Skill", "skills.activate"].contains(&tool.name.as_str()));
        let Some(load) = load else {
            let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
            assert!(names.contains(&"browse_skills") || names.contains(&"skills_list"));
            continue;
        };
        let everything = format!("{}{}", session.prompt().text, load.description);
        let hint = format!(
            "Call {} to search all skills with up to three `queries`: technical terms",
            load.name
        );
        assert!(everything.contains(&hint), "{}: {everything}", dialect.name);
        assert!(load.input_schema["properties"]["query"].is_object());
        for query in [
            serde_json::json!({"query": "stripes"}),
            serde_json::json!({"queries": ["horses", "animal with stripes"]}),
        ] {
            let found = session.call(&load.name, &query);
            let found = pollster::block_on(found).result;
            let text = found.content.to_string();
            assert!(!found.is_error && text.contains("zebra"), "{text}");
            assert!(text.contains("Draws stripes on horses"), "{text}");
        }
        // A small catalog is listed whole, and its tool is that of the dialect.
        let mut small = MemorySource::new(Scope::Project);
        small.add("a", "---\nname: a\ndescription: d\n---\n");
        let builder = Skills::builder().source("memory", small).dialect(dialect);
        let tools = pollster::block_on(builder.build())
            .unwrap()
            .session()
            .tools();
        assert!(tools[0].input_schema["properties"]["query"].is_null());
    }
}

#[test]
fn c12_activated_names_only_where_there_are_some() {
    let mut source = MemorySource::new(Scope::Project);
    source.add("a", "---\nname: a\ndescription: d\n---\n");
    let builder = Skills::builder().source("memory", source);
    let skills = pollster::block_on(builder.dialect(Dialect::REMCOCHAT).build()).unwrap();
    let catalog = format!(
        "{}\n\n{}",
        Dialect::REMCOCHAT.instructions,
        r#"{"available_skills":[{"name":"a","description":"d"}]}"#
    );
    let session = skills.session();
    let text = session.prompt().text;
    assert_eq!(text, catalog);
    session.activate(&"a".parse().unwrap());
    assert_eq!(session.prompt().text, catalog, "the prompt stays the same");
    let text = skills.resume(session.active()).prompt().text;
    assert_eq!(
        text,
        format!("{catalog}\n{{\"activated_skill_names\":[\"a\"]}}")
    );
}

/// The time that this thread ran; other processes do not count.
#[cfg(target_os = "linux")]
fn cpu_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(text.split(' ').next().unwrap().parse().unwrap())
}

#[test]
#[cfg(target_os = "linux")]
fn c13_ten_thousand_skills_within_the_budget_and_in_time() {
    // Builds without optimisation are slower; the figure of the contract is for the program that users run.
    let limit = Duration::from_millis(if cfg!(debug_assertions) { 400 } else { 20 });
    for collection in ["", "some/", "some/deep/"] {
        let skills = many(collection, 10_000);
        let catalog = catalog(&borrowed(&skills));
        let runs = (0..3).map(|_| {
            let start = cpu_time();
            let (text, report) = render_with(&catalog, CatalogFormat::Xml, BUDGET, &[]);
            (cpu_time().saturating_sub(start), text, report)
        });
        let (time, text, report) = runs.min_by_key(|(time, ..)| *time).unwrap();
        assert!(time < limit, "{collection:?}: {time:?}");
        assert!(text.chars().count() <= BUDGET);
        assert_eq!(report.total, 10_000);
        assert_eq!(report.shown + report.omitted, 10_000);
        if collection.is_empty() {
            let listed = text.matches("<skill id=").count();
            assert!(listed > 0 && listed == report.shown, "{listed} {report:?}");
        } else {
            let line = "<collection path=\"some\" count=\"10000\">";
            assert!(text.contains(line), "{text}");
        }
        assert!(text.contains("browse_skills"), "{text}");
    }
}

fn id(text: &str) -> SkillId {
    text.parse().unwrap()
}

fn block(body: &str, limit: usize) -> String {
    render_skill(&id("a"), body, limit).unwrap().text
}

const LIMIT: usize = 32_768;

#[test]
fn j1_empty_body() {
    assert_eq!(block("", LIMIT), "<skill id=\"a\">\n\n</skill>");
    assert_eq!(block("", LIMIT).len(), 24);
}

#[test]
fn j2_exactly_the_limit() {
    let body = "x".repeat(32_744);
    let rendered = render_skill(&id("a"), &body, LIMIT).unwrap();
    assert_eq!(
        (rendered.text.len(), rendered.report.dropped_bytes),
        (LIMIT, 0)
    );
    assert!(rendered.text.contains(&body));
}

#[test]
fn j3_one_byte_over() {
    let rendered = render_skill(&id("a"), &"x".repeat(32_745), LIMIT).unwrap();
    assert!(rendered.text.len() <= LIMIT);
    assert!(rendered.text.ends_with("x\n[truncated]\n</skill>"));
    let kept = rendered.text.bytes().filter(|byte| *byte == b'x').count();
    assert_eq!(rendered.report.dropped_bytes, 32_745 - kept);
}

#[test]
fn j4_characters_are_never_split() {
    for limit in 60..80 {
        let text = block(&"🦀".repeat(40), limit);
        assert!(text.len() <= limit);
        assert!(text.ends_with("🦀\n[truncated]\n</skill>"), "{text}");
    }
}

#[test]
fn j5_a_limit_below_the_tags() {
    for limit in 0..36 {
        let outcome = render_skill(&id("a"), &"x".repeat(100), limit);
        assert_eq!(
            outcome,
            Err(RenderError::LimitTooSmall { limit, needed: 36 })
        );
    }
    assert!(render_skill(&id("a"), &"x".repeat(100), 36).is_ok());
}

#[test]
fn j6_closing_tags_are_escaped() {
    for tag in [
        "</skill>",
        "</SKILL>",
        "</sKiLl>",
        "</skill  >",
        "</skill\n>",
        "</skill\t\r\n>",
    ] {
        let text = block(&format!("a{tag}b"), LIMIT);
        assert_eq!(text, "<skill id=\"a\">\na<\\/skill>b\n</skill>", "{tag:?}");
    }
    assert_eq!(
        block("</</skill></skill>", LIMIT),
        "<skill id=\"a\">\n</<\\/skill><\\/skill>\n</skill>"
    );
}

#[test]
fn j7_everything_else_is_left_alone() {
    for text in [
        "</skills>",
        "</skill-x>",
        "<skills>",
        "&amp;",
        "<div>",
        "<\\/skill>",
        "</",
        "</é>",
    ] {
        assert_eq!(
            block(text, LIMIT),
            format!("<skill id=\"a\">\n{text}\n</skill>")
        );
    }
}

#[test]
fn j8_a_cut_never_falls_inside_an_escape() {
    let body = format!("{}</skill>{}", "x".repeat(20), "y".repeat(50));
    for limit in 36..100 {
        let text = block(&body, limit);
        let inside = text
            .strip_prefix("<skill id=\"a\">\n")
            .unwrap()
            .strip_suffix("\n</skill>")
            .unwrap();
        let kept = inside.strip_suffix("\n[truncated]").unwrap_or(inside);
        let rest = kept.trim_start_matches('x');
        assert!(
            rest.is_empty() || rest.starts_with("<\\/skill>"),
            "{limit}: {kept}"
        );
    }
}

#[test]
fn j9_ids_cannot_hold_quotes() {
    assert!("a\"b".parse::<SkillId>().is_err());
    assert!("a>b".parse::<SkillId>().is_err());
}

#[test]
fn j10_arguments() {
    let typed = "about \"big robots\"";
    assert_eq!(
        with_arguments("$ARGUMENTS, $1, $2", typed),
        "about \"big robots\", about, big robots"
    );
    assert_eq!(
        with_arguments("Write.", typed),
        format!("Write.\n\nARGUMENTS: {typed}")
    );
    assert_eq!(with_arguments("[$ARGUMENTS][$1]", ""), "[][]");
}

#[test]
fn truncation_is_reported_under_every_dialect() {
    let mut source = MemorySource::new(Scope::Project);
    let body = "x".repeat(250_000);
    source.add(
        "long",
        &format!("---\nname: long\ndescription: d\n---\n{body}"),
    );
    source.add_file(
        &id("long"),
        prowess_spec::SkillPath::parse("references/a.md").unwrap(),
        vec![b'y'; 3_000_000],
    );
    let source = std::sync::Arc::new(source);
    for dialect in Dialect::ALL {
        let builder = Skills::builder().source("memory", std::sync::Arc::clone(&source));
        let skills = pollster::block_on(builder.dialect(dialect).build()).unwrap();
        let session = skills.session();
        let tool = |operation| dialect.tools.iter().find(|it| it.operation == operation);
        let load = tool(Operation::Load).unwrap();
        let arguments = serde_json::json!({load.id: "long"});
        let outcome = pollster::block_on(session.call(load.name, &arguments));
        let text = outcome.result.content.to_string();
        let said = ["\"truncated\":true", "bytes are missing"];
        let name = dialect.name;
        assert!(said.iter().any(|said| text.contains(said)), "{name}");
        assert!(!outcome.result.is_error, "{name}");
        let [Event::Activated { dropped_bytes, .. }] = outcome.events.as_slice() else {
            panic!("{name}: {:?}", outcome.events);
        };
        let kept = text.matches('x').count();
        assert!(
            dropped_bytes.abs_diff(250_000 - kept) < 100,
            "{name}: {dropped_bytes} {kept}"
        );
        let read = tool(Operation::Read).or(load.path.map(|_| load));
        let Some(read) = read else { continue };
        let path = read.path.unwrap();
        let arguments = serde_json::json!({read.id: "long", path: "references/a.md"});
        let result = pollster::block_on(session.call(read.name, &arguments)).result;
        let text = result.content.to_string();
        if dialect.name == "vibe-tavern" {
            assert!(result.is_error && text.contains("FILE_TOO_LARGE"), "{text}");
        } else {
            assert!(!result.is_error, "{name}");
            assert!(said.iter().any(|said| text.contains(said)), "{name}");
        }
    }
}
