"use strict";

module.exports = async (test) => {
  const { assert } = test;
  const tab = await test.tab();
  await tab.open("#/skills");
  await tab.see("skill-row", "haiku");
  await tab.see("collection", "writing");
  await tab.type("search", "release");
  await tab.see("skill-row", "release-notes");
  await tab.gone("skill-row", "haiku");
  await tab.go("#/skills/haiku");
  await tab.see("levels");
  await tab.picture("skill");
  await tab.go("#/skills/haiku/files");
  await tab.click("file", "season.md");
  assert.match(await tab.text("file-preview"), /Spring/);
  // A problem at its line.
  await tab.go("#/skills/flawed/checks");
  await tab.see("diagnostic", "author");
  // Off, and on again.
  await tab.go("#/skills/haiku");
  await tab.click("enabled-switch");
  await tab.until(() => document.body.innerText.includes("Off"));
  await tab.settled();
  await tab.go("#/skills");
  await tab.fill("search", "");
  await tab.see("skill-row", "pdf-forms");
  await tab.gone("skill-row", "haiku");
  await tab.go("#/skills/haiku");
  await tab.see("skill-off");
  await tab.click("enable");
  await tab.see("levels");
  await tab.go("#/skills");
  await tab.see("skill-row", "haiku");
  // The palette goes anywhere by keys.
  await tab.page.keyboard.down("Control");
  await tab.press("k");
  await tab.page.keyboard.up("Control");
  await tab.see("palette-field");
  await tab.page.keyboard.type("pdf-forms");
  await tab.see("palette-option", "pdf-forms");
  await tab.press("Enter");
  await tab.until(() => location.hash.includes("pdf-forms"));
  await tab.press("Escape");
  await tab.page.keyboard.type("?");
  await tab.see("shortcuts");
};
