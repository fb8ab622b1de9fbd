//! The programming languages of a project.

use std::collections::BTreeSet;

/// Languages by file name.
const BY_NAME: &[(&str, &str)] = &[
    ("Cargo.toml", "rust"),
    ("go.mod", "go"),
    ("pyproject.toml", "python"),
    ("requirements.txt", "python"),
    ("setup.py", "python"),
    ("package.json", "javascript"),
    ("tsconfig.json", "typescript"),
    ("Gemfile", "ruby"),
    ("pom.xml", "java"),
    ("build.gradle", "java"),
    ("build.gradle.kts", "kotlin"),
    ("composer.json", "php"),
    ("mix.exs", "elixir"),
    ("Package.swift", "swift"),
    ("pubspec.yaml", "dart"),
    ("build.sbt", "scala"),
    ("deno.json", "typescript"),
    ("Dockerfile", "dockerfile"),
    ("CMakeLists.txt", "cpp"),
    ("stack.yaml", "haskell"),
    ("dune-project", "ocaml"),
    ("build.zig", "zig"),
];

/// Languages by file extension.
const BY_ENDING: &[(&str, &str)] = &[
    ("rs", "rust"),
    ("go", "go"),
    ("py", "python"),
    ("js", "javascript"),
    ("mjs", "javascript"),
    ("cjs", "javascript"),
    ("jsx", "javascript"),
    ("ts", "typescript"),
    ("tsx", "typescript"),
    ("rb", "ruby"),
    ("java", "java"),
    ("kt", "kotlin"),
    ("kts", "kotlin"),
    ("php", "php"),
    ("ex", "elixir"),
    ("exs", "elixir"),
    ("erl", "erlang"),
    ("swift", "swift"),
    ("dart", "dart"),
    ("scala", "scala"),
    ("c", "c"),
    ("h", "c"),
    ("cc", "cpp"),
    ("cpp", "cpp"),
    ("cxx", "cpp"),
    ("hpp", "cpp"),
    ("cs", "csharp"),
    ("fs", "fsharp"),
    ("hs", "haskell"),
    ("ml", "ocaml"),
    ("clj", "clojure"),
    ("lua", "lua"),
    ("r", "r"),
    ("jl", "julia"),
    ("zig", "zig"),
    ("sh", "shell"),
    ("bash", "shell"),
    ("sql", "sql"),
    ("tf", "terraform"),
];

/// The languages that are detected, sorted.
pub(super) fn known_languages() -> impl Iterator<Item = &'static str> {
    let all = BY_NAME
        .iter()
        .chain(BY_ENDING)
        .map(|(_, language)| *language);
    all.collect::<BTreeSet<_>>().into_iter()
}

/// Returns the languages of files.
pub fn languages_of<'p>(paths: impl IntoIterator<Item = &'p str>) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::new();
    for path in paths {
        let name = path.rsplit('/').next().unwrap_or(path);
        let by_name = BY_NAME.iter().find(|(known, _)| *known == name);
        let ending = name.rsplit_once('.').map(|(_, ending)| ending);
        let by_ending = BY_ENDING.iter().find(|(known, _)| Some(*known) == ending);
        found.extend(by_name.or(by_ending).map(|(_, language)| *language));
    }
    found
}
