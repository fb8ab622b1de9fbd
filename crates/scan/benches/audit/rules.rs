//! The base rules, with parsers in this process: what is read here is ours or public.

use std::sync::{Arc, LazyLock};

use prowess_scan::self_test::{self, Attack, SkillFiles, VariantResult};
use prowess_scan::{Report, Rules};
use prowess_syntax::Grammars;

static RULES: LazyLock<Rules> = LazyLock::new(|| Rules::base(Arc::new(Grammars)));

pub(crate) fn audit(files: &SkillFiles) -> Report {
    self_test::audit(&RULES, files)
}

pub(crate) fn audit_variants(attack: &Attack) -> Vec<VariantResult> {
    self_test::audit_variants(&RULES, attack)
}
