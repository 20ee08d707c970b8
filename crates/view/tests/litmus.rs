//! Litmus tests of the memory consistency model: with each scheduler seed, a run ends with an allowed outcome, and several seeds produce
//! more than one outcome if interleavings do.
//!
//! `data/litmus.jsonl` is a sample with one test and its allowed outcomes per line. `LITMUS` names another file in the same format, and
//! `LITMUS_SEEDS` another number of seeds.

use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::PathBuf;
use warpgrid_view::{MemoryKey, Scenario, Session};

/// Step limit far above the length of any test.
const MAX_STEPS: u64 = 1_000_000;

#[derive(Deserialize)]
struct Test {
    name: String,
    grid: [u32; 3],
    block: [u32; 3],
    cluster: [u32; 3],
    locations: Vec<Location>,
    observe: Vec<String>,
    module: String,
    /// Absent if the model gives no guarantees.
    allowed: Option<Vec<Vec<u64>>>,
    #[serde(default)]
    module_lines: Vec<Vec<u32>>,
    /// For each outcome, whether executions with this outcome `always`, `sometimes` or `never` have a data race.
    #[serde(default)]
    race_by_outcome: Option<Vec<String>>,
    /// Pairs of thread and line of the thread body, starting at 0.
    #[serde(default)]
    racy_pairs: Vec<[[usize; 2]; 2]>,
}

#[derive(Deserialize)]
struct Location {
    name: String,
    space: String,
    #[serde(default, rename = "type")]
    ty: Option<String>,
    #[serde(default)]
    init: Vec<u64>,
}

impl Test {
    fn n_registers(&self) -> usize {
        let registers = self.observe.iter().filter(|o| o.contains(':'));
        registers.count()
    }

    /// Returns a scenario with buffers for the global locations and a buffer for the observed registers, which are 8 bytes apart.
    fn scenario(&self, seed: u64) -> Scenario {
        let globals = self.locations.iter().filter(|l| l.space == "global");
        let buffer = |name: &str, ty: &str, init: &[u64]| {
            serde_json::json!({
                "kind": "buffer", "name": name, "type": ty, "len": init.len(),
                "init": init, "expect": null
            })
        };
        let out = vec![0; (2 * self.n_registers()).max(1)];
        let params: Vec<_> = globals
            .map(|l| buffer(&l.name, l.ty.as_deref().unwrap_or("u32"), &l.init))
            .chain([buffer("out", "u32", &out)])
            .collect();
        let json = serde_json::json!({
            "source": self.module, "entry": "litmus", "grid": self.grid, "block": self.block,
            "cluster": self.cluster, "params": params, "seed": seed
        });
        serde_json::from_value(json).expect("a scenario")
    }

    fn session(&self, seed: u64) -> Result<Session, String> {
        Session::new_without_last_writers(self.scenario(seed))
            .map_err(|error| format!("{} {}", error.code, error.message))
    }

    /// Returns the outcome of the run with this seed.
    fn outcome(&self, seed: u64) -> Result<Vec<u64>, String> {
        let mut session = self.session(seed)?;
        session.run(MAX_STEPS);
        self.outcome_of(&session)
    }

    /// Returns the outcome of a completed run.
    fn outcome_of(&self, session: &Session) -> Result<Vec<u64>, String> {
        if !session.is_finished() {
            return Err("it does not end".to_owned());
        }
        if let Some(fault) = session.fault() {
            return Err(fault.message.clone());
        }
        let out = session.memory(&MemoryKey::Buffer("out".to_owned()));
        let out = out.ok_or("no buffer of registers")?;
        let word = |bytes: &[u8], at: usize| {
            let word = bytes.get(at..at + 4).and_then(|b| b.first_chunk());
            word.map_or(0, |word| u64::from(u32::from_le_bytes(*word)))
        };
        let mut n = 0;
        let mut outcome = Vec::new();
        for observed in &self.observe {
            if observed.contains(':') {
                let bytes = out.get(8 * n..).and_then(|bytes| bytes.first_chunk());
                outcome.push(bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes)));
                n += 1;
                continue;
            }
            let (name, index) = observed
                .trim_end_matches(']')
                .split_once('[')
                .ok_or("a place")?;
            let memory = session.memory(&MemoryKey::Buffer(name.to_owned()));
            let index: usize = index.parse().map_err(|_| "an index")?;
            let is_bytes = self
                .locations
                .iter()
                .any(|l| l.name == name && l.ty.as_deref() == Some("u8"));
            let memory = memory.ok_or("no such place")?;
            outcome.push(match is_bytes {
                true => memory.get(index).copied().map_or(0, u64::from),
                false => word(memory, 4 * index),
            });
        }
        Ok(outcome)
    }
}

