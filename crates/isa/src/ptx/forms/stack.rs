//! Stack allocation, and cancellation of clusters that have not been launched (PTX ISA, "alloca", "stacksave", "stackrestore",
//! "clusterlaunchcontrol").

use super::device_units::{BLACKWELL, MBARRIER};
use super::form_macros::{ALWAYS, form, operands, set, since, types};
use crate::form::{
    DeviceUnitOperand::{self, *},
    Form, Gate,
};
use crate::modifier::{BlockIndex::*, Flag::MulticastAll, VectorWidth::V4};
use crate::operation::{
    ClusterLaunchControlOp::*,
    DeviceUnitOp::{ClusterLaunchControl, Stack},
    StackOp::*,
};
use crate::space::StateSpace::Shared;
use crate::types::ScalarType;

const STACK: Gate = since(7, 3).sm(52).assembler("13.5");
const LAUNCHES: Gate = since(8, 6).sm(100).assembler("13.5");

types!(ADDRESSES, Type, U32 U64);
types!(ANSWER, AType, B128);
types!(ANSWERED, Type, B32);
types!(YES_OR_NO, Type, Pred);
set! { WHOLE: Query "block"; "get_first_ctaid", Block(Whole), ALWAYS, "returns the index of the first block in the grid and an unused fourth word"; }
set! { PART: Query "block";
    "get_first_ctaid::x", Block(X), ALWAYS, "returns the x component of the index of the first block";
    "get_first_ctaid::y", Block(Y), ALWAYS, "returns the y component of the index of the first block";
    "get_first_ctaid::z", Block(Z), ALWAYS, "returns the z component of the index of the first block";
}
set! { FOUR: Vector "vector width"; "v4", Vector(V4), ALWAYS, "four elements"; }
set! { IN_CTA: Space "state space"; "shared::cta", Space(Shared), ALWAYS, "uses `.shared::cta` addresses instead of generic addresses"; }
set! { TO_ALL: Multicast "multicast"; "multicast::cluster::all", Flag(MulticastAll), since(8, 6).on(BLACKWELL), "writes the response to shared memory of all blocks of the cluster"; }

operands! {
    SAVED: "a" Unit(DeviceUnitOperand::Register(Type));
    GIVEN: "align" Unit(Alignment);
    ASKED: "d" Slot(Type), "a" Fixed(ScalarType::B128);
    PICKED: "d" Slot(Type), "a" Unit(Packed);
    LISTED: "d" Elements(Type), "a" Fixed(ScalarType::B128);
}

const ALLOCATES: &str = "stack-manipulation-instructions-alloca";
const LAUNCH: &str =
    "parallel-synchronization-and-communication-instructions-clusterlaunchcontrol-query-cancel";

/// Instruction forms of stack allocation and cluster launch control.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("alloca.type d, size{, align}", [ADDRESSES], Unit(Stack(Allocate)), gate: STACK, types: GIVEN;
        "Allocates `size` bytes on the stack of the function and returns the address of the allocation in local memory.", ALLOCATES;
        accepted_examples: &["alloca.u64 d, 16;", "alloca.u64 d, d, 8;"], rejected_examples: &[("alloca.u64 d, 16, 12;", "W0110"), ("alloca.u64 r, 16;", "W0109")]),
    form!("stacksave.type d", [ADDRESSES], Unit(Stack(Save)), gate: STACK;
        "Copies the stack pointer into a register.", "stack-manipulation-instructions-stacksave";
        accepted_examples: &["stacksave.u64 d;"], rejected_examples: &[("stacksave.u64 r;", "W0109")]),
    form!("stackrestore.type a", [ADDRESSES], Unit(Stack(Restore)), gate: STACK, types: SAVED;
        "Restores the stack pointer saved by `stacksave`.", "stack-manipulation-instructions-stackrestore";
        accepted_examples: &["stackrestore.u64 d;"], rejected_examples: &[("stackrestore.u64 7;", "W0110")]),
    form!("clusterlaunchcontrol.try_cancel.async{.ss}.completion_mechanism{.multicast}.atype [a], [mbar]", [IN_CTA, MBARRIER, TO_ALL, ANSWER],
        Unit(ClusterLaunchControl(TryCancel)), gate: LAUNCHES, n_name_modifiers: 2, address: Strict;
        "Requests the cancellation of a block that has not been launched, so that the executing block can take over the work of that block. The response is written to shared memory.",
        "parallel-synchronization-and-communication-instructions-clusterlaunchcontrol-try-cancel";
        accepted_examples: &["clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [d], [d];"],
        rejected_examples: &[("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b64 [d], [d];", "W0104")]),
    form!("clusterlaunchcontrol.query_cancel.is_canceled.type.atype d, a", [YES_OR_NO, ANSWER], Unit(ClusterLaunchControl(IsCanceled)), gate: LAUNCHES, n_name_modifiers: 1, types: ASKED;
        "Tests whether a request of `clusterlaunchcontrol.try_cancel` was granted.", LAUNCH),
    form!("clusterlaunchcontrol.query_cancel.query.type.atype d, a", [PART, ANSWERED, ANSWER], Unit(ClusterLaunchControl(FirstBlock)), gate: LAUNCHES, n_name_modifiers: 1, types: PICKED;
        "Returns one component of the block index from a response of `clusterlaunchcontrol.try_cancel`.", LAUNCH),
    form!("clusterlaunchcontrol.query_cancel.query.vec.type.atype d, a", [WHOLE, FOUR, ANSWERED, ANSWER], Unit(ClusterLaunchControl(FirstBlock)), gate: LAUNCHES, n_name_modifiers: 1,
        types: LISTED;
        "Returns the block index from a response of `clusterlaunchcontrol.try_cancel`.", LAUNCH),
];
