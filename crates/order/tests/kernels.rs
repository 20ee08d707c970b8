//! Kernels with races or hangs, each with a corrected version: exactly the racing pairs of lines are reported, a hang
//! is reported with its root cause, and nothing is reported for the corrected version. `ORDER_ONLY` filters by a part
//! of the name, `ORDER_SEEDS` sets the number of seeds.

use flate2::read::GzDecoder;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use warpgrid_view::memory_model::concurrency::{HangView, RaceView};
use warpgrid_view::value::ElementType;
use warpgrid_view::{MemoryKey, Scenario, Session};

/// Sufficient for all kernels.
pub(crate) const MAX_STEPS: u64 = 400_000;
/// Number of seeds among which a race that does not occur in every run must be found.
const MANY_SEEDS: u64 = 24;

#[derive(Deserialize)]
pub(crate) struct Kernel {
    kind: String,
    pub(crate) name: String,
    case: Option<Value>,
    pub(crate) faulty: String,
    pub(crate) healthy: String,
    pairs: Vec<Pair>,
    repairs: Vec<Vec<Edit>>,
    ends: Option<String>,
    root: Option<Root>,
    memory: Option<BTreeMap<String, Vec<Value>>>,
}

#[derive(Deserialize)]
struct Pair {
    lines: [Option<u32>; 2],
    what: Option<String>,
    runs: String,
    bytes: Option<Vec<Bytes>>,
}

#[derive(Deserialize)]
struct Bytes {
    buffer: Option<String>,
    variable: Option<String>,
    offset: u64,
    bytes: u64,
}

#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord, Clone)]
struct Edit {
    op: String,
    line: u32,
    #[serde(default)]
    text: String,
}

#[derive(Deserialize)]
struct Root {
    kind: Option<String>,
    #[serde(default)]
    object: Value,
    #[serde(default)]
    missing: Value,
    line_at_fault: Option<u32>,
}

/// Sides of a race: lines, or the start or exit of a block.
type Sides = BTreeSet<String>;

/// Corrected versions that cannot run, each with a reason.
const UNFIT: &[(&str, &str)] = &[(
    "museum/triton-7293",
    "its tensor map is zero but for an address: a box of one byte, which no copy can use",
)];

fn sides(lines: [Option<u32>; 2], what: Option<&str>) -> Sides {
    let word = what.and_then(|what| what.split(' ').next()).unwrap_or("");
    let side = |line: Option<u32>| line.map_or(word.to_owned(), |line| line.to_string());
    lines.into_iter().map(side).collect()
}

fn sides_of(race: &RaceView) -> Sides {
    sides(
        [race.first.line, race.second.line],
        race.second.description.as_deref(),
    )
}

fn squeezed(text: &str) -> String {
    let words: Vec<&str> = text
        .trim()
        .trim_end_matches(';')
        .split_whitespace()
        .collect();
    words.join(" ")
}

impl Kernel {
    /// Returns a correct kernel that states its launch.
    pub(crate) fn of_source(name: &str, source: String) -> Kernel {
        Kernel {
            kind: "schedules".to_owned(),
            name: name.to_owned(),
            case: None,
            faulty: String::new(),
            healthy: source,
            pairs: Vec::new(),
            repairs: Vec::new(),
            ends: None,
            root: None,
            memory: None,
        }
    }

    pub(crate) fn session(&self, text: &str, seed: u64) -> Session {
        let mut scenario = self.case.clone().unwrap_or_else(|| json!({}));
        scenario["source"] = json!(text);
        scenario["seed"] = json!(seed);
        let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
        Session::new_without_last_writers(scenario)
            .unwrap_or_else(|reason| panic!("{}: {}", self.name, reason.message))
    }

    fn faulty_lines_wrong(&self, seeds: u64) -> Option<String> {
        match self.kind == "hangs" || self.root.is_some() {
            true => self.hang_wrong(seeds),
            false => self.races_wrong(seeds),
        }
    }

