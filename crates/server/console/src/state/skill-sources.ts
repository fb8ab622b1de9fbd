// Which source a skill is from. The list of skills does not say it, so it is asked for once for each skill that is shown.

import { signal } from "@preact/signals";
import { fetchDetails } from "../api/skill-api";

const sources = signal<ReadonlyMap<string, string>>(new Map());
const asked = new Set<string>();
/** One request at a time: a long chat may show many skills. */
let queue: Promise<void> = Promise.resolve();

async function load(id: string): Promise<void> {
  try {
    const { source } = await fetchDetails(id);
    sources.value = new Map(sources.value).set(id, source);
  } catch {
    // A skill that is gone has no source any more.
  }
}

/** The source, as soon as it is known. */
export function sourceOf(id: string): string | null {
  if (!asked.has(id)) {
    asked.add(id);
    queue = queue.then(() => load(id));
  }
  return sources.value.get(id) ?? null;
}
