//! The arguments of `eval`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::code_skills::CodeSkillArguments;
use crate::completer::skill_ids;
use crate::model::ModelArguments;

const HELP: &str = "\
A skill contains evals/evals.json, evals/triggers.json, or both:
  [{\"id\": \"rain\", \"prompt\": \"Write a haiku about rain\",
    \"expectations\": [\"It has three lines\",
      {\"contains\": \"rain\"}, {\"script\": \"evals/check.sh\"}]}]
  [{\"query\": \"five seven five, please\", \"should_trigger\": true}]

Examples:
  prowess eval haiku --provider anthropic --model claude-sonnet-4-5
  prowess eval ./my-skill --runs 5             evaluate a directory
  prowess eval haiku --only triggers           evaluate activation only
  prowess eval haiku --fail-under 80 --quiet   fail in CI
  prowess eval haiku --baseline prowess-eval/haiku/benchmark.json

Ctrl-C stops the evaluation and writes the results so far.

Exit codes:
  0  the evaluation is complete
  1  the evaluation failed or is incomplete
  2  invalid arguments
  3  the pass rate with the skill is below --fail-under
  4  the key is missing or was rejected, or the skill is not approved";

/// Arguments of `eval`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct EvalArguments {
    /// Id of the skill, or its directory such as ./my-skill
    #[arg(value_name = "SKILL", add = skill_ids())]
    pub(crate) skill: String,
    /// Number of runs of each eval and each trigger query
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) runs: u16,
    /// Directory for benchmark.json and report.html [default: prowess-eval/SKILL]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Run only one of the two files [default: both]
    #[arg(long, value_enum)]
    pub(crate) only: Option<Only>,
    /// Run only this eval, and no trigger queries (repeatable)
    #[arg(long = "eval", value_name = "ID", conflicts_with = "only")]
    pub(crate) evals: Vec<String>,
    /// Compare with an earlier benchmark.json
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Exit with 3 if the pass rate with the skill is below PERCENT
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(crate) fail_under: Option<u8>,
    #[command(flatten)]
    pub(crate) model: ModelArguments,
    #[command(flatten)]
    pub(crate) judge: JudgeArguments,
    #[command(flatten)]
    pub(crate) code_skills: CodeSkillArguments,
    /// Print benchmark.json
    #[arg(long)]
    pub(crate) json: bool,
    /// Print progress to standard error, a line of JSON for each chat
    #[arg(long)]
    pub(crate) progress_json: bool,
}

/// Options of the model that judges; the answering model by default.
#[derive(Args)]
pub(crate) struct JudgeArguments {
    /// Provider of the judge [default: --provider]
    #[arg(
        id = "judge_provider",
        long = "judge-provider",
        value_name = "NAME",
        help_heading = "Model"
    )]
    provider: Option<String>,
    /// Model that judges [default: --model]
    #[arg(
        id = "judge_model",
        long = "judge-model",
        value_name = "NAME",
        help_heading = "Model"
    )]
    model: Option<String>,
    /// Base URL of the judge [default: --base-url]
    #[arg(
        id = "judge_base_url",
        long = "judge-base-url",
        value_name = "URL",
        help_heading = "Model"
    )]
    base_url: Option<String>,
}

impl JudgeArguments {
    /// The arguments of the judge, with those of the answering model as defaults.
    pub(super) fn over(&self, answers: &ModelArguments) -> ModelArguments {
        answers.with_overrides(
            self.provider.as_ref(),
            self.model.as_ref(),
            self.base_url.as_ref(),
        )
    }
}

/// File of an eval suite, as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Only {
    /// evals.json: prompts with expectations
    Evals,
    /// triggers.json: queries that should activate the skill or not
    Triggers,
}