    /// Describes the differences between the reported and the expected races.
    fn races_wrong(&self, seeds: u64) -> Option<String> {
        let wanted = |pair: &Pair| sides(pair.lines, pair.what.as_deref());
        let expected: BTreeSet<Sides> = self.pairs.iter().map(wanted).collect();
        let mut union = BTreeSet::new();
        for seed in 0..seeds.max(MANY_SEEDS) {
            if seed >= seeds && union == expected {
                break;
            }
            let mut session = self.session(&self.faulty, seed);
            let report = session.run_for_races(MAX_STEPS);
            let found: BTreeSet<Sides> = report.races.iter().map(sides_of).collect();
            if let Some(other) = found.difference(&expected).next() {
                return Some(format!("seed {seed}: {other:?} is no race"));
            }
            let places = report.races.iter().find(|race| !self.touches(race));
            if let Some(race) = places {
                return Some(format!("seed {seed}: other bytes: {}", race.message));
            }
            let has_ended = session.is_finished() && session.fault().is_none();
            let always = self
                .pairs
                .iter()
                .filter(|pair| pair.runs == "every")
                .map(wanted);
            if let Some(missed) = always
                .into_iter()
                .find(|pair| has_ended && !found.contains(pair))
            {
                return Some(format!("seed {seed}: {missed:?} is not reported"));
            }
            union.extend(found);
        }
        (union != expected).then(|| format!("never reported: {:?}", expected.difference(&union)))
    }

    /// Checks whether the bytes of a race are among the expected bytes.
    fn touches(&self, race: &RaceView) -> bool {
        let pair = self
            .pairs
            .iter()
            .find(|pair| sides(pair.lines, pair.what.as_deref()) == sides_of(race));
        let Some(all) = pair.and_then(|pair| pair.bytes.as_ref()) else {
            return true;
        };
        all.iter().any(|bytes| {
            let same =
                (&bytes.buffer, &bytes.variable) == (&race.place.buffer, &race.place.variable);
            same && bytes.offset < race.place.offset + u64::from(race.place.bytes)
                && race.place.offset < bytes.offset + bytes.bytes
        })
    }

    /// Checks whether each offered fix is one of the known weakest fixes.
    fn has_known_repair(&self) -> bool {
        let mut session = self.session(&self.faulty, 0);
        let races = session.run_for_races(MAX_STEPS).races;
        let form = |edit: &Edit| Edit {
            text: squeezed(&edit.text),
            ..edit.clone()
        };
        let known: Vec<BTreeSet<Edit>> = self
            .repairs
            .iter()
            .map(|all| all.iter().map(form).collect())
            .collect();
        races
            .iter()
            .filter(|race| !race.repair.is_empty())
            .all(|race| {
                let own: Vec<Edit> = serde_json::from_value(json!(race.repair)).expect("edits");
                known.contains(&own.iter().map(form).collect())
            })
    }

    /// Describes the differences between the reported and the expected hang.
    fn hang_wrong(&self, seeds: u64) -> Option<String> {
        let root = self.root.as_ref()?;
        let always = self.ends.as_deref() == Some("hang");
        let mut stopped = false;
        for seed in 0..if always { seeds } else { MANY_SEEDS } {
            let mut session = self.session(&self.faulty, seed);
            session.run(MAX_STEPS);
            let hang = session.hang();
            if hang.is_none() && session.is_finished() && session.fault().is_none() && !always {
                continue;
            }
            let Some(hang) = hang else {
                return Some(format!("seed {seed}: nothing is said"));
            };
            stopped = true;
            if let Some(reason) = said_wrong(root, &hang, always) {
                return Some(format!("seed {seed}: {reason} ({})", hang.message));
            }
        }
        (!stopped).then(|| "no seed hangs".to_owned())
    }

    /// Describes the unexpected reports of a run of the corrected version.
    fn healthy_wrong(&self, seeds: u64) -> Option<String> {
        (0..seeds).find_map(|seed| {
            let mut session = self.session(&self.healthy, seed);
            let report = session.run_for_races(MAX_STEPS);
            let first = report.races.first().map(|race| race.message.clone());
            let reason = first
                .or_else(|| session.fault().map(|fault| fault.message))
                .or_else(|| session.hang().map(|hang| hang.message))
                .or_else(|| (!session.is_finished()).then(|| "no end".to_owned()))
                .or_else(|| self.memory_wrong(&session));
            reason.map(|reason| format!("seed {seed}: {reason}"))
        })
    }

