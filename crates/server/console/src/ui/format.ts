// Numbers and times as people read them.

const WHOLE = new Intl.NumberFormat("en");
const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const DAY = new Intl.DateTimeFormat("en", { year: "numeric", month: "short", day: "numeric" });
const MOMENT = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

export function count(value: number): string {
  return value < 100_000 ? WHOLE.format(value) : COMPACT.format(value).toLowerCase();
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${WHOLE.format(value)} ${value === 1 ? one : many}`;
}

export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  if (value < 1_000_000) return `${(value / 1000).toFixed(value < 10_000 ? 1 : 0)} kB`;
  return `${(value / 1_000_000).toFixed(1)} MB`;
}

export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1000)} s`;
}

export function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

/** How long ago, from seconds since 1970. */
export function age(seconds: number, now = Date.now() / 1000): string {
  const past = now - seconds;
  if (past < 45) return "just now";
  if (past < 3600) return `${Math.max(1, Math.round(past / 60))} min ago`;
  if (past < 86_400) return `${Math.round(past / 3600)} h ago`;
  if (past < 7 * 86_400) return plural(Math.round(past / 86_400), "day") + " ago";
  return DAY.format(new Date(seconds * 1000));
}

export function moment(seconds: number): string {
  return MOMENT.format(new Date(seconds * 1000));
}

/** Prowess estimates four characters for a token. */
export function estimatedTokens(characters: number): number {
  return Math.ceil(characters / 4);
}
