// Cards: what the model and its skills did.

import type { ComponentChildren } from "preact";
import { encodeId, encodePath, request, requestText } from "../api/client";
import type { Skill } from "../api/types";
import { skillsById } from "../state/skill-index";
import { linkTo } from "../state/route";
import { sourceOf } from "../state/skill-sources";
import { CopyButton } from "../ui/copy-button";
import { bytes, duration } from "../ui/format";
import { Icon, type IconName } from "../ui/icon";
import { Badge, Fold, Skeleton } from "../ui/parts";
import { useResource } from "../ui/use-resource";
import { LongText } from "./long-text";
import { inputText, type ActivationItem, type CallItem } from "./timeline";

interface CardProps {
  kind: string;
  icon: IconName;
  title: ComponentChildren;
  facts: readonly (string | null)[];
  badges?: ComponentChildren;
  state?: CallItem["state"];
  children?: ComponentChildren;
}

function Card({ kind, icon, title, facts, badges, state = "done", children }: CardProps) {
  const shown = facts.filter((it): it is string => it !== null);
  return (
    <section class={`card ${state}`} data-test={`card-${kind}`} data-state={state}>
      <header>
        <span class="card-icon">
          <Icon name={state === "failed" ? "refuse" : icon} size={16} />
        </span>
        <span class="card-title">{title}</span>
        {badges}
        <span class="card-facts">
          {state === "running" ? <span class="working">working</span> : null}
          {shown.join(" · ")}
        </span>
      </header>
      {children}
    </section>
  );
}

/** Text that is fetched when its fold is opened. */
function Fetched({ load, resourceKey }: { load: (signal: AbortSignal) => Promise<string>; resourceKey: string }) {
  const text = useResource(load, resourceKey);
  if (text.value !== null) return <LongText text={text.value} />;
  if (text.error) return <p class="bad-text">cannot show it: {text.error.message}</p>;
  return <Skeleton />;
}

function loadBody(id: string) {
  return async (signal?: AbortSignal) => {
    const skill = await request<Skill>(`/api/skills/${encodeId(id)}`, signal ? { signal } : {});
    return `<skill id="${id}">\n${skill.body}\n</skill>`;
  };
}

const WHO: Record<string, string> = { user: "by you", model: "by the model", keyword: "by a keyword" };

interface ActivationProps {
  id: string;
  by: string;
  size: number | null;
  dropped: number;
  call?: CallItem;
}

function Activation({ id, by, size, dropped, call }: ActivationProps) {
  const skill = skillsById.value.get(id);
  const state = call?.state ?? "done";
  const source = sourceOf(id);
  const shownSize = size ?? skill?.body_bytes ?? null;
  const refusal = call ? refusalOf(call) : null;
  return (
    <Card
      kind="activation"
      icon="skills"
      state={state}
      title={
        <>
          Skill <a href={linkTo("skills", id)}>{id}</a> {state === "failed" ? "was not activated" : state === "running" ? "is activated" : "activated"}
        </>
      }
      facts={[WHO[by] ?? by, source === null ? (skill?.scope ?? null) : `from ${source}`, shownSize === null ? null : bytes(shownSize), call?.milliseconds == null ? null : duration(call.milliseconds)]}
      badges={dropped > 0 ? <Badge tone="warn">truncated: {bytes(dropped)} left out</Badge> : undefined}
    >
      {refusal && <Refusal text={refusal} />}
      {state === "done" && (
        <div class="card-folds">
          <Fold title="Instructions" test="card-body">
            {() => <Fetched load={loadBody(id)} resourceKey={`body ${id}`} />}
          </Fold>
          <CopyButton text={loadBody(id)} title="Copy instructions" />
        </div>
      )}
    </Card>
  );
}

export function ActivationCard({ item }: { item: ActivationItem }) {
  return <Activation id={item.id} by={item.by} size={item.bytes} dropped={item.dropped} />;
}

