// Installing: first what would be installed, then what needs consent, then the installation.

import { useState } from "preact/hooks";
import { messageOf } from "../api/client";
import { inspectSource, installSource, type Consent, type InstallCandidate, type InstallScope } from "../api/registry-api";
import { go, linkTo } from "../state/route";
import { loadSkills } from "../state/skill-index";
import { tell } from "../state/toasts";
import { VerdictBadge } from "../skills/check-panel";
import { PermissionName } from "../skills/permission-panel";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { bytes, plural } from "../ui/format";
import { Notice, Skeleton } from "../ui/parts";
import { useResource } from "../ui/use-resource";
import { Ticks } from "../ui/ticks";

/** What a user has to accept: nothing, code and permissions, or what looks dangerous. */
function consentFor(candidates: readonly InstallCandidate[]): Consent {
  const inspections = candidates.map((it) => it.inspection);
  if (inspections.some((it) => it.verdict === "dangerous" || it.verdict === "suspicious" || !it.loads)) return "force";
  if (inspections.some((it) => it.code !== null || it.permissions.length > 0 || it.verdict === "unverified" || it.findings.length > 0)) return "yes";
  return "none";
}

function findingText(finding: unknown): string {
  if (typeof finding === "string") return finding;
  const { severity, file, line, message } = finding as Record<string, unknown>;
  return typeof message === "string" ? `${String(severity ?? "")}: ${String(file ?? "")}${line ? `:${String(line)}` : ""}: ${message}` : JSON.stringify(finding);
}

function Candidate({ candidate }: { candidate: InstallCandidate }) {
  const { inspection } = candidate;
  return (
    <section class="candidate" data-test="candidate" data-name={candidate.name}>
      <h3>
        {candidate.name} <span class="quiet-text">{inspection.version ?? candidate.resolved}</span> <VerdictBadge verdict={inspection.verdict} />
      </h3>
      <p dir="auto">{inspection.description}</p>
      <dl class="facts">
        <div>
          <dt>Files</dt>
          <dd>
            {plural(inspection.files, "file")}, {bytes(inspection.bytes)}
          </dd>
        </div>
        <div>
          <dt>Code</dt>
          <dd>{inspection.code ?? "none"}</dd>
        </div>
        <div>
          <dt>Digest</dt>
          <dd>
            <code>{candidate.digest.slice(0, 23)}…</code>
          </dd>
        </div>
      </dl>
      {inspection.permissions.length > 0 && (
        <>
          <p class="sub-title">Asks for</p>
          <ul class="lines">
            {inspection.permissions.map((name) => (
              <li key={name}>
                <PermissionName name={name} />
              </li>
            ))}
          </ul>
        </>
      )}
      {inspection.findings.length > 0 && (
        <Notice tone="bad" title="The audit found this">
          <ul>
            {inspection.findings.map((finding, at) => (
              <li key={at} dir="auto">
                {findingText(finding)}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {inspection.errors.map((error) => (
        <p key={error} class="bad-text">
          {error}
        </p>
      ))}
      {candidate.notes.map((note) => (
        <p key={note} class="quiet-text">
          {note}
        </p>
      ))}
    </section>
  );
}

const CONSENT: Record<Consent, string> = {
  none: "",
  yes: "Install it with this code and these permissions. The code still runs only after you approve it in a chat.",
  force: "Install it although the audit found problems.",
};

export function InstallDialog({ source, onClose }: { source: string; onClose: () => void }) {
  const [scope, setScope] = useState<InstallScope>("project");
  const [agreed, setAgreed] = useState(false);
  const [asked, setAsked] = useState<Consent>("none");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const inspected = useResource((signal) => inspectSource(source, scope, signal), `inspect ${scope} ${source}`);
  const candidates = inspected.value?.skills ?? [];
  const needed = consentFor(candidates);
  const consent: Consent = asked === "force" ? "force" : asked === "yes" && needed === "none" ? "yes" : needed;
  const install = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await installSource(source, scope, consent);
      tell(`Installed ${candidates.map((it) => it.name).join(", ")}`);
      void loadSkills();
      onClose();
      const [first] = candidates;
      if (first) go(linkTo("skills", first.name));
    } catch (error) {
      setProblem(messageOf(error));
      // The server asks for more than was expected: the user decides again.
      if (consent !== "force") setAsked(consent === "none" ? "yes" : "force");
      setAgreed(false);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title="Install" onClose={onClose} test="install-dialog">
      <p class="quiet-text">
        From <code>{source}</code>
      </p>
      <fieldset class="radio-row">
        <legend>Where</legend>
        <label>
          <input type="radio" name="scope" checked={scope === "project"} onChange={() => setScope("project")} /> In this project
        </label>
        <label>
          <input type="radio" name="scope" checked={scope === "user"} onChange={() => setScope("user")} /> For you, in every project
        </label>
      </fieldset>
      {inspected.error ? (
        <Notice tone="bad" title="This cannot be installed">
          <p><Ticks text={inspected.error.message} /></p>
        </Notice>
      ) : inspected.value === null ? (
        <Skeleton lines={6} />
      ) : (
        <>
          {candidates.map((candidate) => (
            <Candidate key={candidate.name} candidate={candidate} />
          ))}
          {inspected.value.refused.map((it, at) => (
            <p key={at} class="bad-text">
              {it.name}: {it.reason}
            </p>
          ))}
          {candidates.length === 0 && <p class="quiet-text">Nothing to install was found there.</p>}
        </>
      )}
      {problem !== null && (
        <Notice tone="bad" title="Not installed">
          <p><Ticks text={problem} /></p>
        </Notice>
      )}
      {consent !== "none" && candidates.length > 0 && (
        <label class="check-field">
          <input type="checkbox" checked={agreed} data-test="install-consent" onChange={(event) => setAgreed(event.currentTarget.checked)} />
          {CONSENT[consent]}
        </label>
      )}
      <div class="row-end">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" icon="download" data-test="install" disabled={busy || candidates.length === 0 || (consent !== "none" && !agreed)} onClick={() => void install()}>
          {busy ? "Installing" : "Install"}
        </Button>
      </div>
    </Dialog>
  );
}
