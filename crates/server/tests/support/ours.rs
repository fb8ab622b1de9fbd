//! Our server, on a port of its own.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use prowess_core::{Skills, Source};
use prowess_server::{ApiOptions, Exchange, router, serve};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub struct Ours {
    pub address: SocketAddr,
    pub skills: Skills,
    seen: Arc<Mutex<Vec<Exchange>>>,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Ours {
    pub async fn over(source: impl Source + 'static) -> Self {
        let skills = Skills::builder().source("served", source).build().await;
        Self::start(skills.unwrap(), ApiOptions::default()).await
    }

    pub async fn start(skills: Skills, options: ApiOptions) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self::on(listener, skills, options)
    }

    pub fn on(listener: TcpListener, skills: Skills, options: ApiOptions) -> Self {
        let address = listener.local_addr().unwrap();
        options.check(address).unwrap();
        let seen: Arc<Mutex<Vec<Exchange>>> = Arc::default();
        let log = Arc::clone(&seen);
        let options = options.observer(move |exchange| log.lock().unwrap().push(exchange.clone()));
        let (stop, stopped) = oneshot::channel();
        let router = router(skills.clone(), options);
        let task = tokio::spawn(serve(listener, router, async {
            let _ = stopped.await;
        }));
        Self {
            address,
            skills,
            seen,
            stop,
            task,
        }
    }

    pub fn url(&self) -> String {
        format!("http://{}/api", self.address)
    }

    /// What was asked since the last time, and the status of each answer.
    pub fn seen(&self) -> Vec<String> {
        let seen = std::mem::take(&mut *self.seen.lock().unwrap());
        let line = |seen: Exchange| format!("{} {} {}", seen.method, seen.path, seen.status);
        seen.into_iter().map(line).collect()
    }

    pub fn exchanges(&self) -> Vec<Exchange> {
        self.seen.lock().unwrap().clone()
    }

    /// Goes away; the port is free then.
    pub async fn stop(self) -> SocketAddr {
        let _ = self.stop.send(());
        self.task.await.unwrap();
        self.address
    }
}
