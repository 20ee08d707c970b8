//! Register table of a function: names and types indexed by [`RegisterId`]. All names share one string, because registers are the
//! most numerous names of a large module.

use crate::ids::RegisterId;
use std::fmt::{self, Write};
use std::ops::Deref;
use warpgrid_isa::ScalarType;

/// Prefix of the names of registers that do not occur in the source. Front ends use such registers between the instructions of
/// one step.
pub const UNNAMED: &str = "~";

/// Register that an instruction accesses. [`Registers::name`] returns its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    pub ty: ScalarType,
    /// End offset of the name in the string of all names.
    name_end: u32,
}

/// Registers of a function in the order of their first use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Registers {
    list: Vec<Register>,
    names: String,
}

impl Registers {
    /// Reserves capacity for `n` registers.
    pub fn reserve(&mut self, n: usize) {
        self.list.reserve(n);
        self.names.reserve(n.saturating_mul(NAME_BYTES));
    }

    /// Adds a register.
    pub fn add(&mut self, name: &str, ty: ScalarType) -> RegisterId {
        self.names.push_str(name);
        self.close_name(ty)
    }

    /// Adds a register with the name `stem` followed by `number`.
    #[inline]
    pub fn add_numbered(&mut self, stem: &str, number: u32, ty: ScalarType) -> RegisterId {
        self.names.push_str(stem);
        push_number(&mut self.names, number);
        self.close_name(ty)
    }

    /// Adds a register with a formatted name.
    pub fn add_formatted(&mut self, name: fmt::Arguments<'_>, ty: ScalarType) -> RegisterId {
        // Writing to a string cannot fail.
        let _ = self.names.write_fmt(name);
        self.close_name(ty)
    }

    fn close_name(&mut self, ty: ScalarType) -> RegisterId {
        let id = RegisterId(self.list.len() as u32);
        let name_end = self.names.len() as u32;
        self.list.push(Register { ty, name_end });
        id
    }

    /// Returns the name of a register in its source spelling: `%rd4`. The name is empty if no register has this number.
    pub fn name(&self, register: RegisterId) -> &str {
        let index = register.0 as usize;
        let end = self.list.get(index).map_or(0, |register| register.name_end);
        let before = index
            .checked_sub(1)
            .and_then(|before| self.list.get(before));
        let start = before.map_or(0, |register| register.name_end);
        self.names.get(start as usize..end as usize).unwrap_or("")
    }

    /// Returns whether the name of the register occurs in the source.
    pub fn is_named(&self, register: RegisterId) -> bool {
        !self.name(register).starts_with(UNNAMED)
    }

    /// Returns the names of all registers, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        (0..self.list.len() as u32).map(|id| self.name(RegisterId(id)))
    }

    /// Returns the register with this name, and its type.
    pub fn find(&self, name: &str) -> Option<(RegisterId, ScalarType)> {
        let index = self.names().position(|own| own == name)?;
        Some((RegisterId(index as u32), self.list.get(index)?.ty))
    }

    /// Removes all registers, but keeps the allocated capacity.
    pub fn clear(&mut self) {
        self.list.clear();
        self.names.clear();
    }
}

impl Deref for Registers {
    type Target = [Register];

    fn deref(&self) -> &[Register] {
        &self.list
    }
}

/// Average length in bytes of a name such as `%rd12`.
const NAME_BYTES: usize = 5;

/// Appends a number. The formatter of the standard library takes several times as long as all other work for a register.
fn push_number(text: &mut String, number: u32) {
    if number >= 10 {
        push_number(text, number / 10);
    }
    text.push(char::from(b'0' + (number % 10) as u8));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn register_names_are_found_by_id() {
        let mut registers = Registers::default();
        let first = registers.add_numbered("%r", 10, ScalarType::B32);
        let second = registers.add("sum", ScalarType::F32);
        let third = registers.add_formatted(format_args!("{}.x", "v"), ScalarType::B64);
        assert_eq!(registers.name(first), "%r10");
        assert_eq!(registers.name(second), "sum");
        assert_eq!(registers.name(third), "v.x");
        assert_eq!(registers.name(RegisterId(3)), "");
        assert_eq!(registers.get(1).map(|r| r.ty), Some(ScalarType::F32));
        assert_eq!(
            registers.names().collect::<Vec<_>>(),
            ["%r10", "sum", "v.x"]
        );
    }
}
