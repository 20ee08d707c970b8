//! Basic blocks with a fast path and a slow path. The fast path handles converged subwarps whose accesses hit the
//! address ranges that their access sites have cached. The fast path contains no calls, so that engines keep values in
//! registers. The slow path handles all other cases. The module takes a basic block, and generates both versions of the
//! block. If the check of an access fails on the fast path, execution continues on the slow path at this access.

use crate::bailout::BailoutReason;
use crate::emit::memory::fast_access::FastAccess;
use crate::emit::{ALL, Emitter};
use crate::instructions::at;
use crate::layout::DEAD_STORE;
use crate::registers::{EmitMode, RegisterKey};
use std::collections::BTreeMap;
use warpgrid_emulator::translation_view::{
    DecodedInstruction, DecodedOp, OperandLocation, RegisterBank,
};
use wasm_encoder::{BlockType, Instruction as I};

/// Maximum number of exits of a fast path. At each exit, the engine must reconcile the register assignments of the fast
/// path and the slow path.
const MAX_EXITS: usize = 16;

/// Number of loaded rows after which the fast path forces the computation of a result. Engines execute loads in program
/// order but delay computations, so that without this limit, a long sum of loaded values would spill all loaded values.
const LOADS_BEFORE_PIN: usize = 8;

/// Basic block with a fast path and a slow path.
#[derive(Debug, Default)]
pub(crate) struct DualPathBlock {
    /// Whether the fast path is being emitted.
    is_quick: bool,
    /// Accesses that the fast path supports, by their positions in the code.
    accesses: BTreeMap<u32, FastAccess>,
    /// Positions of the accesses at which the fast path can exit, in code order.
    ends: Vec<u32>,
    /// Number of WebAssembly constructs that are open around both paths (`outer`) and around the fast path (`inner`).
    /// The constructs between these two levels are the labels of the slow path's entries.
    outer: u32,
    inner: u32,
    /// Number of WebAssembly constructs that are open at the first instruction of the fast path (`start`), and the code
    /// of the hoisted range checks (`early`).
    start: u32,
    early: Vec<I<'static>>,
    /// Number of rows that the fast path has loaded since the last forced result.
    n_loaded: usize,
    /// Locals that contain the address patterns for both paths, by the access that determines the pattern and its base
    /// register.
    pub(crate) pattern_locals: BTreeMap<(u32, RegisterKey), [u32; 3]>,
}

impl DualPathBlock {
    /// Returns the number of WebAssembly constructs that are open within an entry of the slow path. `place` selects the
    /// entry: the start of the slow path, an access, or the last instruction.
    fn level(&self, place: usize) -> u32 {
        self.inner - place as u32
    }

    /// Returns the index of an access among the accesses at which the fast path can exit.
    fn end_at(&self, at: u32) -> Option<usize> {
        self.ends.binary_search(&at).ok()
    }
}

