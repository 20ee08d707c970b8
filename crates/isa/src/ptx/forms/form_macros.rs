//! Macros that build the form tables: [`ModifierSet`](crate::ModifierSet), [`ModifierSpelling`] and [`Form`](crate::Form) in a compact
//! notation with the values of a set in columns, each set of types on one line, and each form on two to four lines.

use crate::form::{Gate, ModifierSpelling, ModifierValue};
use crate::types::ScalarType;

/// Gate that has no requirements.
pub(in crate::ptx) const ALWAYS: Gate = Gate::ALWAYS;

/// Creates a gate with this first PTX ISA version, for any target.
pub(in crate::ptx) const fn since(major: u8, minor: u8) -> Gate {
    Gate::ptx(major, minor)
}

/// Creates a type modifier with the given gate.
pub(super) const fn ty_from(ty: ScalarType, gate: Gate) -> ModifierSpelling {
    ModifierSpelling {
        text: ty.name(),
        meaning: ModifierValue::Type(ty),
        gate,
        help: ty.help(),
    }
}

/// Creates a type modifier with the gate that the type has in most instructions.
pub(super) const fn ty(ty: ScalarType) -> ModifierSpelling {
    let gate = match ty {
        ScalarType::B128 => since(8, 3).sm(70),
        _ => ALWAYS,
    };
    ty_from(ty, gate)
}

/// Set of types: `types!(NAME, Slot, U16 U32; gate => F16 F16x2);`
macro_rules! types {
    ($name:ident, $slot:ident $(, $($ty:ident)+)? $(; $gate:expr => $($more:ident)+)*) => {
        pub static $name: $crate::form::ModifierSet = $crate::form::ModifierSet {
            slot: $crate::form::SlotName::$slot,
            title: "type",
            values: &[
                $($($crate::ptx::forms::form_macros::ty($crate::types::ScalarType::$ty),)+)?
                $($($crate::ptx::forms::form_macros::ty_from($crate::types::ScalarType::$more, $gate),)+)*
            ],
        };
    };
}
pub(super) use types;

/// One value of a set: the columns spelling, value, gate and help, or the name of a value.
macro_rules! value {
    ($value:tt) => {
        $value
    };
    ($text:tt, $meaning:expr, $gate:expr, $help:expr) => {
        $crate::form::ModifierSpelling {
            text: $text,
            meaning: {
                #[allow(unused_imports, reason = "some rows use the full path of the variant")]
                use $crate::form::ModifierValue::*;
                $meaning
            },
            gate: $gate,
            help: $help,
        }
    };
}
pub(super) use value;

/// Set of values: `set! { NAME: Slot "title"; "text", Meaning(..), gate, "help"; NAMED_VALUE; }`
macro_rules! set {
    ($name:ident: $slot:ident $title:literal; $($text:tt $(, $meaning:expr, $gate:expr, $help:expr)?;)*) => {
        pub static $name: $crate::form::ModifierSet = $crate::form::ModifierSet {
            slot: $crate::form::SlotName::$slot,
            title: $title,
            values: &[$($crate::ptx::forms::form_macros::value!($text $(, $meaning, $gate, $help)?),)*],
        };
    };
}
pub(super) use set;

/// Named values shared by several sets.
macro_rules! values {
    ($($(#[$meta:meta])* $name:ident: $text:literal, $meaning:expr, $gate:expr, $help:literal;)*) => {
        $($(#[$meta])*
        pub const $name: $crate::form::ModifierSpelling =
            $crate::ptx::forms::form_macros::value!($text, $meaning, $gate, $help);)*
    };
}
pub(super) use values;

/// Operands whose type differs from the type in slot `type`: `operands! { NAME: "d" Bits(32), "a" Slot(SType); }`
macro_rules! operands {
    ($($name:ident: $($operand:literal $ty:expr),+;)*) => {
        $(const $name: &[(&str, $crate::form::OperandType)] = {
            #[allow(unused_imports, reason = "each list uses only some of the variants")]
            use $crate::form::{ImmediateRange::*, OperandType::*, SlotName::{AType, DType, SType, Size, Type}};
            &[$(($operand, $ty)),+]
        };)*
    };
}
pub(super) use operands;

/// Instruction form: syntax, sets, operation, any other field of [`crate::Form`]; help, section; accepted and rejected examples.
macro_rules! form {
    ($syntax:literal, [$($set:expr),*], $operation:expr $(, $field:ident: $value:expr)*; $help:literal, $section:expr $(; $($example:ident: $given:expr),*)?) => {{
        const ROW: $crate::form::Form = $crate::form::Form {
            syntax: $syntax,
            sets: &[$(&$set),*],
            operation: {
                use $crate::operation::Operation::*;
                $operation
            },
            help: $help,
            section: $section,
            $($field: {
                #[allow(unused_imports, reason = "each row uses only some of the variants")]
                use $crate::form::{AddressCheck::*, DiagnosticPolicy::*, OperandExtension::*};
                $value
            },)*
            $($(#[cfg(feature = "examples")] $example: $given,)*)?
            ..$crate::form::Form::DEFAULT
        };
        ROW
    }};
}
pub(super) use form;
