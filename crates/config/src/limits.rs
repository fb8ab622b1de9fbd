//! Every limit of the configuration, and every default that is a number.

use std::ops::RangeInclusive;
use std::time::Duration;

/// Bytes of one configuration file.
pub const FILE_BYTES: u64 = 1024 * 1024;
/// Problems that are reported of one file; the rest is counted.
pub const PROBLEMS: usize = 100;
/// Characters of a repository's name.
pub const NAME_CHARS: usize = 64;

/// A number that a file may state: where it may lie, and what it is otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Least and greatest.
    pub range: RangeInclusive<u32>,
    /// The defaults.
    pub default: u32,
}

impl Bounds {
    /// The default of a limit in seconds.
    pub(crate) fn default_seconds(&self) -> Duration {
        Duration::from_secs(u64::from(self.default))
    }
}

const fn bounds(range: RangeInclusive<u32>, default: u32) -> Bounds {
    Bounds { range, default }
}

const DAY: u32 = 24 * 60 * 60;

/// `skills.max_skills`
pub const MAX_SKILLS: Bounds = bounds(1..=10_000_000, 100_000);
/// `skills.max_injection_bytes`; less would not hold the tags around a body.
pub const MAX_INJECTION_BYTES: Bounds = bounds(1_024..=16 * 1024 * 1024, 32 * 1024);
/// `skills.inventory_threshold`
pub const INVENTORY_THRESHOLD: Bounds = bounds(0..=1_000_000, 12);
/// `skills.context_share`, above zero and at most one.
pub const CONTEXT_SHARE: f64 = 0.02;
/// `skills.catalog_budget`, in tokens. The default is what a project may ask for if the user states nothing.
pub const CATALOG_BUDGET: Bounds = bounds(100..=10_000_000, 2_000);
/// `refresh_seconds` of a repository.
pub const REFRESH_SECONDS: Bounds = bounds(1..=365 * DAY, 300);
/// `timeout_seconds` of a repository.
pub const TIMEOUT_SECONDS: Bounds = bounds(1..=600, 30);
/// `depth` of a git repository.
pub const DEPTH: Bounds = bounds(1..=1_000_000, 1);
/// `permissions.max_llm_calls_per_turn`
pub const LLM_CALLS: Bounds = bounds(0..=10_000, 10);
/// `permissions.max_shell_exec_per_turn`
pub const SHELL_EXECS: Bounds = bounds(0..=10_000, 20);
/// `permissions.max_net_fetch_per_turn`
pub const NET_FETCHES: Bounds = bounds(0..=10_000, 10);
/// `permissions.shell_exec_timeout_seconds`
pub const SHELL_EXEC_SECONDS: Bounds = bounds(1..=DAY, 30);
/// `permissions.net_fetch_timeout_seconds`
pub const NET_FETCH_SECONDS: Bounds = bounds(1..=3_600, 15);
/// `model.first_byte_seconds`
pub const FIRST_BYTE_SECONDS: Bounds = bounds(1..=DAY, 180);
/// `model.between_bytes_seconds`
pub const BETWEEN_BYTES_SECONDS: Bounds = bounds(1..=DAY, 60);
/// `model.context_window`; less would not hold a catalog and an answer.
pub const CONTEXT_WINDOW: Bounds = bounds(2_048..=100_000_000, 128_000);

/// The host of `owner/repo`, unless the user names another.
pub(crate) const DEFAULT_HOST: &str = "github.com";
