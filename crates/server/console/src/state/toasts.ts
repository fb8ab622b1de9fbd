// Short messages about what happened, and what a screen reader is told.

import { signal } from "@preact/signals";

export interface Toast {
  id: number;
  tone: "plain" | "error";
  text: string;
  action?: { title: string; run: () => void };
}

const LIFETIME_MS = 6000;
const ERROR_LIFETIME_MS = 12_000;

export const toasts = signal<readonly Toast[]>([]);
/** Read out politely; the number makes equal texts in a row be read again. */
export const announcement = signal<{ text: string; number: number }>({ text: "", number: 0 });

let last = 0;

export function announce(text: string): void {
  announcement.value = { text, number: announcement.value.number + 1 };
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((it) => it.id !== id);
}

function show(toast: Omit<Toast, "id">, lifetime: number): number {
  const id = ++last;
  toasts.value = [...toasts.value.slice(-3), { ...toast, id }];
  setTimeout(() => dismiss(id), lifetime);
  return id;
}

export function tell(text: string, action?: Toast["action"]): number {
  return show(action ? { tone: "plain", text, action } : { tone: "plain", text }, LIFETIME_MS);
}

export function tellError(text: string): number {
  return show({ tone: "error", text }, ERROR_LIFETIME_MS);
}
