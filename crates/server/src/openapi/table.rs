//! Every request of the API.

use super::operation::{Body, Content, Operation};
use crate::scope::Scope;

/// A request without a body that reads.
pub(super) const READ: Operation = Operation {
    method: "get",
    path: "",
    id: "",
    summary: "",
    tag: "skills",
    scope: Some(Scope::Read),
    parameters: &[],
    body: Body::None,
    responses: &[],
    problems: &[],
};
const WRITE: Operation = Operation {
    scope: Some(Scope::Write),
    ..READ
};
const SESSION: Operation = Operation {
    tag: "sessions",
    ..READ
};
const OPERATE: Operation = Operation {
    tag: "operation",
    ..READ
};

const ASSET: Operation = Operation {
    scope: None,
    parameters: &["if-none-match"],
    ..OPERATE
};

/// Every request.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        path: "/api/skills",
        id: "listSkills",
        summary: "Lists or searches skills",
        parameters: &["collection", "query", "limit", "cursor", "if-none-match"],
        responses: &[(200, Content::Json("SkillList")), (304, Content::None)],
        problems: &[400],
        ..READ
    },
    Operation {
        method: "post",
        path: "/api/skills",
        id: "createSkill",
        summary: "Creates a skill",
        body: Body::Json("NewSkill"),
        responses: &[(201, Content::Json("WrittenSkill"))],
        problems: &[409, 422],
        ..WRITE
    },
    Operation {
        path: "/api/skills/{id}",
        id: "getSkill",
        summary: "Returns a skill with its instructions",
        parameters: &["if-none-match"],
        responses: &[(200, Content::Json("Skill")), (304, Content::None)],
        ..READ
    },
    Operation {
        method: "put",
        path: "/api/skills/{id}",
        id: "changeSkill",
        summary: "Replaces the SKILL.md of a skill",
        parameters: &["if-match"],
        body: Body::Json("ChangedSkill"),
        responses: &[(200, Content::Json("WrittenSkill"))],
        problems: &[412, 422, 428],
        ..WRITE
    },
    Operation {
        method: "delete",
        path: "/api/skills/{id}",
        id: "removeSkill",
        summary: "Removes a skill and its files",
        parameters: &["if-match"],
        responses: &[(204, Content::None)],
        problems: &[412, 428],
        ..WRITE
    },
    Operation {
        path: "/api/skills/{id}/files",
        id: "listFiles",
        summary: "Lists the files of a skill",
        parameters: &["if-none-match"],
        responses: &[(200, Content::Json("FileList")), (304, Content::None)],
        ..READ
    },
    Operation {
        path: "/api/skills/{id}/files/{path}",
        id: "getFile",
        summary: "Returns a file, or a range of it",
        parameters: &["range", "if-none-match"],
        responses: &[
            (200, Content::Bytes),
            (206, Content::Bytes),
            (304, Content::None),
        ],
        problems: &[416],
        ..READ
    },
    Operation {
        method: "put",
        path: "/api/skills/{id}/files/{path}",
        id: "changeFile",
        summary: "Creates or replaces a file",
        parameters: &["if-match", "if-none-match"],
        body: Body::Bytes,
        responses: &[(200, Content::None), (201, Content::None)],
        problems: &[412, 422, 428],
        ..WRITE
    },
    Operation {
        method: "delete",
        path: "/api/skills/{id}/files/{path}",
        id: "removeFile",
        summary: "Removes a file",
        parameters: &["if-match"],
        responses: &[(204, Content::None)],
        problems: &[412, 428],
        ..WRITE
    },
    Operation {
        path: "/api/skill-collections",
        id: "listCollections",
        summary: "Lists the collections",
        parameters: &["if-none-match"],
        responses: &[(200, Content::Json("CollectionList")), (304, Content::None)],
        ..READ
    },
    Operation {
        path: "/api/catalog",
        id: "getCatalog",
        summary: "Returns the skills that are not used, and why, and the sources",
        parameters: &["if-none-match"],
        responses: &[(200, Content::Json("Catalog")), (304, Content::None)],
        ..READ
    },
    Operation {
        method: "post",
        path: "/api/import",
        id: "importSkills",
        summary: "Creates the skills of an archive: .zip, .tar.gz, .tar",
        parameters: &["collection-of-import"],
        body: Body::Bytes,
        responses: &[(200, Content::Json("ImportedSkills"))],
        problems: &[422],
        ..WRITE
    },
    Operation {
        method: "post",
        path: "/api/check",
        id: "checkSkill",
        summary: "Checks a SKILL.md",
        body: Body::Json("CheckRequest"),
        responses: &[(200, Content::Json("CheckResult"))],
        ..READ
    },
    Operation {
        method: "post",
        path: "/api/sessions",
        id: "createSession",
        summary: "Starts a session: prompt and tools for a model",
        body: Body::Json("NewSession"),
        responses: &[(201, Content::Json("Session"))],
        problems: &[404],
        ..SESSION
    },
    Operation {
        path: "/api/sessions/{id}",
        id: "getSession",
        summary: "Returns a session",
        responses: &[(200, Content::Json("Session"))],
        ..SESSION
    },
    Operation {
        method: "delete",
        path: "/api/sessions/{id}",
        id: "endSession",
        summary: "Ends a session",
        responses: &[(204, Content::None)],
        ..SESSION
    },
    Operation {
        method: "post",
        path: "/api/sessions/{id}/turn",
        id: "takeTurn",
        summary: "Returns a user's message as the model gets it",
        body: Body::Json("TurnRequest"),
        responses: &[(200, Content::Json("Turn"))],
        ..SESSION
    },
    Operation {
        method: "post",
        path: "/api/sessions/{id}/call",
        id: "callTool",
        summary: "Returns the result of a tool call of the model",
        body: Body::Json("CallRequest"),
        responses: &[(200, Content::Json("CallResult"))],
        ..SESSION
    },
    Operation {
        method: "post",
        path: "/mcp",
        id: "sendMcp",
        summary: "Takes a message of the Model Context Protocol, streamable HTTP",
        tag: "mcp",
        body: Body::Json("McpMessage"),
        responses: &[
            (200, Content::Text("text/event-stream")),
            (202, Content::None),
        ],
        problems: &[404, 406, 422],
        ..READ
    },
    Operation {
        path: "/",
        id: "getConsole",
        summary: "Returns the web console",
        responses: &[(200, Content::Text("text/html")), (304, Content::None)],
        ..ASSET
    },
    Operation {
        path: "/app.js",
        id: "getConsoleScript",
        summary: "Returns the script of the console",
        responses: &[
            (200, Content::Text("text/javascript")),
            (304, Content::None),
        ],
        ..ASSET
    },
    Operation {
        path: "/app.css",
        id: "getConsoleStyle",
        summary: "Returns the style of the console",
        responses: &[(200, Content::Text("text/css")), (304, Content::None)],
        ..ASSET
    },
    Operation {
        path: "/icon.svg",
        id: "getConsoleIcon",
        summary: "Returns the icon of the console",
        responses: &[(200, Content::Text("image/svg+xml")), (304, Content::None)],
        ..ASSET
    },
    Operation {
        path: "/healthz",
        id: "getHealth",
        summary: "Says how the sources are doing",
        scope: None,
        parameters: &["if-none-match"],
        responses: &[(200, Content::Json("Health")), (304, Content::None)],
        ..OPERATE
    },
    Operation {
        path: "/readyz",
        id: "getReadiness",
        summary: "Says whether the server answers",
        scope: None,
        responses: &[(200, Content::Text("text/plain"))],
        ..OPERATE
    },
    Operation {
        path: "/metrics",
        id: "getMetrics",
        summary: "Returns figures in the text format of Prometheus",
        responses: &[(200, Content::Text("text/plain"))],
        ..OPERATE
    },
    Operation {
        path: "/openapi.json",
        id: "getOpenapi",
        summary: "Returns this document",
        parameters: &["if-none-match"],
        responses: &[(200, Content::Json("Document")), (304, Content::None)],
        ..OPERATE
    },
];
