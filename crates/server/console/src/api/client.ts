// Requests to the HTTP API. Every failure is an ApiError that can be shown to a user.

import { reportLost, reportReached } from "./connection";
import { refuseToken, token, tokenKnown } from "./token";
import type { Diagnostic, Problem } from "./types";

/** `code` of an ApiError that is not an answer of the server. */
const UNREACHABLE = "unreachable";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    readonly diagnostics: Diagnostic[] = [],
  ) {
    super(detail);
  }
}

export interface RequestOptions {
  method?: string;
  json?: unknown;
  body?: BodyInit;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  keepalive?: boolean;
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 405);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function problemOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => "");
  try {
    const problem = JSON.parse(text) as Partial<Problem>;
    const detail = problem.detail ?? problem.title ?? response.statusText;
    return new ApiError(response.status, problem.code ?? "", detail, problem.diagnostics ?? []);
  } catch {
    return new ApiError(response.status, "", `the server answered ${response.status} ${response.statusText}`.trim());
  }
}

/** Sends a request and returns a successful response; everything else is thrown. */
export async function send(path: string, options: RequestOptions = {}): Promise<Response> {
  await tokenKnown();
  const used = token.value;
  const headers: Record<string, string> = { ...options.headers };
  if (used !== null) headers["Authorization"] = `Bearer ${used}`;
  const init: RequestInit = { method: options.method ?? "GET", headers };
  if (options.json !== undefined) {
    headers["Content-Type"] = "application/json";
    init.body = JSON.stringify(options.json);
  } else if (options.body !== undefined) {
    init.body = options.body;
  }
  if (options.signal) init.signal = options.signal;
  if (options.keepalive) init.keepalive = true;
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    if (isAbort(error)) throw error;
    reportLost();
    throw new ApiError(0, UNREACHABLE, "the server cannot be reached");
  }
  reportReached();
  if (response.ok) return response;
  if (response.status === 401) refuseToken(used);
  throw await problemOf(response);
}

export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const response = await send(path, options);
  return (await response.json()) as T;
}

/** A response together with the ETag that a later change has to name. */
export async function requestText(path: string, options: RequestOptions = {}): Promise<{ text: string; etag: string }> {
  const response = await send(path, options);
  return { text: await response.text(), etag: response.headers.get("etag") ?? "" };
}

export function encodeId(id: string): string {
  return encodeURIComponent(id);
}

/** The path of a file keeps its slashes. */
export function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
