"use strict";

// Only keys: the menu of skills, a name that is unknown.
module.exports = async (test) => {
  const { assert } = test;
  const tab = await test.tab();
  await tab.open();
  await tab.see("composer");
  await (await tab.see("composer")).focus();
  await tab.page.keyboard.type("/");
  await tab.see("slash-option", "release-notes");
  assert.match(await tab.text("slash-menu"), /Writes haiku/);
  await tab.accessible("the menu of skills");
  await tab.press("Escape");
  await tab.gone("slash-menu");
  await tab.page.keyboard.type("ha");
  await tab.see("slash-option", "haiku");
  await tab.press("Tab");
  assert.match(await tab.value("composer"), /^\/haiku /);
  await tab.page.keyboard.type("about rain");
  await tab.press("Enter");
  await tab.see("card-activation", "haiku");
  await tab.see("answer", "Rain falls.");
  await tab.see("pill", "haiku");
  await tab.until(() => document.querySelectorAll('[data-test="usage"]').length === 1);
  await (await tab.see("composer")).focus();
  await tab.page.keyboard.type("/haikou about rain");
  assert.match(await tab.text("treated-as-text"), /haikou/);
  await tab.press("Enter");
  await tab.see("answer", "I see no such skill.");
};
