"use strict";

module.exports = async (test) => {
  const tab = await test.tab();
  await tab.open();
  await tab.type("composer", "Tell me a story");
  await tab.press("Enter");
  await tab.see("answer", "Once upon a time");
  await test.ask("hanging");
  await tab.click("stop");
  await tab.gone("stop");
  await tab.see("answer", "Once upon a time");
  await tab.type("composer", "And the end?");
  await tab.press("Enter");
  await tab.see("answer", "The end.");
};
