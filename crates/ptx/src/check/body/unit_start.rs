//! What a snippet starts with where a unit beside the lanes takes a value that no lane number can be: descriptors, addresses of tensor memory,
//! sizes. In: the plan of an instruction and one of its operands; out: the value, and the instructions that put it into a register.

use crate::check::body::checker::BodyChecker;
use crate::check::body::counting::counting_below;
use crate::check::body::lower::{destination, register, source};
use crate::check::body::prologue::Inserted;
use crate::check::plans::Plans;
use crate::check::plans::plan::{Expect, Plan};
use crate::tree::{StatementKind, Tree};
use warpgrid_isa::form::{NumberRule, OperandSlot, UnitOperand};
use warpgrid_isa::layout::{
    DescriptorKind, InstructionDescriptor, Major, MatrixDescriptor, Swizzle,
};
use warpgrid_isa::{
    ArithmeticOp, CtaGroup, Does, MmaKind, MoveOp, MulPart, ScalarType, Share, SpecialRegister,
    StateSpace, SurfaceMode, TensorMemoryOp, UnitOp,
};
use warpgrid_program::{OperandValue, RegisterId, Source};

/// A value that an inferred register starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// The descriptor of a tile in shared memory.
    Tile(Tile),
    /// The lanes of tensor memory that a warp reaches.
    WarpLanes,
    /// The same in all lanes.
    Number(u64),
    /// The lane's number times this one.
    LaneTimes(u64),
}

/// A tile in shared memory, without swizzle: elements of a row of A or a column of B are neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tile {
    pub(crate) ty: ScalarType,
    kind: DescriptorKind,
}

/// Bytes between neighbours of 8 rows by 16 bytes along k, and along the rows: room for 64 bytes of each row.
const LEADING_BYTES: u64 = 128;
const STRIDE_BYTES: u64 = 512;
/// Bytes of a tile of 256 rows.
const TILE_BYTES: u64 = 256 / 8 * STRIDE_BYTES;
/// Elements of a tile count up to this number, so that sums stay small.
const MOST_COUNTED: u64 = 4;
/// Rows and columns of an inferred product in tensor memory.
const ROWS: usize = 128;
const COLUMNS: usize = 64;
/// Bytes that an inferred size says.
pub(super) const SIZE_BYTES: u64 = 64;
/// Where an address of tensor memory has the first lane of a warp: its number moved so far.
const LANES_OF_WARP: u64 = 21;

impl Start {
    /// What an operand starts with, if no lane number can be there.
    pub(crate) fn of(plan: &Plan, expect: Expect, slot: Option<&OperandSlot>) -> Option<Start> {
        use UnitOperand as U;
        let lanes = tensor_memory(plan).map(|op| match op.moves_registers() {
            true => Start::WarpLanes,
            false => Start::Number(0),
        });
        match expect {
            Expect::Unit(U::TensorAddress, _) => lanes,
            // `[taddr]`
            Expect::Address => lanes.filter(|_| !plan.addressing.takes_register(ScalarType::B64)),
            Expect::Custom if slot.is_some_and(|slot| slot.name == "size") => {
                Some(Start::Number(SIZE_BYTES))
            }
            Expect::Number(NumberRule::MultipleUpTo(of, most)) => {
                let size = SIZE_BYTES.next_multiple_of(of.max(1));
                Some(Start::Number(size.min(most)))
            }
            Expect::Unit(U::Descriptor | U::WarpgroupFactor | U::Factor, _) => {
                Some(Start::Tile(tile_of(plan)))
            }
            Expect::Unit(U::InstructionDescriptor, _) => {
                instruction_descriptor(plan).map(Start::Number)
            }
            Expect::Unit(U::Bytes, _) => Some(Start::Number(SIZE_BYTES)),
            Expect::Unit(U::Columns, _) => Some(Start::Number(32)),
            Expect::Unit(U::Mask, _) => Some(Start::Number(1)),
            Expect::Unit(U::ZeroColumns | U::Metadata, _) => Some(Start::Number(0)),
            _ => None,
        }
    }

    /// As a person would say it after a declaration; nothing of a plain number.
    pub(super) fn described(self) -> Option<String> {
        match self {
            Start::Tile(tile) => Some(format!(
                "the descriptor of a tile of {} values 0, 1, 2, … in shared memory",
                tile.ty
            )),
            Start::WarpLanes => Some("the tensor memory lanes that the warp can access".to_owned()),
            Start::Number(_) | Start::LaneTimes(_) => None,
        }
    }

    /// What the first coordinate of a surface starts with, where it counts bytes.
    pub(crate) fn of_coordinate(plan: &Plan) -> Option<Start> {
        let is_raw = plan.modifiers.unit.surface == Some(SurfaceMode::Bytes);
        let width = plan.modifiers.ty.map_or(0, ScalarType::width_bytes);
        let n_bytes = u64::from(width) * plan.modifiers.n_elements() as u64;
        is_raw.then_some(Start::LaneTimes(n_bytes))
    }
}

