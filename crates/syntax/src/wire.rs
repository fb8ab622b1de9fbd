//! What a worker that parses and its host send each other: a length of four bytes, and that many bytes.
//!
//! The host reads answers as what they may be: the words of a process that a stranger's bytes have taken over. Every
//! number in them is checked once, here.

use std::io::{self, Read, Write};

use crate::language::CodeLanguage;
use crate::limits::{NAME_BYTES, NAMES, NODES, SOURCE_BYTES};
use crate::tree::{NodeData, SyntaxTree};
use crate::trees::{Parse, ParseRequest, Parsed};

/// Bytes of a node.
const NODE: usize = 16;
/// Longest request and longest answer, without the four bytes of the length.
const REQUEST_BYTES: usize = SOURCE_BYTES + 9;
const ANSWER_BYTES: usize = 64 + NODES * NODE + 2 * NAMES * (NAME_BYTES + 2);

/// What may be wrong with a message.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// Nothing more comes.
    #[error("the other end closed the stream")]
    Closed,
    /// It is not what this module writes.
    #[error("malformed message: {0}")]
    Malformed(&'static str),
    /// The stream failed.
    #[error(transparent)]
    Stream(#[from] io::Error),
}

/// A request as its reader owns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedRequest {
    /// Decides the grammar.
    pub language: CodeLanguage,
    /// The program.
    pub source: String,
    /// As in [`ParseRequest`].
    pub ticks: usize,
    /// As in [`ParseRequest`].
    pub errors: usize,
}

impl OwnedRequest {
    /// The same, borrowed.
    pub fn as_request(&self) -> ParseRequest<'_> {
        ParseRequest {
            language: self.language,
            source: &self.source,
            ticks: self.ticks,
            errors: self.errors,
        }
    }
}

/// The bytes of a request.
pub fn encode_request(request: &ParseRequest<'_>) -> Vec<u8> {
    let mut message = Message::default();
    let language = CodeLanguage::ALL
        .iter()
        .position(|language| *language == request.language);
    message.byte(language.unwrap_or_default());
    message.number(request.ticks);
    message.number(request.errors);
    message.bytes.extend(request.source.as_bytes());
    message.framed()
}

/// Reads the next request; `None` at the end of the stream.
pub fn read_request(stream: &mut impl Read) -> Result<Option<OwnedRequest>, WireError> {
    let bytes = match read_frame(stream, REQUEST_BYTES) {
        Err(WireError::Closed) => return Ok(None),
        frame => frame?,
    };
    let mut fields = Fields(&bytes);
    let language = CodeLanguage::ALL.get(usize::from(fields.byte()?));
    Ok(Some(OwnedRequest {
        language: *language.ok_or(WireError::Malformed("unknown language"))?,
        ticks: fields.number()?,
        errors: fields.number()?,
        source: str::from_utf8(fields.0)
            .map_err(|_| WireError::Malformed("a source that is not UTF-8"))?
            .to_owned(),
    }))
}

/// Writes an answer. [`Parse::Lost`] is what a host says when none came.
pub fn write_answer(stream: &mut impl Write, answer: &Parse) -> io::Result<()> {
    let mut message = Message::default();
    match answer {
        Parse::Tree(parsed) => {
            message.byte(0);
            message.parsed(parsed);
        }
        Parse::TooDeep => message.byte(1),
        Parse::TooManyErrors => message.byte(2),
        Parse::Unfinished | Parse::Lost(_) => message.byte(3),
    }
    stream.write_all(&message.framed())?;
    stream.flush()
}

/// Reads the answer to a request for a tree of `source`.
pub fn read_answer(stream: &mut impl Read, source: &str) -> Result<Parse, WireError> {
    let bytes = read_frame(stream, ANSWER_BYTES)?;
    let mut fields = Fields(&bytes);
    let answer = match fields.byte()? {
        0 => Parse::Tree(fields.parsed(source)?),
        1 => Parse::TooDeep,
        2 => Parse::TooManyErrors,
        3 => Parse::Unfinished,
        _ => return Err(WireError::Malformed("unknown answer")),
    };
    if fields.0.is_empty() {
        Ok(answer)
    } else {
        Err(WireError::Malformed("bytes after the end"))
    }
}

fn read_frame(stream: &mut impl Read, most: usize) -> Result<Vec<u8>, WireError> {
    let mut length = [0; 4];
    match stream.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            return Err(WireError::Closed);
        }
        read => read?,
    }
    let length = usize::try_from(u32::from_le_bytes(length)).unwrap_or(usize::MAX);
    if length > most {
        return Err(WireError::Malformed("too long"));
    }
    let mut bytes = Vec::new();
    // As it comes: a length alone takes no memory.
    let read = stream
        .take(u64::try_from(length).unwrap_or(u64::MAX))
        .read_to_end(&mut bytes)?;
    if read < length {
        return Err(WireError::Closed);
    }
    Ok(bytes)
}

/// A message that is being written.
#[derive(Default)]
struct Message {
    bytes: Vec<u8>,
}

