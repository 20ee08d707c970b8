//! Warp-level collectives (PTX ISA, "shfl.sync", "vote.sync", "match.sync", "redux.sync", "elect.sync"). Active lanes
//! with equal member masks form a group, which executes the collective independently.

use crate::code::{CollectiveKind, CollectivePlan, MatchMode, WarpReduction};
use crate::exec::operand_rows::read64;
use crate::semantics::alu_ops::{Float32Op, FloatOp};
use crate::semantics::registers::{FULL, LANES, LaneRegisters, OperandSlot, Row32, lanes_of};
use crate::semantics::rounding::FloatMode;
use warpgrid_isa::{ReduceOp, ScalarType, ShuffleMode, VoteMode};

/// Executes a collective after all of its member lanes have arrived.
#[inline(never)]
pub(crate) fn collective(l: &mut LaneRegisters<'_>, plan: &CollectivePlan) {
    let groups = if plan.mask.is_some() {
        *l.r32(plan.mask)
    } else {
        [FULL; LANES]
    };
    match plan.kind {
        CollectiveKind::Shuffle {
            mode,
            d,
            predicate,
            a,
            b,
            c,
        } => {
            let (row, inside) = shuffle(mode, l.r32(a), l.r32(b), l.r32(c));
            set_both(l, d, &row, predicate, inside);
        }
        CollectiveKind::Vote { mode, d, a } => {
            let p = l.predicate(a.slot);
            let p = if a.negated { !p } else { p };
            let (row, predicate) = vote(mode, p, l.mask, &groups);
            match mode {
                VoteMode::Ballot => l.set32(d, &row),
                VoteMode::All | VoteMode::Any | VoteMode::Uni => l.set_predicate(d, predicate),
            }
        }
        CollectiveKind::Match {
            mode,
            d,
            predicate,
            a,
        } => {
            let values = read64(l, a);
            let (row, same) = match_values(mode, &values, l.mask, &groups);
            set_both(l, d, &row, predicate, same);
        }
        CollectiveKind::Reduce { reduction, d, a } => {
            let row = reduce_groups(reduction, l.r32(a), l.mask, &groups);
            l.set32(d, &row);
        }
        CollectiveKind::Elect { d, predicate } => {
            let (row, elected) = elect(l.mask, &groups);
            set_both(l, d, &row, predicate, elected);
        }
        CollectiveKind::Transpose { d, a } => {
            let row = transpose(l.r32(a));
            l.set32(d, &row);
        }
    }
}

/// Writes a result row and a result predicate. The function skips absent destinations.
fn set_both(
    l: &mut LaneRegisters<'_>,
    d: OperandSlot,
    row: &[u32; LANES],
    predicate: OperandSlot,
    lanes: u32,
) {
    if d.is_some() {
        l.set32(d, row);
    }
    if predicate.is_some() {
        l.set_predicate(predicate, lanes);
    }
}

/// `vote`: returns the ballot of each lane's group, and the mask of the lanes whose group has a true vote.
fn vote(mode: VoteMode, p: u32, mask: u32, groups: &[u32; LANES]) -> ([u32; LANES], u32) {
    let mut row = [0; LANES];
    let mut predicate = 0;
    for_groups(mask, groups, |lanes| {
        let ballot = p & lanes;
        let result = match mode {
            VoteMode::All => ballot == lanes,
            VoteMode::Any => ballot != 0,
            VoteMode::Uni => ballot == 0 || ballot == lanes,
            VoteMode::Ballot => false,
        };
        predicate |= if result { lanes } else { 0 };
        for lane in lanes_of(lanes) {
            row[lane] = ballot;
        }
    });
    (row, predicate)
}

/// `match`: returns for each lane the lanes of its group with the same value, and the mask of the lanes whose entire
/// group has the same value. In mode `All`, the first result is 0 unless the entire group has the same value.
fn match_values(
    mode: MatchMode,
    values: &[u64; LANES],
    mask: u32,
    groups: &[u32; LANES],
) -> ([u32; LANES], u32) {
    let mut row = [0; LANES];
    let mut same = 0;
    for_groups(mask, groups, |lanes| {
        for lane in lanes_of(lanes) {
            let equal = lanes_of(lanes)
                .filter(|other| values[*other] == values[lane])
                .fold(0, |mask, other| mask | 1 << other);
            if equal == lanes {
                same |= 1 << lane;
            }
            row[lane] = match mode {
                MatchMode::All if equal != lanes => 0,
                MatchMode::All | MatchMode::Any => equal,
            };
        }
    });
    (row, same)
}

