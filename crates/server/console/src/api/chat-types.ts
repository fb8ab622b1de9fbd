// The chat part of the API: docs/chats.md.

export interface ChatSummary {
  id: string;
  title: string;
  turns: number;
  input_tokens: number;
  output_tokens: number;
  forked_from?: string | null;
  created: number;
  updated: number;
}

export interface ChatList {
  chats: ChatSummary[];
  next: string | null;
}

export interface ToolCall {
  id: string;
  tool: string;
  arguments: unknown;
}

export interface WorkflowRun {
  skill: string;
  workflow: string;
  input: unknown;
  content: string;
  is_error?: boolean;
}

export interface ToolReply {
  call: string;
  tool: string;
  content?: string;
  is_error?: boolean;
}

export type ChatEntry =
  | { role: "user"; text: string; references?: string[]; run?: WorkflowRun }
  | { role: "model"; text: string; calls?: ToolCall[]; cut?: string }
  | { role: "tools"; replies: ToolReply[] }
  | { role: "compacted"; from: number; summary?: string };

export interface Question {
  id: string;
  kind: string;
  skill: string;
  text: string;
  details?: string;
  choices: { id: string; title: string }[];
}

export interface Chat extends ChatSummary {
  model: string | null;
  state: "idle" | "running" | "waiting";
  turn: number | null;
  active: string[];
  entries: ChatEntry[];
  questions: Question[];
  last_event: string;
}

export interface TokenCount {
  input: number;
  cached: number;
  output: number;
}

export interface TurnUsage {
  provider: TokenCount;
  estimated?: TokenCount;
  requests: number;
  system?: number;
  catalog?: number;
  tools?: number;
  messages?: number;
  skills?: { id: string; catalog: number; instructions: number; files: number }[];
}

interface EventBody {
  "turn-started": { model: string };
  "user-message": { text: string; references: string[] };
  text: { delta: string };
  reasoning: { delta: string };
  replaced: { text: string };
  notice: { text: string };
  "skill-loaded": { id: string; by: string; bytes: number; dropped_bytes: number };
  "skill-already-active": { id: string };
  "skill-failed": { id: string; reason: string };
  "skill-unresolved": { reference: string; nearest: string[] };
  "tool-started": { call: string; tool: string; skill?: string | null; arguments: unknown };
  "tool-finished": {
    call: string;
    tool: string;
    skill?: string | null;
    is_error: boolean;
    duration_ms: number;
    bytes: number;
    truncated: boolean;
  };
  "tool-input-changed": { call: string; tool: string; changed_by: string[]; arguments: unknown };
  "tool-cancelled": { call: string; tool: string; skill: string; reason: string };
  "tool-not-allowed": { tool: string };
  "access-denied": { id: string; path: string };
  "permission-denied": { id: string; call: string; reason: string };
  "skill-state": { id: string; from: string; to: string; reason?: string | null };
  "activation-failed": { id: string; reason: string };
  "skill-trouble": { id: string; reason: string };
  "skill-log": { id: string; message: string };
  "catalog-cut": { total: number; shortened: number; undescribed: number; omitted: number };
  "prompt-cut": { id?: string | null; tokens: number };
  compacted: { messages: number; tokens_before: number; tokens_after: number; summarised: boolean };
  retry: { attempt: number; of: number; wait_ms: number; reason: string };
  question: Question;
  "question-answered": { id: string; choice: string | null; reason: string };
  usage: TurnUsage;
  failed: { reason: string };
  "not-saved": { reason: string };
  saved: Record<string, never>;
  done: { ending: string; text: string; rounds: number };
  "turn-finished": { ending: string; discarded: boolean };
  "chat-changed": { reason: string };
  "chat-deleted": Record<string, never>;
  reset: { reason: string };
}

/** An event with its type and, within a turn, the number of the turn. */
export type ChatEvent = { [T in keyof EventBody]: { type: T; turn?: number } & EventBody[T] }[keyof EventBody];
