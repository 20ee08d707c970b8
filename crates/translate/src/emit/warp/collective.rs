//! Exchanges of values between the lanes of a warp: shuffles, votes, matches, reductions and transposes. The generated
//! code takes rows of registers, and the live lanes, and produces rows of results.

use crate::bailout::BailoutReason;
use crate::emit::Emitter;
use crate::emit::warp::{FULL, WarpContexts};
use crate::instructions::{at, splat32};
use crate::layout::stop;
use crate::layout::{SUBWARP_LANES, SUBWARPS_PER_WARP, cell};
use warpgrid_emulator::translation_view::{
    CollectiveKind, LANES, MatchMode, OperandSlot, PredicateOperand, RegisterOperand,
};
use warpgrid_isa::{ReduceOp, ScalarType, ShuffleMode, VoteMode};
use wasm_encoder::{BlockType, Instruction as I, MemArg, ValType};

/// Operands and destination of a `shfl.sync` instruction.
#[derive(Clone, Copy)]
struct ShuffleOperands {
    mode: ShuffleMode,
    d: OperandSlot,
    predicate: OperandSlot,
    a: OperandSlot,
    b: OperandSlot,
    c: OperandSlot,
}

/// Returns the source lane of a lane in a shuffle, and whether the source lane is within the segment of the lane.
fn source_of(mode: ShuffleMode, lane: i32, b: u32, c: u32) -> (u32, bool) {
    let amount = (b & 31) as i32;
    let (clamp, segment) = ((c & 31) as i32, (c >> 8 & 31) as i32);
    let lowest = lane & segment;
    let limit = lowest | clamp & !segment & 31;
    let (source, within) = match mode {
        ShuffleMode::Up => (lane - amount, lane - amount >= limit),
        ShuffleMode::Down => (lane + amount, lane + amount <= limit),
        ShuffleMode::Bfly => (lane ^ amount, lane ^ amount <= limit),
        ShuffleMode::Idx => {
            let source = lowest | amount & !segment & 31;
            (source, source <= limit)
        }
    };
    let source = if within { source } else { lane };
    ((source & 31) as u32, within)
}

