// Markdown as a tree of tokens. Nothing here or later makes HTML from text, so there is nothing to sanitise.

import { Lexer, type Token, type Tokens } from "marked";

/** Longer paragraphs are shown as they are: finding emphasis in them takes too long. */
const INLINE_CHARS = 8_000;
/** Blocks inside of blocks. */
export const MAX_DEPTH = 24;
/** What is drawn at once of a long text. */
const PART_CHARS = 40_000;

const OPTIONS = { gfm: true, breaks: false } as const;
/** Quotes and lists that open at once, deeper than anyone reads. */
const DEEP = new RegExp(String.raw`^(?: {0,3}(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])[ \t]?){${MAX_DEPTH}}`, "m");

function plain(text: string): Token {
  return { type: "paragraph", raw: text, text, tokens: [{ type: "text", raw: text, text }] };
}

/** The blocks of a text. A text that Markdown cannot read in reasonable time is one plain block. */
export function lex(text: string): Token[] {
  if (DEEP.test(text)) return [plain(text)];
  try {
    const lexer = new Lexer(OPTIONS);
    lexer.blockTokens(text.replace(/\r\n?/g, "\n"), lexer.tokens);
    for (const { src, tokens } of lexer.inlineQueue) {
      if (src.length > INLINE_CHARS) tokens.push({ type: "text", raw: src, text: src });
      else lexer.inlineTokens(src, tokens);
    }
    return lexer.tokens;
  } catch {
    // Deep nesting exhausts the stack.
    return [plain(text)];
  }
}

export interface TextPart {
  text: string;
  /** Where the next part begins; null at the end. */
  next: number | null;
  /** The fence of the code block that goes on in the next part. */
  fence: string | null;
}

/** A part of a long text, cut between blocks if possible and never within a line unless a line is very long. */
export function partOf(text: string, from: number, fence: string | null): TextPart {
  const prefix = fence === null ? "" : `${fence}\n`;
  if (text.length - from <= PART_CHARS * 1.5) return { text: prefix + text.slice(from), next: null, fence: null };
  let open = fence;
  let at = from;
  let best = -1;
  while (at < text.length) {
    const end = text.indexOf("\n", at);
    const stop = end < 0 ? text.length : end + 1;
    if (stop - from > PART_CHARS) break;
    const line = text.slice(at, stop);
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined) open = open === null ? mark : line.trim().startsWith(open) ? null : open;
    if (open === null && line.trim() === "") best = stop;
    at = stop;
  }
  if (best > from) return { text: prefix + text.slice(from, best), next: best, fence: null };
  const cut = at > from ? at : from + PART_CHARS;
  return { text: prefix + text.slice(from, cut), next: cut, fence: open };
}

export type { Token, Tokens };
