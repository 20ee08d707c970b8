//! Matrix multiplications of a warpgroup, and sparse matrix multiplications of a warp (PTX ISA, "wgmma.mma_async",
//! "mma.sp"). Each warp of a warpgroup computes 16 separate rows of D, so that the computation of each warp is
//! independent.

use crate::code::RegisterOperand;
use crate::code::held::TouchedRegisters;
use crate::code::plan_table::PlanId;
use crate::code::warp_product::{MmaOperandLocation, WarpMmaPlan};
use crate::contract::agent::WarpId;
use crate::contract::fault::{FaultKind, MatrixMisuse};
use crate::contract::inspect::RunDiagnosticKind;
use crate::contract::pending::{AsyncEffect, AsyncGroupKind, AsyncOperation, CompletionMechanism};
use crate::contract::wgmma_operation::WgmmaOperation;
use crate::exec::context::lanes_at;
use crate::exec::context::{ExecutionContext, IssuedInstruction};
use crate::exec::matrix::product::{MAX_LINE_FACTORS, ScaleFactors, lines_of_factors};
use crate::exec::matrix::shared_operand::read_lines;
use crate::exec::memory_context::{ExecResult, ExecutionFault, plan_of};
use crate::exec::operand_rows::{read64, write64};
use crate::semantics::registers::{FULL, LANES, LaneRegisters, Row32, Row64};
use crate::semantics::sparse::stored_columns;
use crate::semantics::tensor::block_scaling::ScaledOperandLine;
use crate::semantics::tensor::float_conversion::MmaOperandValues;
use crate::state::in_flight::{OutstandingWgmma, WarpgroupMma};
use crate::state::warp::Warp;
use warpgrid_isa::ScalarType;
use warpgrid_isa::tensor_layout::{
    ElementPacking, Major, MatrixDescriptor, SharedMatrixOperand, SparseMetadataLayout,
    accumulator_element, operand_element,
};

/// Number of rows of D that each warp computes.
pub(crate) const ROWS: usize = 16;
/// Number of warps per warpgroup.
pub(crate) const WARPS: u32 = 4;

/// Issues the rows of a `wgmma` that one warp computes. The operation completes after each earlier `wgmma` that writes
/// the same accumulators.
pub(crate) fn start(
    around: &mut ExecutionContext<'_>,
    warp: &mut Warp,
    id: PlanId<WarpMmaPlan>,
    choice: &IssuedInstruction<'_>,
    step: u64,
) -> ExecResult {
    let index = warp.index;
    let code = around.code;
    let plan = plan_of(&code.warp_products, id, choice.executed)?;
    let lanes = lanes_at(around.code, warp, choice.depth, choice.executed);
    let mut product = started(&lanes, id, plan)?;
    let kind = AsyncGroupKind::Products;
    let groups = warp.groups.get_or_insert_default();
    let number = groups.made(kind, 0);
    product.index = groups.next_product();
    let (function, instruction) = around.code.origin(choice.pc);
    groups.open(OutstandingWgmma {
        plan: product.plan,
        base: product.base,
        group: number,
        function,
        instruction,
    });
    let group = WarpgroupMma {
        block: around.block,
        warpgroup: index / WARPS,
        index: product.index,
    };
    let own = WarpId {
        block: around.block,
        warp: index,
    };
    let earlier = around.starter.in_flight.grouped(own, kind).last();
    let after = earlier.map(|(pending, _, _)| pending.id);
    around.starter.start(AsyncOperation {
        origin: around.origin(index, choice.pc, step),
        pieces: Vec::new(),
        depends_on: after.into_iter().collect(),
        work: AsyncEffect::Product(Box::new(product)),
        completion: CompletionMechanism::AsyncGroup { kind, number },
        // Set the step later, because the computation starts only after all warps of the warpgroup have issued the
        // instruction, as on the hardware.
        earliest_step: u64::MAX,
    });
    let n_warps = around
        .n_warps
        .saturating_sub(index / WARPS * WARPS)
        .min(WARPS);
    let starter = &mut around.starter;
    starter.join_product(group, n_warps as usize, step + 1);
    Ok(())
}

