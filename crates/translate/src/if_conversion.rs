//! If-conversion of short branches: finds hammocks and diamonds whose lanes reconverge after a few instructions. With
//! predicated sides, the lanes of a divergent subwarp need no separate context records. The module takes the
//! control-flow graph, and returns the sides of each if-converted branch, by the basic block that ends with the branch.

use crate::control_flow_graph::{
    ControlFlowGraph, SuspendKind, accesses_memory, is_guarded, is_terminator,
};
use crate::inlined_code::InlinedCode;
use crate::registers::{BlockUseDef, RegisterKey};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use warpgrid_emulator::translation_view::{DecodedOp, TranslationView};

/// Basic blocks of the two sides of an if-converted branch, and the join block after both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IfConversion {
    /// Basic blocks of the fallthrough side. A branch in these blocks may exit the side early and continue at the join
    /// block.
    pub(crate) fallthrough_blocks: Range<usize>,
    /// Basic blocks of the taken side, which are between the fallthrough side and the join block.
    pub(crate) taken_blocks: Range<usize>,
    /// Join block, in which the lanes reconverge.
    pub(crate) join_block: usize,
}

/// If-converted branches, by the basic block that ends with the branch.
pub(crate) type IfConversions = BTreeMap<usize, IfConversion>;

/// Maximum number of instructions of a side. The code of each side is emitted twice: in normal form and in predicated
/// form.
const MAX_SIDE_LEN: usize = 32;

/// Maximum number of instructions that are emitted twice because they belong to if-converted sides, per kernel.
const MAX_DUPLICATED: usize = 1024;

impl IfConversion {
    /// Returns the basic blocks of both sides.
    fn blocks(&self) -> impl Iterator<Item = usize> + use<> {
        self.fallthrough_blocks
            .clone()
            .chain(self.taken_blocks.clone())
    }

    /// Returns the registers whose values in inactive lanes must be preserved while other lanes execute a basic block
    /// of a side.
    pub(crate) fn kept(
        &self,
        block: usize,
        live: &[BTreeSet<RegisterKey>],
    ) -> BTreeSet<RegisterKey> {
        let mut preserved = live.get(self.join_block).cloned().unwrap_or_default();
        if self.fallthrough_blocks.contains(&block)
            && !self.taken_blocks.is_empty()
            && let Some(far) = live.get(self.taken_blocks.start)
        {
            preserved.extend(far);
        }
        preserved
    }

    /// Returns the registers whose values may differ between the lanes of a subwarp at the join block because these
    /// lanes took different sides.
    fn divergent_at_join(
        &self,
        touched: &[BlockUseDef],
        live: &[BTreeSet<RegisterKey>],
    ) -> BTreeSet<RegisterKey> {
        let mixed = self.blocks().flat_map(|block| {
            let written = touched.get(block).map(|touched| touched.written.clone());
            let kept = self.kept(block, live);
            let written = written.into_iter().flatten();
            written.filter(move |register| kept.contains(register))
        });
        mixed.collect()
    }
}

/// Returns the registers whose values may differ between lanes because of an if-converted branch, by the basic block
/// that ends with the branch.
pub(crate) fn mixed_registers(
    detours: &IfConversions,
    touched: &[BlockUseDef],
    live: &[BTreeSet<RegisterKey>],
) -> BTreeMap<usize, BTreeSet<RegisterKey>> {
    let all = detours.iter();
    all.map(|(at, detour)| (*at, detour.divergent_at_join(touched, live)))
        .collect()
}

/// Returns the branches of a kernel that are if-converted.
pub(crate) fn find_if_conversions(
    code: &InlinedCode<'_>,
    flow: &ControlFlowGraph,
) -> IfConversions {
    let mut conversions = IfConversions::new();
    let mut n_again = 0;
    for index in 0..flow.blocks.len() {
        let Some(detour) = detour_at(code, flow, index) else {
            continue;
        };
        let blocks = detour.blocks().filter_map(|block| flow.blocks.get(block));
        n_again += blocks.map(|block| block.end - block.start).sum::<usize>();
        if n_again > MAX_DUPLICATED {
            break;
        }
        conversions.insert(index, detour);
    }
    conversions
}

