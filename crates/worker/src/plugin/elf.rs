//! Whether a file is a library for this machine.
//!
//! The loader of the system reports `No such file or directory` for a library of another processor.

use super::error::LoadError;

/// The examined bytes of a file.
pub(super) const HEADER: usize = 20;

/// Processors, by their number in the header and their name in Rust.
const MACHINES: [(u16, &str); 9] = [
    (3, "x86"),
    (8, "mips"),
    (20, "powerpc"),
    (21, "powerpc64"),
    (22, "s390x"),
    (40, "arm"),
    (62, "x86_64"),
    (183, "aarch64"),
    (243, "riscv64"),
];

/// Refuses what the loader would refuse less clearly; `header` is the beginning of the file.
pub(super) fn check(path: &str, header: &[u8], here: &'static str) -> Result<(), LoadError> {
    if header.is_empty() {
        return Err(LoadError::Empty(path.to_owned()));
    }
    let Some(&[0x7f, b'E', b'L', b'F', class, order, .., k0, k1, m0, m1]) =
        header.first_chunk::<HEADER>()
    else {
        return Err(LoadError::NotLibrary(path.to_owned()));
    };
    let number = |bytes: [u8; 2]| match order {
        2 => u16::from_be_bytes(bytes),
        _ => u16::from_le_bytes(bytes),
    };
    let machine = number([m0, m1]);
    let known = MACHINES.iter().find(|(number, _)| *number == machine);
    let built = known.map_or_else(
        || format!("processor {machine}"),
        |(_, name)| (*name).to_owned(),
    );
    let bits = if class == 2 { 64 } else { 32 };
    if built != here || bits != usize::BITS {
        let built = format!("{built} ({bits} bits)");
        let path = path.to_owned();
        return Err(LoadError::OtherMachine { path, built, here });
    }
    let kind = match number([k0, k1]) {
        3 => return Ok(()),
        1 => "an object file",
        2 => "a program",
        4 => "a core dump",
        _ => "of an unknown type",
    };
    let path = path.to_owned();
    Err(LoadError::OtherKind { path, kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(class: u8, order: u8, kind: [u8; 2], machine: [u8; 2]) -> Vec<u8> {
        let mut bytes = b"\x7fELF".to_vec();
        bytes.extend([class, order, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend(kind);
        bytes.extend(machine);
        bytes.extend([0; 8]);
        bytes
    }

    #[test]
    fn header_is_parsed() {
        let table = [
            (Vec::new(), "`p` is empty"),
            (
                b"#!/bin/sh\nexit 0\nexit 0\n".to_vec(),
                "`p` is not a shared library",
            ),
            (b"\x7fELF".to_vec(), "`p` is not a shared library"),
            (
                header(2, 1, [2, 0], [62, 0]),
                "`p` is a program, not a shared library",
            ),
            (
                header(2, 1, [1, 0], [62, 0]),
                "`p` is an object file, not a shared library",
            ),
            (
                header(2, 1, [3, 0], [183, 0]),
                "`p` was built for aarch64 (64 bits); this system is x86_64",
            ),
            (
                header(1, 1, [3, 0], [62, 0]),
                "`p` was built for x86_64 (32 bits); this system is x86_64",
            ),
            (
                header(2, 2, [0, 3], [0, 22]),
                "`p` was built for s390x (64 bits); this system is x86_64",
            ),
            (
                header(2, 1, [3, 0], [1, 1]),
                "`p` was built for processor 257 (64 bits); this system is x86_64",
            ),
        ];
        for (bytes, message) in table {
            let refused = check("p", &bytes, "x86_64").unwrap_err();
            assert_eq!(refused.to_string(), message);
        }
        assert!(check("p", &header(2, 1, [3, 0], [62, 0]), "x86_64").is_ok());
    }
}