/// `elect`: returns the leader of each lane's group, and the mask of the leaders.
fn elect(mask: u32, groups: &[u32; LANES]) -> ([u32; LANES], u32) {
    let mut row = [0; LANES];
    let mut elected = 0;
    for_groups(mask, groups, |lanes| {
        let leader = lanes.trailing_zeros();
        elected |= 1 << leader;
        for lane in lanes_of(lanes) {
            row[lane] = leader;
        }
    });
    (row, elected)
}

/// Transposes an 8x8 matrix of 16-bit elements. The lower half of lane `4 * row + column / 2` contains the element in
/// an even column, and the upper half contains the element in the following column (PTX ISA, "movmatrix").
fn transpose(rows: &Row32) -> Row32 {
    std::array::from_fn(|lane| {
        let (row, first) = (lane / 4, lane % 4 * 2);
        let element = |column: usize| rows[4 * column + row / 2] >> (16 * (row % 2)) & 0xffff;
        element(first) | element(first + 1) << 16
    })
}

/// Calls `f` with the lane mask of each group. A group consists of the active lanes with equal member masks.
fn for_groups(active: u32, masks: &Row32, mut f: impl FnMut(u32)) {
    let mut left = active;
    while left != 0 {
        let first = masks[(left.trailing_zeros() & 31) as usize];
        let lanes = lanes_of(left)
            .filter(|lane| masks[*lane] == first)
            .fold(0, |mask, lane| mask | 1 << lane);
        f(lanes);
        left &= !lanes;
    }
}

/// Computes `shfl`: returns the shuffled values, and the mask of the lanes whose source lane is within their segment.
fn shuffle(mode: ShuffleMode, a: &Row32, b: &Row32, c: &Row32) -> (Row32, u32) {
    let mut row = [0; LANES];
    let mut inside = 0;
    for (lane, value) in row.iter_mut().enumerate() {
        let index = lane as i32;
        let amount = (b[lane] & 31) as i32;
        let (clamp, segment) = ((c[lane] & 31) as i32, (c[lane] >> 8 & 31) as i32);
        let lowest = index & segment;
        let limit = lowest | clamp & !segment & 31;
        let (source, within) = match mode {
            ShuffleMode::Up => (index - amount, index - amount >= limit),
            ShuffleMode::Down => (index + amount, index + amount <= limit),
            ShuffleMode::Bfly => (index ^ amount, index ^ amount <= limit),
            ShuffleMode::Idx => {
                let source = lowest | amount & !segment & 31;
                (source, source <= limit)
            }
        };
        let source = if within { source } else { index };
        *value = a[(source & 31) as usize];
        inside |= u32::from(within) << lane;
    }
    (row, inside)
}

/// Returns the minimum or the maximum of two floats for `redux.sync` (PTX ISA, "redux.sync").
pub(crate) fn float_extreme(op: ReduceOp, mode: FloatMode, a: u32, b: u32) -> u32 {
    let f = match op {
        ReduceOp::Min => FloatOp::Min,
        _ => FloatOp::Max,
    };
    crate::exec::arithmetic::float::op32(
        Float32Op::Plain(f),
        mode,
        f32::from_bits(a),
        f32::from_bits(b),
        0.0,
    )
}

/// `redux.sync`: reduces the values of each group to one value.
fn reduce_groups(reduction: WarpReduction, values: &Row32, mask: u32, groups: &Row32) -> Row32 {
    let WarpReduction {
        op,
        ty,
        absolute,
        nan,
    } = reduction;
    let sign = if absolute { 1 << 31 } else { 0 };
    let mode = FloatMode {
        nan,
        ..FloatMode::default()
    };
    let values = values.map(|value| value & !sign);
    let mut row = [0; LANES];
    for_groups(mask, groups, |lanes| {
        let mut values = lanes_of(lanes).map(|lane| values[lane]);
        let first = values.next().unwrap_or(0);
        let first = if ty == ScalarType::F32 {
            float_extreme(op, mode, first, first)
        } else {
            first
        };
        let result = values.fold(first, |a, b| match ty {
            ScalarType::F32 => float_extreme(op, mode, a, b),
            _ => reduce(op, ty, a, b),
        });
        for lane in lanes_of(lanes) {
            row[lane] = result;
        }
    });
    row
}

/// Combines two integers with the operation of a warp reduction.
fn reduce(op: ReduceOp, ty: ScalarType, a: u32, b: u32) -> u32 {
    match op {
        ReduceOp::Add => a.wrapping_add(b),
        ReduceOp::Min if ty.is_signed() => (a as i32).min(b as i32) as u32,
        ReduceOp::Max if ty.is_signed() => (a as i32).max(b as i32) as u32,
        ReduceOp::Min => a.min(b),
        ReduceOp::Max => a.max(b),
        ReduceOp::And => a & b,
        ReduceOp::Or => a | b,
        ReduceOp::Xor => a ^ b,
    }
}
