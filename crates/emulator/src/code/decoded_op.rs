//! Decoded operations, and their classes. The class determines which function executes an operation. A new operation
//! requires a variant and an entry in one of the classes.

use crate::code::held::TouchedRegisters;
use crate::code::matrix_plan::MatrixPlan;
use crate::code::plan_table::PlanId;
use crate::code::tensor_memory::TensorMemoryPlan;
use crate::code::warp_product::WarpMmaPlan;
use crate::code::{
    AccessPlan, AsyncPlan, AtomicPlan, BarrierPlan, BulkFillPlan, CallPlan, ClusterLaunchPlan,
    CollectivePlan, Comparison, DriverCallPlan, ImagePlan, MbarrierPlan, MultimemPlan,
    PredicateCombine, RegisterBank, RegisterOperand, SassPlan, SelectCondition, StackPlan,
    TensorCopyPlan, TensorMapPlan, UnsupportedReason, VideoPlan,
};
use crate::contract::pending::{AsyncGroupKind, GroupWait};
use crate::semantics::alu_ops::{
    BitCountOp, CarryMode, CarryOp, Float32Op, Float64Op, FloatOp, HalfOp, Int16Op, Int32Op,
    Int64Op, PackedIntOp, ShiftOp,
};
use crate::semantics::narrow_float::ConversionOperand;
use crate::semantics::registers::OperandSlot;
use crate::semantics::rounding::{Conversion, FloatMode};
use warpgrid_isa::{FloatTest, ScalarType, Signedness, StateSpace};
use warpgrid_program::SourceModifiers;

