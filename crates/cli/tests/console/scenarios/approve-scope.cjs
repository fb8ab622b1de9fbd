"use strict";

// A token without the scope `approve` cannot allow code: the page says so, and the question stays open.
module.exports = async (test) => {
  const { assert } = test;
  const tab = await test.tab();
  await tab.open();
  await tab.type("composer", "Count the syllables of my haiku");
  await tab.press("Enter");
  assert.match(await tab.text("question-scope"), /shell as the user of the server/);
  await tab.click("question-choice", "once");
  await tab.see("toast", "the token needs the scope");
  await tab.see("question-choice", "once");
  await tab.accessible("a question that this token cannot answer");
  await tab.click("question-choice", "Deny");
  await tab.see("question-answer", "Deny");
  await tab.see("answer", "Not counted.");
};
