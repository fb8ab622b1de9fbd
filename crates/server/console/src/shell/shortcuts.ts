// Keyboard shortcuts. Those of a single key work outside of text fields and can be switched off.

import { signal } from "@preact/signals";
import { go, linkTo, type Area } from "../state/route";
import { isOverlayOpen, openOverlay } from "./overlay";

const KEY = "prowess.single-keys";
/** How long the second key of a pair may take. */
const PAIR_MS = 1200;

export const singleKeys = signal(localStorage.getItem(KEY) !== "off");

export function setSingleKeys(on: boolean): void {
  singleKeys.value = on;
  localStorage.setItem(KEY, on ? "on" : "off");
}

const GO: Record<string, Area> = { c: "chat", s: "skills", p: "places", r: "registry", e: "evals" };

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

function focusFirst(selectors: readonly string[]): boolean {
  for (const selector of selectors) {
    const found = document.querySelector<HTMLElement>(selector);
    if (found && found.offsetParent !== null) {
      found.focus();
      return true;
    }
  }
  return false;
}

let pairUntil = 0;

function onKey(event: KeyboardEvent): void {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k") {
    event.preventDefault();
    openOverlay("palette");
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || !singleKeys.value || isTyping(event.target) || isOverlayOpen()) return;
  if (pairUntil > Date.now()) {
    pairUntil = 0;
    const area = GO[event.key];
    if (area) {
      event.preventDefault();
      go(linkTo(area));
      return;
    }
  }
  if (event.key === "g") pairUntil = Date.now() + PAIR_MS;
  else if (event.key === "?") openOverlay("shortcuts");
  else if (event.key === "n") go(linkTo("chat"));
  else if (event.key === "/") {
    if (focusFirst(["[data-test=search]", "[data-test=composer]"])) event.preventDefault();
  }
}

export function startShortcuts(): void {
  document.addEventListener("keydown", onKey);
}
