// The differences between two versions.

import { useState } from "preact/hooks";
import { fetchDiff, type Package } from "../api/registry-api";
import { Badge, Fold, Notice, Skeleton } from "../ui/parts";
import { useResource } from "../ui/use-resource";

const TONES = { added: "good", removed: "bad", changed: "warn" } as const;
const LINES = 2000;

function lineKind(line: string): string {
  if (line.startsWith("@@")) return "head";
  return line.startsWith("+") ? "right" : line.startsWith("-") ? "left" : "same";
}

function UnifiedDiff({ text, path }: { text: string; path: string }) {
  const lines = text.replace(/\n$/, "").split("\n");
  // The names of the two versions say nothing here. Later lines may look the same, and are text.
  if (lines[0]?.startsWith("--- ") && lines[1]?.startsWith("+++ ")) lines.splice(0, 2);
  return (
    <div class="diff" tabIndex={0} role="region" aria-label={`Differences in ${path}`} dir="ltr">
      {lines.slice(0, LINES).map((line, at) => (
        <div key={at} class={`diff-line ${lineKind(line)}`}>
          <span class="diff-mark">{line.startsWith("@@") ? "" : line.slice(0, 1)}</span>
          <code dir="auto">{line.startsWith("@@") ? line : line.slice(1) || " "}</code>
        </div>
      ))}
      {lines.length > LINES && <p class="quiet-text">… {lines.length - LINES} more lines</p>}
    </div>
  );
}

export function VersionDiffPanel({ package: it }: { package: Package }) {
  const versions = it.versions.map((version) => version.version);
  const [to, setTo] = useState(versions[0] ?? "");
  const [from, setFrom] = useState(versions[1] ?? "");
  const diff = useResource((signal) => fetchDiff(it.name, to, from, signal), `diff ${it.name} ${from} ${to}`);
  return (
    <section class="panel-section" aria-labelledby="differences">
      <h2 id="differences">Differences</h2>
      <div class="filters">
        <label>
          From
          <select value={from} data-test="diff-from" onChange={(event) => setFrom(event.currentTarget.value)}>
            <option value="">the version before</option>
            {versions.map((version) => (
              <option key={version}>{version}</option>
            ))}
          </select>
        </label>
        <label>
          To
          <select value={to} data-test="diff-to" onChange={(event) => setTo(event.currentTarget.value)}>
            {versions.map((version) => (
              <option key={version}>{version}</option>
            ))}
          </select>
        </label>
      </div>
      {diff.error ? (
        <Notice tone="bad" title="The differences cannot be shown">
          <p>{diff.error.message}</p>
        </Notice>
      ) : !diff.value ? (
        <Skeleton lines={4} />
      ) : (
        <div data-test="version-diff">
          {diff.value.permissions_added.length > 0 && (
            <Notice tone="warn" title={`Asks for more: ${diff.value.permissions_added.join(", ")}`} />
          )}
          {diff.value.permissions_removed.length > 0 && <Notice tone="good" title={`No longer asks for ${diff.value.permissions_removed.join(", ")}`} />}
          {diff.value.files.length === 0 && <p class="quiet-text">The files are the same.</p>}
          {diff.value.files.map((file) => (
            <Fold
              key={file.path}
              open={file.change === "changed"}
              title={
                <>
                  <code>{file.path}</code> <Badge tone={TONES[file.change]}>{file.change}</Badge>
                </>
              }
            >
              {() => (file.text === null ? <p class="quiet-text">No lines to show.</p> : <UnifiedDiff text={file.text} path={file.path} />)}
            </Fold>
          ))}
        </div>
      )}
    </section>
  );
}
