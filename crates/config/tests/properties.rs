//! What holds for every file.
#![cfg(test)]

mod support;

use proptest::prelude::*;
use prowess_config::{Error, Problem, SkillsConfig};
use prowess_testing::properties;
use support::World;

const FILE: &str = "[skills]\nstrict = true\ncontext_share = 0.5\n[[skills.repositories]]\nname = \"a\"\ntype = \"git\"\nurl = \"https://u:p@h/é?x\"\nref = { tag = \"v1\" }\nauth = { bearer = \"${T}\" }\n[[skills.repositories]]\nname = \"b\"\ntype = \"mcp\"\ncommand = [\"x\", \"$${T}\"]\nenv = { A = \"\"\"\nb\"\"\" }\n[permissions.approved]\n\"x/y\" = [\"net:fetch\"]\n[store]\nurl = \"sqlite:~/x\"\n";

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z_]{1,8} = [a-z0-9'\"${}:/@]{0,10}\n",
        "\\[{1,2}[a-z.]{1,12}\\]{0,2}\r?\n",
        Just("skills.repositories = [{name='a', type='http', url='".to_owned()),
        Just("\"\"\"".to_owned()),
        Just("'".to_owned()),
        Just("\u{feff}".to_owned()),
        Just("type = 'sql'\n".to_owned()),
        Just("url = 'postgres://u:p@h'\n".to_owned()),
        Just("é{=,}[]".to_owned()),
    ]
}

thread_local! {
    static WORLD: World = World::new().set("T", "t");
}

/// Loads, and looks at everything that came of it.
fn exercise(bytes: &[u8]) {
    WORLD.with(|world| exercise_in(world, bytes));
}

fn exercise_in(world: &World, bytes: &[u8]) {
    world.put("work/prowess.toml", bytes);
    let length = bytes.len();
    let check = |problem: &Problem| {
        let span = problem.span();
        let source = problem.source();
        assert!(source.get(span.start..span.end).is_some(), "{problem:?}");
        assert_eq!(source.len(), length);
        assert!(problem.position().line >= 1 && problem.position().column >= 1);
        assert!(!problem.message().is_empty());
    };
    match world.load() {
        Ok(config) => {
            config.problems().for_each(check);
            assert!(!config.entries().is_empty());
            assert_ne!(config, SkillsConfig::default());
        }
        Err(error) => {
            error.problems().iter().for_each(check);
            assert_eq!(
                error.problems().is_empty(),
                !matches!(error, Error::Invalid { .. })
            );
        }
    }
}

proptest! {
    #![proptest_config(properties(1_500))]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        exercise(&bytes);
    }

    #[test]
    fn any_pieces(pieces in prop::collection::vec(piece(), 0..12)) {
        exercise(pieces.concat().as_bytes());
    }

    #[test]
    fn mutated_files(at in 0..FILE.len(), cut in 0..20_usize, put in prop::option::of(piece())) {
        let mut bytes = FILE.as_bytes().to_vec();
        let end = (at + cut).min(bytes.len());
        bytes.splice(at..end, put.unwrap_or_default().into_bytes());
        exercise(&bytes);
    }
}
