//! Constraints of operands: `"=r"` goes in, what kind of register it asks for comes out. The letters are those of the guide "Inline PTX
//! Assembly in CUDA", and for LLVM those of its NVPTX back end; what a compiler refuses was tried with release 13 of the CUDA compiler.

use warpgrid_isa::ScalarType;

/// Who reads the constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `asm` statements: `%0`.
    Cuda,
    /// Assembly in LLVM, which Triton and others hand through: `$0`.
    Llvm,
    /// Assembly in calls of ILGPU: `%0`, with C# types in place of constraints.
    Ilgpu,
}

/// What an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandKind {
    Register(ScalarType),
    /// A number that the compiler knows.
    Constant,
    /// A text that the compiler knows.
    Text,
}

/// Whether a statement reads or writes an operand, as its constraint says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// No modifier.
    Read,
    /// `=`
    Written,
    /// `+`
    ReadAndWritten,
}

/// A constraint that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Constraint {
    pub(crate) role: Role,
    pub(crate) kind: OperandKind,
}

/// Why a constraint is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mistake {
    /// There is no letter.
    Empty,
    Unknown(char),
    /// More than one letter.
    Several,
}

/// The letters, each with what it asks for; the last ones are of LLVM alone.
const LETTERS: &[(char, OperandKind)] = &[
    ('h', OperandKind::Register(ScalarType::U16)),
    ('r', OperandKind::Register(ScalarType::U32)),
    ('l', OperandKind::Register(ScalarType::U64)),
    ('q', OperandKind::Register(ScalarType::B128)),
    ('f', OperandKind::Register(ScalarType::F32)),
    ('d', OperandKind::Register(ScalarType::F64)),
    ('n', OperandKind::Constant),
    ('C', OperandKind::Text),
    ('b', OperandKind::Register(ScalarType::Pred)),
    ('c', OperandKind::Register(ScalarType::U16)),
    ('i', OperandKind::Constant),
];

/// How many of the letters CUDA has.
const N_OF_CUDA: usize = 8;

/// The letters as a help lists them.
pub(crate) const LETTERS_IN_WORDS: &str = "`\"h\"` for `.u16`, `\"r\"` for `.u32`, `\"l\"` for `.u64`, `\"q\"` for `.b128`, `\"f\"` for \
`.f32`, `\"d\"` for `.f64`, `\"n\"` for a constant, `\"C\"` for a constant text";

impl Constraint {
    /// Reads a constraint without its quotes.
    pub(crate) fn read(text: &str, dialect: Dialect) -> Result<Constraint, Mistake> {
        let (role, rest) = match text.strip_prefix('=') {
            Some(rest) => (Role::Written, rest),
            None => match text.strip_prefix('+') {
                Some(rest) => (Role::ReadAndWritten, rest),
                None => (Role::Read, text),
            },
        };
        // An output that is written before all inputs are read.
        let rest = rest.strip_prefix('&').unwrap_or(rest);
        let mut letters = rest.chars();
        let letter = letters.next().ok_or(Mistake::Empty)?;
        let n = match dialect {
            Dialect::Cuda => N_OF_CUDA,
            Dialect::Llvm | Dialect::Ilgpu => LETTERS.len(),
        };
        let known = LETTERS.iter().take(n).find(|(own, _)| *own == letter);
        let (_, kind) = known.ok_or(Mistake::Unknown(letter))?;
        match letters.next() {
            None => Ok(Constraint { role, kind: *kind }),
            Some(_) => Err(Mistake::Several),
        }
    }
}

impl Role {
    /// Whether the statement reads it.
    pub fn is_read(self) -> bool {
        self != Role::Written
    }

    /// Whether the statement writes it.
    pub fn is_written(self) -> bool {
        self != Role::Read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_are_read_with_their_modifiers() {
        let read = |text| Constraint::read(text, Dialect::Cuda);
        let register = |role, ty| {
            Ok(Constraint {
                role,
                kind: OperandKind::Register(ty),
            })
        };
        assert_eq!(read("=r"), register(Role::Written, ScalarType::U32));
        assert_eq!(read("+f"), register(Role::ReadAndWritten, ScalarType::F32));
        assert_eq!(read("=&l"), register(Role::Written, ScalarType::U64));
        assert_eq!(read("rm"), Err(Mistake::Several));
        assert_eq!(read("=z"), Err(Mistake::Unknown('z')));
        assert_eq!(read("="), Err(Mistake::Empty));
    }
}
