// The address of a view is in the fragment: the server knows only one page.

import { signal } from "@preact/signals";

export type Area = "chat" | "skills" | "places" | "registry" | "evals";

export interface Route {
  area: Area;
  /** The chat, skill, package or eval run that is shown. */
  id: string | null;
  /** A part of that, such as `edit`. */
  part: string | null;
  /** What that part shows, such as the path of a file. */
  rest: string | null;
}

const AREAS: readonly Area[] = ["chat", "skills", "places", "registry", "evals"];

export const NEW_SKILL = "+new";

function parse(hash: string): Route {
  const [area, id, part, rest] = hash
    .replace(/^#\/?/, "")
    .split("/")
    .map((word) => {
      try {
        return decodeURIComponent(word);
      } catch {
        return word;
      }
    });
  const known = AREAS.find((it) => it === area);
  return { area: known ?? "chat", id: (known && id) || null, part: (known && part) || null, rest: (known && rest) || null };
}

export const route = signal<Route>(parse(location.hash));

export function linkTo(area: Area, id?: string | null, part?: string, rest?: string): string {
  const words = [area, id ?? "", part ?? "", rest ?? ""].map(encodeURIComponent);
  return `#/${words.join("/").replace(/\/+$/, "")}`;
}

export function go(hash: string, how: "push" | "replace" = "push"): void {
  if (location.hash === hash) return;
  if (how === "replace") {
    history.replaceState(null, "", hash);
    route.value = parse(hash);
  } else {
    location.hash = hash;
  }
}

addEventListener("hashchange", () => {
  if (!location.hash.startsWith("#token=")) route.value = parse(location.hash);
});
