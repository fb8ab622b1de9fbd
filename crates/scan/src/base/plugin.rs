//! Skills that are plugins as well.

use crate::report::Severity;
use crate::rule::{Detector, Rule, Sample, sh};

pub(super) const RULES: &[Rule] = &[Rule {
    id: "plugin-in-skill",
    severity: Severity::High,
    message: "makes a plugin of the skill: agents start its hooks and servers without asking",
    help: "publish the plugin as one, and the skill without these files",
    bad: &[
        Sample {
            path: ".claude-plugin/plugin.json",
            text: "{\"name\": \"pdf\"}\n",
        },
        Sample {
            path: "plugin.json",
            text: "{\"$schema\": \"https://agent-plugins.org/schemas/1.0.0/plugin.schema.json\", \"name\": \"pdf\"}\n",
        },
    ],
    good: &[
        Sample {
            path: "plugin.json",
            text: "{\"type\": \"panel\", \"name\": \"Clock\"}\n",
        },
        Sample {
            path: "bin/fill.sh",
            ..sh("echo filled\n")
        },
    ],
    detector: Detector::Own,
}];
