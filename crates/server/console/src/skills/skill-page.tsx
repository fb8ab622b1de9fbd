// One skill: instructions, files, checks, permissions, and what is known about it.

import { useState } from "preact/hooks";
import { isNotFound, messageOf } from "../api/client";
import { fetchCatalog } from "../api/place-api";
import { deleteSkill, fetchDetails, fetchFiles, fetchSkill, setEnabled } from "../api/skill-api";
import type { Skill, SkillDetails } from "../api/types";
import { token } from "../api/token";
import { Markdown } from "../markdown/markdown";
import { saveDraft } from "../state/drafts";
import { go, linkTo, route } from "../state/route";
import { forgetSkill, loadSkills } from "../state/skill-index";
import { tell, tellError } from "../state/toasts";
import { Button, LinkButton } from "../ui/button";
import { CopyButton } from "../ui/copy-button";
import { Dialog } from "../ui/dialog";
import { age, bytes, estimatedTokens, plural } from "../ui/format";
import { Menu } from "../ui/menu";
import { Badge, Empty, Notice, Skeleton, Switch, Tabs, type TabChoice } from "../ui/parts";
import { useResource } from "../ui/use-resource";
import { CheckPanel, VerdictBadge } from "./check-panel";
import { FilePanel } from "./file-panel";
import { LevelBar } from "./level-bar";
import { PermissionPanel } from "./permission-panel";
import { SkillName } from "./skill-row";

const PANELS = ["instructions", "files", "checks", "permissions"] as const;
type Panel = (typeof PANELS)[number];

function Facts({ skill, details }: { skill: Skill; details: SkillDetails | null }) {
  const rows: [string, string][] = [];
  if (details) rows.push(["Source", details.source]);
  if (skill.scope) rows.push(["Scope", skill.scope]);
  if (details?.manifest?.version) rows.push(["Version", details.manifest.version]);
  if (details?.manifest?.types?.length) rows.push(["Types", details.manifest.types.join(", ")]);
  if (details?.manifest?.tools?.length) rows.push(["Tools", details.manifest.tools.join(", ")]);
  if (details?.manifest?.workflows?.length) rows.push(["Workflows", details.manifest.workflows.join(", ")]);
  for (const [name, value] of Object.entries(skill.metadata)) rows.push([name, value]);
  for (const [name, value] of Object.entries(details?.package ?? {})) rows.push([name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " "), typeof value === "string" ? value : JSON.stringify(value)]);
  if (details?.usage) {
    const uses = details.usage.uses ?? details.usage.chats ?? 0;
    rows.push(["Used", uses === 0 ? "in no chat yet" : `${plural(uses, "time")}${details.usage.last ? `, last ${age(details.usage.last)}` : ""}`]);
  }
  rows.push(["Size", bytes(skill.body_bytes)]);
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd dir="auto">{value}</dd>
        </div>
      ))}
      {details?.digest && (
        <div>
          <dt>Digest</dt>
          <dd class="digest">
            <code>{details.digest.slice(0, 19)}…</code>
            <CopyButton text={details.digest} title="Copy digest" />
          </dd>
        </div>
      )}
    </dl>
  );
}

function DeleteDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const remove = () => {
    onClose();
    deleteSkill(id).then(
      () => {
        forgetSkill(id);
        void loadSkills();
        tell(`Deleted ${id}`);
        go(linkTo("skills"));
      },
      (error: unknown) => tellError(`cannot delete ${id}: ${messageOf(error)}`),
    );
  };
  return (
    <Dialog title={`Delete ${id}?`} onClose={onClose}>
      <p>The skill and all of its files are removed from disk. This cannot be undone here.</p>
      <div class="row-end">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" data-test="confirm-delete" onClick={remove}>
          Delete
        </Button>
      </div>
    </Dialog>
  );
}

/** A skill that is off is not served either; the catalog says which of the two it is. */
function SkillMissing({ id, onChange }: { id: string; onChange: () => void }) {
  const catalog = useResource(fetchCatalog, `catalog for ${id}`);
  if (!catalog.value && !catalog.error) return null;
  if (catalog.value?.disabled?.some((it) => it.id === id)) {
    const switchOn = () => {
      setEnabled(id, true).then(
        () => {
          void loadSkills();
          onChange();
        },
        (error: unknown) => tellError(`cannot switch ${id} on: ${messageOf(error)}`),
      );
    };
    return (
      <Empty icon="skills" page title="This skill is off" test="skill-off">
        <p>
          No model is told about <code>{id}</code>.
        </p>
        <Button look="primary" data-test="enable" onClick={switchOn}>
          Switch on
        </Button>
      </Empty>
    );
  }
  return (
    <Empty icon="skills" page title="This skill does not exist any more" test="skill-missing">
      <p>
        <code>{id}</code> was deleted, perhaps in another tab.
      </p>
      <LinkButton href={linkTo("skills")}>All skills</LinkButton>
    </Empty>
  );
}

