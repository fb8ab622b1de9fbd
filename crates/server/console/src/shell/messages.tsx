// Toasts, the connection banner, and what a screen reader is told.

import { useEffect, useState } from "preact/hooks";
import { connection, nextAttempt, tryNow } from "../api/connection";
import { tokenState } from "../api/token";
import { announcement, dismiss, toasts } from "../state/toasts";
import { Button, IconButton } from "../ui/button";
import { Icon } from "../ui/icon";
import { TokenField } from "./token-form";
import { Ticks } from "../ui/ticks";

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite" data-test="toasts">
      {toasts.value.map((toast) => (
        <div key={toast.id} class={`toast ${toast.tone}`} data-test="toast" data-tone={toast.tone}>
          <Icon name={toast.tone === "error" ? "warning" : "info"} size={16} />
          <span dir="auto"><Ticks text={toast.text} /></span>
          {toast.action && (
            <Button
              small
              data-test="toast-action"
              onClick={() => {
                toast.action?.run();
                dismiss(toast.id);
              }}
            >
              {toast.action.title}
            </Button>
          )}
          <IconButton icon="close" title="Dismiss" small onClick={() => dismiss(toast.id)} />
        </div>
      ))}
    </div>
  );
}

export function Announcer() {
  const { text, number } = announcement.value;
  return (
    <div class="off-screen" aria-live="polite" data-test="announcer">
      {/* An even and an odd text differ, so that the same words are read again. */}
      {text}
      {number % 2 === 0 ? "" : "\u00a0"}
    </div>
  );
}

export function ConnectionBanner() {
  const lost = connection.value === "lost";
  const [, tick] = useState(0);
  useEffect(() => {
    if (!lost) return;
    const timer = setInterval(() => tick((it) => it + 1), 500);
    return () => clearInterval(timer);
  }, [lost]);
  if (!lost) return null;
  const seconds = Math.max(0, Math.ceil((nextAttempt.value - Date.now()) / 1000));
  return (
    <div class="banner bad" role="alert" data-test="connection-banner">
      <Icon name="warning" size={16} />
      <span>
        The server cannot be reached. What you typed is kept.
        <span aria-hidden="true"> {seconds > 0 ? `Trying again in ${seconds} s.` : "Trying now."}</span>
      </span>
      <Button small onClick={tryNow}>
        Try now
      </Button>
    </div>
  );
}

export function TokenBanner() {
  if (tokenState.value !== "refused") return null;
  return (
    <div class="banner warn" role="alert" data-test="token-banner">
      <Icon name="key" size={16} />
      <span>Your token expired or was revoked. What you typed is kept.</span>
      <TokenField />
    </div>
  );
}
