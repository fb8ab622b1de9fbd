// A skill in the list.

import { linkTo } from "../state/route";
import type { IndexedSkill } from "../state/skill-index";
import { count, estimatedTokens } from "../ui/format";
import { memo } from "../ui/memo";
import { Badge } from "../ui/parts";

export function SkillName({ id }: { id: string }) {
  const at = id.lastIndexOf("/");
  return (
    <span class="skill-name" dir="auto">
      {at >= 0 && <span class="skill-folder">{id.slice(0, at + 1)}</span>}
      {id.slice(at + 1)}
    </span>
  );
}

function Who({ skill }: { skill: IndexedSkill }) {
  if (skill.invocation === "user-only") return <Badge>by you only</Badge>;
  if (skill.invocation === "model-only") return <Badge>by the model only</Badge>;
  return null;
}

export const SkillRow = memo(function SkillRow({ skill }: { skill: IndexedSkill }) {
  return (
    <a class="skill-row" href={linkTo("skills", skill.id)} data-test="skill-row" data-id={skill.id}>
      <SkillName id={skill.id} />
      <span class="skill-about" dir="auto">
        {skill.description}
      </span>
      <span class="skill-scope">
        <Who skill={skill} />
        {skill.scope}
      </span>
      <span class="number">{count(estimatedTokens(skill.body_bytes))}</span>
    </a>
  );
});

export const SkillCard = memo(function SkillCard({ skill }: { skill: IndexedSkill }) {
  return (
    <a class="skill-card" href={linkTo("skills", skill.id)} data-test="skill-row" data-id={skill.id}>
      <SkillName id={skill.id} />
      <span class="skill-about" dir="auto">
        {skill.description}
      </span>
      <span class="skill-card-facts">
        <span>{count(estimatedTokens(skill.body_bytes))} tokens</span>
        <span>{skill.scope}</span>
        <Who skill={skill} />
      </span>
    </a>
  );
});
