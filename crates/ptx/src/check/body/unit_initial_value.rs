//! Initial values of inferred registers that are operands of specialized units. The lane index is not a valid value for these operands,
//! which are descriptors, tensor memory addresses and sizes.

use crate::check::resolved_opcodes::ResolvedOpcodes;
use crate::check::resolved_opcodes::resolved_opcode::{OperandExpectation, ResolvedOpcode};
use crate::tree::{StatementKind, Tree};
use warpgrid_isa::form::{DeviceUnitOperand, ImmediateRange, OperandPosition};
use warpgrid_isa::tensor_layout::{DescriptorKind, InstructionDescriptor, Major};
use warpgrid_isa::{
    CtaGroup, DeviceUnitOp, MmaKind, ScalarType, SurfaceMode, TensorMemoryOp, ThreadParticipation,
};

/// Initial value of an inferred register for which the lane index is not a valid value. The snippet prologue assigns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InitialValue {
    /// Matrix descriptor of a tile in shared memory.
    Tile(Tile),
    /// Tensor memory address of the first lane that the warp can access.
    WarpLanes,
    /// Number that the register contains in all lanes.
    Number(u64),
    /// Product of the lane index and this number.
    LaneTimes(u64),
}

/// Matrix operand of an MMA, stored as a tile in shared memory without swizzle. The elements of a row of A, or of a column of B, are
/// adjacent in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tile {
    pub(crate) ty: ScalarType,
    pub(crate) kind: DescriptorKind,
}

/// Distance in bytes between adjacent core matrices (8 rows of 16 bytes) along k. [`STRIDE_BYTES`] is the distance along the rows. Each row
/// of the tile has 64 bytes.
pub(crate) const LEADING_BYTES: u64 = 128;
pub(crate) const STRIDE_BYTES: u64 = 512;
/// Size in bytes of a tile of 256 rows.
pub(crate) const TILE_BYTES: u64 = 256 / 8 * STRIDE_BYTES;
/// Exclusive upper bound of the element values of a tile. A small bound limits the magnitude of accumulators.
pub(crate) const MAX_COUNTED: u64 = 4;
/// Number of rows of the accumulator of an inferred MMA in tensor memory. The next constant is the number of columns.
const ROWS: usize = 128;
const COLUMNS: usize = 64;
/// Initial value of an inferred register that is a size operand, in bytes.
pub(crate) const SIZE_BYTES: u64 = 64;
/// Left shift that converts a warp index to the tensor memory address of the warp's first lane.
pub(crate) const LANES_OF_WARP: u64 = 21;

impl InitialValue {
    /// Returns the initial value of an operand for which the lane index is not a valid value, or `None` for other operands.
    pub(crate) fn of(
        plan: &ResolvedOpcode,
        expect: OperandExpectation,
        slot: Option<&OperandPosition>,
    ) -> Option<InitialValue> {
        use DeviceUnitOperand as U;
        let lanes = tensor_memory(plan).map(|op| match op.moves_registers() {
            true => InitialValue::WarpLanes,
            false => InitialValue::Number(0),
        });
        match expect {
            OperandExpectation::Unit(U::TensorAddress, _) => lanes,
            // The operand is a tensor memory address in brackets, `[taddr]`.
            OperandExpectation::Address => {
                lanes.filter(|_| !plan.addressing.takes_register(ScalarType::B64))
            }
            OperandExpectation::Custom if slot.is_some_and(|slot| slot.name == "size") => {
                Some(InitialValue::Number(SIZE_BYTES))
            }
            OperandExpectation::Number(ImmediateRange::MultipleUpTo(of, most)) => {
                let size = SIZE_BYTES.next_multiple_of(of.max(1));
                Some(InitialValue::Number(size.min(most)))
            }
            // The source size of a copy may be at most the copy size, which the caller knows.
            OperandExpectation::Number(ImmediateRange::PredicateOrUpTo(most)) => {
                Some(InitialValue::Number(most))
            }
            // Lane indices exceed the range.
            OperandExpectation::Number(ImmediateRange::UpTo(most))
                if most < u64::from(WARP) - 1 =>
            {
                Some(InitialValue::Number(0))
            }
            OperandExpectation::Unit(
                U::Descriptor | U::WarpgroupMatrixOperand | U::MatrixOperand,
                _,
            ) => Some(InitialValue::Tile(tile_of(plan))),
            OperandExpectation::Unit(U::InstructionDescriptor, _) => {
                instruction_descriptor(plan).map(InitialValue::Number)
            }
            OperandExpectation::Unit(U::Bytes, _) => Some(InitialValue::Number(SIZE_BYTES)),
            OperandExpectation::Unit(U::Columns, _) => Some(InitialValue::Number(32)),
            OperandExpectation::Unit(U::Mask, _) => Some(InitialValue::Number(1)),
            OperandExpectation::Unit(U::ZeroColumns | U::Metadata, _) => {
                Some(InitialValue::Number(0))
            }
            _ => None,
        }
    }

