//! Ways to hide a program in a program.

use super::encode::{Hide, wrap};
use super::pack::{base32, base64, hexadecimal, zlib};
use crate::decoders::rot13;

fn quoted(text: &str) -> String {
    serde_json::Value::String(text.to_owned()).to_string()
}

fn codes(text: &str, key: u32) -> String {
    let codes: Vec<String> = text
        .chars()
        .map(|c| (u32::from(c) ^ key).to_string())
        .collect();
    codes.join(", ")
}

/// A shell script inside of a program in another language: name, path, transformation.
pub(super) const AROUND_SHELL: &[(&str, &str, Hide)] = &[
    ("python-system", "scripts/run.py", |text| {
        format!(
            "import os\n\ndef main():\n    os.system({})\n\nmain()\n",
            quoted(text)
        )
    }),
    ("python-subprocess", "scripts/run.py", |text| {
        format!(
            "import subprocess\ncode = {}\nsubprocess.run(['bash', '-c', code], check=False)\n",
            quoted(text)
        )
    }),
    ("python-getattr", "scripts/run.py", |text| {
        format!(
            "import os\nrun = getattr(os, 'sys' + 'tem')\nrun({})\n",
            quoted(text)
        )
    }),
    ("node-exec", "scripts/run.js", |text| {
        format!(
            "const {{ exec }} = require('child_' + 'process');\nexec({});\n",
            quoted(text)
        )
    }),
    ("package-hook", "package.json", |text| {
        format!(
            "{{\"name\": \"helper\", \"scripts\": {{\"postinstall\": {}}}}}\n",
            quoted(text.trim_end())
        )
    }),
    ("yaml", "config.yaml", |text| {
        let lines: String = text.lines().map(|line| format!("    {line}\n")).collect();
        format!("steps:\n  run: |\n{lines}")
    }),
    ("makefile", "Makefile", |text| {
        let lines: String = text.lines().map(|line| format!("\t{line}\n")).collect();
        format!("setup:\n{lines}")
    }),
    ("markdown", "references/setup.md", |text| {
        format!("# Setup\n\n```sh\n{text}```\n")
    }),
];

pub(super) const PYTHON: &[(&str, Hide)] = &[
    ("exec-base64", |text| {
        format!(
            "import base64\nexec(base64.b64decode('{}'))\n",
            base64(text)
        )
    }),
    ("exec-base64-twice", |text| {
        format!(
            "import base64 as b\nexec(b.b64decode(b.b64decode('{}')).decode())\n",
            base64(base64(text))
        )
    }),
    ("exec-base32", |text| {
        format!(
            "import base64\nexec(base64.b32decode('{}'))\n",
            base32(text)
        )
    }),
    ("exec-wrapped", |text| {
        format!(
            "import base64\nDATA = '''\n{}\n'''\nexec(base64.b64decode(DATA))\n",
            wrap(&base64(text), 40)
        )
    }),
    ("exec-pieces", |text| {
        let encoded = base64(text);
        let pieces: Vec<String> = wrap(&encoded, 20)
            .lines()
            .map(|line| format!("'{line}'"))
            .collect();
        format!(
            "import base64\nparts = [{}]\nexec(base64.b64decode(''.join(parts)))\n",
            pieces.join(", ")
        )
    }),
    ("exec-zlib", |text| {
        format!(
            "import base64, zlib\nexec(zlib.decompress(base64.b64decode('{}')))\n",
            base64(zlib(text.as_bytes()))
        )
    }),
    ("exec-hex", |text| {
        format!("exec(bytes.fromhex('{}').decode())\n", hexadecimal(text))
    }),
    ("exec-rot13", |text| {
        format!(
            "import codecs\nexec(codecs.decode({}, 'rot13'))\n",
            quoted(&rot13(text))
        )
    }),
    ("exec-reversed", |text| {
        let back: String = text.chars().rev().collect();
        format!("code = {}\nexec(code[::-1])\n", quoted(&back))
    }),
    ("exec-characters", |text| {
        format!("exec(''.join(chr(c) for c in [{}]))\n", codes(text, 0))
    }),
    ("exec-xor", |text| {
        format!(
            "data = [{}]\nexec(''.join(chr(c ^ 42) for c in data))\n",
            codes(text, 42)
        )
    }),
    ("exec-alias", |text| {
        format!("run = exec\ncode = {}\nrun(code)\n", quoted(text))
    }),
    ("exec-builtins", |text| {
        format!(
            "import builtins\ngetattr(builtins, 'ex' + 'ec')({})\n",
            quoted(text)
        )
    }),
    ("import-trick", |text| {
        text.replace("import os\n", "os = __import__('o' + 's')\n")
    }),
    ("function", |text| {
        let lines: String = text.lines().map(|line| format!("    {line}\n")).collect();
        format!("def prepare():\n{lines}\n\nif __name__ == '__main__':\n    prepare()\n")
    }),
    ("class", |text| {
        let lines: String = text
            .lines()
            .map(|line| format!("        {line}\n"))
            .collect();
        format!("class Helper:\n    def start(self):\n{lines}\n\nHelper().start()\n")
    }),
    ("padded", |text| {
        let line = "LIMIT = 1000  # entries of one page\n";
        format!("{}{text}{}", line.repeat(400), line.repeat(400))
    }),
    ("comments", |text| {
        text.lines()
            .map(|line| format!("{line}\n# next step\n"))
            .collect()
    }),
    ("try-except", |text| {
        let lines: String = text.lines().map(|line| format!("    {line}\n")).collect();
        format!("try:\n{lines}except Exception:\n    pass\n")
    }),
    ("split-strings", |text| split_strings(text, "' + '")),
    ("carriage-returns", |text| text.replace('\n', "\r\n")),
];

