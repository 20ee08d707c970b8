//! Tests of names in nested scopes.

use warpgrid_program::Overrides;
use warpgrid_program::{Instruction, OperandValue, Program, Source};
use warpgrid_ptx::{check, parse};

fn program(body: &str) -> Program {
    let source = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{{\n{body}\nret;\n}}\n"
    );
    let checked = check(&source, &parse(&source), &Overrides::default());
    checked
        .program
        .unwrap_or_else(|| panic!("{:?}", checked.diagnostics))
}

/// Returns the registers that the moves of a kernel write and read.
fn moves(program: &Program) -> Vec<(u32, Option<u32>)> {
    let function = &program.functions[0];
    let registers = |instruction: &Instruction| {
        let [d, a] = function.operands_of(instruction.operands) else {
            return None;
        };
        let OperandValue::Destination(Some(d)) = d.value else {
            return None;
        };
        match a.value {
            OperandValue::Source(Source::Register(a), _) => Some((d.first.0, Some(a.first.0))),
            _ => Some((d.first.0, None)),
        }
    };
    function.instructions.iter().filter_map(registers).collect()
}

#[test]
fn outer_register_range_outlives_block_of_first_use() {
    let program =
        program(".reg .b32 %r<9>;\n{ { mov.u32 %r5, 7; } mov.u32 %r6, %r5; }\nmov.u32 %r7, %r6;");
    assert_eq!(moves(&program), [(0, None), (1, Some(0)), (2, Some(1))]);
}

#[test]
fn inner_register_range_ends_with_block() {
    let program = program(
        ".reg .b32 %r<9>;\nmov.u32 %r1, 1;\n{ .reg .b32 %r<9>; mov.u32 %r1, 2; }\nmov.u32 %r2, %r1;",
    );
    assert_eq!(moves(&program), [(0, None), (1, None), (2, Some(0))]);
}

#[test]
fn inner_register_shadows_outer_register_range() {
    let program = program(
        ".reg .b32 %r<9>;\n{ .reg .b32 %r1; mov.u32 %r1, 2; }\nmov.u32 %r1, 3;\nmov.u32 %r2, %r1;",
    );
    assert_eq!(moves(&program), [(0, None), (1, None), (2, Some(1))]);
}
