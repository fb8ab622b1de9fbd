// The list of saved chats, page by page.

import { signal } from "@preact/signals";
import { request, send } from "../api/client";
import type { ChatList, ChatSummary } from "../api/chat-types";
import { tell, tellError } from "../state/toasts";
import { forgetMarks } from "./turn-marks";

const PAGE = 40;
const UNDO_MS = 6000;

export const chats = signal<readonly ChatSummary[]>([]);
export const chatsState = signal<"empty" | "ready" | "failed">("empty");
const next = signal<string | null>(null);
export const hasMoreChats = () => next.value !== null;

/** Chats that are deleted as soon as the undo message is gone. */
const leaving = new Map<string, ReturnType<typeof setTimeout>>();

function visible(list: readonly ChatSummary[]): ChatSummary[] {
  return list.filter((chat) => !leaving.has(chat.id));
}

/** Loads the first page; pages after it stay on the screen. */
export async function loadChats(): Promise<void> {
  try {
    const page = await request<ChatList>(`/api/chats?limit=${PAGE}`);
    const fresh = new Set(page.chats.map((chat) => chat.id));
    const oldest = page.chats.at(-1)?.updated ?? 0;
    const older = page.next === null ? [] : chats.value.filter((chat) => !fresh.has(chat.id) && chat.updated < oldest);
    if (older.length === 0) next.value = page.next;
    chats.value = visible([...page.chats, ...older]);
    chatsState.value = "ready";
  } catch {
    if (chatsState.value === "empty") chatsState.value = "failed";
  }
}

export async function loadOlderChats(): Promise<void> {
  if (next.value === null) return;
  try {
    const page = await request<ChatList>(`/api/chats?limit=${PAGE}&before=${encodeURIComponent(next.value)}`);
    const known = new Set(chats.value.map((chat) => chat.id));
    chats.value = visible([...chats.value, ...page.chats.filter((chat) => !known.has(chat.id))]);
    next.value = page.next;
  } catch (error) {
    tellError(`cannot load older chats: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function deleteNow(id: string, keepalive = false): Promise<void> {
  clearTimeout(leaving.get(id));
  try {
    await send(`/api/chats/${encodeURIComponent(id)}`, { method: "DELETE", keepalive });
    forgetMarks(id);
  } catch (error) {
    tellError(`cannot delete the chat: ${error instanceof Error ? error.message : String(error)}`);
  }
  leaving.delete(id);
  void loadChats();
}

/** Removes a chat from the list; for some seconds that can be undone. */
export function deleteChat(chat: { id: string; title: string }): void {
  leaving.set(
    chat.id,
    setTimeout(() => void deleteNow(chat.id), UNDO_MS),
  );
  chats.value = visible(chats.value);
  tell(`Deleted “${chat.title || "Untitled chat"}”`, {
    title: "Undo",
    run: () => {
      clearTimeout(leaving.get(chat.id));
      leaving.delete(chat.id);
      void loadChats();
    },
  });
}

addEventListener("pagehide", () => {
  for (const id of [...leaving.keys()]) void deleteNow(id, true);
});
