//! Row Q53 of `docs/contract/trust.md`: a server takes no name that another skill has.
#![cfg(test)]

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use pollster::block_on;
use prowess_core::{
    Document, FileEntry, FilePart, Filter, MemorySource, Origin, Scope, SkillId, Skills, Snapshot,
    Source, SourceError, reference,
};
use prowess_spec::SkillPath;

/// Skills that can be exchanged while they are used.
struct Place {
    origin: Origin,
    skills: Mutex<Arc<MemorySource>>,
}

/// A source with these skills, each with its place as body.
fn memory(place: &str, scope: Scope, ids: &[&str]) -> Arc<MemorySource> {
    let mut source = MemorySource::new(scope);
    for id in ids {
        let name = id.rsplit('/').next().unwrap();
        let text = format!("---\nname: {name}\ndescription: Of {place}\n---\nBody of {place}.\n");
        let id = source.add(id, &text).unwrap();
        source.add_file(&id, SkillPath::parse("a.md").unwrap(), place);
    }
    Arc::new(source)
}

impl Place {
    fn server(name: &str, ids: &[&str]) -> Arc<Self> {
        Arc::new(Self {
            origin: Origin::Server,
            skills: Mutex::new(memory(name, Scope::Remote, ids)),
        })
    }

    fn local(scope: Scope, ids: &[&str]) -> Arc<Self> {
        Arc::new(Self {
            origin: Origin::Chosen,
            skills: Mutex::new(memory("local", scope, ids)),
        })
    }

    fn exchange(&self, name: &str, ids: &[&str]) {
        *self.skills.lock().unwrap() = memory(name, Scope::Remote, ids);
    }

    fn now(&self) -> Arc<MemorySource> {
        Arc::clone(&self.skills.lock().unwrap())
    }
}

#[async_trait]
impl Source for Place {
    async fn snapshot(&self) -> Result<Arc<Snapshot>, SourceError> {
        self.now().snapshot().await
    }

    async fn load(&self, id: &SkillId) -> Result<Document, SourceError> {
        self.now().load(id).await
    }

    async fn files(&self, id: &SkillId) -> Result<Vec<FileEntry>, SourceError> {
        self.now().files(id).await
    }

    async fn read(
        &self,
        id: &SkillId,
        path: &SkillPath,
        offset: u64,
        limit: usize,
    ) -> Result<FilePart, SourceError> {
        self.now().read(id, path, offset, limit).await
    }

    fn origin(&self) -> Origin {
        self.origin
    }
}

fn of(places: &[(&str, &Arc<Place>)]) -> Skills {
    let mut builder = Skills::builder();
    for (name, place) in places {
        builder = builder.source(*name, Arc::clone(place));
    }
    block_on(builder.build()).unwrap()
}

fn id(text: &str) -> SkillId {
    text.parse().unwrap()
}

fn ids(skills: &Skills) -> Vec<String> {
    let catalog = skills.catalog();
    let ids = catalog
        .skills()
        .map(|skill| skill.descriptor.id.to_string());
    ids.collect()
}

fn body(skills: &Skills, skill: &str) -> Result<String, SourceError> {
    block_on(skills.sources().load(&id(skill))).map(|document| document.body)
}

#[test]
fn q53_the_local_skill_keeps_its_name_in_any_order() {
    for scope in [Scope::User, Scope::Project, Scope::Builtin, Scope::Remote] {
        let local = Place::local(scope, &["hello", "team/hello"]);
        let server = Place::server("company", &["hello", "other", "team/hello"]);
        for places in [
            [("local", &local), ("company", &server)],
            [("company", &server), ("local", &local)],
        ] {
            let skills = of(&places);
            let expected = [
                "company:hello",
                "company:team/hello",
                "hello",
                "other",
                "team/hello",
            ];
            assert_eq!(ids(&skills), expected);
            assert_eq!(body(&skills, "hello").unwrap(), "Body of local.");
            assert_eq!(body(&skills, "team/hello").unwrap(), "Body of local.");
            assert_eq!(body(&skills, "other").unwrap(), "Body of company.");
            let labelled = id("company:team/hello");
            let document = block_on(skills.sources().load(&labelled)).unwrap();
            assert_eq!(
                (document.id, &*document.body),
                (labelled.clone(), "Body of company.")
            );
            let path = SkillPath::parse("a.md").unwrap();
            let part = block_on(skills.sources().read(&labelled, &path, 0, 99)).unwrap();
            assert_eq!(part.bytes, b"company");

            let catalog = skills.catalog();
            let clashes: Vec<_> = catalog.clashes().collect();
            let of = |clash: &prowess_core::Clash<'_>| {
                let (one, other) = (clash.labelled, clash.other);
                let id = |skill: prowess_core::Skill<'_>| skill.descriptor.id.to_string();
                (
                    id(one),
                    one.source.to_string(),
                    id(other),
                    other.source.to_string(),
                )
            };
            let expected = |bare: &str| {
                let labelled = format!("company:{bare}");
                (labelled, "company".into(), bare.into(), "local".into())
            };
            assert_eq!(of(&clashes[0]), expected("hello"));
            assert_eq!(of(&clashes[1]), expected("team/hello"));
            assert_eq!((clashes.len(), catalog.shadowed().count()), (2, 0));
        }
    }
}

