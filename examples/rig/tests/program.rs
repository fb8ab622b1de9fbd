//! The program, run against a model that says what a script says; it does what the one over `genai` does.
#![cfg(test)]

#[path = "../../genai-loop/tests/program/conversations.rs"]
mod conversations;

const PROGRAM: &str = env!("CARGO_BIN_EXE_prowess-example-rig");
