//! The arguments of `eval`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::CodeSkillArguments;
use crate::commands::completions::ids;
use crate::model::ModelArguments;

pub(crate) const EVAL_HELP: &str = "\
A skill brings along evals/evals.json, evals/triggers.json, or both:
  [{\"id\": \"rain\", \"prompt\": \"Write a haiku about rain\",
    \"expectations\": [\"It has three lines\", {\"contains\": \"rain\"}, {\"script\": \"evals/check.sh\"}]}]
  [{\"query\": \"five seven five, please\", \"should_trigger\": true}]

Examples:
  prowess eval haiku --provider anthropic --model claude-sonnet-4-5
  prowess eval ./my-skill --runs 5                        the skill in a directory
  prowess eval haiku --only triggers                      whether the model finds it by itself
  prowess eval haiku --baseline prowess-eval/haiku/benchmark.json
                                                          what changed since the last time
  prowess eval haiku --fail-under 80 --quiet              for CI

Ctrl-C ends it early; what was measured so far is written all the same.

Exit codes:
  0  it was measured
  1  it could not be measured, or not all of it
  2  the command line makes no sense
  3  the pass rate with the skill is below --fail-under
  4  there is no key, it was refused, or the skill's code is not approved";

/// Arguments of `eval`.
#[derive(Args)]
pub(crate) struct EvalArguments {
    /// The skill's id, or a directory with a skill such as ./my-skill
    #[arg(value_name = "SKILL", add = ids())]
    pub(crate) skill: String,
    /// How often each prompt and each message is tried
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) runs: u16,
    /// Where benchmark.json and report.html go; prowess-eval/SKILL if absent
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Only one of the two files
    #[arg(long, value_enum)]
    pub(crate) only: Option<Only>,
    /// Only this eval (may be repeated); no messages
    #[arg(long = "eval", value_name = "ID", conflicts_with = "only")]
    pub(crate) evals: Vec<String>,
    /// Compare with an earlier benchmark.json
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Exit with 3 if the pass rate with the skill is below this
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
}

/// Which model judges; the same that answers if nothing is said.
#[derive(Args)]
pub(crate) struct JudgeArguments {
    /// Who runs the model that judges, if not who runs the other
    #[arg(
        id = "judge_provider",
        long = "judge-provider",
        value_name = "NAME",
        help_heading = "Model"
    )]
    provider: Option<String>,
    /// Which model judges, if not the one that answers
    #[arg(
        id = "judge_model",
        long = "judge-model",
        value_name = "NAME",
        help_heading = "Model"
    )]
    model: Option<String>,
    /// Where the model that judges is reached
    #[arg(
        id = "judge_base_url",
        long = "judge-base-url",
        value_name = "URL",
        help_heading = "Model"
    )]
    base_url: Option<String>,
}

impl JudgeArguments {
    /// The model that judges where `answers` answers.
    pub(super) fn over(&self, answers: &ModelArguments) -> ModelArguments {
        answers.instead(
            self.provider.as_ref(),
            self.model.as_ref(),
            self.base_url.as_ref(),
        )
    }
}

/// One of the two files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Only {
    /// Prompts, and what their answers must be like
    Evals,
    /// Messages, and whether the skill should be used for them
    Triggers,
}
