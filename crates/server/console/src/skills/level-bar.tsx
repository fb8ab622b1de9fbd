// Tokens of the three levels of a skill.

import type { LevelTokens } from "../api/types";
import { count } from "../ui/format";

const LEVELS = [
  { field: "catalog", title: "Catalog", about: "in every prompt" },
  { field: "instructions", title: "Instructions", about: "when it is activated" },
  { field: "files", title: "Files", about: "when they are read" },
] as const;

export function LevelBar({ tokens }: { tokens: LevelTokens }) {
  const total = Math.max(1, tokens.catalog + tokens.instructions + tokens.files);
  return (
    <div class="levels" data-test="levels">
      <div class="level-bar" aria-hidden="true">
        {LEVELS.map((level) => (
          <span key={level.field} class={`level-${level.field}`} style={{ width: `${(tokens[level.field] / total) * 100}%` }} />
        ))}
      </div>
      <dl>
        {LEVELS.map((level) => (
          <div key={level.field}>
            <dt>
              <span class={`level-key level-${level.field}`} aria-hidden="true" />
              {level.title} <span class="quiet-text">{level.about}</span>
            </dt>
            <dd class="number">{count(tokens[level.field])}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
