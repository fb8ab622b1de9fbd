// Completion of a skill at the start of a message.

import { canBeNamed, searchLocally, skillsById, type IndexedSkill } from "../state/skill-index";

const SHOWN = 50;

export interface SlashQuery {
  /** What follows the slash, up to the cursor. */
  word: string;
}

/** The word to complete, if the cursor is in `/word` at the start of the text. */
export function slashQuery(text: string, cursor: number): SlashQuery | null {
  const match = /^\/([^\s]*)$/.exec(text.slice(0, cursor));
  return match ? { word: match[1] ?? "" } : null;
}

export function completions(list: readonly IndexedSkill[], query: SlashQuery): readonly IndexedSkill[] {
  const found: IndexedSkill[] = [];
  for (const skill of searchLocally(list, query.word)) {
    if (canBeNamed(skill)) found.push(skill);
    if (found.length === SHOWN) break;
  }
  return found;
}

/** Whether the message starts with a slash and a name that is no skill. */
export function unknownReference(text: string, indexComplete: boolean): string | null {
  const word = /^\/([^\s]+)(\s|$)/.exec(text)?.[1];
  if (!word || !indexComplete || skillsById.value.has(word)) return null;
  return word;
}

export function complete(text: string, cursor: number, id: string): { text: string; cursor: number } {
  const rest = text.slice(cursor).replace(/^\S*\s?/, "");
  const start = `/${id} `;
  return { text: start + rest, cursor: start.length };
}
