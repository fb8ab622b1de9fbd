// Writing a new skill.

import { useEffect, useState } from "preact/hooks";
import { ApiError, messageOf } from "../api/client";
import { createSkill } from "../api/skill-api";
import { token } from "../api/token";
import { loadDraft, saveDraft } from "../state/drafts";
import { go, linkTo } from "../state/route";
import { loadSkills } from "../state/skill-index";
import { tell, tellError } from "../state/toasts";
import { Button } from "../ui/button";
import { TokenForm } from "../shell/token-form";
import { EditorPane } from "./editor-pane";
import { useCheck } from "./use-check";

const DRAFT = "skill.+new";

function template(name: string): string {
  return `---
name: ${name}
description: Says in one sentence what this skill does. Use when a user asks for it.
---

# ${name}

1. Say what to do first.
2. Say what to do next, and what a good result looks like.
`;
}

interface NewSkillDraft {
  id: string;
  text: string;
}

function restored(): NewSkillDraft {
  try {
    const value = JSON.parse(loadDraft(DRAFT) ?? "") as NewSkillDraft;
    return { id: value.id, text: value.text };
  } catch {
    return { id: "my-skill", text: template("my-skill") };
  }
}

const nameOf = (id: string) => id.slice(id.lastIndexOf("/") + 1);

export function NewSkillPage() {
  const [draft, setDraft] = useState(restored);
  const [saving, setSaving] = useState(false);
  const check = useCheck(draft.text, nameOf(draft.id));
  useEffect(() => saveDraft(DRAFT, JSON.stringify(draft)), [draft]);
  if (token.value === null) return <TokenForm purpose="change" />;
  const rename = (id: string) => {
    // The name in the text follows as long as both agree.
    const before = nameOf(draft.id);
    const after = nameOf(id);
    const text = draft.text.replace(new RegExp(`^name: ${before.replace(/[^\w-]/g, "\\$&")}$`, "m"), `name: ${after}`).replace(`\n# ${before}\n`, `\n# ${after}\n`);
    setDraft({ id, text });
  };
  const create = async () => {
    if (saving) return;
    setSaving(true);
    try {
      await createSkill(draft.id, draft.text);
      saveDraft(DRAFT, null);
      tell(`Created ${draft.id}`);
      void loadSkills();
      go(linkTo("skills", draft.id));
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 401)) tellError(`cannot create the skill: ${messageOf(error)}`);
    } finally {
      setSaving(false);
    }
  };
  return (
    <div class="editor-page">
      <header class="editor-head">
        <p class="crumbs">
          <a href={linkTo("skills")}>Skills</a>
        </p>
        <h1>New skill</h1>
        <label class="inline-field">
          Id
          <input value={draft.id} spellcheck={false} data-test="new-skill-id" placeholder="name or collection/name" onInput={(event) => rename(event.currentTarget.value)} />
        </label>
        <div class="page-actions">
          <Button look="primary" data-test="save" disabled={saving || draft.id.trim() === "" || check.valid === false} onClick={() => void create()}>
            Create
          </Button>
        </div>
      </header>
      <EditorPane id={draft.id} text={draft.text} onText={(text) => setDraft({ ...draft, text })} check={check} onSave={() => void create()} />
    </div>
  );
}
