// Adds skills from archives and folders of this device.

import { messageOf } from "../api/client";
import { importArchive } from "../api/skill-api";
import type { ImportResult } from "../api/types";
import { go, linkTo } from "../state/route";
import { loadSkills } from "../state/skill-index";
import { tell, tellError } from "../state/toasts";
import { zip, type ArchiveFile } from "./archive";

const MAX_FILES = 2000;
const MAX_BYTES = 16 * 1024 * 1024;

function isArchive(name: string): boolean {
  return /\.(zip|skill|tar\.gz|tgz)$/i.test(name);
}

function entriesOf(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject));
}

async function collect(entry: FileSystemEntry, parent: string, files: ArchiveFile[]): Promise<void> {
  // Hidden files such as .git are not part of a skill.
  if (entry.name.startsWith(".")) return;
  const path = parent + entry.name;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    files.push({ path, content: new Uint8Array(await file.arrayBuffer()) });
    const size = files.reduce((sum, it) => sum + it.content.length, 0);
    if (files.length > MAX_FILES || size > MAX_BYTES) throw new Error(`the folder is too large: at most ${MAX_FILES} files and 16 MiB`);
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (let part = await entriesOf(reader); part.length > 0; part = await entriesOf(reader)) {
    for (const child of part) await collect(child, `${path}/`, files);
  }
}

async function send(name: string, body: BodyInit, type: string): Promise<ImportResult> {
  try {
    return await importArchive(body, type);
  } catch (error) {
    throw new Error(`cannot add ${name}: ${messageOf(error)}`);
  }
}

function sendArchive(file: File): Promise<ImportResult> {
  return send(file.name, file, /gz$/i.test(file.name) ? "application/gzip" : "application/zip");
}

async function chosen(list: readonly File[]): Promise<ImportResult[]> {
  const results: ImportResult[] = [];
  const folder: ArchiveFile[] = [];
  for (const file of list) {
    const path = file.webkitRelativePath;
    if (path === "") results.push(await sendArchive(file));
    else if (!path.split("/").some((word) => word.startsWith("."))) folder.push({ path, content: new Uint8Array(await file.arrayBuffer()) });
  }
  if (folder.length > 0) results.push(await send("the folder", zip(folder), "application/zip"));
  return results;
}

async function dropped(data: DataTransfer): Promise<ImportResult[]> {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry());
  const files = [...data.files];
  const results: ImportResult[] = [];
  const folders: ArchiveFile[] = [];
  for (const [at, entry] of entries.entries()) {
    const file = files[at];
    if (entry?.isDirectory) await collect(entry, "", folders);
    else if (file && isArchive(file.name)) {
      results.push(await sendArchive(file));
    } else if (file?.name === "SKILL.md") throw new Error("cannot add SKILL.md alone: drop its folder");
    else if (file) throw new Error(`cannot add ${file.name}: expected a folder, .zip or .tar.gz`);
  }
  if (folders.length > 0) results.push(await send("the folder", zip(folders), "application/zip"));
  return results;
}

function report(results: readonly ImportResult[]): void {
  const created = results.flatMap((it) => it.created);
  for (const { id, reason } of results.flatMap((it) => it.refused)) tellError(`${id} was not added: ${reason}`);
  if (created.length === 0) return;
  tell(`Added ${created.join(", ")}`);
  void loadSkills();
  const [first] = created;
  go(created.length === 1 && first ? linkTo("skills", first) : linkTo("skills"));
}

/** Adds what was dropped on the page. */
export function addDropped(data: DataTransfer): void {
  dropped(data).then(report, (error: unknown) => tellError(messageOf(error)));
}

/** Asks for archives or a folder and adds them. */
export function chooseFiles(kind: "archive" | "folder"): void {
  const input = document.createElement("input");
  input.type = "file";
  if (kind === "folder") input.webkitdirectory = true;
  else {
    input.multiple = true;
    input.accept = ".zip,.skill,.tgz,.gz";
  }
  input.addEventListener("change", () => {
    chosen([...(input.files ?? [])]).then(report, (error: unknown) => tellError(messageOf(error)));
  });
  input.click();
}
