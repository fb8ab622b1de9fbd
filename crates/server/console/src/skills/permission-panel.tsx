// What the code of a skill may do, and what you allowed.

import { messageOf } from "../api/client";
import { fetchApprovals, revokeApprovals } from "../api/skill-api";
import type { SkillManifest } from "../api/types";
import { tell, tellError } from "../state/toasts";
import { Button } from "../ui/button";
import { Badge, Empty } from "../ui/parts";
import { useResource } from "../ui/use-resource";

const MEANINGS: Record<string, string> = {
  run: "run its code in the sandbox",
  "file:read": "read project files",
  "file:write": "change project files",
  "net:fetch": "send requests to other hosts",
  "shell:exec": "run commands",
  "llm:call": "ask the model",
  "hook:tools": "see and change tool calls of other skills",
};

export function PermissionName({ name }: { name: string }) {
  return (
    <>
      <code>{name}</code> {MEANINGS[name] && <span class="quiet-text">{MEANINGS[name]}</span>}
    </>
  );
}

export function PermissionPanel({ id, manifest }: { id: string; manifest: SkillManifest | null }) {
  const approvals = useResource(fetchApprovals, "approvals");
  const mine = (approvals.value ?? []).filter((it) => it.skill === id);
  const wanted = manifest?.permissions ?? [];
  const revoke = () => {
    // The list is changed at once and read again if that was wrong.
    approvals.set((approvals.value ?? []).filter((it) => it.skill !== id));
    revokeApprovals(id).then(
      () => tell(`Revoked what you allowed ${id}`),
      (error: unknown) => {
        approvals.reload();
        tellError(`cannot revoke: ${messageOf(error)}`);
      },
    );
  };
  if (wanted.length === 0 && mine.length === 0) {
    return (
      <Empty icon="shield" title="No permissions">
        <p>This skill asks for none. Scripts in it still need your approval when a model wants to run them.</p>
      </Empty>
    );
  }
  return (
    <>
      {wanted.length > 0 && (
        <section class="panel-section">
          <h2>Asks for</h2>
          <ul class="lines">
            {wanted.map((name) => (
              <li key={name}>
                <PermissionName name={name} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <section class="panel-section">
        <h2>You decided</h2>
        {mine.length === 0 ? (
          <p class="quiet-text">Nothing yet. You are asked when a chat first needs the code.</p>
        ) : (
          <>
            <ul class="lines">
              {mine.map((it, at) => (
                <li key={at} data-test="approval">
                  <Badge tone={it.effect === "allow" ? "good" : "bad"}>{it.effect}</Badge> <PermissionName name={it.permission} />
                  <span class="quiet-text">
                    {" "}
                    {it.project ? `in ${it.project}` : "in every project"}
                    {it.current === false ? ", for an older version of the skill" : ""}
                  </span>
                </li>
              ))}
            </ul>
            <Button look="danger" small data-test="revoke" onClick={revoke}>
              Revoke
            </Button>
          </>
        )}
      </section>
    </>
  );
}
