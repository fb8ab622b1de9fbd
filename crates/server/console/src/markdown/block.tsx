// A block of Markdown as elements.

import type { ComponentChildren } from "preact";
import { CopyButton } from "../ui/copy-button";
import { MAX_DEPTH, type Token, type Tokens } from "./blocks";
import { inline, type LinkResolver } from "./inline";

/** Longer code is shown in parts, too. */
const CODE_CHARS = 60_000;

export interface BlockContext {
  resolve?: LinkResolver | undefined;
  /** The level that the next heading may have at most. */
  level: number;
}

function Code({ token }: { token: Tokens.Code }) {
  const language = (token.lang ?? "").split(/\s/)[0] ?? "";
  const long = token.text.length > CODE_CHARS;
  return (
    <div class="md-code" dir="ltr">
      <div class="md-code-head">
        <span>{language}</span>
        <CopyButton text={token.text} title="Copy code" />
      </div>
      <pre tabIndex={0} aria-label={language ? `Code, ${language}` : "Code"}>
        <code>{long ? token.text.slice(0, CODE_CHARS) : token.text}</code>
        {long && <span class="md-more">… {token.text.length - CODE_CHARS} more characters: copy it to see all</span>}
      </pre>
    </div>
  );
}

function Table({ token, context }: { token: Tokens.Table; context: BlockContext }) {
  const align = (at: number) => token.align[at] ?? undefined;
  return (
    <div class="md-table" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {token.header.map((cell, at) => (
              <th key={at} data-align={align(at)} dir="auto">
                {inline(cell.tokens, context.resolve)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, number) => (
            <tr key={number}>
              {row.map((cell, at) => (
                <td key={at} data-align={align(at)} dir="auto">
                  {inline(cell.tokens, context.resolve)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Heading({ token, context }: { token: Tokens.Heading; context: BlockContext }) {
  const content = inline(token.tokens, context.resolve);
  const Tag = `h${Math.min(context.level, 6)}` as "h2" | "h3" | "h4" | "h5" | "h6";
  return (
    <Tag class={`md-h${token.depth}`} dir="auto">
      {content}
    </Tag>
  );
}

function List({ token, context, depth }: { token: Tokens.List; context: BlockContext; depth: number }) {
  const items = token.items.map((item, at) => (
    <li key={at} class={item.task ? "md-task" : undefined}>
      {item.task && <input type="checkbox" checked={item.checked ?? false} disabled aria-label={item.checked ? "done" : "to do"} />}
      {blocks(item.tokens, context, depth + 1)}
    </li>
  ));
  return token.ordered ? (
    <ol dir="auto" start={Number(token.start) || 1}>
      {items}
    </ol>
  ) : (
    <ul dir="auto">{items}</ul>
  );
}

export function block(token: Token, context: BlockContext, depth = 0): ComponentChildren {
  if (depth > MAX_DEPTH) return <p>{token.raw}</p>;
  switch (token.type) {
    case "space":
    case "def":
    case "checkbox":
      return null;
    case "code":
      return <Code token={token as Tokens.Code} />;
    case "heading":
      return <Heading token={token as Tokens.Heading} context={context} />;
    case "table":
      return <Table token={token as Tokens.Table} context={context} />;
    case "hr":
      return <hr />;
    case "blockquote":
      return <blockquote dir="auto">{blocks((token as Tokens.Blockquote).tokens, context, depth + 1)}</blockquote>;
    case "list":
      return <List token={token as Tokens.List} context={context} depth={depth} />;
    case "paragraph":
      return <p dir="auto">{inline((token as Tokens.Paragraph).tokens, context.resolve)}</p>;
    case "text": {
      const text = token as Tokens.Text;
      return <span>{text.tokens ? inline(text.tokens, context.resolve) : text.text}</span>;
    }
    case "html":
      return (
        <p class="md-html" dir="auto">
          {token.raw.trim()}
        </p>
      );
    default:
      return <p dir="auto">{token.raw}</p>;
  }
}

export function blocks(tokens: readonly Token[], context: BlockContext, depth: number): ComponentChildren {
  return tokens.map((token) => block(token, context, depth));
}
