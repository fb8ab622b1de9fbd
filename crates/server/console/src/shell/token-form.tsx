// Asks for a token and says where to get one.

import { useState } from "preact/hooks";
import { setToken, tokenState } from "../api/token";
import { chatAccess } from "../state/model";
import { Button } from "../ui/button";
import { Icon } from "../ui/icon";

const PURPOSES = {
  chat: "Chats need a token with the scope chat.",
  change: "Changing skills needs a token with the scope write.",
  read: "This server gives skills only to clients with a token.",
} as const;

export function TokenField() {
  const [value, setValue] = useState("");
  return (
    <form
      class="token-form"
      onSubmit={(event) => {
        event.preventDefault();
        // A whole URL from the terminal works as well.
        const found = /prowess_[0-9a-zA-Z]+/.exec(value)?.[0] ?? value.trim();
        if (found !== "") setToken(found);
      }}
    >
      <label>
        <span>
          Token, or the URL that <code>prowess serve</code> printed
        </span>
        <input type="password" value={value} autocomplete="off" spellcheck={false} data-test="token-field" onInput={(event) => setValue(event.currentTarget.value)} />
      </label>
      <Button look="primary" type="submit" data-test="token-submit" disabled={value.trim() === ""}>
        Use this token
      </Button>
    </form>
  );
}

export function TokenForm({ purpose }: { purpose: keyof typeof PURPOSES }) {
  const refused = tokenState.value === "refused";
  const scope = chatAccess.value === "scope-needed" && purpose === "chat";
  const missing = chatAccess.value === "not-offered" && purpose === "chat";
  return (
    <div class="token-page" data-test="token-page">
      <span class="empty-icon">
        <Icon name="key" size={22} />
      </span>
      <h1>{missing ? "This server offers no chats" : refused ? "Your token is no longer valid" : scope ? "This token does not allow chats" : "A token is needed here"}</h1>
      {missing ? (
        <p>
          It was started with <code>--read-only</code>, or chats are off. You can still read skills.
        </p>
      ) : (
        <>
          <p>{refused ? "It expired or was revoked. What you typed is kept." : PURPOSES[purpose]}</p>
          <ol class="steps">
            <li>
              Open the URL that <code>prowess serve</code> printed: it has a token for as long as the server runs.
            </li>
            <li>
              Or make one: <code>prowess token create me --scope admin</code>
            </li>
          </ol>
          <p class="quiet-text">
            To allow code in chats, a token needs the scope <code>approve</code>, which is a shell as the user of the server. No other scope includes it.
          </p>
          <TokenField />
        </>
      )}
    </div>
  );
}
