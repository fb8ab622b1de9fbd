// All skills: collections, search as you type, table or cards.

import { signal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import { isAbort } from "../api/client";
import { searchSkills } from "../api/skill-api";
import { tokenState } from "../api/token";
import { linkTo, NEW_SKILL } from "../state/route";
import { collections, indexError, indexState, loadSkills, searchLocally, skills, skillsById, type IndexedSkill } from "../state/skill-index";
import { Button, IconButton, LinkButton } from "../ui/button";
import { count, plural } from "../ui/format";
import { Icon } from "../ui/icon";
import { Menu } from "../ui/menu";
import { Empty } from "../ui/parts";
import { VirtualList } from "../ui/virtual-list";
import { TokenForm } from "../shell/token-form";
import { chooseFiles } from "./import";
import { SkillCard, SkillRow } from "./skill-row";

/** A pause in typing after which the server is asked, too. */
const PAUSE_MS = 150;
const VIEW_KEY = "prowess.skills.view";

// The search stays when a skill is opened and left again.
const query = signal("");
const collection = signal("");
const view = signal<"table" | "cards">(localStorage.getItem(VIEW_KEY) === "cards" ? "cards" : "table");

function setView(value: "table" | "cards"): void {
  view.value = value;
  localStorage.setItem(VIEW_KEY, value);
}

/** What the server finds beyond the words themselves. Requests that are no longer wanted are cancelled. */
function useServerSearch(text: string, within: string): readonly string[] {
  const [found, setFound] = useState<{ key: string; ids: readonly string[] }>({ key: "", ids: [] });
  const key = `${within}\n${text}`;
  useEffect(() => {
    if (text.trim() === "") return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      searchSkills(text, within, abort.signal).then(
        (list) => setFound({ key, ids: list.skills.map((skill) => skill.id) }),
        (error: unknown) => {
          // The words are still found locally.
          if (!isAbort(error)) setFound({ key, ids: [] });
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [key]);
  return found.key === key ? found.ids : [];
}

function useFound(): readonly IndexedSkill[] {
  const within = collection.value;
  const all = skills.value;
  const inside = useMemo(() => (within === "" ? all : all.filter((skill) => skill.id.startsWith(`${within}/`))), [all, within]);
  const local = useMemo(() => searchLocally(inside, query.value), [inside, query.value]);
  const ids = useServerSearch(query.value, within);
  return useMemo(() => {
    if (ids.length === 0) return local;
    const known = new Set(local.map((skill) => skill.id));
    // Appended, so that no row moves under the pointer.
    const more = ids.filter((id) => !known.has(id)).flatMap((id) => skillsById.value.get(id) ?? []);
    return more.length === 0 ? local : [...local, ...more];
  }, [local, ids]);
}

function Collections() {
  if (collections.value.length === 0) return null;
  const choose = (path: string) => (collection.value = path);
  return (
    <nav class="collections" aria-label="Collections">
      <ul>
        <li>
          <button type="button" class="chip" aria-pressed={collection.value === ""} onClick={() => choose("")}>
            All
          </button>
        </li>
        {collections.value.map((it) => (
          <li key={it.path}>
            <button type="button" class="chip" aria-pressed={collection.value === it.path} title={it.description} data-test="collection" onClick={() => choose(it.path)}>
              {it.path} <span>{count(it.count)}</span>
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function FirstSkill() {
  return (
    <Empty icon="skills" title="No skills yet" test="no-skills">
      <p>
        A skill is a folder with a <code>SKILL.md</code>: instructions that a model loads when it needs them.
      </p>
      <LinkButton href={linkTo("skills", NEW_SKILL)} icon="plus" look="primary">
        Write a skill
      </LinkButton>
      <p>
        Or drop a folder or a <code>.zip</code> on this page, or <a href={linkTo("registry")}>install one</a>.
      </p>
    </Empty>
  );
}

export function SkillsPage() {
  const found = useFound();
  if (indexError.value?.status === 401 && skills.value.length === 0 && tokenState.value !== "present") return <TokenForm purpose="read" />;
  const cards = view.value === "cards";
  // The list comes together with the collections above it, so that neither moves the other.
  const waiting = skills.value.length === 0 && indexState.value !== "complete" && indexState.value !== "failed";
  const none = indexState.value === "complete" && skills.value.length === 0;
  return (
    <div class="skills-page">
      <header class="page-head">
        <h1>Skills</h1>
        <p class="page-count" data-test="skill-count" aria-live="polite">
          {indexState.value === "empty" ? "" : query.value || collection.value ? `${plural(found.length, "skill")} of ${count(skills.value.length)}` : plural(found.length, "skill")}
          {indexState.value === "loading" ? ", loading more" : ""}
        </p>
        <div class="page-actions">
          <div class="segmented" role="group" aria-label="View">
            <IconButton icon="list" title="Table" small aria-pressed={!cards} data-test="view-table" onClick={() => setView("table")} />
            <IconButton icon="grid" title="Cards" small aria-pressed={cards} data-test="view-cards" onClick={() => setView("cards")} />
          </div>
          <Menu
            title="Add skills from this device"
            icon="upload"
            test="import-menu"
            items={[
              { title: "Add a .zip or .tar.gz", icon: "file", run: () => chooseFiles("archive"), test: "import-archive" },
              { title: "Add a folder", icon: "folder", run: () => chooseFiles("folder"), test: "import-folder" },
            ]}
          />
          <LinkButton href={linkTo("skills", NEW_SKILL)} icon="plus" look="primary" data-test="new-skill">
            New skill
          </LinkButton>
        </div>
        <div class="search-field">
          <Icon name="search" size={16} />
          <input
            type="search"
            placeholder="Search by name or by what a skill is for"
            aria-label="Search skills"
            data-test="search"
            value={query.value}
            onInput={(event) => (query.value = event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "ArrowDown") {
                event.preventDefault();
                document.querySelector<HTMLElement>("[data-test=skill-list] [data-index='0'] a")?.focus();
              }
            }}
          />
        </div>
        <Collections />
      </header>
      {waiting ? null : indexState.value === "failed" && skills.value.length === 0 ? (
        <Empty icon="warning" title="The skills cannot be listed">
          <p>{indexError.value?.message}</p>
          <Button onClick={() => void loadSkills()}>Try again</Button>
        </Empty>
      ) : none ? (
        <FirstSkill />
      ) : found.length === 0 && query.value !== "" ? (
        <Empty icon="search" title="No skill fits">
          <p>
            Try fewer words, <a href={linkTo("registry")}>search the registry</a>, or <a href={linkTo("skills", NEW_SKILL)}>write the skill</a>.
          </p>
        </Empty>
      ) : (
        <>
          {!cards && (
            <div class="skill-columns" aria-hidden="true">
              <span>Skill</span>
              <span>What it is for</span>
              <span>Scope</span>
              <span>Tokens</span>
            </div>
          )}
          <VirtualList
            key={view.value}
            items={found}
            rowHeight={cards ? 132 : 44}
            columnWidth={cards ? 280 : null}
            gap={cards ? 12 : 0}
            label="Skills"
            test="skill-list"
            keyOf={(skill) => skill.id}
            resetKey={`${query.value}\n${collection.value}`}
            render={(skill) => (cards ? <SkillCard skill={skill} /> : <SkillRow skill={skill} />)}
          />
        </>
      )}
    </div>
  );
}
