// The list of skills above the composer.

import { useLayoutEffect, useRef } from "preact/hooks";
import type { IndexedSkill } from "../state/skill-index";
import { count, estimatedTokens } from "../ui/format";

interface SlashMenuProps {
  id: string;
  options: readonly IndexedSkill[];
  at: number;
  onChoose: (index: number) => void;
}

export function SlashMenu({ id, options, at, onChoose }: SlashMenuProps) {
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at]);
  return (
    <ul class="slash-menu" id={id} role="listbox" aria-label="Skills" ref={list} data-test="slash-menu">
      {options.map((skill, index) => (
        <li
          key={skill.id}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === at}
          data-test="slash-option"
          data-id={skill.id}
          // The field keeps the focus.
          onMouseDown={(event) => {
            event.preventDefault();
            onChoose(index);
          }}
        >
          <span class="slash-name">
            /{skill.id}
            {skill.argument_hint && <span class="slash-hint"> {skill.argument_hint}</span>}
          </span>
          <span class="slash-about" dir="auto">
            {skill.description}
          </span>
          <span class="slash-cost">{count(estimatedTokens(skill.body_bytes))} tokens</span>
        </li>
      ))}
    </ul>
  );
}
