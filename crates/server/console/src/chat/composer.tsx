// Where a message is typed. What was typed is kept until it was accepted.

import type { RefObject } from "preact";
import { useEffect, useId, useLayoutEffect, useState } from "preact/hooks";
import { indexState, skills } from "../state/skill-index";
import { saveDraft } from "../state/drafts";
import { announce } from "../state/toasts";
import { Button } from "../ui/button";
import { plural } from "../ui/format";
import { SlashMenu } from "./slash-menu";
import { complete, completions, slashQuery, unknownReference } from "./slash";

interface ComposerProps {
  field: RefObject<HTMLTextAreaElement | null>;
  draftKey: string;
  text: string;
  onText: (text: string) => void;
  running: boolean;
  disabled?: boolean;
  onSend: () => void;
  onStop: () => void;
  /** Arrow up in an empty field. */
  onEditLast: () => void;
}

const MAX_HEIGHT = 280;

export function Composer({ field, draftKey, text, onText, running, disabled, onSend, onStop, onEditLast }: ComposerProps) {
  const list = useId();
  const [cursor, setCursor] = useState(text.length);
  const [chosen, setChosen] = useState(0);
  const [closed, setClosed] = useState(false);
  const query = closed ? null : slashQuery(text, cursor);
  const options = query ? completions(skills.value, query) : [];
  const open = query !== null && options.length > 0 && !(options.length === 1 && options[0]?.id === query.word);
  const at = Math.min(chosen, options.length - 1);
  const unknown = open ? null : unknownReference(text, indexState.value === "complete");

  useEffect(() => saveDraft(draftKey, text), [text, draftKey]);
  useEffect(() => {
    if (open) announce(`${plural(options.length, "skill")}: use the arrow keys, Enter to choose`);
  }, [open]);
  useLayoutEffect(() => {
    const area = field.current;
    if (!area) return;
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight, MAX_HEIGHT)}px`;
  }, [text]);

  const change = (value: string, position: number) => {
    setCursor(position);
    setChosen(0);
    setClosed(false);
    onText(value);
  };

  const choose = (index: number) => {
    const option = options[index];
    const area = field.current;
    if (!option || !area) return;
    const next = complete(text, cursor, option.id);
    // At once: the next key may come before the next frame.
    area.value = next.text;
    area.focus();
    area.setSelectionRange(next.cursor, next.cursor);
    change(next.text, next.cursor);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (open) {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        const step = event.key === "ArrowDown" ? 1 : options.length - 1;
        setChosen((at + step) % options.length);
        return;
      }
      if (event.key === "Tab" || (event.key === "Enter" && !event.shiftKey)) {
        event.preventDefault();
        choose(at);
        return;
      }
      if (event.key === "Escape") {
        event.preventDefault();
        event.stopPropagation();
        setClosed(true);
        return;
      }
    }
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      if (!running && text.trim() !== "") onSend();
    } else if (event.key === "ArrowUp" && text === "") {
      event.preventDefault();
      onEditLast();
    } else if (event.key === "Escape" && running) {
      event.preventDefault();
      onStop();
    }
  };

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== "") onSend();
      }}
    >
      {open && <SlashMenu id={list} options={options} at={at} onChoose={choose} />}
      <div class="composer-box">
        <textarea
          ref={field}
          rows={1}
          dir="auto"
          value={text}
          disabled={disabled}
          placeholder="Ask, or type / for a skill"
          aria-label="Message"
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={open ? list : undefined}
          aria-activedescendant={open ? `${list}-${at}` : undefined}
          data-test="composer"
          onInput={(event) => change(event.currentTarget.value, event.currentTarget.selectionStart)}
          onSelect={(event) => setCursor(event.currentTarget.selectionStart)}
          onKeyDown={onKeyDown}
        />
        {running ? (
          <Button icon="stop" look="plain" data-test="stop" onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Button icon="send" look="primary" type="submit" data-test="send" disabled={disabled || text.trim() === ""}>
            Send
          </Button>
        )}
      </div>
      <p class="composer-hint" aria-live="polite">
        {unknown ? (
          <span class="warn-text" data-test="treated-as-text">
            <code>/{unknown}</code> is not a skill: it is sent as text.
          </span>
        ) : (
          <span>
            <kbd>Enter</kbd> sends, <kbd>Shift</kbd>+<kbd>Enter</kbd> starts a new line, <kbd>/</kbd> names a skill
          </span>
        )}
      </p>
    </form>
  );
}
