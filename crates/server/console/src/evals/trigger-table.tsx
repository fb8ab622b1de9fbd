// Whether the model used the skill when it should, and only then.

import type { Benchmark } from "../api/eval-api";
import { percent } from "../ui/format";
import { Badge } from "../ui/parts";

export function TriggerTable({ benchmark }: { benchmark: Benchmark }) {
  const rows = benchmark.triggers ?? [];
  if (rows.length === 0) return null;
  const accuracy = benchmark.trigger_summary?.accuracy;
  return (
    <section class="panel-section" aria-labelledby="triggers">
      <h2 id="triggers">Messages</h2>
      {accuracy !== undefined && accuracy !== null && <p class="section-about">Correct in {percent(accuracy)}.</p>}
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Messages that should or should not use the skill">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Message</th>
              <th scope="col">Should use it</th>
              <th scope="col">Did</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => {
              const right = row.should_trigger ? row.triggered === row.runs : row.triggered === 0;
              return (
                <tr key={row.query}>
                  <td dir="auto">{row.query}</td>
                  <td>{row.should_trigger ? "yes" : "no"}</td>
                  <td>
                    <Badge tone={right ? "good" : "bad"}>
                      {row.triggered} of {row.runs}
                    </Badge>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}
