//! Compares runs of compiled kernels with interpreted runs: memory and lane-instructions must be equal, and if no warp
//! diverges, steps and stores too.

#[path = "equivalence/async_copies.rs"]
mod async_copies;
#[path = "equivalence/contexts.rs"]
mod contexts;
#[path = "equivalence/divergence.rs"]
mod divergence;
#[path = "equivalence/fast_paths.rs"]
mod fast_paths;
#[path = "equivalence/fma.rs"]
mod fma;
#[path = "equivalence/if_conversion.rs"]
mod if_conversion;
#[path = "equivalence/operations.rs"]
mod operations;
#[path = "equivalence/random.rs"]
mod random;
#[path = "equivalence/random_kernels.rs"]
mod random_kernels;
#[path = "equivalence/same_value_stores.rs"]
mod same_value_stores;
#[path = "equivalence/special_functions.rs"]
mod special_functions;
#[path = "equivalence/strides.rs"]
mod strides;
#[path = "equivalence/wmma.rs"]
mod wmma;

use async_copies::Becomes;
use expect_test::expect_file;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use warpgrid_emulator::WriterTracking;
use warpgrid_emulator::translation_view::TranslationView;
use warpgrid_emulator::{BufferIndex, Machine, MemoryRegion, Timeline, TimelineLimits};
use warpgrid_launch::prepare::prepare;
use warpgrid_launch::{Annotations, Scenario};
use warpgrid_program::{FrontEnd, Overrides};
use warpgrid_ptx::Ptx;
use warpgrid_translate::{
    AnyPartition, BailoutReason, Engine, FinishedRun, LinearMemory, MaddRounding, Partition,
    PartitionedRun, RunLimits, WasmtimeEngine, WasmtimeInstance, detect_madd_rounding, run,
    run_on_threads, split_evenly,
};

/// Engine without a fused multiply-add, as in some hosts.
struct Separate;

impl Engine for Separate {
    type Module = <WasmtimeEngine as Engine>::Module;
    type Instance = WasmtimeInstance;

    fn products(&self) -> MaddRounding {
        MaddRounding::Unfused
    }

    fn now() -> Duration {
        WasmtimeEngine::now()
    }

    fn compile(&self, wasm: &[u8]) -> Result<Self::Module, String> {
        WasmtimeEngine::get().compile(wasm)
    }

    fn instantiate(&self, module: &Self::Module) -> Result<WasmtimeInstance, String> {
        WasmtimeEngine::get().instantiate(module)
    }
}

/// Sufficient for all cases.
const MAX_STEPS: u64 = 50_000_000;
const LIMITS: RunLimits = RunLimits {
    max_steps: MAX_STEPS,
    min_steps_per_second: None,
};

/// Returns a machine that has not executed a step.
fn machine(scenario: &Scenario) -> Result<(Machine, usize), String> {
    let checked = Ptx.check(&scenario.source, &Overrides::default());
    let program = checked.program.ok_or_else(|| {
        let messages = checked.diagnostics.iter().map(|d| d.message.clone());
        messages.collect::<Vec<_>>().join("; ")
    })?;
    let annotations = Annotations::parse(&scenario.source, "//");
    let program = Arc::new(program);
    let prepared = prepare(
        scenario.clone(),
        annotations,
        &program,
        "//@",
        WriterTracking::Off,
        None,
    );
    let prepared = prepared.map_err(|problem| problem.message)?;
    Ok((prepared.machine, prepared.buffers.len()))
}

/// Wasmtime with the blocks divided among this number of threads.
struct Threads(u32);

/// Runs a machine to its end.
trait Runs {
    fn run(
        &self,
        plain: TranslationView<'_>,
    ) -> Result<FinishedRun<WasmtimeInstance>, BailoutReason>;
}

impl Runs for WasmtimeEngine {
    fn run(
        &self,
        plain: TranslationView<'_>,
    ) -> Result<FinishedRun<WasmtimeInstance>, BailoutReason> {
        run(self, plain, LIMITS)
    }
}

impl Runs for Separate {
    fn run(
        &self,
        plain: TranslationView<'_>,
    ) -> Result<FinishedRun<WasmtimeInstance>, BailoutReason> {
        run(self, plain, LIMITS)
    }
}

impl Runs for Threads {
    fn run(
        &self,
        plain: TranslationView<'_>,
    ) -> Result<FinishedRun<WasmtimeInstance>, BailoutReason> {
        run_on_threads(WasmtimeEngine::get(), plain, LIMITS, self.0)
    }
}

