//! Decoder of video instructions (PTX ISA, "Video Instructions").

use crate::code::VideoPlan;
use crate::code::decoded_op::DecodedOp;
use crate::decode::{DecodeResult, Decoder};
use warpgrid_isa::video_selectors::SubwordSelectors;
use warpgrid_isa::{Flag, OverflowMode, ScalarType, Signedness, SimdWidth, VideoOp};

/// Position of the operand that contains the packed selectors of the subword operands.
const SELECTION: usize = 4;

pub(crate) fn decode(
    d: &mut Decoder<'_>,
    op: VideoOp,
    lanes: SimdWidth,
) -> DecodeResult<DecodedOp> {
    let modifiers = d.modifiers;
    let c = match d.is_absent(3) {
        true => d.constant(0, 32),
        false => d.source(3, 32)?,
    };
    let plan = VideoPlan {
        op,
        lanes,
        signs: [modifiers.d_type, modifiers.a_type, modifiers.b_type]
            .map(|ty| ty.map_or(Signedness::Unsigned, ScalarType::signedness)),
        saturates: modifiers.has(Flag::Sat),
        second: modifiers.reduce,
        compare: modifiers.compare,
        wraps: modifiers.overflow == Some(OverflowMode::Wrap),
        scale: match (modifiers.has(Flag::Shr7), modifiers.has(Flag::Shr15)) {
            (true, _) => 7,
            (false, true) => 15,
            (false, false) => 0,
        },
        plus_one: modifiers.has(Flag::PlusOne),
        selection: SubwordSelectors::from_bits(d.immediate(SELECTION)?),
        slots: [d.target(0, 32)?, d.source(1, 32)?, d.source(2, 32)?, c],
    };
    Ok(DecodedOp::Video(d.code.videos.add(plan)))
}
