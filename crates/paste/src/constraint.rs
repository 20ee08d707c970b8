//! Operand constraints, such as `"=r"`, and the kinds of registers that they specify. The constraint letters are from the guide "Inline PTX
//! Assembly in CUDA", and from the NVPTX back end of LLVM. The rejected constraints are those that release 13 of the CUDA compiler rejects.

use warpgrid_isa::ScalarType;

/// Dialect of an inline assembly statement, which determines the notation of its constraints and operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsmDialect {
    /// `asm` statements of CUDA C++, in which operands are written as `%0`.
    Cuda,
    /// LLVM inline assembly, which Triton and other projects use. Operands are written as `$0`.
    Llvm,
    /// Rust macro `asm!`, in which operands are written as `{}`, `{0}` or `{name}`, and register classes replace constraints: `in(reg32)`.
    Rust,
    /// ILGPU calls, in which operands are written as `%0` and C# types replace constraints.
    Ilgpu,
}

/// Kind of an asm operand: a register of some type, or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandKind {
    Register(ScalarType),
    /// Integer constant that is known at compile time.
    Constant,
    /// String constant that is known at compile time.
    Text,
}

/// Direction of an operand, which its constraint specifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintAccess {
    /// The constraint has no modifier: the statement reads the operand.
    Read,
    /// The modifier `=`: the statement writes the operand.
    Written,
    /// The modifier `+`: the statement reads and writes the operand.
    ReadAndWritten,
}

/// Parsed constraint of an asm operand: its direction and the kind of the operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Constraint {
    pub(crate) role: ConstraintAccess,
    pub(crate) kind: OperandKind,
}

/// Error in the text of a constraint, which the block parser reports as a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConstraintError {
    /// The constraint has no letter.
    Empty,
    Unknown(char),
    /// The constraint has more than one letter.
    Several,
    /// The register class does not exist on the target nvptx64.
    RegisterClass,
}

/// Constraint letters with their kinds. The last letters are specific to LLVM.
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

/// Number of entries at the start of [`LETTERS`] whose letters CUDA supports.
const N_OF_CUDA: usize = 8;

/// List of the constraint letters for help texts.
pub(crate) const LETTERS_IN_WORDS: &str = "`\"h\"` for `.u16`, `\"r\"` for `.u32`, `\"l\"` for `.u64`, `\"q\"` for `.b128`, `\"f\"` for \
`.f32`, `\"d\"` for `.f64`, `\"n\"` for a constant, `\"C\"` for a constant text";

impl Constraint {
    /// Parses a constraint without its quotes.
    pub(crate) fn read(text: &str, dialect: AsmDialect) -> Result<Constraint, ConstraintError> {
        if dialect == AsmDialect::Rust {
            return Constraint::of_register_class(text);
        }
        let (role, rest) = match text.strip_prefix('=') {
            Some(rest) => (ConstraintAccess::Written, rest),
            None => match text.strip_prefix('+') {
                Some(rest) => (ConstraintAccess::ReadAndWritten, rest),
                None => (ConstraintAccess::Read, text),
            },
        };
        // Ignore the modifier `&`, which marks an early-clobber output. The assembly writes this output before it has read all inputs.
        let rest = rest.strip_prefix('&').unwrap_or(rest);
        let mut letters = rest.chars();
        let letter = letters.next().ok_or(ConstraintError::Empty)?;
        let n = match dialect {
            AsmDialect::Cuda => N_OF_CUDA,
            AsmDialect::Llvm | AsmDialect::Ilgpu | AsmDialect::Rust => LETTERS.len(),
        };
        let known = LETTERS.iter().take(n).find(|(own, _)| *own == letter);
        let (_, kind) = known.ok_or(ConstraintError::Unknown(letter))?;
        match letters.next() {
            None => Ok(Constraint { role, kind: *kind }),
            Some(_) => Err(ConstraintError::Several),
        }
    }

    /// Parses a Rust operand: its direction and its register class, as in `inout(reg32)`, or `const`, or `sym`.
    fn of_register_class(text: &str) -> Result<Constraint, ConstraintError> {
        let (direction, class) = text.split_once('(').unwrap_or((text, ""));
        let role = match direction.trim() {
            "out" | "lateout" => ConstraintAccess::Written,
            "inout" | "inlateout" => ConstraintAccess::ReadAndWritten,
            _ => ConstraintAccess::Read,
        };
        let kind = match (direction.trim(), class.trim_end_matches(')').trim()) {
            ("const", _) => OperandKind::Constant,
            ("sym", _) => OperandKind::Text,
            (_, "reg16") => OperandKind::Register(ScalarType::B16),
            (_, "reg32") => OperandKind::Register(ScalarType::B32),
            (_, "reg64") => OperandKind::Register(ScalarType::B64),
            (_, class) => {
                return Err(class
                    .chars()
                    .next()
                    .map_or(ConstraintError::Empty, |_| ConstraintError::RegisterClass));
            }
        };
        Ok(Constraint { role, kind })
    }
}

/// Returns the first letter of CUDA whose register type meets a condition.
pub(crate) fn cuda_letter(accepts: impl Fn(ScalarType) -> bool) -> Option<char> {
    let mut letters = LETTERS[..N_OF_CUDA].iter();
    let found = letters.find(|(_, kind)| match kind {
        OperandKind::Register(ty) => accepts(*ty),
        OperandKind::Constant | OperandKind::Text => false,
    });
    found.map(|(letter, _)| *letter)
}

impl ConstraintAccess {
    /// Checks whether the statement reads the operand.
    pub fn is_read(self) -> bool {
        self != ConstraintAccess::Written
    }

    /// Checks whether the statement writes the operand.
    pub fn is_written(self) -> bool {
        self != ConstraintAccess::Read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_parse_to_access_and_register_type() {
        let read = |text| Constraint::read(text, AsmDialect::Cuda);
        let register = |role, ty| {
            Ok(Constraint {
                role,
                kind: OperandKind::Register(ty),
            })
        };
        assert_eq!(
            read("=r"),
            register(ConstraintAccess::Written, ScalarType::U32)
        );
        assert_eq!(
            read("+f"),
            register(ConstraintAccess::ReadAndWritten, ScalarType::F32)
        );
        assert_eq!(
            read("=&l"),
            register(ConstraintAccess::Written, ScalarType::U64)
        );
        assert_eq!(read("rm"), Err(ConstraintError::Several));
        assert_eq!(read("=z"), Err(ConstraintError::Unknown('z')));
        assert_eq!(read("="), Err(ConstraintError::Empty));
    }
}
