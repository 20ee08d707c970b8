//! Runs random kernels on the local GPU, and reports the kernels whose final memory differs from the final memory in the emulator.

use super::{Options, Result};
use crate::gpu::{GpuBatch, GpuLaunch, GpuOutcome};
use std::collections::HashMap;
use warpgrid_differential::assemble::AssemblyOptions;
use warpgrid_differential::batch::BATCH_SIZE;
use warpgrid_differential::kernel::{Kernel, module_of};
use warpgrid_differential::threads::map_on_threads;
use warpgrid_differential::{inputs, run};
use warpgrid_view::{Scenario, SourceLanguage};

/// Targets of the kernels that run on GPUs of the Hopper architecture and later architectures.
const TARGETS: &[&str] = &["sm_75", "sm_80", "sm_89", "sm_90", "sm_90"];

/// Runs the kernels on the GPU and prints the differences. Returns true if there are none.
pub(super) fn compare(options: &Options) -> Result<bool> {
    let numbers: Vec<usize> = (0..options.n_kernels().div_ceil(BATCH_SIZE)).collect();
    let batches = map_on_threads(&numbers, options.n_threads, |number| {
        options.batch(*number, TARGETS)
    });
    let mut questions = GpuBatch::default();
    let mut asked: HashMap<String, (&AssemblyOptions, &Kernel)> = HashMap::new();
    for (number, batch) in batches.iter().enumerate() {
        let (build, kernels) = (&batch.build, &batch.kernels);
        let mut launches = Vec::new();
        for (index, kernel) in kernels.iter().enumerate() {
            let name = (number * BATCH_SIZE + index).to_string();
            let scenario = Scenario {
                front: SourceLanguage::Ptx,
                entry: Some(kernel.name.clone()),
                ..inputs::scenario(kernel.input_seed, &kernel.shape)
            };
            asked.insert(name.clone(), (build, kernel));
            launches.push(GpuLaunch {
                name,
                scenario,
                times: None,
            });
        }
        questions.add(&module_of(kernels, build).0, &launches);
    }
    let Some(answers) = questions.ask(&options.transfer)? else {
        return Ok(true);
    };
    let [mut n_different, mut n_stopped] = [0, 0];
    for answer in &answers {
        let Some((build, kernel)) = asked.get(&answer.name) else {
            continue;
        };
        let reason = match &answer.found {
            GpuOutcome::Differs(buffers) => {
                let bytes = buffers.get("out").map_or(&[][..], Vec::as_slice);
                run::compare_with_gpu(kernel, build, bytes)
            }
            GpuOutcome::Stopped(reason) => {
                n_stopped += 1;
                Some(reason.clone())
            }
            GpuOutcome::Counted(counts) => Some(format!("{} memories", counts.len())),
            GpuOutcome::Equal => None,
        };
        let Some(reason) = reason else {
            continue;
        };
        n_different += 1;
        println!(
            "\nseed {} kernel {}, {}: {reason}",
            options.seed, answer.name, build.target
        );
        for line in &kernel.lines {
            println!("    {line}");
        }
    }
    println!(
        "{} kernels: {n_different} kernels differ, of which {n_stopped} kernels do not run on this GPU",
        answers.len()
    );
    Ok(n_different == 0)
}
