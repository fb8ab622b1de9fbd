//! `cargo xtask bench agent`: what the loop itself costs, and what progressive disclosure saves.
//!
//! Prints one line of JSON.
#![cfg(test)]
#![allow(clippy::cast_precision_loss, reason = "figures are rounded")]

use std::fmt::Write;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use futures_util::stream;
use prowess_agent::{
    Agent, Cancel, Delta, Message, Provider, ProviderError, Request, ResponseStream, StopReason,
    ToolCall,
};
use prowess_core::{MemorySource, Scope, Skills};
use prowess_spec::estimate_tokens;
use prowess_store::{ChatId, ChatTurn, Store, StoreBackend};
use serde_json::json;

const TURNS: usize = 200;

/// Answers at once; the time that it takes is not the loop's.
#[derive(Default)]
struct Instantly {
    spent: AtomicU64,
    /// Estimated tokens of everything that it was given.
    given: AtomicU64,
    /// Whether requests are compared.
    compares: AtomicBool,
    /// The last request, and the share of each that the next one begins with.
    last: Mutex<(Vec<u8>, Vec<f64>)>,
}

/// Everything of a request in the order in which providers cache it.
fn bytes(request: &Request) -> Vec<u8> {
    let mut text = String::new();
    for tool in &request.tools {
        text += &tool.name;
        text += &tool.description;
        text += &tool.input_schema.to_string();
    }
    text += &request.system;
    for message in &request.messages {
        let _ = write!(text, "{message:?}");
    }
    text.into_bytes()
}

/// The skill that the last message names.
fn asked(request: &Request) -> Option<&str> {
    let Some(Message::User(text)) = request.messages.last().map(|last| &**last) else {
        return None;
    };
    text.split(' ').find(|word| word.starts_with("skill-"))
}

impl Instantly {
    fn compare(&self, request: &Request) {
        let new = bytes(request);
        let (last, shares) = &mut *self.last.lock().unwrap();
        if !last.is_empty() {
            let same = last.iter().zip(&new).take_while(|(a, b)| a == b).count();
            shares.push(100.0 * same as f64 / last.len() as f64);
        }
        *last = new;
    }
}

/// The least share of a request that the next one begins with, over a chat of 20 turns with 5 loads.
async fn same_beginning() -> (f64, f64) {
    let provider = Arc::new(Instantly::default());
    provider.compares.store(true, Ordering::Relaxed);
    let (skills, _) = skills(1_000).await;
    let agent = Agent::builder(Arc::clone(&provider) as Arc<dyn Provider>).skills(skills);
    let mut chat = agent.build().await.unwrap().chat();
    for turn in 0..20 {
        let text = if turn % 4 == 0 {
            format!("load skill-{:04} and say something", turn * 7)
        } else {
            "say something".to_owned()
        };
        chat.turn(&text, &[], &|_| (), &Cancel::new())
            .await
            .unwrap();
    }
    let (_, shares) = &*provider.last.lock().unwrap();
    assert_eq!(shares.len(), 24);
    let least = shares.iter().copied().fold(100.0, f64::min);
    (least, shares.iter().sum::<f64>() / shares.len() as f64)
}

#[async_trait]
impl Provider for Instantly {
    fn name(&self) -> &'static str {
        "instantly"
    }

    async fn answer(&self, request: Arc<Request>) -> Result<ResponseStream, ProviderError> {
        let began = Instant::now();
        if self.compares.load(Ordering::Relaxed) {
            self.compare(&request);
        }
        let mut given = estimate_tokens(&request.system);
        for tool in &request.tools {
            given += estimate_tokens(&tool.description)
                + estimate_tokens(&tool.input_schema.to_string());
        }
        for message in &request.messages {
            given += match &**message {
                Message::System(text) | Message::User(text) | Message::Model { text, .. } => {
                    estimate_tokens(text)
                }
                Message::Tools(replies) => replies
                    .iter()
                    .map(|reply| estimate_tokens(&reply.content))
                    .sum(),
            };
        }
        self.given.fetch_max(given as u64, Ordering::Relaxed);
        let asks = matches!(request.messages.last().map(|last| &**last), Some(Message::User(text)) if text.starts_with("load"));
        let deltas = if asks {
            let call = ToolCall {
                id: format!("c{}", request.messages.len()),
                tool: "load_skill".to_owned(),
                arguments: json!({"id": asked(&request).unwrap_or("skill-0042")}),
            };
            vec![Delta::Call(call), Delta::Stop(StopReason::Tools)]
        } else {
            vec![
                Delta::Text("Done.".to_owned()),
                Delta::Stop(StopReason::Complete),
            ]
        };
        let answer: ResponseStream = Box::pin(stream::iter(deltas.into_iter().map(Ok)));
        let spent = u64::try_from(began.elapsed().as_nanos()).unwrap();
        self.spent.fetch_add(spent, Ordering::Relaxed);
        Ok(answer)
    }
}