#[test]
fn q53_the_model_and_the_user_reach_both() {
    let (local, server) = (
        Place::local(Scope::User, &["hello"]),
        Place::server("company", &["hello"]),
    );
    let skills = of(&[("company", &server), ("local", &local)]);
    assert_eq!(
        reference("/company:hello now").unwrap().id,
        id("company:hello")
    );
    for (named, body) in [("hello", "local"), ("company:hello", "company")] {
        let session = skills.session();
        let turn = block_on(session.turn(&format!("/{named}")));
        let opening = format!("<skill id=\"{named}\">\nBody of {body}.");
        assert!(
            turn.blocks[0].text.starts_with(&opening),
            "{}",
            turn.blocks[0].text
        );

        let session = skills.session();
        let arguments = serde_json::json!({"id": named});
        let outcome = block_on(session.call("load_skill", &arguments));
        let text = format!("{:?}", outcome.result);
        assert!(text.contains(&format!("Body of {body}.")), "{text}");
    }
    let prompt = block_on(skills.search("Of company", 5));
    assert_eq!(prompt[0], id("company:hello"));
}

#[test]
fn q53_no_name_changes_its_meaning_when_a_server_begins_to_list_it() {
    let local = Place::local(Scope::User, &["hello"]);
    let server = Place::server("company", &[]);
    let skills = of(&[("company", &server), ("local", &local)]);
    assert_eq!(ids(&skills), ["hello"]);
    server.exchange("company", &["hello"]);
    block_on(skills.refresh());
    assert_eq!(ids(&skills), ["company:hello", "hello"]);
    assert_eq!(body(&skills, "hello").unwrap(), "Body of local.");
    // The local one was removed since the catalog was made: its name is not passed on.
    local.exchange("local", &[]);
    assert_eq!(
        body(&skills, "hello"),
        Err(SourceError::NotFound(id("hello")))
    );
    block_on(skills.refresh());
    assert_eq!(ids(&skills), ["hello"]);
    assert_eq!(body(&skills, "hello").unwrap(), "Body of company.");
    local.exchange("local", &["hello"]);
    block_on(skills.refresh());
    assert_eq!(body(&skills, "hello").unwrap(), "Body of local.");
    assert_eq!(body(&skills, "company:hello").unwrap(), "Body of company.");
}

#[test]
fn q53_two_servers_with_one_name_both_have_labels() {
    let a = Place::server("a", &["hello", "only"]);
    let b = Place::server("b", &["hello"]);
    for places in [[("a", &a), ("b", &b)], [("b", &b), ("a", &a)]] {
        let skills = of(&places);
        assert_eq!(ids(&skills), ["a:hello", "b:hello", "only"]);
        assert_eq!(body(&skills, "a:hello").unwrap(), "Body of a.");
        assert_eq!(body(&skills, "b:hello").unwrap(), "Body of b.");
        assert_eq!(
            body(&skills, "hello"),
            Err(SourceError::NotFound(id("hello")))
        );
        assert_eq!(skills.catalog().clashes().count(), 2);
    }
}

#[test]
fn q53_errors_and_filters_know_the_label() {
    let local = Place::local(Scope::User, &["hello"]);
    let server = Place::server("my_company", &["hello", "other"]);
    let skills = of(&[("my_company", &server), ("local", &local)]);
    let (labelled, path) = (id("my_company:hello"), SkillPath::parse("none").unwrap());
    let error = block_on(skills.sources().read(&labelled, &path, 0, 9)).unwrap_err();
    assert!(
        matches!(&error, SourceError::FileNotFound { id, .. } if *id == labelled),
        "{error}"
    );
    for (only, except, expected) in [
        (vec![], vec!["hello"], vec!["other"]),
        (vec![], vec!["my_company:hello"], vec!["hello", "other"]),
        (vec!["hello"], vec![], vec!["hello"]),
        (vec!["my_company:*"], vec![], vec!["my_company:hello"]),
    ] {
        block_on(skills.set_filter(Filter::new(&only, &except).unwrap()));
        assert_eq!(ids(&skills), expected, "{only:?} {except:?}");
    }
}
