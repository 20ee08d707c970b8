//! The syntax tree of a SASS text: statements in text order, and flat vectors of operands, modifiers and annotations that
//! instructions hold ranges of. Every part has its span, so that the text can be written again, coloured and mended.

use std::ops::Range;
use warpgrid_isa::sass::control::Control;
use warpgrid_program::Span;

/// A text as it was read.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    pub statements: Vec<Statement>,
    pub instructions: Vec<Instruction>,
    pub comments: Vec<Span>,
    pub errors: Vec<SyntaxError>,
    pub(super) operands: Vec<Operand>,
    pub(super) terms: Vec<Term>,
    pub(super) brackets: Vec<Bracket>,
    pub(super) modifiers: Vec<Span>,
    pub(super) annotations: Vec<Annotation>,
}

/// A line, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    pub span: Span,
    /// The address comment before it: `/*0010*/`.
    pub address: Option<u64>,
    pub kind: StatementKind,
}

/// What a statement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// Index into [`Tree::instructions`].
    Instruction(u32),
    /// `.L_x_1:`, `vecadd:`; the span is without the colon.
    Label(Span),
    /// `.section .text.vecadd,"ax",@progbits`: its name with the dot, and the rest of the line.
    Directive { name: Span, arguments: Span },
    /// A line that a disassembler prints between functions: `code for sm_75`, `Function : vecadd`, `arch = sm_80`; the
    /// words before the separator and those after it.
    Header { key: Span, value: Span },
    /// An encoding on a line of its own: the upper half of the instruction before it, or control codes of those after it.
    Encoding(Encoding),
    /// A line that is none of these. It is kept; [`Tree::errors`] says why.
    Unknown,
}

/// A number that a disassembler prints in a comment beside an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding {
    pub span: Span,
    pub value: u128,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// From the guard to the last operand or annotation, without the semicolon.
    pub span: Span,
    pub guard: Option<Guard>,
    /// The first word of the mnemonic: `STG`.
    pub opcode: Span,
    /// The encoding on the same line.
    pub encoding: Option<Encoding>,
    /// The control information before it on the same line.
    pub control: Option<ControlText>,
    /// Whether braces say that it is issued together with a neighbour.
    pub pairing: Pairing,
    pub(super) modifiers: Range<u32>,
    pub(super) operands: Range<u32>,
    pub(super) annotations: Range<u32>,
}

/// Control information before an instruction, for the scheduler. It has no effect on results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlText {
    pub span: Span,
    pub control: Control,
}

/// The place of an instruction in a pair `{ FIRST ; SECOND ; }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Pairing {
    #[default]
    Alone,
    /// After `{`.
    First,
    /// Before `}`.
    Second,
}

/// `@P0`, `@!UP1`, `@PT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    pub span: Span,
    pub negated: bool,
    pub predicate: Register,
}

/// An operand with its signs and modifiers: `-|R4|.reuse`, `!P0`, `c[0x0][0x160].H0_H0`.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    /// Signs and modifiers included.
    pub span: Span,
    pub signs: Signs,
    pub value: Value,
    /// Whether a comma precedes it; operands such as the target of `RET R2 0x0` follow a blank.
    pub after_comma: bool,
    pub(super) modifiers: Range<u32>,
}

/// What is written around a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Signs {
    /// `-`
    pub negated: bool,
    /// `+`, as in `+INF`
    pub plus: bool,
    /// `|x|`
    pub absolute: bool,
    /// `~`
    pub inverted: bool,
    /// `!`
    pub not: bool,
}

/// What an operand is.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Register(Register),
    /// A whole number: `0x10`, `12`, `0`. In an instruction on floats, decimal digits alone are a float as well.
    Integer(u64),
    /// `2.384185791015625e-07`, `INF`, `QNAN`; the span is without the sign.
    Float(f64),
    /// A place in memory, or in a constant bank: one or two brackets with what is before them.
    Memory(Memory),
    /// A name between `` `( `` and `)`: where a branch leads.
    Target(Span),
    /// A value that the linker fills in: `32@lo(name)`, `fun@fdesc(name)`; the whole text.
    Relocation(Span),
    /// `{1, 2}`: its whole text.
    Set(Span),
    /// A word that is no register: `SR_TID`, `PR`, `CC`, `2D`; without its modifiers.
    Word(Span),
    /// What could not be read. It is kept; [`Tree::errors`] says why.
    Unknown(Span),
}

/// `[R2.64+0x8]`, `desc[UR4][R2.64]`, `c[0x0][0x160]`, `cx[UR4][0x8]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The word before the first bracket.
    pub prefix: Option<Span>,
    pub(super) brackets: Range<u32>,
}

/// `[ ... ]` with its terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bracket {
    /// Brackets included.
    pub span: Span,
    pub(super) terms: Range<u32>,
}

/// A part of a sum between brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// From its sign to its last modifier.
    pub span: Span,
    pub joint: Joint,
    pub value: TermValue,
    pub(super) modifiers: Range<u32>,
}

/// What is before a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joint {
    /// Nothing: the first one.
    First,
    /// `+`
    Plus,
    /// `-`, of the first one or a later one.
    Minus,
    /// `+-`
    PlusMinus,
}

/// What a term is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermValue {
    Register(Register),
    Integer(u64),
    /// `32@lo(name)`, a name, or what could not be read: its text.
    Other(Span),
}

/// A register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register {
    pub file: RegisterFile,
    pub number: RegisterNumber,
}

