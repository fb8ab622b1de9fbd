// What the events of a turn said and saved messages do not have: tokens, times, sizes. This browser remembers them.

import type { TurnUsage } from "../api/chat-types";
import type { CallItem, Turn } from "./timeline";

const PREFIX = "prowess.turns.";
const CHATS = 40;

interface CallMark {
  call: string;
  ms: number | null;
  bytes: number | null;
  truncated: boolean;
  dropped: number;
  changedBy: readonly string[];
}

interface TurnMark {
  /** The start of the message: an undo may have put another turn in this place. */
  text: string;
  usage: TurnUsage | null;
  calls: CallMark[];
  activations: Record<string, { by: string; bytes: number | null; dropped: number }>;
}

type Marks = Record<string, TurnMark>;

function read(chat: string): Marks {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + chat) ?? "{}") as Marks;
  } catch {
    return {};
  }
}

function forgetOldest(): void {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
  for (const key of keys.slice(0, Math.max(0, keys.length - CHATS))) localStorage.removeItem(key);
}

export function saveMarks(chat: string, turn: Turn): void {
  const mark: TurnMark = { text: turn.text.slice(0, 60), usage: turn.usage, calls: [], activations: {} };
  for (const item of turn.items) {
    if (item.kind === "activation") mark.activations[item.id] = { by: item.by, bytes: item.bytes, dropped: item.dropped };
    if (item.kind !== "call") continue;
    const { call, milliseconds: ms, bytes, truncated, dropped, changedBy } = item;
    mark.calls.push({ call, ms, bytes, truncated, dropped, changedBy });
  }
  try {
    forgetOldest();
    localStorage.setItem(PREFIX + chat, JSON.stringify({ ...read(chat), [turn.number]: mark }));
  } catch {
    // Storage is full or off: the marks are only for display.
  }
}

export function forgetMarks(chat: string): void {
  try {
    localStorage.removeItem(PREFIX + chat);
  } catch {
    // Nothing is stored then.
  }
}

function marked(item: CallItem, marks: CallMark[]): CallItem {
  const at = marks.findIndex((it) => it.call === item.call);
  const mark = marks[at];
  if (!mark) return item;
  marks.splice(at, 1);
  return { ...item, milliseconds: mark.ms, bytes: mark.bytes, truncated: mark.truncated, dropped: mark.dropped, changedBy: mark.changedBy };
}

export function withMarks(chat: string, turns: readonly Turn[]): Turn[] {
  const marks = read(chat);
  return turns.map((turn) => {
    const mark = marks[turn.number];
    if (!mark || mark.text !== turn.text.slice(0, 60)) return turn;
    const calls = [...mark.calls];
    const items = turn.items.map((item) => {
      if (item.kind === "activation") return { ...item, ...mark.activations[item.id] };
      return item.kind === "call" ? marked(item, calls) : item;
    });
    return { ...turn, usage: mark.usage, items };
  });
}
