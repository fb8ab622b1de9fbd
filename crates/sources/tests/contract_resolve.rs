//! From configuration to sources: D23 and the rows K1 to K3 and K7 of the contract.
#![cfg(test)]

mod support;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use pollster::block_on;
use prowess_config::{Lookup, SkillsConfig};
use prowess_core::{Health, MemorySource, Scope, Skills, SkillsBuilder};
use prowess_sources::{RemoteOptions, ResolveContext, UserDirectories, resolve};
use support::Place;

/// A project, a home and a configuration of the user.
struct Machine {
    place: Place,
}

impl Machine {
    fn new() -> Self {
        let place = Place::new();
        fs::create_dir_all(place.path("project")).unwrap();
        Self { place }
    }

    fn project(&self, text: &str) -> &Self {
        self.place.write("project/prowess.toml", text);
        self
    }

    fn user(&self, text: &str) -> &Self {
        self.place.write("config/prowess/prowess.toml", text);
        self
    }

    fn builder(&self) -> SkillsBuilder {
        self.builder_for(None)
    }

    fn builder_for(&self, context_window: Option<usize>) -> SkillsBuilder {
        let directory = self.place.path("project");
        let user = UserDirectories {
            home: Some(self.place.path("home")),
            config: Some(self.place.path("config")),
            ..UserDirectories::default()
        };
        let lookup = Lookup {
            home: user.home.as_deref(),
            user_config: user.config.as_deref(),
            ..Lookup::new(&directory)
        };
        let config = SkillsConfig::load(&lookup).unwrap();
        let mut builtin = MemorySource::new(Scope::Builtin);
        builtin.add("own", "---\nname: own\ndescription: Brought along\n---\n");
        let context = ResolveContext {
            pending: None,
            awaits_packages: false,
            directory: &directory,
            user: &user,
            remote: RemoteOptions::default(),
            builtin: Some(Arc::new(builtin)),
            context_window,
            other: None,
        };
        resolve(&config, &context)
    }

    fn skills(&self) -> Skills {
        block_on(self.builder().build()).unwrap()
    }
}

fn sources(skills: &Skills) -> Vec<String> {
    let catalog = skills.catalog();
    catalog
        .sources()
        .map(|source| source.name.to_string())
        .collect()
}

fn ids(skills: &Skills) -> Vec<String> {
    support::ids(&skills.catalog())
}

#[test]
fn k1_no_file_means_the_default_chain() {
    let machine = Machine::new();
    machine
        .place
        .skill("project/.agents/skills/here")
        .skill("home/.agents/skills/mine");
    let skills = machine.skills();
    assert_eq!(
        sources(&skills),
        [".agents/skills", "~/.agents/skills", "built-in"]
    );
    assert_eq!(ids(&skills), ["here", "mine", "own"]);
}

#[test]
fn k2_repositories_of_the_project_come_first() {
    let machine = Machine::new();
    let repository = |name: &str, path: &str| {
        format!(
            "[[skills.repositories]]\nname = \"{name}\"\ntype = \"filesystem\"\npath = \"{path}\"\n"
        )
    };
    machine
        .project(&(repository("project", "skills") + &repository("company", "from-project")))
        .user(&(repository("company", "from-user") + &repository("personal", "~/mine")));
    machine
        .place
        .skill("project/skills/a")
        .skill("project/from-project/b")
        .skill("config/prowess/from-user/c")
        .skill("home/mine/d")
        .skill("project/.agents/skills/usual")
        .skill("home/.claude/skills/users-own");
    let skills = machine.skills();
    // `skills` is a usual place too, and listed once.
    assert_eq!(
        sources(&skills),
        [
            "project",
            "company",
            ".agents/skills",
            "personal",
            "~/.claude/skills",
            "built-in"
        ]
    );
    assert_eq!(ids(&skills), ["a", "b", "d", "own", "users-own", "usual"]);
    let scope = |id: &str| skills.catalog().get(id).unwrap().descriptor.scope;
    assert_eq!((scope("a"), scope("d")), (Scope::Project, Scope::User));
}

#[test]
fn k2_without_the_usual_places_and_built_in_skills() {
    let machine = Machine::new();
    machine.project("[skills]\nusual_places = false\nbuiltin = false\n[[skills.repositories]]\nname = \"here\"\ntype = \"filesystem\"\npath = \"mine\"\n");
    machine
        .place
        .skill("project/mine/a")
        .skill("project/.agents/skills/usual")
        .skill("home/.claude/skills/users-own");
    let skills = machine.skills();
    assert_eq!(sources(&skills), ["here"]);
    assert_eq!(ids(&skills), ["a"]);
}

#[test]
fn d29_directories_of_every_agent() {
    let machine = Machine::new();
    machine
        .place
        .skill("project/.gemini/skills/a")
        .skill("project/.cursor/skills/b")
        .skill("project/.github/skills/c")
        .skill("project/.windsurf/skills/d")
        .skill("project/skills/e")
        .skill("home/.codex/skills/f")
        .skill("config/goose/skills/g");
    let ids = ids(&machine.skills());
    assert_eq!(ids, ["a", "b", "c", "d", "e", "f", "g", "own"]);
}

#[test]
fn d7_the_dialect_does_not_reorder_project_and_user() {
    let machine = Machine::new();
    machine.user("skills.dialect = 'ruby-llm'");
    machine
        .place
        .skill("project/.agents/skills/same")
        .skill("home/.agents/skills/same");
    let skills = machine.skills();
    let catalog = skills.catalog();
    assert_eq!(&**catalog.get("same").unwrap().source, ".agents/skills");
}

