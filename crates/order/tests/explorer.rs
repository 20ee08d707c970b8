//! Tests of the litmus-test explorer: the outcomes must be exactly those that the memory model allows, and the races
//! exactly the racing pairs of instructions.
//!
//! `data/explorer.jsonl.gz` is a collection of litmus tests with all outcomes, produced outside of this project by an
//! enumeration of all candidate executions. `LITMUS` specifies another file of the same format. `data/weakest.jsonl.gz`
//! contains, for tests of the collection, all smallest sets of edits that forbid the outcomes that no interleaving
//! produces, from the same enumeration.

use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::PathBuf;
use std::time::Instant;
use warpgrid_view::memory_model::litmus::{
    ExplorationTask, LitmusEditOp, LitmusTest, RaceFrequency, SAMPLE, apply, explore, read_text,
    repairs,
};

#[derive(Deserialize)]
struct Expected {
    #[serde(flatten)]
    test: LitmusTest,
    /// `None` if the model makes no guarantee.
    allowed: Option<Vec<Vec<u64>>>,
    race: bool,
    race_by_outcome: Option<Vec<String>>,
    racy_pairs: Vec<[[u32; 2]; 2]>,
}

impl Expected {
    /// Describes the difference between the result and the expectation.
    fn wrong(&self) -> Option<String> {
        let view = match explore(&self.test) {
            Ok(view) => view,
            Err(error) => return Some(error.to_string()),
        };
        let outcomes = view.outcomes.as_ref();
        let values = outcomes.map(|all| all.iter().map(|o| o.values.clone()).collect::<Vec<_>>());
        if values != self.allowed {
            return Some(format!("allowed {values:?}, not {:?}", self.allowed));
        }
        let mut pairs = self.racy_pairs.clone();
        pairs.sort_unstable();
        if view.racing_pairs != pairs || view.race != self.race {
            return Some(format!("races {:?}, not {pairs:?}", view.racing_pairs));
        }
        let races = outcomes.map(|all| all.iter().map(|o| name(o.races).to_owned()).collect());
        (races != self.race_by_outcome)
            .then(|| format!("by outcome {races:?}, not {:?}", self.race_by_outcome))
    }
}

fn name(races: RaceFrequency) -> &'static str {
    match races {
        RaceFrequency::Always => "always",
        RaceFrequency::Sometimes => "sometimes",
        RaceFrequency::Never => "never",
    }
}

fn text() -> String {
    match std::env::var_os("LITMUS") {
        Some(path) => std::fs::read_to_string(path).expect("the file of the tests"),
        None => unpacked("explorer.jsonl.gz"),
    }
}

fn unpacked(name: &str) -> String {
    let own = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name);
    let packed = std::fs::read(own).expect("the file of the tests");
    let mut text = String::new();
    let mut reader = flate2::read::GzDecoder::new(packed.as_slice());
    reader.read_to_string(&mut text).expect("a gzipped text");
    text
}

fn tests() -> BTreeMap<String, Expected> {
    let text = text();
    let lines = text.lines().filter(|line| !line.is_empty());
    let tests = lines.map(|line| serde_json::from_str(line).expect("a test"));
    tests
        .map(|expected: Expected| (expected.test.name.clone(), expected))
        .collect()
}

