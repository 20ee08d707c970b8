//! Benchmark of the interpreter on one core: lane-instructions per second for saxpy and a tiled matrix multiplication.
//! `cargo run --release -p warpgrid-emulator --example lane_bench`
#![expect(
    clippy::print_stdout,
    reason = "the benchmark prints its results to standard output"
)]

#[path = "../tests/common/mod.rs"]
mod common;

use common::{Calc, Kernel, at, base_of, imm, imm_f32, mad, mul, reg, special, zeros};
use std::time::Instant;
use warpgrid_emulator::{Machine, MachineStatus};
use warpgrid_isa::{ArithmeticOp, CompareOp, MulPart, Rounding, ScalarType, StateSpace};
use warpgrid_program::RegisterId;

fn measure(name: &str, make: impl Fn() -> Machine) {
    // The arguments `kinds ld.` restrict the measurement to the benchmarks whose names start with `ld.`.
    if std::env::args()
        .nth(2)
        .is_some_and(|only| !name.starts_with(&only))
    {
        return;
    }
    let mut best = f64::MAX;
    let mut steps = 0;
    for _ in 0..rounds() {
        let mut machine = make();
        let start = Instant::now();
        let status = machine.run(u64::MAX);
        let seconds = start.elapsed().as_secs_f64();
        assert_eq!(status, MachineStatus::Finished, "{:?}", machine.fault());
        best = best.min(seconds);
        steps = machine.position();
    }
    let rate = steps as f64 * 32.0 / best / 1e6;
    println!(
        "{name:24} {steps:10} steps {best:8.4} s {rate:8.1} M lane-instructions/s {:6.1} ns/step",
        best * 1e9 / steps as f64
    );
}

/// Returns the number of measurements per benchmark, which is the last argument: `kinds ld. 3` measures three times.
fn rounds() -> u32 {
    let given = std::env::args().nth(3);
    given.and_then(|n| n.parse().ok()).unwrap_or(60)
}

/// Measures a loop of one kind of instruction on one warp.
fn one_kind(name: &str, emit: impl Fn(&mut Kernel, [RegisterId; 4])) {
    measure(name, || {
        let mut k = Kernel::new();
        let u32t = ScalarType::U32;
        let buffer = k.buffer("data", zeros(4096));
        let tid = k.mov(u32t, special("%tid.x"));
        let x = k.mov(ScalarType::F32, imm_f32(1.0));
        let address = k.element(buffer, reg(tid), 4);
        let address = base_of(address);
        k.shared(4096, 16);
        let shared = k.arith(mul(MulPart::Lo), u32t, &[reg(tid), imm(8)]);
        let i = k.mov(u32t, imm(0));
        let head = k.label();
        k.here(head);
        for _ in 0..64 {
            emit(&mut k, [tid, x, address, shared]);
        }
        k.arith_to(i, ArithmeticOp::Add, u32t, &[reg(i), imm(1)]);
        let more = k.setp(CompareOp::Lt, u32t, reg(i), imm(3000));
        k.when(more, false).bra(head);
        k.launch([1, 1, 1], [32, 1, 1])
    });
}

fn kinds() {
    let u32t = ScalarType::U32;
    one_kind("add.u32", |k, [tid, ..]| {
        k.arith(ArithmeticOp::Add, u32t, &[reg(tid), imm(3)]);
    });
    one_kind("mad.lo.u32", |k, [tid, ..]| {
        k.arith(mad(MulPart::Lo), u32t, &[reg(tid), imm(3), reg(tid)]);
    });
    one_kind("mul.wide.u32", |k, [tid, ..]| {
        k.arith(mul(MulPart::Wide), u32t, &[reg(tid), imm(3)]);
    });
    one_kind("add.u64", |k, [_, _, address, _]| {
        k.arith(ArithmeticOp::Add, ScalarType::U64, &[reg(address), imm(3)]);
    });
    one_kind("setp.lt.u32", |k, [tid, ..]| {
        k.setp(CompareOp::Lt, u32t, reg(tid), imm(7));
    });
    one_kind("fma.rn.f32", |k, [_, x, ..]| {
        let fma = Calc::from(ArithmeticOp::Fma).round(Rounding::Rn);
        k.arith(fma, ScalarType::F32, &[reg(x), imm_f32(3.0), reg(x)]);
    });
    one_kind("add.f32", |k, [_, x, ..]| {
        k.arith(ArithmeticOp::Add, ScalarType::F32, &[reg(x), reg(x)]);
    });
    for (name, op, ty) in [
        ("ex2.approx.f32", ArithmeticOp::Ex2, ScalarType::F32),
        ("lg2.approx.f32", ArithmeticOp::Lg2, ScalarType::F32),
        ("sin.approx.f32", ArithmeticOp::Sin, ScalarType::F32),
        ("tanh.approx.f32", ArithmeticOp::Tanh, ScalarType::F32),
        ("rcp.approx.f32", ArithmeticOp::Rcp, ScalarType::F32),
        ("rsqrt.approx.f32", ArithmeticOp::Rsqrt, ScalarType::F32),
    ] {
        one_kind(name, |k, [_, x, ..]| {
            k.arith(Calc::from(op).round(Rounding::Approx), ty, &[reg(x)]);
        });
    }
    let f64t = ScalarType::F64;
    for (name, op, n) in [
        ("add.rn.f64", ArithmeticOp::Add, 2),
        ("div.rn.f64", ArithmeticOp::Div, 2),
        ("fma.rn.f64", ArithmeticOp::Fma, 3),
    ] {
        one_kind(name, |k, [_, _, address, _]| {
            let calc = Calc::from(op).round(Rounding::Rn);
            k.arith(calc, f64t, &vec![reg(address); n]);
        });
    }
    one_kind("ld.global contiguous", |k, [_, _, address, _]| {
        k.load(StateSpace::Global, u32t, at(address, 0));
    });
    one_kind("ld.shared strided", |k, [_, _, _, shared]| {
        k.load(StateSpace::Shared, u32t, at(shared, 0));
    });
    one_kind("st.global contiguous", |k, [_, x, address, _]| {
        k.store(StateSpace::Global, u32t, at(address, 0), reg(x));
    });
    one_kind("st.shared strided", |k, [_, x, _, shared]| {
        k.store(StateSpace::Shared, u32t, at(shared, 0), reg(x));
    });
}

fn main() {
    if std::env::args().any(|a| a == "kinds") {
        kinds();
    }
    measure("saxpy 128 Ki", || {
        common::saxpy(1 << 17).launch([512, 1, 1], [256, 1, 1])
    });
    measure("matmul_tiled 96", || {
        common::matmul_tiled(96).launch([6, 6, 1], [16, 16, 1])
    });
}
