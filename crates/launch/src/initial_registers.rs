//! Initial register values, such as `//@ register R2 = lane * 4 + 16`. Parses a value into its terms, and resolves the terms when the
//! addresses of the buffers are known.

use crate::diagnostics::{self, LaunchDiagnostic};
use crate::scenario::{Buffer, InitialRegister};
use warpgrid_emulator::{BufferIndex, RegisterInit};
use warpgrid_isa::read_decimal;
use warpgrid_program::{Function, SassKernelInfo};

/// Register with its initial value as a sum of terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct InitialRegisterValue {
    /// Name of the register in the source, such as `R2`.
    name: String,
    start: u64,
    per_lane: u64,
    /// Factor of the linear thread index within the block.
    per_thread: u64,
    /// Name of the buffer whose address is a term of the sum.
    buffer: Option<String>,
}

/// Parses an initial value, which is a sum of numbers, multiples of `lane` and `thread`, and the name of a buffer.
pub(crate) fn read(name: &str, value: &str) -> Result<InitialRegisterValue, LaunchDiagnostic> {
    let mut fact = InitialRegisterValue {
        name: name.to_owned(),
        ..InitialRegisterValue::default()
    };
    if value.trim().is_empty() {
        return Err(diagnostics::register_without_value());
    }
    for part in value.split('+').map(str::trim) {
        let (word, factor) = match part.split_once('*') {
            Some((a, b)) => match (number(a), number(b)) {
                (None, Some(factor)) => (a.trim(), factor),
                (Some(factor), None) => (b.trim(), factor),
                _ => return Err(diagnostics::not_a_register_value(part)),
            },
            None => (part, 1),
        };
        match word {
            "lane" => fact.per_lane = fact.per_lane.wrapping_add(factor),
            "thread" => fact.per_thread = fact.per_thread.wrapping_add(factor),
            _ => match number(part) {
                Some(bits) => fact.start = fact.start.wrapping_add(bits),
                None if is_name(part) && fact.buffer.is_none() => {
                    fact.buffer = Some(part.to_owned());
                }
                None => return Err(diagnostics::not_a_register_value(part)),
            },
        }
    }
    Ok(fact)
}

/// Parses an integer such as `16`, `-4` or `0x10`, or a 32-bit floating-point number such as `1.5`.
fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    if let Ok(value) = text.parse::<i64>() {
        return Some(value as u64);
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok();
    }
    read_decimal(text).map(|value| u64::from((value as f32).to_bits()))
}

/// Checks whether a register contains the upper half of a buffer address that `stated` assigns to the preceding register. The address of a
/// buffer occupies a pair of registers.
pub(crate) fn is_upper_half(name: &str, stated: &[InitialRegister]) -> bool {
    stated.iter().any(|register| {
        let fact = read(&register.name, &register.value.to_string());
        let is_address = fact.is_ok_and(|fact| fact.buffer.is_some());
        is_address && SassKernelInfo::register_after(&register.name).as_deref() == Some(name)
    })
}

fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    let is_first = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '%');
    characters.next().is_some_and(is_first)
        && characters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$'))
}

/// Converts initial register values to the representation of the emulator.
pub(crate) fn resolve(
    registers: &[InitialRegister],
    buffers: &[Buffer],
    function: &Function,
) -> Result<Vec<RegisterInit>, LaunchDiagnostic> {
    // A SASS source may specify a register that its instructions do not use. The program never reads such a register, so its value is
    // ignored.
    let is_machine = function.machine.is_some();
    let mut resolved = Vec::new();
    for (place, register) in registers.iter().enumerate() {
        let before = &registers[..place];
        if before.iter().any(|other| other.name == register.name) {
            return Err(diagnostics::given_twice(&register.name));
        }
        let fact = read(&register.name, &register.value.to_string());
        let fact = fact.map_err(|problem| problem.of_register(&register.name))?;
        if !function.registers.names().any(|name| name == fact.name) {
            if is_machine && SassKernelInfo::has_register(&fact.name) {
                continue;
            }
            return Err(diagnostics::no_such_register(&fact.name));
        }
        let index = |name: &String| {
            let found = buffers.iter().position(|buffer| buffer.name == *name);
            found
                .map(|index| BufferIndex(index as u32))
                .ok_or_else(|| diagnostics::no_buffer_above(name))
        };
        resolved.push(RegisterInit {
            buffer: fact.buffer.as_ref().map(index).transpose()?,
            name: fact.name,
            start: fact.start,
            per_lane: fact.per_lane,
            per_thread: fact.per_thread,
        });
    }
    Ok(resolved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_parses_as_linear_form_of_lane_thread_and_buffer() {
        let fact = read("R2", "lane * 4 + out + 0x10 + 2*thread + -1").unwrap();
        assert_eq!((fact.start, fact.per_lane, fact.per_thread), (15, 4, 2));
        assert_eq!(fact.buffer.as_deref(), Some("out"));
        assert_eq!(read("R1", "1.5").unwrap().start, 0x3fc0_0000);
    }

    #[test]
    fn malformed_values_are_rejected() {
        for text in ["", "lane * lane", "4 * 4", "lane +", "a + b", "R2["] {
            assert!(read("R2", text).is_err(), "{text}");
        }
    }
}
