"use strict";

module.exports = async (test) => {
  const { assert } = test;
  const tab = await test.tab();
  await tab.open();
  await tab.type("composer", "A text that must stay");
  await test.ask("revoke");
  // The server knows within two seconds.
  await tab.page.waitForFunction(async (token) => {
    const answer = await fetch("/api/model", { headers: { Authorization: `Bearer ${token}` } });
    return answer.status === 401;
  }, { polling: 500 }, test.token);
  await tab.press("Enter");
  await tab.see("token-field");
  await tab.fill("token-field", test.second);
  await tab.click("token-submit");
  await tab.see("composer");
  assert.match(await tab.value("composer"), /must stay/);
};
