// A text with line numbers, and with problems below the lines that they are about.

import { useState } from "preact/hooks";
import { Button } from "../ui/button";
import { Icon } from "../ui/icon";
import { Ticks } from "../ui/ticks";

const FIRST_LINES = 400;

export interface LineNote {
  line: number;
  severity: string;
  code: string;
  message: string;
  help?: string | null;
}

function isGrave(severity: string): boolean {
  return severity === "error" || severity === "critical" || severity === "high";
}

export function LineNoteView({ note }: { note: LineNote }) {
  return (
    <div class={isGrave(note.severity) ? "line-note bad" : "line-note warn"} data-test="diagnostic" data-code={note.code} data-line={note.line}>
      <Icon name={isGrave(note.severity) ? "refuse" : "warning"} size={14} />
      <span>
        <strong>
          <Ticks text={note.message} />
        </strong> <code>{note.code}</code>
        {note.help && <span class="line-help"><Ticks text={note.help} /></span>}
      </span>
    </div>
  );
}

export function SourceView({ text, notes = [], label }: { text: string; notes?: readonly LineNote[]; label: string }) {
  const [shown, setShown] = useState(FIRST_LINES);
  const lines = text.split("\n");
  const byLine = Map.groupBy(notes, (note) => note.line);
  return (
    <div class="source" dir="ltr" tabIndex={0} role="region" aria-label={label}>
      {lines.slice(0, shown).map((line, at) => (
        <div key={at}>
          <div class={byLine.has(at + 1) ? "source-line marked" : "source-line"}>
            <span class="line-number" aria-hidden="true">
              {at + 1}
            </span>
            <code dir="auto">{line.length > 2000 ? `${line.slice(0, 2000)}…` : line || " "}</code>
          </div>
          {byLine.get(at + 1)?.map((note, number) => (
            <LineNoteView key={number} note={note} />
          ))}
        </div>
      ))}
      {lines.length > shown && (
        <Button small onClick={() => setShown(shown * 4)}>
          Show more, {lines.length - shown} lines left
        </Button>
      )}
    </div>
  );
}
