// The title of a chat, and what can be done with the whole chat.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../api/client";
import { go, linkTo } from "../state/route";
import { tellError } from "../state/toasts";
import { IconButton } from "../ui/button";
import { Menu } from "../ui/menu";
import { deleteChat } from "./chat-list-state";
import { exportChat } from "./export";
import type { LiveChat } from "./live-chat";

function TitleForm({ title, onDone }: { title: string; onDone: (title: string | null) => void }) {
  const [value, setValue] = useState(title);
  const field = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const finish = (result: string | null) => {
    if (done.current) return;
    done.current = true;
    onDone(result);
  };
  return (
    <form
      class="title-form"
      onSubmit={(event) => {
        event.preventDefault();
        finish(value.trim() || null);
      }}
    >
      <input
        ref={field}
        value={value}
        aria-label="Title of the chat"
        data-test="title-field"
        maxLength={200}
        onInput={(event) => setValue(event.currentTarget.value)}
        onBlur={() => finish(value.trim() || null)}
        onKeyDown={(event) => {
          if (event.key === "Escape") finish(null);
        }}
      />
    </form>
  );
}

export function ChatHeader({ chat }: { chat: LiveChat }) {
  const [renaming, setRenaming] = useState(false);
  const title = chat.title.value || chat.turns.value[0]?.text.slice(0, 80) || "New chat";
  const rename = (value: string | null) => {
    setRenaming(false);
    if (value === null || value === title) return;
    chat.rename(value).catch((error: unknown) => tellError(`cannot rename the chat: ${messageOf(error)}`));
  };
  const save = (format: "md" | "json") => {
    exportChat(chat.id, format).catch((error: unknown) => tellError(`cannot export the chat: ${messageOf(error)}`));
  };
  return (
    <header class="chat-head">
      <a class="only-narrow back-link" href={linkTo("chat")} aria-label="All chats">
        ‹
      </a>
      {renaming ? (
        <TitleForm title={title} onDone={rename} />
      ) : (
        <h1 dir="auto" data-test="chat-title">
          {title}
        </h1>
      )}
      <div class="chat-head-actions">
        <IconButton icon="edit" title="Rename" data-test="rename" onClick={() => setRenaming(true)} />
        <Menu
          title="More about this chat"
          test="chat-menu"
          items={[
            { title: "Export as Markdown", icon: "download", run: () => save("md"), test: "export-md" },
            { title: "Export as JSON", icon: "download", run: () => save("json"), test: "export-json" },
            {
              title: "Delete",
              icon: "trash",
              danger: true,
              test: "delete-chat",
              run: () => {
                deleteChat({ id: chat.id, title });
                go(linkTo("chat"));
              },
            },
          ]}
        />
      </div>
    </header>
  );
}
