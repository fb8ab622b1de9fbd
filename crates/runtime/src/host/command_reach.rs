//! Where a command of a skill or of the model runs.

use std::fmt;

/// Where a command runs. Everything but the default is for a user to choose, asked with the text of
/// [`Display`](fmt::Display) on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CommandReach {
    /// In the sandbox, without a network.
    #[default]
    Sandboxed,
    /// In the sandbox, with the network of this machine.
    SandboxedWithNetwork,
    /// On this machine, as the user.
    Unconfined,
}

impl fmt::Display for CommandReach {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Sandboxed => {
                "in the sandbox: changes only the project, reads no secret places, no network"
            }
            Self::SandboxedWithNetwork => {
                "in the sandbox: changes only the project, reads no secret places, reaches every host on the network"
            }
            Self::Unconfined => {
                "outside of the sandbox: reads and changes all your files, reaches every host on the network"
            }
        })
    }
}
