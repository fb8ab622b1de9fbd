//! The arguments of `pack`.

use std::path::PathBuf;

use clap::Args;

const HELP: &str = "\
Examples:
  prowess pack                             pack the skill of this directory
  prowess pack skills/csv-tools --dry-run  show what would be packed
  prowess pack --generate-key ~/my.key     create ~/my.key and ~/my.key.pub
  prowess pack --sign ~/my.key             sign the package

The skill is checked and tested first; errors stop the command. It asks nothing: code that you have \
not approved is not tested. Hidden files, keys and leftovers of editors are left out and listed. The \
same files give the same bytes.

The password of a key is asked for in a terminal, or taken from PROWESS_KEY_PASSWORD. A signature has \
the format of minisign.

Exit codes:
  0  the package is written
  1  the skill cannot be packed
  2  invalid arguments
  3  the skill is invalid or a test case fails";

/// Arguments of `pack`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct PackArguments {
    /// Directory of the skill
    #[arg(default_value = ".")]
    pub(super) path: PathBuf,
    /// File to write [default: NAME-VERSION.tar.gz in the current directory]
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Secret key to sign with; the signature is FILE.minisig
    #[arg(long, value_name = "KEYFILE")]
    pub(super) sign: Option<PathBuf>,
    /// Replace a file that differs
    #[arg(long)]
    pub(super) force: bool,
    /// Show the result and write nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Create a key pair, FILE and FILE.pub, and exit
    #[arg(long, value_name = "FILE", conflicts_with_all = ["path", "output", "sign", "force", "dry_run"])]
    pub(super) generate_key: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}
