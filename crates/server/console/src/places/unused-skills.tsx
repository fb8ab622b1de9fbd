// Skills that are not used, and why.

import type { ComponentChildren } from "preact";
import { messageOf } from "../api/client";
import type { Catalog } from "../api/place-api";
import { setEnabled } from "../api/skill-api";
import { tell, tellError } from "../state/toasts";
import { Button } from "../ui/button";
import { Badge, type Tone } from "../ui/parts";
import { Ticks } from "../ui/ticks";

const REFUSALS: Record<string, string> = { "reserved-id": "reserved-id: a built-in skill has this id" };

interface UnusedRow {
  key: string;
  name: string;
  source: string;
  state: string;
  tone: Tone;
  reason: ComponentChildren;
  action?: ComponentChildren;
}

export function UnusedSkills({ catalog, onChange }: { catalog: Catalog; onChange: () => void }) {
  const switchOn = (id: string) => {
    setEnabled(id, true).then(
      () => {
        tell(`${id} is on`);
        onChange();
      },
      (error: unknown) => tellError(`cannot switch ${id} on: ${messageOf(error)}`),
    );
  };
  const rows: UnusedRow[] = [
    ...(catalog.invalid ?? []).map((it): UnusedRow => ({
      key: `invalid ${it.source} ${it.path}`,
      name: it.path,
      source: it.source,
      state: "invalid",
      tone: "bad",
      reason: <Ticks text={it.reasons.join("; ")} />,
    })),
    ...(catalog.refused ?? []).map((it): UnusedRow => ({ key: `refused ${it.source} ${it.id}`, name: it.id, source: it.source, state: "refused", tone: "bad", reason: REFUSALS[it.reason] ?? it.reason })),
    ...(catalog.shadowed ?? []).map((it): UnusedRow => ({
      key: `shadowed ${it.source} ${it.path ?? it.id}`,
      name: it.id,
      source: it.source,
      state: "shadowed",
      tone: "warn",
      reason: (
        <>
          the skill of <code>{it.winner}</code> wins{it.winner_path ? ` (${it.winner_path})` : ""}
        </>
      ),
    })),
    ...(catalog.unavailable ?? []).map((it): UnusedRow => ({
      key: `unavailable ${it.source} ${it.id}`,
      name: it.id,
      source: it.source,
      state: "unavailable",
      tone: "warn",
      reason: `needs ${(it.requires_capabilities ?? []).join(", ") || "a capability that is missing"}`,
    })),
    ...(catalog.disabled ?? []).map((it): UnusedRow => ({
      key: `disabled ${it.source} ${it.id}`,
      name: it.id,
      source: it.source,
      state: "off",
      tone: "plain",
      reason: "you switched it off",
      action: (
        <Button small data-test="enable" onClick={() => switchOn(it.id)}>
          Switch on
        </Button>
      ),
    })),
  ];
  return (
    <section class="panel-section" aria-labelledby="unused">
      <h2 id="unused">Not used</h2>
      {catalog.omitted && (
        <p class="warn-text">
          {catalog.omitted.count} skills were left out: the limit is <code>{catalog.omitted.setting}</code>.
        </p>
      )}
      {rows.length === 0 ? (
        <p class="quiet-text">Every skill that was found is used.</p>
      ) : (
        <div class="table-scroll" tabIndex={0} role="region" aria-label="Skills that are not used">
          <table class="table">
            <thead>
              <tr>
                <th scope="col">Skill</th>
                <th scope="col">State</th>
                <th scope="col">Why</th>
                <th scope="col">Source</th>
                <th scope="col">
                  <span class="off-screen">Action</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.key} data-test="unused" data-state={row.state}>
                  <td>
                    <code dir="auto">{row.name}</code>
                  </td>
                  <td>
                    <Badge tone={row.tone}>{row.state}</Badge>
                  </td>
                  <td dir="auto">{row.reason}</td>
                  <td class="quiet-text">{row.source}</td>
                  <td>{row.action}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
