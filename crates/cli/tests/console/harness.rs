//! A server, and scenarios of a browser with it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use prowess_testing::model::{KEY, ScriptedModel};
use prowess_testing::{ChildGuard, install, run};
use serde_json::{Value, json};

use crate::server::Server;
use crate::support::TestProject;

const PACKAGES: &[&str] = &["node@22.23.3", "puppeteer-core@25.16.0", "axe-core@4.14.0"];

/// A server of the console, in the directory `work` of a project.
pub(crate) struct Console {
    pub(crate) project: TestProject,
    pub(crate) server: Option<Server>,
    pub(crate) port: u16,
    pub(crate) token: String,
}

impl Console {
    /// Without a model the demo model answers.
    pub(crate) fn start(project: TestProject, model: Option<&ScriptedModel>) -> Self {
        project.write("work/.git/HEAD", "ref: refs/heads/main\n");
        if let Some(model) = model {
            let (provider, url) = (model.provider_name(), &model.url);
            project.write(
                "home/.config/prowess/prowess.toml",
                format!(
                    "[model]\nprovider = \"{provider}\"\nname = \"scripted-1\"\nbase_url = \"{url}\"\n"
                ),
            );
        }
        // Unlike the token that `serve` makes, this one survives a restart.
        let create = [
            "token",
            "create",
            "browser",
            "--scope",
            "admin,approve",
            "--quiet",
        ];
        let token = project.run(&create).stdout.trim().to_owned();
        let mut console = Self {
            project,
            server: None,
            port: 0,
            token,
        };
        console.restart();
        console
    }

    /// Starts the server, again at the same port.
    pub(crate) fn restart(&mut self) {
        self.server = None;
        let address = format!("127.0.0.1:{}", self.port);
        let mut command = self
            .project
            .command(&["serve", "--json", "--bind", &address]);
        command.current_dir(self.project.path("work"));
        command.env("OPENAI_API_KEY", KEY);
        command.env("TMPDIR", self.project.create("tmp").path("tmp"));
        let server = Server::start(&mut command);
        self.port = server.port;
        self.server = Some(server);
    }

    /// Runs a scenario; lines `@NAME` of it are passed on.
    pub(crate) fn browse(&mut self, scenario: &str, asked: impl FnMut(&mut Self, &str)) {
        self.browse_with(scenario, &json!({}), asked);
    }

    pub(crate) fn browse_with(
        &mut self,
        scenario: &str,
        more: &Value,
        mut asked: impl FnMut(&mut Self, &str),
    ) {
        let directory = install("browser", PACKAGES, |directory| {
            let flags = ["install", "--no-audit", "--no-fund", "--prefix"];
            run(Command::new("npm")
                .args(flags)
                .arg(directory)
                .args(PACKAGES));
        });
        let modules = directory.join("node_modules");
        let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/console");
        let pictures = std::env::temp_dir().join("prowess-console").join(scenario);
        std::fs::create_dir_all(&pictures).unwrap();
        let mut options = json!({
            "url": format!("http://127.0.0.1:{}", self.port),
            "token": self.token,
            "directory": pictures,
            "project": self.project.root(),
        });
        let members = options.as_object_mut().unwrap();
        members.extend(more.as_object().unwrap().clone());
        let mut node = Command::new(modules.join("node/bin/node"));
        node.arg(format!("{here}/browser.cjs"))
            .arg(format!("{here}/scenarios/{scenario}.cjs"))
            .arg(options.to_string())
            .env("NODE_PATH", modules)
            // Without it, Chromium cannot use a directory whose path has other letters.
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut node = ChildGuard(node.spawn().unwrap());
        let mut stdin = node.stdin.take().unwrap();
        let lines = BufReader::new(node.stdout.take().unwrap()).lines();
        for line in lines.map_while(Result::ok) {
            match line.strip_prefix('@') {
                Some(name) => {
                    asked(self, name);
                    // A scenario that failed does not wait.
                    let _ = stdin.write_all(b"done\n");
                }
                None => println!("{line}"),
            }
        }
        let status = node.wait().unwrap();
        assert!(status.success(), "{scenario}: see {}", pictures.display());
    }
}

/// A scenario that asks for nothing.
pub(crate) fn nothing(_: &mut Console, name: &str) {
    panic!("unexpected request of a scenario: {name}");
}
