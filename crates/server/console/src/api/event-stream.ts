// Server-sent events over fetch: EventSource cannot send a token.

import { send } from "./client";

export interface StreamMessage {
  id: string;
  data: string;
}

/** Splits a stream of text into messages. Comments, which only show that the server lives, are dropped. */
class EventParser {
  private rest = "";

  push(chunk: string): StreamMessage[] {
    const text = this.rest + chunk;
    const blocks = text.split("\n\n");
    this.rest = blocks.pop() ?? "";
    const messages: StreamMessage[] = [];
    for (const block of blocks) {
      let id = "";
      const data: string[] = [];
      for (const line of block.split("\n")) {
        if (line.startsWith("id:")) id = line.slice(3).trim();
        else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
      }
      if (data.length > 0) messages.push({ id, data: data.join("\n") });
    }
    return messages;
  }
}

/** Reads messages until the stream ends or is aborted. `onOpen` is called when the server accepted the request. */
export async function readEvents(
  path: string,
  lastEvent: string | null,
  signal: AbortSignal,
  onOpen: () => void,
  onMessages: (messages: StreamMessage[]) => void,
): Promise<void> {
  const headers: Record<string, string> = { Accept: "text/event-stream" };
  if (lastEvent !== null) headers["Last-Event-ID"] = lastEvent;
  const response = await send(path, { headers, signal });
  onOpen();
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const parser = new EventParser();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const messages = parser.push(value);
    if (messages.length > 0) onMessages(messages);
  }
}
