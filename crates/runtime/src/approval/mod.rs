//! Approvals: what the user allows skills to do.

mod approvals;
mod error;
mod request;

pub use approvals::Approvals;
pub(crate) use error::{ApprovalError, CommandRefusal, right_names};
pub use request::{
    ApprovalDecision, ApprovalRequest, Approver, CommandApprovalRequest, CommandDecision,
    NoApprover, ProtectedWriteRequest, WriteDecision,
};