impl Emitter<'_> {
    pub(crate) fn collective(
        &mut self,
        kind: &CollectiveKind,
        warp: WarpContexts,
    ) -> Result<(), BailoutReason> {
        match *kind {
            CollectiveKind::Shuffle {
                mode,
                d,
                predicate,
                a,
                b,
                c,
            } => {
                let operands = ShuffleOperands {
                    mode,
                    d,
                    predicate,
                    a,
                    b,
                    c,
                };
                match (self.known32(b), self.known32(c)) {
                    (Some(b), Some(c)) => self.shuffle_known(operands, [b, c], warp),
                    _ => self.shuffle_any(operands, warp),
                }
            }
            CollectiveKind::Vote { mode, d, a } => self.vote(mode, d, a, warp),
            CollectiveKind::Match {
                mode,
                d,
                predicate,
                a,
            } => self.match_values(mode, [d, predicate], a, warp),
            CollectiveKind::Reduce { reduction, d, a } => {
                self.reduce(reduction.op, reduction.ty, [d, a], warp)
            }
            CollectiveKind::Elect { d, predicate } => {
                self.elect(d, predicate, warp);
                Ok(())
            }
            CollectiveKind::Transpose { d, a } => self.transpose(d, a, warp),
        }
    }

    /// Returns locals that contain the rows of a register, with one local for each subwarp.
    fn take_rows(
        &mut self,
        slot: OperandSlot,
        warp: WarpContexts,
    ) -> Result<[u32; SUBWARPS_PER_WARP as usize], BailoutReason> {
        if self.rows.is_empty() {
            for _ in 0..SUBWARPS_PER_WARP {
                let local = self.local(ValType::V128);
                self.rows.push(local);
            }
        }
        let mut locals = [0; SUBWARPS_PER_WARP as usize];
        for (subwarp, local) in (0..SUBWARPS_PER_WARP).zip(&mut locals) {
            *local = self.rows[subwarp as usize];
            self.push_row(slot, subwarp, warp)?;
            self.set(*local);
        }
        Ok(locals)
    }

    fn shuffle_known(
        &mut self,
        operands: ShuffleOperands,
        [b, c]: [u32; 2],
        warp: WarpContexts,
    ) -> Result<(), BailoutReason> {
        let sources: Vec<(u32, bool)> = (0..LANES as i32)
            .map(|lane| source_of(operands.mode, lane, b, c))
            .collect();
        self.check_sources(&sources);
        let rows = self.take_rows(operands.a, warp)?;
        for subwarp in 0..SUBWARPS_PER_WARP {
            let first = (subwarp * SUBWARP_LANES) as usize;
            let own = &sources[first..first + SUBWARP_LANES as usize];
            self.write_row(operands.d, subwarp, warp, |e| {
                e.push_lanes_of(&rows, own);
            });
            self.write_row_predicate(operands.predicate, subwarp, warp, |e| {
                let bits = own
                    .iter()
                    .enumerate()
                    .fold(0u128, |bits, (lane, (_, within))| {
                        bits | if *within {
                            0xffff_ffffu128 << (32 * lane)
                        } else {
                            0
                        }
                    });
                e.op(I::V128Const(bits as i128));
            });
        }
        Ok(())
    }

    /// Bails out if a live lane reads from a source lane that is not live.
    fn check_sources(&mut self, sources: &[(u32, bool)]) {
        let mut by_distance = std::collections::BTreeMap::<i32, u32>::new();
        for (lane, (source, _)) in (0i32..).zip(sources) {
            *by_distance.entry(*source as i32 - lane).or_default() |= 1 << lane;
        }
        by_distance.remove(&0);
        let live = [I::I32Const(0), I::I32Load(at(cell::LIVE))];
        self.ops(live.clone());
        self.ops([
            I::I32Const(FULL),
            I::I32Ne,
            I::If(BlockType::Empty),
            I::I32Const(0),
        ]);
        for (distance, lanes) in by_distance {
            self.ops(live.clone());
            self.ops([I::I32Const(lanes as i32), I::I32And]);
            self.ops(live.clone());
            self.op(I::I32Const(distance.abs()));
            self.op(if distance > 0 { I::I32ShrU } else { I::I32Shl });
            self.ops([I::I32Const(-1), I::I32Xor, I::I32And, I::I32Or]);
        }
        self.stop_if(stop::UNSUPPORTED);
        self.op(I::End);
    }

    /// Pushes a row of shuffle results, each of which is copied from its source lane in one of the given rows.
    fn push_lanes_of(&mut self, rows: &[u32; SUBWARPS_PER_WARP as usize], sources: &[(u32, bool)]) {
        let place = |source: u32| {
            (
                (source / SUBWARP_LANES) as usize,
                (source % SUBWARP_LANES) as u8,
            )
        };
        let mut subwarps: Vec<usize> = sources.iter().map(|(s, _)| place(*s).0).collect();
        subwarps.sort_unstable();
        subwarps.dedup();
        let is_same = |(lane, (source, _)): (usize, &(u32, bool))| place(*source).1 == lane as u8;
        self.get(rows[subwarps[0]]);
        if subwarps.len() == 1 && sources.iter().enumerate().all(is_same) {
            return;
        }

        for (index, subwarp) in subwarps
            .iter()
            .enumerate()
            .skip(usize::from(subwarps.len() > 1))
        {
            let is_first = index <= 1;
            self.get(rows[*subwarp]);
            let mut bytes = [0u8; 16];
            for (lane, (source, _)) in sources.iter().enumerate() {
                let (from, within) = place(*source);
                // Select the word from the second shuffle operand, which is the row of this subwarp, or keep the word
                // of the first operand, which is the result of the previous shuffle.
                let word = if from == *subwarp {
                    4 + within
                } else if is_first && from == subwarps[0] {
                    within
                } else {
                    lane as u8
                };
                for byte in 0..4 {
                    bytes[4 * lane + byte] = 4 * word + byte as u8;
                }
            }
            self.op(I::I8x16Shuffle(bytes));
        }
    }

    /// Copies the rows of an operand in all subwarps to contiguous scratch memory. Returns the address of the first
    /// row.
    fn lay_out(&mut self, slot: OperandSlot, warp: WarpContexts) -> Result<u32, BailoutReason> {
        let scratch = self.places.scratch;
        for subwarp in 0..SUBWARPS_PER_WARP {
            self.op(I::I32Const(0));
            self.push_row(slot, subwarp, warp)?;
            self.op(I::V128Store(at(scratch + 16 * subwarp)));
        }
        Ok(scratch)
    }

    /// Bails out with exit code `reason` unless all lanes of the warp are live.
    pub(crate) fn stop_unless_all(&mut self, reason: u32) {
        self.ops([
            I::I32Const(0),
            I::I32Load(at(cell::LIVE)),
            I::I32Const(FULL),
            I::I32Ne,
        ]);
        self.stop_if(reason);
    }

    /// Emits a shuffle whose source lanes are computed at run time.
    fn shuffle_any(
        &mut self,
        operands: ShuffleOperands,
        warp: WarpContexts,
    ) -> Result<(), BailoutReason> {
        self.stop_unless_all(stop::UNSUPPORTED);
        let ShuffleOperands {
            d, predicate, a, ..
        } = operands;
        let scratch = self.lay_out(a, warp)?;
        let [.., source, within, lanes] = self.names.vectors;
        for subwarp in 0..SUBWARPS_PER_WARP {
            self.find_source(operands, subwarp, warp)?;
            self.get_all([source, lanes, within]);
            self.ops([I::V128Bitselect, splat32(31), I::V128And]);
            self.ops([I::I32Const(2), I::I32x4Shl]);
            self.set(source);
            self.write_row(d, subwarp, warp, |e| {
                e.each_lane(|e, lane| {
                    e.get(source);
                    e.ops([I::I32x4ExtractLane(lane), I::I32Load(at(scratch))]);
                });
            });
            self.write_row_predicate(predicate, subwarp, warp, |e| e.get(within));
        }
        Ok(())
    }

    /// Computes the lane numbers of a subwarp, the source lane of each lane, and whether the source lane is within the
    /// segment.
    fn find_source(
        &mut self,
        operands: ShuffleOperands,
        subwarp: u32,
        warp: WarpContexts,
    ) -> Result<(), BailoutReason> {
        let ShuffleOperands { mode, b, c, .. } = operands;
        let [amount, lowest, limit, source, within, lanes] = self.names.vectors;
        let low_bits = [splat32(31), I::V128And];
        let lane = |lane: u32| u128::from(subwarp * SUBWARP_LANES + lane) << (32 * lane);
        self.op(I::V128Const(
            (lane(0) | lane(1) | lane(2) | lane(3)) as i128,
        ));
        self.set(lanes);
        self.push_row(b, subwarp, warp)?;
        self.ops(low_bits.clone());
        self.set(amount);
        // The local contains the segment mask until the code computes the lowest lane of the segment.
        self.push_row(c, subwarp, warp)?;
        self.ops([I::I32Const(8), I::I32x4ShrU]);
        self.ops(low_bits.clone());
        self.set(source);
        self.get_all([lanes, source]);
        self.op(I::V128And);
        self.tee(lowest);
        self.push_row(c, subwarp, warp)?;
        self.ops(low_bits.clone());
        self.get(source);
        self.ops([I::V128AndNot, I::V128Or]);
        self.set(limit);
        match mode {
            ShuffleMode::Up => {
                self.get_all([lanes, amount]);
                self.op(I::I32x4Sub);
            }
            ShuffleMode::Down => {
                self.get_all([lanes, amount]);
                self.op(I::I32x4Add);
            }
            ShuffleMode::Bfly => {
                self.get_all([lanes, amount]);
                self.op(I::V128Xor);
            }
            ShuffleMode::Idx => {
                self.get_all([lowest, amount, source]);
                self.ops([I::V128AndNot, I::V128Or]);
            }
        }
        self.tee(source);
        self.get(limit);
        self.op(match mode {
            ShuffleMode::Up => I::I32x4GeS,
            ShuffleMode::Down | ShuffleMode::Bfly | ShuffleMode::Idx => I::I32x4LeS,
        });
        self.set(within);
        Ok(())
    }

    /// Pushes the mask of the lanes of the warp in which a truth value is true. `row` pushes the truth values of one
    /// subwarp.
    fn push_ballot(
        &mut self,
        mut row: impl FnMut(&mut Self, u32) -> Result<(), BailoutReason>,
    ) -> Result<(), BailoutReason> {
        for subwarp in 0..SUBWARPS_PER_WARP {
            row(self, subwarp)?;
            self.op(I::I32x4Bitmask);
            if subwarp > 0 {
                self.ops([I::I32Const((4 * subwarp) as i32), I::I32Shl, I::I32Or]);
            }
        }
        Ok(())
    }

    fn vote(
        &mut self,
        mode: VoteMode,
        d: OperandSlot,
        a: PredicateOperand,
        warp: WarpContexts,
    ) -> Result<(), BailoutReason> {
        let ballot = self.names.first;
        self.push_ballot(|e, subwarp| {
            e.push_predicate(a.slot, subwarp, warp)?;
            if a.negated {
                e.op(I::V128Not);
            }
            Ok(())
        })?;
        let live = [I::I32Const(0), I::I32Load(at(cell::LIVE))];
        self.ops(live.clone());
        self.op(I::I32And);
        self.set(ballot);
        if mode == VoteMode::Ballot {
            self.write_same(d, warp, |e| {
                e.get(ballot);
                e.op(I::I32x4Splat);
            });
            return Ok(());
        }
        self.op(I::I32Const(0));
        self.get(ballot);
        match mode {
            VoteMode::All => {
                self.ops(live);
                self.op(I::I32Eq);
            }
            VoteMode::Any => self.ops([I::I32Const(0), I::I32Ne]),
            VoteMode::Uni | VoteMode::Ballot => {
                self.op(I::I32Eqz);
                self.get(ballot);
                self.ops(live);
                self.ops([I::I32Eq, I::I32Or]);
            }
        }
        self.ops([I::I32Sub, I::I32x4Splat]);
        let row = self.names.vectors[0];
        self.set(row);
        for subwarp in 0..SUBWARPS_PER_WARP {
            self.write_row_predicate(d, subwarp, warp, |e| e.get(row));
        }
        Ok(())
    }

    /// Emits `match`, which compares the value of each lane with the values of all lanes.
    fn match_values(
        &mut self,
        mode: MatchMode,
        [d, predicate]: [OperandSlot; 2],
        a: RegisterOperand,
        warp: WarpContexts,
    ) -> Result<(), BailoutReason> {
        let rows = self.take_rows(a.slot, warp)?;
        let scratch = self.lay_out(a.slot, warp)?;
        let found = self.names.first;
        let live = [I::I32Const(0), I::I32Load(at(cell::LIVE))];
        let results = scratch + 4 * LANES as u32;
        let row = self.names.vectors[0];
        for lane in 0..LANES as u32 {
            self.ops([I::I32Const(0), I::V128Load32Splat(at(scratch + 4 * lane))]);
            self.set(row);
            self.op(I::I32Const(0));
            self.push_ballot(|e, subwarp| {
                e.get_all([rows[subwarp as usize], row]);
                e.op(I::I32x4Eq);
                Ok(())
            })?;
            self.ops(live.clone());
            self.op(I::I32And);
            if mode == MatchMode::All {
                self.tee(found);
                self.op(I::I32Const(0));
                self.get(found);
                self.ops(live.clone());
                self.ops([I::I32Eq, I::Select]);
            }
            self.op(I::I32Store(at(results + 4 * lane)));
        }
        for subwarp in 0..SUBWARPS_PER_WARP {
            let place = at(results + 16 * subwarp);
            self.write_row(d, subwarp, warp, |e| {
                e.ops([I::I32Const(0), I::V128Load(place)]);
            });
            self.write_row_predicate(predicate, subwarp, warp, |e| {
                e.ops([
                    I::I32Const(0),
                    I::V128Load(place),
                    I::I32Const(0),
                    I::V128Load32Splat(at(cell::LIVE)),
                    I::I32x4Eq,
                ]);
            });
        }
        Ok(())
    }

    fn reduce(
        &mut self,
        op: ReduceOp,
        ty: ScalarType,
        [d, a]: [OperandSlot; 2],
        warp: WarpContexts,
    ) -> Result<(), BailoutReason> {
        let (combine, neutral) = match op {
            ReduceOp::Add => (I::I32x4Add, 0),
            ReduceOp::Min if ty.is_signed() => (I::I32x4MinS, i32::MAX as u32),
            ReduceOp::Max if ty.is_signed() => (I::I32x4MaxS, i32::MIN as u32),
            ReduceOp::Min => (I::I32x4MinU, u32::MAX),
            ReduceOp::Max => (I::I32x4MaxU, 0),
            ReduceOp::And => (I::V128And, u32::MAX),
            ReduceOp::Or => (I::V128Or, 0),
            ReduceOp::Xor => (I::V128Xor, 0),
        };
        for subwarp in 0..SUBWARPS_PER_WARP {
            self.push_row(a, subwarp, warp)?;
            self.op(splat32(neutral));
            self.push_lanes(subwarp);
            self.op(I::V128Bitselect);
            if subwarp > 0 {
                self.op(combine.clone());
            }
        }
        let row = self.names.vectors[0];
        for bytes in [
            [8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7],
            [4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11],
        ] {
            self.tee(row);
            self.get_all([row, row]);
            self.ops([I::I8x16Shuffle(bytes), combine.clone()]);
        }
        self.set(row);
        for subwarp in 0..SUBWARPS_PER_WARP {
            self.write_row(d, subwarp, warp, |e| e.get(row));
        }
        Ok(())
    }

    fn elect(&mut self, d: OperandSlot, predicate: OperandSlot, warp: WarpContexts) {
        let leader = self.names.first;
        self.ops([I::I32Const(0), I::I32Load(at(cell::LIVE)), I::I32Ctz]);
        self.set(leader);
        for subwarp in 0..SUBWARPS_PER_WARP {
            let lane = |lane: u32| u128::from(subwarp * SUBWARP_LANES + lane) << (32 * lane);
            let lanes = (lane(0) | lane(1) | lane(2) | lane(3)) as i128;
            self.write_row(d, subwarp, warp, |e| {
                e.get(leader);
                e.op(I::I32x4Splat);
            });
            self.write_row_predicate(predicate, subwarp, warp, |e| {
                e.get(leader);
                e.ops([I::I32x4Splat, I::V128Const(lanes), I::I32x4Eq]);
            });
        }
    }

    /// Transposes an 8x8 matrix of 16-bit elements. Each row of the matrix is distributed across four lanes.
    fn transpose(
        &mut self,
        d: OperandSlot,
        a: OperandSlot,
        warp: WarpContexts,
    ) -> Result<(), BailoutReason> {
        self.stop_unless_all(stop::UNSUPPORTED);
        let scratch = self.lay_out(a, warp)?;
        for subwarp in 0..SUBWARPS_PER_WARP {
            self.write_row(d, subwarp, warp, |e| {
                e.op(I::V128Const(0));
                let row = e.names.vectors[0];
                e.set(row);
                for half in 0..8u32 {
                    let lane = subwarp * SUBWARP_LANES + half / 2;
                    let (row_of, column) = (lane / 4, lane % 4 * 2 + half % 2);
                    let from = 4 * (4 * column + row_of / 2) + 2 * (row_of % 2);
                    e.op(I::I32Const(0));
                    e.get(row);
                    e.op(I::V128Load16Lane {
                        memarg: MemArg {
                            offset: u64::from(scratch + from),
                            align: 0,
                            memory_index: 0,
                        },
                        lane: half as u8,
                    });
                    e.set(row);
                }
                e.get(row);
            });
        }
        Ok(())
    }
}
