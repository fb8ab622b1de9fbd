// Two bars: with the skill and without it, with the spread of the runs.

import type { Statistic } from "../api/eval-api";

interface PairChartProps {
  title: string;
  having: Statistic;
  lacking: Statistic;
  format: (value: number) => string;
  /** The end of the scale; the larger value if absent. */
  most?: number;
  better: "more" | "less";
}

const WIDTH = 240;

export function PairChart({ title, having, lacking, format, most, better }: PairChartProps) {
  const end = most ?? (Math.max(having.mean + having.stddev, lacking.mean + lacking.stddev) || 1);
  const x = (value: number) => Math.max(0, Math.min(1, value / end)) * WIDTH;
  const change = having.mean - lacking.mean;
  const good = better === "more" ? change >= 0 : change <= 0;
  const bars = [
    { name: "with", statistic: having },
    { name: "without", statistic: lacking },
  ];
  return (
    <figure class="chart">
      <figcaption>
        <span>{title}</span>
        <span class={Math.abs(change) < 1e-9 ? "quiet-text" : good ? "good-text" : "bad-text"}>
          {change >= 0 ? "+" : "−"}
          {format(Math.abs(change))}
        </span>
      </figcaption>
      {bars.map(({ name, statistic }) => (
        <div key={name} class="chart-row">
          <span class="chart-name">{name}</span>
          <svg viewBox={`0 0 ${WIDTH} 18`} preserveAspectRatio="none" aria-hidden="true">
            <rect class="chart-ground" width={WIDTH} height="18" rx="3" />
            <rect class={`chart-bar ${name}`} width={x(statistic.mean)} height="18" rx="3" />
            {statistic.stddev > 0 && <path class="chart-spread" d={`M${x(statistic.mean - statistic.stddev)} 9H${x(statistic.mean + statistic.stddev)}`} />}
          </svg>
          <span class="chart-value number">
            {format(statistic.mean)} <span class="quiet-text">± {format(statistic.stddev)}</span>
          </span>
        </div>
      ))}
    </figure>
  );
}
