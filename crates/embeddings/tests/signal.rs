//! Search by meaning, with real servers and files.
#![cfg(test)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::routing::post;
use pollster::block_on;
use prowess_core::{MemorySource, Scope, Skills};
use prowess_embeddings::{Embedder, EmbeddingsEndpoint, MeaningSignal, StaticModel};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

fn skills() -> Skills {
    let mut source = MemorySource::new(Scope::Project);
    for (name, description) in [("bills", "Reads invoices"), ("poems", "Writes verses")] {
        source.add(
            name,
            &format!("---\nname: {name}\ndescription: {description}\n---\nBody.\n"),
        );
    }
    block_on(Skills::builder().source("memory", source).build()).unwrap()
}

fn found(skills: &Skills, query: &str) -> Vec<String> {
    let found = block_on(skills.find(&[query], |_| true));
    found.into_iter().map(|it| it.id.to_string()).collect()
}

type Reports = Arc<Mutex<Vec<String>>>;

fn attach(
    skills: &Skills,
    embedder: impl Embedder + 'static,
    cache: Option<&std::path::Path>,
) -> Reports {
    let reports = Reports::default();
    let sink = Arc::clone(&reports);
    let report = Arc::new(move |text: &str| sink.lock().unwrap().push(text.to_owned()));
    let cache = cache.map(std::path::Path::to_owned);
    let signal = MeaningSignal::new(Arc::new(embedder), cache, report);
    skills.set_signals(vec![Arc::new(signal)]);
    reports
}

/// A server whose vectors say whether a text is about money or about words.
struct Server {
    runtime: Runtime,
    base: reqwest::Url,
    texts: Arc<AtomicUsize>,
}

impl Server {
    fn start(dimension: impl Fn(usize) -> usize + Send + Sync + 'static, delay: Duration) -> Self {
        let runtime = Runtime::new().unwrap();
        let texts = Arc::new(AtomicUsize::new(0));
        let (counter, dimension) = (Arc::clone(&texts), Arc::new(dimension));
        let answer = move |body: Bytes| {
            let body: Value = serde_json::from_slice(&body).unwrap();
            let input = body["input"].as_array().unwrap().clone();
            let before = counter.fetch_add(input.len(), Ordering::SeqCst);
            let length = dimension(before);
            async move {
                tokio::time::sleep(delay).await;
                let data: Vec<Value> = input
                    .iter()
                    .enumerate()
                    .map(|(index, text)| {
                        let text = text.as_str().unwrap();
                        let is_money = ["invoice", "tax", "bill"]
                            .iter()
                            .any(|word| text.contains(word));
                        let mut vector = vec![0.1; length];
                        vector[usize::from(is_money)] = 1.0;
                        json!({"index": index, "embedding": vector})
                    })
                    .collect();
                json!({"data": data}).to_string()
            }
        };
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().route("/v1/embeddings", post(answer));
        runtime.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            runtime,
            base: format!("http://{address}/v1").parse().unwrap(),
            texts,
        }
    }
}

#[test]
fn se1_an_endpoint_finds_what_words_do_not_and_vectors_are_cached() {
    let server = Server::start(|_| 4, Duration::ZERO);
    let cache = tempfile::tempdir().unwrap();
    let skills = skills();
    assert!(found(&skills, "tax declaration").is_empty());
    let reports = attach(
        &skills,
        EmbeddingsEndpoint::new(&server.base, "m", None),
        Some(cache.path()),
    );
    assert_eq!(found(&skills, "tax declaration")[0], "bills");
    assert_eq!(server.texts.load(Ordering::SeqCst), 3);
    // A new process asks for the query alone.
    attach(
        &skills,
        EmbeddingsEndpoint::new(&server.base, "m", None),
        Some(cache.path()),
    );
    assert_eq!(found(&skills, "tax declaration")[0], "bills");
    assert_eq!(server.texts.load(Ordering::SeqCst), 4);
    assert!(reports.lock().unwrap().is_empty());
}

#[test]
fn se2_a_server_that_fails_is_reported_once_and_search_goes_on() {
    let slow = Server::start(|_| 4, Duration::from_secs(30));
    let gone = {
        let server = Server::start(|_| 4, Duration::ZERO);
        server.runtime.shutdown_background();
        server.base
    };
    let other = Server::start(|before| if before == 0 { 4 } else { 5 }, Duration::ZERO);
    for (base, says) in [
        (&gone, "cannot connect"),
        (&slow.base, "timed out after 0.2 s"),
        (&other.base, "expected 4 dimensions, got 5"),
    ] {
        let skills = skills();
        let endpoint = EmbeddingsEndpoint::new(base, "m", None).timeout(Duration::from_millis(200));
        let reports = attach(&skills, endpoint, None);
        for _ in 0..3 {
            assert_eq!(found(&skills, "invoices"), ["bills"]);
        }
        let reports = reports.lock().unwrap().clone();
        assert_eq!(reports.len(), 1, "{reports:?}");
        assert!(
            reports[0].starts_with("search goes on without embeddings: "),
            "{reports:?}"
        );
        assert!(reports[0].contains(says), "{reports:?}");
    }
}

#[test]
fn se3_a_directory_with_a_static_model() {
    let directory = tempfile::tempdir().unwrap();
    let skills = skills();
    let reports = attach(&skills, StaticModel::new(directory.path()), None);
    assert_eq!(found(&skills, "invoices"), ["bills"]);
    assert!(reports.lock().unwrap()[0].contains("expected a directory with `tokenizer.json`"));

    let vocabulary = json!({"reads": 0, "invoices": 1, "writes": 2, "verses": 3, "tax": 4});
    let tokenizer = json!({
        "normalizer": {"type": "BertNormalizer", "lowercase": true},
        "model": {"type": "WordPiece", "vocab": vocabulary},
    });
    std::fs::write(
        directory.path().join("tokenizer.json"),
        tokenizer.to_string(),
    )
    .unwrap();
    let rows: [[f32; 2]; 5] = [[0.1, 0.1], [1.0, 0.0], [0.1, 0.1], [0.0, 1.0], [0.9, 0.1]];
    let data: Vec<u8> = rows
        .iter()
        .flatten()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    let header =
        json!({"embeddings": {"dtype": "F32", "shape": [5, 2], "data_offsets": [0, data.len()]}})
            .to_string();
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.extend(&data);
    std::fs::write(directory.path().join("model.safetensors"), file).unwrap();
    let reports = attach(&skills, StaticModel::new(directory.path()), None);
    assert_eq!(found(&skills, "tax")[0], "bills");
    assert!(reports.lock().unwrap().is_empty());
}