impl Message {
    fn byte(&mut self, byte: usize) {
        self.bytes.push(u8::try_from(byte).unwrap_or(u8::MAX));
    }

    fn number(&mut self, number: usize) {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        self.bytes.extend(number.to_le_bytes());
    }

    fn names(&mut self, names: &[Box<str>]) {
        self.number(names.len());
        for name in names {
            self.byte(name.len());
            self.bytes.extend(name.as_bytes());
        }
    }

    fn parsed(&mut self, parsed: &Parsed) {
        self.number(parsed.errors);
        self.number(parsed.error_bytes);
        self.number(parsed.ticks);
        let tree = &parsed.tree;
        self.byte(usize::from(tree.cut));
        self.names(&tree.kinds);
        self.names(&tree.fields);
        self.number(tree.nodes.len());
        self.bytes.reserve(tree.nodes.len() * NODE);
        for node in &tree.nodes {
            self.bytes.extend(node.kind.to_le_bytes());
            self.bytes.extend([node.field, node.flags]);
            for number in [node.start, node.end, node.next] {
                self.bytes.extend(number.to_le_bytes());
            }
        }
    }

    fn framed(self) -> Vec<u8> {
        let length = u32::try_from(self.bytes.len()).unwrap_or(u32::MAX);
        [&length.to_le_bytes(), &*self.bytes].concat()
    }
}

/// What is left of a message that is being read.
struct Fields<'b>(&'b [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let (first, rest) = self
            .0
            .split_first_chunk::<N>()
            .ok_or(WireError::Malformed("too short"))?;
        self.0 = rest;
        Ok(*first)
    }

    fn byte(&mut self) -> Result<u8, WireError> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn number(&mut self) -> Result<usize, WireError> {
        let number = u32::from_le_bytes(self.take()?);
        usize::try_from(number).map_err(|_| WireError::Malformed("a number out of range"))
    }

    fn names(&mut self) -> Result<Vec<Box<str>>, WireError> {
        let count = self.number()?;
        if count > NAMES {
            return Err(WireError::Malformed("too many names"));
        }
        (0..count)
            .map(|_| {
                let length = usize::from(self.byte()?);
                let (name, rest) = self
                    .0
                    .split_at_checked(length.min(NAME_BYTES))
                    .ok_or(WireError::Malformed("too short"))?;
                self.0 = rest;
                let name = str::from_utf8(name);
                name.map(Box::from)
                    .map_err(|_| WireError::Malformed("a name that is not UTF-8"))
            })
            .collect()
    }

    fn parsed(&mut self, source: &str) -> Result<Parsed, WireError> {
        let (errors, error_bytes, ticks) = (self.number()?, self.number()?, self.number()?);
        let cut = self.byte()? != 0;
        let (kinds, fields) = (self.names()?, self.names()?);
        let count = self.number()?;
        if count > NODES {
            return Err(WireError::Malformed("too many nodes"));
        }
        let mut tree = SyntaxTree {
            nodes: Vec::with_capacity(count),
            kinds,
            fields,
            cut,
        };
        for _ in 0..count {
            let node = self.node()?;
            tree.nodes.push(node);
        }
        check(&tree, source)?;
        Ok(Parsed {
            tree,
            errors,
            error_bytes,
            ticks,
        })
    }

    fn node(&mut self) -> Result<NodeData, WireError> {
        let kind = u16::from_le_bytes(self.take()?);
        let [field, flags] = self.take()?;
        Ok(NodeData {
            kind,
            field,
            flags,
            start: u32::from_le_bytes(self.take()?),
            end: u32::from_le_bytes(self.take()?),
            next: u32::from_le_bytes(self.take()?),
        })
    }
}

/// Whether an array is a tree over `source`: one root, children inside of their parents, spans on characters.
fn check(tree: &SyntaxTree, source: &str) -> Result<(), WireError> {
    let length = u32::try_from(source.len()).unwrap_or(u32::MAX);
    let count = u32::try_from(tree.nodes.len()).unwrap_or(u32::MAX);
    // The ends of the nodes that are open.
    let mut open: Vec<u32> = Vec::new();
    for (at, node) in (0_u32..).zip(&tree.nodes) {
        while open.last().is_some_and(|end| *end <= at) {
            open.pop();
        }
        let outer = open.last().copied();
        let is_inside = match outer {
            Some(outer) => node.next <= outer,
            None => at == 0 && node.next == count,
        };
        if node.next <= at || !is_inside {
            return Err(WireError::Malformed("nodes that are no tree"));
        }
        let is_span = node.start <= node.end && node.end <= length;
        let is_whole =
            |place: u32| usize::try_from(place).is_ok_and(|place| source.is_char_boundary(place));
        if !is_span || !is_whole(node.start) || !is_whole(node.end) {
            return Err(WireError::Malformed("a node outside of the source"));
        }
        if usize::from(node.kind) >= tree.kinds.len()
            || usize::from(node.field) > tree.fields.len()
            || node.flags & !NodeData::ALL_FLAGS != 0
        {
            return Err(WireError::Malformed("a node of an unknown kind"));
        }
        open.push(node.next);
    }
    Ok(())
}
