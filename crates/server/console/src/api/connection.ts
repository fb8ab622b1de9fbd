// Whether the server can be reached. Requests report what they see; a lost server is tried again with growing pauses.

import { signal } from "@preact/signals";

export type Connection = "online" | "lost";

export const connection = signal<Connection>("online");
/** When the next attempt is made, in milliseconds since 1970. */
export const nextAttempt = signal(0);

const FIRST_MS = 500;
const LONGEST_MS = 10_000;

const listeners = new Set<() => void>();
let pause = FIRST_MS;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Calls back each time that the server is reachable again. */
export function onReconnect(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function reportReached(): void {
  if (connection.value === "online") return;
  clearTimeout(timer);
  pause = FIRST_MS;
  connection.value = "online";
  for (const listener of [...listeners]) listener();
}

export function reportLost(): void {
  if (connection.value === "lost") return;
  connection.value = "lost";
  schedule();
}

export function tryNow(): void {
  if (connection.value !== "lost") return;
  clearTimeout(timer);
  void probe();
}

function schedule(): void {
  nextAttempt.value = Date.now() + pause;
  timer = setTimeout(() => void probe(), pause);
  pause = Math.min(pause * 2, LONGEST_MS);
}

async function probe(): Promise<void> {
  try {
    const response = await fetch("/readyz", { cache: "no-store" });
    if (response.ok) return reportReached();
  } catch {
    // Still gone.
  }
  schedule();
}

/** A page that asks for nothing notices nothing: it looks now and then whether the server is there. */
const LOOK_MS = 5_000;

async function look(): Promise<void> {
  if (document.hidden || connection.value === "lost") return;
  try {
    await fetch("/readyz", { cache: "no-store" });
  } catch {
    reportLost();
  }
}

setInterval(() => void look(), LOOK_MS);
addEventListener("online", tryNow);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) tryNow();
});
