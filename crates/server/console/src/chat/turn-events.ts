// Applies the events of a running turn to what is shown of it.

import type { ChatEvent } from "../api/chat-types";
import { cutNote, newCall, unresolvedNote, type CallItem, type NoteItem, type Turn, type TurnItem } from "./timeline";

function note(tone: NoteItem["tone"], topic: string, text: string): NoteItem {
  return { kind: "note", tone, topic, text };
}

/** Replaces the last item that fits; returns false if there is none. */
function replaceLast(items: TurnItem[], fits: (item: TurnItem) => boolean, change: (item: TurnItem) => TurnItem): boolean {
  const at = items.findLastIndex(fits);
  const item = items[at];
  if (!item) return false;
  items[at] = change(item);
  return true;
}

function changeCall(items: TurnItem[], call: string, change: (item: CallItem) => Partial<CallItem>): boolean {
  return replaceLast(
    items,
    (it) => it.kind === "call" && it.call === call,
    (it) => ({ ...(it as CallItem), ...change(it as CallItem) }),
  );
}

/** A refusal belongs to the call that runs for the skill, or stands alone. */
function refuse(items: TurnItem[], skill: string, topic: string, reason: string): void {
  const found = replaceLast(
    items,
    (it) => it.kind === "call" && it.state === "running" && (it.skill === skill || it.skill === null),
    (it) => ({ ...(it as CallItem), refusal: reason }),
  );
  if (!found) items.push(note("bad", topic, `${skill}: ${reason}`));
}

function appendText(items: TurnItem[], kind: "text" | "reasoning", delta: string): void {
  const last = items.at(-1);
  if (last?.kind === kind) items[items.length - 1] = { kind, text: last.text + delta };
  else items.push({ kind, text: delta });
}

/** The answer that counts replaces the text after the last tool call. */
function replaceText(items: TurnItem[], text: string): void {
  if (!replaceLast(items, (it) => it.kind === "text", () => ({ kind: "text", text }))) items.push({ kind: "text", text });
}

/** Why there is no complete answer; a failure was reported before. */
function endNote(ending: string): NoteItem | null {
  if (ending === "too-many-rounds") return cutNote("rounds");
  if (ending === "filtered") return note("warn", "filtered", "the provider blocked the answer");
  return ending === "cancelled" || ending === "length" ? cutNote(ending) : null;
}

function applyToItems(items: TurnItem[], event: ChatEvent): void {
  switch (event.type) {
    case "text":
    case "reasoning":
      return appendText(items, event.type, event.delta);
    case "replaced":
      return replaceText(items, event.text);
    case "notice":
      // The card of the skill says the same.
      if (!/^skill \S+ loaded$/.test(event.text)) items.push(note("plain", "notice", event.text));
      return;
    case "skill-loaded": {
      const loading = (it: TurnItem) => it.kind === "call" && it.tool === "load_skill" && it.skill === event.id && it.state === "running";
      const found = replaceLast(items, loading, (it) => ({ ...(it as CallItem), bytes: event.bytes, dropped: event.dropped_bytes }));
      if (!found) items.push({ kind: "activation", id: event.id, by: event.by, bytes: event.bytes, dropped: event.dropped_bytes });
      return;
    }
    case "skill-already-active":
      items.push(note("plain", event.type, `${event.id} is already active`));
      return;
    case "skill-unresolved":
      items.push(unresolvedNote(event.reference, event.nearest));
      return;
    case "skill-failed":
    case "activation-failed":
      items.push(note("bad", event.type, `cannot activate ${event.id}: ${event.reason}`));
      return;
    case "tool-started":
      items.push(newCall(event.call, event.tool, event.arguments, event.skill ?? null));
      return;
    case "tool-finished":
      changeCall(items, event.call, (it) => ({
        state: event.is_error ? "failed" : "done",
        milliseconds: event.duration_ms,
        bytes: it.tool === "load_skill" && it.bytes !== null ? it.bytes : event.bytes,
        truncated: event.truncated,
        skill: event.skill ?? it.skill,
      }));
      return;
    case "tool-input-changed":
      changeCall(items, event.call, (it) => ({
        input: event.arguments,
        originalInput: it.originalInput === undefined ? it.input : it.originalInput,
        changedBy: event.changed_by,
      }));
      return;
    case "tool-cancelled": {
      const refusal = `${event.skill} did not allow it: ${event.reason}`;
      if (!changeCall(items, event.call, () => ({ state: "failed", refusal }))) {
        items.push(note("bad", event.type, `${event.tool}: ${refusal}`));
      }
      return;
    }
    case "tool-not-allowed":
      items.push(note("bad", event.type, `${event.tool} is not allowed by the active skills`));
      return;
    case "access-denied":
      return refuse(items, event.id, event.type, `refused to read ${event.path}: it is outside of the skill`);
    case "permission-denied":
      return refuse(items, event.id, event.type, `${event.call} is not permitted: ${event.reason}`);
    case "skill-state":
      if (event.to === "failed") items.push(note("bad", event.type, `${event.id} failed${event.reason ? `: ${event.reason}` : ""}`));
      return;
    case "skill-trouble":
      items.push(note("warn", event.type, `${event.id}: ${event.reason}`));
      return;
    case "skill-log":
      items.push(note("plain", event.type, `${event.id}: ${event.message}`));
      return;
    case "catalog-cut":
      items.push(note("plain", event.type, `${event.shortened + event.undescribed + event.omitted} of ${event.total} skills are shortened or left out of the prompt`));
      return;
    case "prompt-cut":
      items.push(note("warn", event.type, `${event.id ?? "a skill"}: about ${event.tokens} tokens did not fit into the prompt`));
      return;
    case "compacted":
      items.push(note("plain", event.type, `Older messages were ${event.summarised ? "summarised" : "removed"}: ${event.tokens_before} to ${event.tokens_after} tokens`));
      return;
    case "retry":
      items.push(note("warn", event.type, `Attempt ${event.attempt} of ${event.of} in ${Math.round(event.wait_ms / 100) / 10} s: ${event.reason}`));
      return;
    case "question": {
      const { type: _, turn: __, ...question } = event;
      const known = replaceLast(items, (it) => it.kind === "question" && it.question.id === question.id, (it) => it);
      if (!known) items.push({ kind: "question", question, choice: null, closed: null });
      return;
    }
    case "question-answered":
      replaceLast(
        items,
        (it) => it.kind === "question" && it.question.id === event.id,
        (it) => (it.kind === "question" ? { ...it, choice: event.choice, closed: event.reason } : it),
      );
      return;
    case "failed":
      items.push(note("bad", event.type, event.reason));
      return;
    case "not-saved":
      items.push(note("bad", event.type, `this turn was not saved: ${event.reason}`));
      return;
    case "saved":
      replaceLast(
        items,
        (it) => it.kind === "note" && it.topic === "not-saved",
        () => note("plain", event.type, "this turn is saved now"),
      );
      return;
    default:
      return;
  }
}

/** The turn after some events. Items that did not change are the same objects. */
export function applyEvents(turn: Turn, events: readonly ChatEvent[]): Turn {
  const next: Turn = { ...turn };
  const items = [...turn.items];
  for (const event of events) {
    if (event.type === "turn-started") next.state = "running";
    else if (event.type === "user-message") {
      next.text = event.text;
      next.references = event.references;
    } else if (event.type === "usage") next.usage = event;
    else if (event.type === "turn-finished") {
      next.state = "done";
      next.ending = event.ending;
      const end = endNote(event.ending);
      if (end) items.push(end);
    } else applyToItems(items, event);
  }
  next.items = items;
  return next;
}
