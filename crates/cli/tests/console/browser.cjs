// Runs one scenario in Chromium: node browser.cjs SCENARIO JSON
//
// A scenario finds parts of the page by `data-test`. At the end, no script of a skill may have run, no policy may have been
// violated, and no request may have left the server.
"use strict";

const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const assert = require("node:assert/strict");
const puppeteer = require("puppeteer-core");

// Only a failing test waits for it.
const TIMEOUT = 60_000;
const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--force-color-profile=srgb",
];

class Tab {
  constructor(test, page) {
    this.test = test;
    this.page = page;
  }

  async prepare() {
    const { page, test } = this;
    page.setDefaultTimeout(TIMEOUT);
    await page.evaluateOnNewDocument(() => {
      window.violations = [];
      document.addEventListener("securitypolicyviolation", (event) =>
        window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
    });
    page.on("request", (request) => {
      const { protocol, host } = new URL(request.url());
      const isOurs = ["data:", "blob:"].includes(protocol) || host === new URL(test.url).host;
      if (!isOurs) test.foreign.push(request.url());
    });
    page.on("pageerror", (error) => test.errors.push(String(error && error.stack ? error.stack : error)));
    page.on("dialog", async (dialog) => {
      test.errors.push(`dialog: ${dialog.message()}`);
      await dialog.dismiss();
    });
    return this;
  }

  async open(route = "", token = this.test.token) {
    const secret = token ? `#token=${token}` : "";
    await this.page.goto(`${this.test.url}/${secret}`, { waitUntil: "load" });
    await this.see("nav-chat");
    if (route) await this.go(route);
  }

  async go(route) {
    await this.page.evaluate((route) => { location.hash = route; }, route);
  }

  selector(hook, text) {
    return text === undefined ? `[data-test="${hook}"]` : `::-p-xpath(//*[@data-test="${hook}"][contains(., "${text}")])`;
  }

  // Waits until a part is there and visible.
  async see(hook, text) {
    const selector = this.selector(hook, text);
    try {
      return await this.page.waitForSelector(selector, { visible: true });
    } catch (error) {
      const hooks = await this.page.$$eval("[data-test]", (all) => [...new Set(all.map((it) => it.dataset.test))]);
      throw new Error(`"${hook}"${text ? ` with "${text}"` : ""} did not appear; the page has ${hooks.join(", ")}`);
    }
  }

  async gone(hook, text) {
    await this.page.waitForSelector(this.selector(hook, text), { hidden: true });
  }

  async click(hook, text) {
    const element = await this.see(hook, text);
    await element.evaluate((it) => it.scrollIntoView({ block: "center" }));
    await element.click();
  }

  async type(hook, text) {
    const element = await this.see(hook);
    await element.click();
    await element.type(text);
  }

  async fill(hook, text) {
    const element = await this.see(hook);
    await element.evaluate((it, text) => {
      const prototype = Object.getPrototypeOf(it);
      Object.getOwnPropertyDescriptor(prototype, "value").set.call(it, text);
      it.dispatchEvent(new Event("input", { bubbles: true }));
    }, text);
  }

  async value(hook) {
    return (await this.see(hook)).evaluate((it) => it.value);
  }

  async text(hook) {
    return (await this.see(hook)).evaluate((it) => it.innerText);
  }

  async count(hook) {
    return (await this.page.$$(this.selector(hook))).length;
  }

  async press(...keys) {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  // Sends a message and waits for the end of the turn.
  async say(text) {
    const before = await this.count("usage");
    await this.type("composer", text);
    await this.press("Enter");
    await this.until((before) => document.querySelectorAll('[data-test="usage"]').length > before, before);
  }

  async until(check, ...values) {
    await this.page.waitForFunction(check, { polling: 50 }, ...values);
  }

  // Violations of the rules of accessibility.
  async accessible(name) {
    await this.settled();
    const source = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
    // The policy of the page refuses a script in the page; the debugger's own world may run it.
    const session = await this.page.createCDPSession();
    const { frameTree } = await session.send("Page.getFrameTree");
    const world = await session.send("Page.createIsolatedWorld", { frameId: frameTree.frame.id, worldName: "axe" });
    const contextId = world.executionContextId;
    await session.send("Runtime.evaluate", { expression: source, contextId });
    const run = `axe.run(document, { resultTypes: ["violations"] }).then((found) => JSON.stringify(found.violations.map((it) => ({ id: it.id, nodes: it.nodes.map((node) => node.html + " " + node.failureSummary).slice(0, 4) }))))`;
    const { result } = await session.send("Runtime.evaluate", { expression: run, contextId, awaitPromise: true });
    assert.deepEqual(JSON.parse(result.value), [], `axe on ${name}`);
  }

  // No animation runs any more, and the network is quiet.
  async settled() {
    await this.page.waitForNetworkIdle({ idleTime: 300, concurrency: 2 });
    await this.page.evaluate(() => Promise.all(document.getAnimations().map((it) => it.finished.catch(() => {}))));
  }

  async size(width, height = 900) {
    await this.page.setViewport({ width, height });
  }

  // What sticks out of the page to the right.
  async overflow() {
    return this.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  }

  async picture(name) {
    await this.settled();
    await this.page.screenshot({ path: path.join(this.test.directory, `${name}.png`) });
  }
}

class Test {
  constructor(options) {
    Object.assign(this, options);
    this.foreign = [];
    this.errors = [];
    this.tabs = [];
    this.waiting = [];
    process.stdin.on("data", () => this.waiting.shift()?.());
  }

  async tab() {
    const tab = await new Tab(this, await this.browser.newPage()).prepare();
    await tab.size(1280);
    this.tabs.push(tab);
    return tab;
  }

  // Asks the test outside to do something, and waits until it is done.
  async ask(name) {
    const done = new Promise((resolve) => this.waiting.push(resolve));
    process.stdout.write(`@${name}\n`);
    await done;
  }

  async clean() {
    for (const { page } of this.tabs) {
      if (page.isClosed() || page.url() === "about:blank") continue;
      const violations = await page.evaluate(() => window.violations);
      assert.deepEqual(violations, [], "violations of the policy");
      assert.equal(await page.evaluate(() => window.injected), undefined, "a script of a skill ran");
    }
    assert.deepEqual(this.foreign, [], "requests to other hosts");
    assert.deepEqual(this.errors, [], "errors in the page");
  }
}

async function main() {
  const [scenario, options] = process.argv.slice(2);
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), "prowess-browser-"));
  const browser = await puppeteer.launch({
    executablePath: "/usr/bin/chromium", headless: true, args: FLAGS, userDataDir: profile, protocolTimeout: 3 * TIMEOUT,
  });
  const test = new Test({ ...JSON.parse(options), browser, assert });
  try {
    await require(path.resolve(scenario))(test);
    await test.clean();
  } catch (error) {
    for (const [number, tab] of test.tabs.entries()) {
      await tab.page.screenshot({ path: path.join(test.directory, `failed-${number}.png`) }).catch(() => {});
    }
    console.error(error, test.errors);
    process.exitCode = 1;
  } finally {
    await browser.close();
    fs.rmSync(profile, { recursive: true, force: true });
    process.stdin.destroy();
  }
}

main();