async fn skills(count: usize) -> (Skills, usize) {
    let mut source = MemorySource::new(Scope::Project);
    let mut bodies = 0;
    for index in 0..count {
        let body =
            format!("Step {index}: do what is asked, then say so, and mention the number.\n")
                .repeat(60);
        let name = format!("skill-{index:04}");
        let text = format!(
            "---\nname: {name}\ndescription: Does thing number {index} when somebody asks for it by its number\n---\n{body}"
        );
        bodies += estimate_tokens(&body);
        source.add(&name, &text).unwrap();
    }
    (
        Skills::builder()
            .source("memory", source)
            .build()
            .await
            .unwrap(),
        bodies,
    )
}

fn median(times: Vec<Duration>) -> f64 {
    prowess_testing::median(times).as_secs_f64() * 1_000.0
}

/// The loop's own time for each turn: all of it, less the provider's.
async fn overhead(count: usize, text: &str) -> (f64, f64) {
    let provider = Arc::new(Instantly::default());
    let (skills, _) = skills(count).await;
    let agent = Agent::builder(Arc::clone(&provider) as Arc<dyn Provider>)
        .skills(skills)
        .build()
        .await
        .unwrap();
    let mut times = Vec::new();
    let mut first = Vec::new();
    for _ in 0..TURNS / 10 {
        let mut chat = agent.chat();
        for turn in 0..10 {
            let before = provider.spent.load(Ordering::Relaxed);
            let began = Instant::now();
            chat.turn(text, &[], &|_| (), &Cancel::new()).await.unwrap();
            let all = began.elapsed();
            let theirs = Duration::from_nanos(provider.spent.load(Ordering::Relaxed) - before);
            let own = all.saturating_sub(theirs);
            if turn == 0 {
                first.push(own);
            }
            times.push(own);
        }
    }
    (median(times), median(first))
}

/// Milliseconds to save a turn in SQLite, and to append its bytes to a file that is synced.
async fn saving() -> (f64, f64) {
    let place = tempfile::tempdir().unwrap();
    let store = Store::open(StoreBackend::File(place.path().join("store.db")))
        .await
        .unwrap();
    let id = ChatId::new();
    let messages = vec!["a question of a user".repeat(10), "an answer".repeat(200)];
    let mut file = std::fs::File::create(place.path().join("file")).unwrap();
    let (mut saved, mut synced) = (Vec::new(), Vec::new());
    for version in 0..200 {
        let turn = ChatTurn {
            messages: messages.clone(),
            ..ChatTurn::default()
        };
        let began = Instant::now();
        store.append_turn(&id, version, turn).await.unwrap();
        saved.push(began.elapsed());
        let began = Instant::now();
        file.write_all(messages.concat().as_bytes()).unwrap();
        file.sync_all().unwrap();
        synced.push(began.elapsed());
    }
    (median(saved), median(synced))
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let (plain, plain_first) = overhead(1_000, "say something").await;
        let (with_tool, with_tool_first) = overhead(1_000, "load and say something").await;

        // 100 skills, one of them used: what the model is given at most, against all instructions at once.
        let provider = Arc::new(Instantly::default());
        let (skills, everything) = skills(100).await;
        let agent = Agent::builder(Arc::clone(&provider) as Arc<dyn Provider>).skills(skills).build().await.unwrap();
        let mut chat = agent.chat();
        chat.turn("say something", &[], &|_| (), &Cancel::new()).await.unwrap();
        let idle = provider.given.load(Ordering::Relaxed);
        chat.turn("load and say something", &[], &|_| (), &Cancel::new()).await.unwrap();
        let used = provider.given.load(Ordering::Relaxed);
        let saved = |given: u64| (1.0 - given as f64 / everything as f64) * 100.0;
        let (least, mean) = same_beginning().await;
        let (save, sync) = saving().await;
        let line = json!({
            "bench": "agent",
            "overhead_ms_per_turn_1000_skills": {"value": plain, "first_turn": plain_first, "target": 1.0},
            "overhead_ms_per_turn_with_a_load_1000_skills": {"value": with_tool, "first_turn": with_tool_first, "target": 1.0},
            "save_of_a_turn_ms": {"value": save, "target": 3.0, "append_and_sync": sync, "ratio": save / sync},
            "prompt_tokens_100_skills": {
                "everything": everything, "idle": idle, "one_used": used,
                "saved_percent_idle": saved(idle), "saved_percent_one_used": saved(used), "target": 95.0,
            },
            "percent_of_a_request_that_the_next_begins_with": {"least": least, "mean": mean, "target": 95.0},
        });
        println!("{line}");
    });
}