impl Test {
    /// Returns the lines of a racy pair in the module in ascending order.
    fn lines_of(&self, pair: &[[usize; 2]; 2]) -> [u32; 2] {
        let mut lines = pair.map(|[thread, line]| self.module_lines[thread][line]);
        lines.sort_unstable();
        lines
    }

    /// Returns errors in the races that the run with this seed reports.
    fn wrong_races(&self, seed: u64) -> Result<Vec<String>, String> {
        let mut session = self.session(seed)?;
        let mut races = session.run_for_races(MAX_STEPS).races;
        // The tests specify races between accesses, not with the start or exit of a block.
        races.retain(|race| race.second.line.is_some());
        let outcome = self.outcome_of(&session)?;
        let racy: Vec<[u32; 2]> = self.racy_pairs.iter().map(|p| self.lines_of(p)).collect();
        let mut wrong = Vec::new();
        for race in &races {
            let mut lines = [&race.first, &race.second].map(|access| access.line.unwrap_or(0));
            lines.sort_unstable();
            if !racy.contains(&lines) {
                wrong.push(format!("{lines:?} is no race: {}", race.message));
            }
        }
        let place = self
            .allowed
            .as_ref()
            .and_then(|all| all.iter().position(|o| *o == outcome));
        let by_outcome = self.race_by_outcome.as_ref().zip(place);
        match by_outcome
            .and_then(|(all, place)| all.get(place))
            .map(String::as_str)
        {
            Some("always") if races.is_empty() => {
                wrong.push(format!(
                    "no race where {outcome:?} always has one: {racy:?}"
                ));
            }
            Some("never") if !races.is_empty() => {
                wrong.push(format!("a race where {outcome:?} never has one"));
            }
            _ => {}
        }
        Ok(wrong)
    }
}

fn tests() -> Vec<Test> {
    let own = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/litmus.jsonl");
    let path = std::env::var_os("LITMUS").map_or(own, PathBuf::from);
    let text = std::fs::read_to_string(path).expect("the file of the tests");
    let lines = text.lines().filter(|line| !line.is_empty());
    lines
        .map(|line| serde_json::from_str(line).expect("a test"))
        .collect()
}

fn n_seeds() -> u64 {
    let given = std::env::var("LITMUS_SEEDS").ok();
    given.and_then(|n| n.parse().ok()).unwrap_or(48)
}

#[test]
fn litmus_outcomes_of_all_seeds_are_allowed_by_model() {
    let mut wrong = Vec::new();
    let (mut n_tests, mut n_open, mut n_found) = (0, 0, 0);
    let mut narrow = Vec::new();
    for test in tests() {
        n_tests += 1;
        let mut found = BTreeSet::new();
        for seed in 0..n_seeds() {
            match test.outcome(seed) {
                Err(why) => wrong.push(format!("{} seed {seed}: {why}", test.name)),
                Ok(outcome) => {
                    let allowed = test.allowed.as_ref();
                    if allowed.is_some_and(|allowed| !allowed.contains(&outcome)) {
                        wrong.push(format!("{} seed {seed}: {outcome:?}", test.name));
                    }
                    found.insert(outcome);
                }
            }
        }
        if test
            .allowed
            .as_ref()
            .is_some_and(|allowed| allowed.len() > 1)
        {
            n_open += 1;
            n_found += usize::from(found.len() > 1);
            if found.len() == 1 {
                narrow.push(test.name.clone());
            }
        }
    }
    #[expect(
        clippy::print_stdout,
        reason = "the test prints statistics for runs with `--nocapture`"
    )]
    {
        println!(
            "{n_tests} tests with {} seeds each: {} outcomes that the model does not allow",
            n_seeds(),
            wrong.len()
        );
        println!("{n_found} of {n_open} tests with several outcomes show more than one");
        if !narrow.is_empty() {
            println!("one outcome alone: {}", narrow.join(", "));
        }
    }
    let n_wrong = wrong.len();
    wrong.truncate(20);
    assert!(wrong.is_empty(), "{n_wrong}:\n{}", wrong.join("\n"));
    // The remaining tests need more seeds, or no interleaving of their threads produces their other outcomes.
    assert!(10 * n_found >= 9 * n_open, "{n_found} of {n_open}");
}

#[test]
fn detected_races_match_memory_model() {
    let mut wrong = Vec::new();
    for test in tests() {
        for seed in 0..n_seeds() {
            match test.wrong_races(seed) {
                Err(reason) => wrong.push(format!("{} seed {seed}: {reason}", test.name)),
                Ok(found) => {
                    wrong.extend(
                        found
                            .iter()
                            .map(|w| format!("{} seed {seed}: {w}", test.name)),
                    );
                }
            }
        }
    }
    let n_wrong = wrong.len();
    wrong.truncate(20);
    assert!(wrong.is_empty(), "{n_wrong}:\n{}", wrong.join("\n"));
}
