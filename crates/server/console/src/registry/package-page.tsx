// A package: its versions, who publishes it, what it asks for.

import { useState } from "preact/hooks";
import { fetchPackage, type PackageVersion } from "../api/registry-api";
import { token } from "../api/token";
import { linkTo } from "../state/route";
import { VerdictBadge } from "../skills/check-panel";
import { PermissionName } from "../skills/permission-panel";
import { Button, LinkButton } from "../ui/button";
import { CopyButton } from "../ui/copy-button";
import { age, bytes, count, plural } from "../ui/format";
import { Badge, Empty, Notice, Skeleton } from "../ui/parts";
import { useResource } from "../ui/use-resource";
import { InstallDialog } from "./install-dialog";
import { VersionDiffPanel } from "./version-diff";

/** The package of this very server, whatever registries its configuration names. */
function sourceOf(name: string, version: string): string {
  return `${location.origin}/api/v1/skills/${name}@${version}`;
}

function VersionRow({ version, onInstall }: { version: PackageVersion; onInstall: () => void }) {
  return (
    <tr data-test="version" data-version={version.version}>
      <td>
        <strong>{version.version}</strong> {version.yanked && <Badge tone="bad">yanked{version.yanked.reason ? `: ${version.yanked.reason}` : ""}</Badge>}
      </td>
      <td>
        {age(Date.parse(version.published_at) / 1000)} by {version.published_by}
      </td>
      <td>
        <VerdictBadge verdict={version.verdict} />
      </td>
      <td>{version.signed_by ? <Badge tone="good" title={version.signed_by}>signed</Badge> : <span class="quiet-text">not signed</span>}</td>
      <td class="number">
        {plural(version.files, "file")}, {bytes(version.size)}
      </td>
      <td class="number">{count(version.downloads)}</td>
      <td>
        <span class="digest">
          <code>{version.digest.slice(7, 17)}</code>
          <CopyButton text={version.digest} title={`Copy digest of ${version.version}`} />
        </span>
      </td>
      <td>
        {token.value !== null && (
          <Button small onClick={onInstall} aria-label={`Install ${version.version}`}>
            Install
          </Button>
        )}
      </td>
    </tr>
  );
}

export function PackagePage({ name }: { name: string }) {
  const found = useResource((signal) => fetchPackage(name, signal), `package ${name}`);
  const [installing, setInstalling] = useState<string | null>(null);
  const it = found.value;
  if (found.error) {
    return (
      <Empty icon="registry" page title="This package cannot be shown">
        <p>{found.error.message}</p>
        <LinkButton href={linkTo("registry")}>All packages</LinkButton>
      </Empty>
    );
  }
  if (!it) {
    return (
      <div class="page">
        <Skeleton lines={8} />
      </div>
    );
  }
  const latest = it.versions.find((version) => version.version === it.latest) ?? it.versions[0];
  return (
    <div class="page">
      <p class="crumbs">
        <a href={linkTo("registry")}>Registry</a>
      </p>
      <header class="skill-head">
        <div>
          <h1>
            <span class="skill-name">{it.name}</span> <span class="version-word">{it.latest ?? "no version"}</span>
          </h1>
          <p class="lead" dir="auto">
            {it.description}
          </p>
          <p class="badges">
            {latest && <VerdictBadge verdict={latest.verdict} />}
            {latest?.has_code && <Badge tone="accent">has code</Badge>}
            {latest?.licence && <Badge>{latest.licence}</Badge>}
            <Badge>{plural(it.downloads, "download")}</Badge>
            <Badge>by {it.owners.join(", ")}</Badge>
          </p>
        </div>
        <div class="skill-actions">
          {latest && token.value !== null && (
            <Button look="primary" icon="download" data-test="install-button" onClick={() => setInstalling(latest.version)}>
              Install
            </Button>
          )}
        </div>
      </header>
      {latest?.yanked && (
        <Notice tone="bad" title="This version is yanked">
          <p>{latest.yanked.reason}</p>
        </Notice>
      )}
      {latest && latest.permissions.length > 0 && (
        <section class="panel-section">
          <h2>Asks for</h2>
          <ul class="lines">
            {latest.permissions.map((permission) => (
              <li key={permission}>
                <PermissionName name={permission} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {latest && latest.findings.length > 0 && (
        <Notice tone="bad" title="The audit found this when it was published">
          <ul>
            {latest.findings.map((finding) => (
              <li key={finding} dir="auto">
                {finding}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <section class="panel-section">
        <h2>Versions</h2>
        <div class="table-scroll" tabIndex={0} role="region" aria-label="Versions">
          <table class="table">
            <thead>
              <tr>
                <th scope="col">Version</th>
                <th scope="col">Published</th>
                <th scope="col">Audit</th>
                <th scope="col">Signature</th>
                <th scope="col" class="number">
                  Size
                </th>
                <th scope="col" class="number">
                  Downloads
                </th>
                <th scope="col">Digest</th>
                <th scope="col">
                  <span class="off-screen">Install</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {it.versions.map((version) => (
                <VersionRow key={version.version} version={version} onInstall={() => setInstalling(version.version)} />
              ))}
            </tbody>
          </table>
        </div>
      </section>
      {it.versions.length > 0 && <VersionDiffPanel package={it} />}
      {installing !== null && <InstallDialog source={sourceOf(it.name, installing)} onClose={() => setInstalling(null)} />}
    </div>
  );
}
