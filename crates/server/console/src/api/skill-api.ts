// Requests about skills.

import { encodeId, encodePath, request, requestText, send } from "./client";
import type { Approval, CheckResult, FileEntry, ImportResult, Skill, SkillDetails, SkillList, WrittenSkill } from "./types";

const path = (id: string) => `/api/skills/${encodeId(id)}`;

export function fetchSkill(id: string, signal?: AbortSignal): Promise<Skill> {
  return request<Skill>(path(id), signal ? { signal } : {});
}

export function fetchDetails(id: string, signal?: AbortSignal): Promise<SkillDetails> {
  return request<SkillDetails>(`${path(id)}/details`, signal ? { signal } : {});
}

export function searchSkills(query: string, collection: string, signal: AbortSignal): Promise<SkillList> {
  const within = collection === "" ? "" : `&collection=${encodeURIComponent(collection)}`;
  return request<SkillList>(`/api/skills?query=${encodeURIComponent(query)}&limit=50${within}`, { signal });
}

export async function fetchFiles(id: string, signal?: AbortSignal): Promise<{ files: FileEntry[]; etag: string }> {
  const response = await send(`${path(id)}/files`, signal ? { signal } : {});
  const { files } = (await response.json()) as { files: FileEntry[] };
  return { files, etag: response.headers.get("etag") ?? "" };
}

/** The whole SKILL.md, as it is on disk. */
export function fetchSource(id: string, signal?: AbortSignal): Promise<{ text: string; etag: string }> {
  return requestText(`${path(id)}/files/SKILL.md`, signal ? { signal } : {});
}

export async function fetchFile(id: string, file: string, signal?: AbortSignal): Promise<Uint8Array> {
  const response = await send(`${path(id)}/files/${encodePath(file)}`, signal ? { signal } : {});
  return new Uint8Array(await response.arrayBuffer());
}

export function checkSource(content: string, directory: string | null, signal: AbortSignal): Promise<CheckResult> {
  return request<CheckResult>("/api/check", { method: "POST", json: { content, directory }, signal });
}

export function createSkill(id: string, content: string): Promise<WrittenSkill> {
  return request<WrittenSkill>("/api/skills", { method: "POST", json: { id, content } });
}

export function saveSource(id: string, content: string, etag: string): Promise<WrittenSkill> {
  return request<WrittenSkill>(path(id), { method: "PUT", json: { content }, headers: { "If-Match": etag } });
}

export async function deleteSkill(id: string): Promise<void> {
  const { files, etag } = await fetchFiles(id);
  // A skill with files is named by the list of its files, one without by itself.
  const tag = files.length > 0 ? etag : ((await send(path(id))).headers.get("etag") ?? "");
  await send(path(id), { method: "DELETE", headers: { "If-Match": tag } });
}

export async function setEnabled(id: string, enabled: boolean): Promise<void> {
  await send(`${path(id)}/enabled`, { method: "PUT", json: { enabled } });
}

export function importArchive(bytes: BodyInit, type: string): Promise<ImportResult> {
  return request<ImportResult>("/api/import", { method: "POST", body: bytes, headers: { "Content-Type": type } });
}

export async function fetchApprovals(signal?: AbortSignal): Promise<Approval[]> {
  return (await request<{ permissions: Approval[] }>("/api/approvals", signal ? { signal } : {})).permissions;
}

export async function revokeApprovals(id: string): Promise<void> {
  await send(`/api/approvals/${encodeId(id)}`, { method: "DELETE" });
}
