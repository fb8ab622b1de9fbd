//! Rate limits, a server that only allows reading, and the page at `/`.

use std::time::Instant;

use prowess_server::limits::WRONG_TOKENS;
use prowess_server::{AcceptedToken, Scopes, TokenTable};
use prowess_store::{RateExchange, Store};

use super::*;

async fn with(options: ApiOptions) -> Ours {
    let skills = Skills::builder().source("served", some_skills()).build();
    Ours::start(skills.await.unwrap(), options).await
}

fn token(scope: prowess_server::Scope) -> (String, AcceptedToken) {
    let (secret, token) = AcceptedToken::generate(Scopes::default().with(scope), None).unwrap();
    (format!("authorization: Bearer {secret}"), token)
}

#[tokio::test]
async fn op7_clients_are_limited_by_token_or_address() {
    let table = TokenTable::default();
    let (header, reading) = token(prowess_server::Scope::Read);
    let (other, other_reading) = token(prowess_server::Scope::Read);
    table.replace([reading, other_reading]);
    let options = ApiOptions::default().tokens(table).rate_limit(Some(1));
    let ours = with(options).await;
    // Slow machines answer a second later, and then one more is allowed.
    let until_refused = async |headers: &[&str]| {
        let began = Instant::now();
        for answered in 0_u64.. {
            let response = get(ours.address, "/api/skills", headers).await;
            if response.status == 429 {
                let allowed = 2 + began.elapsed().as_secs() + 1;
                assert!(answered <= allowed, "{answered} of {allowed}");
                return response;
            }
            assert_eq!(response.status, 200);
        }
        unreachable!()
    };
    assert_eq!(get(ours.address, "/api/skills", &[]).await.status, 200);
    let refused = until_refused(&[]).await;
    assert_eq!(refused.code(), "rate-limited");
    assert_eq!(refused.header("retry-after"), Some("1"));
    // A token has a limit of its own, and so has another; a wrong one is none.
    let known = get(ours.address, "/api/skills", &[&header]).await;
    assert_eq!(known.status, 200);
    until_refused(&[&header]).await;
    let known = get(ours.address, "/api/skills", &[&other]).await;
    assert_eq!(known.status, 200);
    until_refused(&[]).await;
    until_refused(&["authorization: Bearer prowess_unknown"]).await;
    for path in ["/healthz", "/readyz"] {
        for _ in 0..10 {
            assert_eq!(get(ours.address, path, &[]).await.status, 200, "{path}");
        }
    }
}

/// Two servers with one store allow together what one of them allows.
#[tokio::test]
async fn replicas_share_the_limit_of_a_client() {
    const RATE: u32 = 20;
    let store = Store::memory().await.unwrap();
    let mut exchanges = [RateExchange::new("one"), RateExchange::new("two")];
    let options = [(); 2].map(|()| ApiOptions::default().rate_limit(Some(RATE)));
    let limits = options.each_ref().map(ApiOptions::rate_limits);
    let [first, second] = options;
    let servers = [with(first).await, with(second).await];
    let mut exchange = async || {
        // Twice: the first to write has not read what the second one wrote.
        for _ in 0..2 {
            for (exchange, limits) in exchanges.iter_mut().zip(&limits) {
                let counts = limits.take_counts();
                limits.deduct(store.exchange_rates(exchange, counts).await.unwrap());
            }
        }
    };
    let until_refused = async |server: &Ours| {
        let mut answered = 0_u32;
        while get(server.address, "/api/skills", &[]).await.status == 200 {
            answered += 1;
        }
        answered
    };
    exchange().await;
    let began = Instant::now();
    let mut answered = 0;
    for round in 0..6 {
        answered += until_refused(&servers[round % 2]).await;
        exchange().await;
    }
    // Time goes on: a burst, and what the rate allows since.
    let allowed = f64::from(2 * RATE) + began.elapsed().as_secs_f64() * f64::from(RATE) + 1.0;
    assert!(answered >= 2 * RATE, "{answered}");
    assert!(f64::from(answered) <= allowed, "{answered} of {allowed}");
}