/** Errors of tools are JSON for the model; people read the message in it. */
function errorText(content: string): string {
  try {
    const value = JSON.parse(content) as { error?: { message?: unknown } };
    return typeof value.error?.message === "string" ? value.error.message : content;
  } catch {
    return content;
  }
}

function refusalOf(call: CallItem): string | null {
  if (call.state === "failed" && call.content !== null) return errorText(call.content);
  return call.refusal;
}

function Refusal({ text }: { text: string }) {
  return (
    <div class="refusal" data-test="refusal">
      <LongText text={text} />
    </div>
  );
}

function FileReadCard({ call, id, path }: { call: CallItem; id: string; path: string }) {
  const refusal = refusalOf(call);
  const load = async (signal?: AbortSignal) => {
    if (call.content !== null) return call.content;
    return (await requestText(`/api/skills/${encodeId(id)}/files/${encodePath(path)}`, signal ? { signal } : {})).text;
  };
  return (
    <Card
      kind="file"
      icon="file"
      state={call.state}
      title={
        <>
          {call.state === "failed" ? "Did not read" : "Read"} <code dir="ltr">{path}</code> of <a href={linkTo("skills", id)}>{id}</a>
        </>
      }
      facts={[call.bytes === null || refusal !== null ? null : bytes(call.bytes), call.milliseconds === null ? null : duration(call.milliseconds)]}
      badges={call.truncated ? <Badge tone="warn">truncated</Badge> : undefined}
    >
      {refusal !== null ? (
        <Refusal text={refusal} />
      ) : (
        call.state === "done" && (
          <div class="card-folds">
            <Fold title="Content" test="card-body">
              {() => <Fetched load={load} resourceKey={`file ${id} ${path} ${call.content === null}`} />}
            </Fold>
            <CopyButton text={load} title="Copy content" />
          </div>
        )
      )}
    </Card>
  );
}

export function formatted(value: unknown): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value, null, 2) ?? "";
}

function ToolCard({ call }: { call: CallItem }) {
  const refusal = refusalOf(call);
  const input = formatted(call.input);
  const result = call.content;
  return (
    <Card
      kind="tool"
      icon="tool"
      state={call.state}
      title={
        <>
          <code dir="ltr">{call.tool}</code>
          {call.skill && (
            <>
              {" "}
              of <a href={linkTo("skills", call.skill)}>{call.skill}</a>
            </>
          )}
        </>
      }
      facts={[call.bytes === null ? null : bytes(call.bytes), call.milliseconds === null ? null : duration(call.milliseconds)]}
      badges={
        <>
          {call.changedBy.length > 0 && (
            <Badge tone="warn" title="A skill changed the input before the call">
              changed by {call.changedBy.join(", ")}
            </Badge>
          )}
          {call.truncated && <Badge tone="warn">truncated</Badge>}
        </>
      }
    >
      {refusal !== null && <Refusal text={refusal} />}
      <div class="card-folds">
        {input !== "" && input !== "{}" && (
          <Fold title="Input" test="card-input">
            {() => (
              <>
                {call.originalInput !== undefined && <LongText label="As the model wrote it" text={formatted(call.originalInput)} />}
                <LongText {...(call.originalInput !== undefined ? { label: `Changed by ${call.changedBy.join(", ")}` } : {})} text={input} copy />
              </>
            )}
          </Fold>
        )}
        {result !== null && refusal === null && (
          <Fold title="Result" test="card-result">
            {() => <LongText text={result} copy />}
          </Fold>
        )}
      </div>
    </Card>
  );
}

export function CallCard({ call }: { call: CallItem }) {
  const id = inputText(call.input, "id") ?? call.skill;
  if (call.tool === "load_skill" && id !== null) return <Activation id={id} by="model" size={call.bytes} dropped={call.dropped} call={call} />;
  const path = inputText(call.input, "path");
  if (call.tool === "read_skill_file" && id !== null && path !== null) return <FileReadCard call={call} id={id} path={path} />;
  return <ToolCard call={call} />;
}