impl Emitter<'_> {
    /// Emits a basic block. A block that branches to itself is enclosed in a WebAssembly loop.
    pub(crate) fn emit_dual_path(&mut self, index: usize) -> Result<(), BailoutReason> {
        let accesses = self.quick_accesses(index);
        // Generate a fast path only if the block contains an access without a shadow-memory update, because these
        // updates take the same time on both paths.
        let is_worth = accesses.iter().any(|access| !access.is_noted);
        let ends = accesses.iter().filter(|access| access.may_end());
        let ends: Vec<u32> = ends.map(|access| access.at).collect();
        if self.writes != EmitMode::Region || !is_worth || ends.len() > MAX_EXITS {
            self.body(index)?;
            return self.end_block(index);
        }
        let n_places = ends.len() as u32 + 2;
        let outer = self.nest;
        for _ in 0..n_places {
            self.op(I::Block(BlockType::Empty));
        }
        self.nest += n_places;
        self.ways = Some(DualPathBlock {
            is_quick: true,
            accesses: accesses
                .into_iter()
                .map(|access| (access.at, access))
                .collect(),
            ends,
            outer,
            inner: self.nest,
            start: 0,
            early: Vec::new(),
            n_loaded: 0,
            pattern_locals: BTreeMap::new(),
        });
        // The fast path and the slow path use the same access sites.
        let n_sites = self.sites.len();
        self.quick_way(index)?;
        self.sites.truncate(n_sites);
        self.address_patterns.clear();
        if let Some(ways) = &mut self.ways {
            ways.is_quick = false;
        }
        self.close();
        self.body(index)?;
        self.close();
        self.ways = None;
        self.end_block(index)
    }

    /// Opens the entry into the slow path at the current access if the fast path can exit there.
    pub(crate) fn enter_slow_path(&mut self) {
        let ways = self.ways.as_ref();
        if ways.is_some_and(|ways| !ways.is_quick && ways.end_at(self.at).is_some()) {
            self.close();
        }
    }

    /// Returns the size and the alignment of the range check that the current access performs for all accesses that
    /// share this check. Returns zeros if the current access performs no range check.
    pub(crate) fn quick_look(&self) -> [u32; 2] {
        let checking_access = self.ways.as_ref().and_then(|ways| {
            let access = ways.accesses.get(&self.at)?;
            (access.checking_access == self.at).then_some(access)
        });
        checking_access.map_or([0; 2], |access| [access.bytes, access.align])
    }

    /// Returns the fast-path description of the current access if the fast path is being emitted.
    pub(crate) fn on_quick_way(&self) -> Option<FastAccess> {
        let ways = self.ways.as_ref().filter(|ways| ways.is_quick)?;
        ways.accesses.get(&self.at).copied()
    }

    /// Sets the slow path as the branch target of failing checks of the current access.
    pub(crate) fn branch_to_slow_path(&mut self) {
        self.fallback_label = self.ways.as_ref().and_then(|ways| {
            let end = ways.end_at(self.at)?;
            Some(ways.level(1 + end))
        });
    }

    /// Emits a range check at the start of the fast path. If the check fails, the whole block executes on the slow
    /// path.
    pub(crate) fn hoist_range_check(
        &mut self,
        look: impl FnOnce(&mut Self) -> Result<(), BailoutReason>,
    ) -> Result<(), BailoutReason> {
        let Some(ways) = &mut self.ways else {
            return Ok(());
        };
        let (level, start) = (ways.level(0), ways.start);
        let early = std::mem::take(&mut ways.early);
        let out = std::mem::replace(&mut self.out, early);
        let nest = std::mem::replace(&mut self.nest, start);
        let leaves_to = self.fallback_label.replace(level);
        let done = look(self);
        self.fallback_label = leaves_to;
        self.nest = nest;
        let early = std::mem::replace(&mut self.out, out);
        if let Some(ways) = &mut self.ways {
            ways.early = early;
        }
        done
    }

    /// Adds to the number of rows that the fast path has loaded.
    pub(crate) fn count_loads(&mut self, n_rows: usize) {
        if let Some(ways) = &mut self.ways {
            ways.n_loaded += n_rows;
        }
    }

    /// After [`LOADS_BEFORE_PIN`] loads, stores the result of an `f32` instruction to a cell that is never read. The
    /// store forces the engine to compute the result at this point.
    pub(crate) fn force_result(&mut self, op: &DecodedOp) -> Result<(), BailoutReason> {
        let DecodedOp::Float32 { slots: [d, ..], .. } = *op else {
            return Ok(());
        };
        let ways = self.ways.as_mut().filter(|ways| ways.is_quick);
        let Some(ways) = ways.filter(|ways| ways.n_loaded >= LOADS_BEFORE_PIN) else {
            return Ok(());
        };
        ways.n_loaded = 0;
        self.op(I::I32Const(0));
        self.read_any_nan(d)?;
        self.op(I::V128Store(at(DEAD_STORE)));
        Ok(())
    }

    /// Branches to the last instruction of the slow path, either unconditionally or if the number on the stack is not
    /// zero.
    fn go_to_last(&mut self, branch: fn(u32) -> I<'static>) {
        if let Some(ways) = &self.ways {
            let depth = self.nest - (ways.outer + 1);
            self.op(branch(depth));
        }
    }

    fn quick_way(&mut self, index: usize) -> Result<(), BailoutReason> {
        let block = &self.flow.blocks[index];
        let last = block.end - 1;
        let code = self.code;
        let last_instr = code.get(last).map(|placed| &placed.instr);
        let is_loop = last_instr.is_some_and(|instr| block.loops_to_itself(instr));
        self.get(self.names.mask);
        self.ops([I::I32Const(ALL), I::I32Ne, I::BrIf(0)]);
        if is_loop {
            self.op(I::Loop(BlockType::Empty));
            self.nest += 1;
        }
        let start = self.nest;
        if let Some(ways) = &mut self.ways {
            ways.start = start;
        }
        let first = self.out.len();
        self.body(index)?;
        if let Some(ways) = &mut self.ways {
            let early = std::mem::take(&mut ways.early);
            self.out.splice(first..first, early);
        }
        match last_instr {
            Some(instr) if matches!(instr.op, DecodedOp::Branch { .. }) => {
                self.branch_quickly(index, instr, is_loop.then_some(start))?;
            }
            _ if self.goes_on(index) && last + 1 < code.len() => self.branch_to(index + 1),
            _ => self.go_to_last(I::Br),
        }
        if is_loop {
            self.close();
        }
        Ok(())
    }

    /// Emits the branch at the end of a block on the fast path, which requires that all lanes take the same direction.
    /// If the lanes diverge, the slow path executes the branch. `back_to` is the number of WebAssembly constructs that
    /// are open at the start of the loop that the branch continues.
    fn branch_quickly(
        &mut self,
        index: usize,
        instr: &DecodedInstruction,
        back_to: Option<u32>,
    ) -> Result<(), BailoutReason> {
        let DecodedOp::Branch { target } = instr.op else {
            return Ok(());
        };
        let Some(block) = self.flow.block_at(target as usize) else {
            return self.unsupported("a branch target outside the code");
        };
        let is_guarded = instr.guard.place() != OperandLocation::None;
        if is_guarded {
            let active = self.names.active;
            self.push_taken(instr)?;
            self.set(active);
            if self.scalar(RegisterBank::Predicate, instr.guard).is_none() {
                self.get(active);
                self.ops([I::I32Const(ALL), I::I32Ne]);
                self.get(active);
                self.ops([I::I32Const(0), I::I32Ne, I::I32And]);
                self.go_to_last(I::BrIf);
            }
            self.add_to_path(active);
            self.get(active);
            self.op(I::If(BlockType::Empty));
            self.nest += 1;
        }
        if target <= self.at {
            self.emit_back_edge();
        }
        match back_to {
            Some(start) => self.op(I::Br(self.nest - start)),
            None => self.branch_to(block),
        }
        if is_guarded {
            self.close();
            self.branch_to(index + 1);
        }
        Ok(())
    }
}