/// Hosts with separate memories, which send copies of their memories to the first host.
struct Hosts(u64);

/// Memory received from another host.
struct Sent(Vec<u8>);

impl LinearMemory for Sent {
    fn read(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        Cow::Borrowed(self.0.get(range).unwrap_or_default())
    }
}

impl Runs for Hosts {
    fn run(
        &self,
        plain: TranslationView<'_>,
    ) -> Result<FinishedRun<WasmtimeInstance>, BailoutReason> {
        let engine = WasmtimeEngine::get();
        let parted = PartitionedRun::new(engine, plain)?;
        let n_hosts = self.0.min(parted.max_partitions(plain)).max(1);
        let parts =
            split_evenly(0..plain.n_blocks(), n_hosts).map(|blocks| parted.part(engine, blocks));
        let mut parts = parts.collect::<Result<Vec<_>, _>>()?;
        let mut noted = Vec::new();
        loop {
            for part in &mut parts {
                parted.restart(plain, &noted, part);
                parted.run_part(plain, LIMITS, None, part);
            }
            let send = |part: &Partition<WasmtimeInstance>| {
                let memory = part.memory().read(0..parted.n_bytes() as usize);
                Partition::from_host(part.facts(), Sent(memory.into_owned()))
            };
            let sent: Vec<Partition<Sent>> = parts.iter().skip(1).map(send).collect();
            let others: Vec<&AnyPartition<'_>> = sent.iter().map(|part| part as _).collect();
            let mut all: Vec<&AnyPartition<'_>> = vec![&parts[0]];
            all.extend(&others);
            match parted.ranges_to_track(plain, &noted, &all)? {
                Some(more) => noted = more,
                None => return parted.end(plain, LIMITS, parts.remove(0), &others),
            }
        }
    }
}

/// Results of a run.
#[derive(PartialEq, Eq)]
struct Left {
    lane_instructions: u64,
    /// Steps and stores, if they were counted.
    counts: Option<(u64, u64)>,
    buffers: Vec<Vec<u8>>,
}

fn left(timeline: &Timeline, n_buffers: usize) -> Left {
    let machine = timeline.machine();
    let bytes = |index: usize| {
        let region = MemoryRegion::Buffer(BufferIndex(index as u32));
        machine.memory(region).unwrap_or(&[]).to_vec()
    };
    let counts = || (timeline.position(), timeline.ticks().n_stores);
    Left {
        lane_instructions: timeline.machine().lane_instructions(),
        counts: timeline.is_counted().then(counts),
        buffers: (0..n_buffers).map(bytes).collect(),
    }
}

/// Runs a scenario in both engines. Returns the reason if it was not compiled, and an error if the results differ.
fn both(engine: &impl Runs, scenario: &Scenario) -> Result<Result<(), BailoutReason>, String> {
    let (machine, n_buffers) = machine(scenario)?;
    let mut timeline = Timeline::new(machine.clone(), TimelineLimits::default());
    let ended = machine.translation_view().ok_or(BailoutReason::Launch);
    let ended = match ended.and_then(|plain| engine.run(plain)) {
        Ok(ended) => ended,
        Err(reason) => return Ok(Err(reason)),
    };
    if !ended.with_result(|end| timeline.adopt_result(end)) {
        return Err("the end is not taken over".to_owned());
    }
    let found = left(&timeline, n_buffers);
    let mut interpreted = Timeline::new(machine, TimelineLimits::default());
    interpreted.run_to_end(MAX_STEPS);
    if let Some(fault) = interpreted.machine().fault() {
        return Err(format!("the interpreter faults: {:?}", fault.kind));
    }
    if let Some(note) = interpreted.machine().notes().first() {
        return Err(format!("the interpreter notes {note:?}"));
    }
    let expected = left(&interpreted, n_buffers);
    for (index, (found, expected)) in found.buffers.iter().zip(&expected.buffers).enumerate() {
        let differ = |pair: &(&u8, &u8)| pair.0 != pair.1;
        let pairs = || found.iter().zip(expected).enumerate();
        if let Some((at, _)) = pairs().find(|(_, pair)| differ(pair)) {
            let n = pairs().filter(|(_, pair)| differ(pair)).count();
            return Err(format!("buffer {index}: {n} bytes differ, from {at} on"));
        }
    }
    if found.lane_instructions != expected.lane_instructions {
        let (found, expected) = (found.lane_instructions, expected.lane_instructions);
        return Err(format!(
            "lane-instructions differ: found {found}, expected {expected}"
        ));
    }
    if found.counts.is_some() && found.counts != expected.counts {
        let (found, expected) = (found.counts, expected.counts);
        return Err(format!(
            "steps and stores differ: found {found:?}, expected {expected:?}"
        ));
    }
    // Steps back from the end, and runs to the end again.
    timeline.back();
    timeline.seek(interpreted.position() / 2);
    timeline.run_to_end(MAX_STEPS);
    match left(&timeline, n_buffers) == expected {
        true => Ok(Ok(())),
        false => Err("the way back from the end leads elsewhere".to_owned()),
    }
}

