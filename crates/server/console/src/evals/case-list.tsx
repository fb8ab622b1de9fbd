// The cases of a run with their grades.

import type { EvalCase } from "../api/eval-api";
import { Markdown } from "../markdown/markdown";
import { duration, percent } from "../ui/format";
import { Icon } from "../ui/icon";
import { Badge, Fold } from "../ui/parts";
import { Ticks } from "../ui/ticks";

function Grades({ it }: { it: EvalCase }) {
  return (
    <>
      <ul class="grades">
        {it.expectations.map((expectation, at) => (
          <li key={at} class={expectation.passed ? "passed" : "failed"} data-test="grade" data-passed={expectation.passed}>
            <Icon name={expectation.passed ? "check" : "close"} size={16} />
            <span dir="auto">
              <span class="off-screen">{expectation.passed ? "passed: " : "failed: "}</span>
              <Ticks text={expectation.text} />
              {expectation.evidence && <span class="quiet-text"> {expectation.evidence}</span>}
            </span>
          </li>
        ))}
      </ul>
      {it.error && <p class="bad-text">{it.error}</p>}
      <Fold title="Answer">{() => <Markdown text={it.answer} base={4} />}</Fold>
    </>
  );
}

export function CaseList({ cases }: { cases: readonly EvalCase[] }) {
  const groups = Map.groupBy(cases, (it) => it.eval_id);
  return (
    <section class="panel-section" aria-labelledby="cases">
      <h2 id="cases">Cases</h2>
      {[...groups].map(([id, runs]) => (
        <article key={id} class="case" data-test="case" data-id={id}>
          <h3>{id}</h3>
          <div class="case-pair">
            {(["with_skill", "without_skill"] as const).map((configuration) => (
              <div key={configuration}>
                <p class="case-side">{configuration === "with_skill" ? "With the skill" : "Without it"}</p>
                {runs
                  .filter((it) => it.configuration === configuration)
                  .map((it) => (
                    <Fold
                      key={it.run_number}
                      open={it.run_number === 1}
                      title={
                        <>
                          Run {it.run_number} <Badge tone={it.pass_rate === 1 ? "good" : it.pass_rate === 0 ? "bad" : "warn"}>{percent(it.pass_rate)}</Badge>
                          <span class="quiet-text">
                            {it.tokens} tokens, {duration(it.time_seconds * 1000)}
                          </span>
                        </>
                      }
                    >
                      {() => <Grades it={it} />}
                    </Fold>
                  ))}
              </div>
            ))}
          </div>
        </article>
      ))}
    </section>
  );
}
