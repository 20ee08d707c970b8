//! The decoded operation, and the classes that say which function executes it: a new one is a member and a word in one
//! of the classes.

use crate::code::held::Touched;
use crate::code::matrix_plan::MatrixPlan;
use crate::code::plans::PlanId;
use crate::code::tensor_memory::TensorMemoryPlan;
use crate::code::warp_product::WarpProductPlan;
use crate::code::{
    AccessPlan, AsyncPlan, AtomicPlan, Bank, BarrierPlan, CallPlan, Collective, Combine,
    Comparison, Element, FillPlan, GroupWait, ImagePlan, LaunchPlan, MachinePlan, MbarrierPlan,
    MultimemPlan, Refused, SignOf, StackPlan, SystemPlan, TensorCopyPlan, TensorMapPlan, VideoPlan,
};
use crate::contract::pending::GroupKind;
use crate::semantics::mode::{Conversion, FloatMode};
use crate::semantics::narrow::Beside;
use crate::semantics::ops::{
    CarryMode, CarryOp, CountOp, Float32Op, Float64Op, FloatOp, HalfOp, Int16Op, Int32Op, Int64Op,
    PackedOp, ShiftOp,
};
use crate::semantics::registers::Slot;
use warpgrid_isa::{FloatTest, ScalarType, Signedness, StateSpace};
use warpgrid_program::SourceModifiers;

/// The decoded operation. Slots are in the bank that the variant says; arithmetic has its result first,
/// then a, b and c.
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
    /// Two 16-bit integers in a register.
    Int16x2 {
        f: PackedOp,
        sign: Signedness,
        slots: [Slot; 3],
    },
    /// Four 8-bit integers in a register.
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
    /// `bfe` on 64 bits: position and length are 32 bits wide.
    Extract64 {
        sign: Signedness,
        slots: [Slot; 4],
    },
    /// The result is 32 bits wide, a 64.
    Count64 {
        f: CountOp,
        sign: Signedness,
        slots: [Slot; 2],
    },
    /// `bfi`: a into b at c, as many bits as the last says.
    Insert32([Slot; 5]),
    Insert64([Slot; 5]),
    /// 32 by 32 to 64 bits, plus c when it is there.
    Wide32 {
        sign: Signedness,
        slots: [Slot; 4],
    },
    /// 16 by 16 to 32 bits, plus c when it is there.
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
    /// Two f32 in a 64-bit register.
    Float32x2 {
        f: FloatOp,
        mode: FloatMode,
        slots: [Slot; 4],
    },
    /// 16-bit floats, one or two a register.
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
    /// Signed or unsigned 32 to 64 bits.
    Extend32 {
        sign: Signedness,
        d: Slot,
        a: Slot,
    },
    /// The low half.
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
    /// Two or four numbers, or a pair, by random bits or factors.
    ConvertBy {
        conversion: Conversion,
        d: Element,
        /// A list of elements.
        sources: PlanId<Vec<Element>>,
        beside: Beside,
        by: Slot,
    },
    /// Adds to an address: `cvta` and back.
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
        /// Of a.
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
    /// Logic on two predicates; bit `2 * a + b` of the table is the result.
    PredicateLogic {
        table: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    /// Negates, inverts or takes the magnitude of a source before it is read.
    Modify {
        modifiers: SourceModifiers,
        ty: ScalarType,
        d: Element,
        a: Element,
    },
    /// Rounds an address down to a multiple of an access's size.
    AlignDown {
        d: Element,
        a: Element,
        bytes: u32,
    },
    /// `(base << scale) + uniform`: the sum of an address that has more than a base and an offset.
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
    /// Orders nothing that steps in sequence do not, and is reported to observers.
    Fence,
    /// `barrier.cluster.arrive`
    ClusterArrive,
    /// `barrier.cluster.wait`
    ClusterWait,
    Mbarrier(PlanId<MbarrierPlan>),
    /// The pending arrivals in a state of an mbarrier.
    PendingCount {
        d: Slot,
        a: Slot,
    },
    /// Starts an operation that lands later.
    StartAsync(PlanId<AsyncPlan>),
    /// Starts a copy of a part of a tensor.
    TensorCopy(PlanId<TensorCopyPlan>),
    /// An operation on the stack of each lane.
    Stack(PlanId<StackPlan>),
    /// Asks for a cluster that has not started, or reads the answer.
    Launch(PlanId<LaunchPlan>),
    /// An operation on tensor memory.
    TensorMemory(PlanId<TensorMemoryPlan>),
    /// Changes a tensor map.
    TensorMap(PlanId<TensorMapPlan>),
    /// Reads or writes a texture or surface, or asks about it.
    Image(PlanId<ImagePlan>),
    AsyncCommit(GroupKind),
    /// Reads or writes memory of several devices.
    Multimem(PlanId<MultimemPlan>),
    /// Looks whether registers are those of a product in flight.
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
    /// A product of a warpgroup, which lands later.
    Warpgroup(PlanId<WarpProductPlan>),
    ActiveMask {
        d: Slot,
    },
    Yield,
    /// An operation of machine code.
    Machine(PlanId<MachinePlan>),
    /// `BSYNC`: waits for the lanes that the register names.
    Reconverge {
        mask: Slot,
    },
    /// `BSYNC` of machines that have `BSYNC.RECONVERGENT` too: the same, until one of the lanes gives way.
    ReconvergeUnlessYielded {
        mask: Slot,
    },
    /// `YIELD`: lanes that wait only until others give way go on.
    GiveWay,
    /// `BREAK`: takes the lanes out of the register.
    LeaveReconvergence {
        mask: Slot,
    },
    /// To the place with this address.
    BranchIndirect {
        a: Element,
    },
    /// Where some of the lanes that the register names are elsewhere.
    BranchDivergent {
        mask: Slot,
        target: u32,
    },
    Refused(PlanId<Refused>),
}

/// Operations that change registers alone and are frequent: [`compute`](crate::exec::arithmetic::compute::compute).
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

/// Operations that change registers alone and are less frequent: `compute_more`.
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

/// Operations that access memory or other warps, or change the control flow: the step loop and [`dispatch`](crate::exec::dispatch::dispatch).
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

/// Operations that may have to wait for others before they are executed: the waits.
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
