// A chat that is open in this tab: its turns, and the stream of events that changes them.

import { batch, signal } from "@preact/signals";
import { ApiError, isAbort, request, send } from "../api/client";
import type { Chat, ChatEvent } from "../api/chat-types";
import { connection, onReconnect, reportLost } from "../api/connection";
import { readEvents, type StreamMessage } from "../api/event-stream";
import { skillsById } from "../state/skill-index";
import { announce } from "../state/toasts";
import { newTurn, turnsOf, withResults, type Turn } from "./timeline";
import { applyEvents } from "./turn-events";
import { saveMarks, withMarks } from "./turn-marks";

/** A hidden tab closes its stream: browsers allow six connections to a server. */
const HIDDEN_MS = 20_000;
/** A stream that ends at once is not opened again at once. */
const PAUSE_MS = 400;

/** How long the events of the running turn may take until open questions are shown without them. */
const QUESTIONS_MS = 600;

export type ChatStatus = "loading" | "ready" | "missing" | "failed" | "deleted";

export class LiveChat {
  readonly status = signal<ChatStatus>("loading");
  readonly error = signal<string | null>(null);
  readonly title = signal("");
  readonly turns = signal<readonly Turn[]>([]);
  readonly active = signal<readonly string[]>([]);
  readonly running = signal(false);
  readonly model = signal<string | null>(null);
  readonly forkedFrom = signal<string | null>(null);

  private lastEvent: string | null = null;
  /** Undone turns of this tab whose events are still to come: loading the chat again would lose what only events say. */
  private ownUndos = 0;
  private queue: ChatEvent[] = [];
  private frame = 0;
  private abort = new AbortController();
  private stream: AbortController | null = null;
  private hiddenTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly stopListening: () => void;

  constructor(
    readonly id: string,
    /** Called when something changed that the list of chats shows. */
    private readonly onListChange: () => void,
    /** The chat as it was created: its first turn may be over before it could be fetched, and only events say all of it. */
    created: Chat | undefined,
  ) {
    this.stopListening = onReconnect(() => void this.load());
    document.addEventListener("visibilitychange", this.onVisibility);
    if (created) {
      this.show(created);
      void this.follow();
    } else {
      void this.load();
    }
  }

  close(): void {
    this.stopListening();
    document.removeEventListener("visibilitychange", this.onVisibility);
    clearTimeout(this.hiddenTimer);
    cancelAnimationFrame(this.frame);
    this.abort.abort();
    this.stream?.abort();
  }

  get path(): string {
    return `/api/chats/${encodeURIComponent(this.id)}`;
  }

  /** Fetches the chat and follows its events. */
  async load(): Promise<void> {
    this.abort.abort();
    this.abort = new AbortController();
    const { signal: aborted } = this.abort;
    try {
      const chat = await request<Chat>(this.path, { signal: aborted });
      this.queue = [];
      this.ownUndos = 0;
      batch(() => this.show(chat));
      void this.follow();
      if (chat.questions.length > 0) setTimeout(() => this.showQuestions(chat), QUESTIONS_MS);
    } catch (error) {
      if (isAbort(error)) return;
      // A chat that is on the screen stays there while the server is gone.
      if (error instanceof ApiError && error.status === 404) this.status.value = this.status.value === "ready" ? "deleted" : "missing";
      else if (this.status.value !== "ready") {
        this.status.value = "failed";
        this.error.value = error instanceof Error ? error.message : String(error);
      }
    }
  }

  private show(chat: Chat): void {
    const known = (id: string) => skillsById.value.size === 0 || skillsById.value.has(id) || chat.active.includes(id);
    const turns = withMarks(this.id, turnsOf(chat.entries, known));
    const pending = this.turns.value.find((turn) => turn.state === "pending");
    if (chat.turn !== null) turns.push(newTurn(chat.turn, pending?.text ?? "", "running"));
    // A message that is on its way to the server is not in the chat yet.
    else if (pending && this.running.value && turns.length < pending.number) turns.push(pending);
    this.turns.value = turns;
    this.title.value = chat.title;
    this.active.value = chat.active;
    this.model.value = chat.model;
    this.forkedFrom.value = chat.forked_from ?? null;
    this.running.value = turns.at(-1)?.state !== "done" && turns.length > 0;
    this.lastEvent = chat.last_event;
    this.status.value = "ready";
    this.error.value = null;
  }

  /** A question is open whether or not the server still has the event that asked it. */
  private showQuestions(chat: Chat): void {
    const turn = this.turns.value.find((it) => it.number === chat.turn);
    if (!turn || turn.state === "done") return;
    const shown = new Set(turn.items.map((item) => (item.kind === "question" ? item.question.id : "")));
    const missing = chat.questions.filter((question) => !shown.has(question.id));
    if (missing.length === 0) return;
    this.applyToTurn(
      turn.number,
      missing.map((question): ChatEvent => ({ ...question, type: "question" })),
    );
  }