/// Which set of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RegisterFile {
    /// `R0`: 32 bits for each lane.
    General,
    /// `UR0`: 32 bits for the warp.
    Uniform,
    /// `P0`: a bit for each lane.
    Predicate,
    /// `UP0`: a bit for the warp.
    UniformPredicate,
    /// `B0`: the lanes that meet again at `BSYNC`.
    Barrier,
    /// `SB0`: what `DEPBAR` waits for.
    Scoreboard,
}

/// Which register of its set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RegisterNumber {
    Number(u16),
    /// `RZ`, `URZ`: reads zero, loses what is written.
    Zero,
    /// `PT`, `UPT`: true.
    True,
}

/// `&req_6`, `&wr=0x1`, `?trans1`, `(*"SpillRefill"*)`: what a disassembler adds about scheduling. It has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// Braces, sign and value included.
    pub span: Span,
    pub kind: AnnotationKind,
    /// The word after the sign.
    pub name: Span,
    /// What follows `=`.
    pub value: Option<Span>,
}

/// The sign of an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnnotationKind {
    /// `&req_6`, `&rd0`: a barrier that is waited for or set.
    Barrier,
    /// `?sched`, `?trans4`: when the next instruction may issue.
    Schedule,
    /// `(* ... *)`: a remark.
    Remark,
}

/// A place that could not be read, and what it lacks. The rest of the text is read all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    pub span: Span,
    pub kind: SyntaxErrorKind,
}

/// Why a place could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyntaxErrorKind {
    /// A line that no disassembler prints and that is no instruction.
    NotAStatement,
    /// After `@` there is no predicate.
    Guard,
    /// After a guard there is no opcode.
    NoOpcode,
    /// After a comma there is no operand, or something that is none.
    Operand,
    /// Between brackets there is something that is no address.
    Address,
    /// An opening bracket, bar, brace or parenthesis has no end on its line.
    Open(char),
    /// A dot without a word.
    Modifier,
    /// A number that does not fit 64 bits, or no number.
    Number,
    /// `/*` without `*/`.
    Comment,
}

impl Tree {
    /// The modifiers of the mnemonic, without their dots.
    pub fn modifiers(&self, instruction: &Instruction) -> &[Span] {
        slice(&self.modifiers, &instruction.modifiers)
    }

    /// The operands, in text order.
    pub fn operands(&self, instruction: &Instruction) -> &[Operand] {
        slice(&self.operands, &instruction.operands)
    }

    /// The scheduling annotations and remarks.
    pub fn annotations(&self, instruction: &Instruction) -> &[Annotation] {
        slice(&self.annotations, &instruction.annotations)
    }

    /// The modifiers of an operand, without their dots.
    pub fn operand_modifiers(&self, operand: &Operand) -> &[Span] {
        slice(&self.modifiers, &operand.modifiers)
    }

    /// The brackets of a place in memory, at least one.
    pub fn brackets(&self, memory: &Memory) -> &[Bracket] {
        slice(&self.brackets, &memory.brackets)
    }

    /// The terms of a bracket.
    pub fn terms(&self, bracket: &Bracket) -> &[Term] {
        slice(&self.terms, &bracket.terms)
    }

    /// The modifiers of a term, without their dots.
    pub fn term_modifiers(&self, term: &Term) -> &[Span] {
        slice(&self.modifiers, &term.modifiers)
    }
}

fn slice<'a, T>(items: &'a [T], range: &Range<u32>) -> &'a [T] {
    items
        .get(range.start as usize..range.end as usize)
        .unwrap_or(&[])
}

impl Register {
    /// The register with this name: `R12`, `RZ`, `UR4`, `URZ`, `P0`, `PT`, `UP0`, `UPT`, `B0`, `SB0`.
    pub fn of_name(name: &str) -> Option<Register> {
        let (file, rest) = RegisterFile::of_prefix(name)?;
        let number = match (file, rest) {
            (RegisterFile::General | RegisterFile::Uniform, "Z") => RegisterNumber::Zero,
            (RegisterFile::Predicate | RegisterFile::UniformPredicate, "T") => RegisterNumber::True,
            _ => {
                let digits = rest.bytes().all(|byte| byte.is_ascii_digit());
                let plain = rest == "0" || !rest.starts_with('0');
                if !digits || !plain || rest.len() > 4 {
                    return None;
                }
                RegisterNumber::Number(rest.parse().ok()?)
            }
        };
        Some(Register { file, number })
    }
}

impl RegisterFile {
    /// Splits the name of a register after its letters.
    fn of_prefix(name: &str) -> Option<(RegisterFile, &str)> {
        let (first, rest) = name.split_at_checked(1)?;
        Some(match first {
            "R" => (RegisterFile::General, rest),
            "P" => (RegisterFile::Predicate, rest),
            "B" => (RegisterFile::Barrier, rest),
            "U" => match rest.split_at_checked(1)? {
                ("R", rest) => (RegisterFile::Uniform, rest),
                ("P", rest) => (RegisterFile::UniformPredicate, rest),
                _ => return None,
            },
            "S" => (RegisterFile::Scoreboard, rest.strip_prefix('B')?),
            _ => return None,
        })
    }

    /// What its names begin with.
    pub const fn prefix(self) -> &'static str {
        match self {
            RegisterFile::General => "R",
            RegisterFile::Uniform => "UR",
            RegisterFile::Predicate => "P",
            RegisterFile::UniformPredicate => "UP",
            RegisterFile::Barrier => "B",
            RegisterFile::Scoreboard => "SB",
        }
    }
}

impl std::fmt::Display for Register {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.file.prefix())?;
        match self.number {
            RegisterNumber::Number(number) => write!(f, "{number}"),
            RegisterNumber::Zero => f.write_str("Z"),
            RegisterNumber::True => f.write_str("T"),
        }
    }
}
