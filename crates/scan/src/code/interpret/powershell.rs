//! Cmdlets of `PowerShell`.

use prowess_spec::Span;

use super::super::value::Value;
use super::Interpreter;
use super::command::Words;

impl Interpreter<'_> {
    /// Runs a command of a `PowerShell` script.
    pub(super) fn run_cmdlet(&mut self, words: Vec<Value>, stdin: Value, span: Span) -> Value {
        self.run_words(words, stdin, span)
    }

    /// `powershell -Command …`, `-EncodedCommand …`, `-File …`.
    pub(super) fn run_powershell(&mut self, _words: &Words) -> Value {
        Value::unknown()
    }
}