/// Records a diagnostic if an instruction accesses registers of a pending `wgmma`.
#[inline(never)]
pub(crate) fn note_touched(
    around: &mut ExecutionContext<'_>,
    warp: &Warp,
    touched: &TouchedRegisters,
    choice: &IssuedInstruction<'_>,
    step: u64,
) {
    let open = warp
        .groups
        .as_ref()
        .map_or(&[][..], |groups| groups.open_products());
    if open.is_empty() || choice.executed == 0 {
        return;
    }
    let (base, (function, instruction)) = (
        around.code.base(choice.depth),
        around.code.origin(choice.pc),
    );
    let in_frame =
        |product: &&OutstandingWgmma| (product.base, product.function) == (base, function);
    for product in open.iter().filter(in_frame) {
        let plan = around.code.warp_products.get(PlanId::new(product.plan));
        let registers = plan.map_or(Vec::new(), |plan| touched.held_by(&plan.held));
        if registers.is_empty() {
            continue;
        }
        let kind = RunDiagnosticKind::RegistersInFlight {
            function,
            instruction,
            registers,
            product: (product.function, product.instruction),
        };
        return around.note(warp.index, kind, step);
    }
}

/// Reads the register operands of a `wgmma` at issue.
fn started(
    l: &LaneRegisters<'_>,
    id: PlanId<WarpMmaPlan>,
    plan: &WarpMmaPlan,
) -> Result<WgmmaOperation, Box<ExecutionFault>> {
    if l.mask != FULL {
        let missing = !l.mask;
        let mistake = MatrixMisuse::MissingLanes { missing };
        return Err(ExecutionFault::new(
            FaultKind::UndefinedMatrix(mistake),
            l.mask,
        ));
    }
    let descriptor = |factor: &MmaOperandLocation| match factor {
        MmaOperandLocation::Described { descriptor, .. } => read64(l, *descriptor)[0],
        MmaOperandLocation::Registers(_) => 0,
    };
    Ok(WgmmaOperation {
        plan: id.number(),
        base: l.base,
        index: 0,
        a: match &plan.a {
            MmaOperandLocation::Registers(registers) => rows(l, registers),
            MmaOperandLocation::Described { .. } => Vec::new(),
        },
        descriptors: [descriptor(&plan.a), descriptor(&plan.b)],
        adds: match plan.adds {
            None => true,
            Some(predicate) => {
                let lanes = l.predicate(predicate.slot);
                (lanes & 1 != 0) != predicate.negated
            }
        },
        metadata: match plan.sparse {
            Some((register, _)) => read64(l, register).map(|word| word as u32),
            None => [0; LANES],
        },
    })
}

fn rows(l: &LaneRegisters<'_>, registers: &[RegisterOperand]) -> Vec<Row32> {
    let row = |register: &RegisterOperand| read64(l, *register).map(|word| word as u32);
    registers.iter().map(row).collect()
}

