//! What users manage: configuration, approvals, trust, packages, evals.

use super::operation::{Body, Content, Operation};
use super::table::READ;
use crate::scope::Scope;

const ADMIN: Operation = Operation {
    tag: "administration",
    scope: Some(Scope::Admin),
    ..READ
};
const APPROVALS: Operation = Operation {
    tag: "approvals",
    scope: Some(Scope::Chat),
    ..READ
};
const EVALS: Operation = Operation {
    tag: "evals",
    scope: Some(Scope::Chat),
    ..READ
};

/// The requests that need an [`crate::Administration`].
pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        path: "/api/config",
        id: "getConfiguration",
        summary: "Returns every setting with its origin, as `prowess config show --json`",
        responses: &[(200, Content::Json("Configuration"))],
        ..ADMIN
    },
    Operation {
        path: "/api/skills/{id}/details",
        id: "getSkillDetails",
        summary: "Returns what is known about a skill: problems, audit, tokens, permissions, package, use",
        tag: "skills",
        responses: &[(200, Content::Json("SkillDetails"))],
        ..READ
    },
    Operation {
        method: "put",
        path: "/api/skills/{id}/enabled",
        id: "enableSkill",
        summary: "Disables a skill in the user's configuration, or enables it again",
        tag: "skills",
        body: Body::Json("SkillState"),
        responses: &[(204, Content::None)],
        ..ADMIN
    },
    Operation {
        path: "/api/trust",
        id: "getTrust",
        summary: "Returns what the project's configuration reaches outside of it, as `prowess trust --json`",
        responses: &[(200, Content::Json("Trust"))],
        ..ADMIN
    },
    Operation {
        method: "post",
        path: "/api/trust",
        id: "trustProject",
        summary: "Trusts the list with this digest, and opens its sources; 412 if the list is another one now. Also needs the scope `approve`",
        body: Body::Json("AcceptedList"),
        responses: &[(204, Content::None)],
        problems: &[404, 412],
        ..ADMIN
    },
    Operation {
        method: "post",
        path: "/api/reload",
        id: "reload",
        summary: "Reads the user's list of disabled skills, the trusted sources and all skills again",
        responses: &[(204, Content::None)],
        ..ADMIN
    },
    Operation {
        method: "post",
        path: "/api/packages/inspect",
        id: "inspectPackage",
        summary: "Returns what would be installed and what was found in it, as `prowess add --dry-run --json`",
        body: Body::Json("PackageRequest"),
        responses: &[(200, Content::Json("PackageReport"))],
        problems: &[422],
        ..ADMIN
    },
    Operation {
        method: "post",
        path: "/api/packages/install",
        id: "installPackage",
        summary: "Installs a package, as `prowess add --json`; 409 if what was found must be accepted first",
        body: Body::Json("PackageRequest"),
        responses: &[(200, Content::Json("PackageReport"))],
        problems: &[409, 422],
        ..ADMIN
    },
    Operation {
        path: "/api/approvals",
        id: "listApprovals",
        summary: "Lists the stored approvals, as `prowess permissions --json`",
        parameters: &["approved-skill"],
        responses: &[(200, Content::Json("Approvals"))],
        problems: &[400],
        ..APPROVALS
    },
    Operation {
        method: "delete",
        path: "/api/approvals/{id}",
        id: "revokeApprovals",
        summary: "Revokes the stored approvals of a skill",
        responses: &[(204, Content::None)],
        ..APPROVALS
    },
    Operation {
        path: "/api/evals",
        id: "listEvals",
        summary: "Lists the skills with evals, and the runs since the server was started",
        responses: &[(200, Content::Json("EvalList"))],
        ..EVALS
    },
    Operation {
        method: "post",
        path: "/api/evals",
        id: "startEval",
        summary: "Starts the evals of a skill",
        body: Body::Json("EvalRequest"),
        responses: &[(202, Content::Json("EvalRun"))],
        problems: &[404],
        ..EVALS
    },
    Operation {
        path: "/api/evals/{id}",
        id: "getEval",
        summary: "Returns a run of evals; `benchmark` has the results, as `prowess eval --json`",
        responses: &[(200, Content::Json("EvalRun"))],
        ..EVALS
    },
    Operation {
        method: "delete",
        path: "/api/evals/{id}",
        id: "cancelEval",
        summary: "Stops a run of evals",
        responses: &[(204, Content::None)],
        ..EVALS
    },
];