/// Decoded operation. The variant determines the register banks of its slots. The slots of arithmetic operations are
/// the result and the sources a, b and c, in this order.
#[derive(Clone, Copy, Debug)]
#[allow(
    private_interfaces,
    reason = "other crates access plans only by identifier"
)]
pub enum DecodedOp {
    Int16 {
        f: Int16Op,
        sign: Signedness,
        slots: [OperandSlot; 4],
    },
    Int32 {
        f: Int32Op,
        sign: Signedness,
        slots: [OperandSlot; 4],
    },
    Int64 {
        f: Int64Op,
        sign: Signedness,
        slots: [OperandSlot; 4],
    },
    /// Operation on the two 16-bit integers in a 32-bit register.
    Int16x2 {
        f: PackedIntOp,
        sign: Signedness,
        slots: [OperandSlot; 3],
    },
    /// Operation on the four 8-bit integers in a 32-bit register.
    Int8x4 {
        f: PackedIntOp,
        sign: Signedness,
        slots: [OperandSlot; 3],
    },
    /// Shift of a 64-bit value by a 32-bit amount b.
    Shift64 {
        f: ShiftOp,
        sign: Signedness,
        slots: [OperandSlot; 3],
    },
    /// `bfe` on a 64-bit value. The position and the length have 32 bits.
    Extract64 {
        sign: Signedness,
        slots: [OperandSlot; 4],
    },
    /// Bit count or bit search in a 64-bit source. The result has 32 bits.
    Count64 {
        f: BitCountOp,
        sign: Signedness,
        slots: [OperandSlot; 2],
    },
    /// `bfi`: the slots are the result, a, b, position and length.
    Insert32([OperandSlot; 5]),
    Insert64([OperandSlot; 5]),
    /// 64-bit product of 32-bit factors, plus c if c is present.
    Wide32 {
        sign: Signedness,
        slots: [OperandSlot; 4],
    },
    /// 32-bit product of 16-bit factors, plus c if c is present.
    Wide16 {
        sign: Signedness,
        slots: [OperandSlot; 4],
    },
    Float32 {
        f: Float32Op,
        mode: FloatMode,
        slots: [OperandSlot; 4],
    },
    Float64 {
        f: Float64Op,
        mode: FloatMode,
        slots: [OperandSlot; 4],
    },
    /// Operation on the two `f32` numbers in a 64-bit register.
    Float32x2 {
        f: FloatOp,
        mode: FloatMode,
        slots: [OperandSlot; 4],
    },
    /// Operation on the one or two 16-bit floats in a 32-bit register.
    Half {
        f: HalfOp,
        ty: ScalarType,
        mode: FloatMode,
        slots: [OperandSlot; 4],
    },
    /// Video instruction.
    Video(PlanId<VideoPlan>),
    Carry32 {
        f: CarryOp,
        mode: CarryMode,
        slots: [OperandSlot; 4],
    },
    Carry64 {
        f: CarryOp,
        mode: CarryMode,
        slots: [OperandSlot; 4],
    },
    Mov32 {
        d: OperandSlot,
        a: OperandSlot,
    },
    Mov64 {
        d: OperandSlot,
        a: OperandSlot,
    },
    Mov128 {
        d: OperandSlot,
        a: OperandSlot,
    },
    MovPredicate {
        d: OperandSlot,
        a: OperandSlot,
    },
    Pack {
        d: RegisterOperand,
        elements: PlanId<Vec<RegisterOperand>>,
        element_bits: u8,
    },
    Unpack {
        a: RegisterOperand,
        elements: PlanId<Vec<RegisterOperand>>,
        element_bits: u8,
    },
    Convert {
        conversion: Conversion,
        d: RegisterOperand,
        a: RegisterOperand,
    },
    /// Sign-extends or zero-extends a 32-bit value to 64 bits.
    Extend32 {
        sign: Signedness,
        d: OperandSlot,
        a: OperandSlot,
    },
    /// Returns the low half of a 64-bit value.
    Truncate64 {
        d: OperandSlot,
        a: OperandSlot,
    },
    ConvertPacked {
        conversion: Conversion,
        d: OperandSlot,
        a: OperandSlot,
        b: OperandSlot,
    },
    /// Converts two or four numbers, or a packed pair. An additional operand contains random bits or scale factors.
    ConvertBy {
        conversion: Conversion,
        d: RegisterOperand,
        /// List of the source elements.
        sources: PlanId<Vec<RegisterOperand>>,
        beside: ConversionOperand,
        by: OperandSlot,
    },
    /// Adds a constant to an address, which implements `cvta` in both directions.
    Offset {
        d: RegisterOperand,
        a: RegisterOperand,
        addend: u64,
    },
    IsSpace {
        space: StateSpace,
        d: OperandSlot,
        a: RegisterOperand,
    },
    SetPredicate {
        compare: Comparison,
        d: OperandSlot,
        q: OperandSlot,
        combine: Option<PredicateCombine>,
    },
    Set {
        compare: Comparison,
        to: ScalarType,
        d: OperandSlot,
        combine: Option<PredicateCombine>,
    },
    TestFloat {
        test: FloatTest,
        /// Register bank of the source a.
        bank: RegisterBank,
        d: OperandSlot,
        a: OperandSlot,
    },
    Select32 {
        d: OperandSlot,
        a: OperandSlot,
        b: OperandSlot,
        p: OperandSlot,
    },
    Select64 {
        d: OperandSlot,
        a: OperandSlot,
        b: OperandSlot,
        p: OperandSlot,
    },
    SelectSign {
        d: RegisterOperand,
        a: OperandSlot,
        b: OperandSlot,
        c: OperandSlot,
        sign: SelectCondition,
    },
    /// Logic operation on two predicates. Bit `2 * a + b` of the truth table is the result.
    PredicateLogic {
        table: u8,
        d: OperandSlot,
        a: OperandSlot,
        b: OperandSlot,
    },
    /// Applies source modifiers: negation, bitwise inversion or magnitude.
    Modify {
        modifiers: SourceModifiers,
        ty: ScalarType,
        d: RegisterOperand,
        a: RegisterOperand,
    },
    /// Rounds an address down to a multiple of the access size.
    AlignDown {
        d: RegisterOperand,
        a: RegisterOperand,
        bytes: u32,
    },
    /// Computes the address `(base << scale) + uniform`, which has more components than a base and an offset.
    AddressSum {
        d: RegisterOperand,
        base: RegisterOperand,
        scale: u8,
        uniform: RegisterOperand,
    },
    Load(PlanId<AccessPlan>),
    Store(PlanId<AccessPlan>),
    Atomic(PlanId<AtomicPlan>),
    Nop,
    Policy {
        d: OperandSlot,
    },
    Branch {
        target: u32,
    },
    BranchIndexed {
        index: OperandSlot,
        table: PlanId<Vec<u32>>,
    },
    Call(PlanId<CallPlan>),
    SystemCall(PlanId<DriverCallPlan>),
    Return,
    Exit,
    Trap,
    Barrier(PlanId<BarrierPlan>),
    /// Fence. Steps execute sequentially, so a fence has no effect on the state. The interpreter only reports it to
    /// observers.
    Fence,
    /// `barrier.cluster.arrive`
    ClusterArrive,
    /// `barrier.cluster.wait`
    ClusterWait,
    Mbarrier(PlanId<MbarrierPlan>),
    /// Returns the pending arrival count that an mbarrier state contains.
    PendingCount {
        d: OperandSlot,
        a: OperandSlot,
    },
    /// Issues an asynchronous operation.
    StartAsync(PlanId<AsyncPlan>),
    /// Issues a tensor copy.
    TensorCopy(PlanId<TensorCopyPlan>),
    /// Operation on the stack of each lane.
    Stack(PlanId<StackPlan>),
    /// Cluster launch control operation, which requests a cancellation or decodes the response.
    Launch(PlanId<ClusterLaunchPlan>),
    /// Operation on tensor memory.
    TensorMemory(PlanId<TensorMemoryPlan>),
    /// Modifies a tensor map.
    TensorMap(PlanId<TensorMapPlan>),
    /// Accesses a texture or surface, or queries its properties.
    Image(PlanId<ImagePlan>),
    AsyncCommit(AsyncGroupKind),
    /// Accesses a multicast address.
    Multimem(PlanId<MultimemPlan>),
    /// Checks whether the next instruction accesses registers of a pending `wgmma`.
    CheckInFlight(PlanId<TouchedRegisters>),
    AsyncWait(GroupWait),
    /// `st.bulk`
    BulkFill(PlanId<BulkFillPlan>),
    /// `mapa`
    MapToRank {
        d: RegisterOperand,
        a: RegisterOperand,
        b: OperandSlot,
        generic: bool,
    },
    /// `getctarank`
    RankOf {
        d: RegisterOperand,
        a: RegisterOperand,
        generic: bool,
    },
    WarpBarrier {
        mask: OperandSlot,
    },
    Collective(PlanId<CollectivePlan>),
    Matrix(PlanId<MatrixPlan>),
    /// Asynchronous matrix multiplication of a warpgroup.
    Warpgroup(PlanId<WarpMmaPlan>),
    ActiveMask {
        d: OperandSlot,
    },
    Yield,
    /// SASS operation without an equivalent PTX instruction.
    Machine(PlanId<SassPlan>),
    /// `BSYNC`: waits for the lanes of the member mask in a barrier register.
    Reconverge {
        mask: OperandSlot,
    },
    /// `BSYNC` of architectures that also have `BSYNC.RECONVERGENT`: waits for the lanes of the member mask in a
    /// barrier register, but the wait also ends when one of these lanes yields.
    ReconvergeUnlessYielded {
        mask: OperandSlot,
    },
    /// `YIELD`: releases the lanes that wait in [`DecodedOp::ReconvergeUnlessYielded`].
    YieldConvergence,
    /// `BREAK`: removes the active lanes from the member mask in a barrier register.
    BreakConvergence {
        mask: OperandSlot,
    },
    /// Branches to the code address in a register.
    BranchIndirect {
        a: RegisterOperand,
    },
    /// Branches if some lanes of the member mask in a register have diverged.
    BranchDivergent {
        mask: OperandSlot,
        target: u32,
    },
    Unsupported(PlanId<UnsupportedReason>),
}

