// What check and audit say about a skill.

import type { Audit, Diagnostic } from "../api/types";
import { fetchSource } from "../api/skill-api";
import { Badge, Notice, Skeleton, type Tone } from "../ui/parts";
import { useResource } from "../ui/use-resource";
import { SourceView } from "./source-view";
import { Ticks } from "../ui/ticks";

const VERDICTS: Record<string, { title: string; tone: Tone }> = {
  clean: { title: "nothing found", tone: "good" },
  unverified: { title: "not all code was read", tone: "warn" },
  suspicious: { title: "suspicious", tone: "warn" },
  dangerous: { title: "dangerous", tone: "bad" },
};

function verdictOf(word: string): { title: string; tone: Tone } {
  return VERDICTS[word] ?? { title: word, tone: "plain" };
}

export function VerdictBadge({ verdict }: { verdict: string }) {
  const { title, tone } = verdictOf(verdict);
  return (
    <Badge tone={tone}>
      audit: {title}
    </Badge>
  );
}

const SEVERITY_TONES: Record<string, Tone> = { critical: "bad", high: "bad", medium: "warn", low: "plain", info: "plain" };

function Findings({ audit }: { audit: Audit }) {
  return (
    <section class="panel-section">
      <h2>Audit</h2>
      {audit.findings.length === 0 && (
        <Notice tone={verdictOf(audit.verdict).tone} title={verdictOf(audit.verdict).title}>
          <p>An audit looks for dangerous code and texts. It does not prove that a skill is harmless.</p>
        </Notice>
      )}
      <ul class="findings">
        {audit.findings.map((finding, at) => (
          <li key={at} data-test="finding">
            <Badge tone={SEVERITY_TONES[finding.severity] ?? "plain"}>{finding.severity}</Badge>
            <div>
              <p dir="auto"><Ticks text={finding.message} /></p>
              <p class="quiet-text">
                <code>
                  {finding.file}
                  {finding.line ? `:${finding.line}` : ""}
                </code>{" "}
                {finding.rule}
              </p>
              {finding.excerpt && <pre class="excerpt">{finding.excerpt}</pre>}
            </div>
          </li>
        ))}
      </ul>
      {(audit.not_read ?? []).map((it, at) => (
        <p key={at} class="quiet-text">
          Not read: <code>{typeof it === "string" ? it : it.file}</code>
          {typeof it === "string" ? "" : `: ${it.reason}`}
        </p>
      ))}
    </section>
  );
}

export function CheckPanel({ id, diagnostics, audit }: { id: string; diagnostics: readonly Diagnostic[]; audit: Audit | null }) {
  const source = useResource((signal) => fetchSource(id, signal), `source ${id}`);
  const notes = diagnostics.map((it) => ({ line: it.start.line, severity: it.severity, code: it.code, message: it.message, help: it.help ?? null }));
  return (
    <>
      <section class="panel-section">
        <h2>Check</h2>
        {diagnostics.length === 0 && <Notice tone="good" title="No problems" />}
        {source.value ? <SourceView text={source.value.text} notes={notes} label="SKILL.md" /> : source.error ? <p class="bad-text">{source.error.message}</p> : <Skeleton lines={6} />}
      </section>
      {audit && <Findings audit={audit} />}
    </>
  );
}
