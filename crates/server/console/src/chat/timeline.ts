// What a chat shows: turns, and in each turn texts, cards and notes in order.

import type { ChatEntry, Question, TurnUsage } from "../api/chat-types";

export interface TextItem {
  kind: "text";
  text: string;
}

export interface ReasoningItem {
  kind: "reasoning";
  text: string;
}

/** Instructions of a skill came into the context without a tool call: a person or a keyword named it. */
export interface ActivationItem {
  kind: "activation";
  id: string;
  by: string;
  bytes: number | null;
  dropped: number;
}

export interface CallItem {
  kind: "call";
  call: string;
  tool: string;
  skill: string | null;
  input: unknown;
  /** The input as the model wrote it, if skills changed it. */
  originalInput: unknown;
  changedBy: readonly string[];
  state: "running" | "done" | "failed";
  milliseconds: number | null;
  bytes: number | null;
  truncated: boolean;
  /** Bytes of instructions that did not fit. */
  dropped: number;
  /** The result; null if the same call gives it again, or while the turn runs. */
  content: string | null;
  /** Why it was refused. */
  refusal: string | null;
}

export interface NoteItem {
  kind: "note";
  tone: "plain" | "warn" | "bad";
  /** A stable word for styles and tests. */
  topic: string;
  text: string;
}

export interface QuestionItem {
  kind: "question";
  question: Question;
  /** The id of the choice; null while it is open. */
  choice: string | null;
  closed: string | null;
}

export type TurnItem = TextItem | ReasoningItem | ActivationItem | CallItem | NoteItem | QuestionItem;

export interface Turn {
  number: number;
  text: string;
  references: readonly string[];
  items: readonly TurnItem[];
  usage: TurnUsage | null;
  /** `pending`: sent, and not confirmed yet. */
  state: "pending" | "running" | "done";
  ending: string | null;
}

export function newTurn(number: number, text: string, state: Turn["state"]): Turn {
  return { number, text, references: [], items: [], usage: null, state, ending: null };
}

export function newCall(call: string, tool: string, input: unknown, skill: string | null): CallItem {
  return {
    kind: "call",
    call,
    tool,
    skill,
    input,
    originalInput: undefined,
    changedBy: [],
    state: "running",
    milliseconds: null,
    bytes: null,
    truncated: false,
    dropped: 0,
    content: null,
    refusal: null,
  };
}

/** A field of a tool's input, if it is text. */
export function inputText(input: unknown, field: string): string | null {
  if (typeof input !== "object" || input === null) return null;
  const value = (input as Record<string, unknown>)[field];
  return typeof value === "string" ? value : null;
}

const CUTS: Record<string, string> = {
  "broke-off": "the connection to the model broke off: this answer is incomplete",
  cancelled: "stopped",
  length: "the answer reached the length limit of the model",
  rounds: "stopped after too many rounds of tool calls",
};

export function cutNote(cut: string): NoteItem {
  return { kind: "note", tone: cut === "cancelled" ? "plain" : "warn", topic: cut, text: CUTS[cut] ?? cut };
}

/** The reference at the start of a message: `pdf-forms` of `/pdf-forms fill this in`. */
function leadingReference(text: string): string | null {
  return /^\/([^\s/][^\s]*)/.exec(text)?.[1] ?? null;
}

/** Saved messages as turns. `isSkill` says whether a reference named a skill. */
export function turnsOf(entries: readonly ChatEntry[], isSkill: (id: string) => boolean): Turn[] {
  const turns: Turn[] = [];
  let items: TurnItem[] = [];
  for (const entry of entries) {
    if (entry.role === "user") {
      items = [];
      const turn: Turn = { ...newTurn(turns.length + 1, entry.text, "done"), references: entry.references ?? [], items };
      turns.push(turn);
      const named = leadingReference(entry.text);
      for (const id of new Set([...(named === null ? [] : [named]), ...turn.references])) {
        if (isSkill(id)) items.push({ kind: "activation", id, by: "user", bytes: null, dropped: 0 });
        else if (id === named) items.push(unresolvedNote(id, []));
      }
      if (entry.run) {
        const { skill, workflow, input, content, is_error } = entry.run;
        items.push({ ...newCall("", workflow, input, skill), state: is_error ? "failed" : "done", content });
      }
    } else if (entry.role === "model") {
      if (entry.text !== "") items.push({ kind: "text", text: entry.text });
      for (const call of entry.calls ?? []) {
        items.push({ ...newCall(call.id, call.tool, call.arguments, inputText(call.arguments, "id")), state: "done" });
      }
      if (entry.cut) items.push(cutNote(entry.cut));
    } else if (entry.role === "tools") {
      for (const reply of entry.replies) {
        const call = items.findLast((it): it is CallItem => it.kind === "call" && it.call === reply.call);
        if (!call) continue;
        call.content = reply.content ?? null;
        call.bytes = reply.content?.length ?? null;
        if (reply.is_error) call.state = "failed";
      }
    } else {
      items.push({
        kind: "note",
        tone: "plain",
        topic: "compacted",
        text: entry.summary ? `Older messages were summarised: ${entry.summary}` : "The model no longer sees the oldest messages",
      });
    }
  }
  return turns;
}

export function unresolvedNote(reference: string, nearest: readonly string[]): NoteItem {
  const hint = nearest.length > 0 ? ` Did you mean ${nearest.map((id) => `/${id}`).join(" or ")}?` : "";
  return { kind: "note", tone: "warn", topic: "treated-as-text", text: `/${reference} is not a skill: treated as text.${hint}` };
}

/** Adds what only the saved messages have to a turn that was watched: the results of tools. */
export function withResults(live: Turn, saved: Turn): Turn {
  const results = saved.items.filter((it): it is CallItem => it.kind === "call");
  const items = live.items.map((item) => {
    if (item.kind !== "call" || item.content !== null) return item;
    const at = results.findIndex((it) => it.call === item.call);
    if (at < 0) return item;
    const [result] = results.splice(at, 1);
    return { ...item, content: result?.content ?? null };
  });
  return { ...live, items };
}