/// Expands to the frequent operations that modify only registers, which
/// [`compute`](crate::exec::arithmetic::alu::compute) executes directly.
macro_rules! hot_alu_ops {
    () => {
        DecodedOp::Int32 { .. }
            | DecodedOp::Int64 { .. }
            | DecodedOp::Wide32 { .. }
            | DecodedOp::Float32 { .. }
            | DecodedOp::Float64 { .. }
            | DecodedOp::Mov32 { .. }
            | DecodedOp::Mov64 { .. }
            | DecodedOp::SetPredicate { .. }
            | DecodedOp::Extend32 { .. }
            | DecodedOp::Truncate64 { .. }
            | DecodedOp::Select32 { .. }
            | DecodedOp::Shift64 { .. }
            | DecodedOp::Nop
    };
}

/// Expands to the less frequent operations that modify only registers, which `compute_more` executes.
macro_rules! cold_alu_ops {
    () => {
        DecodedOp::Int16 { .. }
            | DecodedOp::Int16x2 { .. }
            | DecodedOp::Int8x4 { .. }
            | DecodedOp::Extract64 { .. }
            | DecodedOp::Count64 { .. }
            | DecodedOp::Insert32(_)
            | DecodedOp::Insert64(_)
            | DecodedOp::Wide16 { .. }
            | DecodedOp::Float32x2 { .. }
            | DecodedOp::Half { .. }
            | DecodedOp::Video(_)
            | DecodedOp::Carry32 { .. }
            | DecodedOp::Carry64 { .. }
            | DecodedOp::Mov128 { .. }
            | DecodedOp::MovPredicate { .. }
            | DecodedOp::Pack { .. }
            | DecodedOp::Unpack { .. }
            | DecodedOp::Convert { .. }
            | DecodedOp::ConvertPacked { .. }
            | DecodedOp::ConvertBy { .. }
            | DecodedOp::Offset { .. }
            | DecodedOp::Set { .. }
            | DecodedOp::TestFloat { .. }
            | DecodedOp::Select64 { .. }
            | DecodedOp::SelectSign { .. }
            | DecodedOp::PredicateLogic { .. }
            | DecodedOp::Modify { .. }
            | DecodedOp::AddressSum { .. }
            | DecodedOp::AlignDown { .. }
            | DecodedOp::Policy { .. }
            | DecodedOp::ActiveMask { .. }
            | DecodedOp::Machine(_)
    };
}

