//! Decoded operations, and their classes, which determine the function that executes them. A new operation requires a
//! variant and an entry in one of the classes.

use crate::code::held::Touched;
use crate::code::matrix_plan::MatrixPlan;
use crate::code::plans::PlanId;
use crate::code::tensor_memory::TensorMemoryPlan;
use crate::code::warp_product::WarpProductPlan;
use crate::code::{
    AccessPlan, AsyncPlan, AtomicPlan, Bank, BarrierPlan, CallPlan, Collective, Combine,
    Comparison, Element, FillPlan, ImagePlan, LaunchPlan, MachinePlan, MbarrierPlan, MultimemPlan,
    Refused, SignOf, StackPlan, SystemPlan, TensorCopyPlan, TensorMapPlan, VideoPlan,
};
use crate::contract::pending::{GroupKind, GroupWait};
use crate::semantics::mode::{Conversion, FloatMode};
use crate::semantics::narrow::Beside;
use crate::semantics::ops::{
    CarryMode, CarryOp, CountOp, Float32Op, Float64Op, FloatOp, HalfOp, Int16Op, Int32Op, Int64Op,
    PackedOp, ShiftOp,
};
use crate::semantics::registers::Slot;
use warpgrid_isa::{FloatTest, ScalarType, Signedness, StateSpace};
use warpgrid_program::SourceModifiers;

