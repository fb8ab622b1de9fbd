//! Many small allocations in a thread other than the first.

use std::hint;

/// Allocations above this are not part of the heap.
const LARGEST: usize = 96 * 1024;

/// Call this before allocations of about so many bytes, at most 96 KB.
///
/// The allocator of glibc grows the heap of a thread by a page and a system call each time, unless it has just been larger,
/// and all threads of the process wait for such a call.
pub fn reserve_heap(bytes: usize) {
    drop(hint::black_box(Vec::<u8>::with_capacity(
        bytes.min(LARGEST),
    )));
}
