// The registry area: search, a package, or publishing.

import { useEffect, useState } from "preact/hooks";
import { searchPackages, type FoundPackage, type PackageSearch } from "../api/registry-api";
import { linkTo, route } from "../state/route";
import { LinkButton, Button } from "../ui/button";
import { age, count, plural } from "../ui/format";
import { Icon } from "../ui/icon";
import { Empty, Notice, Skeleton } from "../ui/parts";
import { useResource } from "../ui/use-resource";
import { InstallDialog } from "./install-dialog";
import { PackagePage } from "./package-page";
import { PublishPage } from "./publish-page";

const PUBLISH = "+publish";
const PAUSE_MS = 150;

const TYPES = ["instruction", "tool", "workflow", "hook", "scanner", "prompt"];
const VERDICTS: [string, string][] = [
  ["clean", "nothing found"],
  ["unverified", "not all code was read"],
  ["suspicious", "suspicious"],
  ["dangerous", "dangerous"],
];

function useDebounced<T>(value: T): T {
  const [late, setLate] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLate(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [JSON.stringify(value)]);
  return late;
}

function PackageRow({ found }: { found: FoundPackage }) {
  return (
    <li>
      <a class="package-row" href={linkTo("registry", found.name)} data-test="package-row" data-name={found.name}>
        <span class="package-title">
          <span class="skill-name">{found.name}</span> <span class="quiet-text">{found.version}</span>
        </span>
        <span class="package-about" dir="auto">
          {found.description}
        </span>
        <span class="package-facts">
          {plural(found.downloads, "download")} · {age(Date.parse(found.published_at) / 1000)}
        </span>
      </a>
    </li>
  );
}

function SearchPage() {
  const [search, setSearch] = useState<PackageSearch>({ text: "", type: "", verdict: "", code: "" });
  const [source, setSource] = useState("");
  const [installing, setInstalling] = useState<string | null>(null);
  const wanted = useDebounced(search);
  const found = useResource((signal) => searchPackages(wanted, 0, signal), `packages ${JSON.stringify(wanted)}`);
  const [last, setLast] = useState(found.value);
  useEffect(() => {
    if (found.value) setLast(found.value);
  }, [found.value]);
  // The last results stay until the next ones are there.
  const list = found.value ?? last;
  const filtered = search.text !== "" || search.type !== "" || search.verdict !== "" || search.code !== "";
  return (
    <div class="page">
      <header class="page-head">
        <h1>Registry</h1>
        <p class="page-count" aria-live="polite">
          {list ? plural(list.total, "package") : ""}
        </p>
        <div class="page-actions">
          <LinkButton href={linkTo("registry", PUBLISH)} icon="upload" data-test="publish">
            Publish
          </LinkButton>
        </div>
        <div class="search-field">
          <Icon name="search" size={16} />
          <input type="search" placeholder="Search packages" aria-label="Search packages" data-test="search" value={search.text} onInput={(event) => setSearch({ ...search, text: event.currentTarget.value })} />
        </div>
        <div class="filters">
          <label>
            Type
            <select value={search.type} onChange={(event) => setSearch({ ...search, type: event.currentTarget.value })}>
              <option value="">any</option>
              {TYPES.map((type) => (
                <option key={type}>{type}</option>
              ))}
            </select>
          </label>
          <label>
            Audit
            <select value={search.verdict} onChange={(event) => setSearch({ ...search, verdict: event.currentTarget.value })}>
              <option value="">any</option>
              {VERDICTS.map(([id, title]) => (
                <option key={id} value={id}>
                  {title}
                </option>
              ))}
            </select>
          </label>
          <label>
            Code
            <select value={search.code} onChange={(event) => setSearch({ ...search, code: event.currentTarget.value })}>
              <option value="">any</option>
              <option value="false">without code</option>
              <option value="true">with code</option>
            </select>
          </label>
        </div>
      </header>
      {found.error && !list ? (
        <Notice tone="bad" title="The registry cannot be searched">
          <p>{found.error.message}</p>
        </Notice>
      ) : !list ? (
        <Skeleton lines={6} />
      ) : list.packages.length === 0 ? (
        filtered ? (
          <Empty icon="search" title="No package fits">
            <p>Try fewer words or other filters.</p>
          </Empty>
        ) : (
          <Empty icon="registry" title="No packages yet">
            <p>
              Publish a skill of yours for your team, or start the server with <code>prowess serve --seed skills</code>.
            </p>
            <LinkButton href={linkTo("registry", PUBLISH)} look="primary" icon="upload">
              Publish a skill
            </LinkButton>
          </Empty>
        )
      ) : (
        <ul class="package-list">
          {list.packages.map((it) => (
            <PackageRow key={it.name} found={it} />
          ))}
        </ul>
      )}
      {list && list.total > list.packages.length && <p class="quiet-text">{count(list.total - list.packages.length)} more: search for words to find them.</p>}
      <section class="panel-section install-source" aria-labelledby="other">
        <h2 id="other">Install from elsewhere</h2>
        <form
          class="row-start"
          onSubmit={(event) => {
            event.preventDefault();
            if (source.trim() !== "") setInstalling(source.trim());
          }}
        >
          <input
            class="grow"
            value={source}
            spellcheck={false}
            aria-label="Source of a skill"
            placeholder="owner/repository, a git URL, a directory or an archive"
            data-test="install-source"
            onInput={(event) => setSource(event.currentTarget.value)}
          />
          <Button type="submit" disabled={source.trim() === ""}>
            Inspect
          </Button>
        </form>
      </section>
      {installing !== null && <InstallDialog source={installing} onClose={() => setInstalling(null)} />}
    </div>
  );
}

export function RegistryPage() {
  const { id, part } = route.value;
  if (id === null) return <SearchPage />;
  if (id === PUBLISH) return <PublishPage key={part ?? ""} skill={part} />;
  return <PackagePage key={id} name={id} />;
}
