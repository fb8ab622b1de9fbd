"use strict";

const ROUNDS = 7;

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const row = (what, measured, target) => console.log(`| ${what} | ${measured} | ${target} |`);

// Time from a key to the next frame after the page changed.
async function keyToPaint(tab, key) {
  await tab.page.evaluate(() => {
    window.painted = new Promise((resolve) => {
      addEventListener("keydown", () => {
        const began = performance.now();
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)));
      }, { once: true, capture: true });
    });
  });
  await tab.press(key);
  return tab.page.evaluate(() => window.painted);
}

module.exports = async (test) => {
  const paints = [];
  for (let round = 0; round < ROUNDS; round++) {
    const tab = await test.tab();
    await tab.open("#/skills");
    await tab.see("skill-row");
    paints.push(await tab.page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime));
    await tab.page.close();
  }
  row("first contentful paint, 10,000 skills", `${median(paints).toFixed(0)} ms, at most ${Math.max(...paints).toFixed(0)}`, "200 ms");

  const tab = await test.tab();
  await tab.open("#/skills");
  await tab.until(() => document.querySelector('[data-test="skill-count"]').innerText.replace(/\D/g, "") === "10003");
  await (await tab.see("search")).focus();
  const keys = [];
  for (const key of "review code number 77") keys.push(await keyToPaint(tab, key === " " ? "Space" : key));
  row("a key in search, 10,000 skills, until it is painted", `${median(keys).toFixed(0)} ms, at most ${Math.max(...keys).toFixed(0)}`, "50 ms");

  // A chat of many turns, made over the API.
  const chat = await tab.page.evaluate(async (token, turns) => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const made = await (await fetch("/api/chats", { method: "POST", headers, body: "{}" })).json();
    for (let turn = 0; turn < turns; turn++) {
      const answer = await fetch(`/api/chats/${made.id}/messages`, {
        method: "POST", headers: { ...headers, Accept: "text/event-stream" }, body: JSON.stringify({ text: `Question ${turn}` }),
      });
      await answer.text();
    }
    return made.id;
  }, test.token, test.turns);
  const began = Date.now();
  await tab.go(`#/chat/${chat}`);
  await tab.see("user-message", `Question ${test.turns - 1}`);
  row(`a chat of ${test.turns} turns is on the screen`, `${Date.now() - began} ms`, "");
  await tab.settled();
  const gaps = await tab.page.evaluate(async () => {
    const scroller = [...document.querySelectorAll("*")].filter((it) => it.scrollHeight > it.clientHeight + 1000).pop();
    const gaps = [];
    let last = performance.now();
    let position = scroller.scrollHeight;
    while (position > 0) {
      position -= 400;
      scroller.scrollTop = Math.max(0, position);
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const now = performance.now();
      gaps.push(now - last);
      last = now;
    }
    return gaps;
  });
  const late = gaps.filter((it) => it > 50).length;
  row(`scrolling through it: frames over 50 ms of ${gaps.length}`, `${late}, at most ${Math.max(...gaps).toFixed(0)} ms`, "0");
  const memory = await tab.page.metrics();
  row("memory of scripts", `${(memory.JSHeapUsedSize / 1e6).toFixed(0)} MB`, "");
};
