// Requests about sources, trust and configuration.

import { request, send } from "./client";

export interface Source {
  name: string;
  health: "healthy" | "degraded" | "unhealthy" | "untrusted";
  reason?: string;
  refreshed?: number;
  skills: number;
  warnings?: string[];
  hidden?: number;
}

export interface SkillPlace {
  id: string;
  source: string;
}

export interface Catalog {
  skills: number;
  unavailable?: (SkillPlace & { requires_capabilities?: string[] })[];
  disabled?: SkillPlace[];
  refused?: (SkillPlace & { reason: string })[];
  shadowed?: (SkillPlace & { path?: string; winner?: string; winner_path?: string })[];
  invalid?: { path: string; source: string; reasons: string[] }[];
  omitted?: { count: number; setting: string };
  sources: Source[];
}

export interface Trust {
  root: string | null;
  trusted: boolean;
  digest: string | null;
  reach: string[];
}

export type SettingOrigin = { from: "default" } | { from: string; scope?: string; path?: string; line?: number };

export interface Setting {
  key: string;
  value: unknown;
  origin: SettingOrigin;
}

export interface Configuration {
  entries: Setting[];
  ignored?: Record<string, unknown>[];
  ignored_files?: unknown[];
}

export const fetchCatalog = (signal: AbortSignal) => request<Catalog>("/api/catalog", { signal });
export const fetchTrust = (signal: AbortSignal) => request<Trust>("/api/trust", { signal });
export const fetchConfiguration = (signal: AbortSignal) => request<Configuration>("/api/config", { signal });

/** Accepts exactly the list with this digest. */
export async function acceptTrust(digest: string): Promise<void> {
  await send("/api/trust", { method: "POST", json: { digest } });
}

/** Reads configuration and sources again. */
export async function reloadSources(): Promise<void> {
  await send("/api/reload", { method: "POST" });
}
