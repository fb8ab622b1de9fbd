// A text field with line numbers, where problems are marked at their lines. A mirror of the text below the field
// carries numbers and marks, so that lines may wrap.

import type { RefObject } from "preact";
import { useMemo, useRef } from "preact/hooks";
import type { Diagnostic } from "../api/types";
import { memo } from "../ui/memo";

interface SourceEditorProps {
  field: RefObject<HTMLTextAreaElement | null>;
  text: string;
  onText: (text: string) => void;
  diagnostics: readonly Diagnostic[];
  label: string;
  onSave: () => void;
}

/** A longer text has no mirror: drawing it after each key would be slow. */
const MIRROR_LINES = 4000;

const MirrorLine = memo(function MirrorLine({ line, number, severity, title }: { line: string; number: number; severity: string | null; title: string }) {
  return (
    <div class={severity === null ? "mirror-line" : `mirror-line ${severity}`} data-number={number} title={title} data-test={severity === null ? undefined : "line-mark"}>
      {line || " "}
    </div>
  );
});

/** Puts the cursor on a line and makes it visible. */
export function goToLine(field: HTMLTextAreaElement, line: number, column = 1): void {
  const lines = field.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, it) => sum + it.length + 1, 0);
  const at = start + Math.min(column - 1, lines[line - 1]?.length ?? 0);
  field.focus();
  field.setSelectionRange(at, at);
  const mirror = field.parentElement?.querySelector<HTMLElement>(`[data-number="${line}"]`);
  mirror?.scrollIntoView({ block: "nearest" });
}

export function SourceEditor({ field, text, onText, diagnostics, label, onSave }: SourceEditorProps) {
  const problem = useRef(0);
  const lines = useMemo(() => text.split("\n"), [text]);
  const byLine = useMemo(() => Map.groupBy(diagnostics, (it) => it.start.line), [diagnostics]);
  const onKeyDown = (event: KeyboardEvent) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") {
      event.preventDefault();
      onSave();
    } else if (event.key === "F8" && diagnostics.length > 0) {
      event.preventDefault();
      const next = diagnostics[problem.current % diagnostics.length];
      problem.current += 1;
      if (next && field.current) goToLine(field.current, next.start.line, next.start.column);
    }
  };
  return (
    <div class="editor-scroll">
      <div class="editor-grid" dir="ltr">
        <div class="editor-mirror" aria-hidden="true">
          {lines.length <= MIRROR_LINES &&
            lines.map((line, at) => {
              const notes = byLine.get(at + 1);
              const severity = notes ? (notes.some((it) => it.severity === "error") ? "error" : "warning") : null;
              return <MirrorLine key={at} line={line} number={at + 1} severity={severity} title={notes?.map((it) => it.message).join("\n") ?? ""} />;
            })}
        </div>
        <textarea
          ref={field}
          class={lines.length <= MIRROR_LINES ? "editor-field" : "editor-field plain"}
          aria-label={label}
          spellcheck={false}
          autocapitalize="off"
          value={text}
          data-test="editor"
          aria-invalid={diagnostics.some((it) => it.severity === "error")}
          onInput={(event) => onText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </div>
    </div>
  );
}
