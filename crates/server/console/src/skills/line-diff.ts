// The lines that differ between two texts.

export interface DiffLine {
  kind: "same" | "left" | "right";
  text: string;
}

/** Above this product of lines, texts are shown one after the other. */
const CELLS = 4_000_000;

export function diffLines(left: string, right: string): DiffLine[] {
  const a = left.split("\n");
  const b = right.split("\n");
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const same = (lines: string[]): DiffLine[] => lines.map((text) => ({ kind: "same", text }));
  const middle = between(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return [...same(a.slice(0, start)), ...middle, ...same(a.slice(a.length - end))];
}

function between(a: readonly string[], b: readonly string[]): DiffLine[] {
  const left = (text: string): DiffLine => ({ kind: "left", text });
  const right = (text: string): DiffLine => ({ kind: "right", text });
  if (a.length * b.length > CELLS) return [...a.map(left), ...b.map(right)];
  // The longest common subsequence, from the end.
  const width = b.length + 1;
  const table = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      table[i * width + j] =
        a[i] === b[j] ? (table[(i + 1) * width + j + 1] ?? 0) + 1 : Math.max(table[(i + 1) * width + j] ?? 0, table[i * width + j + 1] ?? 0);
    }
  }
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: "same", text: a[i] ?? "" });
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && (table[(i + 1) * width + j] ?? 0) >= (table[i * width + j + 1] ?? 0))) {
      lines.push(left(a[i] ?? ""));
      i++;
    } else {
      lines.push(right(b[j] ?? ""));
      j++;
    }
  }
  return lines;
}
