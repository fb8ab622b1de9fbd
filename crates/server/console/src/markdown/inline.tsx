// Text within a block.

import type { ComponentChildren } from "preact";
import type { Token, Tokens } from "./blocks";
import { decode, isRelativePath, safeAddress } from "./links";

/** Finds the page for a relative link; null shows it as text. */
export type LinkResolver = (path: string) => string | null;

function link(token: Tokens.Link, resolve: LinkResolver | undefined, depth: number): ComponentChildren {
  const content = inline(token.tokens, resolve, depth);
  const address = safeAddress(token.href);
  if (address !== null) {
    return (
      <a href={address} target="_blank" rel="noopener noreferrer">
        {content}
      </a>
    );
  }
  const page = resolve && isRelativePath(token.href) ? resolve(decode(token.href)) : null;
  if (page !== null) return <a href={page}>{content}</a>;
  return (
    <span class="md-dead-link" title={token.href}>
      {content}
    </span>
  );
}

/** Images are not loaded: that would tell another host who reads this. */
function image(token: Tokens.Image): ComponentChildren {
  const label = `image: ${decode(token.text) || token.href.slice(0, 80)}`;
  const address = safeAddress(token.href);
  if (address === null) return <span class="md-image">{label}</span>;
  return (
    <a class="md-image" href={address} target="_blank" rel="noopener noreferrer">
      {label}
    </a>
  );
}

function one(token: Token, resolve: LinkResolver | undefined, depth: number): ComponentChildren {
  switch (token.type) {
    case "strong":
      return <strong>{inline((token as Tokens.Strong).tokens, resolve, depth)}</strong>;
    case "em":
      return <em>{inline((token as Tokens.Em).tokens, resolve, depth)}</em>;
    case "del":
      return <del>{inline((token as Tokens.Del).tokens, resolve, depth)}</del>;
    case "codespan":
      return <code dir="ltr">{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br />;
    case "link":
      return link(token as Tokens.Link, resolve, depth);
    case "image":
      return image(token as Tokens.Image);
    case "escape":
      return (token as Tokens.Escape).text;
    case "checkbox":
      return null;
    case "text": {
      const text = token as Tokens.Text;
      return text.tokens ? inline(text.tokens, resolve, depth) : decode(text.text);
    }
    default:
      // HTML is shown as the text that it is.
      return token.raw;
  }
}

const MAX_INLINE_DEPTH = 40;

export function inline(tokens: readonly Token[] | undefined, resolve: LinkResolver | undefined, depth = 0): ComponentChildren {
  if (!tokens) return null;
  if (depth > MAX_INLINE_DEPTH) return tokens.map((token) => token.raw).join("");
  return tokens.map((token) => one(token, resolve, depth + 1));
}