    fn memory_wrong(&self, session: &Session) -> Option<String> {
        let memory = self.memory.as_ref()?;
        memory.iter().find_map(|(name, wanted)| {
            let buffer = session
                .buffers()
                .into_iter()
                .find(|buffer| buffer.name == *name)?;
            let size = ElementType::from_name(&buffer.ty)?.width_bytes();
            let bytes = session.memory(&MemoryKey::Buffer(name.clone()))?;
            let found = bytes.chunks(size).map(|element| {
                let mut value = [0; 8];
                value[..size].copy_from_slice(element);
                u64::from_le_bytes(value)
            });
            let same = found.eq(wanted.iter().map(number));
            (!same).then(|| format!("buffer {name} differs"))
        })
    }
}

fn number(value: &Value) -> u64 {
    let hexadecimal = value.as_str().and_then(|text| text.strip_prefix("0x"));
    match hexadecimal {
        Some(digits) => u64::from_str_radix(digits, 16).unwrap_or(0),
        None => value.as_u64().unwrap_or(0),
    }
}

fn said_wrong(root: &Root, hang: &HangView, always: bool) -> Option<String> {
    let said = json!(hang);
    if let Some(kind) = &root.kind
        && (said["kind"] != json!(kind) || said["object"] != root.object)
    {
        return Some(format!(
            "{} {}, not {kind} {}",
            said["kind"], said["object"], root.object
        ));
    }
    if root.kind.is_some() && always && said["missing"] != root.missing {
        return Some(format!("missing {}, not {}", said["missing"], root.missing));
    }
    (hang.line_at_fault != root.line_at_fault).then(|| {
        format!(
            "line {:?}, not {:?}",
            hang.line_at_fault, root.line_at_fault
        )
    })
}

pub(crate) fn kernels() -> Vec<Kernel> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/kernels.jsonl.gz");
    let file = BufReader::new(GzDecoder::new(
        File::open(path).expect("the file of the kernels"),
    ));
    let only = std::env::var("ORDER_ONLY").unwrap_or_default();
    let all = file
        .lines()
        .map(|line| serde_json::from_str(&line.expect("a line")).expect("a kernel"));
    all.filter(|kernel: &Kernel| kernel.name.contains(&only))
        .collect()
}

fn n_seeds() -> u64 {
    let given = std::env::var("ORDER_SEEDS").ok();
    given.and_then(|n| n.parse().ok()).unwrap_or(3)
}

/// Checks all kernels, and prints their number.
fn check(what: &str, unfit: &[(&str, &str)], wrong: impl Fn(&Kernel) -> Option<String>) {
    let kernels = kernels();
    let n = kernels.len();
    let failures: Vec<String> = kernels
        .iter()
        .filter(|kernel| !unfit.iter().any(|(name, _)| *name == kernel.name))
        .filter_map(|kernel| Some(format!("{}: {}", kernel.name, wrong(kernel)?)))
        .collect();
    #[expect(
        clippy::print_stdout,
        reason = "the test prints statistics for runs with `--nocapture`"
    )]
    {
        println!(
            "{what}: {} of {n} kernels, {} exceptions",
            n - failures.len() - unfit.len().min(n),
            unfit.len()
        );
    }
    assert!(
        failures.is_empty(),
        "{}:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn faulty_kernels_report_exact_races_and_hangs() {
    check("named exactly", &[], |kernel| {
        kernel.faulty_lines_wrong(n_seeds())
    });
}

#[test]
fn corrected_kernels_report_no_race_or_hang() {
    check("quiet", UNFIT, |kernel| kernel.healthy_wrong(n_seeds()));
}

