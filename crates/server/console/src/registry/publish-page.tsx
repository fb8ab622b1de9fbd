// Publishing a skill of this server: the package is made in the browser from its files.

import { useState } from "preact/hooks";
import { messageOf } from "../api/client";
import { publish, type PublishReceipt } from "../api/registry-api";
import { fetchDetails, fetchFile, fetchFiles } from "../api/skill-api";
import { token } from "../api/token";
import { linkTo } from "../state/route";
import { skills } from "../state/skill-index";
import { TokenForm } from "../shell/token-form";
import { gzip, tar, type ArchiveFile } from "../skills/archive";
import { Button } from "../ui/button";
import { Notice } from "../ui/parts";
import { useResource } from "../ui/use-resource";
import { Ticks } from "../ui/ticks";

async function packageOf(id: string): Promise<Blob> {
  const { files } = await fetchFiles(id);
  const paths = [...new Set(["SKILL.md", ...files.map((file) => file.path)])].sort();
  const contents: ArchiveFile[] = [];
  for (const path of paths) contents.push({ path, content: await fetchFile(id, path) });
  return gzip(tar(contents));
}

export function PublishPage({ skill }: { skill: string | null }) {
  const [id, setId] = useState(skill ?? "");
  const details = useResource(async (signal) => (id === "" ? null : fetchDetails(id, signal)), `publish ${id}`);
  const known = skills.value.find((it) => it.id === id);
  const suggested = details.value?.manifest?.version ?? known?.metadata["version"] ?? "0.1.0";
  const [version, setVersion] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [receipt, setReceipt] = useState<PublishReceipt | null>(null);
  if (token.value === null) return <TokenForm purpose="change" />;
  const name = id.slice(id.lastIndexOf("/") + 1);
  const number = (version || suggested).replace(/^(\d+\.\d+)$/, "$1.0");
  const send = async () => {
    setBusy(true);
    setProblem(null);
    setReceipt(null);
    try {
      setReceipt(await publish(name, number, await packageOf(id)));
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="page narrow">
      <p class="crumbs">
        <a href={linkTo("registry")}>Registry</a>
      </p>
      <h1>Publish a skill</h1>
      <p class="lead">A version is published once and never changes. Others install it with the name and the version.</p>
      <form
        class="publish-form"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <label>
          Skill
          <input list="publish-skills" value={id} spellcheck={false} data-test="publish-skill" onInput={(event) => setId(event.currentTarget.value)} />
          <datalist id="publish-skills">
            {skills.value.slice(0, 500).map((it) => (
              <option key={it.id} value={it.id} />
            ))}
          </datalist>
        </label>
        <label>
          Version
          <input value={version} placeholder={suggested} spellcheck={false} data-test="publish-version" onInput={(event) => setVersion(event.currentTarget.value)} />
        </label>
        <Button look="primary" type="submit" icon="upload" data-test="publish-submit" disabled={busy || id === ""}>
          {busy ? "Publishing" : "Publish"}
        </Button>
      </form>
      {problem !== null && (
        <Notice tone="bad" title="Not published">
          <p><Ticks text={problem} /></p>
        </Notice>
      )}
      {receipt && (
        <Notice tone="good" title={`Published ${receipt.name} ${receipt.version}`} test="publish-receipt">
          <p>
            <code>{receipt.digest}</code>
          </p>
          {receipt.warnings.map((warning) => (
            <p key={warning} class="warn-text">
              {warning}
            </p>
          ))}
          <p>
            <a href={linkTo("registry", receipt.name)}>Show the package</a>
          </p>
        </Notice>
      )}
    </div>
  );
}
