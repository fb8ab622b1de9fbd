// Where skills come from, what is not used and why, and the configuration in force.

import { messageOf } from "../api/client";
import { fetchCatalog, fetchConfiguration, fetchTrust, reloadSources, type Source } from "../api/place-api";
import { token } from "../api/token";
import { loadSkills } from "../state/skill-index";
import { tell, tellError } from "../state/toasts";
import { Button } from "../ui/button";
import { age, moment, plural } from "../ui/format";
import { Badge, Empty, Notice, Skeleton, type Tone } from "../ui/parts";
import { useResource } from "../ui/use-resource";
import { ConfigurationTable } from "./configuration-table";
import { TrustQuestion } from "./trust-question";
import { UnusedSkills } from "./unused-skills";

const HEALTH: Record<string, Tone> = { healthy: "good", degraded: "warn", unhealthy: "bad", untrusted: "warn" };

function SourceRow({ source, number }: { source: Source; number: number }) {
  return (
    <li class="source-row" data-test="source" data-health={source.health}>
      <span class="source-number" aria-hidden="true">
        {number}
      </span>
      <div class="source-main">
        <p class="source-name" dir="auto">
          {source.name}
        </p>
        {source.reason && <p class={source.health === "unhealthy" ? "bad-text" : source.health === "healthy" ? "quiet-text" : "warn-text"}>{source.reason}</p>}
        {(source.warnings ?? []).map((warning) => (
          <p key={warning} class="warn-text">
            {warning}
          </p>
        ))}
      </div>
      <span class="source-facts">
        {plural(source.skills, "skill")}
        {source.hidden ? `, ${source.hidden} hidden` : ""}
        {source.refreshed ? (
          <span class="quiet-text" title={moment(source.refreshed)}>
            {" "}
            · read {age(source.refreshed)}
          </span>
        ) : null}
      </span>
      <Badge tone={HEALTH[source.health] ?? "plain"}>{source.health}</Badge>
    </li>
  );
}

export function PlacesPage() {
  const catalog = useResource(fetchCatalog, "catalog");
  const trust = useResource(fetchTrust, "trust");
  const configuration = useResource(fetchConfiguration, "configuration");
  const refresh = () => {
    catalog.reload();
    trust.reload();
    configuration.reload();
    void loadSkills();
  };
  const readAgain = () => {
    reloadSources().then(
      () => {
        tell("Sources and configuration were read again");
        refresh();
      },
      (error: unknown) => tellError(`cannot read again: ${messageOf(error)}`),
    );
  };
  return (
    <div class="page">
      <header class="page-head">
        <h1>Places</h1>
        <p class="page-count">{catalog.value ? `${plural(catalog.value.skills, "skill")} from ${plural(catalog.value.sources.length, "source")}` : ""}</p>
        {token.value !== null && (
          <div class="page-actions">
            <Button icon="retry" data-test="reload" onClick={readAgain}>
              Read again
            </Button>
          </div>
        )}
      </header>
      {trust.value && trust.value.reach.length > 0 && !trust.value.trusted && <TrustQuestion trust={trust.value} onAnswered={refresh} />}
      <section class="panel-section" aria-labelledby="sources">
        <h2 id="sources">Sources</h2>
        <p class="section-about">In this order. If two sources have a skill with the same id, the first one wins.</p>
        {catalog.value ? (
          catalog.value.sources.length === 0 ? (
            <Empty icon="places" title="No sources">
              <p>
                Put skills into <code>.agents/skills</code>, or name a directory, an archive, a git repository or a server in <code>prowess.toml</code>.
              </p>
            </Empty>
          ) : (
            <ol class="source-list">
              {catalog.value.sources.map((source, at) => (
                <SourceRow key={source.name + at} source={source} number={at + 1} />
              ))}
            </ol>
          )
        ) : catalog.error ? (
          <Notice tone="bad" title="The sources cannot be shown">
            <p>{catalog.error.message}</p>
          </Notice>
        ) : (
          <Skeleton lines={4} />
        )}
      </section>
      {catalog.value && <UnusedSkills catalog={catalog.value} onChange={refresh} />}
      <section class="panel-section" aria-labelledby="configuration">
        <h2 id="configuration">Configuration in force</h2>
        {configuration.value ? (
          <ConfigurationTable configuration={configuration.value} />
        ) : configuration.error ? (
          <Notice title={configuration.error.status === 401 || configuration.error.status === 403 ? "A token with the scope admin shows the configuration" : "The configuration cannot be shown"}>
            <p>{configuration.error.message}</p>
          </Notice>
        ) : (
          <Skeleton lines={6} />
        )}
      </section>
    </div>
  );
}
