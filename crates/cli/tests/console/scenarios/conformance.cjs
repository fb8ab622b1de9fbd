"use strict";

// The conformance skill by `/name`: its body, its files, a refused path, its script.
module.exports = async (test) => {
  const tab = await test.tab();
  await tab.open();
  await tab.type("composer", "/skills-system-validation validate");
  await tab.press("Escape", "Enter");
  await tab.see("card-activation", "skills-system-validation");
  await tab.see("card-file", "references/REFERENCE.md");
  await tab.see("card-file", "assets/fixture.json");
  await tab.click("question-choice", "once");
  await tab.see("answer", "VALIDATION: passed");
  await tab.see("refusal");
  await tab.until(() => document.querySelectorAll('[data-test="usage"]').length === 1);
};
