//! Control flow (PTX ISA, "Control Flow Instructions", "Miscellaneous Instructions").

use super::form_macros::{form, operands, since};
use super::modifier_sets::U32_ONLY;
use crate::form::{Form, OperandExtension};
use crate::operation::{ControlOp::*, HintOp::*};

operands! {
    TARGET: "tgt" Label;
    TABLE: "index" Bits(32), "tlist" Label;
    TIME: "a" Bits(32);
    CALLEE: "func" Custom("name of a function, or register that contains the address of a function");
    EVENT: "a" Number(Between(0, 15));
    EVENTS: "a" Number(Between(0, 65535));
}

/// Instruction forms of control flow.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("bra{.uni} tgt", [], Control(Branch), types: TARGET;
        "Branches to a label. `.uni` asserts that the branch is not divergent.", "control-flow-instructions-bra";
        accepted_examples: &["bra L;", "bra.uni L;"], rejected_examples: &[("bra M;", "W0113"), ("bra 5;", "W0110")]),
    form!("brx.idx{.uni} index, tlist", [], Control(BranchIndexed), gate: since(5, 1).sm(30).assembler("13.5"), n_name_modifiers: 1, types: TABLE;
        "Branches to the label that an index selects from a list of labels.", "control-flow-instructions-brx-idx"),
    form!("call{.uni} func", [], Control(Call), types: CALLEE, operand_extensions: &[OperandExtension::ParameterLists];
        "Calls a function.", "control-flow-instructions-call"),
    form!("ret{.uni}", [], Control(Return);
        "Returns from a function, or terminates the thread if executed in a kernel.", "control-flow-instructions-ret";
        accepted_examples: &["ret;", "ret.uni;"]),
    form!("exit", [], Control(Exit);
        "Terminates the thread.", "control-flow-instructions-exit";
        accepted_examples: &["exit;"]),
    form!("trap", [], Control(Trap);
        "Aborts the execution of the grid and generates an interrupt to the host.", "miscellaneous-instructions-trap";
        accepted_examples: &["trap;"]),
    form!("brkpt", [], Control(Breakpoint);
        "Suspends execution at a breakpoint for a debugger.", "miscellaneous-instructions-brkpt";
        accepted_examples: &["brkpt;"]),
    form!("nanosleep.type a", [U32_ONLY], Hint(Nanosleep), gate: since(6, 2).sm(70), types: TIME;
        "Suspends the thread for approximately `a` nanoseconds.", "miscellaneous-instructions-nanosleep";
        accepted_examples: &["nanosleep.u32 20;"]),
    form!("pmevent a", [], Hint(Pmevent), types: EVENT;
        "Triggers a performance monitor event.", "miscellaneous-instructions-pmevent";
        accepted_examples: &["pmevent 7;"]),
    form!("pmevent.mask a", [], Hint(Pmevent), gate: since(3, 0).sm(20), types: EVENTS;
        "Triggers several performance monitor events.", "miscellaneous-instructions-pmevent";
        accepted_examples: &["pmevent.mask 7;"]),
    form!("griddepcontrol.launch_dependents", [], Hint(GridDependency), gate: since(7, 8).sm(90);
        "Signals that dependent grids may be launched.", "parallel-synchronization-and-communication-instructions-griddepcontrol";
        accepted_examples: &["griddepcontrol.launch_dependents;"]),
    form!("griddepcontrol.wait", [], Hint(GridDependency), gate: since(7, 8).sm(90);
        "Waits for the completion of prerequisite grids.", "parallel-synchronization-and-communication-instructions-griddepcontrol";
        accepted_examples: &["griddepcontrol.wait;"], rejected_examples: &[("griddepcontrol.wait.rn;", "W0102")]),
];
