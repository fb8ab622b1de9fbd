// Every setting, and which file said so.

import { useState } from "preact/hooks";
import type { Configuration, Setting } from "../api/place-api";
import { Badge } from "../ui/parts";
import { Ticks } from "../ui/ticks";

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

function ignoredText({ key, reason }: Record<string, unknown>): string {
  return typeof reason === "string" ? reason : String(key);
}

export function ConfigurationTable({ configuration }: { configuration: Configuration }) {
  const [ownOnly, setOwnOnly] = useState(false);
  const isOwn = (it: Setting) => it.origin.from !== "default";
  const own = configuration.entries.filter(isOwn);
  const rows = ownOnly ? own : [...own, ...configuration.entries.filter((it) => !isOwn(it))];
  const ignored = configuration.ignored ?? [];
  return (
    <>
      <div class="row-start">
        <label class="check-field">
          <input type="checkbox" checked={ownOnly} data-test="own-settings" onChange={(event) => setOwnOnly(event.currentTarget.checked)} />
          Only what a file sets
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
                <Ticks text={ignoredText(entry)} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
