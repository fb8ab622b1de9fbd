//! Counts of requests that replicas share.
#![cfg(test)]

#[allow(dead_code, reason = "the other tests use more of it")]
#[path = "../../sources/tests/support/database.rs"]
mod database;

use database::Postgres;
use pollster::block_on;
use prowess_config::Url;
use prowess_store::{RateExchange, Store, StoreBackend};
use prowess_testing::sql;

/// A replica with a connection of its own.
struct Replica {
    store: Store,
    exchange: RateExchange,
}

impl Replica {
    fn new(store: Store, name: &str) -> Self {
        let exchange = RateExchange::new(name);
        Self { store, exchange }
    }

    fn exchange(&mut self, counts: &[(&str, i64)]) -> Vec<(String, i64)> {
        let counts = counts
            .iter()
            .map(|(client, it)| ((*client).to_owned(), *it));
        let exchange = self
            .store
            .exchange_rates(&mut self.exchange, counts.collect());
        let mut others = block_on(exchange).unwrap();
        others.sort();
        others
    }
}

fn pairs(expected: &[(&str, i64)]) -> Vec<(String, i64)> {
    let pairs = expected
        .iter()
        .map(|(client, it)| ((*client).to_owned(), *it));
    pairs.collect()
}

/// The same in every database. `run` runs statements beside the store.
fn contract(open: &dyn Fn() -> Store, run: &dyn Fn(&str)) {
    let mut first = Replica::new(open(), "first");
    let mut second = Replica::new(open(), "second");
    assert_eq!(first.exchange(&[("a", 5)]), []);
    // What was before it is none of its business.
    assert_eq!(second.exchange(&[]), []);
    assert_eq!(first.exchange(&[("a", 9), ("b", 1)]), []);
    assert_eq!(second.exchange(&[("b", 10)]), pairs(&[("a", 9), ("b", 1)]));
    assert_eq!(second.exchange(&[]), []);
    assert_eq!(first.exchange(&[]), pairs(&[("b", 10)]));
    // A third one; each hears of both others.
    let mut third = Replica::new(open(), "third");
    assert_eq!(third.exchange(&[]), []);
    first.exchange(&[("a", 1)]);
    second.exchange(&[("a", 3)]);
    assert_eq!(third.exchange(&[]), pairs(&[("a", 4)]));
    assert_eq!(first.exchange(&[]), pairs(&[("a", 3)]));
    // More clients than a statement has rows.
    let names: Vec<String> = (0..2_500).map(|number| format!("n{number:04}")).collect();
    let many: Vec<_> = names.iter().map(|it| (it.as_str(), 1)).collect();
    first.exchange(&many);
    assert_eq!(third.exchange(&[]), pairs(&many));
    // A failure loses nothing.
    run("ALTER TABLE rate_counts RENAME TO gone");
    let counts = vec![("a".to_owned(), 7)];
    let failed = first.store.exchange_rates(&mut first.exchange, counts);
    assert!(block_on(failed).is_err());
    run("ALTER TABLE gone RENAME TO rate_counts");
    first.exchange(&[("a", 1)]);
    assert_eq!(third.exchange(&[]), pairs(&[("a", 8)]));
    // Rows of silent clients and of replicas that are gone are removed.
    run("UPDATE rate_counts SET updated = updated - 61000 WHERE client <> 'a'");
    run("UPDATE rate_counts SET updated = updated - 91000 WHERE replica = 'second'");
    first.exchange(&[]);
    run("CREATE TABLE rows_left AS SELECT replica, client FROM rate_counts");
    run("CREATE TABLE checked (one INTEGER PRIMARY KEY CHECK (one = 1))");
    run("INSERT INTO checked SELECT COUNT(*) FROM rows_left");
    // A client that comes back counts from where it was.
    first.exchange(&[("n0001", 2)]);
    assert_eq!(third.exchange(&[]), pairs(&[("n0001", 2)]));
}

#[test]
fn sqlite() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("store.db");
    contract(
        &|| block_on(Store::open(StoreBackend::File(path.clone()))).unwrap(),
        &|statement| sql(&path, statement),
    );
}

#[test]
fn postgres() {
    let database = Postgres::start();
    let url: Url = database.url();
    let open = || block_on(Store::open(StoreBackend::Postgres(url.clone()))).unwrap();
    assert!(open().is_shared());
    contract(&open, &|statement| {
        database.run(&format!("SET search_path = prowess; {statement}"));
    });
}

/// Replicas that exchange at the same time hear of every request exactly once.
#[test]
fn postgres_at_once() {
    let database = Postgres::start();
    let replica = |name: &str| {
        let store = block_on(Store::open(StoreBackend::Postgres(database.url())));
        let mut replica = Replica::new(store.unwrap(), name);
        replica.exchange(&[]);
        replica
    };
    let mut replicas = ["first", "second", "third"].map(replica);
    let mut heard: Vec<i64> = std::thread::scope(|scope| {
        let threads = replicas.each_mut().map(|replica| {
            scope.spawn(|| {
                let rounds = (0..50).map(|_| replica.exchange(&[("a", 1), ("b", 1)]));
                rounds.flatten().map(|(_, count)| count).sum::<i64>()
            })
        });
        threads.map(|it| it.join().unwrap()).to_vec()
    });
    for (heard, replica) in heard.iter_mut().zip(&mut replicas) {
        let rest = replica.exchange(&[]);
        *heard += rest.iter().map(|(_, count)| count).sum::<i64>();
    }
    assert_eq!(heard, [200, 200, 200]);
}