  private async follow(): Promise<void> {
    this.stream?.abort();
    const stream = new AbortController();
    this.stream = stream;
    while (!stream.signal.aborted && this.status.value === "ready") {
      try {
        const after = this.lastEvent === null ? "" : `?after=${encodeURIComponent(this.lastEvent)}`;
        await readEvents(`${this.path}/events${after}`, this.lastEvent, stream.signal, () => undefined, (messages) => this.receive(messages));
      } catch (error) {
        if (stream.signal.aborted) return;
        if (error instanceof ApiError) {
          if (error.status === 404) this.status.value = "deleted";
          // An unreachable server or a refused token: a reconnect or a new token loads the chat again.
          if (error.status !== 503) return;
        } else {
          reportLost();
          return;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  private receive(messages: readonly StreamMessage[]): void {
    for (const message of messages) {
      if (message.id !== "") this.lastEvent = message.id;
      try {
        this.queue.push(JSON.parse(message.data) as ChatEvent);
      } catch {
        // A malformed event is as good as a missing one.
        this.queue.push({ type: "reset", reason: "malformed event" });
      }
    }
    // A hidden tab gets no frames.
    if (document.hidden) this.flush();
    else if (this.frame === 0) this.frame = requestAnimationFrame(() => this.flush());
  }

  private flush(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const events = this.queue;
    this.queue = [];
    batch(() => this.apply(events));
  }

  private apply(events: readonly ChatEvent[]): void {
    const groups = new Map<number, ChatEvent[]>();
    for (const event of events) {
      if (event.type === "chat-changed" && this.ownUndos > 0) {
        this.ownUndos--;
        continue;
      }
      if (event.type === "reset" || event.type === "chat-changed") {
        void this.load();
        return;
      }
      if (event.type === "chat-deleted") {
        this.status.value = "deleted";
        this.stream?.abort();
        return;
      }
      if (event.turn === undefined) continue;
      const group = groups.get(event.turn);
      if (group) group.push(event);
      else groups.set(event.turn, [event]);
      if (event.type === "skill-loaded" && !this.active.value.includes(event.id)) this.active.value = [...this.active.value, event.id];
      if (event.type === "question") announce(`Question: ${event.text}`);
    }
    for (const [number, group] of groups) this.applyToTurn(number, group);
  }

  private applyToTurn(number: number, events: readonly ChatEvent[]): void {
    const turns = [...this.turns.value];
    let at = turns.findIndex((turn) => turn.number === number);
    if (at < 0) at = turns.push(newTurn(number, "", "running")) - 1;
    const before = turns[at];
    if (!before) return;
    const turn = applyEvents(before, events);
    turns[at] = turn;
    this.turns.value = turns;
    const finish = events.find((event) => event.type === "turn-finished");
    if (events.some((event) => event.type === "turn-started")) this.running.value = true;
    if (finish?.type === "turn-finished") this.finish(turn, finish.discarded);
  }

  private finish(turn: Turn, discarded: boolean): void {
    this.running.value = false;
    this.onListChange();
    if (discarded) {
      void this.load();
      return;
    }
    saveMarks(this.id, turn);
    announce(turn.ending === "cancelled" ? "Answer stopped" : "Answer complete");
    if (turn.number === 1 || turn.items.some((item) => item.kind === "call")) void this.fetchResults(turn.number);
  }

  /** The results of tools are in the saved chat only, and so is a title made from the first message. */
  private async fetchResults(number: number): Promise<void> {
    try {
      const chat = await request<Chat>(this.path, { signal: this.abort.signal });
      this.title.value = chat.title;
      this.active.value = chat.active;
      const saved = turnsOf(chat.entries, () => true).find((it) => it.number === number);
      if (saved) this.turns.value = this.turns.value.map((turn) => (turn.number === number ? withResults(turn, saved) : turn));
    } catch {
      // The cards are still there, without results.
    }
  }

  /** Sends a message. The turn is on the screen at once; if it was refused, it is removed again and the error thrown. */
  async send(text: string): Promise<void> {
    const number = this.turns.value.length + 1;
    this.turns.value = [...this.turns.value, newTurn(number, text, "pending")];
    this.running.value = true;
    try {
      await send(`${this.path}/messages`, { method: "POST", json: { text } });
    } catch (error) {
      this.turns.value = this.turns.value.filter((turn) => turn.number !== number || turn.state !== "pending");
      this.running.value = false;
      throw error;
    }
  }

  async stop(): Promise<void> {
    await send(`${this.path}/cancel`, { method: "POST" });
  }

  async answer(question: string, choice: string): Promise<void> {
    await send(`${this.path}/questions/${encodeURIComponent(question)}`, { method: "POST", json: { choice } });
  }

  /** Removes the last turn and returns its message. */
  async undo(): Promise<string> {
    this.ownUndos++;
    try {
      const { text } = await request<{ text: string }>(`${this.path}/undo`, { method: "POST" });
      this.turns.value = this.turns.value.slice(0, -1);
      return text;
    } catch (error) {
      this.ownUndos--;
      throw error;
    }
  }

  /** Removes the last turn and sends a message in its place. */
  async resend(text: string): Promise<void> {
    await this.undo();
    await this.send(text);
  }

  async rename(title: string): Promise<void> {
    const before = this.title.value;
    this.title.value = title;
    try {
      await send(this.path, { method: "PATCH", json: { title } });
      this.onListChange();
    } catch (error) {
      this.title.value = before;
      throw error;
    }
  }

  private readonly onVisibility = () => {
    clearTimeout(this.hiddenTimer);
    if (document.hidden) {
      this.hiddenTimer = setTimeout(() => {
        // With --on-disconnect cancel, closing the stream would end the turn.
        if (!this.running.value) this.stream?.abort();
      }, HIDDEN_MS);
    } else {
      if (this.queue.length > 0) this.flush();
      if (this.stream?.signal.aborted && this.status.value === "ready" && connection.value === "online") void this.follow();
    }
  };
}
