// How to set a model: the server takes it from a file, so the form writes the lines to copy.

import { useState } from "preact/hooks";
import { model } from "../state/model";
import { CopyButton } from "../ui/copy-button";
import { Dialog } from "../ui/dialog";

interface ProviderChoice {
  id: string;
  title: string;
  example: string;
  key: string | null;
  url?: string;
}

const PROVIDERS: readonly ProviderChoice[] = [
  { id: "anthropic", title: "Anthropic", example: "claude-sonnet-4-5", key: "ANTHROPIC_API_KEY" },
  { id: "openai", title: "OpenAI", example: "gpt-5", key: "OPENAI_API_KEY" },
  { id: "gemini", title: "Google Gemini", example: "gemini-2.5-pro", key: "GEMINI_API_KEY" },
  { id: "ollama", title: "Ollama on this machine", example: "llama3.2", key: null },
  { id: "local", title: "Another server that speaks as OpenAI does", example: "llama3.2", key: null, url: "http://localhost:11434/v1" },
  { id: "open_router", title: "OpenRouter", example: "openai/gpt-5", key: "OPENROUTER_API_KEY" },
  { id: "groq", title: "Groq", example: "llama-3.3-70b-versatile", key: "GROQ_API_KEY" },
  { id: "deepseek", title: "DeepSeek", example: "deepseek-chat", key: "DEEPSEEK_API_KEY" },
  { id: "xai", title: "xAI", example: "grok-4", key: "XAI_API_KEY" },
];

function toml(text: string): string {
  return JSON.stringify(text);
}

export function ModelDialog({ onClose }: { onClose: () => void }) {
  const [provider, setProvider] = useState(PROVIDERS[0]!);
  const [name, setName] = useState("");
  const [url, setUrl] = useState("");
  const [key, setKey] = useState("");
  const lines = ["[model]", `provider = ${toml(provider.id)}`, `name = ${toml(name || provider.example)}`];
  const address = url || provider.url;
  if (address) lines.push(`base_url = ${toml(address)}`);
  if (key) lines.push(`api_key_env = ${toml(key)}`);
  const snippet = lines.join("\n");
  const variable = key || provider.key;
  return (
    <Dialog title="Model" onClose={onClose} test="model-dialog">
      <p>
        {model.value?.demo ? (
          <>
            The <strong>demo model</strong> answers. It needs no key and no network, finds the skill that fits and quotes it, but does not reason.
          </>
        ) : model.value ? (
          <>
            <strong>{model.value.name}</strong> answers.
          </>
        ) : (
          "Choose a model that answers chats."
        )}{" "}
        To set another one, write these lines into your own <code>prowess.toml</code>.
      </p>
      <div class="form">
        <label>
          Provider
          <select value={provider.id} onChange={(event) => setProvider(PROVIDERS.find((it) => it.id === event.currentTarget.value) ?? PROVIDERS[0]!)}>
            {PROVIDERS.map((it) => (
              <option key={it.id} value={it.id}>
                {it.title}
              </option>
            ))}
          </select>
        </label>
        <label>
          Model
          <input value={name} placeholder={provider.example} spellcheck={false} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <label>
          Address, if not the usual one
          <input value={url} placeholder={provider.url ?? "https://…"} spellcheck={false} onInput={(event) => setUrl(event.currentTarget.value)} />
        </label>
        <label>
          Environment variable with the key
          <input value={key} placeholder={provider.key ?? "none needed"} spellcheck={false} onInput={(event) => setKey(event.currentTarget.value)} />
        </label>
      </div>
      <ol class="steps">
        <li>
          Add this to <code>~/.config/prowess/prowess.toml</code>
          <div class="snippet" data-test="model-snippet">
            <pre tabIndex={0}>{snippet}</pre>
            <CopyButton text={snippet} title="Copy lines" />
          </div>
        </li>
        {variable && (
          <li>
            Set the key where the server starts: <code>export {variable}=…</code>. Keys come from the environment only.
          </li>
        )}
        <li>
          Start <code>prowess serve</code> again. Chats that began with another model continue with the new one.
        </li>
      </ol>
    </Dialog>
  );
}
