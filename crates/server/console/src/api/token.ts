// The token of this tab. The server prints a URL with the token in the fragment, which browsers never send.

import { signal } from "@preact/signals";

const KEY = "prowess.token";
const CHANNEL = "prowess.token";
/** How long a new tab waits for the token of another tab. */
const ANSWER_MS = 120;

export type TokenState = "none" | "present" | "refused";

export const token = signal<string | null>(null);
export const tokenState = signal<TokenState>("none");

type Letter = { kind: "ask" } | { kind: "tell"; token: string };

let channel: BroadcastChannel | null = null;

function read(): string | null {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}

export function setToken(value: string): void {
  token.value = value;
  tokenState.value = "present";
  try {
    sessionStorage.setItem(KEY, value);
  } catch {
    // Without storage the token lives as long as the page.
  }
}

/** The server answered 401: the token expired or was revoked. It is not used again. */
export function refuseToken(used: string | null): void {
  // An answer to an older token, or to none, says nothing about the present one.
  if (used === null || used !== token.value) return;
  token.value = null;
  tokenState.value = "refused";
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Nothing is stored then.
  }
}

/** Takes the token out of the address, so that it is in no history and no screenshot. */
function takeFromAddress(): string | null {
  const match = /^#token=([^&]+)/.exec(location.hash);
  if (!match?.[1]) return null;
  history.replaceState(null, "", location.pathname + location.search + "#/");
  try {
    return decodeURIComponent(match[1]);
  } catch {
    return match[1];
  }
}

/** A tab that was opened with a link has no token of its own: tabs of this origin share theirs. */
function askOtherTabs(): Promise<void> {
  return new Promise((resolve) => {
    const done = setTimeout(resolve, ANSWER_MS);
    channel?.addEventListener("message", (event: MessageEvent<Letter>) => {
      if (event.data.kind === "tell" && token.value === null) {
        setToken(event.data.token);
        clearTimeout(done);
        resolve();
      }
    });
    channel?.postMessage({ kind: "ask" } satisfies Letter);
  });
}

async function loadToken(): Promise<void> {
  if (typeof BroadcastChannel !== "undefined") {
    channel = new BroadcastChannel(CHANNEL);
    channel.addEventListener("message", (event: MessageEvent<Letter>) => {
      if (event.data.kind === "ask" && token.value !== null) {
        channel?.postMessage({ kind: "tell", token: token.value } satisfies Letter);
      }
    });
  }
  const given = takeFromAddress() ?? read();
  if (given !== null) setToken(given);
  else if (channel) await askOtherTabs();
  // The same page may be opened again with a new token while it is open.
  addEventListener("hashchange", () => {
    const next = takeFromAddress();
    if (next !== null) {
      setToken(next);
      dispatchEvent(new HashChangeEvent("hashchange"));
    }
  });
}

let ready: Promise<void> = Promise.resolve();

export function startToken(): void {
  ready = loadToken();
}

/** Resolves when it is known whether another tab has a token. The page is painted before that. */
export function tokenKnown(): Promise<void> {
  return ready;
}
