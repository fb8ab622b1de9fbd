"use strict";

module.exports = async (test) => {
  const { assert } = test;
  const tab = await test.tab();
  await tab.open();
  await tab.say("Say much");
  const nodes = await tab.page.evaluate(() => document.querySelectorAll("*").length);
  assert.ok(nodes < 20_000, `${nodes} elements`);
  await tab.see("show-more");
  await tab.click("new-chat");
  await tab.gone("user-message");
  await tab.say("Hurt me");
  // The page answers to a key within a frame or two, long after both answers came.
  await tab.type("composer", "still here");
  assert.equal(await tab.value("composer"), "still here");
  await tab.page.reload();
  await tab.see("user-message", "Hurt me");
};
