"use strict";

module.exports = async (test) => {
  const tab = await test.tab();
  await tab.open("#/evals");
  await tab.see("suite", "haiku");
  await tab.accessible("evals");
  await tab.click("run-eval");
  await tab.see("charts");
  await tab.see("case");
  await tab.accessible("results of evals");
  await tab.picture("evals");
};
