// Markdown on the page.

import { useMemo, useRef, useState } from "preact/hooks";
import { Button } from "../ui/button";
import { bytes } from "../ui/format";
import { memo } from "../ui/memo";
import { block } from "./block";
import { lex, partOf, type Token, type Tokens } from "./blocks";
import { GROWING_CHARS, GrowingMarkdown } from "./growing";
import type { LinkResolver } from "./inline";

/** Blocks are drawn once: the token of a finished block never changes. */
const Block = memo(function Block({ token, level, resolve }: { token: Token; level: number; resolve?: LinkResolver | undefined }) {
  return <>{block(token, { level, resolve })}</>;
});

/** Levels without gaps, whatever the author wrote: readers of headings must not miss a step. */
function levels(tokens: readonly Token[], base: number): number[] {
  let last = base - 1;
  return tokens.map((token) => {
    if (token.type === "heading") last = Math.min(base - 1 + (token as Tokens.Heading).depth, last + 1);
    return last;
  });
}

function Blocks({ tokens, base, resolve }: { tokens: readonly Token[]; base: number; resolve?: LinkResolver | undefined }) {
  const steps = levels(tokens, base);
  return (
    <>
      {tokens.map((token, at) => (
        <Block key={at} token={token} level={steps[at] ?? base} resolve={resolve} />
      ))}
    </>
  );
}

interface MarkdownProps {
  text: string;
  /** The level of a first heading. */
  base?: number;
  resolve?: LinkResolver | undefined;
}

/** A finished text. A long one is shown in parts. */
export const Markdown = memo(function Markdown({ text, base = 2, resolve }: MarkdownProps) {
  const [shown, setShown] = useState(1);
  const { parts, next } = useMemo(() => {
    const list: Token[][] = [];
    let from: number | null = 0;
    let fence: string | null = null;
    while (from !== null && list.length < shown) {
      const part = partOf(text, from, fence);
      list.push(lex(part.text));
      from = part.next;
      fence = part.fence;
    }
    return { parts: list, next: from };
  }, [text, shown]);
  return (
    <div class="md" dir="auto">
      {parts.map((tokens, at) => (
        <Blocks key={at} tokens={tokens} base={base} resolve={resolve} />
      ))}
      {next !== null && (
        <p class="md-rest">
          <Button small data-test="show-more" onClick={() => setShown(shown + 1)}>
            Show more
          </Button>
          <span>{bytes(text.length - next)} left</span>
        </p>
      )}
    </div>
  );
});

/** A text that still grows. */
export function StreamingMarkdown({ text }: { text: string }) {
  const growing = useRef<GrowingMarkdown>(null);
  growing.current ??= new GrowingMarkdown();
  const tokens = growing.current.update(text);
  return (
    <div class="md streaming" dir="auto">
      <Blocks tokens={tokens} base={2} />
      {text.length > GROWING_CHARS && <p class="md-rest">… {bytes(text.length - GROWING_CHARS)} more; the rest is shown when the answer is complete</p>}
    </div>
  );
}
