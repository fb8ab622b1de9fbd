"use strict";

// A page that is loaded again in the middle of an answer shows all of it, and goes on.
module.exports = async (test) => {
  const { assert } = test;
  const tab = await test.tab();
  await tab.open();
  await tab.type("composer", "Tell me a story");
  await tab.press("Enter");
  await tab.see("answer", "Once upon a time");
  await test.ask("hanging");
  await tab.page.reload();
  await tab.see("user-message", "Tell me a story");
  await tab.see("card-activation", "haiku");
  await tab.see("answer", "Once upon a time");
  assert.equal(await tab.count("card-activation"), 1);
  await tab.click("stop");
  await tab.gone("stop");
  await tab.type("composer", "Go on");
  await tab.press("Enter");
  await tab.see("answer", "Another answer.");
  assert.equal(await tab.count("user-message"), 2);
};
