// One run: its progress, then its results.

import { useEffect } from "preact/hooks";
import { isNotFound, messageOf } from "../api/client";
import { cancelRun, fetchRun, type Benchmark } from "../api/eval-api";
import { linkTo } from "../state/route";
import { announce, tellError } from "../state/toasts";
import { Button, LinkButton } from "../ui/button";
import { age, duration, percent } from "../ui/format";
import { Badge, Empty, Notice, Skeleton } from "../ui/parts";
import { useResource } from "../ui/use-resource";
import { CaseList } from "./case-list";
import { PairChart } from "./pair-chart";
import { STATE_TONES } from "./evals-page";
import { TriggerTable } from "./trigger-table";
import { Ticks } from "../ui/ticks";

const POLL_MS = 500;

function seconds(value: number): string {
  return duration(value * 1000);
}

function Results({ benchmark }: { benchmark: Benchmark }) {
  const { with_skill: having, without_skill: lacking } = benchmark.run_summary;
  return (
    <>
      {benchmark.model === "demo" && (
        <Notice tone="warn" title="The demo model does not reason">
          <p>These results say nothing about the skill. Set a model to measure it.</p>
        </Notice>
      )}
      {having && lacking && (
        <div class="charts" data-test="charts">
          <PairChart title="Pass rate" having={having.pass_rate} lacking={lacking.pass_rate} format={percent} most={1} better="more" />
          <PairChart title="Tokens" having={having.tokens} lacking={lacking.tokens} format={(it) => String(Math.round(it))} better="less" />
          <PairChart title="Time" having={having.time_seconds} lacking={lacking.time_seconds} format={seconds} better="less" />
        </div>
      )}
      <CaseList cases={benchmark.runs} />
      <TriggerTable benchmark={benchmark} />
    </>
  );
}

export function RunPage({ id }: { id: string }) {
  const run = useResource((signal) => fetchRun(id, signal), `run ${id}`);
  const state = run.value?.state;
  useEffect(() => {
    if (state !== "running" || run.loading) return;
    const timer = setTimeout(run.reload, POLL_MS);
    return () => clearTimeout(timer);
  }, [state, run.loading]);
  useEffect(() => {
    if (state && state !== "running") announce(`The run is ${state}`);
  }, [state]);
  if (run.error && !run.value) {
    return (
      <Empty icon="evals" page title={isNotFound(run.error) ? "This run does not exist any more" : "This run cannot be shown"}>
        <p>{isNotFound(run.error) ? "Runs are kept until the server stops." : run.error.message}</p>
        <LinkButton href={linkTo("evals")}>All evals</LinkButton>
      </Empty>
    );
  }
  if (!run.value) {
    return (
      <div class="page">
        <Skeleton lines={6} />
      </div>
    );
  }
  const { value } = run;
  return (
    <div class="page">
      <p class="crumbs">
        <a href={linkTo("evals")}>Evals</a>
      </p>
      <header class="page-head">
        <h1>
          <span class="skill-name">{value.skill}</span>
        </h1>
        <p class="page-count">
          <Badge tone={STATE_TONES[value.state]}>{value.state}</Badge> started {age(value.started)}
          {value.benchmark ? ` with ${value.benchmark.model}` : ""}
        </p>
        {value.state === "running" && (
          <div class="page-actions">
            <Button icon="stop" data-test="cancel-eval" onClick={() => cancelRun(id).then(run.reload, (error: unknown) => tellError(`cannot cancel: ${messageOf(error)}`))}>
              Cancel
            </Button>
          </div>
        )}
      </header>
      {value.state === "running" && (
        <div class="progress" data-test="eval-progress">
          <progress value={value.done} max={Math.max(1, value.total)} aria-label="Chats that are done" />
          <span>
            {value.done} of {value.total || "?"} chats
          </span>
        </div>
      )}
      {value.reason && (
        <Notice tone="bad" title={value.state === "cancelled" ? "Cancelled" : "The run failed"} test="eval-reason">
          <p><Ticks text={value.reason} /></p>
        </Notice>
      )}
      {value.benchmark && <Results benchmark={value.benchmark} />}
    </div>
  );
}
