// Editing a skill. A change names the version that it is based on, so nobody's work is overwritten unseen.

import { useEffect, useState } from "preact/hooks";
import { ApiError, messageOf } from "../api/client";
import { fetchSource, saveSource } from "../api/skill-api";
import { loadDraft, saveDraft } from "../state/drafts";
import { go, linkTo } from "../state/route";
import { loadSkills } from "../state/skill-index";
import { tell, tellError } from "../state/toasts";
import { Button, LinkButton } from "../ui/button";
import { Badge, Empty, Notice, Skeleton } from "../ui/parts";
import { useResource } from "../ui/use-resource";
import { ConflictView } from "./conflict-view";
import { EditorPane } from "./editor-pane";
import { useCheck } from "./use-check";

interface Version {
  text: string;
  etag: string;
}

export function EditorPage({ id }: { id: string }) {
  const draftKey = `skill.${id}`;
  const [base, setBase] = useState<Version | null>(null);
  const [text, setText] = useState<string | null>(() => loadDraft(draftKey));
  const [restored, setRestored] = useState(text !== null);
  const [theirs, setTheirs] = useState<Version | null>(null);
  const [saving, setSaving] = useState(false);
  const [gone, setGone] = useState(false);
  const source = useResource((signal) => fetchSource(id, signal), `edit ${id}`);
  useEffect(() => {
    if (!source.value || base) return;
    setBase(source.value);
    if (text === null) setText(source.value.text);
    else if (text === source.value.text) setRestored(false);
  }, [source.value]);
  const changed = base !== null && text !== null && text !== base.text;
  useEffect(() => {
    if (base && text !== null) saveDraft(draftKey, changed ? text : null);
  }, [text, base]);
  useEffect(() => {
    if (!changed) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [changed]);
  const check = useCheck(text ?? "", id.slice(id.lastIndexOf("/") + 1));

  const save = async (etag: string | undefined) => {
    if (text === null || !etag || saving) return;
    setSaving(true);
    try {
      await saveSource(id, text, etag);
      saveDraft(draftKey, null);
      tell(`Saved ${id}`);
      void loadSkills();
      go(linkTo("skills", id));
    } catch (error) {
      if (error instanceof ApiError && error.status === 412) await showConflict();
      else if (error instanceof ApiError && error.status === 404) setGone(true);
      else if (!(error instanceof ApiError && error.status === 401)) tellError(`cannot save: ${messageOf(error)}`);
    } finally {
      setSaving(false);
    }
  };
  const showConflict = async () => {
    try {
      setTheirs(await fetchSource(id));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) setGone(true);
      else tellError(`cannot read the other version: ${messageOf(error)}`);
    }
  };

  if (source.error && base === null && text === null) {
    return (
      <Empty icon="warning" page title="This skill cannot be edited">
        <p>{source.error.message}</p>
        <LinkButton href={linkTo("skills")}>All skills</LinkButton>
      </Empty>
    );
  }
  return (
    <div class="editor-page">
      <header class="editor-head">
        <p class="crumbs">
          <a href={linkTo("skills")}>Skills</a> / <a href={linkTo("skills", id)}>{id}</a>
        </p>
        <h1>Edit SKILL.md</h1>
        {changed && <Badge tone="warn">not saved</Badge>}
        <div class="page-actions">
          <LinkButton href={linkTo("skills", id)} look="quiet">
            Back
          </LinkButton>
          {changed && (
            <Button
              onClick={() => {
                setText(base.text);
                setTheirs(null);
                setRestored(false);
              }}
            >
              Discard changes
            </Button>
          )}
          <Button look="primary" data-test="save" disabled={!changed || saving || theirs !== null} onClick={() => void save(base?.etag)}>
            Save
          </Button>
        </div>
      </header>
      {gone && (
        <Notice tone="bad" title="This skill was deleted" test="skill-gone">
          <p>
            Your text is kept. <a href={linkTo("skills", "+new")} onClick={() => saveDraft("skill.+new", JSON.stringify({ id, text }))}>Create it again</a>
          </p>
        </Notice>
      )}
      {restored && changed && !theirs && (
        <Notice title="Your unsaved text is back">
          <p>It was kept in this tab.</p>
        </Notice>
      )}
      {text === null ? (
        <Skeleton lines={12} />
      ) : theirs ? (
        <ConflictView
          theirs={theirs.text}
          mine={text}
          onKeepMine={() => {
            const { etag } = theirs;
            setBase(theirs);
            setTheirs(null);
            void save(etag);
          }}
          onTakeTheirs={() => {
            setBase(theirs);
            setText(theirs.text);
            setTheirs(null);
          }}
          onEdit={() => {
            setBase(theirs);
            setTheirs(null);
          }}
        />
      ) : (
        <EditorPane id={id} text={text} onText={setText} check={check} onSave={() => void save(base?.etag)} />
      )}
    </div>
  );
}
