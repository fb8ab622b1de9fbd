// Dialogs that any page can open. One is open at a time.

import { signal } from "@preact/signals";
import { ModelDialog } from "../chat/model-form";
import { Palette } from "./palette";
import { ShortcutsDialog } from "./shortcuts-dialog";

export type Overlay = "palette" | "shortcuts" | "model";

const open = signal<Overlay | null>(null);

export function openOverlay(overlay: Overlay): void {
  open.value = overlay;
}

export function isOverlayOpen(): boolean {
  return open.value !== null;
}

export function Overlays() {
  const close = () => (open.value = null);
  if (open.value === "palette") return <Palette onClose={close} />;
  if (open.value === "shortcuts") return <ShortcutsDialog onClose={close} />;
  if (open.value === "model") return <ModelDialog onClose={close} />;
  return null;
}
