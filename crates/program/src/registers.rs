//! The registers of a function. In: names and types as a front end finds them; out: both by number. The names lie in
//! one string, since a large module has more registers than anything else that is named.

use crate::ids::RegisterId;
use std::fmt::{self, Write};
use std::ops::Deref;
use warpgrid_isa::ScalarType;

/// What the names of registers start with that no text names: a front end needs them between the instructions of one step.
pub const UNNAMED: &str = "~";

/// A register that some instruction names. Its name is [`Registers::name`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    pub ty: ScalarType,
    /// Where its name ends among the names.
    name_end: u32,
}

/// The registers of a function, numbered in the order of first use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Registers {
    list: Vec<Register>,
    names: String,
}

impl Registers {
    /// Makes room for `n` registers.
    pub fn reserve(&mut self, n: usize) {
        self.list.reserve(n);
        self.names.reserve(n.saturating_mul(NAME_BYTES));
    }

    /// Adds a register.
    pub fn add(&mut self, name: &str, ty: ScalarType) -> RegisterId {
        self.names.push_str(name);
        self.close_name(ty)
    }

    /// Adds a register whose name is `stem` with `number` after it.
    #[inline]
    pub fn add_numbered(&mut self, stem: &str, number: u32, ty: ScalarType) -> RegisterId {
        self.names.push_str(stem);
        push_number(&mut self.names, number);
        self.close_name(ty)
    }

    /// Adds a register whose name is formatted.
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

    /// The name of a register as written: `%rd4`. Empty for a number that no register has.
    pub fn name(&self, register: RegisterId) -> &str {
        let index = register.0 as usize;
        let end = self.list.get(index).map_or(0, |register| register.name_end);
        let before = index
            .checked_sub(1)
            .and_then(|before| self.list.get(before));
        let start = before.map_or(0, |register| register.name_end);
        self.names.get(start as usize..end as usize).unwrap_or("")
    }

    /// Whether a text names the register.
    pub fn is_named(&self, register: RegisterId) -> bool {
        !self.name(register).starts_with(UNNAMED)
    }

    /// The names of all registers, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        (0..self.list.len() as u32).map(|id| self.name(RegisterId(id)))
    }

    /// Returns the register with a name, and its type.
    pub fn find(&self, name: &str) -> Option<(RegisterId, ScalarType)> {
        let index = self.names().position(|own| own == name)?;
        Some((RegisterId(index as u32), self.list.get(index)?.ty))
    }

    /// Removes all registers, and keeps their room.
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

/// What a name such as `%rd12` has on average.
const NAME_BYTES: usize = 5;

/// Appends a number. The formatter of the standard library costs several times the rest of a register.
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
    fn names_are_found_by_number() {
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
