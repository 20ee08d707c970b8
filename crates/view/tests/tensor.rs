//! Kernels of tensor instructions produce exactly the expected memory, with one test per family, in the natural order and another order.

use crate::cases::cases;
use crate::common::{entries, keeps_promise};
use std::path::Path;
use warpgrid_view::{Scenario, Session};

/// Step limit far above the length of any case, which detects hangs.
const MAX_STEPS: u64 = 50_000_000;

/// Runs every source of the family with several scheduler seeds.
fn check(family: &str) {
    let mut wrong = Vec::new();
    for case in cases(family) {
        for (file, source) in &case.texts {
            for seed in [0, 7] {
                let scenario = Scenario {
                    source: source.clone(),
                    ptx_version: None,
                    seed: Some(seed),
                    ..case.case.clone()
                };
                if let Err(reason) = run(scenario) {
                    wrong.push(format!("{}/{file}, seed {seed}: {reason}", case.case.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn run(scenario: Scenario) -> Result<(), String> {
    let session = Session::new_without_last_writers(scenario);
    let mut session = session.map_err(|error| format!("{} {}", error.code, error.message))?;
    keeps_promise(&mut session, MAX_STEPS)
}

macro_rules! families {
    ($($family:ident)*) => {
        $(#[test]
        fn $family() {
            check(stringify!($family));
        })*

        const FAMILIES: &[&str] = &[$(stringify!($family),)*];
    };
}

families! {
    bulk measured measured_products mma_sparse small surface tcgen05_2cta tcgen05_cp tcgen05_gemm tcgen05_ld_st tcgen05_mma tcgen05_scaled texture tma_im2col tma_load tma_map
    tma_multicast tma_packed tma_pipeline tma_reduce tma_store triton_dot triton_scaled triton_tma wgmma wgmma_gemm wgmma_sparse
}

#[test]
fn every_case_file_belongs_to_tested_family() {
    let files = entries(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tensor"));
    let names = files.iter().filter_map(|file| {
        let name = file.file_name()?.to_str()?;
        name.strip_suffix(".json.gz").map(str::to_owned)
    });
    let names: Vec<String> = names.collect();
    assert_eq!(names, FAMILIES);
}

/// For a pasted kernel without a launch, tensor maps, textures and clusters are inferred such that copies transfer the bytes that its
/// mbarriers expect, so no thread waits forever. The inference is reported as `//@` lines, with which the kernel runs again.
#[test]
fn kernels_complete_with_inferred_launch() {
    let run = |source: String| {
        let scenario = Scenario {
            source,
            ..Scenario::default()
        };
        let mut session =
            Session::new_without_last_writers(scenario).map_err(|error| error.message)?;
        let is_over = session.run(MAX_STEPS);
        match session.fault() {
            Some(fault) => Err(fault.message),
            None if !is_over => Err("it goes on".to_owned()),
            None => Ok(session.inferred_annotations().to_vec()),
        }
    };
    let (mut wrong, mut n_maps, mut n_images) = (Vec::new(), 0, 0);
    for family in FAMILIES {
        for case in cases(family) {
            for (file, source) in &case.texts {
                let name = format!("{}/{file}", case.case.name);
                let guesses = match run(source.clone()) {
                    Ok(guesses) => guesses,
                    Err(reason) => {
                        wrong.push(format!("{name}: {reason}"));
                        continue;
                    }
                };
                let n = |word: &str| guesses.iter().filter(|line| line.contains(word)).count();
                n_maps += n(" tensormap ");
                n_images += n(" array ");
                if let Err(reason) = run(format!("{}\n{source}", guesses.join("\n"))) {
                    wrong.push(format!("{name}, stated: {reason}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(n_maps > 60, "{n_maps} maps");
    assert!(n_images > 20, "{n_images} arrays");
}

/// A run that seeks back and forth has the same tensor memory, shared memory and registers.
#[test]
fn seeking_back_restores_tensor_memory() {
    for family in ["tcgen05_gemm", "wgmma_gemm"] {
        let case = cases(family).remove(0);
        let source = case.texts["kernel.ptx"].clone();
        let scenario = Scenario {
            source,
            ptx_version: None,
            ..case.case
        };
        let mut session = Session::new(scenario).expect("a session");
        session.run(MAX_STEPS);
        let end = session.position();
        session.seek(end / 2);
        session.seek(end / 3);
        session.seek(end);
        keeps_promise(&mut session, MAX_STEPS).expect("the same memory");
    }
}
