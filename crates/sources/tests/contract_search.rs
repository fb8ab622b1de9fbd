//! The contract of searching with tools.
#![cfg(test)]

mod support;

use prowess_core::Dialect;
use prowess_spec::estimate_tokens;
use serde_json::{Value, json};
use support::{Place, call};

fn ids(found: &Value) -> Vec<&str> {
    let skills = found["skills"].as_array().unwrap();
    skills
        .iter()
        .map(|skill| skill["id"].as_str().unwrap())
        .collect()
}

#[test]
fn br6_queries_are_fused_by_rank() {
    let place = Place::new();
    place
        .described("bills", "Reads scanned invoices with OCR")
        .described("poems", "Writes poems about invoices")
        .described("rain", "Forecasts rain");
    let skills = place.skills(Dialect::PROWESS);
    let browse = |arguments: Value| call(&skills, "browse_skills", &arguments.to_string());
    let found = browse(json!({"queries": ["OCR of scans", "read invoices", " "]}));
    assert_eq!(found["type"], "search");
    assert_eq!(found["queries"], json!(["OCR of scans", "read invoices"]));
    assert_eq!(ids(&found), ["bills", "poems"]);
    let both = browse(json!({"query": "rain", "queries": ["forecast"]}));
    assert_eq!(
        (ids(&both), &both["queries"]),
        (vec!["rain"], &json!(["rain", "forecast"]))
    );
    // Some models write one text where a list is asked for.
    let one = browse(json!({"queries": "rain"}));
    assert_eq!((ids(&one), &one["query"]), (vec!["rain"], &json!("rain")));
    assert_eq!(browse(json!({"queries": ["", " "]}))["type"], "listing");
    for (wrong, says) in [
        (
            json!({"queries": ["a", "b", "c", "d"]}),
            "expected at most 3, got 4",
        ),
        (json!({"queries": [1]}), "expected a list of strings"),
        (json!({"queries": 5}), "expected a list of strings"),
    ] {
        let error = browse(wrong)["error"].clone();
        assert_eq!(error["code"], "invalid-arguments");
        assert!(error["message"].as_str().unwrap().contains(says), "{error}");
    }
}

#[test]
fn br7_ten_described_skills_and_a_cursor() {
    let place = Place::new();
    let long = "Deploys the service. ".repeat(40);
    for number in 0..25 {
        place.described(&format!("deploy-{number:02}"), &long);
    }
    place.described("short", "Deploys.");
    let skills = place.skills(Dialect::PROWESS);
    let mut seen = Vec::new();
    let mut cursor = Value::Null;
    let mut pages = 0;
    loop {
        let arguments = json!({"queries": ["deploy"], "cursor": cursor});
        let found = call(&skills, "browse_skills", &arguments.to_string());
        let page = found["skills"].as_array().unwrap();
        assert!(page.len() <= 10);
        let descriptions = page
            .iter()
            .map(|skill| skill["description"].as_str().unwrap());
        let tokens: usize = descriptions.clone().map(estimate_tokens).sum();
        assert!(tokens <= 1_200, "{tokens}");
        assert!(
            descriptions
                .clone()
                .all(|text| text.len() >= 80 || text == "Deploys.")
        );
        seen.extend(ids(&found).into_iter().map(str::to_owned));
        pages += 1;
        cursor = found["next"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!((seen.len(), pages), (26, 3));
}

#[test]
fn br8_near_copies_are_one_line() {
    let place = Place::new();
    let body: Vec<String> = (0..150).map(|number| format!("step{number}")).collect();
    let body = body.join(" ");
    let write = |id: &str, more: &str| {
        let name = id.rsplit('/').next().unwrap();
        let text =
            format!("---\nname: {name}\ndescription: Fills in PDF forms\n---\n{body}{more}\n");
        place.write(&format!("{id}/SKILL.md"), text);
    };
    for id in ["a/forms", "b/forms", "c/forms", "d/forms"] {
        write(id, id);
    }
    place.described("other", "Fills in PDF forms for taxes");
    let skills = place.skills(Dialect::PROWESS);
    let found = call(&skills, "browse_skills", r#"{"query": "PDF forms"}"#);
    let first = found["skills"]
        .as_array()
        .unwrap()
        .iter()
        .find(|skill| skill["name"] == "forms");
    assert_eq!(
        first.unwrap()["similar"],
        "3 similar: b/forms, c/forms, d/forms"
    );
    assert_eq!(ids(&found).len(), 2);
}

#[test]
fn br9_every_dialect_says_how_to_ask() {
    let place = Place::new();
    for number in 0..250 {
        place.described(
            &format!("skill-{number}"),
            &format!("Does task {number}. {}", "More. ".repeat(20)),
        );
    }
    for dialect in Dialect::ALL {
        let session = place.skills(dialect).session();
        let tools = session.tools();
        let mut searching = tools.iter().filter(|tool| {
            let queries = &tool.input_schema["properties"]["queries"];
            let says = queries["description"].as_str().unwrap_or_default();
            says.contains(
                "technical terms, tools, file formats and synonyms, the most specific first",
            ) && queries["maxItems"] == 3
        });
        let tool = searching.next().expect(dialect.name);
        let everything = format!("{}{}", session.prompt().text, tool.description);
        if dialect.name != "vibe-tavern" {
            assert!(
                everything.contains("up to three `queries`"),
                "{}",
                dialect.name
            );
        }
        let arguments = json!({"queries": ["task 249"]});
        let outcome = pollster::block_on(session.call(&tool.name, &arguments));
        let text = outcome.result.content.to_string();
        assert!(text.contains("skill-249"), "{}: {text}", dialect.name);
    }
}

#[test]
fn br10_any_query_is_answered() {
    let place = Place::new();
    place
        .described("report", "生成数据库报告。")
        .described("data", "تحليل قاعدة البيانات وكتابة التقارير")
        .described("light", "ปิดไฟในห้องนอน")
        .described(
            "train-model",
            "Trains machine learning models with the next batch",
        )
        .described("lamindb", "Tracks biological data");
    let skills = place.skills(Dialect::PROWESS);
    let search = |query: &str| {
        call(
            &skills,
            "browse_skills",
            &json!({"query": query}).to_string(),
        )
    };
    for (query, expected) in [
        ("数据库", vec!["report"]),
        ("قَاعِدَة بيانات", vec!["data"]),
        ("ปิดไฟ", vec!["light"]),
        ("🚀🎉", vec![]),
        ("the and of", vec![]),
        // A word that no skill has does not become another one while the rest is understood.
        ("next train Lausanne", vec!["train-model"]),
        ("lamind", vec!["lamindb"]),
    ] {
        assert_eq!(ids(&search(query)), expected, "{query}");
    }
    assert_eq!(search("")["type"], "listing");
    let long = search(&"models ".repeat(15_000));
    assert_eq!(ids(&long), ["train-model"]);
}
