"use strict";

module.exports = async (test) => {
  const { assert } = test;
  const tab = await test.tab();
  await tab.open("#/skills/haiku/edit");
  const text = await tab.value("editor");
  // A problem appears while one types, and goes away.
  await tab.fill("editor", text.replace("description: Does", "description: Use when: does"));
  await tab.see("line-mark");
  assert.match(await tab.text("diagnostics"), /colon/);
  await tab.accessible("the editor");
  await tab.picture("editor");
  await tab.fill("editor", `${text}Written in the browser.\n`);
  await tab.gone("line-mark");
  await tab.click("tab-model");
  assert.match(await tab.text("model-preview"), /Written in the browser/);
  await tab.click("save");
  await tab.see("toast", "Saved");
  // Someone else saves first: nothing of both texts is lost.
  await tab.go("#/skills/pdf-forms/edit");
  const other = await tab.value("editor");
  await tab.fill("editor", `${other}Mine.\n`);
  await test.ask("change");
  await tab.click("save");
  const conflict = await tab.text("conflict");
  assert.match(conflict, /Written by an editor/);
  assert.match(conflict, /Mine\./);
  await tab.accessible("a conflict");
  await tab.picture("conflict");
  await tab.click("conflict-edit");
  assert.match(await tab.value("editor"), /Mine\./);
  // A skill that is gone: the text stays.
  await test.ask("delete");
  await tab.click("save");
  await tab.see("skill-gone");
  assert.match(await tab.value("editor"), /Mine\./);
  await tab.page.evaluate(() => sessionStorage.removeItem("x"));
  // A new skill.
  await tab.go("#/skills/+new");
  await tab.fill("new-skill-id", "limerick");
  await tab.until(() => document.querySelector('[data-test="editor"]').value.includes("limerick"));
  const draft = await tab.value("editor");
  await tab.fill("editor", draft.replace(/description: .*/, "description: Writes limericks. Use it for limericks."));
  await tab.until(() => !document.querySelector('[data-test="save"]').disabled);
  await tab.click("save");
  await tab.until(() => location.hash === "#/skills/limerick");
};
