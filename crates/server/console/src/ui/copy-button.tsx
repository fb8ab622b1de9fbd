// Copies a text and says so.

import { useEffect, useState } from "preact/hooks";
import { announce, tellError } from "../state/toasts";
import { IconButton } from "./button";

const SHOWN_MS = 1500;

/** Browsers offer the clipboard only to secure pages; a selection works everywhere. */
function copyBySelection(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.setAttribute("readonly", "");
  area.className = "off-screen";
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  return copied;
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

export function CopyButton({ text, title = "Copy" }: { text: string | (() => string | Promise<string>); title?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    const value = typeof text === "string" ? text : await text();
    if (await copyText(value)) {
      setCopied(true);
      announce("copied");
    } else {
      tellError("cannot copy: the browser does not allow it");
    }
  };
  return <IconButton icon={copied ? "check" : "copy"} title={copied ? "Copied" : title} small data-test="copy" onClick={() => void copy()} />;
}
