//! Ctrl-C at random moments, under load: every one ends a turn or a command.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration, Instant};

use prowess_testing::model::{ScriptedModel, Step};
use prowess_testing::{ChildGuard, Random, new_seed};
use rustix::process::{Pid, Signal, kill_process};

use crate::session::Session;
use crate::setup::{chat, new_project};
use crate::support::TestProject;

/// Set it for a long run.
const ROUNDS: &str = "PROWESS_INTERRUPTS";
/// How long after a signal a command may go on: much longer than it does on a machine with such a load.
const BOUND: Duration = Duration::from_secs(30);

fn rounds() -> usize {
    let text = std::env::var(ROUNDS).ok();
    text.map_or(40, |text| text.parse().unwrap())
}

/// Threads that keep the processor busy until this is dropped.
struct Load {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Load {
    fn new() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let spin = || {
            let stop = Arc::clone(&stop);
            thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            })
        };
        let threads = (0..4).map(|_| spin()).collect();
        Self { stop, threads }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            thread.join().unwrap();
        }
    }
}

/// A turn that never ends by itself is interrupted at any moment: while it begins, while the model is asked, and while it
/// answers. Then the screen has complete lines and a prompt of its own.
#[test]
fn cl68_every_interrupt_ends_a_turn() {
    let mut random = Random::new(new_seed());
    let project = new_project();
    let model = ScriptedModel::from_fn(|_| Step::Hang("Once upon a time, "));
    let mut session = Session::start(&project, Some(&model), &[]);
    let _load = Load::new();
    for round in 0..rounds() {
        session.type_in("a long story\r");
        // Before that, Ctrl-C is a key of the prompt, which clears the line.
        session.until("a long story\r\n");
        // Half of them fall into the first moments.
        let longest = if random.one_in(2) { 4 } else { 250 };
        let delay = random.next_u64() % longest;
        eprintln!("round {round}: interrupted after {delay} ms");
        sleep(Duration::from_millis(delay));
        let began = Instant::now();
        session.interrupt();
        session.until("stopped");
        session.until("\r\n\r> ");
        let took = began.elapsed();
        assert!(took < BOUND, "round {round}: {took:?}");
        let screen = session.screen();
        assert!(
            screen.ends_with("\nstopped\n\n> █"),
            "round {round}: {screen}"
        );
    }
    assert_eq!(session.end(), Some(0));
}

/// Commands are interrupted at any moment from their start on.
#[test]
fn cl68_every_interrupt_ends_a_command() {
    let mut random = Random::new(new_seed());
    let project = new_project();
    project.write(
        "case/SKILL.md",
        "---\nname: case\ndescription: d\n---\nDo it.\n",
    );
    let model = ScriptedModel::from_fn(|_| Step::Hang("Once upon a time, "));
    let commands: [&dyn Fn(&TestProject) -> Command; 3] = [
        &|project| chat(project, Some(&model), &["-p", "a long story"]),
        &|project| project.command(&["serve", "--bind", "127.0.0.1:0"]),
        &|project| project.command(&["test", "case", "--watch"]),
    ];
    let _load = Load::new();
    for round in 0..rounds() {
        let mut command = commands[round % commands.len()](&project);
        let command = command.stdin(Stdio::null()).stdout(Stdio::null());
        let mut child = ChildGuard(command.stderr(Stdio::null()).spawn().unwrap());
        sleep(Duration::from_millis(random.next_u64() % 600));
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        let end = Instant::now() + BOUND;
        while child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < end, "round {round}: {command:?}");
            sleep(Duration::from_millis(5));
        }
    }
}
