"use strict";

const fs = require("node:fs");
const path = require("node:path");

module.exports = async (test) => {
  const { assert } = test;
  const tab = await test.tab();
  await tab.open();
  await tab.say("A question");
  await tab.see("answer", "The first.");
  await tab.click("retry");
  await tab.see("answer", "The second.");
  assert.equal(await tab.count("user-message"), 1);
  await tab.click("edit");
  await tab.fill("edit-field", "A better question");
  await tab.click("edit-send");
  await tab.see("answer", "The third.");
  assert.equal(await tab.count("user-message"), 1);
  await tab.until(() => document.querySelectorAll('[data-test="usage"]').length === 1);
  const before = tab.page.url();
  await tab.click("fork");
  await tab.until((before) => location.href !== before, before);
  await tab.see("answer", "The third.");
  await tab.say("More");
  await tab.see("answer", "The fourth.");
  await tab.click("rename");
  await tab.fill("title-field", "Poems");
  await tab.press("Enter");
  await tab.see("chat-row", "Poems");
  assert.equal(await tab.count("chat-row"), 2);
  await tab.page.reload();
  await tab.see("chat-title", "Poems");
  // Exported files are downloads.
  const downloads = path.join(test.directory, "downloads");
  fs.rmSync(downloads, { recursive: true, force: true });
  const session = await test.browser.target().createCDPSession();
  await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: downloads });
  for (const [choice, ending, text] of [["export-md", ".md", "The fourth."], ["export-json", ".json", "better question"]]) {
    await tab.click("chat-menu");
    await tab.click(choice);
    let found;
    while (!found) {
      await tab.page.evaluate(() => new Promise(requestAnimationFrame));
      found = fs.existsSync(downloads) && fs.readdirSync(downloads).find((it) => it.endsWith(ending));
    }
    assert.ok(fs.readFileSync(path.join(downloads, found), "utf8").includes(text), found);
  }
  await tab.click("chat-menu");
  await tab.click("delete-chat");
  await tab.gone("chat-row", "Poems");
  // It can be undone for a moment; then the server deletes it.
  await tab.until(async (token) => {
    const answer = await fetch("/api/chats", { headers: { Authorization: `Bearer ${token}` } });
    return (await answer.json()).chats.length === 1;
  }, test.token);
  await tab.page.reload();
  await tab.see("chat-row");
  await tab.until(() => document.querySelectorAll('[data-test="chat-row"]').length === 1);
};
