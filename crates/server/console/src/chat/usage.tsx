// Tokens of a turn: how many, and how much of the input was cached.

import type { TurnUsage } from "../api/chat-types";
import { count, percent } from "../ui/format";
import { Fold } from "../ui/parts";

function share(part: number, whole: number): string {
  return `${whole === 0 ? 0 : Math.max(0, Math.min(100, (part / whole) * 100))}%`;
}

/** The provider's figures, or estimates where it gave none. */
function figures(usage: TurnUsage) {
  const { provider, estimated } = usage;
  const input = provider.input + (estimated?.input ?? 0);
  const output = provider.output + (estimated?.output ?? 0);
  const guessed = (estimated?.input ?? 0) + (estimated?.output ?? 0) > 0;
  return { input, output, cached: provider.cached, guessed };
}

function Breakdown({ usage }: { usage: TurnUsage }) {
  const rows: [string, number][] = [
    ["Catalog of skills", usage.catalog ?? 0],
    ["Tools", usage.tools ?? 0],
    ["Messages", usage.messages ?? 0],
    ...(usage.skills ?? []).map((it): [string, number] => [`Skill ${it.id}`, it.instructions + it.files]),
  ];
  const largest = Math.max(1, ...rows.map(([, tokens]) => tokens));
  return (
    <table class="usage-table">
      <caption>Estimated tokens in the last request of {usage.requests}</caption>
      <tbody>
        {rows.map(([name, tokens]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="usage-bar-cell">
              <span class="usage-row-bar" style={{ width: share(tokens, largest) }} />
            </td>
            <td class="number">{count(tokens)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Usage({ usage }: { usage: TurnUsage }) {
  const { input, output, cached, guessed } = figures(usage);
  const total = input + output;
  const about = guessed ? "about " : "";
  const words = `${about}${count(input)} tokens in, ${count(output)} out, ${percent(input === 0 ? 0 : cached / input)} cached`;
  return (
    <div class="usage" data-test="usage">
      <Fold
        title={
          <>
            <span class="usage-bar" aria-hidden="true">
              <span class="usage-cached" style={{ width: share(cached, total) }} />
              <span class="usage-input" style={{ width: share(input - cached, total) }} />
              <span class="usage-output" style={{ width: share(output, total) }} />
            </span>
            <span>{words}</span>
          </>
        }
      >
        {() => <Breakdown usage={usage} />}
      </Fold>
    </div>
  );
}
