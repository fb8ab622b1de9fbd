// The theme of this browser. `system` follows the settings of the device, also for contrast.

import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark" | "contrast";

export const THEMES: readonly { id: Theme; title: string }[] = [
  { id: "system", title: "System" },
  { id: "light", title: "Light" },
  { id: "dark", title: "Dark" },
  { id: "contrast", title: "High contrast" },
];

const KEY = "prowess.theme";

function stored(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return THEMES.find((it) => it.id === value)?.id ?? "system";
  } catch {
    return "system";
  }
}

export const theme = signal<Theme>(stored());

export function startTheme(): void {
  effect(() => {
    document.documentElement.dataset["theme"] = theme.value;
    try {
      localStorage.setItem(KEY, theme.value);
    } catch {
      // The theme then lasts until the page is closed.
    }
  });
}
