// An agent with skills: `prowess serve` beside it, any model with the OpenAI API behind it.
import { createInterface } from "node:readline";

const { PROWESS_URL = "http://127.0.0.1:7777", OPENAI_BASE_URL, OPENAI_API_KEY, MODEL } = process.env;
async function post(url, body, headers = {}) {
  const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
const session = await post(`${PROWESS_URL}/api/sessions`, {});
const here = `${PROWESS_URL}/api/sessions/${session.id}`;
const tools = session.tools.map(({ name, description, input_schema: parameters }) => ({ type: "function", function: { name, description, parameters } }));
const messages = [{ role: "system", content: session.prompt }];
for await (const line of createInterface({ input: process.stdin })) {
  const { content } = await post(`${here}/turn`, { message: line });
  if (content === null) { console.log(`${line} is active`); continue; }
  for (messages.push({ role: "user", content }); messages.at(-1).role !== "assistant";) {
    const body = await post(`${OPENAI_BASE_URL}/chat/completions`, { model: MODEL, messages, tools }, { authorization: `Bearer ${OPENAI_API_KEY}` });
    const answer = body.choices[0].message;
    messages.push(answer);
    for (const { id, function: call } of answer.tool_calls ?? []) {
      const result = await post(`${here}/call`, { tool: call.name, arguments: JSON.parse(call.arguments) });
      messages.push({ role: "tool", tool_call_id: id, content: JSON.stringify(result.content) });
    }
  }
  console.log(messages.at(-1).content);
}