#[test]
fn race_repairs_match_known_weakest_repairs() {
    let kernels = kernels();
    let races: Vec<&Kernel> = kernels
        .iter()
        .filter(|kernel| kernel.kind == "races")
        .collect();
    let other: Vec<&str> = races
        .iter()
        .filter(|kernel| !kernel.has_known_repair())
        .map(|k| k.name.as_str())
        .collect();
    // A wait before the start of the second copy is as valid a fix as the listed one.
    let allowed: &[&str] = &["races/proxy/passed-on-without-waiting"];
    assert!(other.iter().all(|name| allowed.contains(name)), "{other:?}");
}

/// The page and the npm package request the races after the end of a run.
#[test]
fn races_requested_after_run_match_races_during_run() {
    for kernel in kernels().iter().filter(|kernel| kernel.kind == "races") {
        let mut during = kernel.session(&kernel.faulty, 0);
        let wanted = during.run_for_races(MAX_STEPS).races;
        let mut scenario = during.scenario().clone();
        scenario.seed = Some(0);
        let mut session =
            Session::new(scenario).unwrap_or_else(|reason| panic!("{}", reason.message));
        session.run(MAX_STEPS);
        let position = session.position();
        assert_eq!(session.races().races, wanted, "{}", kernel.name);
        assert_eq!(session.position(), position);
    }
}

/// Reports for kernels of real compilers must be correct.
#[test]
fn compiler_generated_kernels_report_only_expected_races() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../view/tests/corpus");
    let mut folders: Vec<_> = std::fs::read_dir(folder)
        .expect("the kernels")
        .filter_map(|entry| Some(entry.ok()?.path()).filter(|path| path.join("case.json").exists()))
        .collect();
    folders.sort();
    let mut said = Vec::new();
    let mut slower = Vec::new();
    for folder in folders {
        for (name, scenario) in crate::folders::scenarios_of(&folder) {
            let clock = std::time::Instant::now();
            let mut session =
                Session::new_without_last_writers(scenario.clone()).expect("a session");
            session.run(1_000_000);
            let plain = clock.elapsed().as_secs_f64();
            let clock = std::time::Instant::now();
            let mut session = Session::new_without_last_writers(scenario).expect("a session");
            let report = session.run_for_races(1_000_000);
            // With races, the run time is dominated by the search for fixes.
            if report.races.is_empty() {
                slower.push(clock.elapsed().as_secs_f64() / plain);
            }
            said.extend(report.races.iter().map(|race| {
                let quiet = if race.same_value {
                    ", equal values"
                } else {
                    ""
                };
                format!(
                    "{name}: {:?} {:?}{quiet}",
                    race.first.line, race.second.line
                )
            }));
        }
    }
    slower.sort_by(f64::total_cmp);
    #[expect(
        clippy::print_stdout,
        reason = "the test prints statistics for runs with `--nocapture`"
    )]
    {
        println!(
            "compilers' kernels: {} races; looking takes {:.1} times as long as a run in the middle, {:.1} at most",
            said.len(),
            slower.get(slower.len() / 2).copied().unwrap_or(0.0),
            slower.last().copied().unwrap_or(0.0)
        );
    }
    expect_test::expect![[r#"
        atomics_of_every_kind/kernel.ptx: Some(86) Some(90)
        atomics_of_every_kind/kernel.sm_75-clang19.ptx: Some(82) Some(85)
        race_last_writer/kernel.ptx: Some(32) Some(32)
        race_last_writer/kernel.ptx: Some(38) Some(38), equal values
        race_last_writer/kernel.sm_90-13.5.ptx: Some(32) Some(32)
        race_last_writer/kernel.sm_90-13.5.ptx: Some(38) Some(38), equal values
        race_last_writer/kernel.sm_75-clang19.ptx: Some(28) Some(28)
        race_last_writer/kernel.sm_75-clang19.ptx: Some(32) Some(32), equal values
        triton_histogram/kernel.ptx: Some(44) Some(44), equal values
        triton_histogram/kernel.sm_100a-triton-3.9.0.ptx: Some(44) Some(44), equal values"#]]
    .assert_eq(&said.join("\n"));
}
