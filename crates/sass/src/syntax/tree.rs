//! Syntax tree of a SASS source: statements in source order, and flat vectors of operands, modifiers and annotations that instructions
//! reference by range. Every node has a span, which permits printing, highlighting and fixes.

use std::ops::Range;
use warpgrid_isa::sass::control::Control;
use warpgrid_program::Span;

/// Syntax tree of a parsed source.
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

/// Statement: a line or a part of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    pub span: Span,
    /// Address in a comment before the statement, such as `/*0010*/`.
    pub address: Option<u64>,
    pub kind: StatementKind,
}

/// Kind of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// Index into [`Tree::instructions`].
    Instruction(u32),
    /// Label, such as `.L_x_1:` or `vecadd:`. The span excludes the colon.
    Label(Span),
    /// Directive, such as `.section .text.vecadd,"ax",@progbits`: the name with the dot, and the rest of the line.
    Directive { name: Span, arguments: Span },
    /// Header that a disassembler prints between functions: `code for sm_75`, `Function : vecadd`, `arch = sm_80`. The fields contain the
    /// text before and after the separator.
    Header { key: Span, value: Span },
    /// Encoding on a separate line: the upper half of the encoding of the preceding instruction, or the control word of the following
    /// instructions.
    Encoding(Encoding),
    /// Unrecognized line, for which [`Tree::errors`] contains an error.
    Unknown,
}

/// Encoding that a disassembler prints in a comment next to an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding {
    pub span: Span,
    pub value: u128,
}

/// Instruction of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Span from the guard to the last operand or annotation, without the semicolon.
    pub span: Span,
    pub guard: Option<Guard>,
    /// First component of the mnemonic, such as `STG`.
    pub opcode: Span,
    /// Encoding on the same line.
    pub encoding: Option<Encoding>,
    /// Control code before the instruction on the same line.
    pub control: Option<ControlText>,
    /// Dual-issue pairing, indicated by braces.
    pub pairing: DualIssue,
    pub(super) modifiers: Range<u32>,
    pub(super) operands: Range<u32>,
    pub(super) annotations: Range<u32>,
}

/// Control code before an instruction, which controls the scheduler and has no effect on results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlText {
    pub span: Span,
    pub control: Control,
}

/// Position of an instruction in a pair `{ FIRST ; SECOND ; }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum DualIssue {
    #[default]
    Alone,
    /// First instruction of the pair, after `{`.
    First,
    /// Second instruction of the pair, before `}`.
    Second,
}

/// Guard predicate, such as `@P0`, `@!UP1` or `@PT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    pub span: Span,
    pub negated: bool,
    pub predicate: Register,
}

/// Operand with its signs and modifiers, such as `-|R4|.reuse`, `!P0` or `c[0x0][0x160].H0_H0`.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    /// Span including signs and modifiers.
    pub span: Span,
    pub signs: OperandModifiers,
    pub value: OperandKind,
    /// Whether a comma precedes the operand. Only a blank precedes some operands, such as the target of `RET R2 0x0`.
    pub after_comma: bool,
    pub(super) modifiers: Range<u32>,
}

/// Sign notation around a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct OperandModifiers {
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

/// Value of an operand.
#[derive(Clone, Debug, PartialEq)]
pub enum OperandKind {
    Register(Register),
    /// Integer, such as `0x10`, `12` or `0`. In a floating-point instruction, decimal digits without a point denote a float.
    Integer(u64),
    /// Float, such as `2.384185791015625e-07`, `INF` or `QNAN`, without its sign.
    Float(f64),
    /// Memory address, or offset in a constant bank: one or two brackets with their prefix.
    Memory(MemoryOperand),
    /// Branch target: a name between `` `( `` and `)`.
    Target(Span),
    /// Complete text of a value that the linker resolves, such as `32@lo(name)` or `fun@fdesc(name)`.
    Relocation(Span),
    /// Complete text of a set, such as `{1, 2}`.
    Set(Span),
    /// Word that is not a register, such as `SR_TID`, `PR`, `CC` or `2D`, without its modifiers.
    Word(Span),
    /// Text that is not a valid operand, for which [`Tree::errors`] contains an error.
    Unknown(Span),
}

/// Memory operand, such as `[R2.64+0x8]`, `desc[UR4][R2.64]`, `c[0x0][0x160]`, `cx[UR4][0x8]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryOperand {
    /// Word before the first bracket, such as `desc` or `c`.
    pub prefix: Option<Span>,
    pub(super) brackets: Range<u32>,
}

/// One bracket of a SASS memory operand, as in `[R2+0x10]`, with the terms of its sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bracket {
    /// Span of the address including its brackets.
    pub span: Span,
    pub(super) terms: Range<u32>,
}

