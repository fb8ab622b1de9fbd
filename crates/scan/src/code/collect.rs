//! Facts as they come up: without duplicates, in a fixed order, within bounds.

use std::collections::{BTreeMap, BTreeSet};

use prowess_spec::Span;

use super::facts::{
    Analysis, CAPABILITIES, Capability, CapabilityKind, DerivedText, FLOWS, Flow, FlowKind, Step,
    TEXT_BYTES, TEXTS, TEXTS_BYTES, UNPARSED, Unparsed, UnparsedReason,
};
use super::step::StepKind;
use crate::decoders::is_printable;

/// Facts of an analysis that is running.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// By what is reported where: other ways from the same source to the same sink are the same fact.
    flows: BTreeMap<(FlowKind, Place, Place), Flow>,
    flow_counts: BTreeMap<FlowKind, usize>,
    capabilities: BTreeSet<(usize, usize, Capability2)>,
    capability_counts: BTreeMap<CapabilityKind, usize>,
    texts: BTreeMap<Place, (String, &'static str)>,
    text_bytes: usize,
    unparsed: BTreeSet<(usize, usize, usize, UnparsedReason)>,
}

type Place = (usize, usize, usize);
type Capability2 = (usize, CapabilityKind, String);

fn place(step: &Step) -> Place {
    (step.unit, step.span.start, step.span.end)
}

impl Facts {
    pub(super) fn flow(&mut self, kind: FlowKind, steps: Vec<Step>) {
        let (Some(first), Some(last)) = (steps.first(), steps.last()) else {
            return;
        };
        let key = (kind, place(last), place(first));
        if self.flows.contains_key(&key) {
            return;
        }
        let count = self.flow_counts.entry(kind).or_default();
        *count += 1;
        // One that stands for those that are not listed, so that a crowd hides none.
        if *count == FLOWS {
            let more = Step {
                kind: StepKind::More,
                ..last.clone()
            };
            self.flows.insert(
                key,
                Flow {
                    kind,
                    steps: vec![more],
                },
            );
        } else if *count < FLOWS {
            self.flows.insert(key, Flow { kind, steps });
        }
    }

    pub(super) fn capability(
        &mut self,
        kind: CapabilityKind,
        unit: usize,
        span: Span,
        detail: &str,
    ) {
        let count = self.capability_counts.entry(kind).or_default();
        if *count < CAPABILITIES {
            *count += 1;
            let detail: String = detail
                .chars()
                .take(200)
                .map(|c| if c == super::value::HOLE { '…' } else { c })
                .collect();
            self.capabilities
                .insert((unit, span.start, (span.end, kind, detail)));
        }
    }

    /// A text that was folded together; of several at one place the longest counts.
    pub(super) fn text(&mut self, unit: usize, span: Span, text: &str, how: &'static str) {
        if text.len() < 8 || text.len() > TEXT_BYTES || !is_printable(text) {
            return;
        }
        let key = (unit, span.start, span.end);
        if let Some((known, known_how)) = self.texts.get_mut(&key) {
            if known.len() < text.len() && self.text_bytes + text.len() <= TEXTS_BYTES {
                self.text_bytes += text.len() - known.len();
                text.clone_into(known);
                *known_how = how;
            }
        } else if self.texts.len() < TEXTS && self.text_bytes + text.len() <= TEXTS_BYTES {
            self.text_bytes += text.len();
            self.texts.insert(key, (text.to_owned(), how));
        } else {
            self.unparsed(unit, span, UnparsedReason::StepsUsedUp);
        }
    }

    pub(super) fn unparsed(&mut self, unit: usize, span: Span, reason: UnparsedReason) {
        if self.unparsed.len() < UNPARSED {
            self.unparsed.insert((unit, span.start, span.end, reason));
        }
    }

    pub(super) fn into_analysis(self) -> Analysis {
        Analysis {
            flows: self.flows.into_values().collect(),
            capabilities: self
                .capabilities
                .into_iter()
                .map(|(unit, start, (end, kind, detail))| Capability {
                    kind,
                    unit,
                    span: Span::new(start, end),
                    detail,
                })
                .collect(),
            texts: self
                .texts
                .into_iter()
                .map(|((unit, start, end), (text, how))| DerivedText {
                    unit,
                    span: Span::new(start, end),
                    text,
                    how: how.to_owned(),
                })
                .collect(),
            unparsed: self
                .unparsed
                .into_iter()
                .map(|(unit, start, end, reason)| Unparsed {
                    unit,
                    span: Span::new(start, end),
                    reason,
                })
                .collect(),
        }
    }
}
