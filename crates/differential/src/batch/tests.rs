//! Tests of random batches.

use crate::assemble::{DEFAULT_PTX_VERSION, Form};
use crate::batch::{Batch, BatchOptions, TARGETS};
use crate::excluded::KnownMiscompiles;
use crate::run::refused_lines;

fn batch(number: usize, known: KnownMiscompiles) -> Batch {
    let options = BatchOptions {
        seed: 1,
        targets: TARGETS,
        ptx_version: DEFAULT_PTX_VERSION,
        forms: Form::ALL,
        known,
    };
    Batch::random(number, 2, &options)
}

#[test]
fn checker_accepts_random_kernels() {
    for known in [KnownMiscompiles::Excluded, KnownMiscompiles::Included] {
        for number in 0..8 {
            let batch = batch(number, known);
            for kernel in &batch.kernels {
                let source = kernel.module(&batch.build);
                assert_eq!(refused_lines(&source), [0_u32; 0], "{source}");
            }
        }
    }
}

#[test]
fn equal_seeds_generate_equal_kernels() {
    let lines = || -> Vec<Vec<String>> {
        let batch = batch(3, KnownMiscompiles::Included);
        batch
            .kernels
            .into_iter()
            .map(|kernel| kernel.lines)
            .collect()
    };
    assert_eq!(lines(), lines());
}
