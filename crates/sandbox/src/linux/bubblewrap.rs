//! A sandbox whose namespaces bubblewrap creates: some systems allow that to no other program.
//!
//! Weaker than our own in three ways: a child that makes too many files in `/tmp` is ended a moment later, instead of
//! refused; layers that are thrown away are read-only; and a mount is named by its path once more after it was looked at.
//!
//! Not for the superuser of the whole machine, who owns the devices: bubblewrap cannot mount them read-only, so a child
//! could change their permissions for everybody.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::fs::{CWD, MemfdFlags, memfd_create};
use rustix::io::Errno;
use rustix::process::Pid;

use super::guard::{adopt_orphans, guard};
use super::init::Task;
use super::layout::{DEVICES, HOST, LayoutEntry, USER, layout};
use super::mounts;
use super::system;
use super::wire::{Plan, Report, Stage, send_plan, send_report};
use crate::command::Launcher;
use crate::confinement::{Access, Confinement, Network};
use crate::error::{Refusal, Step};
use crate::layers::ProcessBound;

/// Where the second stage of the launcher is inside.
const LAUNCHER: &str = "/run/prowess-sandbox-init";
/// What a `/proc` of bubblewrap's shows about the whole machine and the user; ours has none of it.
const HIDDEN: &[&str] = &[
    "/proc/keys",
    "/proc/key-users",
    "/proc/kallsyms",
    "/proc/kcore",
    "/proc/timer_list",
    "/proc/sched_debug",
    "/proc/iomem",
    "/proc/config.gz",
    "/proc/modules",
    "/proc/slabinfo",
    "/proc/vmallocinfo",
    "/proc/cmdline",
];
/// Bytes of what bubblewrap may say about itself.
const COMPLAINT_BYTES: u64 = 4096;

/// Has bubblewrap build the jail and start the second stage in it.
pub(super) fn build(task: Task) -> Result<(), Refusal> {
    let Stage::Bubblewrap(program) = &task.plan.stage else {
        return Err(Refusal::system("run bubblewrap", "it was not asked for"));
    };
    let processes = system::process_bound();
    if processes == ProcessBound::Unbounded {
        let reason = "the superuser's child could change the permissions of devices";
        return Err(Refusal::system("run bubblewrap", reason));
    }
    adopt_orphans()?;
    let (ours, theirs) = UnixStream::pair().step("make a socket")?;
    let (mut complaint, words) = io::pipe().step("make a pipe")?;
    let mut arguments = Arguments::of(&task.plan.confinement, &task.plan.launcher)?;
    let child = Command::new(program)
        .args(arguments.on_the_line(&task.plan.launcher)?)
        .env_clear()
        .stdin(OwnedFd::from(theirs))
        .stdout(Stdio::null())
        .stderr(OwnedFd::from(words))
        .spawn()
        .step("run bubblewrap")?;
    drop(arguments);
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or_else(|| Refusal::system("run bubblewrap", "it has no number"))?;
    let inner = Plan {
        processes,
        ..Plan::new(
            Stage::Inside,
            task.plan.job.clone(),
            task.plan.confinement.clone(),
            task.plan.launcher.clone(),
        )
    };
    let mut streams = vec![
        task.input.as_fd(),
        rustix::stdio::stdout(),
        rustix::stdio::stderr(),
        task.host.as_fd(),
    ];
    streams.extend(task.copied.as_ref().map(AsFd::as_fd));
    let told = send_plan(&ours, &inner, &streams);
    let host = task.host.try_clone().step("copy a socket")?;
    drop(ours);
    guard(task, pid)?;
    // Heard only if the second stage said nothing: the first report is the one that counts.
    let mut text = String::new();
    let _ = complaint
        .by_ref()
        .take(COMPLAINT_BYTES)
        .read_to_string(&mut text);
    let reason = match told {
        Err(error) if text.is_empty() => error.to_string(),
        _ => text.trim().to_owned(),
    };
    let _ = send_report(
        &host,
        &Report::Refused(Refusal::system("run bubblewrap", &reason)),
    );
    Ok(())
}

/// The words of a command line, and the descriptors that they name.
struct Arguments {
    words: Vec<OsString>,
    texts: Vec<File>,
}

