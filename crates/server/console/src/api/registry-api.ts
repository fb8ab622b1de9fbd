// Requests about packages.

import { encodeId, request, send } from "./client";

export interface FoundPackage {
  name: string;
  version: string;
  description: string;
  downloads: number;
  published_at: string;
}

export interface PackageVersion {
  version: string;
  description: string;
  digest: string;
  size: number;
  files: number;
  published_at: string;
  published_by: string;
  types: string[];
  permissions: string[];
  licence: string | null;
  has_code: boolean;
  verdict: string;
  findings: string[];
  signed_by: string | null;
  yanked: { reason: string; at: string } | null;
  downloads: number;
}

export interface Package {
  name: string;
  description: string;
  latest: string | null;
  owners: string[];
  downloads: number;
  versions: PackageVersion[];
}

export interface VersionDiff {
  from: string | null;
  to: string;
  files: { path: string; change: "added" | "removed" | "changed"; text: string | null }[];
  permissions_added: string[];
  permissions_removed: string[];
}

export interface Inspection {
  version: string | null;
  description: string;
  files: number;
  bytes: number;
  loads: boolean;
  errors: string[];
  warnings: number;
  verdict: string;
  findings: unknown[];
  permissions: string[];
  code: string | null;
}

export interface InstallCandidate {
  name: string;
  source: string;
  resolved: string | null;
  digest: string;
  inspection: Inspection;
  notes: string[];
}

export interface InspectedSource {
  skills: InstallCandidate[];
  refused: { name?: string; reason?: string }[];
}

export type InstallScope = "project" | "user";
export type Consent = "none" | "yes" | "force";

const base = (name: string) => `/api/v1/skills/${encodeId(name)}`;

export interface PackageSearch {
  text: string;
  type: string;
  verdict: string;
  code: string;
}

export async function searchPackages(search: PackageSearch, offset: number, signal: AbortSignal): Promise<{ packages: FoundPackage[]; total: number }> {
  const parameters = new URLSearchParams({ q: search.text, limit: "30", offset: String(offset) });
  if (search.type) parameters.set("type", search.type);
  if (search.verdict) parameters.set("verdict", search.verdict);
  if (search.code) parameters.set("code", search.code);
  const response = await send(`/api/v1/search?${parameters}`, { signal });
  const packages = (await response.json()) as FoundPackage[];
  return { packages, total: Number(response.headers.get("x-total-count") ?? packages.length) };
}

export const fetchPackage = (name: string, signal: AbortSignal) => request<Package>(base(name), { signal });

export function fetchDiff(name: string, to: string, from: string, signal: AbortSignal): Promise<VersionDiff> {
  const query = from === "" ? "" : `?from=${encodeURIComponent(from)}`;
  return request<VersionDiff>(`${base(name)}/${encodeURIComponent(to)}/diff${query}`, { signal });
}

export function inspectSource(source: string, scope: InstallScope, signal: AbortSignal): Promise<InspectedSource> {
  return request<InspectedSource>("/api/packages/inspect", { method: "POST", json: { source, scope }, signal });
}

export async function installSource(source: string, scope: InstallScope, accept: Consent): Promise<void> {
  await send("/api/packages/install", { method: "POST", json: { source, scope, accept } });
}

export interface PublishReceipt {
  name: string;
  version: string;
  digest: string;
  warnings: string[];
}

export function publish(name: string, version: string, archive: Blob): Promise<PublishReceipt> {
  return request<PublishReceipt>(`${base(name)}/${encodeURIComponent(version)}`, {
    method: "PUT",
    body: archive,
    headers: { "Content-Type": "application/gzip" },
  });
}