/// Computes the rows of one warp when the operation completes, and writes the accumulators.
pub(crate) fn land(
    l: &mut LaneRegisters<'_>,
    plan: &WarpMmaPlan,
    product: &WgmmaOperation,
    warp: u32,
    shared: &[u8],
) -> ExecResult {
    let mut a = match &plan.a {
        MmaOperandLocation::Registers(_) => of_registers(plan, plan.a_bits(), &product.a),
        MmaOperandLocation::Described { major, .. } => {
            let first = ROWS * (warp % WARPS) as usize;
            let factor = described(plan, product.descriptors[0], *major, plan.a_bits())?;
            read_lines(&factor, shared, first..first + ROWS, plan.stored(), FULL)?
        }
    };
    let mut b = match &plan.b {
        MmaOperandLocation::Registers(registers) => columns_of_registers(plan, &rows(l, registers)),
        MmaOperandLocation::Described { major, .. } => {
            let factor = described(plan, product.descriptors[1], *major, plan.b_bits())?;
            read_lines(&factor, shared, 0..plan.n_columns, plan.depth, FULL)?
        }
    };
    let c = match product.adds {
        true => sums(plan, &rows(l, &plan.c)),
        false => vec![0; ROWS * plan.n_columns],
    };
    let factors = match &plan.factors {
        Some([of_a, of_b]) => Some([lines_of_factors(l, of_a)?, lines_of_factors(l, of_b)?]),
        None => None,
    };
    let [negates_a, negates_b] = plan.negate;
    if negates_a {
        negate(&mut a, plan.a_bits());
    }
    if negates_b {
        negate(&mut b, plan.b_bits());
    }
    let values = MmaOperandValues {
        a: &a,
        b: &b,
        c: &c,
    };
    let d = multiply(plan, values, &product.metadata, factors.as_ref());
    scatter(l, plan, &d);
    Ok(())
}

/// Executes `mma.sp`, a synchronous matrix multiplication with register operands only.
pub(crate) fn multiply_now(l: &mut LaneRegisters<'_>, plan: &WarpMmaPlan) -> ExecResult {
    let product = started(l, PlanId::new(0), plan)?;
    land(l, plan, &product, 0, &[])
}

/// Negates floating-point values that have `bits` bits.
fn negate(values: &mut [u64], bits: u32) {
    for value in values {
        *value ^= 1 << (bits - 1);
    }
}

/// Computes the matrix D in row-major order.
fn multiply(
    plan: &WarpMmaPlan,
    values: MmaOperandValues<'_>,
    metadata: &Row32,
    factors: Option<&[ScaleFactors; 2]>,
) -> Vec<u64> {
    let MmaOperandValues { a, b, c } = values;
    let Some((_, selector)) = plan.sparse else {
        return plan.plan.whole(plan.n_columns, a, b, c);
    };
    let sparsity = SparseMetadataLayout {
        bits: plan.a_bits(),
        depth: plan.depth,
        selector,
    };
    let (stored, depth) = (plan.stored().max(1), plan.depth.max(1));
    let n_factors = plan
        .factors
        .map_or(0, |[of_a, _]| usize::from(of_a.n).min(MAX_LINE_FACTORS));
    let mut d = Vec::with_capacity(c.len());
    let rows = a.chunks(stored).zip(c.chunks(plan.n_columns.max(1)));
    for (row, (a, c)) in rows.enumerate() {
        let columns = stored_columns(sparsity, row, metadata);
        for (column, (b, c)) in b.chunks(depth).zip(c).enumerate() {
            let of = |k: &usize| b.get(*k).copied().unwrap_or(0);
            let chosen: Vec<u64> = columns.iter().map(of).collect();
            let Some([of_a, of_b]) = factors else {
                d.push(plan.plan.element(a, &chosen, *c));
                continue;
            };
            let part = 0..n_factors;
            let a = ScaledOperandLine {
                values: a,
                factors: of_a.get(row).map_or(&[], |all| &all[part.clone()]),
            };
            let b = ScaledOperandLine {
                values: &chosen,
                factors: of_b.get(column).map_or(&[], |all| &all[part]),
            };
            d.push(plan.plan.scaled_element(a, b, *c));
        }
    }
    d
}

/// Reads the matrix A from register rows, and returns it in row-major order.
fn of_registers(plan: &WarpMmaPlan, bits: u32, rows: &[Row32]) -> Vec<u64> {
    let stored = plan.stored();
    let per_register = (32 / bits) as usize;
    let mut values = vec![0; ROWS * stored];
    for (register, row) in rows.iter().enumerate() {
        for (lane, word) in row.iter().enumerate() {
            for element in 0..per_register {
                let (line, column) = operand_element(lane, register, element, per_register);
                if let Some(value) = values.get_mut(line * stored + column)
                    && column < stored
                {
                    *value = part(*word, element as u32, bits);
                }
            }
        }
    }
    values
}

