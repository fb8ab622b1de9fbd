"use strict";

module.exports = async (test) => {
  const { assert } = test;
  const tab = await test.tab();
  await tab.open("#/skills");
  await tab.see("skill-row", "skill-00000");
  await tab.until(() => document.querySelector('[data-test="skill-count"]').innerText.replace(/\D/g, "")=== "10003");
  const rows = await tab.count("skill-row");
  assert.ok(rows < 500, `${rows} rows are in the page at once`);
  await tab.type("search", "skill-09999");
  await tab.see("skill-row", "skill-09999");
  await tab.go("#/chat");
  await tab.type("composer", "/skill-0999");
  await tab.see("slash-option", "skill-09990");
};
