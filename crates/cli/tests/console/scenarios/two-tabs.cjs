"use strict";

// Both tabs see each other's messages, and a question that one answers closes in the other.
module.exports = async (test) => {
  const { assert } = test;
  const first = await test.tab();
  await first.open();
  await first.say("One");
  const route = new URL(first.page.url()).hash;
  const second = await test.tab();
  await second.open(route);
  await second.see("answer", "The first answer.");
  await second.type("composer", "Two");
  await second.press("Enter");
  await first.page.bringToFront();
  await first.see("user-message", "Two");
  await first.see("question");
  await second.page.bringToFront();
  await second.click("question-choice", "once");
  await first.page.bringToFront();
  await first.see("answer", "The second answer.");
  assert.equal(await first.count("question-choice"), 0);
  assert.equal(await first.count("user-message"), 2);
};
