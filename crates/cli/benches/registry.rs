//! A registry with few and many packages: searches, reads, downloads, publishes, start and memory. Run by `cargo xtask bench
//! registry`; arguments are numbers of packages, and `sqlite` or `postgres` for one of them.
//!
//! Client, server and database share the machine. The rows are written in bulk; only some packages have bytes.
#![cfg(test)]
#![allow(clippy::cast_precision_loss, reason = "figures are rounded")]

#[path = "registry/bare.rs"]
mod bare;
#[path = "registry/corpus.rs"]
mod corpus;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../sources/tests/support/database.rs"]
mod database;
#[path = "registry/http.rs"]
mod http;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use corpus::{Corpus, LARGE_COUNT, VERSIONS, write_large};
use database::Postgres;
use http::Server;
use prowess_registry::{PackageFile, PackageTree, pack};
use prowess_spec::SkillPath;
use prowess_testing::{Random, TestDirectory, run, skill_text};
use serde_json::Value;

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const SEARCHES: usize = 2_000;
const PUBLISHES: usize = 150;
const KINDS: [&str; 4] = ["frequent words", "rare words", "names", "misspelt words"];

/// Copies rows into SQLite; PostgreSQL does that itself.
const IMPORT: &str = r"
import sqlite3, sys
def rows(name):
    for line in open(sys.argv[2] + '/' + name):
        yield [None if it == '\\N' else it.replace('\\n', '\n') for it in line[:-1].split('\t')]
with sqlite3.connect(sys.argv[1]) as c:
    for name, columns in ('packages', 4), ('versions', 13), ('owners', 2):
        c.executemany('INSERT INTO registry_%s VALUES (%s)' % (name, ','.join('?' * columns)), rows(name))
    c.execute('UPDATE registry_state SET changes = ?', [int(sys.argv[3])])
";

/// A registry with generated packages.
struct Place {
    root: TestDirectory,
    database: Option<Postgres>,
    corpus: Corpus,
    token: String,
    large: Vec<PathBuf>,
}

impl Place {
    fn new(packages: usize, database: Option<Postgres>) -> Self {
        let root = TestDirectory::new();
        if let Some(database) = &database {
            let text = format!("[store]\nurl = \"{}\"\n", database.url().expose());
            root.write("home/.config/prowess/prowess.toml", text);
        }
        let create = ["token", "create", "bench", "--scope", "admin", "--json"];
        let created = run(&mut command(root.root(), &create));
        let created: Value = serde_json::from_str(&created).unwrap();
        let large = write_large(&root.path("home/.local/share/prowess/registry"));
        let mut corpus = Corpus::new(packages);
        let digests: Vec<String> = large.iter().map(|(digest, _)| digest.clone()).collect();
        root.create("rows");
        corpus.write_rows(&root.path("rows"), &digests);
        let changes = packages * VERSIONS;
        if let Some(database) = &database {
            for table in ["packages", "versions", "owners"] {
                let file = root.path(&format!("rows/{table}"));
                let copy = format!("\\copy prowess.registry_{table} FROM '{}'", file.display());
                database.run(&copy);
            }
            database.run(&format!(
                "UPDATE prowess.registry_state SET changes = {changes}; ANALYZE"
            ));
        } else {
            let mut python = Command::new("python3");
            python.args(["-c", IMPORT]);
            python.arg(root.path("home/.local/share/prowess/prowess.db"));
            run(python.arg(root.path("rows")).arg(changes.to_string()));
        }
        Self {
            database,
            corpus,
            token: created["token"].as_str().unwrap().to_owned(),
            large: large.into_iter().map(|(_, path)| path).collect(),
            root,
        }
    }

    fn start(&self) -> Server {
        let serve = ["serve", "--json", "--bind", "127.0.0.1:0"];
        let mut command = command(self.root.root(), &serve);
        Server::start(command.stderr(Stdio::null()), &self.token)
    }

    fn name(&self) -> &str {
        match self.database {
            Some(_) => "PostgreSQL",
            None => "SQLite",
        }
    }
}

fn command(root: &Path, arguments: &[&str]) -> Command {
    let program = std::env::var_os("PROWESS_BENCH_PROGRAM");
    let program = program.unwrap_or_else(|| env!("CARGO_BIN_EXE_prowess").into());
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env("HOME", root.join("home"))
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_DATA_HOME")
        .current_dir(root);
    command
}

fn percentiles(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100].as_secs_f64() * 1000.0;
    format!("{:.1} and {:.1}", at(50), at(99))
}

fn encoded(query: &str) -> String {
    query.replace(' ', "%20").replace('/', "%2F")
}

fn searches(place: &Place, server: &Server) -> Vec<(&'static str, Vec<Duration>)> {
    let mut client = server.client();
    KINDS
        .into_iter()
        .map(|kind| {
            let queries = place.corpus.queries(kind, SEARCHES / KINDS.len());
            let times = queries.iter().map(|query| {
                let target = format!("/api/v1/search?limit=20&q={}", encoded(query));
                let (took, body) = client.ask(&server.request("GET", &target, 0), b"");
                if kind != "misspelt words" && kind != "rare words" {
                    assert!(body.len() > 2, "nothing found for {query}");
                }
                took
            });
            (kind, times.collect())
        })
        .collect()
}

