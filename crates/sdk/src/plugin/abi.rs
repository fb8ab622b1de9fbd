//! The binary interface of plugins, for authors of plugins without this crate.
//!
//! # Symbols
//!
//! A plugin is a shared library with three symbols. In C:
//!
//! ```c
#![doc = include_str!("prowess_plugin.h")]
//! ```
//!
//! 1. `prowess_plugin_abi` is a constant, [`VERSION`] of this page. It is read before anything of the plugin is called;
//!    a library with another number is refused. Only the library's own initialisers have run by then.
//! 2. `prowess_plugin_call` takes a request and returns the answer to it.
//! 3. `prowess_plugin_free` is called once for each answer of `prowess_plugin_call`, when it has been read.
//!
//! # Payloads
//!
//! A request is a JSON object in UTF-8, without a byte behind it: `{"method": ..., "params": ...}` as in
//! [`Request`](crate::wire::Request), only without the `jsonrpc` and `id` of a line. An answer is `{"result": ...}` or
//! `{"error": {"code": ..., "message": ...}}`, with a code out of [`code`].
//!
//! | method | params | result |
//! |---|---|---|
//! | `initialize` | [`Initialize`](crate::wire::Initialize) | [`Registration`](crate::wire::Registration) |
//! | `tool/execute`, `workflow/run` | [`Call`](crate::wire::Call) | [`Output`](crate::wire::Output) |
//! | `hook/handle` | `{"phase": "OnBeforeToolCall", "data": {...}}` | [`HookResult`](crate::wire::HookResult), or `null` |
//! | `scanner/run` | `{"name": ..., "files": [{"path": ..., "text": ...}]}` | [`Findings`](crate::wire::Findings) |
//! | `shutdown` | none | `null` |
//!
//! `initialize` comes first, and once more if it failed; `shutdown` comes last. An answer with nothing in it, or with
//! something else than this, is a failure of that request and of nothing else. Members that are not known are to be
//! ignored on both sides; that is how this interface grows without another number.
//!
//! A call to the host is `{"method": "host/read_file", "params": {"path": ...}}` as in
//! [`HostCall`], which also says what the result of each is. The answer has the same two shapes.
//!
//! # Rules
//!
//! - Every call of a plugin comes from one and the same thread, whose stack is large. The host may be asked only there,
//!   and only between a call and its return; anything else is answered with an error, never with a crash. `shutdown`
//!   may be too late for questions. A plugin may start threads of its own.
//! - While a plugin waits for the host, it may be called again for another request: calls are reentrant. No lock may be
//!   held across a question.
//! - A request belongs to the host and is gone when the call returns. An answer belongs to who made it until the other
//!   side gives it back with the matching `free`. The table of the host stays where it is as long as the process lives.
//! - No exception and no panic may leave a function of the plugin. Plugins of [`export_plugin!`](crate::export_plugin)
//!   answer with an error instead, unless they are compiled with `panic = "abort"`.
//! - The library is never unloaded. Standard input is empty, and what is written to standard output goes to standard
//!   error.

use std::ffi::c_void;
use std::{ptr, slice};

use serde::Deserialize;
use serde_json::Value;

use super::instance::Instance;
use super::lifecycle::Plugin;
use crate::wire::{Failure, HostCall, code};

/// The version of this interface.
pub const VERSION: u32 = 1;

/// The name of the constant that holds the version.
pub const VERSION_SYMBOL: &str = "prowess_plugin_abi";
/// The name of the [`CallFunction`].
pub const CALL_SYMBOL: &str = "prowess_plugin_call";
/// The name of the [`FreeFunction`].
pub const FREE_SYMBOL: &str = "prowess_plugin_free";

/// Has a plugin answer a request.
pub type CallFunction = unsafe extern "C" fn(*const HostTable, *const u8, usize) -> Buffer;
/// Gives an answer back to the plugin that made it.
pub type FreeFunction = unsafe extern "C" fn(Buffer);

/// Bytes that are freed by the side that allocated them.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Buffer {
    /// The address; null if there are none.
    pub data: *mut u8,
    /// How many.
    pub length: usize,
}

/// The functions of the host.
#[derive(Debug)]
#[repr(C)]
pub struct HostTable {
    /// Handed back to the functions.
    pub context: *mut c_void,
    /// Sends a request and waits for the response.
    pub call: unsafe extern "C" fn(*mut c_void, *const u8, usize) -> Buffer,
    /// Gives an answer back.
    pub free: unsafe extern "C" fn(*mut c_void, Buffer),
}

impl Buffer {
    /// No bytes.
    pub const EMPTY: Self = Self {
        data: ptr::null_mut(),
        length: 0,
    };

    /// Lets go of bytes; [`Buffer::into_bytes`] takes them back.
    pub fn new(bytes: Vec<u8>) -> Self {
        if bytes.is_empty() {
            return Self::EMPTY;
        }
        let length = bytes.len();
        let data = Box::into_raw(bytes.into_boxed_slice()).cast();
        Self { data, length }
    }

