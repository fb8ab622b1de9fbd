//! The small language that every grammar is lowered to.

use std::rc::Rc;

use prowess_spec::Span;

/// A name of a variable, a function, a member.
pub(super) type Name = Rc<str>;

/// An expression with its place.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub span: Span,
    pub kind: ExprKind,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    /// Something without a meaning of its own here; the parts are still evaluated.
    Unknown(Vec<Expr>),
    None,
    Bool(bool),
    Int(i64),
    Text(Rc<str>),
    Bytes(Rc<[u8]>),
    Name(Name),
    Member(Box<Expr>, Name),
    Index(Box<Expr>, Box<Expr>),
    /// Start, end and step.
    Slice(Box<Expr>, Box<[Option<Expr>; 3]>),
    Call(Box<Call>),
    Binary(Op, Box<Expr>, Box<Expr>),
    /// Operands of one associative operator: long chains would nest too deeply.
    Chain(Op, Vec<Expr>),
    Not(Box<Expr>),
    Negative(Box<Expr>),
    /// Python's `~` and JavaScript's `~`.
    Invert(Box<Expr>),
    List(Vec<Expr>),
    /// `None` as a key spreads another map.
    Map(Vec<(Option<Expr>, Expr)>),
    /// Parts that are put together to one text.
    Template(Vec<Expr>),
    Spread(Box<Expr>),
    Function(Rc<Function>),
    Comprehension(Box<Comprehension>),
    Conditional(Box<(Expr, Expr, Expr)>),
    Assign(Box<(Target, Expr)>),
    Augment(Box<(Target, Op, Expr)>),
    /// What a block of shell code prints.
    Capture(Rc<Vec<Stmt>>),
    /// The path of a file that holds what a block prints: `<( … )`.
    ProcessFile(Rc<Vec<Stmt>>),
    Command(Box<Command>),
    /// Each command's output is the next one's input.
    Pipeline(Vec<Expr>),
    /// A shell variable with the operation that is applied to it: `${x:0:3}`.
    Expansion(Box<Expansion>),
    /// A block that is a value: subshells, script blocks that run at once.
    Block(Rc<Vec<Stmt>>, Vec<Redirect>),
}

/// A call.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub callee: Expr,
    pub args: Vec<Arg>,
}

/// An argument.
#[derive(Clone, Debug)]
pub(super) struct Arg {
    pub name: Option<Name>,
    pub spread: bool,
    pub value: Expr,
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Remainder,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    /// `and`, `or`, `??`: one of both.
    Either,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// `in`, `instanceof` and the like.
    Test,
    /// The pipe of `PowerShell` between expressions, `-split`, `-join` and `-f` and `-replace` are calls.
    Other,
}

/// A function.
#[derive(Debug)]
pub(super) struct Function {
    pub name: Name,
    pub params: Vec<Param>,
    pub body: Vec<Stmt>,
    pub span: Span,
}

/// A parameter.
#[derive(Clone, Debug)]
pub(super) struct Param {
    pub target: Target,
    pub default: Option<Expr>,
    pub rest: bool,
}

/// `[body for target in iter if condition]`
#[derive(Clone, Debug)]
pub(super) struct Comprehension {
    /// The key, for a map.
    pub key: Option<Expr>,
    pub body: Expr,
    pub clauses: Vec<Clause>,
}

/// One `for … in … if …`.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub target: Target,
    pub iter: Expr,
    pub conditions: Vec<Expr>,
}

/// Where a value is stored.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Ignore,
    Name(Name),
    Member(Box<Expr>, Name),
    Index(Box<Expr>, Box<Expr>),
    List(Vec<Target>),
    Map(Vec<(Name, Target)>),
    Rest(Box<Target>),
}

/// A statement with its place.
#[derive(Clone, Debug)]
pub(super) struct Stmt {
    pub span: Span,
    pub kind: StmtKind,
}

/// What a statement is.
#[derive(Clone, Debug)]
pub(super) enum StmtKind {
    Expr(Expr),
    Assign(Vec<Target>, Expr),
    Augment(Target, Op, Expr),
    Return(Option<Expr>),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    For(Target, Expr, Vec<Stmt>),
    While(Expr, Vec<Stmt>),
    /// A C style loop: the step runs after each round.
    Block(Vec<Stmt>),
    /// Blocks of which each may run or not: `try` with its handlers, `switch`.
    Maybe(Vec<Vec<Stmt>>),
    Function(Rc<Function>, Vec<Expr>),
    Class(Name, Vec<Expr>, Vec<Stmt>),
    Import(Vec<Import>),
    /// `break`, `return` without a value, `exit`.
    Break,
    Continue,
    /// Names of module level that a function assigns.
    Global(Vec<Name>),
    /// `export default`, `module.exports` are assignments; this names what is exported.
    Export(Name, Expr),
}

/// A name that an import binds.
#[derive(Clone, Debug)]
pub(super) struct Import {
    /// The module: `os.path`, `./util`, `node:fs`.
    pub module: Name,
    /// The member of the module; `None` for the module itself, `*` for all.
    pub member: Option<Name>,
    /// The name that is bound.
    pub local: Name,
}

/// A command of a shell.
#[derive(Clone, Debug)]
pub(super) struct Command {
    pub words: Vec<Expr>,
    pub assigns: Vec<(Name, Expr)>,
    pub redirects: Vec<Redirect>,
    pub powershell: bool,
}

/// Where a stream of a command goes to or comes from.
#[derive(Clone, Debug)]
pub(super) enum Redirect {
    /// `> path`, `>> path`
    Write(Expr),
    /// `< path`
    Read(Expr),
    /// A here-document or here-string.
    Text(Expr),
}

/// A shell variable and what is done to it.
#[derive(Clone, Debug)]
pub(super) struct Expansion {
    pub name: Name,
    pub operation: Operation,
}

/// An operation of `${…}`.
#[derive(Clone, Debug)]
pub(super) enum Operation {
    /// `${x:-word}` and its relatives.
    Default(Option<Expr>),
    /// `${x:offset:length}`
    Substring(i64, Option<i64>),
    /// `${x/from/to}`, all when doubled.
    Replace {
        from: Expr,
        to: Option<Expr>,
        all: bool,
    },
    /// `${x#prefix}`, `${x%suffix}`
    Trim { pattern: Expr, suffix: bool },
    /// `${x^^}`, `${x,,}`
    Case { upper: bool },
    /// `${!x}`
    Indirect,
    /// `${#x}`
    Length,
}

impl Expr {
    /// An expression of `kind` at `span`.
    pub(super) fn new(span: Span, kind: ExprKind) -> Self {
        Self { span, kind }
    }

    /// An expression without meaning.
    pub(super) fn unknown(span: Span) -> Self {
        Self::new(span, ExprKind::Unknown(Vec::new()))
    }

    /// A constant text.
    pub(super) fn text(span: Span, text: &str) -> Self {
        Self::new(span, ExprKind::Text(text.into()))
    }

    /// A name.
    pub(super) fn name(span: Span, name: &str) -> Self {
        Self::new(span, ExprKind::Name(name.into()))
    }

    /// A call with positional arguments.
    pub(super) fn call(span: Span, callee: Expr, args: Vec<Expr>) -> Self {
        let args = args
            .into_iter()
            .map(|value| Arg {
                name: None,
                spread: false,
                value,
            })
            .collect();
        Self::new(span, ExprKind::Call(Box::new(Call { callee, args })))
    }
}