/// Reads the matrix B of `mma.sp` from registers, and returns it in column-major order.
fn columns_of_registers(plan: &WarpMmaPlan, rows: &[Row32]) -> Vec<u64> {
    let bits = plan.b_bits();
    let per_register = (32 / bits) as usize;
    let mut values = vec![0; plan.n_columns * plan.depth];
    for (register, row) in rows.iter().enumerate() {
        for (lane, word) in row.iter().enumerate() {
            for element in 0..per_register {
                let k = per_register * (lane % 4) + element + 4 * per_register * register;
                if let Some(value) = values.get_mut(lane / 4 * plan.depth + k) {
                    *value = part(*word, element as u32, bits);
                }
            }
        }
    }
    values
}

/// Extracts an element with `bits` bits from a 32-bit register.
const fn part(word: u32, element: u32, bits: u32) -> u64 {
    let mask = u64::MAX >> (64 - bits);
    (word as u64) >> (element * bits) & mask
}

/// Reads the matrix C or D from register rows, and returns it in row-major order.
fn sums(plan: &WarpMmaPlan, rows: &[Row32]) -> Vec<u64> {
    let mut values = vec![0; ROWS * plan.n_columns];
    let per_register = plan.sums_per_register();
    let bits = (32 / per_register) as u32;
    for (register, row) in rows.iter().enumerate() {
        for (lane, word) in row.iter().enumerate() {
            for half in 0..per_register {
                let (line, column) = accumulator_element(lane, register * per_register + half);
                if let Some(value) = values.get_mut(line * plan.n_columns + column) {
                    *value = part(*word, half as u32, bits);
                }
            }
        }
    }
    values
}

/// Writes the elements of D to the accumulator registers.
fn scatter(l: &mut LaneRegisters<'_>, plan: &WarpMmaPlan, d: &[u64]) {
    let per_register = plan.sums_per_register();
    let bits = 32 / per_register;
    for (register, element) in plan.d.iter().enumerate() {
        let row: Row64 = std::array::from_fn(|lane| {
            (0..per_register).fold(0, |word, half| {
                let (line, column) = accumulator_element(lane, register * per_register + half);
                let value = d.get(line * plan.n_columns + column).copied().unwrap_or(0);
                word | value << (half * bits)
            })
        });
        write64(l, *element, &row);
    }
}

/// Returns the operand matrix in shared memory that a descriptor describes.
pub(crate) fn described(
    plan: &WarpMmaPlan,
    bits: u64,
    major: Major,
    element_bits: u32,
) -> Result<SharedMatrixOperand, Box<ExecutionFault>> {
    let descriptor = MatrixDescriptor::decode(bits, plan.kind);
    let descriptor = descriptor
        .ok_or_else(|| ExecutionFault::internal("a descriptor without a swizzle mode", FULL))?;
    Ok(SharedMatrixOperand {
        descriptor,
        major,
        storage: ElementPacking::Bytes(element_bits / 8),
    })
}

impl WarpMmaPlan {
    /// Returns the number of stored elements per row of A, which is halved for a sparse A.
    pub(crate) const fn stored(&self) -> usize {
        match self.sparse {
            Some(_) => self.depth / 2,
            None => self.depth,
        }
    }

    /// Returns the width of a stored element of A in bits. For single-bit elements, returns 32, because they are stored
    /// in words.
    pub(crate) fn a_bits(&self) -> u32 {
        self.element_bits[0]
    }

    pub(crate) fn b_bits(&self) -> u32 {
        self.element_bits[1]
    }

    const fn sums_per_register(&self) -> usize {
        match self.d_type {
            ScalarType::F16 => 2,
            _ => 1,
        }
    }
}
