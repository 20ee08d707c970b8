//! Decoder of arithmetic that reads or writes the carry flag (PTX ISA, "Extended-Precision Integer Arithmetic
//! Instructions").

use crate::code::decoded_op::DecodedOp;
use crate::contract::support::Support;
use crate::decode::{DecodeError, DecodeResult, Decoder};
use crate::semantics::alu_ops::{self, CarryMode};
use warpgrid_isa::{CarryOp, Flag, Modifiers, MulPart, ScalarType};

pub(crate) fn supports(op: CarryOp, modifiers: &Modifiers) -> Support {
    match op {
        CarryOp::Add
        | CarryOp::Addc
        | CarryOp::Sub
        | CarryOp::Subc
        | CarryOp::Mad
        | CarryOp::Madc => match modifiers.ty.map(ScalarType::width_bits) {
            Some(32 | 64) => Support::Runs,
            _ => Support::not_yet("carry arithmetic for this type"),
        },
    }
}

pub(crate) fn decode(d: &mut Decoder<'_>, op: CarryOp) -> DecodeResult<DecodedOp> {
    let ty = d.modifiers.ty.ok_or_else(|| DecodeError::missing("type"))?;
    let product = match d.modifiers.part {
        Some(MulPart::Hi) => alu_ops::CarryOp::MadHi,
        Some(MulPart::Lo | MulPart::Wide) | None => alu_ops::CarryOp::MadLo,
    };
    let (f, reads, n_sources) = match op {
        CarryOp::Add => (alu_ops::CarryOp::Add, false, 2),
        CarryOp::Addc => (alu_ops::CarryOp::Add, true, 2),
        CarryOp::Sub => (alu_ops::CarryOp::Sub, false, 2),
        CarryOp::Subc => (alu_ops::CarryOp::Sub, true, 2),
        CarryOp::Mad => (product, false, 3),
        CarryOp::Madc => (product, true, 3),
    };
    let mode = CarryMode {
        sign: ty.signedness(),
        reads,
        writes: d.modifiers.has(Flag::Cc),
    };
    let slots = crate::decode::arithmetic::same_width(d, ty.width_bits(), n_sources)?;
    Ok(match ty.width_bits() {
        64 => DecodedOp::Carry64 { f, mode, slots },
        _ => DecodedOp::Carry32 { f, mode, slots },
    })
}
