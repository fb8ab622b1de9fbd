// The turns of a chat. Old ones are drawn in the background, and those off the screen cost no layout.

import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { IconButton } from "../ui/button";
import type { Turn } from "./timeline";
import { TurnView, type TurnActions } from "./turn-view";

const FIRST = 24;
const STEP = 40;
/** Pixels from the end that count as the end. */
const NEAR = 60;

interface ConversationProps {
  chat: string;
  turns: readonly Turn[];
  actions: TurnActions;
  editing: number | null;
  onEdit: (turn: number | null) => void;
  scroller: RefObject<HTMLDivElement | null>;
}

function whenIdle(work: () => void): () => void {
  const timer = setTimeout(work, 60);
  return () => clearTimeout(timer);
}

export function Conversation({ chat, turns, actions, editing, onEdit, scroller }: ConversationProps) {
  const [shown, setShown] = useState(FIRST);
  const [away, setAway] = useState(false);
  const pinned = useRef(true);
  const toEnd = () => {
    const box = scroller.current;
    if (box) box.scrollTop = box.scrollHeight;
    pinned.current = true;
    setAway(false);
  };
  useEffect(() => {
    setShown(FIRST);
    pinned.current = true;
  }, [chat]);
  useEffect(() => (turns.length > shown ? whenIdle(() => setShown(shown + STEP)) : undefined), [turns.length, shown]);
  // A reader who scrolled up stays where they are; everybody else follows the answer.
  useLayoutEffect(() => {
    if (pinned.current) toEnd();
  }, [turns, shown]);
  useEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const onScroll = () => {
      const near = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR;
      pinned.current = near;
      setAway(!near);
    };
    box.addEventListener("scroll", onScroll, { passive: true });
    // Heights of turns become known when they are first laid out.
    const sizes = new ResizeObserver(() => {
      if (pinned.current) box.scrollTop = box.scrollHeight;
    });
    const content = box.firstElementChild;
    if (content) sizes.observe(content);
    return () => {
      box.removeEventListener("scroll", onScroll);
      sizes.disconnect();
    };
  }, [chat]);
  useEffect(() => {
    if (turns.at(-1)?.state === "pending") toEnd();
  }, [turns.length]);
  const first = Math.max(0, turns.length - shown);
  return (
    <>
      <div class="conversation-scroll" ref={scroller} tabIndex={0} role="region" aria-label="Conversation">
        <div class="conversation" data-test="conversation">
          {turns.slice(first).map((turn) => (
            <TurnView
              key={turn.number}
              turn={turn}
              last={turn.number === turns.length}
              editing={editing === turn.number}
              onEdit={turn.number === turns.length ? editLast(onEdit, turn.number) : NO_EDIT}
              actions={actions}
            />
          ))}
        </div>
      </div>
      {away && (
        <div class="to-end">
          <IconButton icon="down" title="Go to the end" look="plain" onClick={toEnd} />
        </div>
      )}
    </>
  );
}

const NO_EDIT = () => undefined;

function editLast(onEdit: (turn: number | null) => void, turn: number) {
  return (editing: boolean) => onEdit(editing ? turn : null);
}
