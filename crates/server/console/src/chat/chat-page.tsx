// The chat area: saved chats, and the one that is open.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError, messageOf, request, send } from "../api/client";
import type { Chat } from "../api/chat-types";
import { connection, onReconnect } from "../api/connection";
import { token } from "../api/token";
import { loadDraft, saveDraft } from "../state/drafts";
import { chatAccess } from "../state/model";
import { go, linkTo, route } from "../state/route";
import { tell, tellError } from "../state/toasts";
import { Button } from "../ui/button";
import { Empty, Skeleton } from "../ui/parts";
import { TokenForm } from "../shell/token-form";
import { ActiveSkills } from "./active-skills";
import { ChatHeader } from "./chat-header";
import { ChatListPanel } from "./chat-list";
import { loadChats } from "./chat-list-state";
import { Composer } from "./composer";
import { Conversation } from "./conversation";
import { LiveChat } from "./live-chat";
import { FirstSteps } from "./first-steps";
import type { TurnActions } from "./turn-view";

/** A chat that is not created yet. */
const NEW = "new";
/** Undoing many turns one by one takes too long. */
const FORK_DEPTH = 50;

/** Chats that this tab created and did not open yet. */
const created = new Map<string, Chat>();

function useLiveChat(id: string | null): LiveChat | null {
  const chat = useMemo(() => (id === null ? null : new LiveChat(id, () => void loadChats(), created.get(id))), [id]);
  useEffect(() => {
    if (id !== null) created.delete(id);
    return () => chat?.close();
  }, [chat]);
  const used = token.value;
  const first = useRef(used);
  useEffect(() => {
    if (first.current !== used && used !== null) void chat?.load();
    first.current = used;
  }, [used]);
  return chat;
}

async function forkAt(id: string, undone: number): Promise<string> {
  const copy = await request<Chat>(`/api/chats/${encodeURIComponent(id)}/fork`, { method: "POST" });
  for (let turn = 0; turn < undone; turn++) await request(`/api/chats/${encodeURIComponent(copy.id)}/undo`, { method: "POST" });
  return copy.id;
}

function explain(error: unknown, what: string): void {
  if (error instanceof ApiError && error.status === 401) return;
  tellError(`cannot ${what}: ${messageOf(error)}`);
}

function ChatView({ id }: { id: string | null }) {
  const chat = useLiveChat(id);
  const field = useRef<HTMLTextAreaElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const draftKey = `chat.${id ?? NEW}`;
  const [text, setText] = useState(() => loadDraft(draftKey) ?? "");
  const [editing, setEditing] = useState<number | null>(null);
  useEffect(() => {
    setText(loadDraft(draftKey) ?? "");
    setEditing(null);
    // On a phone the keyboard would cover the page.
    if (!matchMedia("(pointer: coarse)").matches) field.current?.focus({ preventScroll: true });
  }, [id]);

  const turns = chat?.turns.value ?? [];
  const running = chat?.running.value ?? false;

  const put = (value: string) => {
    setText(value);
    field.current?.focus();
  };

  const sendText = async () => {
    const message = text;
    if (message.trim() === "") return;
    setText("");
    try {
      if (chat) await chat.send(message);
      else {
        const made = await request<Chat>("/api/chats", { method: "POST", json: {} });
        await send(`/api/chats/${encodeURIComponent(made.id)}/messages`, { method: "POST", json: { text: message } });
        created.set(made.id, made);
        go(linkTo("chat", made.id), "replace");
        void loadChats();
      }
    } catch (error) {
      // Nothing that was typed is lost.
      setText((now) => (now === "" ? message : now));
      explain(error, "send the message");
    }
  };

  const actions = useMemo<TurnActions>(
    () => ({
      answer: async (question, choice) => {
        try {
          await chat?.answer(question, choice);
        } catch (error) {
          explain(error, "answer");
          throw error;
        }
      },
      retry: () => {
        const last = chat?.turns.value.at(-1);
        if (last) chat?.resend(last.text).catch((error: unknown) => explain(error, "retry"));
      },
      resend: (message) => {
        setEditing(null);
        chat?.resend(message).catch((error: unknown) => {
          setText((now) => (now === "" ? message : now));
          explain(error, "send the message");
        });
      },
      fork: (turn) => {
        if (!chat) return;
        const undone = chat.turns.value.length - turn;
        if (undone > FORK_DEPTH) return void tellError(`cannot fork from here: more than ${FORK_DEPTH} turns follow`);
        forkAt(chat.id, undone).then(
          (copy) => {
            void loadChats();
            go(linkTo("chat", copy));
            tell("This is a copy: the other chat stays as it is");
          },
          (error: unknown) => explain(error, "fork the chat"),
        );
      },
    }),
    [chat],
  );

  if (chat?.status.value === "missing" || chat?.status.value === "deleted") {
    return (
      <Empty icon="chat" page title="This chat does not exist any more" test="chat-missing">
        <p>It was deleted, perhaps in another tab.</p>
        {text !== "" && <p>What you typed is kept for a new chat.</p>}
        <Button
          look="primary"
          onClick={() => {
            if (text !== "") saveDraft(`chat.${NEW}`, text);
            go(linkTo("chat"));
          }}
        >
          New chat
        </Button>
      </Empty>
    );
  }
  return (
    <div class="chat-view">
      {chat && <ChatHeader chat={chat} />}
      {!chat || (chat.status.value === "ready" && turns.length === 0) ? (
        <FirstSteps onTry={put} />
      ) : chat.status.value === "loading" ? (
        <div class="conversation-scroll">
          <div class="conversation">
            <Skeleton lines={4} />
          </div>
        </div>
      ) : chat.status.value === "failed" ? (
        <Empty icon="warning" title="This chat cannot be shown">
          <p>{chat.error.value}</p>
          <Button onClick={() => void chat.load()}>Try again</Button>
        </Empty>
      ) : (
        <Conversation chat={chat.id} turns={turns} actions={actions} editing={editing} onEdit={setEditing} scroller={scroller} />
      )}
      <div class="composer-area">
        <ActiveSkills ids={chat?.active.value ?? []} turns={turns} />
        <Composer
          key={draftKey}
          field={field}
          draftKey={draftKey}
          text={text}
          onText={setText}
          running={running}
          disabled={connection.value === "lost" && running}
          onSend={() => void sendText()}
          onStop={() => void chat?.stop().catch((error: unknown) => explain(error, "stop"))}
          onEditLast={() => {
            if (!running && turns.length > 0) setEditing(turns.length);
          }}
        />
      </div>
    </div>
  );
}

export function ChatPage() {
  const access = chatAccess.value;
  const used = token.value;
  useEffect(() => {
    if (used !== null) void loadChats();
    return onReconnect(() => void loadChats());
  }, [used]);
  if (access === "token-needed" || access === "scope-needed" || access === "not-offered") {
    return <TokenForm purpose="chat" />;
  }
  return (
    <div class={route.value.id === null ? "chat-page at-list" : "chat-page"}>
      <ChatListPanel />
      <ChatView id={route.value.id} />
    </div>
  );
}