    /// The bytes of a buffer, as long as it is not given back.
    ///
    /// # Safety
    ///
    /// `data` is null, or the beginning of `length` bytes that stay as they are for `'a`.
    #[allow(
        unsafe_code,
        reason = "the other side hands over a pointer and a length"
    )]
    pub unsafe fn bytes<'a>(self) -> &'a [u8] {
        // SAFETY: the caller promises what is needed.
        unsafe { bytes(self.data, self.length) }
    }

    /// Takes bytes back that this side let go of.
    ///
    /// # Safety
    ///
    /// The buffer comes from [`Buffer::new`] of this copy of the crate and was not freed before.
    #[allow(unsafe_code, reason = "the memory comes back as a pointer")]
    pub unsafe fn into_bytes(self) -> Vec<u8> {
        if self.data.is_null() {
            return Vec::new();
        }
        let bytes = ptr::slice_from_raw_parts_mut(self.data, self.length);
        // SAFETY: `new` made the pointer out of a box of that length, and the caller promises that it comes back once.
        unsafe { Box::from_raw(bytes) }.into_vec()
    }
}

/// The bytes at a pointer; empty for a null pointer.
///
/// # Safety
///
/// `data` is null, or the beginning of `length` bytes that stay as they are for `'a`.
#[allow(
    unsafe_code,
    reason = "the other side hands over a pointer and a length"
)]
pub unsafe fn bytes<'a>(data: *const u8, length: usize) -> &'a [u8] {
    if data.is_null() {
        return &[];
    }
    // SAFETY: the caller promises that there are `length` bytes, which are not modified.
    unsafe { slice::from_raw_parts(data, length) }
}

/// A response of the host.
#[derive(Deserialize)]
struct HostResponse {
    #[serde(default)]
    result: Value,
    error: Option<Failure>,
}

/// Calls the host through a table.
///
/// # Safety
///
/// The table is one that the host handed over, and this is a call in which it may be used.
#[allow(unsafe_code, reason = "the host is a table of C functions")]
unsafe fn ask(host: &HostTable, call: &HostCall) -> Result<Value, Failure> {
    let senseless = |error: serde_json::Error| Failure {
        code: code::FAILED,
        message: format!("malformed response from the host: {error}"),
    };
    let request = serde_json::to_vec(call).map_err(senseless)?;
    // SAFETY: the function is the host's, the context the one that belongs to it, and the request outlives the call.
    let answer = unsafe { (host.call)(host.context, request.as_ptr(), request.len()) };
    // SAFETY: the host keeps the answer until it is given back, which happens below.
    let parsed = serde_json::from_slice::<HostResponse>(unsafe { answer.bytes() });
    // SAFETY: the response belongs to the host, and no reference to it is stored.
    unsafe { (host.free)(host.context, answer) };
    let answer = parsed.map_err(senseless)?;
    answer.error.map_or(Ok(answer.result), Err)
}

/// The implementation of `prowess_plugin_call` for a plugin in Rust.
///
/// # Safety
///
/// `host` and the request are those that the host handed over, and this is the call for which it did.
#[allow(unsafe_code, reason = "the boundary to the host")]
pub unsafe fn call<P: Plugin + Default>(
    instance: &Instance<P>,
    host: *const HostTable,
    request: *const u8,
    length: usize,
) -> Buffer {
    // SAFETY: the host keeps its request until the call returns.
    let request = unsafe { bytes(request, length) };
    // SAFETY: a table that is there stays there as long as the process lives.
    let host = unsafe { host.as_ref() };
    let answer = instance.answer(request, move |call| match host {
        // SAFETY: the closure is dropped before this call returns, and stays on its thread.
        Some(host) => unsafe { ask(host, call) },
        None => Err(Failure {
            code: code::FAILED,
            message: "no host is connected".to_owned(),
        }),
    });
    Buffer::new(answer)
}

/// Makes a library a plugin: exports the symbols of [`abi`](crate::plugin::abi) for a type that is a
/// [`Plugin`](crate::plugin::Plugin) and has a `Default`. Used once in a library.
#[macro_export]
macro_rules! export_plugin {
    ($plugin:ty) => {
        const _: () = {
            #[unsafe(export_name = "prowess_plugin_abi")]
            pub static VERSION: u32 = $crate::plugin::abi::VERSION;

            thread_local! {
                static INSTANCE: $crate::plugin::Instance<$plugin> =
                    const { $crate::plugin::Instance::new() };
            }

            #[unsafe(export_name = "prowess_plugin_call")]
            pub unsafe extern "C" fn call(
                host: *const $crate::plugin::abi::HostTable,
                request: *const u8,
                length: usize,
            ) -> $crate::plugin::abi::Buffer {
                let answered = INSTANCE.try_with(|instance| {
                    // SAFETY: the host hands over what belongs to this very call.
                    unsafe { $crate::plugin::abi::call(instance, host, request, length) }
                });
                answered.unwrap_or($crate::plugin::abi::Buffer::EMPTY)
            }

            #[unsafe(export_name = "prowess_plugin_free")]
            pub unsafe extern "C" fn free(answer: $crate::plugin::abi::Buffer) {
                // SAFETY: the host returns, once, what `call` returned.
                drop(unsafe { answer.into_bytes() });
            }
        };
    };
}
