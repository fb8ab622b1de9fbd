// A chat as a file.

import { request } from "../api/client";
import type { Chat } from "../api/chat-types";
import { formatted } from "./cards";
import { turnsOf } from "./timeline";

function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((it) => it[0].length));
  const mark = "`".repeat(longest + 1);
  return `${mark}\n${text}\n${mark}`;
}

function markdownOf(chat: Chat): string {
  const lines = [`# ${chat.title || "Chat"}`, ""];
  if (chat.model) lines.push(`Model: ${chat.model}`, "");
  for (const turn of turnsOf(chat.entries, () => false)) {
    lines.push("## You", "", turn.text, "");
    for (const item of turn.items) {
      if (item.kind === "text") lines.push("## Model", "", item.text, "");
      if (item.kind === "call") {
        lines.push(`**${item.tool}**`, "", fence(formatted(item.input)), "");
        if (item.content !== null) lines.push(fence(item.content), "");
      }
    }
  }
  return lines.join("\n");
}

export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function fileName(title: string): string {
  return title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 60) || "chat";
}

export async function exportChat(id: string, format: "md" | "json"): Promise<void> {
  const chat = await request<Chat>(`/api/chats/${encodeURIComponent(id)}`);
  const name = `${fileName(chat.title)}.${format}`;
  if (format === "json") download(name, "application/json", `${JSON.stringify(chat, null, 2)}\n`);
  else download(name, "text/markdown", markdownOf(chat));
}
