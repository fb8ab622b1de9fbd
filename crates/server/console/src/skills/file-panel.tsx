// The files of a skill, with a preview.

import { useEffect, useState } from "preact/hooks";
import { fetchFile } from "../api/skill-api";
import type { AuditFinding, FileEntry } from "../api/types";
import { Markdown } from "../markdown/markdown";
import { bytes } from "../ui/format";
import { Icon } from "../ui/icon";
import { Empty, Notice, Skeleton } from "../ui/parts";
import { useResource } from "../ui/use-resource";
import { SourceView } from "./source-view";

/** Larger files are not shown. */
const PREVIEW_BYTES = 2_000_000;
const IMAGES: Record<string, string> = { png: "image/png", jpg: "image/jpeg", jpeg: "image/jpeg", gif: "image/gif", webp: "image/webp" };

function extension(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1).toLowerCase();
}

/** The text, or null if it is not text. */
function textOf(content: Uint8Array): string | null {
  if (content.subarray(0, 8000).includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return null;
  }
}

function ImagePreview({ content, type, path }: { content: Uint8Array; type: string; path: string }) {
  const [url, setUrl] = useState("");
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([content as BlobPart], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [content]);
  return url ? <img class="preview-image" src={url} alt={path} /> : null;
}

function Preview({ id, file, findings }: { id: string; file: FileEntry; findings: readonly AuditFinding[] }) {
  const content = useResource((signal) => fetchFile(id, file.path, signal), `${id} ${file.path} ${file.size}`);
  if (content.error) return <Notice tone="bad" title="The file cannot be shown">{content.error.message}</Notice>;
  if (content.value === null) return <Skeleton lines={6} />;
  const type = IMAGES[extension(file.path)];
  if (type) return <ImagePreview content={content.value} type={type} path={file.path} />;
  const text = textOf(content.value);
  if (text === null) return <p class="quiet-text">This file is not text: {bytes(file.size)}.</p>;
  if (extension(file.path) === "md" && findings.length === 0) return <Markdown text={text} base={3} />;
  const notes = findings.map((it) => ({ line: it.line ?? 1, severity: it.severity, code: it.rule, message: it.message }));
  return <SourceView text={text} notes={notes} label={file.path} />;
}

interface FilePanelProps {
  id: string;
  files: readonly FileEntry[];
  findings: readonly AuditFinding[];
  chosen: string | null;
  onChoose: (path: string) => void;
}

export function FilePanel({ id, files, findings, chosen, onChoose }: FilePanelProps) {
  if (files.length === 0) {
    return (
      <Empty icon="file" title="No files">
        <p>
          Put longer texts into <code>references/</code> and programs into <code>scripts/</code>: a model reads them only when it needs them.
        </p>
      </Empty>
    );
  }
  const file = files.find((it) => it.path === chosen) ?? files[0];
  return (
    <div class="file-panel">
      <ul class="file-list" aria-label="Files">
        {files.map((it) => (
          <li key={it.path}>
            <button type="button" aria-pressed={it === file} data-test="file" data-path={it.path} onClick={() => onChoose(it.path)}>
              <Icon name="file" size={16} />
              <span class="file-path">{it.path}</span>
              {findings.some((finding) => finding.file === it.path) && <Icon name="warning" size={14} />}
              <span class="file-size">{bytes(it.size)}</span>
            </button>
          </li>
        ))}
      </ul>
      {file && (
        <div class="file-preview" data-test="file-preview">
          <h2>{file.path}</h2>
          {file.size > PREVIEW_BYTES ? (
            <p class="quiet-text">This file is too large to be shown: {bytes(file.size)}.</p>
          ) : (
            <Preview key={file.path} id={id} file={file} findings={findings.filter((it) => it.file === file.path)} />
          )}
        </div>
      )}
    </div>
  );
}
