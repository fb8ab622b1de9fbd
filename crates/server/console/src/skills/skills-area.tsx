// The skills area: the list, one skill, or the editor.

import { NEW_SKILL, route } from "../state/route";
import { EditorPage } from "./editor-page";
import { NewSkillPage } from "./new-skill-page";
import { SkillPage } from "./skill-page";
import { SkillsPage } from "./skills-page";

export function SkillsArea() {
  const { id, part } = route.value;
  if (id === null) return <SkillsPage />;
  if (id === NEW_SKILL) return <NewSkillPage />;
  if (part === "edit") return <EditorPage key={id} id={id} />;
  return <SkillPage key={id} id={id} />;
}
