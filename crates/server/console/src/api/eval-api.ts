// Requests about evals.

import { request, send } from "./client";

export interface EvalSuite {
  skill: string;
  evals: number;
  triggers: number;
  problem?: string | null;
}

export interface Expectation {
  text: string;
  passed: boolean;
  evidence: string;
}

export interface EvalCase {
  eval_id: string;
  configuration: "with_skill" | "without_skill";
  run_number: number;
  pass_rate: number;
  time_seconds: number;
  tokens: number;
  tool_calls: number;
  expectations: Expectation[];
  answer: string;
  error?: string | null;
}

export interface Statistic {
  mean: number;
  stddev: number;
}

export interface EvalSummary {
  pass_rate: Statistic;
  time_seconds: Statistic;
  tokens: Statistic;
  errors: number;
}

export interface Benchmark {
  skill_name: string;
  model: string;
  partial: boolean;
  runs: EvalCase[];
  run_summary: { with_skill?: EvalSummary; without_skill?: EvalSummary };
  triggers?: { query: string; should_trigger: boolean; triggered: number; runs: number }[];
  trigger_summary?: { trigger_rate: number | null; false_trigger_rate: number | null; accuracy: number | null } | null;
}

export interface EvalRun {
  id: string;
  skill: string;
  state: "running" | "done" | "failed" | "cancelled";
  done: number;
  total: number;
  started: number;
  finished: number | null;
  reason: string | null;
  benchmark?: Benchmark | null;
}

export interface EvalOverview {
  suites: EvalSuite[];
  runs: EvalRun[];
}

export const fetchEvals = (signal: AbortSignal) => request<EvalOverview>("/api/evals", { signal });
export const fetchRun = (id: string, signal: AbortSignal) => request<EvalRun>(`/api/evals/${encodeURIComponent(id)}`, { signal });
export const startRun = (skill: string, runs: number) => request<EvalRun>("/api/evals", { method: "POST", json: { skill, runs } });

export async function cancelRun(id: string): Promise<void> {
  await send(`/api/evals/${encodeURIComponent(id)}`, { method: "DELETE" });
}
