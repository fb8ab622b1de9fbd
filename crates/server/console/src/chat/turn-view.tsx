// One turn: the message, what happened, and the answer.

import { useState } from "preact/hooks";
import { Markdown, StreamingMarkdown } from "../markdown/markdown";
import { Button, IconButton } from "../ui/button";
import { CopyButton } from "../ui/copy-button";
import { Icon } from "../ui/icon";
import { memo } from "../ui/memo";
import { Fold } from "../ui/parts";
import { ActivationCard, CallCard } from "./cards";
import { LongText } from "./long-text";
import { QuestionCard } from "./question-card";
import type { NoteItem, Turn, TurnItem } from "./timeline";
import { Usage } from "./usage";
import { Ticks } from "../ui/ticks";

/** Longer messages of a user are shown in parts. */
const LONG_MESSAGE = 6000;

export interface TurnActions {
  answer: (question: string, choice: string) => Promise<void>;
  retry: () => void;
  resend: (text: string) => void;
  fork: (turn: number) => void;
}

function Note({ item }: { item: NoteItem }) {
  const icon = item.tone === "bad" ? "refuse" : item.tone === "warn" ? "warning" : "info";
  return (
    <p class={`note ${item.tone}`} data-test={`note-${item.topic}`} role={item.tone === "bad" ? "alert" : undefined}>
      <Icon name={icon} size={16} />
      <span dir="auto"><Ticks text={item.text} /></span>
    </p>
  );
}

function Item({ item, streaming, actions }: { item: TurnItem; streaming: boolean; actions: TurnActions }) {
  switch (item.kind) {
    case "text":
      return (
        <div class="answer" data-test="answer">
          {streaming ? <StreamingMarkdown text={item.text} /> : <Markdown text={item.text} />}
        </div>
      );
    case "reasoning":
      return (
        <Fold title="Reasoning" test="reasoning">
          {() => <LongText text={item.text} />}
        </Fold>
      );
    case "activation":
      return <ActivationCard item={item} />;
    case "call":
      return <CallCard call={item} />;
    case "question":
      return <QuestionCard item={item} onAnswer={actions.answer} />;
    case "note":
      return <Note item={item} />;
  }
}

function EditForm({ text, onCancel, onSend }: { text: string; onCancel: () => void; onSend: (text: string) => void }) {
  const [value, setValue] = useState(text);
  return (
    <form
      class="edit-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (value.trim() !== "") onSend(value);
      }}
    >
      <textarea
        dir="auto"
        aria-label="Edit the message"
        data-test="edit-field"
        value={value}
        rows={Math.min(12, value.split("\n").length + 1)}
        ref={(area) => {
          if (area && document.activeElement !== area && !area.dataset["seen"]) {
            area.dataset["seen"] = "yes";
            area.focus();
            area.setSelectionRange(area.value.length, area.value.length);
          }
        }}
        onInput={(event) => setValue(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onCancel();
          if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
            event.preventDefault();
            if (value.trim() !== "") onSend(value);
          }
        }}
      />
      <div class="row-end">
        <Button small onClick={onCancel}>
          Cancel
        </Button>
        <Button small look="primary" type="submit" data-test="edit-send">
          Send again
        </Button>
      </div>
    </form>
  );
}

interface TurnViewProps {
  turn: Turn;
  last: boolean;
  editing: boolean;
  onEdit: (editing: boolean) => void;
  actions: TurnActions;
}

export const TurnView = memo(function TurnView({ turn, last, editing, onEdit, actions }: TurnViewProps) {
  const [whole, setWhole] = useState(false);
  const running = turn.state !== "done";
  const answer = turn.items.filter((it) => it.kind === "text").map((it) => it.text);
  const long = !whole && turn.text.length > LONG_MESSAGE;
  return (
    <article class="turn" data-test="turn" data-turn={turn.number} data-state={turn.state} aria-label={`Turn ${turn.number}`}>
      {editing ? (
        <EditForm text={turn.text} onCancel={() => onEdit(false)} onSend={actions.resend} />
      ) : (
        <div class="asked">
          <p class="asked-text" dir="auto" data-test="user-message">
            {long ? turn.text.slice(0, LONG_MESSAGE) : turn.text}
          </p>
          {long && (
            <Button small onClick={() => setWhole(true)}>
              Show all
            </Button>
          )}
          <div class="turn-actions">
            {last && !running && <IconButton icon="edit" title="Edit and send again" small data-test="edit" onClick={() => onEdit(true)} />}
            <CopyButton text={turn.text} title="Copy message" />
          </div>
        </div>
      )}
      <div class="reply">
        {turn.items.map((item, at) => (
          <Item key={at} item={item} streaming={running && at === turn.items.length - 1} actions={actions} />
        ))}
        {running && (turn.items.length === 0 || turn.items.at(-1)?.kind !== "text") && !turn.items.some((it) => it.kind === "question" && it.closed === null) && (
          <p class="thinking" data-test="thinking">
            <span class="dots" aria-hidden="true">
              <i />
              <i />
              <i />
            </span>
            {turn.state === "pending" ? "Sending" : "Working"}
          </p>
        )}
        {!running && (
          <div class="turn-end">
            {turn.usage ? <Usage usage={turn.usage} /> : <span />}
            <div class="turn-actions">
              {answer.length > 0 && <CopyButton text={() => answer.join("\n\n")} title="Copy answer" />}
              {last && <IconButton icon="retry" title="Retry: send the message again" small data-test="retry" onClick={actions.retry} />}
              <IconButton icon="fork" title={last ? "Fork this chat" : "Fork this chat from here"} small data-test="fork" onClick={() => actions.fork(turn.number)} />
            </div>
          </div>
        )}
      </div>
    </article>
  );
});
