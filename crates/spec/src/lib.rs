//! The `SKILL.md` and `SKILL.yaml` formats.