impl Arguments {
    fn of(confinement: &Confinement, launcher: &Launcher) -> Result<Self, Refusal> {
        let mut arguments = Self {
            words: Vec::new(),
            texts: Vec::new(),
        };
        arguments.add([
            "--unshare-user",
            "--unshare-ipc",
            "--unshare-pid",
            "--unshare-uts",
            "--unshare-cgroup-try",
        ]);
        if confinement.network != Network::Host {
            arguments.add(["--unshare-net"]);
        }
        arguments.add([
            "--die-with-parent",
            "--new-session",
            "--cap-drop",
            "ALL",
            "--hostname",
            HOST,
        ]);
        let user = USER.to_string();
        arguments.add(["--uid", &user, "--gid", &user]);
        arguments.add(["--proc", "/proc"]);
        for path in HIDDEN.iter().filter(|path| Path::new(path).exists()) {
            // Mounted without devices, so it cannot even be opened.
            arguments.add(["--ro-bind", "/dev/null", path]);
        }
        // Two here, for there is no way to share one: each may be half of what both may have.
        let half = (confinement.scratch / 2).max(1).to_string();
        let mut places = vec![Path::new("/tmp"), Path::new("/dev/shm")];
        places.extend(
            confinement
                .copied
                .as_ref()
                .map(|mount| mount.inside.as_path()),
        );
        for place in places {
            arguments.add(["--perms", "0700", "--size", &half, "--tmpfs"]);
            arguments.add([place]);
        }
        for device in DEVICES {
            let device = Path::new("/dev").join(device);
            let device = device.as_os_str();
            arguments.add([OsStr::new("--dev-bind"), device, device]);
        }
        for entry in layout(confinement) {
            arguments.entry(entry)?;
        }
        let program = launcher.program.as_os_str();
        arguments.add([OsStr::new("--ro-bind"), program, OsStr::new(LAUNCHER)]);
        arguments.add(["--remount-ro", "/", "--chdir", "/"]);
        Ok(arguments)
    }

    /// What others may read of it: a number. The words themselves name places outside, and the child sees the command
    /// line of the first process.
    fn on_the_line(&mut self, launcher: &Launcher) -> Result<Vec<OsString>, Refusal> {
        let mut text = Vec::new();
        for word in &self.words {
            text.extend(word.as_encoded_bytes());
            text.push(0);
        }
        let number = self.hold(&text)?;
        let mut line: Vec<OsString> = ["--args", &number, "--", LAUNCHER].map(Into::into).to_vec();
        line.extend(launcher.arguments.iter().cloned());
        Ok(line)
    }

    /// A text behind a descriptor, which is open across one start only: this process has one thread and starts one
    /// program.
    fn hold(&mut self, text: &[u8]) -> Result<String, Refusal> {
        let memory = memfd_create("text", MemfdFlags::empty()).step("hold a text")?;
        let mut file = File::from(memory);
        file.write_all(text).step("hold a text")?;
        file.rewind().step("hold a text")?;
        let number = file.as_raw_fd().to_string();
        self.texts.push(file);
        Ok(number)
    }

    fn add<T: AsRef<OsStr>>(&mut self, words: impl IntoIterator<Item = T>) {
        self.words
            .extend(words.into_iter().map(|word| word.as_ref().to_owned()));
    }

    fn entry(&mut self, entry: LayoutEntry) -> Result<(), Refusal> {
        match entry {
            LayoutEntry::Directory(path) => self.add([OsStr::new("--dir"), path.as_os_str()]),
            LayoutEntry::Link { place, target } => {
                self.add([
                    OsStr::new("--symlink"),
                    target.as_os_str(),
                    place.as_os_str(),
                ]);
            }
            LayoutEntry::Text { place, text } => {
                let number = self.hold(&text)?;
                self.add([
                    OsStr::new("--perms"),
                    OsStr::new("0444"),
                    OsStr::new("--file"),
                    OsStr::new(&number),
                    place.as_os_str(),
                ]);
            }
            LayoutEntry::Hidden(path) if path.is_dir() => {
                self.add(["--perms", "0000", "--tmpfs"]);
                self.add([
                    path.as_os_str(),
                    OsStr::new("--remount-ro"),
                    path.as_os_str(),
                ]);
            }
            LayoutEntry::Hidden(path) => {
                // Mounted without devices, so it cannot even be opened.
                self.add(["--ro-bind", "/dev/null"]);
                self.add([path]);
            }
            LayoutEntry::Mount { mount, access } => {
                let step = format!("mount `{}`", mount.outside.display());
                match mounts::place(CWD, &mount.outside) {
                    // Where that call does not exist, no jail of ours does.
                    Err(Errno::NOSYS) => return Err(Errno::NOSYS).step(step),
                    found => found.request_step(step)?,
                };
                let how = match access {
                    // There is no layer that older versions could make.
                    Access::ReadOnly | Access::Layered => "--ro-bind",
                    Access::ReadWrite => "--bind",
                };
                self.add([
                    OsStr::new(how),
                    mount.outside.as_os_str(),
                    mount.inside.as_os_str(),
                ]);
            }
        }
        Ok(())
    }
}
