"use strict";

// While the server is gone the page says so and keeps what was typed; then it goes on by itself.
module.exports = async (test) => {
  const { assert } = test;
  const tab = await test.tab();
  await tab.open();
  await tab.say("First");
  await tab.type("composer", "A long text that must not get lost");
  await test.ask("stop");
  await tab.see("connection-banner");
  await tab.press("Enter");
  // It is sent, refused, and back in its field.
  await tab.until(() => document.querySelector('[data-test="composer"]').value.includes("must not get lost"));
  await test.ask("start");
  await tab.gone("connection-banner");
  assert.match(await tab.value("composer"), /must not get lost/);
  await tab.see("answer", "Before.");
  await (await tab.see("composer")).focus();
  await tab.press("Enter");
  await tab.see("answer", "After.");
  // What failed while the server was gone is no error of the page.
  test.errors.length = 0;
};
