// Every setting, and which file said so.

import { useState } from "preact/hooks";
import type { Configuration, Setting } from "../api/place-api";
import { Badge } from "../ui/parts";

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function Origin({ setting }: { setting: Setting }) {
  const { origin } = setting;
  if (origin.from === "default" || !("path" in origin)) return <span class="quiet-text">{origin.from}</span>;
  return (
    <>
      <code>
        {origin.path}:{origin.line}
      </code>{" "}
      {origin.scope && <Badge tone="accent">{origin.scope}</Badge>}
    </>
  );
}

function ignoredText(entry: Record<string, unknown>): string {
  const { key, path, line, reason } = entry;
  const place = typeof path === "string" ? ` (${path}${typeof line === "number" ? `:${line}` : ""})` : "";
  return `${typeof key === "string" ? key : JSON.stringify(entry)}${place}${typeof reason === "string" ? `: ${reason}` : ""}`;
}

export function ConfigurationTable({ configuration }: { configuration: Configuration }) {
  const [all, setAll] = useState(false);
  const own = configuration.entries.filter((it) => it.origin.from !== "default");
  const rows = all ? configuration.entries : own;
  const ignored = configuration.ignored ?? [];
  return (
    <>
      <div class="row-start">
        <label class="check-field">
          <input type="checkbox" checked={all} data-test="all-settings" onChange={(event) => setAll(event.currentTarget.checked)} />
          Show defaults and limits, too
        </label>
      </div>
      {rows.length === 0 ? (
        <p class="quiet-text">
          No file sets anything: every setting has its default. Your own file is <code>~/.config/prowess/prowess.toml</code>.
        </p>
      ) : (
        <div class="table-scroll" tabIndex={0} role="region" aria-label="Settings">
          <table class="table" data-test="configuration">
            <thead>
              <tr>
                <th scope="col">Setting</th>
                <th scope="col">Value</th>
                <th scope="col">Set by</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((setting) => (
                <tr key={setting.key}>
                  <td>
                    <code>{setting.key}</code>
                  </td>
                  <td class="wrap">
                    <code>{shown(setting.value)}</code>
                  </td>
                  <td>
                    <Origin setting={setting} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {ignored.length > 0 && (
        <>
          <h3 class="sub-title">Ignored</h3>
          <ul class="lines">
            {ignored.map((entry, at) => (
              <li key={at} class="warn-text">
                {ignoredText(entry)}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
