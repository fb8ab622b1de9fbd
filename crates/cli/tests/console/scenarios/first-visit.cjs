"use strict";

// A visitor without a token reads skills and learns how to get a token; the token of the URL disappears from the address.
module.exports = async (test) => {
  const { assert } = test;
  const tab = await test.tab();
  await tab.open("", null);
  await tab.go("#/skills");
  await tab.see("skill-row", "haiku");
  await tab.go("#/chat");
  const page = await tab.text("token-page");
  assert.match(page, /prowess serve|prowess token create/);
  await tab.accessible("a visit without a token");
  await tab.type("token-field", "wrong-wrong-wrong-wrong");
  await tab.press("Enter");
  await tab.see("token-field");
  assert.equal(await tab.count("composer"), 0);

  const own = await test.tab();
  await own.open();
  assert.ok(!own.page.url().includes(test.token), own.page.url());
  assert.match(await own.text("first-steps"), /skill/i);
  await own.see("composer");
  await own.accessible("the first visit");
};
