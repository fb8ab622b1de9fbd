// What a model gets of a SKILL.md that is not saved yet.

import { count, estimatedTokens } from "../ui/format";

interface SkillParts {
  description: string;
  body: string;
}

/** Reads the description of simple frontmatter. The server reads it exactly; this is for a preview while typing. */
export function partsOf(source: string): SkillParts {
  const match = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)([\s\S]*)$/.exec(source);
  if (!match) return { description: "", body: source };
  const lines = (match[1] ?? "").split(/\r?\n/);
  const at = lines.findIndex((line) => /^description\s*:/.test(line));
  let description = at < 0 ? "" : (lines[at] ?? "").replace(/^description\s*:\s*/, "");
  if (/^[|>][+-]?\s*$/.test(description)) description = "";
  for (const line of at < 0 ? [] : lines.slice(at + 1)) {
    if (!/^\s+\S/.test(line)) break;
    description += `${description === "" ? "" : " "}${line.trim()}`;
  }
  return { description: description.replace(/^(["'])([\s\S]*)\1$/, "$2"), body: (match[2] ?? "").trim() };
}

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

export function ModelPreview({ id, source }: { id: string; source: string }) {
  const { description, body } = partsOf(source);
  const first = `<skill id="${id}">\n  <description>${escaped(description)}</description>\n</skill>`;
  const second = `<skill id="${id}">\n${body}\n</skill>`;
  return (
    <div class="model-preview" data-test="model-preview">
      <section>
        <h3>
          In every prompt <span class="quiet-text">{count(estimatedTokens(first.length))} tokens</span>
        </h3>
        <pre tabIndex={0} aria-label="In every prompt" dir="auto">
          {first}
        </pre>
      </section>
      <section>
        <h3>
          When it is activated <span class="quiet-text">{count(estimatedTokens(second.length))} tokens</span>
        </h3>
        <pre tabIndex={0} aria-label="When it is activated" dir="auto">
          {second}
        </pre>
      </section>
    </div>
  );
}
