// Which addresses a text may link to.

const ALLOWED = new Set(["http:", "https:", "mailto:"]);

/** The address if it is absolute and harmless; null for everything else, such as `javascript:`. */
export function safeAddress(href: string): string | null {
  try {
    const url = new URL(href);
    return ALLOWED.has(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** Whether it is a path relative to the file that has the link. */
export function isRelativePath(href: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:/i.test(href) && !href.startsWith("/") && !href.startsWith("#") && !href.startsWith("\\");
}

const NAMED: Record<string, string> = {
  amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0", copy: "©", reg: "®", hellip: "…",
  mdash: "—", ndash: "–", laquo: "«", raquo: "»", times: "×", middot: "·", rarr: "→", larr: "←",
};

/** Character references as characters. */
export function decode(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi, (whole, name: string) => {
    if (name.startsWith("#")) {
      const hex = name[1] === "x" || name[1] === "X";
      const code = Number.parseInt(name.slice(hex ? 2 : 1), hex ? 16 : 10);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    }
    return NAMED[name] ?? whole;
  });
}