/// Returns the number of additional access sites that the predicated copies of all if-converted sides require.
pub(crate) fn sites_of(
    plain: TranslationView<'_>,
    code: &InlinedCode<'_>,
    flow: &ControlFlowGraph,
    detours: &IfConversions,
) -> u32 {
    let blocks = detours.values().flat_map(IfConversion::blocks);
    let blocks = blocks.filter_map(|block| flow.blocks.get(block));
    let placed = blocks.flat_map(|block| code.range(block.start..block.end));
    let accesses = placed.filter(|placed| accesses_memory(plain, std::slice::from_ref(placed)));
    accesses.count() as u32
}

fn detour_at(
    code: &InlinedCode<'_>,
    flow: &ControlFlowGraph,
    index: usize,
) -> Option<IfConversion> {
    let block = flow.blocks.get(index)?;
    let last = &code.get(block.end - 1)?.instr;
    let target = match last.op {
        DecodedOp::Branch { target } if is_guarded(last) => flow.block_at(target as usize)?,
        _ => return None,
    };
    if target <= index + 1 {
        return None;
    }
    let near = index + 1..target;
    let side = SideChecker { code, flow };
    let detour = match side.jump_from(target - 1) {
        // In a diamond, the fallthrough side ends with a jump over the taken side.
        Some(end) if near.len() == 1 && end > target => IfConversion {
            fallthrough_blocks: near,
            taken_blocks: target..end,
            join_block: end,
        },
        Some(_) => return None,
        None => IfConversion {
            fallthrough_blocks: near,
            taken_blocks: target..target,
            join_block: target,
        },
    };
    let is_short = |blocks: Range<usize>| {
        let blocks = flow.blocks.get(blocks)?;
        let n = blocks.iter().map(|b| b.end - b.start).sum::<usize>();
        (n <= MAX_SIDE_LEN).then_some(())
    };
    is_short(detour.fallthrough_blocks.clone())?;
    is_short(detour.taken_blocks.clone())?;
    let is_plain = detour.blocks().all(|block| side.is_plain(block, &detour));
    // If-conversion is valid only if the interpreter schedules the blocks of both sides in code order and before the
    // join block.
    let all = detour.blocks().chain([detour.join_block]);
    let numbers: Vec<u32> = all.map(|block| flow.number(block)).collect();
    (is_plain && detour.join_block < flow.blocks.len() && numbers.is_sorted()).then_some(detour)
}

struct SideChecker<'a, 'p> {
    code: &'a InlinedCode<'p>,
    flow: &'a ControlFlowGraph,
}

impl SideChecker<'_, '_> {
    /// Returns the target of a basic block that ends with an unconditional branch.
    fn jump_from(&self, block: usize) -> Option<usize> {
        let last = &self.code.get(self.flow.blocks.get(block)?.end - 1)?.instr;
        match last.op {
            DecodedOp::Branch { target } if !is_guarded(last) => {
                self.flow.block_at(target as usize)
            }
            _ => None,
        }
    }

    /// Checks whether some lanes can execute a basic block while other lanes wait at the join block. The block must
    /// contain no synchronization point, and its branches must lead to the join block. The last block of the
    /// fallthrough side may branch over the taken side unconditionally.
    fn is_plain(&self, index: usize, detour: &IfConversion) -> bool {
        let Some(block) = self.flow.blocks.get(index) else {
            return false;
        };
        let jumps = !detour.taken_blocks.is_empty() && index + 1 == detour.taken_blocks.start;
        let code = self.code.range(block.start..block.end);
        let is_simple = code.iter().all(|placed| {
            let leads_to_end = match placed.instr.op {
                DecodedOp::Branch { target } => {
                    let leads_on = jumps != is_guarded(&placed.instr);
                    leads_on && self.flow.block_at(target as usize) == Some(detour.join_block)
                }
                _ => !is_terminator(&placed.instr),
            };
            let is_left_out = matches!(
                placed.instr.op,
                DecodedOp::Atomic(_)
                    | DecodedOp::StartAsync(_)
                    | DecodedOp::Trap
                    | DecodedOp::SystemCall { .. }
            );
            leads_to_end && !is_left_out && placed.moves.values.is_empty()
        });
        block.suspends_for == SuspendKind::None && is_simple
    }
}
