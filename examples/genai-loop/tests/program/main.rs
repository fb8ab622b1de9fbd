//! The program, run against a model that says what a script says.
#![cfg(test)]

mod conversations;

const PROGRAM: &str = env!("CARGO_BIN_EXE_prowess-example-genai");