/// Expands to the operations that access memory or other warps, or that modify the control flow. The step loop and
/// [`dispatch`](crate::exec::dispatch::dispatch) execute them.
macro_rules! side_effect_ops {
    () => {
        DecodedOp::Load(_)
            | DecodedOp::Store(_)
            | DecodedOp::Branch { .. }
            | DecodedOp::Atomic(_)
            | DecodedOp::IsSpace { .. }
            | DecodedOp::BranchIndexed { .. }
            | DecodedOp::Call(_)
            | DecodedOp::SystemCall(_)
            | DecodedOp::Return
            | DecodedOp::Exit
            | DecodedOp::Barrier(_)
            | DecodedOp::Fence
            | DecodedOp::ClusterArrive
            | DecodedOp::PendingCount { .. }
            | DecodedOp::StartAsync(_)
            | DecodedOp::TensorCopy(_)
            | DecodedOp::TensorMap(_)
            | DecodedOp::Stack(_)
            | DecodedOp::Launch(_)
            | DecodedOp::Image(_)
            | DecodedOp::AsyncCommit(_)
            | DecodedOp::CheckInFlight(_)
            | DecodedOp::Multimem(_)
            | DecodedOp::BulkFill(_)
            | DecodedOp::MapToRank { .. }
            | DecodedOp::RankOf { .. }
            | DecodedOp::Yield
            | DecodedOp::Trap
            | DecodedOp::YieldConvergence
            | DecodedOp::BreakConvergence { .. }
            | DecodedOp::BranchIndirect { .. }
            | DecodedOp::BranchDivergent { .. }
            | DecodedOp::Unsupported(_)
    };
}

/// Expands to the operations that may have to wait for other lanes, warps or asynchronous operations before they
/// execute.
macro_rules! blocking_ops {
    () => {
        DecodedOp::Collective(_)
            | DecodedOp::Matrix(_)
            | DecodedOp::Warpgroup(_)
            | DecodedOp::TensorMemory(_)
            | DecodedOp::WarpBarrier { .. }
            | DecodedOp::Reconverge { .. }
            | DecodedOp::ReconvergeUnlessYielded { .. }
            | DecodedOp::ClusterWait
            | DecodedOp::Mbarrier(_)
            | DecodedOp::AsyncWait(_)
    };
}

pub(crate) use {blocking_ops, cold_alu_ops, hot_alu_ops, side_effect_ops};
