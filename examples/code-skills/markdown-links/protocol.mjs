// Messages to and from the host: JSON-RPC 2.0, one a line, on standard input and output.

import { createInterface } from "node:readline";

/** What the host, or the input, does not allow. */
export class Refused extends Error {}

const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");

// A stray console.log() must not get between the messages.
console.log = console.error;

class Host {
  #asked = 0;
  #waiting = new Map();

  /** Asks the host; resolves with its answer. */
  call(method, params) {
    const id = `c${++this.#asked}`;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      send({ id, method, params });
    });
  }

  /** Takes in the answer to a question. */
  handle_response({ id, result, error }) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) waiting?.reject(new Refused(error.message));
    else waiting?.resolve(result);
  }
}

/** Answers requests until the host has no more. Handlers are found by method and name. */
export function serve(registration, handlers) {
  const host = new Host();

  const work = async (method, { name, phase, input, data, files }) => {
    if (method === "initialize") return registration;
    const key = `${method} ${name ?? phase}`;
    if (!Object.hasOwn(handlers, key)) throw new Error(`unknown method ${key}`);
    try {
      return await handlers[key](host, input ?? data ?? files ?? {});
    } catch (problem) {
      if (!(problem instanceof Refused) || phase || files) throw problem;
      return { content: problem.message, is_error: true }; // for the model to read
    }
  };

  const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
  lines.on("line", async (line) => {
    const { id, method, params, ...answer } = JSON.parse(line);
    if (method === undefined) return host.handle_response({ id, ...answer });
    if (method === "shutdown") {
      send({ id, result: null });
      return lines.close();
    }
    try {
      send({ id, result: (await work(method, params ?? {})) ?? null });
    } catch (problem) {
      send({ id, error: { code: -32000, message: String(problem) } });
    }
  });
  // Whatever still waits for an answer waits in vain.
  lines.on("close", () => process.stdin.destroy());
}
