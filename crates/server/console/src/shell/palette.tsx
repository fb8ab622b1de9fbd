// The command palette: pages, commands, skills and chats by name.

import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { chats } from "../chat/chat-list-state";
import { go, linkTo, NEW_SKILL } from "../state/route";
import { searchLocally, skills } from "../state/skill-index";
import { theme, THEMES } from "../state/theme";
import { Icon, type IconName } from "../ui/icon";
import { AREAS } from "./navigation";
import { openOverlay } from "./overlay";

interface Command {
  id: string;
  title: string;
  about?: string;
  group: string;
  icon: IconName;
  run: () => void;
}

const SKILLS = 8;
const CHATS = 5;

function commands(query: string): Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const fixed: Command[] = [
    { id: "new-chat", title: "New chat", group: "Commands", icon: "plus", run: () => go(linkTo("chat")) },
    { id: "new-skill", title: "New skill", group: "Commands", icon: "plus", run: () => go(linkTo("skills", NEW_SKILL)) },
    ...AREAS.map((area): Command => ({ id: `go-${area.id}`, title: `Go to ${area.title}`, group: "Commands", icon: area.icon, run: () => go(linkTo(area.id)) })),
    { id: "model", title: "Set a model", group: "Commands", icon: "system", run: () => openOverlay("model") },
    { id: "shortcuts", title: "Keyboard shortcuts", group: "Commands", icon: "keyboard", run: () => openOverlay("shortcuts") },
    ...THEMES.map((it): Command => ({ id: `theme-${it.id}`, title: `Theme: ${it.title}`, group: "Commands", icon: "contrast", run: () => (theme.value = it.id) })),
  ];
  const found = fixed.filter((it) => fits(it.title));
  const skillRows = (words.length > 0 ? searchLocally(skills.value, query).slice(0, SKILLS) : []).map((skill): Command => ({
    id: `skill-${skill.id}`,
    title: skill.id,
    about: skill.description,
    group: "Skills",
    icon: "skills",
    run: () => go(linkTo("skills", skill.id)),
  }));
  const chatRows = chats.value
    .filter((chat) => fits(chat.title))
    .slice(0, CHATS)
    .map((chat): Command => ({ id: `chat-${chat.id}`, title: chat.title || "New chat", group: "Chats", icon: "chat", run: () => go(linkTo("chat", chat.id)) }));
  return [...skillRows, ...found, ...chatRows];
}

export function Palette({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const rows = commands(query);
  const chosen = Math.min(at, rows.length - 1);
  useLayoutEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  useLayoutEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    // The dialog gives the focus back first.
    setTimeout(command.run);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (rows.length > 0) setAt((chosen + (event.key === "ArrowDown" ? 1 : rows.length - 1)) % rows.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(rows[chosen]);
    }
  };
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Search or run a command"
      data-test="palette"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div class="palette-field">
        <Icon name="search" />
        <input
          role="combobox"
          aria-label="Search or run a command"
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={rows.length > 0 ? `${id}-${chosen}` : undefined}
          placeholder="Search skills, chats and commands"
          data-test="palette-field"
          value={query}
          autofocus
          onInput={(event) => {
            setQuery(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div class="palette-list" id={id} role="listbox" aria-label="Results" ref={list}>
        {rows.map((command, index) => (
          <div
            key={command.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            class="palette-row"
            data-test="palette-option"
            onMouseMove={() => setAt(index)}
            onClick={() => run(command)}
          >
            <Icon name={command.icon} size={16} />
            <span class="palette-title" dir="auto">
              {command.title}
            </span>
            {command.about && (
              <span class="palette-about" dir="auto">
                {command.about}
              </span>
            )}
            <span class="palette-group">{command.group}</span>
          </div>
        ))}
        {rows.length === 0 && <p class="quiet-text">Nothing has this name.</p>}
      </div>
    </dialog>
  );
}
