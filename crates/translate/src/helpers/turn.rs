//! How much of its turn a group of lanes has used up while others wait. In: the groups of a merge, block by block; out: a turn that goes on, or a warp whose steps the
//! host counts, since the interpreter may let others go on.

use super::merge::{BLOCKS_OF_WAYS, LAST_APART, merged};
use super::{EMPTY, stops_if};
use crate::emit::at;
use crate::place::{HAS_LATEST_ENDED, HAS_PARTED, IS_FAR, IS_UNSURE, Places, block, cell};
use crate::run::stop;
use warpgrid_emulator::plain::TURN_STEPS;
use wasm_encoder::{BlockType, Instruction as I, ValType};

/// Steps before the interpreter may let others of a warp go on.
const LONGEST_TURN: i32 = TURN_STEPS as i32 - 1;

/// What is used up of a turn, without what is said beside it. A turn of a group which was kept waiting keeps its mark, with which it is longer than any.
const USED: i32 = !(HAS_PARTED | IS_UNSURE | HAS_LATEST_ENDED) as i32;

/// Where the warp's turn is kept.
pub(super) fn push_place_of_turn(c: &mut Vec<I<'static>>) {
    c.extend([
        I::I32Const(0),
        I::I32Load(at(cell::WARP)),
        I::I32Const(2),
        I::I32Shl,
    ]);
}

/// What is used up of the warp's turn from before. Where a group which was kept waiting has its turn, the host counts.
pub(super) fn begin_turn(c: &mut Vec<I<'static>>, places: &Places) {
    use merged::{BEFORE, DETOURS, LIVE, TURN};
    c.extend([
        I::LocalGet(LIVE),
        I::LocalSet(BEFORE),
        I::I32Const(0),
        I::I32Load(at(cell::DETOURS)),
        I::LocalSet(DETOURS),
        I::I32Const(0),
        I::I32Const(0),
        I::I32Store(at(cell::DETOURS)),
        I::I32Const(0),
        I::I32Const(0),
        I::I32Store(at(places.ways + LAST_APART)),
    ]);
    push_place_of_turn(c);
    c.extend([
        I::I32Load(at(places.turns)),
        I::I32Const(!HAS_PARTED as i32),
        I::I32And,
        I::LocalTee(TURN),
        I::I32Const(USED),
        I::I32And,
    ]);
    leave_to_host_if_over(c, places);
}

/// The host counts the steps of the warp since its lanes last met, if the number on the stack is more than a group may use up of a turn.
fn leave_to_host_if_over(c: &mut Vec<I<'static>>, places: &Places) {
    use merged::{N, TURN};
    c.extend([I::I32Const(LONGEST_TURN), I::I32GtU, I::If(EMPTY)]);
    // What the host must know of the start is how much was used up, and that a group that was there had the last turn.
    push_place_of_turn(c);
    c.extend([
        I::I32Load(at(places.turns)),
        I::I32Const(HAS_LATEST_ENDED as i32),
        I::I32And,
    ]);
    push_place_of_turn(c);
    c.extend([
        I::I32Load(at(places.turns)),
        I::I32Const(HAS_PARTED as i32),
        I::I32And,
        I::I32Const(0),
        I::LocalGet(TURN),
        I::I32Const(IS_UNSURE as i32),
        I::I32And,
        I::Select,
        I::I32Or,
    ]);
    c.extend(stops_if(stop::UNCOUNTED));
    c.extend([
        I::I32Const(0),
        I::LocalGet(N),
        I::I32Store(at(cell::GROUPS)),
        I::I32Const(stop::COUNT as i32),
        I::Return,
        I::End,
    ]);
}

