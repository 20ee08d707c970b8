//! Facts of a PTX module that a listing of its machine code may lack.

use crate::{Module, OperandValue, Source, Variable};
use std::collections::BTreeSet;
use warpgrid_isa::{ScalarType, StateSpace};

/// Facts of a PTX module for a listing of its machine code that has no data sections or no encodings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CounterpartFacts {
    /// Constant bank 3: the `.const` variables. `None` if the module has none, or if the bytes depend on an address.
    pub constant_bank: Option<Vec<u8>>,
    /// Bits of the 32-bit words that a disassembler prints as `QNAN` and as `-QNAN`. `None` if the literals of the module contain
    /// no such word or several such words with this sign.
    pub nan_words: [Option<u32>; 2],
}

impl CounterpartFacts {
    /// Collects the facts of a module.
    pub fn of(module: &Module) -> CounterpartFacts {
        let words = nan_words(module);
        CounterpartFacts {
            constant_bank: constant_bank(module),
            nan_words: [0, 1].map(|sign| {
                let mut of_sign = words.iter().filter(|word| *word >> 31 == sign);
                let first = of_sign.next().copied();
                first.filter(|_| of_sign.next().is_none())
            }),
        }
    }
}

/// Returns the bytes of the `.const` variables as the assembler lays them out: in the order of their declarations, each at its alignment,
/// variables with a linkage first (assembler 13.5, targets `sm_75` to `sm_120`).
fn constant_bank(module: &Module) -> Option<Vec<u8>> {
    let variables = module.variables.iter();
    let constants = variables.filter(|variable| variable.space == StateSpace::Const);
    let (linked, local): (Vec<&Variable>, Vec<&Variable>) =
        constants.partition(|variable| variable.has_linkage);
    let mut bank = Vec::new();
    for variable in linked.into_iter().chain(local) {
        if variable.dynamic || !variable.relocations.is_empty() {
            return None;
        }
        let align = variable.align_bytes.max(1) as usize;
        let start = bank.len().next_multiple_of(align);
        let end = start.checked_add(usize::try_from(variable.size_bytes).ok()?)?;
        // The alignment of the variable can move its end past the end of the bank.
        if end as u64 > module.target.limits.constant_bytes {
            return None;
        }
        bank.resize(start, 0);
        bank.extend(&variable.init);
        bank.resize(end, 0);
    }
    (!bank.is_empty()).then_some(bank)
}

/// Collects the words of literals that have the exponent and a mantissa of a NaN: literals of `.f32`, and the upper words of literals of
/// `.f64`. A literal of `.b64` counts if it is an infinity, since compilers move floating-point literals by `mov.b64`.
fn nan_words(module: &Module) -> BTreeSet<u32> {
    let mut words = BTreeSet::new();
    for function in &module.functions {
        for instruction in &function.instructions {
            let ty = module
                .opcode(instruction)
                .and_then(|action| action.modifiers.ty);
            let values = function.operands_of(instruction.operands).iter();
            let literals = values.filter_map(|operand| match operand.value {
                OperandValue::Source(Source::Immediate(bits), _) => Some(bits),
                _ => None,
            });
            words.extend(literals.filter_map(|bits| match ty? {
                ScalarType::F32 => Some(bits as u32),
                ScalarType::F64 => Some((bits >> 32) as u32),
                ScalarType::B64 if f64::from_bits(bits).is_infinite() => Some((bits >> 32) as u32),
                _ => None,
            }));
        }
    }
    words.retain(|word| f32::from_bits(*word).is_nan());
    words
}
