"use strict";

// What a question does not show cannot be allowed: a text that is longer than its box has to be read to its end.
module.exports = async (test) => {
  const { assert } = test;
  const tab = await test.tab();
  await tab.open();
  await tab.type("composer", "Add a workflow");
  await tab.press("Enter");
  await tab.click("question-choice", "once");
  await tab.see("question-unread");
  const states = () => tab.page.$$eval('[data-test="question-choice"]', (all) => all.map((it) => [it.dataset.choice, it.disabled]));
  assert.deepEqual(await states(), [["deny", false], ["once", true]]);
  await tab.click("question-choice", "once");
  await tab.accessible("a question that was not read yet");
  // By keyboard: the text takes the focus.
  await tab.page.focus('[data-test="question-text"]');
  await tab.press("End");
  await tab.gone("question-unread");
  assert.deepEqual(await states(), [["deny", false], ["once", false]]);
  await tab.click("question-choice", "once");
  await tab.see("answer", "Written.");
};
