// The line at the top: where the user is, the palette, the model, the theme.

import { connection } from "../api/connection";
import { chatAccess, model } from "../state/model";
import { theme, THEMES, type Theme } from "../state/theme";
import { IconButton } from "../ui/button";
import { Icon, type IconName } from "../ui/icon";
import { Menu } from "../ui/menu";
import { openOverlay } from "./overlay";

const THEME_ICONS: Record<Theme, IconName> = { system: "system", light: "sun", dark: "moon", contrast: "contrast" };

export const COMMAND_KEY = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl";

export function TopBar() {
  const online = connection.value === "online";
  return (
    <header class="top-bar">
      <button type="button" class="palette-button" data-test="palette-button" onClick={() => openOverlay("palette")}>
        <Icon name="search" size={16} />
        <span>Search or run a command</span>
        <kbd>{COMMAND_KEY} K</kbd>
      </button>
      <div class="top-bar-end">
        <span class={online ? "connection online" : "connection lost"} data-test="connection" title={online ? "Connected to the server" : "The server cannot be reached"}>
          <span class="connection-dot" aria-hidden="true" />
          <span class="connection-word">{online ? "Connected" : "Not connected"}</span>
        </span>
        {/* The place of the name is there before the name is known. */}
        {!model.value && chatAccess.value === "unknown" && <span class="model-button" aria-hidden="true" />}
        {model.value && (
          <button type="button" class="model-button" data-test="model" onClick={() => openOverlay("model")}>
            {model.value.demo ? "Demo model" : model.value.name}
            <Icon name="down" size={14} />
          </button>
        )}
        <Menu
          title={`Theme: ${THEMES.find((it) => it.id === theme.value)?.title ?? ""}`}
          icon={THEME_ICONS[theme.value]}
          test="theme"
          items={THEMES.map((it) => ({
            title: it.title,
            icon: THEME_ICONS[it.id],
            checked: it.id === theme.value,
            test: `theme-${it.id}`,
            run: () => (theme.value = it.id),
          }))}
        />
        <IconButton icon="keyboard" title="Keyboard shortcuts" data-test="shortcuts-button" onClick={() => openOverlay("shortcuts")} />
      </div>
    </header>
  );
}
