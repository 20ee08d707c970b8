//! Control flow (PTX ISA, "Control Flow Instructions", "Miscellaneous Instructions").

use super::sets::{form, types};
use crate::does::{ControlOp, HintOp};
use crate::form::{Form, Gate, OperandType};

types!(U32_ONLY, "type", U32);

const TARGET: &[(&str, OperandType)] = &[("tgt", OperandType::Label)];
const TABLE: &[(&str, OperandType)] = &[
    ("index", OperandType::Custom),
    ("tlist", OperandType::Label),
];
const CALLEE: &[(&str, OperandType)] = &[("func", OperandType::Custom)];
const NUMBER: &[(&str, OperandType)] = &[("a", OperandType::Bits(32))];

/// The forms of control flow.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("bra{.uni} tgt", [], Control(ControlOp::Branch), "Goes to a label; `.uni` promises that all lanes go together.", "control-flow-instructions-bra", types: TARGET, good: &["bra L;", "bra.uni L;"], bad: &[("bra M;", "W0113"), ("bra 5;", "W0110")]),
    form!("brx.idx{.uni} index, tlist", [], Control(ControlOp::BranchIndexed), "Goes to the label with this number of a list.", "control-flow-instructions-brx-idx", types: TABLE, gate: Gate::ptx(6, 0).sm(30)),
    form!("call{.uni} func", [], Control(ControlOp::Call), "Calls a function.", "control-flow-instructions-call", types: CALLEE),
    form!("ret{.uni}", [], Control(ControlOp::Return), "Returns from the function, or ends the lane in a kernel.", "control-flow-instructions-ret", good: &["ret;", "ret.uni;"]),
    form!("exit", [], Control(ControlOp::Exit), "Ends the lane.", "control-flow-instructions-exit", good: &["exit;"]),
    form!("trap", [], Control(ControlOp::Trap), "Stops the launch with a fault.", "miscellaneous-instructions-trap", good: &["trap;"]),
    form!("brkpt", [], Control(ControlOp::Breakpoint), "Stops for a debugger.", "miscellaneous-instructions-brkpt", good: &["brkpt;"]),
    form!("nanosleep.type a", [U32_ONLY], Hint(HintOp::Nanosleep), "Waits for about so many nanoseconds.", "miscellaneous-instructions-nanosleep", gate: Gate::ptx(6, 3).sm(70), good: &["nanosleep.u32 20;"]),
    form!("pmevent a", [], Hint(HintOp::Pmevent), "Triggers a performance event.", "miscellaneous-instructions-pmevent", types: NUMBER, good: &["pmevent 7;"]),
    form!("pmevent.mask a", [], Hint(HintOp::Pmevent), "Triggers several performance events.", "miscellaneous-instructions-pmevent", types: NUMBER, gate: Gate::ptx(3, 0).sm(20), good: &["pmevent.mask 7;"]),
];
