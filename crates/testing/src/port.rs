//! Ports at which nothing answers.

use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::OwnedFd;

use rustix::net::{AddressFamily, SocketType, bind, socket, sockopt};

/// A port of this machine that refuses connections as long as this exists: no other test gets it meanwhile.
pub struct ClosedPort {
    _socket: OwnedFd,
}

impl ClosedPort {
    /// Takes a port whose server is gone.
    pub fn new(port: u16) -> Self {
        let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
        sockopt::set_socket_reuseaddr(&socket, true).unwrap();
        bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, port)).unwrap();
        Self { _socket: socket }
    }
}
