"use strict";

module.exports = async (test) => {
  const { assert } = test;
  const tab = await test.tab();
  await tab.open("#/skills");
  await tab.see("skill-row", "attack-0");
  await tab.click("view-cards");
  for (let number = 0; number < test.count; number++) {
    await tab.go(`#/skills/attack-${number}`);
    await tab.until((id) => document.querySelector("h1")?.innerText.includes(id), `attack-${number}`);
    await tab.see("levels");
    if (number % 8 === 0) {
      await tab.go(`#/skills/attack-${number}/files`);
      for (const file of await tab.page.$$('[data-test="file"]')) {
        await file.click();
        await tab.see("file-preview");
      }
      await tab.go(`#/skills/attack-${number}/edit`);
      await tab.see("editor");
    }
  }
  await tab.go("#/places");
  await tab.see("source");
  await tab.go("#/chat");
  await tab.type("composer", "Attack me <img src=x onerror=injected=1>");
  await tab.press("Enter");
  await tab.until(() => document.querySelectorAll('[data-test="usage"]').length === 1);
  for (const summary of await tab.page.$$('[data-test^="card"] summary, [data-test^="card"] button[aria-expanded="false"]')) {
    await summary.evaluate((it) => it.click());
  }
  // Whatever can be clicked in the answer leads nowhere but to another tab.
  const links = await tab.page.$$eval('[data-test="answer"] a', (all) => all.map((it) => [it.protocol, it.rel, it.target]));
  for (const [protocol, rel, target] of links) {
    assert.ok(["http:", "https:", "mailto:"].includes(protocol), protocol);
    assert.ok(rel.includes("noopener") && target === "_blank", `${rel} ${target}`);
  }
  assert.equal(await tab.page.$$eval('[data-test="answer"] img, [data-test="answer"] iframe, [data-test="answer"] form, [data-test="answer"] style', (all) => all.length), 0);
  await tab.settled();
};
