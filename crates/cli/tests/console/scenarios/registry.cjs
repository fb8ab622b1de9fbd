"use strict";

module.exports = async (test) => {
  const { assert } = test;
  const tab = await test.tab();
  await tab.open("#/registry");
  await tab.see("package-row", "csv-clean");
  await tab.type("search", "tables");
  await tab.see("package-row", "csv-clean");
  await tab.picture("registry");
  await tab.go("#/registry/csv-clean");
  await tab.see("version", "1.1.0");
  await tab.see("version", "1.0.0");
  assert.match(await tab.text("version-diff"), /Two\./);
  await tab.accessible("a package");
  await tab.picture("package");
  await tab.click("install-button");
  await tab.see("candidate", "csv-clean");
  await tab.accessible("an installation");
  await tab.click("install");
  await tab.until(() => location.hash.startsWith("#/skills/csv-clean"));
  await tab.see("levels");
  // A skill of this machine becomes a package.
  await tab.go("#/registry");
  await tab.click("publish");
  const skill = await tab.see("publish-skill");
  await skill.evaluate((it) => it.tagName) === "SELECT" ? await skill.select("haiku") : await tab.fill("publish-skill", "haiku");
  await tab.fill("publish-version", "0.3.0");
  await tab.click("publish-submit");
  await tab.see("publish-receipt");
  await tab.go("#/registry/haiku");
  await tab.see("version", "0.3.0");
};