/// Decoded operation. The variant determines the banks of its slots. The slots of arithmetic operations are the result,
/// a, b and c.
#[derive(Clone, Copy, Debug)]
#[allow(
    private_interfaces,
    reason = "other crates access plans only by identifier"
)]
pub enum Op {
    Int16 {
        f: Int16Op,
        sign: Signedness,
        slots: [Slot; 4],
    },
    Int32 {
        f: Int32Op,
        sign: Signedness,
        slots: [Slot; 4],
    },
    Int64 {
        f: Int64Op,
        sign: Signedness,
        slots: [Slot; 4],
    },
    /// Two packed 16-bit integers.
    Int16x2 {
        f: PackedOp,
        sign: Signedness,
        slots: [Slot; 3],
    },
    /// Four packed 8-bit integers.
    Int8x4 {
        f: PackedOp,
        sign: Signedness,
        slots: [Slot; 3],
    },
    /// b is 32 bits wide.
    Shift64 {
        f: ShiftOp,
        sign: Signedness,
        slots: [Slot; 3],
    },
    /// `bfe` on 64 bits. Position and length are 32 bits wide.
    Extract64 {
        sign: Signedness,
        slots: [Slot; 4],
    },
    /// The result is 32 bits wide, a is 64 bits wide.
    Count64 {
        f: CountOp,
        sign: Signedness,
        slots: [Slot; 2],
    },
    /// `bfi`: the slots are the result, a, b, position and length.
    Insert32([Slot; 5]),
    Insert64([Slot; 5]),
    /// Product of 32-bit factors with 64 bits, plus c if present.
    Wide32 {
        sign: Signedness,
        slots: [Slot; 4],
    },
    /// Product of 16-bit factors with 32 bits, plus c if present.
    Wide16 {
        sign: Signedness,
        slots: [Slot; 4],
    },
    Float32 {
        f: Float32Op,
        mode: FloatMode,
        slots: [Slot; 4],
    },
    Float64 {
        f: Float64Op,
        mode: FloatMode,
        slots: [Slot; 4],
    },
    /// Two `f32` in a 64-bit register.
    Float32x2 {
        f: FloatOp,
        mode: FloatMode,
        slots: [Slot; 4],
    },
    /// One or two 16-bit floats per register.
    Half {
        f: HalfOp,
        ty: ScalarType,
        mode: FloatMode,
        slots: [Slot; 4],
    },
    /// A video instruction.
    Video(PlanId<VideoPlan>),
    Carry32 {
        f: CarryOp,
        mode: CarryMode,
        slots: [Slot; 4],
    },
    Carry64 {
        f: CarryOp,
        mode: CarryMode,
        slots: [Slot; 4],
    },
    Mov32 {
        d: Slot,
        a: Slot,
    },
    Mov64 {
        d: Slot,
        a: Slot,
    },
    Mov128 {
        d: Slot,
        a: Slot,
    },
    MovPredicate {
        d: Slot,
        a: Slot,
    },
    Pack {
        d: Element,
        elements: PlanId<Vec<Element>>,
        element_bits: u8,
    },
    Unpack {
        a: Element,
        elements: PlanId<Vec<Element>>,
        element_bits: u8,
    },
    Convert {
        conversion: Conversion,
        d: Element,
        a: Element,
    },
    /// Sign-extends or zero-extends 32 to 64 bits.
    Extend32 {
        sign: Signedness,
        d: Slot,
        a: Slot,
    },
    /// Low half of a 64-bit value.
    Truncate64 {
        d: Slot,
        a: Slot,
    },
    ConvertPacked {
        conversion: Conversion,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    /// Converts two or four numbers, or a pair, with random bits or scale factors.
    ConvertBy {
        conversion: Conversion,
        d: Element,
        /// List of elements.
        sources: PlanId<Vec<Element>>,
        beside: Beside,
        by: Slot,
    },
    /// Adds a constant to an address: `cvta` in both directions.
    Offset {
        d: Element,
        a: Element,
        addend: u64,
    },
    IsSpace {
        space: StateSpace,
        d: Slot,
        a: Element,
    },
    SetPredicate {
        compare: Comparison,
        d: Slot,
        q: Slot,
        combine: Option<Combine>,
    },
    Set {
        compare: Comparison,
        to: ScalarType,
        d: Slot,
        combine: Option<Combine>,
    },
    TestFloat {
        test: FloatTest,
        /// Bank of a.
        bank: Bank,
        d: Slot,
        a: Slot,
    },
    Select32 {
        d: Slot,
        a: Slot,
        b: Slot,
        p: Slot,
    },
    Select64 {
        d: Slot,
        a: Slot,
        b: Slot,
        p: Slot,
    },
    SelectSign {
        d: Element,
        a: Slot,
        b: Slot,
        c: Slot,
        sign: SignOf,
    },
    /// Logic operation on two predicates. Bit `2 * a + b` of the table is the result.
    PredicateLogic {
        table: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    /// Negates, inverts or computes the magnitude of a source.
    Modify {
        modifiers: SourceModifiers,
        ty: ScalarType,
        d: Element,
        a: Element,
    },
    /// Rounds an address down to a multiple of the access size.
    AlignDown {
        d: Element,
        a: Element,
        bytes: u32,
    },
    /// `(base << scale) + uniform`: sum of an address with more components than a base and an offset.
    AddressSum {
        d: Element,
        base: Element,
        scale: u8,
        uniform: Element,
    },
    Load(PlanId<AccessPlan>),
    Store(PlanId<AccessPlan>),
    Atomic(PlanId<AtomicPlan>),
    Nop,
    Policy {
        d: Slot,
    },
    Branch {
        target: u32,
    },
    BranchIndexed {
        index: Slot,
        table: PlanId<Vec<u32>>,
    },
    Call(PlanId<CallPlan>),
    SystemCall(PlanId<SystemPlan>),
    Return,
    Exit,
    Trap,
    Barrier(PlanId<BarrierPlan>),
    /// Has no effect on the sequential execution of steps. Reported to observers.
    Fence,
    /// `barrier.cluster.arrive`
    ClusterArrive,
    /// `barrier.cluster.wait`
    ClusterWait,
    Mbarrier(PlanId<MbarrierPlan>),
    /// Pending arrival count in the state of an mbarrier.
    PendingCount {
        d: Slot,
        a: Slot,
    },
    /// Issues an asynchronous operation.
    StartAsync(PlanId<AsyncPlan>),
    /// Issues a tensor copy.
    TensorCopy(PlanId<TensorCopyPlan>),
    /// Operation on the stack of each lane.
    Stack(PlanId<StackPlan>),
    /// Cluster launch control: requests a cancellation, or decodes the response.
    Launch(PlanId<LaunchPlan>),
    /// Operation on tensor memory.
    TensorMemory(PlanId<TensorMemoryPlan>),
    /// Modifies a tensor map.
    TensorMap(PlanId<TensorMapPlan>),
    /// Accesses a texture or surface, or queries its properties.
    Image(PlanId<ImagePlan>),
    AsyncCommit(GroupKind),
    /// Accesses the memory of several devices.
    Multimem(PlanId<MultimemPlan>),
    /// Checks whether registers belong to a pending `wgmma`.
    Touch(PlanId<Touched>),
    AsyncWait(GroupWait),
    /// `st.bulk`
    Fill(PlanId<FillPlan>),
    /// `mapa`
    MapToRank {
        d: Element,
        a: Element,
        b: Slot,
        generic: bool,
    },
    /// `getctarank`
    RankOf {
        d: Element,
        a: Element,
        generic: bool,
    },
    WarpBarrier {
        mask: Slot,
    },
    Collective(PlanId<Collective>),
    Matrix(PlanId<MatrixPlan>),
    /// Asynchronous matrix multiplication of a warpgroup.
    Warpgroup(PlanId<WarpProductPlan>),
    ActiveMask {
        d: Slot,
    },
    Yield,
    /// SASS operation.
    Machine(PlanId<MachinePlan>),
    /// `BSYNC`: waits for the lanes of the mask in the register.
    Reconverge {
        mask: Slot,
    },
    /// `BSYNC` of architectures that also have `BSYNC.RECONVERGENT`: like [`Op::Reconverge`], until one of the lanes
    /// yields.
    ReconvergeUnlessYielded {
        mask: Slot,
    },
    /// `YIELD`: releases lanes that wait in [`Op::ReconvergeUnlessYielded`].
    GiveWay,
    /// `BREAK`: removes the lanes from the mask in the register.
    LeaveReconvergence {
        mask: Slot,
    },
    /// Branches to a code address.
    BranchIndirect {
        a: Element,
    },
    /// Branches if some lanes of the mask in the register have diverged.
    BranchDivergent {
        mask: Slot,
        target: u32,
    },
    Refused(PlanId<Refused>),
}

/// Frequent operations that modify only registers: [`compute`](crate::exec::arithmetic::compute::compute).
macro_rules! frequent {
    () => {
        Op::Int32 { .. }
            | Op::Int64 { .. }
            | Op::Wide32 { .. }
            | Op::Float32 { .. }
            | Op::Float64 { .. }
            | Op::Mov32 { .. }
            | Op::Mov64 { .. }
            | Op::SetPredicate { .. }
            | Op::Extend32 { .. }
            | Op::Truncate64 { .. }
            | Op::Select32 { .. }
            | Op::Shift64 { .. }
            | Op::Nop
    };
}

/// Less frequent operations that modify only registers: `compute_more`.
macro_rules! infrequent {
    () => {
        Op::Int16 { .. }
            | Op::Int16x2 { .. }
            | Op::Int8x4 { .. }
            | Op::Extract64 { .. }
            | Op::Count64 { .. }
            | Op::Insert32(_)
            | Op::Insert64(_)
            | Op::Wide16 { .. }
            | Op::Float32x2 { .. }
            | Op::Half { .. }
            | Op::Video(_)
            | Op::Carry32 { .. }
            | Op::Carry64 { .. }
            | Op::Mov128 { .. }
            | Op::MovPredicate { .. }
            | Op::Pack { .. }
            | Op::Unpack { .. }
            | Op::Convert { .. }
            | Op::ConvertPacked { .. }
            | Op::ConvertBy { .. }
            | Op::Offset { .. }
            | Op::Set { .. }
            | Op::TestFloat { .. }
            | Op::Select64 { .. }
            | Op::SelectSign { .. }
            | Op::PredicateLogic { .. }
            | Op::Modify { .. }
            | Op::AddressSum { .. }
            | Op::AlignDown { .. }
            | Op::Policy { .. }
            | Op::ActiveMask { .. }
            | Op::Machine(_)
    };
}

/// Operations that access memory or other warps, or modify the control flow. Executed by the step loop and
/// [`dispatch`](crate::exec::dispatch::dispatch).
macro_rules! beyond_registers {
    () => {
        Op::Load(_)
            | Op::Store(_)
            | Op::Branch { .. }
            | Op::Atomic(_)
            | Op::IsSpace { .. }
            | Op::BranchIndexed { .. }
            | Op::Call(_)
            | Op::SystemCall(_)
            | Op::Return
            | Op::Exit
            | Op::Barrier(_)
            | Op::Fence
            | Op::ClusterArrive
            | Op::PendingCount { .. }
            | Op::StartAsync(_)
            | Op::TensorCopy(_)
            | Op::TensorMap(_)
            | Op::Stack(_)
            | Op::Launch(_)
            | Op::Image(_)
            | Op::AsyncCommit(_)
            | Op::Touch(_)
            | Op::Multimem(_)
            | Op::Fill(_)
            | Op::MapToRank { .. }
            | Op::RankOf { .. }
            | Op::Yield
            | Op::Trap
            | Op::GiveWay
            | Op::LeaveReconvergence { .. }
            | Op::BranchIndirect { .. }
            | Op::BranchDivergent { .. }
            | Op::Refused(_)
    };
}

/// Operations that may wait for other lanes, warps or asynchronous operations before they are executed.
macro_rules! waiting {
    () => {
        Op::Collective(_)
            | Op::Matrix(_)
            | Op::Warpgroup(_)
            | Op::TensorMemory(_)
            | Op::WarpBarrier { .. }
            | Op::Reconverge { .. }
            | Op::ReconvergeUnlessYielded { .. }
            | Op::ClusterWait
            | Op::Mbarrier(_)
            | Op::AsyncWait(_)
    };
}

pub(crate) use {beyond_registers, frequent, infrequent, waiting};