pub(super) const JAVASCRIPT: &[(&str, Hide)] = &[
    ("eval-atob", |text| {
        format!("eval(atob('{}'));\n", base64(text))
    }),
    ("eval-atob-twice", |text| {
        format!("eval(atob(atob('{}')));\n", base64(base64(text)))
    }),
    ("function-buffer", |text| {
        format!(
            "new Function('require', Buffer.from('{}', 'base64').toString())(require);\n",
            base64(text)
        )
    }),
    ("eval-hex", |text| {
        format!(
            "eval(Buffer.from('{}', 'hex').toString());\n",
            hexadecimal(text)
        )
    }),
    ("eval-character-codes", |text| {
        format!("eval(String.fromCharCode({}));\n", codes(text, 0))
    }),
    ("eval-xor", |text| {
        format!(
            "eval([{}].map((c) => String.fromCharCode(c ^ 42)).join(''));\n",
            codes(text, 42)
        )
    }),
    ("eval-reversed", |text| {
        let back: String = text.chars().rev().collect();
        format!(
            "const s = {};\neval(s.split('').reverse().join(''));\n",
            quoted(&back)
        )
    }),
    ("eval-escapes", |text| {
        let escapes: String = text
            .chars()
            .map(|c| format!("\\u{:04x}", u32::from(c)))
            .collect();
        format!("eval('{escapes}');\n")
    }),
    ("eval-alias", |text| {
        format!(
            "const run = globalThis['ev' + 'al'];\nrun({});\n",
            quoted(text)
        )
    }),
    ("eval-percent", |text| {
        let percent: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
        format!("eval(decodeURIComponent('{percent}'));\n")
    }),
    ("function", |text| {
        let lines: String = text.lines().map(|line| format!("  {line}\n")).collect();
        format!("async function prepare() {{\n{lines}}}\nprepare();\n")
    }),
    ("class", |text| {
        let lines: String = text.lines().map(|line| format!("    {line}\n")).collect();
        format!("class Helper {{\n  async start() {{\n{lines}  }}\n}}\nnew Helper().start();\n")
    }),
    ("padded", |text| {
        let line = "const LIMIT_OF_PAGE = 1000; // entries\n";
        format!(
            "{}{text}{}",
            line.repeat(400),
            line.replace("LIMIT", "SIZE").repeat(400)
        )
    }),
    ("comments", |text| {
        text.lines()
            .map(|line| format!("{line}\n// next step\n"))
            .collect()
    }),
    ("try-catch", |text| {
        format!("try {{\n{text}}} catch (error) {{}}\n")
    }),
    ("split-strings", |text| split_strings(text, "' + '")),
    ("carriage-returns", |text| text.replace('\n', "\r\n")),
];

/// Divides the string literals in single quotes.
fn split_strings(text: &str, by: &str) -> String {
    let mut out = String::new();
    for (index, part) in text.split('\'').enumerate() {
        if index > 0 {
            out.push('\'');
        }
        let middle = part.len() / 2;
        // Every second part is inside of quotes; what has an escape stays.
        match part.split_at_checked(middle) {
            Some((first, second))
                if index % 2 == 1
                    && part.len() > 4
                    && !part.contains('\\')
                    && !part.contains('\n') =>
            {
                out.push_str(first);
                out.push_str(by);
                out.push_str(second);
            }
            _ => out.push_str(part),
        }
    }
    out
}