/// Returns the kernels of the corpus with their names.
fn corpus() -> Vec<(String, Scenario)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../view/tests/corpus");
    let mut folders: Vec<PathBuf> = fs::read_dir(&root)
        .expect("the corpus")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    folders.retain(|folder| folder.join("case.json").exists());
    folders.sort();
    folders.iter().flat_map(|folder| texts_of(folder)).collect()
}

fn texts_of(folder: &Path) -> Vec<(String, Scenario)> {
    let json = fs::read_to_string(folder.join("case.json")).expect("case.json");
    let scenario: Scenario = serde_json::from_str(&json).expect("a scenario");
    let case: serde_json::Value = serde_json::from_str(&json).expect("a case");
    let variants = case["variants"].as_array().cloned().unwrap_or_default();
    let variants = variants
        .iter()
        .filter_map(|variant| variant["file"].as_str().map(str::to_owned));
    let files = std::iter::once("kernel.ptx".to_owned()).chain(variants);
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let read = |file: String| {
        let source = fs::read_to_string(folder.join(&file)).expect("a text");
        let scenario = Scenario {
            source,
            ptx_version: None,
            ..scenario.clone()
        };
        (format!("{name}/{file}"), scenario)
    };
    files.map(read).collect()
}

#[test]
fn corpus_kernels_match_interpreter_or_bail_out() {
    let mut lines = String::new();
    let mut wrong = Vec::new();
    for (name, scenario) in corpus() {
        match both(WasmtimeEngine::get(), &scenario) {
            Ok(Ok(())) => lines.push_str(&format!("{name}: translated\n")),
            Ok(Err(reason)) => lines.push_str(&format!("{name}: {reason}\n")),
            Err(reason) => wrong.push(format!("{name}: {reason}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    expect_file!["equivalence/corpus.txt"].assert_eq(&lines);
}

/// Returns the generated kernel of a seed.
fn generated_scenario(seed: u64) -> Scenario {
    serde_json::from_value(random_kernels::scenario(seed)).expect("a scenario")
}

/// Returns the seeds to run: `WARPGRID_TRANSLATED=FROM..TO`, or five hundred.
fn seeds() -> std::ops::Range<u64> {
    let stated = std::env::var("WARPGRID_TRANSLATED").ok();
    let range = stated.and_then(|text| {
        let (from, to) = text.split_once("..")?;
        Some(from.parse().ok()?..to.parse().ok()?)
    });
    range.unwrap_or(0..500)
}

/// Removes lines from the source of a failing kernel as long as the results still differ.
fn shortened(scenario: Scenario) -> String {
    let differs = |lines: &[String]| {
        let scenario = Scenario {
            source: lines.join("\n"),
            ..scenario.clone()
        };
        let found = std::panic::catch_unwind(|| both(WasmtimeEngine::get(), &scenario));
        matches!(found, Ok(Err(reason)) if reason.contains("differ"))
    };
    let mut lines: Vec<String> = scenario.source.lines().map(str::to_owned).collect();
    let mut n = lines.len() / 4;
    while n > 0 {
        let mut at = 0;
        while at + n <= lines.len() {
            let mut fewer = lines.clone();
            fewer.drain(at..at + n);
            match differs(&fewer) {
                true => lines = fewer,
                false => at += n,
            }
        }
        n /= 2;
    }
    lines.join("\n")
}

/// Compares the kernels of all seeds with the interpreter. Returns the number of compiled kernels, the number of
/// kernels, and the reasons for bailouts.
fn check_seeds(scenario: fn(u64) -> Scenario) -> (usize, usize, BTreeMap<String, Vec<u64>>) {
    let mut n_translated = 0;
    let mut wrong = Vec::new();
    let mut refused = BTreeMap::<String, Vec<u64>>::new();
    for seed in seeds() {
        match both(WasmtimeEngine::get(), &scenario(seed)) {
            Ok(Ok(())) => n_translated += 1,
            Ok(Err(reason)) => refused.entry(reason.to_string()).or_default().push(seed),
            Err(reason) => wrong.push((seed, reason)),
        }
    }
    if let Some((seed, _)) = wrong.first() {
        let shown: Vec<String> = wrong
            .iter()
            .map(|(seed, reason)| format!("seed {seed}: {reason}"))
            .collect();
        let text = shortened(scenario(*seed));
        panic!(
            "{}\nSeed {seed} without what does not matter:\n{text}",
            shown.join("\n")
        );
    }
    (n_translated, seeds().count(), refused)
}

#[test]
fn random_kernels_match_interpreter() {
    let (n_translated, n, refused) = check_seeds(generated_scenario);
    assert!(2 * n_translated > n, "{n_translated} of {n}: {refused:?}");
}

/// Prepends code to a kernel so that its region is split into several functions.
fn lengthened(scenario: &Scenario) -> Scenario {
    let more = "add.u32 %more, %more, 1;\n".repeat(250);
    let start = format!("{{\n.reg .b32 %more;\nmov.u32 %more, 0;\n{more}");
    Scenario {
        source: scenario.source.replacen('{', &start, 1),
        ..scenario.clone()
    }
}

#[test]
fn kernels_split_into_several_functions_match_interpreter() {
    let (mut n_short, mut n_long) = (0, 0);
    for kind in [
        generated_scenario,
        if_conversion::scenario,
        same_value_stores::scenario,
    ] {
        for seed in seeds().step_by(8) {
            let short = kind(seed);
            let long = both(WasmtimeEngine::get(), &lengthened(&short)).map(|found| found.is_ok());
            assert!(long.is_ok(), "seed {seed}: {long:?}");
            n_long += i32::from(long == Ok(true));
            n_short += i32::from(both(WasmtimeEngine::get(), &short) == Ok(Ok(())));
        }
    }
    assert!(10 * n_long > 9 * n_short, "{n_long} of {n_short}");
}

/// Checks for every eighth kernel that it is compiled on threads and on hosts exactly if it is compiled on one thread,
/// with the same results.
fn check_on_others(scenario: fn(u64) -> Scenario) {
    for seed in seeds().step_by(8) {
        let scenario = scenario(seed);
        // Partitions may bail out for different reasons, of which the first is reported.
        let is_translated =
            |found: Result<Result<(), BailoutReason>, String>| found.map(|f| f.is_ok());
        let alone = is_translated(both(WasmtimeEngine::get(), &scenario));
        let on_threads = is_translated(both(&Threads(2), &scenario));
        assert_eq!(on_threads, alone, "seed {seed} on threads");
        let on_hosts = is_translated(both(&Hosts(2), &scenario));
        assert_eq!(on_hosts, alone, "seed {seed} on hosts");
    }
}

/// Checks that nearly all kernels are compiled, with the same results everywhere.
fn check_most(scenario: fn(u64) -> Scenario) {
    let (n_translated, n, refused) = check_seeds(scenario);
    assert!(
        10 * n_translated > 9 * n,
        "{n_translated} of {n}: {refused:?}"
    );
    check_on_others(scenario);
}

#[test]
fn if_converted_branches_match_interpreter() {
    check_most(if_conversion::scenario);
}

#[test]
fn registers_survive_synchronization_in_loops() {
    check_most(contexts::scenario);
}

/// Returns the buffers after a run with a schedule.
fn left_by_schedule(scenario: &Scenario, seed: u64) -> Vec<Vec<u8>> {
    let scenario = Scenario {
        seed: Some(seed),
        ..scenario.clone()
    };
    let (machine, n_buffers) = machine(&scenario).expect("a launch");
    let mut timeline = Timeline::new(machine, TimelineLimits::default());
    timeline.run_to_end(MAX_STEPS);
    left(&timeline, n_buffers).buffers
}

#[test]
fn same_value_stores_are_schedule_independent() {
    let (n_translated, n, refused) = check_seeds(same_value_stores::scenario);
    assert!(3 * n_translated > n, "{n_translated} of {n}: {refused:?}");
    check_on_others(same_value_stores::scenario);
    // The results of compiled kernels do not depend on the schedule.
    let left_out: BTreeSet<u64> = refused.into_values().flatten().collect();
    for seed in seeds().filter(|seed| !left_out.contains(seed)) {
        let scenario = same_value_stores::scenario(seed);
        let expected = left_by_schedule(&scenario, 0);
        for other in 1..6 {
            let found = left_by_schedule(&scenario, other);
            assert!(found == expected, "kernel {seed} by schedule {other}");
        }
    }
}

#[test]
fn inactive_lanes_skip_if_converted_branches() {
    for (what, scenario) in if_conversion::without_some_lanes() {
        assert_eq!(both(WasmtimeEngine::get(), &scenario), Ok(Ok(())), "{what}");
    }
}

#[test]
fn restart_discards_tracked_accesses_of_previous_attempt() {
    let scenario = if_conversion::noted_after_a_store();
    assert_eq!(both(WasmtimeEngine::get(), &scenario), Ok(Ok(())));
}

/// Checks that a scenario is compiled, with the results of the interpreter, on an engine with a fused multiply-add and
/// on one without.
fn check_with_both_products(what: &str, scenario: &Scenario) {
    assert_eq!(both(WasmtimeEngine::get(), scenario), Ok(Ok(())), "{what}");
    let found = both(&Separate, scenario);
    assert_eq!(found, Ok(Ok(())), "{what} without a fused product");
}

#[test]
fn single_operations_match_interpreter() {
    for (what, scenario) in operations::scenarios() {
        check_with_both_products(&what, &scenario);
    }
}

#[test]
fn fma_matches_interpreter_on_fused_and_unfused_engines() {
    for (opcode, scenario) in fma::scenarios() {
        check_with_both_products(opcode, &scenario);
    }
}

#[test]
fn approximate_functions_match_interpreter() {
    for (what, scenario) in special_functions::scenarios() {
        assert_eq!(both(WasmtimeEngine::get(), &scenario), Ok(Ok(())), "{what}");
    }
}

#[test]
fn strided_accesses_match_interpreter() {
    for (what, scenario) in strides::scenarios() {
        assert_eq!(both(WasmtimeEngine::get(), &scenario), Ok(Ok(())), "{what}");
    }
    let (n_translated, n, refused) = check_seeds(strides::generated);
    assert_eq!(n_translated, n, "{refused:?}");
}

#[test]
fn fast_paths_match_interpreter() {
    for (what, scenario) in fast_paths::scenarios() {
        check_with_both_products(&what, &scenario);
    }
}

#[test]
fn out_of_range_accesses_bail_out_with_fault() {
    for (what, scenario) in fast_paths::faults() {
        let found = both(WasmtimeEngine::get(), &scenario);
        assert_eq!(found, Ok(Err(BailoutReason::Fault)), "{what}");
    }
}

#[test]
fn values_of_inactive_lanes_cause_no_bailout() {
    for (what, scenario) in if_conversion::rare_elsewhere() {
        check_with_both_products(what, &scenario);
    }
}

#[test]
fn divergent_loops_match_interpreter() {
    for (what, scenario) in divergence::loops().chain(divergence::loops_with_reconvergence()) {
        assert_eq!(both(WasmtimeEngine::get(), &scenario), Ok(Ok(())), "{what}");
    }
}

#[test]
fn lanes_may_exit_while_others_wait_at_warp_barrier() {
    let scenario = divergence::exit_during_warp_barrier();
    assert_eq!(both(WasmtimeEngine::get(), &scenario), Ok(Ok(())));
}

#[test]
fn divergent_warp_operations_bail_out_as_unsupported() {
    for (what, scenario) in divergence::divergent_warp_operations() {
        let found = both(WasmtimeEngine::get(), &scenario);
        assert_eq!(found, Ok(Err(BailoutReason::Unsupported)), "{what}");
    }
}

#[test]
fn steps_are_counted_unless_warp_diverges() {
    let (pass, uniform) = (
        "bra D; D:",
        "setp.lt.u32 %c, %b, 9; @%c bra D; add.u32 %t, %t, 1; D:",
    );
    for (lines, is_counted) in [
        (pass, true),
        (uniform, true),
        (
            "setp.lt.u32 %c, %t, 9; @%c bra D; add.u32 %t, %t, 1; D:",
            false,
        ),
        (
            "setp.lt.u32 %c, %t, 8; @%c bra D; add.u32 %t, %t, 1; D:",
            false,
        ),
        ("setp.lt.u32 %c, %t, 8; @%c st.global.u32 [%q], %t;", false),
        ("setp.lt.u32 %c, %t, 9; @%c exit;", false),
    ] {
        let scenario = blocks(&format!(
            "mov.u32 %x, %i; {PLACE} {lines} st.global.u32 [%q], %t;"
        ));
        assert_eq!(
            both(WasmtimeEngine::get(), &scenario),
            Ok(Ok(())),
            "{lines}"
        );
        let (machine, _) = machine(&scenario).expect("a machine");
        let ended = run(
            WasmtimeEngine::get(),
            machine.translation_view().expect("a start"),
            LIMITS,
        );
        let found = ended.map(|ended| !ended.counts.has_diverged);
        assert_eq!(found, Ok(is_counted), "{lines}");
    }
}

#[test]
fn infinite_divergent_loop_exceeds_step_limit() {
    for barrier in ["", "bar.warp.sync -1;", "bar.sync 0;"] {
        let lines = format!(
            "AGAIN: setp.lt.u32 %c, %t, 3; @%c bra D; add.u32 %i, %i, 1; D: {barrier} bra AGAIN;"
        );
        let (machine, _) = machine(&blocks(&lines)).expect("a machine");
        let limits = RunLimits {
            max_steps: 100_000,
            min_steps_per_second: None,
        };
        let found = run(
            WasmtimeEngine::get(),
            machine.translation_view().expect("a start"),
            limits,
        );
        assert_eq!(found.err(), Some(BailoutReason::StepLimit), "{lines}");
    }
}

#[test]
fn subwarp_reads_precede_stores_of_diverged_lanes() {
    let scenario = if_conversion::read_before_lanes_part();
    assert_eq!(both(WasmtimeEngine::get(), &scenario), Ok(Ok(())));
}

#[test]
fn async_copies_match_interpreter_or_bail_out_as_expected() {
    let mut wrong = Vec::new();
    for (what, scenario, becomes) in async_copies::scenarios() {
        let found = match both(WasmtimeEngine::get(), &scenario) {
            Ok(Ok(())) => Becomes::Translated,
            Ok(Err(BailoutReason::Conflict)) => Becomes::Conflict,
            Ok(Err(_)) => Becomes::Other,
            Err(reason) => {
                wrong.push(format!("{what}: {reason}"));
                continue;
            }
        };
        if found != becomes {
            let reason = both(WasmtimeEngine::get(), &scenario);
            wrong.push(format!("{what}: found {reason:?}, expected {becomes:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn wmma_matches_interpreter() {
    for (what, scenario) in wmma::scenarios() {
        check_with_both_products(&what, &scenario);
    }
}

/// Returns a kernel of one warp with an MMA whose factors and accumulators have these bits.
fn product_of(factor: u32, sum: u32) -> Scenario {
    let source = format!(
        ".version 8.0\n.target sm_80\n.address_size 64
.visible .entry k(.param .u64 p) {{
.reg .b64 %p; .reg .b32 %t, %a; .reg .f32 %d<4>, %c;
ld.param.u64 %p, [p]; mov.u32 %a, {factor}; mov.f32 %c, 0f{sum:08x};
mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {{%d0, %d1, %d2, %d3}}, {{%a, %a}}, {{%a}}, {{%c, %c, %c, %c}};
mov.u32 %t, %tid.x; mad.wide.u32 %p, %t, 16, %p; st.global.v4.f32 [%p], {{%d0, %d1, %d2, %d3}};
ret; }}"
    );
    let scenario = serde_json::json!({
        "source": source, "grid": [1, 1, 1], "block": [32, 1, 1],
        "params": [{"kind": "buffer", "name": "p", "type": "f32", "len": 128, "init": 0}],
    });
    serde_json::from_value(scenario).expect("a scenario")
}

#[test]
fn mma_with_special_or_extreme_values_bails_out() {
    let (one, zero) = (0x3c00_3c00, 0);
    for (factor, sum, expected) in [
        (one, 0x3f80_0000, Ok(())),
        (zero, 0, Ok(())),
        (zero, 0x8000_0000, Ok(())),
        // Smallest subnormal factor.
        (0x0001_0001, 0x3f80_0000, Ok(())),
        (0x7c00_7c00, 0, Err(BailoutReason::Unsupported)),
        (0x7e00_7e00, 0, Err(BailoutReason::Unsupported)),
        (one, 0x7f80_0000, Err(BailoutReason::Unsupported)),
        (one, 0x7fc0_0000, Err(BailoutReason::Unsupported)),
        (one, 0x7f00_0000, Err(BailoutReason::Unsupported)),
        // Below the range of the units.
        (zero, 0x0100_0000, Err(BailoutReason::Unsupported)),
        (zero, 1, Err(BailoutReason::Unsupported)),
    ] {
        let found = both(WasmtimeEngine::get(), &product_of(factor, sum));
        assert_eq!(found, Ok(expected), "{factor:08x} {sum:08x}");
    }
}

#[test]
fn kernels_run_equally_on_fused_and_unfused_engines() {
    let mut wrong = Vec::new();
    for (name, scenario) in corpus() {
        let found = (
            both(&Separate, &scenario),
            both(WasmtimeEngine::get(), &scenario),
        );
        if found.0 != found.1 {
            wrong.push(format!("{name}: {found:?}"));
        }
    }
    for seed in 0..100 {
        if let Err(reason) = both(&Separate, &generated_scenario(seed)) {
            wrong.push(format!("seed {seed}: {reason}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn detected_madd_rounding_matches_wasmtime_engine() {
    assert_eq!(
        detect_madd_rounding(WasmtimeEngine::get()),
        WasmtimeEngine::get().products()
    );
}

/// Returns a kernel of sixteen blocks with these lines, and a buffer with two words for each thread.
fn blocks(lines: &str) -> Scenario {
    let source = format!(
        ".version 8.0\n.target sm_80\n.address_size 64
.visible .entry k(.param .u64 p) {{
.reg .b64 %p, %q; .reg .b32 %t, %b, %i, %x; .reg .pred %c;
ld.param.b64 %p, [p];
mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mad.lo.u32 %i, %b, 32, %t;
{lines}
ret; }}"
    );
    let scenario = serde_json::json!({
        "source": source,
        "grid": [16, 1, 1],
        "block": [32, 1, 1],
        "params": [{"kind": "buffer", "name": "p", "type": "u32", "len": 1024, "init": "iota"}],
    });
    serde_json::from_value(scenario).expect("a scenario")
}

/// Computes the address of word `%x`.
const PLACE: &str = "mul.wide.u32 %q, %x, 4; add.s64 %q, %p, %q;";

#[test]
fn run_below_minimum_speed_bails_out_as_too_slow() {
    let source = ".version 8.0\n.target sm_80\n.address_size 64
.visible .entry k(.param .u64 out) {
.reg .b32 %i, %x, %t, %n; .reg .pred %p; .reg .b64 %q, %o;
mov.u32 %t, %tid.x; mov.u32 %n, %ctaid.x; mad.lo.u32 %t, %n, 32, %t; mul.wide.u32 %o, %t, 4;
mov.u32 %i, 0; mov.u32 %x, 1;
again: mad.lo.u32 %x, %x, %x, %i; add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 20000; @%p bra again;
ld.param.b64 %q, [out]; add.s64 %q, %q, %o; st.global.u32 [%q], %x;
ret; }";
    let scenario = serde_json::json!({
        "source": source, "grid": [400, 1, 1], "block": [32, 1, 1],
        "params": [{"kind": "buffer", "name": "out", "type": "u32", "len": 12800, "init": 0}],
    });
    let scenario = serde_json::from_value(scenario).expect("a scenario");
    let (machine, _) = machine(&scenario).expect("a machine");
    let paced = |least_pace| {
        let plain = machine.translation_view().expect("a start");
        let limits = RunLimits {
            min_steps_per_second: least_pace,
            ..LIMITS
        };
        run(WasmtimeEngine::get(), plain, limits).err()
    };
    assert_eq!(paced(Some(1e30)), Some(BailoutReason::TooSlow));
    assert_eq!(paced(Some(1.0)), None);
    assert_eq!(paced(None), None);
}

#[test]
fn results_are_independent_of_thread_and_host_count() {
    let own = format!("mov.u32 %x, %i; {PLACE} st.global.u32 [%q], %t;");
    let other = format!("{own} add.u32 %x, %i, 512; {PLACE} ld.global.u32 %t, [%q];");
    // A word that the next block writes.
    let next = format!("add.u32 %x, %i, 32; {PLACE} ld.global.u32 %t, [%q]; {own}");
    let same = "st.global.u32 [%p], %b;".to_owned();
    // A permutation of the words that the affine analysis does not recognize.
    let mixed =
        format!("xor.b32 %x, %i, 511; and.b32 %x, %x, 511; {PLACE} st.global.u32 [%q], %i;");
    let late = format!(
        "setp.lt.u32 %c, %b, 12; mov.u32 %x, %i; {PLACE} @%c bra D; ld.global.u32 %t, [%p]; D: st.global.u32 [%q+4], %t;"
    );
    let wanted = [
        (own, Ok(())),
        (other, Ok(())),
        (next, Err(BailoutReason::Conflict)),
        (same, Err(BailoutReason::Conflict)),
        (mixed, Ok(())),
        (late, Ok(())),
    ];
    for (lines, expected) in wanted {
        for n_threads in [1, 2, 3, 4] {
            let found = both(&Threads(n_threads), &blocks(&lines));
            assert_eq!(found, Ok(expected.clone()), "{n_threads} threads: {lines}");
            let found = both(&Hosts(n_threads.into()), &blocks(&lines));
            assert_eq!(found, Ok(expected.clone()), "{n_threads} hosts: {lines}");
        }
    }
}

#[test]
fn store_to_location_read_by_block_requires_barrier() {
    let first_writes = "and.b32 %x, %i, 31; setp.eq.u32 %c, %x, 0; @%c st.global.u32 [%q], %t;";
    let of_the_block = format!("mov.u32 %x, %b; {PLACE} ld.global.u32 %t, [%q];");
    let of_all = format!("mov.u32 %x, 0; {PLACE} ld.global.u32 %t, [%q];");
    let one_block_writes = "setp.eq.u32 %c, %i, 64; add.u32 %t, %t, 1; @%c st.global.u32 [%q], %t;";
    for (lines, expected) in [
        (format!("{of_the_block} bar.sync 0; {first_writes}"), Ok(())),
        (
            format!("{of_the_block} {first_writes}"),
            Err(BailoutReason::Conflict),
        ),
        (
            format!("{of_all} bar.sync 0; {one_block_writes}"),
            Err(BailoutReason::Conflict),
        ),
    ] {
        let found = both(WasmtimeEngine::get(), &blocks(&lines));
        assert_eq!(found, Ok(expected), "{lines}");
    }
}

/// Checks the result of a kernel whose threads call a function.
fn check_call(function: &str, lines: &str, expected: Result<(), &str>) {
    let text = format!("mov.u32 %x, %i; {PLACE} {lines} st.global.u32 [%q], %t;");
    let mut scenario = blocks(&text);
    scenario.source = scenario
        .source
        .replace(".visible", &format!("{function}\n.visible"));
    let found = both(WasmtimeEngine::get(), &scenario)
        .map(|found| found.map_err(|reason| reason.to_string()));
    let expected = expected.map_err(str::to_owned);
    match (found, expected) {
        (Ok(Err(found)), Err(expected)) if found.contains(&expected) => {}
        (found, expected) => assert_eq!(found, Ok(expected), "{function}"),
    }
}

#[test]
fn called_functions_are_inlined() {
    let call = "call (%t), f, (%t);";
    let f = |body: &str| {
        format!(".func (.reg .b32 d) f(.reg .b32 a) {{ .reg .b32 %k; .reg .pred %p; {body} }}")
    };
    check_call(&f("add.u32 d, a, 1; ret;"), call, Ok(()));
    check_call(&f("add.u32 d, a, 1;"), &format!("{call} {call}"), Ok(()));
    let parted = "setp.lt.u32 %c, %t, 9; @%c call (%t), f, (%t); @!%c call (%t), f, (3);";
    check_call(&f("mul.lo.u32 d, a, a; ret;"), parted, Ok(()));
    let keeps = f("add.u32 %k, %k, a; mov.u32 d, %k; ret;");
    check_call(&keeps, call, Err("may read an uninitialized register"));
    let itself = f("sub.u32 d, a, 1; setp.gt.s32 %p, d, 0; @%p call (d), f, (d); ret;");
    check_call(&itself, call, Err("exceeds the limits"));
    check_call(
        &f("add.u32 d, a, 1; setp.gt.u32 %p, d, 99; @%p trap; ret;"),
        call,
        Ok(()),
    );
    let meets = f("bar.sync 0; add.u32 d, a, 1; ret;");
    check_call(&meets, &format!("{call} {call}"), Ok(()));
    check_call(
        &meets,
        parted,
        Err("a diverged warp reached a block barrier"),
    );
}

#[test]
fn kernels_run_equally_on_multiple_threads() {
    let mut wrong = Vec::new();
    for (name, scenario) in corpus() {
        let found = [1, 3].map(|n_threads| both(&Threads(n_threads), &scenario));
        if found[0] != found[1] {
            wrong.push(format!("{name}: {found:?}"));
        }
    }
    for seed in 0..100 {
        if let Err(reason) = both(&Threads(2), &generated_scenario(seed)) {
            wrong.push(format!("seed {seed}: {reason}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}
