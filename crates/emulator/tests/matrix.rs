//! Matrices that are spread over the lanes of a warp.

mod common;

use common::*;
use warpgrid_isa::*;

#[test]
fn movmatrix_gives_each_lane_two_neighbours_of_a_column() {
    let mut k = Kernel::new();
    let b32 = ScalarType::B32;
    let out = k.buffer("out", zeros(32));
    let i = global_index(&mut k);
    let address = k.element(out, reg(i), 4);
    // Elements are numbered row by row: lane `i` holds elements 2i and 2i + 1.
    let both = k.arith(ArithmeticOp::Mul, ScalarType::U32, &[reg(i), imm(0x2_0002)]);
    let both = k.arith(
        ArithmeticOp::Add,
        ScalarType::U32,
        &[reg(both), imm(0x1_0000)],
    );
    let d = k.register(b32);
    let does = Does::Warp(WarpOp::Movmatrix);
    k.op(
        does,
        typed(ScalarType::B16),
        &[to(d), Arg::One(value(reg(both)))],
    );
    k.store(StateSpace::Global, b32, address, reg(d));
    k.control(ControlOp::Return);
    let mut machine = k.launch([1, 1, 1], [32, 1, 1]);
    machine.run(1000);
    for (lane, word) in words(&machine, 0).into_iter().enumerate() {
        let number = |column: usize| (8 * column + lane / 4) as u32;
        let first = lane % 4 * 2;
        assert_eq!(word, number(first) | number(first + 1) << 16, "lane {lane}");
    }
}
