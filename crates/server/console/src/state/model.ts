// The model that answers.

import { signal } from "@preact/signals";
import { ApiError, request } from "../api/client";
import { tokenState } from "../api/token";
import type { ModelInfo } from "../api/types";

export const model = signal<ModelInfo | null>(null);
/** Whether the server offers chats to this token. */
export const chatAccess = signal<"unknown" | "granted" | "token-needed" | "scope-needed" | "not-offered">("unknown");

export async function loadModel(): Promise<void> {
  try {
    model.value = await request<ModelInfo>("/api/model");
    chatAccess.value = "granted";
  } catch (error) {
    if (!(error instanceof ApiError)) return;
    // Chats that are on the screen stay there; a banner asks for a new token.
    if (error.status === 401 && tokenState.value === "refused" && chatAccess.value === "granted") return;
    model.value = null;
    if (error.status === 401) chatAccess.value = "token-needed";
    else if (error.status === 403) chatAccess.value = "scope-needed";
    else if (error.status === 404) chatAccess.value = "not-offered";
  }
}
