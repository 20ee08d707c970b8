//! Single SASS instructions with one case per line of `data/operations/*.txt`: initial register values, instructions, and expected register
//! values of each lane. A value has the notation of `//@ register`, so `lane * 4` is also possible. `R244` contains the address of global
//! memory whose words contain their index.

use std::fs;
use std::path::Path;
use warpgrid_view::{MemoryKey, Scenario, Session, SourceLanguage};

/// Number of lanes. Each lane stores its results to a row of shared memory.
const N_LANES: usize = 32;
const ROW_BYTES: usize = 64;

struct Case<'a> {
    target: &'a str,
    /// `R1 = 5`
    given: Vec<(&'a str, &'a str)>,
    code: &'a str,
    expected: Vec<(&'a str, &'a str)>,
}

fn facts(text: &str) -> Vec<(&str, &str)> {
    let facts = text
        .split(',')
        .map(str::trim)
        .filter(|fact| !fact.is_empty());
    facts
        .map(|fact| {
            let (name, value) = fact.split_once('=').expect("`name = value`");
            (name.trim(), value.trim())
        })
        .collect()
}

/// Parses a file: `@ sm_80` specifies the architecture of the following lines, `#` starts a comment, and all other lines are cases.
fn cases(text: &str) -> Vec<(usize, Case<'_>)> {
    let mut target = "sm_80";
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(name) = line.strip_prefix('@') {
            target = name.trim();
        } else if !line.is_empty() && !line.starts_with('#') {
            let parts: Vec<&str> = line.split(" => ").collect();
            let [before, expected] = parts[..] else {
                panic!("line {}: expected one `=>`", index + 1);
            };
            let (given, code) = before.split_once(':').unwrap_or(("", before));
            let case = Case {
                target,
                given: facts(given),
                code: code.trim(),
                expected: facts(expected),
            };
            found.push((index + 1, case));
        }
    }
    found
}

/// Evaluates an expression for a lane: `lane * 4 + 1`, `0x10`, `1.5`.
fn value(text: &str, lane: usize) -> u32 {
    let number = |text: &str| {
        let text = text.trim();
        match text.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None if text.contains('.') => text.parse::<f32>().ok().map(f32::to_bits),
            None => text.parse::<i64>().ok().map(|value| value as u32),
        }
    };
    let term = |part: &str| {
        let factors = part.split('*').map(str::trim);
        factors.fold(1u32, |product, factor| {
            let factor = match factor {
                "lane" => lane as u32,
                _ => number(factor).unwrap_or_else(|| panic!("`{text}` is no value")),
            };
            product.wrapping_mul(factor)
        })
    };
    text.split(" + ").map(term).fold(0, u32::wrapping_add)
}

/// Returns the expected registers of a case by lane.
fn run(case: &Case<'_>) -> Result<Vec<Vec<u32>>, String> {
    let mut source =
        format!("//@ launch block={N_LANES}\n//@ register R240 = lane * {ROW_BYTES}\n");
    source += "//@ buffer words: u32[256] = iota\n//@ register R244 = words\n";
    source += "//@ register R241 = 1\n//@ register R242 = 0\n//@ register R243 = 0\n";
    for (name, value) in &case.given {
        source += &format!("//@ register {name} = {value}\n");
    }
    source += &format!(".target {}\n", case.target);
    for instruction in case.code.split(';').map(str::trim) {
        source += &format!("{instruction};\n");
    }
    for (index, (name, _)) in case.expected.iter().enumerate() {
        let place = index * 4;
        match name.strip_prefix('P') {
            Some(_) => {
                source += &format!("SEL R242, R241, RZ, {name};\nSTS [R240+{place:#x}], R242;\n")
            }
            None if name.starts_with('U') => {
                source += &format!("MOV R243, {name};\nSTS [R240+{place:#x}], R243;\n");
            }
            None => source += &format!("STS [R240+{place:#x}], {name};\n"),
        }
    }
    source += "EXIT;\n";
    let scenario = Scenario {
        source,
        front: SourceLanguage::Sass,
        ..Scenario::default()
    };
    let mut session = Session::new(scenario).map_err(|error| error.message)?;
    if !session.run(10_000) {
        return Err("not over".to_owned());
    }
    if let Some(fault) = session.fault() {
        let reason = session
            .diagnostics()
            .iter()
            .map(|found| found.message.clone());
        return Err(format!(
            "{} {:?}",
            fault.message,
            reason.collect::<Vec<_>>()
        ));
    }
    let bytes = session
        .memory(&MemoryKey::Shared(0))
        .ok_or("no shared memory")?;
    let word = |lane: usize, index: usize| {
        let at = lane * ROW_BYTES + index * 4;
        u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
    };
    let row = |lane| {
        (0..case.expected.len())
            .map(|index| word(lane, index))
            .collect()
    };
    Ok((0..N_LANES).map(row).collect())
}

fn differences(case: &Case<'_>) -> Option<String> {
    let rows = match run(case) {
        Ok(rows) => rows,
        Err(reason) => return Some(reason),
    };
    for (lane, row) in rows.iter().enumerate() {
        for ((name, expression), found) in case.expected.iter().zip(row) {
            let expected = value(expression, lane);
            if *found != expected {
                return Some(format!(
                    "lane {lane}: {name} is {found:#x}, expected {expected:#x}"
                ));
            }
        }
    }
    None
}

#[test]
fn operation_cases_produce_expected_results() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/operations");
    let (mut n_cases, mut wrong) = (0, Vec::new());
    let mut paths: Vec<_> = fs::read_dir(folder)
        .expect("the folder of operations")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    for path in paths {
        let text = fs::read_to_string(&path).expect("a text");
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        for (line, case) in cases(&text) {
            n_cases += 1;
            let found = differences(&case);
            wrong.extend(found.map(|reason| format!("{file}:{line}: {}: {reason}", case.code)));
        }
    }
    assert!(n_cases >= 150, "{n_cases} cases");
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