#[test]
fn d28_copies_and_links_are_one_skill() {
    let machine = Machine::new();
    for directory in [
        "project/.agents/skills/x",
        "project/.cursor/skills/x",
        "home/.codex/skills/x",
    ] {
        let text = "---\nname: x\ndescription: Does something\n---\nBody.\n";
        machine.place.write(&format!("{directory}/SKILL.md"), text);
    }
    machine
        .place
        .write("home/.codex/skills/x/notes.md", "different");
    let link = machine.place.path("project/.claude/skills");
    std::fs::create_dir_all(&link).unwrap();
    std::os::unix::fs::symlink("../../.agents/skills/x", link.join("x")).unwrap();
    let skills = machine.skills();
    let catalog = skills.catalog();
    assert_eq!(
        catalog.locations("x"),
        [".agents/skills/x", ".claude/skills/x", ".cursor/skills/x"]
    );
    let shadowed: Vec<String> = catalog.shadowed().map(|it| it.loser.path()).collect();
    assert_eq!(shadowed, ["~/.codex/skills/x"]);
}

#[test]
fn c17_the_budget_of_the_catalog() {
    let budget = |settings: &str, window: Option<usize>| {
        let machine = Machine::new();
        machine.user(settings);
        let skills = block_on(machine.builder_for(window).build()).unwrap();
        skills.settings().catalog_chars
    };
    assert_eq!(budget("", None), 8_000);
    assert_eq!(budget("", Some(200_000)), 16_000);
    assert_eq!(budget("skills.context_share = 0.01", Some(200_000)), 8_000);
    assert_eq!(budget("skills.catalog_budget = 1000", Some(200_000)), 4_000);
    assert_eq!(budget("skills.catalog_budget = 1000", None), 4_000);
}

#[test]
fn k3_d23_disabled_means_nothing_but_what_a_program_sets() {
    let machine = Machine::new();
    machine
        .user("[skills]\nenabled = false\n")
        .project("[skills]\nstrict = true\n");
    machine.place.skill("project/.agents/skills/here");
    let skills = machine.skills();
    assert_eq!(sources(&skills), [""; 0]);
    assert_eq!(skills.session().prompt().text, "");
    assert_eq!(skills.session().tools(), []);
    let mut mine = MemorySource::new(Scope::Project);
    mine.add("mine", "---\nname: mine\ndescription: d\n---\n");
    let skills = block_on(machine.builder().source("code", mine).build()).unwrap();
    assert_eq!(ids(&skills), ["mine"]);
    assert_eq!(skills.session().tools().len(), 3);
}

#[test]
fn k7_a_repository_that_cannot_be_used_is_named_and_the_others_go_on() {
    let machine = Machine::new();
    machine.user(
        r#"
        [[skills.repositories]]
        name = "bad-url"
        type = "http"
        url = "not a url"

        [[skills.repositories]]
        name = "unset"
        type = "filesystem"
        path = "${NOT_SET}/skills"

        [[skills.repositories]]
        name = "later"
        type = "registry"
        package = "pdf"

        [[skills.repositories]]
        name = "off"
        type = "filesystem"
        path = "nowhere"
        enabled = false

        [[skills.repositories]]
        name = "good"
        type = "filesystem"
        path = "skills"
        "#,
    );
    machine.place.skill("config/prowess/skills/fine");
    let skills = machine.skills();
    assert_eq!(ids(&skills), ["fine", "own"]);
    let catalog = skills.catalog();
    let said: Vec<(String, Health, String)> = catalog
        .sources()
        .map(|source| {
            let reason = source.reason.clone().unwrap_or_default();
            let reason = reason.replace(&machine.place.path("").display().to_string(), "");
            (source.name.to_string(), source.health, reason)
        })
        .collect();
    let broken = Health::Unhealthy;
    assert_eq!(said[0].0, "bad-url");
    assert!(
        said[0].1 == broken && said[0].2.contains("prowess.toml:5:15: "),
        "{said:?}"
    );
    assert!(
        said[1].1 == broken && said[1].2.contains("NOT_SET"),
        "{said:?}"
    );
    assert!(said[2].2.contains("not available yet"), "{said:?}");
    assert_eq!(said[3].0, "good");
    // None of them stands in the way of loading.
    assert!(block_on(skills.sources().load(&support::id("fine"))).is_ok());
}

#[test]
fn settings_reach_the_engine() {
    let machine = Machine::new();
    machine.user(
        "[skills]\nmax_skills = 2\nmax_injection_bytes = 1024\ninventory_threshold = 1\ncontext_share = 0.5\nstrict = true\n",
    );
    for name in ["a", "b", "c"] {
        machine
            .place
            .skill(&format!("project/.agents/skills/{name}"));
    }
    machine.place.write(
        "project/.agents/skills/loose/SKILL.md",
        "---\nname: loose\ndescription: Use when: a\n---\n",
    );
    let skills = machine.skills();
    assert_eq!(ids(&skills), ["a", "b"]);
    assert_eq!(skills.catalog().omitted(), 2);
    assert_eq!(skills.catalog().invalid().count(), 1);
    assert_eq!(skills.settings().dialect.limits.skill_bytes, 1024);
    let prompt = skills.session().prompt().text;
    assert!(
        prompt.starts_with("<available_skills mode=\"collections\">"),
        "{prompt}"
    );
    let wide = block_on(machine.builder().context_window(100_000).build()).unwrap();
    assert_eq!(wide.settings().catalog_chars, 200_000);
    let path: PathBuf = machine.place.path("project/.agents/skills");
    assert_eq!(skills.sources().directories(), [path]);
}