export function SkillPage({ id }: { id: string }) {
  const skill = useResource((signal) => fetchSkill(id, signal), `skill ${id}`);
  const details = useResource((signal) => fetchDetails(id, signal), `details ${id}`);
  const files = useResource((signal) => fetchFiles(id, signal), `files ${id}`);
  const panel = PANELS.find((it) => it === route.value.part) ?? "instructions";
  const setPanel = (next: Panel) => go(linkTo("skills", id, next === "instructions" ? undefined : next), "replace");
  const setFile = (path: string) => go(linkTo("skills", id, "files", path), "replace");
  const [deleting, setDeleting] = useState(false);

  if (skill.error && isNotFound(skill.error) && details.value === null) {
    const reload = () => {
      skill.reload();
      details.reload();
      files.reload();
    };
    return <SkillMissing id={id} onChange={reload} />;
  }
  if (skill.error && !skill.value && details.value === null) {
    return (
      <Empty icon="warning" page title="This skill cannot be shown">
        <p>{skill.error.message}</p>
        <Button onClick={skill.reload}>Try again</Button>
      </Empty>
    );
  }
  const known = details.value;
  const enabled = known?.enabled !== false;
  const canWrite = token.value !== null && known?.writable !== false;
  const problems = known?.diagnostics ?? [];
  const findings = known?.audit?.findings ?? [];
  const list = files.value?.files ?? [];
  const tabs: TabChoice<Panel>[] = [
    { id: "instructions", title: "Instructions" },
    { id: "files", title: "Files", count: list.length },
    {
      id: "checks",
      title: "Checks",
      count: problems.length + findings.length,
      tone: problems.some((it) => it.severity === "error") || findings.length > 0 ? "bad" : "warn",
    },
    { id: "permissions", title: "Permissions", count: known?.manifest?.permissions?.length ?? 0 },
  ];
  const toggle = (on: boolean) => {
    if (!known) return;
    details.set({ ...known, enabled: on });
    setEnabled(id, on).then(
      () => {
        tell(`${id} is ${on ? "on" : "off"}`);
        void loadSkills();
      },
      (error: unknown) => {
        details.reload();
        tellError(`cannot switch ${id}: ${messageOf(error)}`);
      },
    );
  };
  const use = () => {
    saveDraft("chat.new", `/${id} `);
    go(linkTo("chat"));
  };
  return (
    <div class="skill-page page-scroll">
      <p class="crumbs">
        <a href={linkTo("skills")}>Skills</a>
      </p>
      <header class="skill-head">
        <div>
          <h1>
            <SkillName id={id} />
          </h1>
          <p class="lead" dir="auto">
            {skill.value?.description}
          </p>
          <p class="badges">
            {!enabled && <Badge tone="warn">off</Badge>}
            {known?.audit && <VerdictBadge verdict={known.audit.verdict} />}
            {known && !known.writable && <Badge>read-only</Badge>}
            {known?.manifest && <Badge tone="accent">code skill</Badge>}
          </p>
        </div>
        <div class="skill-actions">
          <Button look="primary" icon="chat" data-test="use-in-chat" onClick={use}>
            Use in a chat
          </Button>
          {canWrite && (
            <LinkButton href={linkTo("skills", id, "edit")} icon="edit" data-test="edit-skill">
              Edit
            </LinkButton>
          )}
          <Menu
            title="More about this skill"
            test="skill-menu"
            items={[
              ...(known?.evals ? [{ title: "Run evals", icon: "evals" as const, run: () => go(linkTo("evals", id)), test: "run-evals" }] : []),
              { title: "Publish", icon: "upload" as const, run: () => go(linkTo("registry", "+publish", id)), test: "publish-skill" },
              ...(canWrite ? [{ title: "Delete", icon: "trash" as const, danger: true, run: () => setDeleting(true), test: "delete-skill" }] : []),
            ]}
          />
        </div>
      </header>
      <div class="skill-body">
        <div class="skill-main">
          <Tabs label="Parts of the skill" tabs={tabs} value={panel} onChange={setPanel} />
          <div role="tabpanel" aria-label={panel} class="panel">
            {panel === "instructions" &&
              (skill.value ? (
                <Markdown
                  text={skill.value.body}
                  base={2}
                  resolve={(path) => {
                    const plain = path.replace(/^\.\//, "").replace(/[?#].*$/, "");
                    return list.some((it) => it.path === plain) ? linkTo("skills", id, "files", plain) : null;
                  }}
                />
              ) : skill.error ? (
                <Notice tone="warn" title="The skill is off">
                  <p>Switch it on to read its instructions.</p>
                </Notice>
              ) : (
                <Skeleton lines={8} />
              ))}
            {panel === "files" && <FilePanel id={id} files={list} findings={findings} chosen={route.value.rest} onChoose={setFile} />}
            {panel === "checks" && <CheckPanel id={id} diagnostics={problems} audit={known?.audit ?? null} />}
            {panel === "permissions" && <PermissionPanel id={id} manifest={known?.manifest ?? null} />}
          </div>
        </div>
        <aside class="skill-aside" aria-label="About this skill">
          {known && <Switch on={enabled} label={enabled ? "On" : "Off"} onChange={toggle} test="enabled-switch" />}
          <h2>Tokens</h2>
          {known ? <LevelBar tokens={known.tokens} /> : skill.value ? <LevelBar tokens={estimate(skill.value, list.reduce((sum, it) => sum + it.size, 0))} /> : <Skeleton />}
          <h2>About</h2>
          {skill.value ? <Facts skill={skill.value} details={known} /> : known ? null : <Skeleton />}
        </aside>
      </div>
      {deleting && <DeleteDialog id={id} onClose={() => setDeleting(false)} />}
    </div>
  );
}

/** Figures for a server that gives none. */
function estimate(skill: Skill, fileBytes: number) {
  return {
    catalog: estimatedTokens(skill.id.length + skill.description.length),
    instructions: estimatedTokens(skill.body_bytes),
    files: estimatedTokens(fileBytes),
  };
}
