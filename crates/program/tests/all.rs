//! Tests of control-flow graphs, register accesses and live ranges of functions that the PTX front end has checked.
#![expect(clippy::expect_used, reason = "a failed assumption fails the test")]

use expect_test::{Expect, expect};
use std::fmt::Write;
use warpgrid_program::{FrontEnd, Function, Liveness, Overrides, Program, RegisterId};
use warpgrid_ptx::Ptx;

/// Checks a kernel with this body, and returns its program.
fn program(body: &str) -> Program {
    let source = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n\
         .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<3>;\n{body}\n}}\n"
    );
    let checked = Ptx.check(&source, &Overrides::default());
    checked.program.expect("the kernel is accepted")
}

fn kernel(program: &Program) -> &Function {
    program.entries().next().expect("the module has a kernel").1
}

fn names(function: &Function, registers: &[RegisterId]) -> String {
    let names = registers
        .iter()
        .map(|register| function.registers.name(*register));
    names.collect::<Vec<_>>().join(" ")
}

/// Compares the basic blocks of a kernel with `expected`: for each instruction, the registers that it writes and reads, and the
/// registers that are live after it.
fn check_blocks(body: &str, expected: &Expect) {
    let program = program(body);
    let function = kernel(&program);
    let blocks = program.basic_blocks(function);
    let liveness = Liveness::of(function, &blocks, &[], |_| Vec::new());
    let mut text = String::new();
    for (index, block) in blocks.iter().enumerate() {
        let _ = writeln!(text, "block {index} -> {:?}", block.successors);
        for at in block.range.clone() {
            let instruction = &function.instructions[at];
            let live = liveness.after(index, at);
            let all = (0..function.registers.len() as u32).map(RegisterId);
            let live: Vec<RegisterId> = all.filter(|register| live.contains(*register)).collect();
            let _ = writeln!(
                text,
                "  writes [{}], reads [{}], live after [{}]",
                names(function, &function.destinations(instruction)),
                names(function, &function.sources(instruction)),
                names(function, &live),
            );
        }
    }
    expected.assert_eq(&text);
}

#[test]
fn loop_counter_and_bound_stay_live_across_back_edge() {
    check_blocks(
        "mov.u32 %r1, 0; mov.u32 %r2, 8;
         again: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r2; @%p1 bra again;
         mov.u32 %r3, %r1; ret;",
        &expect![[r#"
            block 0 -> [1]
              writes [%r1], reads [], live after [%r1]
              writes [%r2], reads [], live after [%r1 %r2]
            block 1 -> [1, 2]
              writes [%r1], reads [%r1], live after [%r1 %r2]
              writes [%p1], reads [%r1 %r2], live after [%r1 %r2 %p1]
              writes [], reads [%p1], live after [%r1 %r2]
            block 2 -> []
              writes [%r3], reads [%r1], live after []
              writes [], reads [], live after []
            block 3 -> []
              writes [], reads [], live after []
        "#]],
    );
}

#[test]
fn predicated_write_does_not_end_live_range() {
    check_blocks(
        "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, 5; @%p1 mov.u32 %r2, 7;
         ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], %r2; ret;",
        &expect![[r#"
            block 0 -> []
              writes [%r1], reads [], live after [%r1]
              writes [%p1], reads [%r1], live after [%p1]
              writes [%r2], reads [], live after [%p1 %r2]
              writes [%r2], reads [%p1], live after [%r2]
              writes [%rd1], reads [], live after [%r2 %rd1]
              writes [], reads [%rd1 %r2], live after []
              writes [], reads [], live after []
            block 1 -> []
              writes [], reads [], live after []
        "#]],
    );
}

#[test]
fn conditional_branch_has_two_successors_and_ret_has_none() {
    check_blocks(
        "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; @%p1 bra other; mov.u32 %r2, 1; ret;
         other: mov.u32 %r2, 2; bra end; end: ret;",
        &expect![[r#"
            block 0 -> [2, 1]
              writes [%r1], reads [], live after [%r1]
              writes [%p1], reads [%r1], live after [%p1]
              writes [], reads [%p1], live after []
            block 1 -> []
              writes [%r2], reads [], live after []
              writes [], reads [], live after []
            block 2 -> [3]
              writes [%r2], reads [], live after []
              writes [], reads [], live after []
            block 3 -> []
              writes [], reads [], live after []
            block 4 -> []
              writes [], reads [], live after []
        "#]],
    );
}

#[test]
fn vector_and_address_operands_access_all_registers() {
    check_blocks(
        "ld.param.u64 %rd1, [out]; ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];
         setp.lt.u32 %p1|%p2, %r1, %r2; @%p2 st.global.v2.u32 [%rd1+16], {%r3, %r4}; ret;",
        &expect![[r#"
            block 0 -> []
              writes [%rd1], reads [], live after [%rd1]
              writes [%r1 %r2 %r3 %r4], reads [%rd1], live after [%rd1 %r1 %r2 %r3 %r4]
              writes [%p1 %p2], reads [%r1 %r2], live after [%rd1 %r3 %r4 %p2]
              writes [], reads [%p2 %rd1 %r3 %r4], live after []
              writes [], reads [], live after []
            block 1 -> []
              writes [], reads [], live after []
        "#]],
    );
}

#[test]
fn read_of_possibly_unwritten_register_is_detected() {
    for (body, expected) in [
        ("mov.u32 %r1, 3; mov.u32 %r2, %r1; ret;", false),
        ("mov.u32 %r2, %r1; ret;", true),
        (
            "mov.u32 %r0, %tid.x; setp.eq.u32 %p1, %r0, 0; @%p1 bra end; mov.u32 %r1, 3; end: mov.u32 %r2, %r1; ret;",
            true,
        ),
        // The write is predicated off in some lanes.
        (
            "mov.u32 %r0, %tid.x; setp.eq.u32 %p1, %r0, 0; @%p1 mov.u32 %r1, 3; mov.u32 %r2, %r1; ret;",
            true,
        ),
    ] {
        let program = program(body);
        let found = program.reads_unwritten_register(kernel(&program));
        assert_eq!(found, expected, "{body}");
    }
}
