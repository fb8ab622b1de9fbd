"use strict";

// A skill is loaded, a file is read, a path is refused, and a script runs after the user allowed it.
module.exports = async (test) => {
  const { assert } = test;
  const tab = await test.tab();
  await tab.open();
  await tab.type("composer", "Count the syllables of my haiku");
  await tab.press("Enter");
  await tab.see("card-activation", "haiku");
  await tab.see("card-file", "references/season.md");
  assert.match(await tab.text("question-text"), /haiku/);
  await tab.accessible("a question");
  await tab.picture("question");
  await tab.click("question-choice", "once");
  await tab.see("answer", "17");
  await tab.see("card-tool", "run_skill_script");
  await tab.see("refusal");
  await tab.until(() => document.querySelectorAll('[data-test="usage"]').length === 1);
  assert.equal(await tab.page.$eval('[data-test="answer"] strong', (it) => it.innerText), "17");
  await tab.page.$eval('[data-test="answer"] pre code', (it) => it.innerText);
  await tab.accessible("a conversation");
  await tab.picture("conversation");
  // What happened is there after a reload.
  await tab.page.reload();
  await tab.see("answer", "17");
  await tab.see("card-activation", "haiku");
  await tab.see("card-file", "references/season.md");
  await tab.see("pill", "haiku");
};
