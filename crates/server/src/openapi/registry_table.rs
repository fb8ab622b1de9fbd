//! The requests of the registry.

use super::operation::{Body, Content, Operation};
use super::table::READ;
use crate::packages::path::{INDEX, SEARCH};
use crate::scope::Scope;

const REGISTRY: Operation = Operation {
    tag: "registry",
    ..READ
};
const PUBLISH: Operation = Operation {
    scope: Some(Scope::Publish),
    ..REGISTRY
};
const YANK: Operation = Operation {
    scope: Some(Scope::Yank),
    ..REGISTRY
};

const CACHED: &[&str] = &["if-none-match"];

/// The requests of the registry.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        path: SEARCH,
        id: "searchPackages",
        summary: "Searches packages; the header `X-Total-Count` has the number of all results",
        parameters: &[
            "q",
            "page-limit",
            "offset",
            "permission",
            "type",
            "licence",
            "code",
            "verdict",
            "owner-filter",
            "if-none-match",
        ],
        responses: &[(200, Content::Json("FoundPackages")), (304, Content::None)],
        problems: &[400],
        ..REGISTRY
    },
    Operation {
        path: INDEX,
        id: "getIndex",
        summary: "Returns the discovery index of the standard",
        parameters: CACHED,
        responses: &[(200, Content::Json("DiscoveryIndex")), (304, Content::None)],
        ..REGISTRY
    },
    Operation {
        path: "/api/v1/skills/{name}",
        id: "getPackage",
        summary: "Returns a package with all versions",
        parameters: CACHED,
        responses: &[(200, Content::Json("Package")), (304, Content::None)],
        ..REGISTRY
    },
    Operation {
        path: "/api/v1/skills/{name}/versions",
        id: "listVersions",
        summary: "Lists the versions, newest first, without yanked ones",
        parameters: CACHED,
        responses: &[(200, Content::Json("Versions")), (304, Content::None)],
        ..REGISTRY
    },
    Operation {
        path: "/api/v1/skills/{name}/owners",
        id: "listOwners",
        summary: "Lists the owners of a package",
        parameters: CACHED,
        responses: &[(200, Content::Json("Owners")), (304, Content::None)],
        ..REGISTRY
    },
    Operation {
        method: "put",
        path: "/api/v1/skills/{name}/owners/{owner}",
        id: "addOwner",
        summary: "Adds an owner: a token",
        responses: &[(204, Content::None)],
        ..PUBLISH
    },
    Operation {
        method: "delete",
        path: "/api/v1/skills/{name}/owners/{owner}",
        id: "removeOwner",
        summary: "Removes an owner; the last one stays",
        responses: &[(204, Content::None)],
        problems: &[409],
        ..PUBLISH
    },
    Operation {
        path: "/api/v1/skills/{name}/{version}",
        id: "getVersion",
        summary: "Returns a version",
        parameters: CACHED,
        responses: &[(200, Content::Json("Version")), (304, Content::None)],
        ..REGISTRY
    },
    Operation {
        method: "put",
        path: "/api/v1/skills/{name}/{version}",
        id: "publishVersion",
        summary: "Publishes a package, a .tar.gz; 200 if exactly this was published before",
        parameters: &["signature"],
        body: Body::Bytes,
        responses: &[
            (200, Content::Json("PublishReceipt")),
            (201, Content::Json("PublishReceipt")),
        ],
        problems: &[409, 422],
        ..PUBLISH
    },
    Operation {
        method: "delete",
        path: "/api/v1/skills/{name}/{version}",
        id: "yankVersion",
        summary: "Yanks a version: only the exact version can be downloaded then",
        parameters: &["reason"],
        responses: &[(204, Content::None)],
        ..YANK
    },
    Operation {
        method: "put",
        path: "/api/v1/skills/{name}/{version}/unyank",
        id: "unyankVersion",
        summary: "Takes a yank back",
        responses: &[(204, Content::None)],
        ..YANK
    },
    Operation {
        path: "/api/v1/skills/{name}/{version}/manifest",
        id: "getManifest",
        summary: "Returns the SKILL.yaml, or else the frontmatter of the SKILL.md",
        parameters: CACHED,
        responses: &[
            (200, Content::Text("application/yaml")),
            (304, Content::None),
        ],
        ..REGISTRY
    },
    Operation {
        path: "/api/v1/skills/{name}/{version}/download",
        id: "downloadVersion",
        summary: "Returns the package, a .tar.gz, or a range of it; `Digest` and `ETag` have its SHA-256",
        parameters: &["range", "if-none-match"],
        responses: &[
            (200, Content::Text("application/gzip")),
            (206, Content::Text("application/gzip")),
            (304, Content::None),
        ],
        problems: &[416],
        ..REGISTRY
    },
    Operation {
        path: "/api/v1/skills/{name}/{version}/signature",
        id: "getSignature",
        summary: "Returns the signature of the package, in the format of minisign",
        parameters: CACHED,
        responses: &[(200, Content::Text("text/plain")), (304, Content::None)],
        ..REGISTRY
    },
    Operation {
        path: "/api/v1/skills/{name}/{version}/diff",
        id: "compareVersions",
        summary: "Compares a version with the one before it, or with another one",
        parameters: &["from", "if-none-match"],
        responses: &[(200, Content::Json("VersionDiff")), (304, Content::None)],
        ..REGISTRY
    },
];
