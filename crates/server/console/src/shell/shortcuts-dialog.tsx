// Every shortcut, and the switch for those of a single key.

import { Dialog } from "../ui/dialog";
import { Switch } from "../ui/parts";
import { AREAS } from "./navigation";
import { setSingleKeys, singleKeys } from "./shortcuts";
import { COMMAND_KEY } from "./top-bar";

const GROUPS: readonly { title: string; rows: readonly [string, string][] }[] = [
  {
    title: "Everywhere",
    rows: [
      [`${COMMAND_KEY} K`, "Search or run a command"],
      ["?", "Show this list"],
      ["/", "Go to the search field or the message field"],
      ["n", "New chat"],
      ...AREAS.map((it): [string, string] => [`g ${it.key}`, `Go to ${it.title}`]),
      ["Esc", "Close a dialog, a menu or a list"],
    ],
  },
  {
    title: "In a chat",
    rows: [
      ["Enter", "Send the message"],
      ["Shift Enter", "Start a new line"],
      ["/", "Complete the name of a skill: ↑ ↓ to choose, Enter or Tab to take, Esc to close"],
      ["↑", "Edit the last message, if the field is empty"],
      ["Esc", "Stop the answer"],
    ],
  },
  {
    title: "In lists and the editor",
    rows: [
      ["↓ ↑", "Next or previous row"],
      ["Enter", "Open the row"],
      [`${COMMAND_KEY} S`, "Save the skill"],
      ["F8", "Go to the next problem"],
    ],
  },
];

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} test="shortcuts">
      <Switch on={singleKeys.value} label="Shortcuts of a single key" onChange={setSingleKeys} />
      {GROUPS.map((group) => (
        <section key={group.title} class="shortcut-group">
          <h3>{group.title}</h3>
          <dl>
            {group.rows.map(([keys, about]) => (
              <div key={keys + about}>
                <dt>
                  {keys.split(" ").map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{about}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
