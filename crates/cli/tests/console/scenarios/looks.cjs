"use strict";

const ROUTES = [
  "#/chat", "#/skills", "#/skills/haiku", "#/skills/haiku/files", "#/skills/haiku/checks", "#/skills/rtl", "#/skills/haiku/edit",
  "#/skills/+new", "#/places", "#/registry", "#/evals",
];

// Every page, light, dark and with high contrast, on a phone and on a wide screen.
module.exports = async (test) => {
  const { assert } = test;
  const tab = await test.tab();
  await tab.open();
  await tab.say("a haiku about rain");
  const chat = await tab.page.evaluate(() => location.hash);
  for (const [scheme, contrast, width] of [
    ["light", "no-preference", 1280], ["dark", "no-preference", 1280], ["dark", "more", 360], ["light", "no-preference", 360], ["light", "no-preference", 1920],
  ]) {
    await tab.page.emulateMediaFeatures([
      { name: "prefers-color-scheme", value: scheme },
      ...(contrast === "more" ? [] : []),
    ]);
    const session = await tab.page.createCDPSession();
    await session.send("Emulation.setEmulatedMedia", {
      features: [{ name: "prefers-color-scheme", value: scheme }, { name: "prefers-contrast", value: contrast }],
    });
    await tab.size(width);
    for (const route of [chat, ...ROUTES]) {
      await tab.go(route);
      await tab.accessible(`${route} ${scheme} ${contrast} ${width}`);
      assert.ok(await tab.overflow() <= 0, `${route} is wider than ${width} px`);
      const name = route.replace(/[^a-z+]+/g, "-").slice(0, 30);
      await tab.picture(`${name}-${scheme}-${contrast}-${width}`);
    }
  }
};
