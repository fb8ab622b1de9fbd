// The evals area: suites and runs, or one run.

import { useState } from "preact/hooks";
import { isNotFound, messageOf } from "../api/client";
import { fetchEvals, startRun, type EvalRun, type EvalSuite } from "../api/eval-api";
import { token } from "../api/token";
import { go, linkTo, route } from "../state/route";
import { tellError } from "../state/toasts";
import { TokenForm } from "../shell/token-form";
import { Button } from "../ui/button";
import { age, plural } from "../ui/format";
import { Badge, Empty, Notice, Skeleton, type Tone } from "../ui/parts";
import { useResource } from "../ui/use-resource";
import { RunPage } from "./run-page";

export const STATE_TONES: Record<EvalRun["state"], Tone> = { running: "accent", done: "good", failed: "bad", cancelled: "warn" };
const RUNS = [1, 3, 5, 10];

const EXAMPLE = `{
  "evals": [
    {
      "prompt": "The deployment failed. What happened?",
      "expectations": [{ "contains": "password" }]
    }
  ]
}`;

function SuiteRow({ suite }: { suite: EvalSuite }) {
  const [runs, setRuns] = useState(3);
  const [starting, setStarting] = useState(false);
  const start = () => {
    setStarting(true);
    startRun(suite.skill, runs).then(
      (run) => go(linkTo("evals", run.id)),
      (error: unknown) => {
        setStarting(false);
        tellError(`cannot run the evals: ${messageOf(error)}`);
      },
    );
  };
  return (
    <li class="suite-row" data-test="suite" data-skill={suite.skill}>
      <div>
        <a class="skill-name" href={linkTo("skills", suite.skill)}>
          {suite.skill}
        </a>
        <p class="quiet-text">
          {plural(suite.evals, "eval")}, {plural(suite.triggers, "message")} that should or should not use it
        </p>
        {suite.problem && <p class="bad-text">{suite.problem}</p>}
      </div>
      <label class="inline-field">
        Repeat
        <select value={runs} onChange={(event) => setRuns(Number(event.currentTarget.value))}>
          {RUNS.map((number) => (
            <option key={number} value={number}>
              {number} ×
            </option>
          ))}
        </select>
      </label>
      <Button look="primary" icon="play" disabled={starting} data-test="run-eval" aria-label={`Run the evals of ${suite.skill}`} onClick={start}>
        Run
      </Button>
    </li>
  );
}

function RunRow({ run }: { run: EvalRun }) {
  return (
    <li>
      <a class="run-row" href={linkTo("evals", run.id)} data-test="run-row">
        <span class="skill-name">{run.skill}</span>
        <span class="quiet-text">{age(run.started)}</span>
        <span class="quiet-text number">
          {run.done} of {run.total} chats
        </span>
        <Badge tone={STATE_TONES[run.state]}>{run.state}</Badge>
      </a>
    </li>
  );
}

function Overview() {
  const evals = useResource(fetchEvals, "evals");
  if (evals.error && isNotFound(evals.error)) {
    return (
      <Empty icon="evals" page title="This server runs no evals">
        <p>
          Run them in a terminal: <code>prowess eval NAME</code>
        </p>
      </Empty>
    );
  }
  if (evals.error && token.value === null) return <TokenForm purpose="chat" />;
  return (
    <div class="page">
      <header class="page-head">
        <h1>Evals</h1>
        <p class="page-count">Is a skill worth its tokens, and does a model find it?</p>
      </header>
      {evals.error && (
        <Notice tone="bad" title="The evals cannot be shown">
          <p>{evals.error.message}</p>
        </Notice>
      )}
      {!evals.value ? (
        <Skeleton lines={5} />
      ) : (
        <>
          <section class="panel-section" aria-labelledby="suites">
            <h2 id="suites">Suites</h2>
            {evals.value.suites.length === 0 ? (
              <Empty icon="evals" title="No skill has evals yet">
                <p>
                  Add <code>evals/evals.json</code> to a skill. Each prompt is asked with the skill and without it.
                </p>
                <pre class="excerpt">{EXAMPLE}</pre>
              </Empty>
            ) : (
              <ul>
                {evals.value.suites.map((suite) => (
                  <SuiteRow key={suite.skill} suite={suite} />
                ))}
              </ul>
            )}
          </section>
          <section class="panel-section" aria-labelledby="runs">
            <h2 id="runs">Runs</h2>
            {evals.value.runs.length === 0 ? (
              <p class="quiet-text">No runs since the server started.</p>
            ) : (
              <ul>
                {evals.value.runs.map((run) => (
                  <RunRow key={run.id} run={run} />
                ))}
              </ul>
            )}
          </section>
        </>
      )}
    </div>
  );
}

export function EvalsPage() {
  const { id } = route.value;
  return id === null ? <Overview /> : <RunPage key={id} id={id} />;
}