fn manifests(place: &Place, version: &str) -> Vec<String> {
    let mut random = Random::new(5);
    let name = |random: &mut Random| random.pick(&place.corpus.names).clone();
    (0..10_000)
        .map(|_| format!("/api/v1/skills/{}/{version}/manifest", name(&mut random)))
        .collect()
}

/// Publishes packages of 1 MiB.
fn publishes(server: &Server) -> Vec<Duration> {
    let mut client = server.client();
    (0..PUBLISHES)
        .map(|number| {
            let name = format!("bench-{}", number % 10);
            let file = |bytes: Vec<u8>| PackageFile {
                bytes,
                executable: false,
            };
            let skill = skill_text(&name, "Measures. Use when something is slow.", "Do it.\n");
            let data = Random::new(number as u64).bytes(1024 * 1024);
            let files = [("SKILL.md", skill.into_bytes()), ("data.bin", data)];
            let files = files.map(|(path, bytes)| (SkillPath::parse(path).unwrap(), file(bytes)));
            let bytes = pack(&PackageTree::new(files).unwrap()).unwrap();
            let target = format!("/api/v1/skills/{name}/1.0.{number}");
            let head = server.request("PUT", &target, bytes.len());
            client.ask(&head, &bytes).0
        })
        .collect()
}

fn measure(place: &Place) {
    let cold = place.start();
    let start_cold = cold.start;
    drop(cold);
    let server = place.start();
    let (name, packages) = (place.name(), place.corpus.names.len());
    let row = |what: &str, measured: String| {
        println!("| {name} | {packages} | {what} | {measured} |");
    };
    row(
        "start without and with a saved index, ms",
        format!(
            "{:.0} and {:.0}",
            start_cold.as_secs_f64() * 1000.0,
            server.start.as_secs_f64() * 1000.0
        ),
    );
    row(
        "memory after the start, MiB",
        format!(
            "{:.0}, at most {:.0}",
            server.memory("VmRSS"),
            server.memory("VmHWM")
        ),
    );
    // The pages of the file are read once, as they are on a server that runs.
    server.rate(&manifests(place, "1.2.0"));
    let found = searches(place, &server);
    let all = found.iter().flat_map(|(_, times)| times.clone()).collect();
    row("search, p50 and p99, ms", percentiles(all));
    for (kind, times) in found {
        row(&format!("of these: {kind}"), percentiles(times));
    }
    for version in ["1.2.0", "latest"] {
        let rate = server.rate(&manifests(place, version));
        row(
            &format!("manifests of `{version}` a second"),
            format!("{rate:.0}"),
        );
    }
    let before = server.memory("VmHWM");
    let names = place.corpus.names.iter().take(LARGE_COUNT);
    let targets: Vec<String> = names
        .map(|name| format!("/api/v1/skills/{name}/1.2.0/download"))
        .collect();
    let files: Vec<String> = place
        .large
        .iter()
        .map(|it| it.display().to_string())
        .collect();
    let bare = bare::start();
    // Once without counting, so that both read from the cache of the system.
    bare.download(&files);
    let (mut own, mut baseline) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        own.push(server.download(&targets));
        baseline.push(bare.download(&files));
    }
    let best = |rates: Vec<f64>| rates.into_iter().fold(0.0, f64::max) / 1024.0 / 1024.0;
    let (own, baseline) = (best(own), best(baseline));
    row(
        "1 GiB of downloads: MiB/s, bare file server, ratio",
        format!("{own:.0}, {baseline:.0}, {:.2}", own / baseline),
    );
    row(
        "growth of the peak memory by that, MiB",
        format!("{:.0}", server.memory("VmHWM") - before),
    );
    row(
        "publish of 1 MiB, p50 and p99, ms",
        percentiles(publishes(&server)),
    );
    row(
        "memory at the end, MiB",
        format!(
            "{:.0}, at most {:.0}",
            server.memory("VmRSS"),
            server.memory("VmHWM")
        ),
    );
}

fn main() {
    if bare::is_wanted() {
        return bare::serve();
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let sizes: Vec<usize> = arguments.iter().filter_map(|it| it.parse().ok()).collect();
    let sizes = if sizes.is_empty() {
        SIZES.to_vec()
    } else {
        sizes
    };
    let is_wanted = |name: &str, other: &str| {
        arguments.iter().any(|it| it == name) || !arguments.iter().any(|it| it == other)
    };
    println!("| database | packages | | measured |\n|---|---|---|---|");
    for packages in sizes {
        if is_wanted("sqlite", "postgres") {
            let place = Place::new(packages, None);
            let frequent = place.corpus.shares.iter().filter(|it| **it > 0.3).count();
            println!("| | {packages} | words in more than 30% of the packages | {frequent} |");
            measure(&place);
        }
        if is_wanted("postgres", "sqlite") {
            measure(&Place::new(packages, Some(Postgres::start())));
        }
    }
}
