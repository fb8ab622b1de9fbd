// Markdown that is still being written: only the end is read again when more arrives.

import { lex, type Token } from "./blocks";

/** Blocks at the end that more text may still change. */
const OPEN_BLOCKS = 2;
/** Short texts are read as a whole, which also resolves references. */
const SETTLE_CHARS = 2_000;
/** A text above this length is drawn when it is complete. */
export const GROWING_CHARS = 60_000;

export class GrowingMarkdown {
  private settled: Token[] = [];
  private settledChars = 0;
  private source = "";
  private tokens: Token[] = [];

  /** The blocks of the text. Blocks that did not change are the same objects. */
  update(text: string): readonly Token[] {
    if (text === this.source) return this.tokens;
    if (!text.startsWith(this.source)) {
      this.settled = [];
      this.settledChars = 0;
    }
    this.source = text;
    const shown = text.length > GROWING_CHARS ? text.slice(0, GROWING_CHARS) : text;
    const tail = lex(shown.slice(this.settledChars));
    if (shown.length - this.settledChars > SETTLE_CHARS && tail.length > OPEN_BLOCKS) {
      for (const token of tail.splice(0, tail.length - OPEN_BLOCKS)) {
        this.settled.push(token);
        this.settledChars += token.raw.length;
      }
    }
    this.tokens = [...this.settled, ...tail];
    return this.tokens;
  }
}
