// Someone else changed the skill while it was edited here. Both texts are shown; nothing is lost.

import { Button } from "../ui/button";
import { Notice } from "../ui/parts";
import { diffLines } from "./line-diff";

interface ConflictViewProps {
  theirs: string;
  mine: string;
  onKeepMine: () => void;
  onTakeTheirs: () => void;
  onEdit: () => void;
}

const MARKS = { same: " ", left: "−", right: "+" } as const;
const WORDS = { same: "", left: "theirs", right: "yours" } as const;

export function ConflictView({ theirs, mine, onKeepMine, onTakeTheirs, onEdit }: ConflictViewProps) {
  return (
    <div class="conflict" data-test="conflict">
      <Notice tone="warn" title="This skill was changed by someone else">
        <p>
          Nothing was saved, and your text is kept. Lines with <b>−</b> are on disk now, lines with <b>+</b> are yours.
        </p>
      </Notice>
      <div class="row-start">
        <Button look="primary" data-test="conflict-edit" onClick={onEdit}>
          Edit mine, then save over theirs
        </Button>
        <Button data-test="conflict-mine" onClick={onKeepMine}>
          Save mine now
        </Button>
        <Button data-test="conflict-theirs" onClick={onTakeTheirs}>
          Take theirs
        </Button>
      </div>
      <div class="diff" tabIndex={0} role="region" aria-label="Differences" dir="ltr">
        {diffLines(theirs, mine).map((line, at) => (
          <div key={at} class={`diff-line ${line.kind}`}>
            <span class="diff-mark">
              {MARKS[line.kind]}
              <span class="off-screen">{WORDS[line.kind]}</span>
            </span>
            <code dir="auto">{line.text || " "}</code>
          </div>
        ))}
      </div>
    </div>
  );
}
