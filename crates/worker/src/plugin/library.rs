//! A loaded library, and the host as it sees it. The only file of this crate with `unsafe`.

use std::cell::RefCell;
use std::ffi::{OsStr, c_void};
use std::fs::File;
use std::io::Read;
use std::mem;
use std::path::{self, Path};
use std::ptr;
use std::rc::Rc;
use std::thread::{self, ThreadId};

use libloading::os::unix::{Library as Handle, RTLD_LOCAL, RTLD_NOW};
use prowess_sdk::plugin::abi::{
    self, Buffer, CALL_SYMBOL, CallFunction, FREE_SYMBOL, FreeFunction, HostTable, VERSION,
    VERSION_SYMBOL,
};
use prowess_sdk::wire::{Failure, HostCall, code};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::elf;
use super::error::LoadError;
use crate::guest::Host;

/// A plugin, loaded for good: code of it may be anywhere, so it is never unloaded.
pub(super) struct Library {
    call: CallFunction,
    free: FreeFunction,
    link: &'static Link,
    table: &'static HostTable,
}

/// The host of the table that a plugin gets.
struct Link {
    /// The only thread that can call the host.
    thread: ThreadId,
    /// The host; `None` between two requests.
    host: RefCell<Option<Rc<dyn Host>>>,
}

impl Library {
    /// Loads a library. Nothing of it is called before its version is known, but for its own initialisers.
    #[allow(unsafe_code, reason = "loading a library runs code of it")]
    pub(super) fn load(path: &OsStr) -> Result<Self, LoadError> {
        let shown = path.to_string_lossy().into_owned();
        let unreadable = |source| LoadError::Read {
            path: shown.clone(),
            source,
        };
        // A name without a directory would be searched for among the system's libraries.
        let path = path::absolute(path).map_err(unreadable)?;
        let header = header(&path).map_err(unreadable)?;
        if cfg!(target_os = "linux") {
            elf::check(&shown, &header, std::env::consts::ARCH)?;
        }
        // SAFETY: its initialisers are code of the plugin, and this process exists to run code of the plugin.
        let handle = unsafe { Handle::open(Some(&path), RTLD_NOW | RTLD_LOCAL) };
        let handle = handle.map_err(|error| LoadError::Open {
            path: shown.clone(),
            reason: std::error::Error::source(&error)
                .map_or_else(|| error.to_string(), ToString::to_string),
        })?;
        let missing = |symbol| {
            let path = shown.clone();
            move |_| LoadError::NoSymbol { path, symbol }
        };
        // SAFETY: by agreement the symbol is a constant of 32 bits.
        let version = unsafe { handle.get::<*const u32>(VERSION_SYMBOL) };
        let version = *version.map_err(missing(VERSION_SYMBOL))?;
        // SAFETY: the symbol exists, so it is a valid address; a plugin that violates the interface can at worst crash
        // this process, which belongs to the plugin.
        let built = unsafe { version.read_unaligned() };
        if built != VERSION {
            return Err(LoadError::OtherVersion { path: shown, built });
        }
        // SAFETY: in this version of the agreement the symbol is a function of that type.
        let call = unsafe { handle.get::<CallFunction>(CALL_SYMBOL) };
        let call = *call.map_err(missing(CALL_SYMBOL))?;
        // SAFETY: the same.
        let free = unsafe { handle.get::<FreeFunction>(FREE_SYMBOL) };
        let free = *free.map_err(missing(FREE_SYMBOL))?;
        mem::forget(handle);
        let link: &'static Link = Box::leak(Box::new(Link {
            thread: thread::current().id(),
            host: RefCell::new(None),
        }));
        let table = Box::leak(Box::new(HostTable {
            context: ptr::from_ref(link).cast_mut().cast(),
            call: host_call,
            free: host_free,
        }));
        Ok(Self {
            call,
            free,
            link,
            table,
        })
    }

    /// Has the plugin answer a request, and reads the answer before it is given back.
    #[allow(unsafe_code, reason = "the plugin is a C function")]
    pub(super) fn call<T>(
        &self,
        request: &[u8],
        host: Option<&Rc<dyn Host>>,
        read: impl FnOnce(&[u8]) -> T,
    ) -> T {
        let before = self.link.host.replace(host.cloned());
        // SAFETY: the function is the plugin's, which was loaded for good; the table lives as long as the process, and
        // the request as long as the call.
        let answer = unsafe { (self.call)(self.table, request.as_ptr(), request.len()) };
        self.link.host.replace(before);
        // SAFETY: the plugin keeps its answer until it is given back, which happens below.
        let taken = read(unsafe { answer.bytes() });
        // SAFETY: the response belongs to the plugin, is returned once, and no reference to it is stored.
        unsafe { (self.free)(answer) };
        taken
    }
}

fn header(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut header = Vec::new();
    let most = u64::try_from(elf::HEADER).unwrap_or(u64::MAX);
    File::open(path)?.take(most).read_to_end(&mut header)?;
    Ok(header)
}

/// Called by a plugin to call the host.
#[allow(
    unsafe_code,
    reason = "the plugin hands back a context, a pointer and a length"
)]
unsafe extern "C" fn host_call(context: *mut c_void, request: *const u8, length: usize) -> Buffer {
    // SAFETY: the context is the link of the table, which lives as long as the process.
    let Some(link) = (unsafe { context.cast::<Link>().as_ref() }) else {
        return Buffer::EMPTY;
    };
    // SAFETY: the plugin keeps its request until the call returns.
    let request = unsafe { abi::bytes(request, length) };
    Buffer::new(link.answer(request))
}

/// Called by a plugin to free a response.
#[allow(unsafe_code, reason = "the memory comes back as a pointer")]
unsafe extern "C" fn host_free(_: *mut c_void, answer: Buffer) {
    // SAFETY: the plugin returns, once, what `host_call` returned.
    drop(unsafe { answer.into_bytes() });
}

/// A request of a plugin.
#[derive(Deserialize)]
struct PluginRequest {
    method: String,
    #[serde(default)]
    params: Option<Value>,
}

/// A response, as serialized.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Reply {
    Result(Box<RawValue>),
    Error(Failure),
}

impl Link {
    fn answer(&self, request: &[u8]) -> Vec<u8> {
        let reply = match self.ask(request) {
            Ok(result) => Reply::Result(result),
            Err(failure) => Reply::Error(failure),
        };
        // Parsed JSON can be serialized again.
        serde_json::to_vec(&reply).unwrap_or_default()
    }

    fn ask(&self, request: &[u8]) -> Result<Box<RawValue>, Failure> {
        // Nothing but the thread may be looked at before this.
        if thread::current().id() != self.thread {
            return Err(refused(
                "the host can only be called on the thread of a call",
            ));
        }
        let parsed: PluginRequest = serde_json::from_slice(request).map_err(|error| Failure {
            code: code::INVALID_REQUEST,
            message: format!("malformed request: {error}"),
        })?;
        let call = HostCall::parse(&parsed.method, parsed.params)?;
        let host = self.host.borrow().clone();
        let host = host.ok_or_else(|| refused("the host closed the connection"))?;
        host.call(&call)
    }
}

fn refused(message: &str) -> Failure {
    Failure {
        code: code::FAILED,
        message: message.to_owned(),
    }
}
