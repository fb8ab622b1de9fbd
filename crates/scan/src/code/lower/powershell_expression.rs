//! Expressions of `PowerShell`.
