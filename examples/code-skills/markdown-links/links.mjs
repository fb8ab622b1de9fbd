// The links and headings of a Markdown text.

/** Every relative link with its line, and the anchors that links may lead to. */
export function read(text) {
  const links = [];
  const anchors = new Set();
  const seen = new Map();
  const anchor = (name) => {
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    anchors.add(count ? `${name}-${count}` : name);
  };
  let web = 0;
  let previous = "";
  for (const { line, number } of prose(text)) {
    const heading = /^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/.exec(line);
    if (heading) anchor(slug(heading[1]));
    else if (/^ {0,3}(?:=+|-+)[ \t]*$/.test(line) && previous.trim()) anchor(slug(previous));
    for (const [, name] of line.matchAll(/<[a-z]+\b[^>]*\b(?:id|name)=["']([^"']+)["']/gi)) anchors.add(name);
    for (const target of targets(line)) {
      if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(target)) web += 1;
      else links.push({ target, line: number });
    }
    previous = heading ? "" : line;
  }
  return { links, anchors, web };
}

/** The lines that are neither front matter nor code. */
function* prose(text) {
  let fence = null;
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\n|\r/);
  let begin = 0;
  if (lines[0] === "---") {
    const end = lines.indexOf("---", 1);
    if (end > 0) begin = end + 1;
  }
  for (let at = begin; at < lines.length; at++) {
    const marks = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(lines[at]);
    if (fence) {
      const closes = marks && marks[1][0] === fence[0] && marks[1].length >= fence.length && !marks[2].trim();
      if (closes) fence = null;
    } else if (marks && !(marks[1][0] === "`" && marks[2].includes("`"))) {
      fence = marks[1];
    } else {
      yield { line: lines[at], number: at + 1 };
    }
  }
}

/** Where the links of a line lead: inline ones, images, and definitions of references. */
function* targets(line) {
  const text = line.replace(/(`+)(?!`).*?[^`]\1(?!`)/g, "");
  const inline = /\]\(\s*(?:<([^<>]*)>|((?:[^\s()\\]|\\.|\([^\s()]*\))*))(?:\s+(?:"[^"]*"|'[^']*'|\([^)]*\)))?\s*\)/g;
  for (const [, angled, bare] of text.matchAll(inline)) {
    const target = angled ?? bare;
    if (target) yield target.replace(/\\([!-/:-@[-`{-~])/g, "$1");
  }
  const definition = /^ {0,3}\[(?!\^)[^\]]+\]:\s*(?:<([^<>]*)>|(\S+))/.exec(text);
  if (definition) yield definition[1] ?? definition[2];
}

/** The anchor of a heading, as GitHub makes it. */
export function slug(heading) {
  const shown = heading
    .replace(/!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, "$1")
    .replace(/<[^>]*>/g, "");
  return shown.trim().toLowerCase().replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "").replaceAll(" ", "-");
}

/** The anchor that is most like one that does not exist; nothing if none is. */
export function nearest(wanted, anchors) {
  const far = Math.max(2, Math.floor(wanted.length / 3));
  const ranked = [...anchors].map((name) => [distance(wanted, name, far), name]).filter(([apart]) => apart <= far);
  ranked.sort(([a], [b]) => a - b);
  return ranked[0]?.[1];
}

function distance(a, b, limit) {
  if (Math.abs(a.length - b.length) > limit) return Infinity;
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length];
}
