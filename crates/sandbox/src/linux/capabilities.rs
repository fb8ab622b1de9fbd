//! Drops privileges.

use rustix::io::Errno;
use rustix::thread::{
    CapabilitySet, CapabilitySets, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities,
};

use crate::error::{Refusal, Step};

/// Takes every capability from this process and from whatever it starts.
pub(super) fn drop_all() -> Result<(), Refusal> {
    for bit in 0..u64::BITS {
        let one = CapabilitySet::from_bits_retain(1 << bit);
        match remove_capability_from_bounding_set(one) {
            Ok(()) => {}
            // Past the last one that this kernel knows; or without the right to do so, and then there is none that could
            // come back either, since no new privileges are given.
            Err(Errno::INVAL | Errno::PERM) => break,
            Err(error) => return Err(error).step("drop capabilities"),
        }
    }
    clear_ambient_capability_set().step("drop ambient capabilities")?;
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, none).step("drop capabilities")
}