#[test]
fn outcomes_and_races_match_reference_enumeration() {
    let (mut n, mut wrong, mut slowest) = (0, Vec::new(), (0.0, String::new()));
    let start = Instant::now();
    for expected in tests().values() {
        n += 1;
        let begun = Instant::now();
        if let Some(why) = expected.wrong() {
            wrong.push(format!("{}: {why}", expected.test.name));
        }
        let took = begun.elapsed().as_secs_f64();
        if took > slowest.0 {
            slowest = (took, expected.test.name.clone());
        }
    }
    #[expect(
        clippy::print_stdout,
        reason = "the test prints statistics for runs with `--nocapture`"
    )]
    {
        let all = start.elapsed().as_secs_f64();
        println!(
            "{} of {n} tests exactly, {:.0} ms together, the slowest {} in {:.1} ms",
            n - wrong.len(),
            1000.0 * all,
            slowest.1,
            1000.0 * slowest.0
        );
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[derive(Deserialize)]
struct Weakest {
    name: String,
    bad: Vec<Vec<u64>>,
    /// Maximum number of edits up to which the sets are complete.
    complete_to: usize,
    repairs: Vec<Vec<Edit>>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Edit {
    thread: u32,
    line: u32,
    op: String,
    text: String,
}

#[test]
fn repairs_match_enumerated_weakest_repairs() {
    let tests = tests();
    let (mut n, mut wrong) = (0, Vec::new());
    for line in unpacked("weakest.jsonl.gz").lines() {
        let weakest: Weakest = serde_json::from_str(line).expect("a set of repairs");
        let Some(expected) = tests.get(&weakest.name) else {
            continue;
        };
        n += 1;
        let view = explore(&expected.test).expect("an answer");
        let found = repairs(&expected.test, &view).expect("repairs");
        let edits = found.repairs.iter().map(|repair| -> BTreeSet<Edit> {
            let edits = repair.iter().map(|edit| Edit {
                thread: edit.thread,
                line: edit.line,
                op: match edit.op {
                    LitmusEditOp::Replace => "replace".to_owned(),
                    LitmusEditOp::InsertBefore => "insert-before".to_owned(),
                },
                text: edit.text.clone(),
            });
            edits.collect()
        });
        let is_known = |repair: &BTreeSet<Edit>| repair.len() <= weakest.complete_to;
        let edits: BTreeSet<BTreeSet<Edit>> = edits.filter(is_known).collect();
        let listed = weakest.repairs.iter().map(|r| r.iter().cloned().collect());
        let listed: BTreeSet<BTreeSet<Edit>> = listed.filter(is_known).collect();
        if edits != listed || found.bad != weakest.bad {
            wrong.push(weakest.name);
        }
    }
    #[expect(
        clippy::print_stdout,
        reason = "the test prints statistics for runs with `--nocapture`"
    )]
    {
        println!("{} of {n} sets of repairs exactly", n - wrong.len());
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn repaired_test_forbids_bad_outcome() {
    let test = read_text(SAMPLE).expect("a test");
    let view = explore(&test).expect("an answer");
    let found = repairs(&test, &view).expect("repairs");
    assert_eq!(found.bad, [[1, 0]]);
    for repair in &found.repairs {
        let text = apply(SAMPLE, repair);
        let view = explore(&read_text(&text).expect("a test")).expect("an answer");
        let outcomes = view.outcomes.expect("outcomes");
        assert!(
            outcomes.iter().all(|outcome| outcome.values != [1, 0]),
            "{text}"
        );
    }
}

#[test]
fn exceeded_limits_and_invalid_tests_are_reported() {
    let said = |text: &str| match read_text(text).and_then(|test| explore(&test)) {
        Ok(view) => format!("{:?}", view.truncated_after),
        Err(error) => error.to_string(),
    };
    let body = |lines: &str| {
        format!(
            "//@ location x: u32 = 0\n//@ thread\n{lines}\n//@ thread\nst.relaxed.gpu.global.u32 [x], 1;\n//@ observe 0:%r0\n"
        )
    };
    let cases = [
        // A polling loop is represented completely, the events of a counting loop are limited, and a loop that depends
        // on a read is unrolled a few times.
        body("L:\nld.relaxed.gpu.global.u32 %r0, [x];\nsetp.eq.u32 %p0, %r0, 0;\n@%p0 bra L;"),
        body(
            "L:\nst.relaxed.gpu.global.u32 [x], 2;\nadd.u32 %r0, %r0, 1;\nsetp.lt.u32 %p0, %r0, 100;\n@%p0 bra L;",
        ),
        body(
            "L:\nst.relaxed.gpu.global.u32 [x], 2;\nadd.u32 %r0, %r0, 1;\nsetp.lt.u32 %p0, %r0, 8;\n@%p0 bra L;",
        ),
        body(
            "L:\nst.relaxed.gpu.global.u32 [x], 2;\nld.relaxed.gpu.global.u32 %r0, [x];\nsetp.eq.u32 %p0, %r0, 1;\n@%p0 bra L;",
        ),
        body("L:\nadd.u32 %r0, %r0, 1;\nbra L;"),
        body("shfl.sync.idx.b32 %r0, %r1, 0, 31, -1;"),
        body("ld.global.u32 %r0, [x+4];"),
        body("ld.global.u33 %r0, [x];"),
        "//@ location x: u32 = 0".to_owned(),
        "st.global.u32 [x], 1;".to_owned(),
    ];
    let said: Vec<String> = cases.iter().map(|text| said(text)).collect();
    expect_test::expect![[r#"
        None
        thread 0 executes more than 48 accesses, fences and barriers: remove irrelevant instructions, or reduce the number of loop iterations
        None
        Some(4)
        Some(4)
        line 3: `shfl.sync.idx.b32` waits for lane 1, which is not a thread of the litmus test: use the mask 0x1, add a `//@ thread` for each lane of the mask, or replace the instruction with a move of a number
        line 3: the access is outside of all locations of the litmus test: add elements to the location, as in `//@ location x: u32[4] = 0`
        line 3: W0101 unknown modifier `.u33`
        the litmus test has no thread: add `//@ thread block=0` before the instructions of a thread
        line 1: found `st.global.u32 [x], 1;` before the first thread, expected the annotation `//@ thread`"#]]
    .assert_eq(&said.join("\n"));
}

/// Each addition is performed once, so sums of repeated additions are not possible values.
#[test]
fn atomic_adds_produce_no_out_of_thin_air_value() {
    let add = |number: u32| format!("atom.relaxed.gpu.global.add.u32 %r0, [x], {number};\n");
    let threads = [vec![1], vec![10], vec![100], vec![1000]];
    let mut text = "//@ location x: u32 = 0\n".to_owned();
    for (block, numbers) in threads.iter().enumerate() {
        text += &format!("//@ thread block={block}\n");
        text.extend(numbers.iter().map(|number| add(*number)));
    }
    text += "//@ observe x[0]\n";
    let view = explore(&read_text(&text).expect("a test")).expect("an answer");
    let outcomes = view.outcomes.expect("outcomes");
    let values: Vec<_> = outcomes.iter().map(|o| o.values.clone()).collect();
    assert_eq!(values, [[1111]]);
}

#[test]
fn incremental_search_matches_complete_search() {
    for expected in tests().values().step_by(7) {
        let whole = explore(&expected.test).expect("an answer");
        let mut search = ExplorationTask::new(expected.test.clone()).expect("a search");
        while !search.advance(1).expect("candidates") {}
        let sliced = search.finish();
        assert_eq!(
            (sliced.outcomes, sliced.racing_pairs),
            (whole.outcomes, whole.racing_pairs),
            "{}",
            expected.test.name
        );
    }
}

/// Returns the values of all outcomes of a litmus test.
fn outcomes_of(text: &str) -> Vec<Vec<u64>> {
    let view = read_text(text).and_then(|test| explore(&test));
    let view = view.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let outcomes = view.outcomes.expect("outcomes");
    outcomes.into_iter().map(|o| o.values).collect()
}

const FUNCTIONS: &str = "//@ location x: u32 = 0
//@ location flag: u32 = 0
.func publish(.reg .b64 %place, .reg .b32 %value)
{
    st.SEM.gpu.global.u32 [%place], %value; // for others
    ret;
}
.func (.param .b32 seen) look(.param .b64 place)
{
    .reg .b64 %rd1;
    .reg .b32 %r1;
    ld.param.u64 %rd1, [place];
    ld.relaxed.gpu.global.u32 %r1, [%rd1];
    st.param.b32 [seen+0], %r1;
    ret;
}
//@ thread block=0
st.relaxed.gpu.global.u32 [x], 1;
call publish, (flag, 1);
//@ thread block=1
call (%r0), look, (flag);
call.uni (%r1),
    look,
    (x);
//@ observe 1:%r0 1:%r1
";

/// Calls order nothing: a thread consists of its accesses, wherever their code is. Relaxed accesses to two locations
/// may be observed in any order; a release and an acquiring fence forbid an observation of the flag without the earlier
/// store.
#[test]
fn function_call_adds_no_memory_ordering() {
    let relaxed = FUNCTIONS.replace("SEM", "relaxed");
    assert_eq!(outcomes_of(&relaxed), [[0, 0], [0, 1], [1, 0], [1, 1]]);
    let release = FUNCTIONS.replace("SEM", "release");
    assert_eq!(outcomes_of(&release), [[0, 0], [0, 1], [1, 0], [1, 1]]);
    let ordered = release.replace("call.uni", "fence.acq_rel.gpu;\ncall.uni");
    assert_eq!(outcomes_of(&ordered), [[0, 0], [0, 1], [1, 1]]);
}

/// Two calls of one function have separate labels, and a guard skips a whole call.
#[test]
fn calls_of_same_function_have_separate_labels() {
    let text = "//@ location x: u32 = 0
//@ location y: u32 = 0
.func (.reg .b32 %r0) wait(.reg .b64 %rd0)
{
    .reg .pred %p<2>;
L:
    ld.acquire.gpu.global.u32 %r0, [%rd0];
    setp.eq.u32 %p0, %r0, 0;
    @%p0 bra L;
    ret;
}
//@ thread block=0
st.release.gpu.global.u32 [y], 3;
st.release.gpu.global.u32 [x], 2;
//@ thread block=1
call (%r1), wait, (x);
call (%r2), wait, (y);
setp.eq.u32 %p0, %r1, 2;
@%p0 call (%r3), wait, (x);
@!%p0 call (%r4), wait, (y);
//@ observe 1:%r0 1:%r1 1:%r2 1:%r3 1:%r4
";
    assert_eq!(outcomes_of(text), [[0, 2, 3, 2, 0]]);
}

/// A fix edits the instruction, not its whole line.
#[test]
fn repairs_edit_single_statement_of_line() {
    let text = "//@ location x: u32 = 0
//@ location flag: u32 = 0
//@ thread
st.global.u32 [x], 1; st.relaxed.gpu.global.u32 [flag], 1; // publish
//@ thread
L: ld.relaxed.gpu.global.u32 %r0, [flag]; ld.global.u32 %r1, [x];
//@ observe 1:%r0 1:%r1
//@ bad 1 0
";
    let test = read_text(text).expect("a test");
    let view = explore(&test).expect("an answer");
    let found = repairs(&test, &view).expect("repairs");
    let last = found.repairs.iter().map(|repair| apply(text, repair));
    let last: Vec<String> = last.collect();
    let bad = [1, 0].to_vec();
    assert!(last.iter().all(|text| !outcomes_of(text).contains(&bad)));
    expect_test::expect![[r#"
        //@ location x: u32 = 0
        //@ location flag: u32 = 0
        //@ thread
        st.global.u32 [x], 1; st.release.gpu.global.u32 [flag], 1; // publish
        //@ thread
        L: ld.acquire.gpu.global.u32 %r0, [flag]; ld.global.u32 %r1, [x];
        //@ observe 1:%r0 1:%r1
        //@ bad 1 0

        //@ location x: u32 = 0
        //@ location flag: u32 = 0
        //@ thread
        st.global.u32 [x], 1; st.release.gpu.global.u32 [flag], 1; // publish
        //@ thread
        L: ld.relaxed.gpu.global.u32 %r0, [flag]; fence.acq_rel.gpu;
        ld.global.u32 %r1, [x];
        //@ observe 1:%r0 1:%r1
        //@ bad 1 0

        //@ location x: u32 = 0
        //@ location flag: u32 = 0
        //@ thread
        st.global.u32 [x], 1; fence.acq_rel.gpu;
        st.relaxed.gpu.global.u32 [flag], 1; // publish
        //@ thread
        L: ld.acquire.gpu.global.u32 %r0, [flag]; ld.global.u32 %r1, [x];
        //@ observe 1:%r0 1:%r1
        //@ bad 1 0

        //@ location x: u32 = 0
        //@ location flag: u32 = 0
        //@ thread
        st.global.u32 [x], 1; fence.acq_rel.gpu;
        st.relaxed.gpu.global.u32 [flag], 1; // publish
        //@ thread
        L: ld.relaxed.gpu.global.u32 %r0, [flag]; fence.acq_rel.gpu;
        ld.global.u32 %r1, [x];
        //@ observe 1:%r0 1:%r1
        //@ bad 1 0
    "#]]
    .assert_eq(&last.join("\n"));
}

/// A fix inserts fences around calls, and does not modify their functions.
#[test]
fn repairs_do_not_modify_functions() {
    let text = FUNCTIONS.replace("SEM", "relaxed");
    let test = read_text(&text).expect("a test");
    let view = explore(&test).expect("an answer");
    let found = repairs(&test, &view).expect("repairs");
    let all = found.repairs.iter().flatten();
    let edits: BTreeSet<String> = all
        .map(|edit| format!("{:?} {}.{} {}", edit.op, edit.thread, edit.line, edit.text))
        .collect();
    expect_test::expect![[r#"
        InsertBefore 0.1 fence.acq_rel.gpu;
        InsertBefore 1.1 fence.acq_rel.gpu;"#]]
    .assert_eq(&edits.into_iter().collect::<Vec<_>>().join("\n"));
    for repair in &found.repairs {
        let repaired = apply(&text, repair);
        assert!(!outcomes_of(&repaired).contains(&vec![1, 0]), "{repaired}");
    }
}

#[test]
fn unsupported_calls_are_rejected_with_reason() {
    let said = |functions: &str, call: &str| {
        let text = format!(
            "//@ location x: u32 = 0\n{functions}\n//@ thread\n{call}\n//@ observe 0:%r0 x\n"
        );
        match read_text(&text).and_then(|test| explore(&test)) {
            Ok(_) => "answered".to_owned(),
            Err(error) => error.to_string(),
        }
    };
    let cases = [
        said(".func f() { st.global.u32 [x], 1; }", "call f;"),
        said(
            ".func f(.reg .b64 %p) { st.global.u32 [%p], %q; }",
            "call f, (x);",
        ),
        said(".func f() { call f; }", "call f;"),
        said("", "call f;"),
        said(".extern .func f();", "call f;"),
        said(".func f(.reg .b64 %p) { ret; }", "call f;"),
        said(
            ".func f(.param .align 8 .b8 s[16]) { ret; }",
            "{ .param .align 8 .b8 a[16]; call f, (a); }",
        ),
        said(".func f(.reg .b64 %p) { trap; }", "call f, (x);"),
    ];
    expect_test::expect![[r#"
        W0111 unknown name `x`
        W0111 unknown name `%q`
        line 4: the function `f` is called at depth 8, but litmus tests support only smaller call depths and no recursion
        line 4: W0111 unknown name `f`
        line 4: the called function `f` has no definition: define the function with `.func` before the first thread
        line 4: W0135 found 0 arguments, but `f` expects 1
        line 4: found the parameter `s` in a call, expected a register or a number of 16, 32 or 64 bits
        line 4: `trap` is not supported in litmus tests: remove the instruction and the branch to this instruction, since a launch that traps has no outcome"#]].assert_eq(&cases.join("\n"));
}

/// Morally strong additions form a chain in which each addition immediately follows the one that it reads: the last
/// addition of a thread reads at least the thread's own count, and at most the sum of all other additions; the final
/// value is the sum of all additions.
#[test]
fn atomic_increments_form_chain_without_gaps() {
    let text = |threads: usize, each: usize, observed: &str| {
        let mut text = "//@ location x: u32 = 0\n".to_owned();
        for block in 0..threads {
            text += &format!("//@ thread block={block}\n");
            for n in 0..each {
                text += &format!("atom.relaxed.gpu.global.add.u32 %r{n}, [x], 1;\n");
            }
        }
        text + &format!("//@ observe {observed}\n")
    };
    assert_eq!(outcomes_of(&text(1, 8, "0:%r7 x[0]")), [[7, 8]]);
    let last: Vec<Vec<u64>> = (3..8).map(|read| vec![read, 8]).collect();
    assert_eq!(outcomes_of(&text(2, 4, "0:%r3 x[0]")), last);
    let last: Vec<Vec<u64>> = (1..8).map(|read| vec![read, 8]).collect();
    assert_eq!(outcomes_of(&text(4, 2, "0:%r1 x[0]")), last);
}

/// A cell that is decremented or wraps around is no counter, so all orders are explored.
#[test]
fn decrementing_atomics_lose_no_outcome() {
    let text = |operand: &str| {
        let mut text = "//@ location x: u32 = 0\n".to_owned();
        for block in 0..3 {
            text += &format!("//@ thread block={block}\n");
            for n in 0..2 {
                text += &format!("atom.relaxed.gpu.global.add.u32 %r{n}, [x], {operand};\n");
            }
        }
        text + "//@ observe 0:%r1 x[0]\n"
    };
    let values = |n: u64, step: i64| (1..6).map(move |k| vec![(k * step) as u32 as u64, n]);
    let mut up: Vec<Vec<u64>> = values(6, 1).collect();
    up.sort_unstable();
    assert_eq!(outcomes_of(&text("1")), up);
    let mut down: Vec<Vec<u64>> = values((-6i64) as u32 as u64, -1).collect();
    down.sort_unstable();
    assert_eq!(outcomes_of(&text("-1")), down);
}

/// Each thread increments a counter and waits until all threads have done so, so no thread ends before the writes of
/// the others are known. Releasing additions form one release sequence, so a thread that reads the last addition
/// acquires all of them, and observes the earlier stores; the first of two reads returns 0.
#[test]
fn threads_spinning_on_shared_counter_terminate() {
    let text = |threads: usize| {
        let mut text = "//@ location n: u32 = 0\n//@ location x: u32[4] = 0\n".to_owned();
        for block in 0..threads {
            let (own, next) = (4 * block, 4 * ((block + 1) % threads));
            text += &format!(
                "//@ thread block={block}\nst.global.u32 [x+{own}], 1;\natom.release.gpu.global.add.u32 %r0, [n], 1;\n\
                 L:\nld.acquire.gpu.global.u32 %r1, [n];\nsetp.lt.u32 %p0, %r1, {threads};\n@%p0 bra L;\nld.global.u32 %r2, [x+{next}];\n"
            );
        }
        text + "//@ observe 0:%r0 0:%r2 1:%r2\n"
    };
    assert_eq!(outcomes_of(&text(2)), [[0, 1, 1], [1, 1, 1]]);
    assert_eq!(outcomes_of(&text(3)), [[0, 1, 1], [1, 1, 1], [2, 1, 1]]);
}

/// Returns the outcomes of threads with atomics in every order: the values that each atomic has read, and the final
/// value.
fn in_every_order(threads: &[Vec<u64>], op: fn(u64, u64) -> u64) -> BTreeSet<Vec<u64>> {
    fn go(
        threads: &[Vec<u64>],
        op: fn(u64, u64) -> u64,
        value: u64,
        read: &mut Vec<Vec<u64>>,
        found: &mut BTreeSet<Vec<u64>>,
    ) {
        let mut is_end = true;
        for thread in 0..threads.len() {
            let Some(operand) = threads[thread].get(read[thread].len()) else {
                continue;
            };
            is_end = false;
            read[thread].push(value);
            go(threads, op, op(value, *operand), read, found);
            read[thread].pop();
        }
        if is_end {
            found.insert(read.iter().flatten().copied().chain([value]).collect());
        }
    }
    let mut found = BTreeSet::new();
    let mut read = vec![Vec::new(); threads.len()];
    go(threads, op, 0, &mut read, &mut found);
    found
}

/// Atomics on one location have the outcomes of their orders, for any number of atomics, any operation, and additional
/// accesses to other locations.
#[test]
fn atomics_on_one_location_have_outcomes_of_all_orders() {
    type Op = (&'static str, fn(u64, u64) -> u64);
    let ops: [Op; 4] = [
        ("exch.b32", |_, operand| operand),
        ("max.u32", u64::max),
        ("xor.b32", |value, operand| value ^ operand),
        ("add.u32", |value, operand| value + operand),
    ];
    for (op, meaning) in ops {
        for (threads, each) in [(4, 2), (2, 4), (3, 3)] {
            let operands: Vec<Vec<u64>> = (0..threads)
                .map(|thread| (1..=each).map(|n| thread * each + n).collect())
                .collect();
            let text = |between: &str, observed: &[(u64, u64)]| {
                let mut text = "//@ location x: u32 = 0\n//@ location y: u32 = 0\n".to_owned();
                for (block, own) in operands.iter().enumerate() {
                    text += &format!("//@ thread block={block}\n{between}");
                    for (n, operand) in own.iter().enumerate() {
                        text += &format!("atom.relaxed.gpu.global.{op} %r{n}, [x], {operand};\n");
                    }
                }
                let observed = observed.iter().map(|(t, n)| format!("{t}:%r{n} "));
                text + &format!("//@ observe {}x[0]\n", observed.collect::<String>())
            };
            // Observed are the last read of the first thread and the first read of each other thread.
            let observed: Vec<(u64, u64)> = (0..threads)
                .map(|thread| (thread, if thread == 0 { each - 1 } else { 0 }))
                .collect();
            let places: Vec<usize> = observed
                .iter()
                .map(|(t, n)| (t * each + n) as usize)
                .chain([(threads * each) as usize])
                .collect();
            let expected: BTreeSet<Vec<u64>> = in_every_order(&operands, meaning)
                .iter()
                .map(|all| places.iter().map(|place| all[*place]).collect())
                .collect();
            let alone = outcomes_of(&text("", &observed));
            assert_eq!(alone, expected.iter().cloned().collect::<Vec<_>>(), "{op}");
            // A store to another location orders nothing here, but requires the general search.
            if (op, each) == ("exch.b32", 2) {
                let elsewhere = "st.relaxed.gpu.global.u32 [y], 1;\n";
                assert_eq!(outcomes_of(&text(elsewhere, &observed)), alone);
            }
        }
    }
}

/// The search explores a chain of twelve atomics once per reachable state, not once for each of its 369600 orders.
#[test]
fn twelve_atomic_increments_have_exactly_expected_outcomes() {
    let mut text = "//@ location x: u32 = 0\n".to_owned();
    for block in 0..4 {
        text += &format!("//@ thread block={block}\n");
        for n in 0..3 {
            text += &format!("atom.acq_rel.gpu.global.add.u32 %r{n}, [x], 1;\n");
        }
    }
    text += "//@ observe 0:%r2 1:%r0 x[0]\n";
    let outcomes = outcomes_of(&text);
    // Two atomics of thread 0 precede its last one, and two atomics of thread 1 follow its first one; each atomic has a
    // distinct position.
    let all = (2..12).flat_map(|last| (0..10).map(move |first| vec![last, first, 12]));
    let can_be = |outcome: &Vec<u64>| match (outcome[0], outcome[1]) {
        (last, first) if first < last => last > 2 && first < 9,
        (last, first) => first > last,
    };
    let expected: Vec<Vec<u64>> = all.filter(can_be).collect();
    assert_eq!(outcomes, expected);
}

/// Exchanges between lanes order no memory accesses although they synchronize the lanes: the load after the shuffle may
/// return the value from before the store. The exchanged value is any value of the source lane.
#[test]
fn shfl_exchanges_values_without_ordering_memory() {
    let text = "//@ location x: u32 = 0
//@ location y: u32 = 0
//@ thread block=0 thread=0
st.relaxed.gpu.global.u32 [x], 1;
mov.u32 %r1, 7;
shfl.sync.idx.b32 %r0|%p0, %r1, 1, 31, 3;
//@ thread block=0 thread=1
ld.relaxed.gpu.global.u32 %r1, [y];
shfl.sync.idx.b32 %r0, %r1, LANE, 31, 3;
ld.relaxed.gpu.global.u32 %r2, [x];
//@ thread block=1 thread=0
st.relaxed.gpu.global.u32 [y], 5;
//@ observe 0:%r0 1:%r0 1:%r2
";
    let own = [[0, 0, 0], [0, 0, 1], [5, 5, 0], [5, 5, 1]];
    assert_eq!(outcomes_of(&text.replace("LANE", "1")), own);
    let other = [[0, 7, 0], [0, 7, 1], [5, 7, 0], [5, 7, 1]];
    assert_eq!(outcomes_of(&text.replace("LANE", "0")), other);
    // In an interleaving, the store precedes the exchange, and the load follows it.
    let view = read_text(&text.replace("LANE", "0")).and_then(|test| explore(&test));
    let outcomes = view.expect("an answer").outcomes.expect("outcomes");
    let in_order = outcomes.iter().filter(|o| o.is_interleaving);
    assert_eq!(in_order.map(|o| o.values[2]).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn warp_collectives_combine_values_of_lanes() {
    let text = |lines: &[&str; 2], observed: &str| {
        let mut text = "//@ location x: u32 = 0\n".to_owned();
        for (lane, line) in lines.iter().enumerate() {
            text += &format!(
                "//@ thread block=0 thread={lane}\nld.relaxed.gpu.global.u32 %r1, [x];\nsetp.eq.u32 %p0, %r1, 0;\n{line}\nselp.u32 %r3, 1, 0, %p1;\n"
            );
        }
        text + "//@ thread block=0 thread=2\nst.relaxed.gpu.global.u32 [x], 1;\n//@ observe 0:%r1 1:%r1 "
            + observed
    };
    let both = |line: &'static str| [line, line];
    let cases = [
        (
            both("vote.sync.all.pred %p1, !%p0, 3;"),
            "0:%r3 1:%r3",
            [[0, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0], [1, 1, 1, 1]],
        ),
        (
            both("vote.sync.ballot.b32 %r2, %p0, 3;"),
            "0:%r2 1:%r2",
            [[0, 0, 3, 3], [0, 1, 1, 1], [1, 0, 2, 2], [1, 1, 0, 0]],
        ),
        // Each lane supplies the value of a register of this lane.
        (
            [
                "vote.sync.any.pred %p1, %p0, 3;",
                "vote.sync.any.pred %p1, !%p0, 3;",
            ],
            "0:%r3 1:%r3",
            [[0, 0, 1, 1], [0, 1, 1, 1], [1, 0, 0, 0], [1, 1, 1, 1]],
        ),
        (
            both("redux.sync.add.u32 %r2, %r1, 3;"),
            "0:%r2 1:%r2",
            [[0, 0, 0, 0], [0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 2, 2]],
        ),
        (
            both("match.any.sync.b32 %r2, %r1, 3;"),
            "0:%r2 1:%r2",
            [[0, 0, 3, 3], [0, 1, 1, 2], [1, 0, 1, 2], [1, 1, 3, 3]],
        ),
        (
            both("elect.sync _|%p1, 3;"),
            "0:%r3 1:%r3",
            [[0, 0, 1, 0], [0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 1, 0]],
        ),
    ];
    for (lines, observed, expected) in cases {
        assert_eq!(outcomes_of(&text(&lines, observed)), expected, "{lines:?}");
    }
}

/// A value that another lane supplies depends on the reads of that lane, so no value depends on itself.
#[test]
fn shfl_produces_no_out_of_thin_air_value() {
    let text = "//@ location x: u32 = 0
//@ location y: u32 = 0
//@ thread block=0 thread=0
ld.relaxed.gpu.global.u32 %r1, [x];
shfl.sync.idx.b32 %r0, %r1, 0, 31, 3;
//@ thread block=0 thread=1
shfl.sync.idx.b32 %r0, %r1, 0, 31, 3;
st.relaxed.gpu.global.u32 [y], %r0;
//@ thread block=1 thread=0
ld.relaxed.gpu.global.u32 %r1, [y];
add.u32 %r1, %r1, 1;
st.relaxed.gpu.global.u32 [x], %r1;
//@ observe x[0] y[0]
";
    assert_eq!(outcomes_of(text), [[1, 0], [1, 1]]);
}

#[test]
fn unsupported_instructions_are_rejected_with_remedy() {
    let said = |lines: &str| {
        let text = format!(
            "//@ location x: u32 = 0\n//@ thread block=0 thread=0\n{lines}\n//@ thread block=0 thread=1\nst.global.u32 [x], 1;\n//@ observe x\n"
        );
        match read_text(&text).and_then(|test| explore(&test)) {
            Ok(_) => "answered".to_owned(),
            Err(error) => error.to_string(),
        }
    };
    let cases = [
        "shfl.sync.idx.b32 %r0, %r1, 0, 31, -1;",
        "shfl.sync.idx.b32 %r0, %r1, 0, 31, 2;",
        "shfl.sync.idx.b32 %r0, %r1, 2, 31, 1;",
        "shfl.sync.idx.b32 %r0, 7, 1, 31, 3;",
        "activemask.b32 %r0;",
        "trap;",
        "bar.red.popc.u32 %r0, 0, %p0;",
        "ld.local.u32 %r0, [%r1];",
        "fence.proxy.alias;",
        "mbarrier.inval.shared.b64 [%r1];",
    ];
    let said: Vec<String> = cases.iter().map(|lines| said(lines)).collect();
    expect_test::expect![[r#"
        line 3: `shfl.sync.idx.b32` waits for lane 2, which is not a thread of the litmus test: use the mask 0x3, add a `//@ thread` for each lane of the mask, or replace the instruction with a move of a number
        line 3: the member mask of `shfl.sync.idx.b32` does not include the executing lane 0: use the mask 0x3
        line 3: the source lane 2 of the shuffle is not in the member mask: select a source lane that is in the mask
        line 3: the operand that other lanes receive is not a register: move the value into a register first
        line 3: the memory model does not define the set of active lanes, so `activemask` has no unique result: move a constant mask into the register
        line 3: `trap` is not supported in litmus tests: remove the instruction and the branch to this instruction, since a launch that traps has no outcome
        line 3: `bar.red` is not supported in litmus tests: use `bar.sync`, which provides the same ordering, and move the result into the destination register
        line 3: the instruction accesses memory that threads do not share: replace the load with a move of the value, or remove the instruction
        line 3: the proxy fence refers to a proxy that no access of the litmus test uses: remove the fence, or use `fence.proxy.async`
        line 3: `mbarrier.inval.shared.b64` is not supported in litmus tests: remove the instruction, and use another location for the subsequent accesses"#]].assert_eq(&said.join("\n"));
}
