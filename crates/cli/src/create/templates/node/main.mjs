// {{name}}: what it does. `protocol.mjs` does the talking.

import { serve } from "./protocol.mjs";

const registration = {
{{if tool}}
  tools: [
    {
      name: "hello",
      description: "Greets a person.",
      input_schema: {
        type: "object",
        properties: { name: { type: "string", description: "name of the person" } },
      },
    },
  ],
{{end}}
{{if workflow}}
  workflows: ["hello"],
{{end}}
{{if security-rule}}
  scanners: ["unfinished"],
{{end}}
{{if transform}}
  hooks: ["OnAfterResponse"],
{{end}}
};

// The first argument asks the host: (await host.call("host/read_file", { path: "README.md" })).content, with `file:read`
// among the permissions of SKILL.yaml. Throw a Refused to tell the model what is wrong.
{{if tool workflow}}
async function hello(host, { name = "world" }) {
  return { content: `Hello, ${name}!` };
}

{{end}}
{{if security-rule}}
async function unfinished(host, files) {
  const findings = files.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, at) => (line.includes("TODO") ? [{ file: path, line: at + 1 }] : [])),
  );
  const about = { rule: "unfinished", severity: "info", message: "unfinished work" };
  return { findings: findings.map((place) => ({ ...about, ...place })) };
}

{{end}}
{{if transform}}
async function tidy(host, { response }) {
  const lines = response.split("\n").map((line) => line.trimEnd());
  return { modified: { response: lines.join("\n") } };
}

{{end}}
serve(registration, {
{{if tool}}
  "tool/execute hello": hello,
{{end}}
{{if workflow}}
  "workflow/run hello": hello,
{{end}}
{{if security-rule}}
  "scanner/run unfinished": unfinished,
{{end}}
{{if transform}}
  "hook/handle OnAfterResponse": tidy,
{{end}}
});