/// Uses up the turn with the steps of the block at hand, or begins another one: the interpreter takes a step off it wherever there are several groups before it looks
/// which of them have come together, and begins anew where it goes on with another group than before.
pub(super) fn add_to_turn(c: &mut Vec<I<'static>>, places: &Places, stays: bool) {
    use merged::{
        APART, BEFORE, BLOCK, DETOURS, GROUP, LAST, LAST_LIVE, LIVE, NUMBER, OTHERS, TURN, WAITING,
    };
    c.extend([
        I::LocalGet(NUMBER),
        I::If(EMPTY),
        // Those that have not ended.
        I::LocalGet(BEFORE),
        I::LocalGet(LIVE),
        I::I32And,
        I::LocalSet(LAST_LIVE),
        // Whether there are others after those at one place have come together.
        I::LocalGet(LIVE),
        I::LocalGet(GROUP),
        I::I32Xor,
        I::LocalGet(WAITING),
        I::I32Or,
        I::LocalGet(APART),
        I::I32Or,
        I::LocalSet(OTHERS),
        // Most often all go on.
        I::Block(EMPTY),
        I::LocalGet(LAST_LIVE),
        I::LocalGet(GROUP),
        I::I32And,
        I::LocalGet(LAST_LIVE),
        I::I32Eq,
        I::LocalGet(LAST_LIVE),
        I::I32Const(0),
        I::I32Ne,
        I::I32And,
        I::LocalGet(APART),
        I::I32Eqz,
        I::I32And,
        I::I32Eqz,
        I::If(EMPTY),
    ]);
    is_another_group(c, places);
    c.extend([
        I::If(EMPTY),
        // The step that begins another turn is the last one of the turn before: if that is over then, it may be the turn of one that was kept waiting.
        I::LocalGet(TURN),
        I::I32Const(USED),
        I::I32And,
        I::I32Const(1),
        I::I32Add,
    ]);
    leave_to_host_if_over(c, places);
    c.extend([
        I::I32Const(0),
        I::LocalSet(TURN),
        I::Br(2),
        I::End,
        // The interpreter takes the first group for one that is no more. Where one is left, it has no turn.
        I::LocalGet(LAST_LIVE),
        I::I32Eqz,
        I::If(EMPTY),
        I::LocalGet(TURN),
        I::I32Const(IS_UNSURE as i32),
        I::I32Const(HAS_LATEST_ENDED as i32),
        I::LocalGet(OTHERS),
        I::Select,
        I::I32Or,
        I::LocalSet(TURN),
        I::End,
        I::End,
        // There were others.
        I::LocalGet(TURN),
        I::I32Const(0),
        I::I32Load(at(places.ways + LAST_APART)),
        I::LocalGet(OTHERS),
        I::I32Or,
        I::LocalGet(LAST_LIVE),
        I::LocalGet(GROUP),
        I::I32Xor,
        I::I32Const(0),
        I::LocalGet(LAST_LIVE),
        I::Select,
        I::I32Or,
        I::I32Const(0),
        I::I32Ne,
        I::I32Add,
        I::LocalSet(TURN),
        I::End,
    ]);
    if stays {
        // Groups that stay at one place are not in traces.
        c.extend([
            I::LocalGet(TURN),
            I::I32Const(1),
            I::I32Add,
            I::I32Const(IS_UNSURE as i32),
            I::I32Or,
            I::LocalSet(TURN),
        ]);
    }
    c.extend([
        I::LocalGet(TURN),
        I::LocalGet(NUMBER),
        I::I32Const(1),
        I::I32Sub,
        I::I32Const(0),
        I::LocalGet(OTHERS),
        I::Select,
        I::I32Add,
        I::LocalTee(TURN),
        I::I32Const(USED),
        I::I32And,
    ]);
    leave_to_host_if_over(c, places);
    c.extend([
        I::LocalGet(GROUP),
        I::LocalSet(BEFORE),
        I::LocalGet(BLOCK),
        I::LocalSet(LAST),
        I::LocalGet(DETOURS),
        I::If(EMPTY),
        I::I32Const(0),
        I::LocalGet(APART),
        I::I32Store(at(places.ways + LAST_APART)),
        I::End,
        I::Else,
        // An operation that the lanes wait for: they try in vain, if others are elsewhere.
        I::LocalGet(LIVE),
        I::LocalGet(GROUP),
        I::I32Ne,
        I::If(EMPTY),
        I::LocalGet(TURN),
        I::I32Const(IS_UNSURE as i32),
        I::I32Or,
        I::LocalSet(TURN),
        I::End,
        I::End,
    ]);
}

/// Leaves on the stack whether another group goes on than before: lanes that were not in it, or those of it that branched while others follow the code.
fn is_another_group(c: &mut Vec<I<'static>>, places: &Places) {
    use merged::{APART, BEFORE, BLOCK, GROUP, LAST, LAST_LIVE, WAITING};
    const NUMBER: BlockType = BlockType::Result(ValType::I32);
    c.extend([
        I::LocalGet(LAST_LIVE),
        I::I32Eqz,
        I::If(NUMBER),
        I::LocalGet(WAITING),
        I::LocalGet(BEFORE),
        I::I32And,
        I::I32Const(0),
        I::I32Ne,
        I::Else,
        I::LocalGet(LAST_LIVE),
        I::LocalGet(GROUP),
        I::I32And,
        I::LocalGet(LAST_LIVE),
        I::I32Eq,
        I::If(NUMBER),
        I::I32Const(0),
        I::Else,
        I::LocalGet(LAST_LIVE),
        I::LocalGet(GROUP),
        I::I32And,
        I::I32Eqz,
        I::LocalGet(LAST),
        I::I32Const(block::BYTES_LOG2 as i32),
        I::I32Shl,
        I::I32Load(at(places.blocks + block::NEXT)),
        I::LocalGet(BLOCK),
        I::I32Ne,
        I::I32Or,
        I::End,
        I::End,
        // Those that were to go another way.
        I::LocalGet(APART),
        I::If(NUMBER),
        I::LocalGet(APART),
        I::I32Ctz,
        I::I32Const(1),
        I::I32Shl,
        I::I32Load16U(at(places.ways + BLOCKS_OF_WAYS)),
        I::I32Const(IS_FAR as i32),
        I::I32And,
        I::I32Const(0),
        I::I32Ne,
        I::Else,
        I::I32Const(0),
        I::End,
        I::I32Or,
    ]);
}
