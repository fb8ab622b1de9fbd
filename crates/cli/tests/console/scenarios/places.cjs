"use strict";

module.exports = async (test) => {
  const { assert } = test;
  const tab = await test.tab();
  await tab.open("#/places");
  await tab.see("source", "shared");
  assert.match(await tab.text("trust"), /shared/);
  assert.match(await tab.text("trust-digest"), /^sha256:/);
  await tab.see("unused", "broken");
  await tab.accessible("places");
  await tab.picture("places");
  await tab.click("trust-read");
  await tab.click("trust-accept");
  await tab.gone("trust");
  await tab.go("#/skills");
  await tab.see("skill-row", "from-outside");
  await tab.go("#/places");
  await tab.see("configuration");
};
