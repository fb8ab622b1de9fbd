// A question that only the user can answer.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../ui/button";
import { Icon } from "../ui/icon";
import { Fold } from "../ui/parts";
import { LongText } from "./long-text";
import type { QuestionItem } from "./timeline";

const CLOSED: Record<string, string> = { "timed-out": "not answered in time: nothing was allowed", cancelled: "cancelled: nothing was allowed" };

export function QuestionCard({ item, onAnswer }: { item: QuestionItem; onAnswer: (question: string, choice: string) => Promise<void> }) {
  const { question } = item;
  const [sent, setSent] = useState<string | null>(null);
  // What was not shown is not allowed.
  const [shownWhole, setShownWhole] = useState(false);
  const box = useRef<HTMLPreElement>(null);
  const look = () => {
    const text = box.current;
    if (text && text.scrollTop + text.clientHeight >= text.scrollHeight - 4) setShownWhole(true);
  };
  useLayoutEffect(look, [question.id]);
  const chosen = item.choice ?? sent;
  const open = item.closed === null && chosen === null;
  const title = question.choices.find((it) => it.id === chosen)?.title ?? chosen;
  const answer = (choice: string) => {
    setSent(choice);
    onAnswer(question.id, choice).catch(() => setSent(null));
  };
  return (
    <section class={open ? "question open" : "question"} role={open ? "region" : "group"} data-test="question" data-kind={question.kind} data-open={open} aria-label={`Question about ${question.skill}`}>
      <header>
        <Icon name="shield" size={18} />
        <strong>{question.kind === "command" ? "May this command run?" : `May ${question.skill} do this?`}</strong>
      </header>
      {open ? (
        <pre class="question-text" ref={box} onScroll={look} tabIndex={0} dir="auto" aria-label="What would be allowed" data-test="question-text">
          {question.text.trimEnd()}
        </pre>
      ) : (
        <Fold title="What was asked">{() => <LongText text={question.text.trimEnd()} />}</Fold>
      )}
      {open && question.details && (
        <Fold title="Files and code" test="question-details">
          {() => <LongText text={question.details ?? ""} />}
        </Fold>
      )}
      {open && !shownWhole && <p data-test="question-unread">Scroll to the end of the text to allow it.</p>}
      {open && (
        <p class="quiet-text" data-test="question-scope">
          Allowing is a shell as the user of the server. It needs a token with the scope <code>approve</code>, such as the URL that <code>prowess serve</code> printed in the last 12 hours.
        </p>
      )}
      {open ? (
        <div class="question-choices" role="group" aria-label="Answers">
          {question.choices.map((choice) => (
            <Button key={choice.id} look={choice.id === "deny" ? "plain" : choice.id === "once" ? "primary" : "plain"} data-test="question-choice" data-choice={choice.id} disabled={choice.id !== "deny" && !shownWhole} onClick={() => answer(choice.id)}>
              {choice.title}
            </Button>
          ))}
        </div>
      ) : (
        <p class={chosen === "deny" || chosen === null ? "question-answer bad-text" : "question-answer"} data-test="question-answer">
          {chosen === null ? (CLOSED[item.closed ?? ""] ?? item.closed) : `You chose: ${title}`}
        </p>
      )}
    </section>
  );
}