#[tokio::test]
async fn op8_wrong_tokens_are_refused_before_they_are_all_tried() {
    let table = TokenTable::default();
    let (header, reading) = token(prowess_server::Scope::Read);
    table.replace([reading]);
    let ours = with(ApiOptions::default().tokens(table).only_with_token()).await;
    let began = Instant::now();
    let ask = async |headers: &[&str]| get(ours.address, "/api/skills", headers).await;
    for number in 0..WRONG_TOKENS {
        let wrong = format!("authorization: Bearer prowess_{number}");
        assert_eq!(ask(&[&wrong]).await.status, 401);
    }
    let refused = ask(&["authorization: Basic cm9vdDpyb290"]).await;
    // Unless this took a minute, after which all is forgotten.
    if began.elapsed().as_secs() < 60 {
        assert_eq!(
            (refused.status, refused.code().as_str()),
            (429, "rate-limited")
        );
        let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=60).contains(&wait), "{wait}");
    }
    assert_eq!(ask(&[&header]).await.status, 200);
    // No token is not a wrong one.
    assert_eq!(ask(&[]).await.status, 401);
}

#[tokio::test]
async fn op13_read_only_refuses_what_lasts() {
    let options = ApiOptions::default().read_only();
    let ours = with(options.console_token("s3cr3t-s3cr3t").unwrap()).await;
    let admin = "authorization: Bearer s3cr3t-s3cr3t";
    for (method, target) in [
        ("PUT", "/api/skills/list"),
        ("POST", "/api/skills"),
        ("DELETE", "/api/skills/list"),
        ("PATCH", "/api/skills/list"),
        ("POST", "/nothing"),
        ("BREW", "/api/skills"),
    ] {
        for headers in [&[][..], &[admin]] {
            let refused = ask(ours.address, method, target, headers).await;
            assert_eq!(
                (refused.status, refused.code().as_str()),
                (403, "read-only"),
                "{method} {target}"
            );
        }
    }
    // A session changes nothing that lasts.
    let headers = ["content-type: application/json", "content-length: 2"];
    let head = format!(
        "POST /api/sessions HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{}\r\n\r\n{{}}",
        headers.join("\r\n")
    );
    assert_eq!(send(ours.address, head.as_bytes()).await.status, 201);
    assert_eq!(get(ours.address, "/api/skills", &[]).await.status, 200);
}

#[tokio::test]
async fn op14_console_token_allows_everything_and_closes_nothing() {
    let ours = with(
        ApiOptions::default()
            .console_token("s3cr3t-s3cr3t")
            .unwrap(),
    )
    .await;
    let admin = "authorization: Bearer s3cr3t-s3cr3t";
    let method = |headers| ask(ours.address, "BREW", "/api/skills", headers);
    assert_eq!(method(&[]).await.status, 401);
    assert_eq!(method(&[admin]).await.status, 405);
    assert_eq!(get(ours.address, "/api/skills", &[]).await.status, 200);
    let anywhere = "0.0.0.0:80".parse().unwrap();
    let options = ApiOptions::default().console_token("s3cr3t").unwrap();
    assert!(options.check(anywhere).is_err());
}

#[tokio::test]
async fn op16_console_has_a_strict_policy_and_needs_no_token() {
    let ours = with(ApiOptions::default().token("s3cr3t").unwrap()).await;
    let page = get(ours.address, "/", &[]).await;
    assert_eq!(page.status, 200);
    assert_eq!(
        page.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
    let policy = page.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"),
        "{policy}"
    );
    for part in [
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
    ] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(
        !policy.contains("unsafe") && !policy.contains("http"),
        "{policy}"
    );
    let text = page.text();
    assert!(!text.contains("style=") && !text.contains("://"), "{text}");
    let scripts: Vec<&str> = text.split("<script").skip(1).collect();
    assert!(scripts.iter().all(|it| it.contains("src=\"")), "{text}");
    for (path, media) in [
        ("/app.js", "text/javascript; charset=utf-8"),
        ("/app.css", "text/css; charset=utf-8"),
        ("/icon.svg", "image/svg+xml"),
    ] {
        let file = get(ours.address, path, &[]).await;
        assert_eq!(
            (file.status, file.header("content-type")),
            (200, Some(media))
        );
        let etag = file.header("etag").unwrap().to_owned();
        let known = format!("If-None-Match: {etag}");
        assert_eq!(get(ours.address, path, &[&known]).await.status, 304);
        let small = get(ours.address, path, &["Accept-Encoding: br, gzip"]).await;
        assert_eq!(small.header("content-encoding"), Some("gzip"));
        assert_eq!(small.header("etag"), Some(&*etag));
    }
    // All other paths have the policy that allows nothing.
    let other = get(ours.address, "/healthz", &[]).await;
    let policy = other.header("content-security-policy").unwrap();
    assert_eq!(policy, "default-src 'none'; frame-ancestors 'none'");
    assert_eq!(get(ours.address, "/page.html", &[]).await.status, 401);
    assert_eq!(ask(ours.address, "POST", "/", &[]).await.status, 405);
}