/// Term of a sum between brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// Span from the sign to the last modifier.
    pub span: Span,
    pub joint: TermOperator,
    pub value: TermValue,
    pub(super) modifiers: Range<u32>,
}

/// Operator that precedes a term of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermOperator {
    /// No operator, before the first term.
    First,
    /// `+`
    Plus,
    /// `-`, before the first or a later term.
    Minus,
    /// `+-`
    PlusMinus,
}

/// Value of a term in an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermValue {
    Register(Register),
    Integer(u64),
    /// `32@lo(name)`, a name, or unparsable text.
    Other(Span),
}

/// Register operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register {
    pub file: RegisterFile,
    pub number: RegisterNumber,
}

/// Register file that contains a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RegisterFile {
    /// General-purpose registers, such as `R0`: 32 bits per lane.
    General,
    /// Uniform registers, such as `UR0`: 32 bits per warp.
    Uniform,
    /// Predicates, such as `P0`: one bit per lane.
    Predicate,
    /// Uniform predicates, such as `UP0`: one bit per warp.
    UniformPredicate,
    /// Convergence barriers, such as `B0`: the set of lanes that reconverge at `BSYNC`.
    Barrier,
    /// Scoreboards, such as `SB0`, which are operands of `DEPBAR`.
    Scoreboard,
}

/// Register number within a register file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RegisterNumber {
    Number(u16),
    /// `RZ` or `URZ`, which reads as zero and discards writes.
    Zero,
    /// `PT` or `UPT`, which is always true.
    True,
}

/// Scheduling annotation of a disassembler: `&req_6`, `&wr=0x1`, `?trans1`, `(*"SpillRefill"*)`. Annotations have no effect on results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// Span including delimiters, sign and value.
    pub span: Span,
    pub kind: AnnotationKind,
    /// Word that follows the sign.
    pub name: Span,
    /// Value after `=`.
    pub value: Option<Span>,
}

/// Kind of a scheduling annotation in a listing, which its sign determines: a scoreboard (`&`), an issue delay (`?`) or a remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnnotationKind {
    /// Scoreboard barrier for which the instruction waits, or which the instruction sets (`&req_6`, `&rd0`).
    Barrier,
    /// Issue time of the next instruction (`?sched`, `?trans4`).
    Schedule,
    /// Remark in the form `(* ... *)`.
    Remark,
}

/// Syntax error, after which parsing continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    pub span: Span,
    pub kind: SyntaxErrorKind,
}

/// Reason of a syntax error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyntaxErrorKind {
    /// Line that is neither an instruction nor other disassembler output.
    NotAStatement,
    /// Missing predicate after the `@` of a guard.
    Guard,
    /// Missing opcode after a guard.
    NoOpcode,
    /// Missing or invalid operand after a comma.
    Operand,
    /// Invalid address between square brackets.
    Address,
    /// Opening bracket, bar, brace or parenthesis that is not closed on its line.
    Open(char),
    /// Dot that is not followed by a modifier.
    Modifier,
    /// Invalid number, or number that exceeds 64 bits.
    Number,
    /// `/*` without `*/`.
    Comment,
}

impl Tree {
    /// Returns the modifiers of the mnemonic, without their dots.
    pub fn modifiers(&self, instruction: &Instruction) -> &[Span] {
        slice(&self.modifiers, &instruction.modifiers)
    }

    /// Returns the operands, in source order.
    pub fn operands(&self, instruction: &Instruction) -> &[Operand] {
        slice(&self.operands, &instruction.operands)
    }

    /// Returns the scheduling annotations and remarks.
    pub fn annotations(&self, instruction: &Instruction) -> &[Annotation] {
        slice(&self.annotations, &instruction.annotations)
    }

    /// Returns the modifiers of an operand, without their dots.
    pub fn operand_modifiers(&self, operand: &Operand) -> &[Span] {
        slice(&self.modifiers, &operand.modifiers)
    }

    /// Returns the brackets of a memory operand. A memory operand has at least one bracket.
    pub fn brackets(&self, memory: &MemoryOperand) -> &[Bracket] {
        slice(&self.brackets, &memory.brackets)
    }

    /// Returns the terms of a bracket.
    pub fn terms(&self, bracket: &Bracket) -> &[Term] {
        slice(&self.terms, &bracket.terms)
    }

    /// Returns the modifiers of a term, without their dots.
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
    /// Returns the register with this name, such as `R12`, `RZ`, `UR4`, `URZ`, `P0`, `PT`, `UP0`, `UPT`, `B0`, `SB0`.
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
    /// Splits the name of a register into its register file and the text after the prefix of the register file.
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

    /// Returns the prefix of register names in this register file.
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
