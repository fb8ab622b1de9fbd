//! The YAML parser, wrapped: text in; values, or the one reason why not, out.

use std::collections::HashMap;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, Tag};

use crate::limits::YAML_DEPTH;
use crate::span::Span;
use crate::tree::{Collection, Duplicate, Refusal, Sink, TreeBuilder};
use crate::value::{Node, Scalar, Style, Value};

/// A YAML document that could be read.
#[derive(Debug)]
pub(crate) struct Document {
    /// The value; `None` if there are only blanks and comments.
    pub(crate) root: Option<Node>,
    pub(crate) duplicates: Vec<Duplicate>,
    /// Where aliases stand.
    pub(crate) aliases: Vec<Span>,
    /// Where tags of YAML's own schema stand.
    pub(crate) core_tags: Vec<Span>,
}

/// Why a YAML document could not be read.
#[derive(Debug)]
pub(crate) enum Problem {
    Syntax { at: Span, message: String },
    Tag { at: Span, tag: String },
    Refused { at: Span, refusal: Refusal },
}

/// Whether a document can start with a `---` line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marker {
    /// In a file that is all YAML.
    Allowed,
    /// Between delimiters, where the next such line ends the frontmatter.
    Refused,
}

/// Reads one document. `origin` turns an offset in `text` into one of the original file.
pub(crate) fn read(
    text: &str,
    marker: Marker,
    origin: impl Fn(usize) -> usize,
) -> Result<Document, Problem> {
    let mut reader = Reader {
        text,
        marker,
        origin,
        tree: TreeBuilder::default(),
        anchors: HashMap::new(),
        open_anchors: Vec::new(),
        aliases: Vec::new(),
        core_tags: Vec::new(),
        documents: 0,
    };
    let options = granit_parser::options! {
        disallow_directives: true,
        flow_nesting_limit: YAML_DEPTH,
        block_nesting_limit: YAML_DEPTH,
    };
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|error| reader.failure(&error))?;
        reader.event(event, span)?;
    }
    let (root, duplicates) = reader.tree.finish();
    Ok(Document {
        root,
        duplicates,
        aliases: reader.aliases,
        core_tags: reader.core_tags,
    })
}

struct Reader<'s, F> {
    text: &'s str,
    marker: Marker,
    origin: F,
    tree: TreeBuilder,
    anchors: HashMap<usize, Node>,
    /// Anchors of collections that are still open: depth and id.
    open_anchors: Vec<(usize, usize)>,
    aliases: Vec<Span>,
    core_tags: Vec<Span>,
    documents: usize,
}

impl<'s, F: Fn(usize) -> usize> Reader<'s, F> {
    fn event(&mut self, event: Event<'s>, span: granit_parser::Span) -> Result<(), Problem> {
        let range = span.byte_range().unwrap_or_default();
        let place = self.place(range.start, range.end);
        match event {
            Event::DocumentStart(explicit, _) => {
                self.documents += 1;
                if self.documents > 1 || (explicit && self.marker == Marker::Refused) {
                    return Err(Problem::Syntax {
                        at: place,
                        message: "another YAML document starts here".to_owned(),
                    });
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                let as_text = self.tag(tag.as_deref(), place)?;
                let block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
                let place = if block {
                    self.trimmed(range.start, range.end)
                } else {
                    place
                };
                let empty = range.is_empty() && style == ScalarStyle::Plain;
                let text = if empty { "".into() } else { text };
                let style = if style == ScalarStyle::Plain && !as_text {
                    Style::Plain
                } else {
                    Style::Quoted
                };
                if anchor != 0 {
                    let text = text.clone().into_owned();
                    let value = Value::Scalar(Scalar { text, style });
                    self.anchors.insert(anchor, Node { value, span: place });
                }
                self.feed(place, |tree| tree.scalar(text, style, place))?;
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.open(Collection::Sequence, anchor, tag.as_deref(), place)?;
            }
            Event::MappingStart(_, anchor, tag) => {
                self.open(Collection::Mapping, anchor, tag.as_deref(), place)?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                // Block collections end with an empty span, somewhere after their last child.
                let end = (!range.is_empty()).then_some(place.end);
                self.feed(place, |tree| tree.close(end))?;
                let depth = self.tree.depth();
                if let Some((_, anchor)) = self.open_anchors.pop_if(|(open, _)| *open == depth)
                    && let Some(node) = self.tree.last()
                {
                    self.anchors.insert(anchor, node.clone());
                }
            }
            Event::Alias(id) => {
                self.aliases.push(place);
                let Some(node) = self.anchors.get(&id) else {
                    return Err(Problem::Syntax {
                        at: place,
                        message: "recursive alias".to_owned(),
                    });
                };
                let grafted = self.tree.graft(node, place);
                grafted.map_err(|refusal| Problem::Refused { at: place, refusal })?;
            }
            _ => {}
        }
        Ok(())
    }

    fn open(
        &mut self,
        kind: Collection,
        anchor: usize,
        tag: Option<&Tag>,
        place: Span,
    ) -> Result<(), Problem> {
        self.tag(tag, place)?;
        if anchor != 0 {
            self.open_anchors.push((self.tree.depth(), anchor));
        }
        self.feed(place, |tree| tree.open(kind, place.start))
    }

    /// Whether the tag makes a plain scalar text. Tags that are not YAML's own are refused.
    fn tag(&mut self, tag: Option<&Tag>, place: Span) -> Result<bool, Problem> {
        let Some(tag) = tag else { return Ok(false) };
        match tag.core_suffix() {
            Some(suffix) => {
                self.core_tags.push(place);
                Ok(suffix == "str")
            }
            None => Err(Problem::Tag {
                at: place,
                tag: tag.to_string(),
            }),
        }
    }

    fn feed(
        &mut self,
        at: Span,
        value: impl FnOnce(&mut TreeBuilder) -> Result<(), Refusal>,
    ) -> Result<(), Problem> {
        value(&mut self.tree).map_err(|refusal| Problem::Refused { at, refusal })
    }

    fn place(&self, start: usize, end: usize) -> Span {
        let start_of = (self.origin)(start);
        Span::new(start_of, (self.origin)(end).max(start_of))
    }

    /// Like [`Self::place`], without the line breaks that belong to a block scalar's end.
    fn trimmed(&self, start: usize, end: usize) -> Span {
        let text = self.text.get(start..end).unwrap_or_default();
        self.place(start, start + text.trim_end().len())
    }

    fn failure(&self, error: &ScanError) -> Problem {
        let offset = error.marker().byte_offset().unwrap_or(self.text.len());
        let at = Span::at((self.origin)(offset));
        match error.kind() {
            ErrorKind::RecursionLimitExceeded => Problem::Refused {
                at,
                refusal: Refusal::Depth,
            },
            _ => Problem::Syntax {
                at,
                message: error.info(),
            },
        }
    }
}
