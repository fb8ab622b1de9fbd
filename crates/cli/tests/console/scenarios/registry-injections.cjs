"use strict";

// Reasons of yanks, licences and texts of packages are shown as what they are.
module.exports = async (test) => {
  const { assert } = test;
  const tab = await test.tab();
  await tab.open("#/registry");
  await tab.see("package-row", "attack");
  await tab.go("#/registry/attack");
  for (let version = 0; version <= test.count; version++) await tab.see("version", `1.${version}.0`);
  await tab.see("version", "yanked");
  await tab.see("version", "onerror=injected=1");
  await tab.see("version-diff");
  const foreign = "main img, main iframe, main form:not([data-test]), main style, main script, main object, main embed, main video";
  assert.equal(await tab.page.$$eval(foreign, (all) => all.length), 0);
  await tab.click("install-button");
  await tab.see("candidate", "attack");
  await tab.settled();
};
