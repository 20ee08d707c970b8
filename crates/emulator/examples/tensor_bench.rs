//! Benchmark of MMA semantics: a 1024 x 1024 x 1024 matrix multiplication of `f16` in m16n16k16 tiles, by GPU
//! generation.

use std::io::Write;
use std::time::Instant;
use warpgrid_emulator::tensor::{
    BitOp, IntegerOverflow, MmaDescription, MmaInstruction, TensorCoreModel,
};
use warpgrid_isa::fragment::{Shape, TensorCoreGeneration};
use warpgrid_isa::{Rounding, ScalarType};

fn main() {
    let mut out = std::io::stdout().lock();
    for core in [
        TensorCoreGeneration::Volta,
        TensorCoreGeneration::Ampere,
        TensorCoreGeneration::Hopper,
    ] {
        let plan = TensorCoreModel::new(MmaDescription {
            core,
            op: MmaInstruction::Wmma,
            shape: Shape::new(16, 16, 16),
            a: ScalarType::F16,
            b: ScalarType::F16,
            c: ScalarType::F32,
            d: ScalarType::F32,
            overflow: IntegerOverflow::Wrap,
            rounding: Rounding::Rn,
            bit_op: BitOp::Xor,
        })
        .expect("every generation has it");
        // Use values around 1 with both signs.
        let element = |at: u64| 0x3800 + at * 2_654_435_761 % 0x800 + (at % 3 % 2) * 0x8000;
        let a: Vec<u64> = (0..256).map(element).collect();
        let b: Vec<u64> = (300..556).map(element).collect();
        let mut c = vec![0; 256];
        let start = Instant::now();
        let n_pieces = 64 * 64 * 64;
        for piece in 0..n_pieces {
            let mut d = [0; 256];
            plan.matrix(&a, &b, &c, &mut d);
            if piece % 64 != 63 {
                c.copy_from_slice(&d);
            } else {
                c.fill(0);
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        let rate = f64::from(n_pieces) * 4096.0 / seconds / 1e6;
        let _ = writeln!(
            out,
            "{core:?}: {seconds:.2} s, {rate:.0} million products a second"
        );
    }
}
