// Text as it is, in a box that scrolls; a very long one in parts.

import { useState } from "preact/hooks";
import { Button } from "../ui/button";
import { CopyButton } from "../ui/copy-button";
import { bytes } from "../ui/format";

const PART = 20_000;

export function LongText({ text, label, copy }: { text: string; label?: string; copy?: boolean }) {
  const [shown, setShown] = useState(PART);
  return (
    <div class="long-text">
      {(label || copy) && (
        <div class="long-text-head">
          <span>{label}</span>
          {copy && <CopyButton text={text} />}
        </div>
      )}
      <pre tabIndex={0} dir="auto" aria-label={label ?? "Text"}>
        {text.length > shown ? text.slice(0, shown) : text}
      </pre>
      {text.length > shown && (
        <Button small data-test="show-more" onClick={() => setShown(shown * 4)}>
          Show more, {bytes(text.length - shown)} left
        </Button>
      )}
    </div>
  );
}