fn tile_of(plan: &Plan) -> Tile {
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

/// The types of the factors and of the sums of a kind of product.
fn factors_of(kind: MmaKind) -> (ScalarType, ScalarType) {
    match kind {
        MmaKind::F16 => (ScalarType::F16, ScalarType::F32),
        MmaKind::Tf32 => (ScalarType::Tf32, ScalarType::F32),
        MmaKind::I8 => (ScalarType::S8, ScalarType::S32),
        MmaKind::F8f6f4 | MmaKind::Mxf8f6f4 => (ScalarType::E4m3, ScalarType::F32),
        MmaKind::Mxf4 | MmaKind::Mxf4nvf4 => (ScalarType::E2m1, ScalarType::F32),
    }
}

fn tensor_memory(plan: &Plan) -> Option<TensorMemoryOp> {
    plan.does.unit().and_then(UnitOp::tensor_memory)
}

/// The descriptor of a product in tensor memory.
fn instruction_descriptor(plan: &Plan) -> Option<u64> {
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
        // What has no scales says nothing of their type.
        factor_type: match kind.is_scaled() {
            true => ScalarType::Ue8m0,
            false => ScalarType::Ue4m3,
        },
    };
    descriptor.encode(kind).map(u64::from)
}

/// Threads of a warp, and of the four warps of a warpgroup.
pub(super) const WARP: u32 = 32;
const WARPGROUP: u32 = 4 * WARP;

/// How many threads do what a snippet says: one where a part of it is for one thread and nothing is for each of them or for a warp, and four
/// warps where they work together.
pub(super) fn n_threads(tree: &Tree, plans: &Plans) -> u32 {
    let instructions = tree.statements.iter().filter_map(|s| match &s.kind {
        StatementKind::Instruction(instruction) => plans.get(instruction.mnemonic),
        _ => None,
    });
    let shares: Vec<Share> = instructions.clone().map(|plan| plan.does.share()).collect();
    if shares.contains(&Share::OneThread) && !shares.contains(&Share::Lanes) {
        return 1;
    }
    let mut units = instructions.filter_map(|plan| plan.does.unit());
    match units.any(UnitOp::takes_warpgroup) {
        true => WARPGROUP,
        false => WARP,
    }
}

impl<'a> BodyChecker<'a, '_> {
    /// Fills an inferred register of this name.
    pub(super) fn start_of_unit(&mut self, text: &str, d: RegisterId, start: Start) {
        let bits = match self.body.type_of(d).width_bits() {
            64 => ScalarType::B64,
            16 => ScalarType::B16,
            _ => ScalarType::B32,
        };
        match start {
            Start::Number(number) => self.set(d, bits, source(Source::Immediate(number))),
            Start::LaneTimes(number) => {
                let lane = self.lane();
                let operands = vec![
                    destination(d),
                    source(register(lane)),
                    source(Source::Immediate(number)),
                    source(Source::Immediate(0)),
                ];
                let does = Does::Arithmetic(ArithmeticOp::Mad);
                let product = Inserted::new(does, "mad.lo", ScalarType::U32, operands);
                self.before(product.part(MulPart::Lo));
            }
            Start::WarpLanes => {
                self.set(d, bits, source(Source::Special(SpecialRegister::Warpid)));
                self.combine(ArithmeticOp::Shl, "shl", d, bits, LANES_OF_WARP);
            }
            Start::Tile(tile) => {
                let variable =
                    self.inferred_variable(&format!("{text}.tile"), StateSpace::Shared, TILE_BYTES);
                if let Some(variable) = self.body.variables.last_mut() {
                    variable.init = counting_below(MOST_COUNTED, tile.ty, TILE_BYTES);
                }
                let address = Source::VariableAddress {
                    variable,
                    offset: 0,
                    generic: false,
                };
                self.set(d, bits, source(address));
                self.combine(ArithmeticOp::Shr, "shr", d, bits, 4);
                let descriptor = MatrixDescriptor {
                    start: 0,
                    leading_bytes: LEADING_BYTES,
                    stride_bytes: STRIDE_BYTES,
                    base_offset: 0,
                    swizzle: Swizzle::None,
                };
                if let Some(fields) = descriptor.encode(tile.kind) {
                    self.combine(ArithmeticOp::Or, "or", d, bits, fields);
                }
            }
        }
    }

    fn set(&mut self, d: RegisterId, ty: ScalarType, value: OperandValue) {
        let operands = vec![destination(d), value];
        self.before(Inserted::new(Does::Move(MoveOp::Mov), "mov", ty, operands));
    }

    /// `d = d op number`
    fn combine(
        &mut self,
        op: ArithmeticOp,
        opcode: &str,
        d: RegisterId,
        ty: ScalarType,
        number: u64,
    ) {
        let operands = vec![
            destination(d),
            source(register(d)),
            source(Source::Immediate(number)),
        ];
        self.before(Inserted::new(Does::Arithmetic(op), opcode, ty, operands));
    }
}
