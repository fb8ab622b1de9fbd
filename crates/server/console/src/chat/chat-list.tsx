// The saved chats beside the conversation.

import { useState } from "preact/hooks";
import type { ChatSummary } from "../api/chat-types";
import { linkTo, route } from "../state/route";
import { Button, LinkButton } from "../ui/button";
import { age, count, plural } from "../ui/format";
import { Skeleton } from "../ui/parts";
import { chats, chatsState, hasMoreChats, loadOlderChats } from "./chat-list-state";

const DAY = 86_400;

function groupOf(chat: ChatSummary, now: number): string {
  const midnight = new Date();
  midnight.setHours(0, 0, 0, 0);
  const start = midnight.getTime() / 1000;
  if (chat.updated >= start) return "Today";
  if (chat.updated >= start - DAY) return "Yesterday";
  return now - chat.updated < 7 * DAY ? "This week" : "Older";
}

function ChatTitle({ title }: { title: string }) {
  return <>{title || "New chat"}</>;
}

function Row({ chat }: { chat: ChatSummary }) {
  const current = route.value.id === chat.id;
  return (
    <li>
      <a class="chat-row" href={linkTo("chat", chat.id)} aria-current={current ? "page" : undefined} data-test="chat-row" data-id={chat.id}>
        <span class="chat-row-title" dir="auto">
          <ChatTitle title={chat.title} />
        </span>
        <span class="chat-row-facts">
          {age(chat.updated)} · {plural(chat.turns, "turn")} · {count(chat.input_tokens + chat.output_tokens)} tokens
        </span>
      </a>
    </li>
  );
}

export function ChatListPanel() {
  const [filter, setFilter] = useState("");
  const now = Date.now() / 1000;
  const wanted = filter.trim().toLowerCase();
  const list = wanted === "" ? chats.value : chats.value.filter((chat) => chat.title.toLowerCase().includes(wanted));
  const groups = Map.groupBy(list, (chat) => groupOf(chat, now));
  return (
    <aside class="chat-list" aria-label="Chats">
      <div class="chat-list-head">
        <LinkButton href={linkTo("chat")} icon="plus" data-test="new-chat">
          New chat
        </LinkButton>
        <input type="search" placeholder="Filter chats" aria-label="Filter chats" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
      </div>
      <nav class="chat-list-scroll" aria-label="Saved chats">
        {chatsState.value === "empty" && <Skeleton lines={5} />}
        {[...groups].map(([title, members]) => (
          <section key={title} aria-label={title}>
            <h2 class="group-title">{title}</h2>
            <ul>
              {members.map((chat) => (
                <Row key={chat.id} chat={chat} />
              ))}
            </ul>
          </section>
        ))}
        {chatsState.value === "ready" && list.length === 0 && <p class="quiet-text">{wanted ? "No chat has this in its title." : "Your chats are listed here."}</p>}
        {wanted === "" && hasMoreChats() && (
          <Button small data-test="older-chats" onClick={() => void loadOlderChats()}>
            Older chats
          </Button>
        )}
      </nav>
    </aside>
  );
}
