//! Tests of the registers that lowered instructions read and write.

use warpgrid_isa::{ControlOp, Operation};
use warpgrid_program::{FrontEnd, Overrides};
use warpgrid_ptx::Ptx;

#[test]
fn indirect_call_reads_target_register() {
    let source = "
        .version 8.0
        .target sm_80
        .address_size 64
        .func f() { ret; }
        .entry k() {
            .reg .b64 %target;
            mov.b64 %target, f;
            prototype: .callprototype _ ();
            call %target, prototype;
            ret;
        }";
    let checked = Ptx.check(source, &Overrides::default());
    let program = checked.program.expect("a program");
    let (_, function) = program.entries().next().expect("a kernel");
    let call = function.instructions.iter().find(|instruction| {
        let action = program.opcode(instruction);
        action.is_some_and(|action| matches!(action.operation, Operation::Control(ControlOp::Call)))
    });
    let read = function.sources(call.expect("a call"));
    let names: Vec<&str> = read.iter().map(|id| function.registers.name(*id)).collect();
    assert_eq!(names, ["%target"]);
}
