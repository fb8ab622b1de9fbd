// The editor with its problems and its preview: for new skills and for existing ones.

import { useRef, useState } from "preact/hooks";
import type { Diagnostic } from "../api/types";
import { Markdown } from "../markdown/markdown";
import { plural } from "../ui/format";
import { Tabs } from "../ui/parts";
import { ModelPreview, partsOf } from "./model-preview";
import { goToLine, SourceEditor } from "./source-editor";
import { LineNoteView } from "./source-view";
import type { LiveCheck } from "./use-check";

type Side = "problems" | "model" | "reader";

interface EditorPaneProps {
  id: string;
  text: string;
  onText: (text: string) => void;
  check: LiveCheck;
  onSave: () => void;
}

function Problems({ diagnostics, onGo }: { diagnostics: readonly Diagnostic[]; onGo: (diagnostic: Diagnostic) => void }) {
  if (diagnostics.length === 0) {
    return <p class="quiet-text">No problems. The text is checked while you type.</p>;
  }
  return (
    <ul class="problem-list" data-test="diagnostics">
      {diagnostics.map((it, at) => (
        <li key={at}>
          <button type="button" onClick={() => onGo(it)}>
            <span class="problem-line">Line {it.start.line}</span>
            <LineNoteView note={{ line: it.start.line, severity: it.severity, code: it.code, message: it.message, help: it.help ?? null }} />
          </button>
        </li>
      ))}
    </ul>
  );
}

export function EditorPane({ id, text, onText, check, onSave }: EditorPaneProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [side, setSide] = useState<Side>("problems");
  const errors = check.diagnostics.filter((it) => it.severity === "error").length;
  return (
    <div class="editor-pane">
      <div class="editor-main">
        <SourceEditor field={field} text={text} onText={onText} diagnostics={check.diagnostics} label="SKILL.md" onSave={onSave} />
        <p class="editor-status" aria-live="polite" data-test="check-status">
          {check.valid === null ? "Checking" : check.diagnostics.length === 0 ? "No problems" : `${plural(errors, "error")}, ${plural(check.diagnostics.length - errors, "warning")}`}
        </p>
      </div>
      <div class="editor-side">
        <Tabs
          label="Beside the editor"
          tabs={[
            { id: "problems", title: "Problems", count: check.diagnostics.length, tone: errors > 0 ? "bad" : "warn" },
            { id: "model", title: "For the model" },
            { id: "reader", title: "Rendered" },
          ]}
          value={side}
          onChange={setSide}
        />
        <div role="tabpanel" aria-label={side} class="panel" tabIndex={0}>
          {side === "problems" && <Problems diagnostics={check.diagnostics} onGo={(it) => field.current && goToLine(field.current, it.start.line, it.start.column)} />}
          {side === "model" && <ModelPreview id={id} source={text} />}
          {side === "reader" && <Markdown text={partsOf(text).body} base={2} />}
        </div>
      </div>
    </div>
  );
}
