"use strict";

const fs = require("node:fs");
const path = require("node:path");

// Drops files as a file manager does: a list of files, or the entries of a directory.
async function drop(tab, make) {
  await tab.page.evaluate(make);
}

module.exports = async (test) => {
  const tab = await test.tab();
  await tab.open("#/skills");
  await tab.see("skill-row", "haiku");
  const zip = fs.readFileSync(path.join(test.project, "dropped.zip")).toString("base64");
  await tab.page.evaluate((zip) => {
    const bytes = Uint8Array.from(atob(zip), (it) => it.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], "dropped.zip", { type: "application/zip" }));
    for (const type of ["dragenter", "dragover", "drop"]) {
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }
  }, zip);
  await tab.see("toast", "Added dropped");
  await tab.until(() => location.hash === "#/skills/dropped");
  await tab.see("levels");
  // A directory has entries, which only the browser itself can make; these stand for them.
  await drop(tab, () => {
    const last = (path) => path.split("/").pop();
    const file = (path, text) => ({
      name: last(path), isFile: true, isDirectory: false, fullPath: path, file: (done) => done(new File([text], last(path))),
    });
    const directory = (path, entries) => ({
      name: last(path), isFile: false, isDirectory: true, fullPath: path,
      createReader() {
        let left = entries;
        return { readEntries(done) { const some = left; left = []; done(some); } };
      },
    });
    const skill = "---\nname: folder\ndescription: From a folder. Use it.\n---\nText.\n";
    const entry = directory("/folder", [file("/folder/SKILL.md", skill), directory("/folder/notes", [file("/folder/notes/b.md", "B.\n")])]);
    const item = { kind: "file", webkitGetAsEntry: () => entry, getAsFile: () => null };
    const event = new Event("drop", { bubbles: true, cancelable: true });
    Object.defineProperty(event, "dataTransfer", { value: { types: ["Files"], items: [item], files: [] } });
    document.body.dispatchEvent(event);
  });
  await tab.see("toast", "Added folder");
  await tab.until(() => location.hash === "#/skills/folder");
  await tab.go("#/skills");
  await tab.see("skill-row", "folder");
};
