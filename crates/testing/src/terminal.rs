//! A terminal for programs that behave differently in one.

use std::fs::File;

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// A terminal of this size: our end, and the program's end.
pub fn terminal(columns: u16, rows: u16) -> (File, File) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    // A program that has our end too would not notice that we close it.
    fcntl_setfd(&ours, FdFlags::CLOEXEC).unwrap();
    let path = ptsname(&ours, Vec::new()).unwrap();
    let size = Winsize {
        ws_row: rows,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&ours, size).unwrap();
    let theirs = File::options()
        .read(true)
        .write(true)
        .open(path.to_str().unwrap())
        .unwrap();
    (File::from(ours), theirs)
}
