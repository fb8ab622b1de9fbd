//! Skills by writers that had not seen the rules.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prowess_scan::Severity;
use prowess_scan::self_test::SkillFiles;

use crate::rules::audit;

/// The sets, and what was found in them before anything was changed for them: malicious skills at medium or higher.
const SETS: &[(&str, &str)] = &[
    (include_str!("blind-1.txt"), "56 of 110"),
    (include_str!("blind-2.txt"), "42 of 100"),
];

pub(crate) fn run() {
    for (data, first) in SETS {
        let mut skills: BTreeMap<(String, String), SkillFiles> = BTreeMap::new();
        for entry in data.split("\n=== ").skip(1) {
            let (head, text) = entry.split_once('\n').unwrap();
            let path = head.strip_prefix("base64:").unwrap_or(head);
            let content = if path == head {
                format!("{text}\n").into_bytes()
            } else {
                STANDARD.decode(text.trim()).unwrap()
            };
            let mut parts = path.splitn(3, '/').map(str::to_owned);
            let key = (parts.next().unwrap(), parts.next().unwrap());
            skills
                .entry(key)
                .or_default()
                .push((parts.next().unwrap(), content));
        }
        let count = |kind: &str, limit: Severity| {
            let own = skills.iter().filter(|((own, _), _)| own == kind);
            let worst = own.map(|(_, files)| audit(files).worst());
            worst
                .filter(|worst| worst.is_some_and(|worst| worst <= limit))
                .count()
        };
        let all = |kind: &str| skills.keys().filter(|(own, _)| own == kind).count();
        println!(
            "\nwritten without knowing the rules: {} of {} malicious at medium or higher (at first {first}), {} of {} harmless, {} of them high",
            count("bad", Severity::Medium),
            all("bad"),
            count("good", Severity::Medium),
            all("good"),
            count("good", Severity::High),
        );
    }
}
