// Sends messages to an AG-UI endpoint, and prints what its own client makes of the events.
const { HttpAgent } = require("@ag-ui/client");

const [url, ...texts] = process.argv.slice(2);
const threadId = url.split("/").at(-2);
const headers = { Authorization: "Bearer s3cret-s3cret-s3cret" };
const report = { types: [], custom: [] };

async function main() {
  const agent = new HttpAgent({ url, threadId, headers });
  for (const [index, content] of texts.entries()) {
    const types = [];
    const custom = [];
    report.types.push(types);
    report.custom.push(custom);
    agent.addMessage({ id: `user-${index}`, role: "user", content });
    const subscriber = {
      onEvent: ({ event }) => void types.push(event.type),
      onCustomEvent: ({ event }) => void custom.push(event.name),
    };
    try {
      await agent.runAgent({ runId: `run-${index}` }, subscriber);
    } catch (error) {
      report.error = String(error);
    }
  }
  report.messages = agent.messages;
  console.log(JSON.stringify(report));
}

main();
