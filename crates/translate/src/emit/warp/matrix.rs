//! Matrix transfers between memory and registers: `wmma.load` and `wmma.store` transfer lines, `ldmatrix` and
//! `stmatrix` transfer rows. The emitted code copies the data through scratch memory, in which every element has a
//! constant address.

use crate::bailout::BailoutReason;
use crate::emit::Emitter;
use crate::emit::shared_routine::{LineTransfer, SharedRoutine};
use crate::emit::warp::WarpContexts;
use crate::emit::warp::byte_gather::ByteGather;
use crate::layout::stop;
use crate::layout::{AccessSite, SUBWARP_LANES, SUBWARPS_PER_WARP, holds};
use crate::registers::parts;
use warpgrid_emulator::translation_view::{
    AccessPlan, LANES, LdmatrixPlanView, OperandLocation, OperandSlot, RegisterBank,
    RegisterOperand, WmmaTransfer,
};
use warpgrid_isa::StateSpace;
use wasm_encoder::Instruction as I;

/// Size in bytes of a matrix row that `ldmatrix` or `stmatrix` transfers.
const ROW_BYTES: u32 = 16;

impl Emitter<'_> {
    /// Allocates the access site of a matrix operation.
    fn matrix_site(&mut self, plan: &AccessPlan) -> Result<u32, BailoutReason> {
        let accepts = match plan.space {
            StateSpace::Global => holds::GLOBAL,
            StateSpace::Shared => holds::SHARED,
            StateSpace::Generic => holds::GLOBAL | holds::WINDOW,
            other => return self.unsupported(format!("a matrix in {other:?} memory")),
        };
        Ok(self.add_site(AccessSite::of_any(accepts)))
    }

    /// Pushes the 64-bit address that one lane specifies.
    fn push_address(
        &mut self,
        plan: &AccessPlan,
        lane: u32,
        warp: WarpContexts,
    ) -> Result<(), BailoutReason> {
        let subwarp = lane / SUBWARP_LANES;
        if plan.has_64_bit_base {
            match plan.base.place() {
                OperandLocation::Register(index) => {
                    let register = self.frame_register(RegisterBank::B64, index);
                    self.push_part(register, subwarp, lane % SUBWARP_LANES / 2, warp);
                }
                _ => self.read64(plan.base, 0)?,
            }
            self.op(I::I64x2ExtractLane((lane % 2) as u8));
            if plan.offset != 0 {
                self.ops([I::I64Const(plan.offset), I::I64Add]);
            }
            if plan.space == StateSpace::Shared {
                self.ops([I::I64Const(0xffff_ffff), I::I64And]);
            }
            return Ok(());
        }
        self.push_row(plan.base, subwarp, warp)?;
        self.op(I::I32x4ExtractLane((lane % SUBWARP_LANES) as u8));
        if plan.offset as u32 != 0 {
            self.ops([I::I32Const(plan.offset as i32), I::I32Add]);
        }
        self.op(I::I64ExtendI32U);
        Ok(())
    }

    /// Emits `ldmatrix` or `stmatrix`. Returns whether the operation stores to memory.
    pub(crate) fn rows_of_matrices(
        &mut self,
        rows: &LdmatrixPlanView<'_>,
        warp: WarpContexts,
    ) -> Result<bool, BailoutReason> {
        let scratch = self.places.scratch;
        let site = self.matrix_site(rows.row)?;
        let row = LineTransfer {
            n_lines: 1,
            line_bytes: ROW_BYTES,
            chunk_bytes: ROW_BYTES,
            is_store: rows.is_store,
            is_narrow: rows.row.space == StateSpace::Shared,
            notes_shared: self.flow.shared[self.block].stores,
        };
        // Compute the scratch address of each 16-bit half of the destination registers, for all lanes.
        let elements = &rows.access.elements;
        let mut places = vec![[[None; 16]; SUBWARPS_PER_WARP as usize]; elements.len()];
        for element in &rows.places {
            let held = element.held;
            let place =
                scratch + ROW_BYTES * u32::from(element.asked) + 2 * u32::from(element.column);
            let first = 4 * (u32::from(held.lane) % SUBWARP_LANES) + u32::from(held.shift) / 8;
            let row = places
                .get_mut(usize::from(held.register))
                .and_then(|of_register| {
                    of_register.get_mut(usize::from(held.lane) / SUBWARP_LANES as usize)
                });
            if let Some(row) = row {
                row[first as usize] = Some(place);
                row[first as usize + 1] = Some(place + 1);
            }
        }
        if rows.is_store {
            self.lay_out_elements(elements, &places, warp)?;
        }
        for lane in (0..LANES as u32).filter(|lane| rows.asking >> lane & 1 != 0) {
            self.push_address(rows.row, lane, warp)?;
            self.ops([
                I::I64Const(0),
                I::I32Const(site as i32),
                I::I32Const((scratch + ROW_BYTES * lane) as i32),
            ]);
            self.call(SharedRoutine::Lines(row));
            self.return_if_nonzero(self.names.active);
        }
        if !rows.is_store {
            self.take_elements(elements, &places, warp)?;
        }
        Ok(rows.is_store)
    }

    /// Copies the elements of a matrix from registers to scratch memory.
    fn lay_out_elements(
        &mut self,
        elements: &[RegisterOperand],
        places: &[[ByteGather; SUBWARPS_PER_WARP as usize]],
        warp: WarpContexts,
    ) -> Result<(), BailoutReason> {
        for (element, places) in elements.iter().zip(places) {
            for (subwarp, places) in (0..SUBWARPS_PER_WARP).zip(places) {
                match element.bank {
                    RegisterBank::B32 => self.push_row(element.slot, subwarp, warp)?,
                    _ => return self.unsupported("a matrix fragment in registers of this type"),
                }
                self.put_bytes(places);
            }
        }
        Ok(())
    }

    /// Copies the elements of a matrix from scratch memory to registers.
    fn take_elements(
        &mut self,
        elements: &[RegisterOperand],
        places: &[[ByteGather; SUBWARPS_PER_WARP as usize]],
        warp: WarpContexts,
    ) -> Result<(), BailoutReason> {
        for (element, places) in elements.iter().zip(places) {
            if element.bank != RegisterBank::B32 {
                return self.unsupported("a matrix fragment in registers of this type");
            }
            for (subwarp, places) in (0..SUBWARPS_PER_WARP).zip(places) {
                self.write_row(element.slot, subwarp, warp, |e| e.push_bytes(places));
            }
        }
        Ok(())
    }

    /// Emits `wmma.load` or `wmma.store`. Returns whether the operation stores to memory.
    pub(crate) fn emit_wmma_transfer(
        &mut self,
        lines: &WmmaTransfer<'_>,
        warp: WarpContexts,
    ) -> Result<bool, BailoutReason> {
        let scratch = self.places.scratch;
        let line_bits = u32::from(lines.line_elements) * lines.element_bits;
        let line_bytes = line_bits / 8;
        let chunk_bytes = u32::from(lines.align_bytes).clamp(1, 16);
        let is_odd = !line_bits.is_multiple_of(8)
            || !line_bytes.is_multiple_of(chunk_bytes)
            || lines.unit_bytes > 8
            || lines.access.elements.is_empty();
        if is_odd {
            return self.unsupported("rows or columns of matrix elements of this type");
        }
        let site = self.matrix_site(lines.access)?;
        self.uniform_address(lines, warp)?;
        let places = self.places_of_lines(lines, scratch, line_bytes);
        if lines.is_store {
            self.lay_out_lines(lines, &places, line_bytes, warp)?;
        }
        self.get_all([self.names.offset, self.names.first]);
        self.ops([
            I::I64ExtendI32U,
            I::I64Const(lines.element_bits.into()),
            I::I64Mul,
            I::I64Const(3),
            I::I64ShrU,
            I::I32Const(site as i32),
            I::I32Const(scratch as i32),
        ]);
        self.call(SharedRoutine::Lines(LineTransfer {
            n_lines: lines.n_lines.into(),
            line_bytes,
            chunk_bytes,
            is_store: lines.is_store,
            is_narrow: lines.access.space == StateSpace::Shared,
            notes_shared: self.flow.shared[self.block].stores,
        }));
        self.return_if_nonzero(self.names.active);
        if !lines.is_store {
            self.take_lines(lines, &places, warp)?;
        }
        Ok(lines.is_store)
    }

    /// Copies the elements of a matrix from registers to scratch memory, in which the lines of the matrix are
    /// contiguous.
    fn lay_out_lines(
        &mut self,
        lines: &WmmaTransfer<'_>,
        places: &[[ByteGather; SUBWARPS_PER_WARP as usize]],
        line_bytes: u32,
        warp: WarpContexts,
    ) -> Result<(), BailoutReason> {
        let all: std::collections::BTreeSet<u32> = places
            .iter()
            .flatten()
            .flatten()
            .flatten()
            .copied()
            .collect();
        if all.len() as u32 != line_bytes * u32::from(lines.n_lines) {
            return self.unsupported("an incomplete fragment");
        }
        for (index, places) in places.iter().enumerate() {
            self.lay_out_part(
                lines.access.elements[index / parts_of(lines) as usize],
                index as u32 % parts_of(lines),
                places,
                warp,
            )?;
        }
        Ok(())
    }

    /// Copies the lines of a matrix in scratch memory to registers.
    fn take_lines(
        &mut self,
        lines: &WmmaTransfer<'_>,
        places: &[[ByteGather; SUBWARPS_PER_WARP as usize]],
        warp: WarpContexts,
    ) -> Result<(), BailoutReason> {
        let n = parts_of(lines);
        for (index, element) in lines.access.elements.iter().enumerate() {
            for part in 0..n {
                let read = (index % lines.n_read.max(1)) as u32 * n + part;
                if let Some(places) = places.get(read as usize) {
                    self.take_part(*element, part, places, warp)?;
                }
            }
        }
        Ok(())
    }

    /// Stores the address of the matrix in the local `offset` and the stride in the local `first`. Bails out unless the
    /// address and the stride are uniform and aligned.
    fn uniform_address(
        &mut self,
        lines: &WmmaTransfer<'_>,
        warp: WarpContexts,
    ) -> Result<(), BailoutReason> {
        let plan = lines.access;
        let (address, stride) = (self.names.offset, self.names.first);
        self.push_address(plan, 0, warp)?;
        self.set(address);
        self.check_same(plan.base_bank(), plan.base, warp)?;
        self.push_row(lines.stride, 0, warp)?;
        self.op(I::I32x4ExtractLane(0));
        self.set(stride);
        self.check_same(RegisterBank::B32, lines.stride, warp)?;
        let align = i64::from(lines.align_bytes.max(1));
        self.get(address);
        self.ops([I::I64Const(align - 1), I::I64And, I::I64Eqz, I::I32Eqz]);
        self.get(stride);
        self.ops([
            I::I64ExtendI32U,
            I::I64Const(lines.element_bits.into()),
            I::I64Mul,
            I::I64Const(8 * align - 1),
            I::I64And,
            I::I64Eqz,
            I::I32Eqz,
            I::I32Or,
        ]);
        if lines.is_store {
            // Bail out if the stride of a store is less than the size of a line, because the lines then overlap.
            self.get(stride);
            self.ops([I::I32Const(lines.line_elements.into()), I::I32LtU, I::I32Or]);
        }
        self.stop_if(stop::UNSUPPORTED);
        Ok(())
    }

    /// Bails out unless a register has the same value in all lanes.
    fn check_same(
        &mut self,
        bank: RegisterBank,
        slot: OperandSlot,
        warp: WarpContexts,
    ) -> Result<(), BailoutReason> {
        let OperandLocation::Register(index) = slot.place() else {
            return Ok(());
        };
        let register = self.frame_register(bank, index);
        let first = self.names.vectors[0];
        self.push_part(register, 0, 0, warp);
        match bank {
            RegisterBank::B64 => self.ops([I::I64x2ExtractLane(0), I::I64x2Splat]),
            _ => self.ops([I::I32x4ExtractLane(0), I::I32x4Splat]),
        }
        self.set(first);
        self.op(I::V128Const(0));
        for subwarp in 0..SUBWARPS_PER_WARP {
            for part in 0..parts(register) {
                self.push_part(register, subwarp, part, warp);
                self.get(first);
                self.ops([I::V128Xor, I::V128Or]);
            }
        }
        self.op(I::V128AnyTrue);
        self.stop_if(stop::FAULT);
        Ok(())
    }

    /// Returns the scratch addresses of the bytes in each 16-byte part of a register, for each subwarp and each line.
    fn places_of_lines(
        &self,
        lines: &WmmaTransfer<'_>,
        scratch: u32,
        line_bytes: u32,
    ) -> Vec<[ByteGather; SUBWARPS_PER_WARP as usize]> {
        let n_parts = parts_of(lines);
        let lane_bytes = 4 * n_parts;
        let mut found =
            vec![[[None; 16]; SUBWARPS_PER_WARP as usize]; lines.n_read * n_parts as usize];
        for (unit, lanes) in (0u32..).zip(lines.places) {
            let (register, within) = (unit / lines.per_register, unit % lines.per_register);
            for (lane, [line, position]) in (0u32..).zip(lanes) {
                let first = scratch
                    + u32::from(*line) * line_bytes
                    + u32::from(*position) * lines.element_bits / 8;
                for byte in 0..lines.unit_bytes {
                    // Index of the byte among the bytes that a register has in this subwarp, which are divided into
                    // parts of 16 bytes.
                    let at = lane % SUBWARP_LANES * lane_bytes + within * lines.unit_bytes + byte;
                    let part = register * n_parts + at / 16;
                    let row = found
                        .get_mut(part as usize)
                        .and_then(|subwarps| subwarps.get_mut((lane / SUBWARP_LANES) as usize));
                    if let Some(row) = row {
                        row[(at % 16) as usize] = Some(first + byte);
                    }
                }
            }
        }
        found
    }

    fn lay_out_part(
        &mut self,
        element: RegisterOperand,
        part: u32,
        places: &[ByteGather; SUBWARPS_PER_WARP as usize],
        warp: WarpContexts,
    ) -> Result<(), BailoutReason> {
        for (subwarp, places) in (0..SUBWARPS_PER_WARP).zip(places) {
            match (element.bank, element.slot.place()) {
                (RegisterBank::B32 | RegisterBank::B64, OperandLocation::Register(index)) => {
                    let register = self.frame_register(element.bank, index);
                    self.push_part(register, subwarp, part, warp);
                }
                (RegisterBank::B32, _) => self.push_row(element.slot, subwarp, warp)?,
                _ => return self.unsupported("a matrix fragment in registers of this type"),
            }
            self.put_bytes(places);
        }
        Ok(())
    }

    fn take_part(
        &mut self,
        element: RegisterOperand,
        part: u32,
        places: &[ByteGather; SUBWARPS_PER_WARP as usize],
        warp: WarpContexts,
    ) -> Result<(), BailoutReason> {
        let OperandLocation::Register(index) = element.slot.place() else {
            return Ok(());
        };
        if !matches!(element.bank, RegisterBank::B32 | RegisterBank::B64) {
            return self.unsupported("a matrix fragment in registers of this type");
        }
        for (subwarp, places) in (0..SUBWARPS_PER_WARP).zip(places) {
            let register = self.frame_register(element.bank, index);
            self.write_part(register, subwarp, part, warp, |e| {
                e.push_bytes(places);
            });
        }
        Ok(())
    }
}

/// Returns the number of 16-byte parts that a register of a subwarp contains.
fn parts_of(lines: &WmmaTransfer<'_>) -> u32 {
    match lines.per_register * lines.unit_bytes {
        8.. => 2,
        _ => 1,
    }
}