    /// Returns a description for the list of inferred declarations, or `None` for a plain number.
    pub(crate) fn described(self) -> Option<String> {
        match self {
            InitialValue::Tile(tile) => Some(format!(
                "the descriptor of a tile of {} values 0, 1, 2, … in shared memory",
                tile.ty
            )),
            InitialValue::WarpLanes => {
                Some("the tensor memory lanes that the warp can access".to_owned())
            }
            InitialValue::Number(_) | InitialValue::LaneTimes(_) => None,
        }
    }

    /// Returns the initial value of the first coordinate of a surface access if the unit of this coordinate is bytes.
    pub(crate) fn of_coordinate(plan: &ResolvedOpcode) -> Option<InitialValue> {
        let is_raw = plan.modifiers.unit.surface == Some(SurfaceMode::Bytes);
        let width = plan.modifiers.ty.map_or(0, ScalarType::width_bytes);
        let n_bytes = u64::from(width) * plan.modifiers.n_elements() as u64;
        is_raw.then_some(InitialValue::LaneTimes(n_bytes))
    }
}

fn tile_of(plan: &ResolvedOpcode) -> Tile {
    let kind = match tensor_memory(plan) {
        Some(_) => DescriptorKind::TensorMemory,
        None => DescriptorKind::Warpgroup,
    };
    let factors = plan.modifiers.kind.map(|kind| factors_of(kind).0);
    let ty = plan.modifiers.a_type.or(factors);
    Tile {
        ty: ty.unwrap_or(ScalarType::B32),
        kind,
    }
}

/// Returns the types of the operand matrices and of the accumulators for an MMA kind.
fn factors_of(kind: MmaKind) -> (ScalarType, ScalarType) {
    match kind {
        MmaKind::F16 => (ScalarType::F16, ScalarType::F32),
        MmaKind::Tf32 => (ScalarType::Tf32, ScalarType::F32),
        MmaKind::I8 => (ScalarType::S8, ScalarType::S32),
        MmaKind::F8f6f4 | MmaKind::Mxf8f6f4 => (ScalarType::E4m3, ScalarType::F32),
        MmaKind::Mxf4 | MmaKind::Mxf4nvf4 => (ScalarType::E2m1, ScalarType::F32),
    }
}

fn tensor_memory(plan: &ResolvedOpcode) -> Option<TensorMemoryOp> {
    plan.operation.unit().and_then(DeviceUnitOp::tensor_memory)
}

/// Returns the instruction descriptor of an MMA in tensor memory.
fn instruction_descriptor(plan: &ResolvedOpcode) -> Option<u64> {
    let modifiers = &plan.modifiers;
    let kind = modifiers.kind?;
    let (factor, d) = factors_of(kind);
    let n_blocks = match modifiers.unit.group {
        Some(CtaGroup::Two) => 2,
        Some(CtaGroup::One) | None => 1,
    };
    let descriptor = InstructionDescriptor {
        m: ROWS * n_blocks,
        n: COLUMNS,
        a: factor,
        b: factor,
        d,
        a_major: Major::K,
        b_major: Major::K,
        negate: [false; 2],
        is_sparse: tensor_memory(plan).is_some_and(TensorMemoryOp::is_sparse),
        saturates: false,
        selector: 0,
        factor_ids: [0; 2],
        // Without block scaling, the descriptor does not specify a scale type.
        factor_type: match kind.is_scaled() {
            true => ScalarType::Ue8m0,
            false => ScalarType::Ue4m3,
        },
    };
    descriptor.encode(kind).map(u64::from)
}

/// Number of threads of a warp. The next constant is the number of threads of a warpgroup, which consists of four warps.
pub(crate) const WARP: u32 = 32;
const WARPGROUP: u32 = 4 * WARP;

/// Returns the number of threads that execute a snippet. One thread executes the snippet if an instruction requires a single thread and no
/// instruction requires all lanes or a warp. Four warps execute the snippet if an instruction requires a warpgroup.
pub(crate) fn n_threads(tree: &Tree, plans: &ResolvedOpcodes) -> u32 {
    let instructions = tree.statements.iter().filter_map(|s| match &s.kind {
        StatementKind::Instruction(instruction) => plans.get(instruction.mnemonic),
        _ => None,
    });
    let shares: Vec<ThreadParticipation> = instructions
        .clone()
        .map(|plan| plan.operation.share())
        .collect();
    if shares.contains(&ThreadParticipation::SingleThread)
        && !shares.contains(&ThreadParticipation::PerLane)
    {
        return 1;
    }
    let mut units = instructions.filter_map(|plan| plan.operation.unit());
    match units.any(DeviceUnitOp::is_warpgroup_wide) {
        true => WARPGROUP,
        false => WARP,
    }
}
