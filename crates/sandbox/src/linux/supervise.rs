//! The process above the program: reports how it started and how it ended.

use std::io::{self, PipeReader, Read};

use rustix::process::{Pid, WaitOptions, wait};

use super::fork::{Forked, fork};
use super::init::Task;
use super::program;
use super::wire::{Report, send_report};
use crate::error::{Refusal, Step};
use crate::layers::Layers;
use crate::limits::REPORT_BYTES;

/// Starts the program and stays until it ends. In a process namespace this is the first process, so everything else
/// in there ends with it.
pub(super) fn supervise(task: Task) -> Result<(), Refusal> {
    let (said, ready) = io::pipe().step("make a pipe")?;
    match fork().step("start a process")? {
        Forked::Child => {
            drop(said);
            program::become_program(&task, ready)
        }
        Forked::Parent(child) => {
            drop(ready);
            task.hush()?;
            let Task { host, input, .. } = task;
            drop(input);
            let layers = listen(said)?;
            // Without a host there is nobody to report to, and the guard is about to end us.
            let _ = send_report(&host, &Report::Started(layers));
            let status = bury(child)?;
            let _ = send_report(&host, &Report::Exited(status));
            Ok(())
        }
    }
}

/// What the program says before it becomes the child. It then has no descriptor left to say anything with.
fn listen(said: PipeReader) -> Result<Layers, Refusal> {
    let mut text = Vec::new();
    let most = u64::from(REPORT_BYTES);
    said.take(most)
        .read_to_end(&mut text)
        .step("listen to the program")?;
    let mut layers = Err(Refusal::system(
        "start the program",
        "it ended before it began",
    ));
    for word in serde_json::Deserializer::from_slice(&text).into_iter() {
        layers = word.step("understand the program")?;
    }
    layers
}

/// Waits for `child`, and buries those that lost their parents meanwhile.
fn bury(child: Pid) -> Result<i32, Refusal> {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == child => return Ok(status.as_raw()),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error).step("wait for the program"),
        }
    }
}
