// What a project wants to reach, and the question whether it may.

import { useState } from "preact/hooks";
import { ApiError, messageOf } from "../api/client";
import { acceptTrust, type Trust } from "../api/place-api";
import { tell, tellError } from "../state/toasts";
import { Button } from "../ui/button";
import { Icon } from "../ui/icon";

export function TrustQuestion({ trust, onAnswered }: { trust: Trust; onAnswered: () => void }) {
  const [read, setRead] = useState(false);
  const [sending, setSending] = useState(false);
  const accept = async () => {
    if (trust.digest === null) return;
    setSending(true);
    try {
      await acceptTrust(trust.digest);
      tell("The project is trusted");
    } catch (error) {
      const changed = error instanceof ApiError && error.status === 412;
      tellError(changed ? "the list has changed: read it again" : `cannot trust the project: ${messageOf(error)}`);
      setRead(false);
    } finally {
      setSending(false);
      onAnswered();
    }
  };
  return (
    <section class="trust" aria-labelledby="trust" data-test="trust">
      <header>
        <Icon name="shield" />
        <h2 id="trust">Do you trust this project?</h2>
      </header>
      <p>
        If you trust it, <code>{trust.root}</code>
      </p>
      <ul class="reach">
        {trust.reach.map((line) => (
          <li key={line} dir="auto" data-test="reach">
            {line}
          </li>
        ))}
      </ul>
      <p class="quiet-text">
        Digest <code data-test="trust-digest">{trust.digest}</code>. You are asked again when the list changes.
      </p>
      <label class="check-field">
        <input type="checkbox" checked={read} data-test="trust-read" onChange={(event) => setRead(event.currentTarget.checked)} />
        {trust.reach.length === 1 ? "I read this line" : `I read all ${trust.reach.length} lines`}
      </label>
      <div class="row-start">
        <Button look="primary" disabled={!read || sending} data-test="trust-accept" onClick={() => void accept()}>
          Yes, trust exactly this
        </Button>
        <span class="quiet-text">Without your consent these sources stay off.</span>
      </div>
    </section>
  );
}
