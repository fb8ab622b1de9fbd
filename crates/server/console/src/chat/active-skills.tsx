// The skills that are active in a chat, with what they cost.

import { linkTo } from "../state/route";
import { skillsById } from "../state/skill-index";
import { count, estimatedTokens } from "../ui/format";
import type { Turn } from "./timeline";

function cost(id: string, turns: readonly Turn[]): number | null {
  for (let at = turns.length - 1; at >= 0; at--) {
    const found = turns[at]?.usage?.skills?.find((it) => it.id === id);
    if (found && found.instructions > 0) return found.instructions + found.files;
  }
  const skill = skillsById.value.get(id);
  return skill ? estimatedTokens(skill.body_bytes) : null;
}

export function ActiveSkills({ ids, turns }: { ids: readonly string[]; turns: readonly Turn[] }) {
  if (ids.length === 0) return null;
  return (
    <ul class="pills" aria-label="Active skills" data-test="active-skills">
      {ids.map((id) => {
        const tokens = cost(id, turns);
        return (
          <li key={id}>
            <a class="pill" href={linkTo("skills", id)} data-test="pill" data-id={id}>
              <span>{id}</span>
              {tokens !== null && <span class="pill-cost">{count(tokens)} tokens</span>}
            </a>
          </li>
        );
      })}
    </ul>
  );
}
