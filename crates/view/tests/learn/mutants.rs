//! Mutation tests of puzzles: each mutant of a solution has one change, and the puzzle must reject it. `data/learn/survivors.txt` lists the
//! surviving mutants, most of which are equivalent in every launch.

use super::puzzles;
use expect_test::expect_file;
use std::collections::BTreeSet;
use std::path::Path;
use warpgrid_view::CheckOptions;
use warpgrid_view::check;
use warpgrid_view::learn::puzzle::Puzzle;

/// Opcode parts and their replacements.
const WORDS: &[(&str, &[&str])] = &[
    ("add", &["sub", "mul.lo", "max"]),
    ("sub", &["add"]),
    ("mul", &["add", "div"]),
    ("and", &["or", "xor"]),
    ("or", &["and", "xor"]),
    ("xor", &["and", "or"]),
    ("shr", &["shl"]),
    ("shl", &["shr"]),
    ("neg", &["not", "abs", "mov"]),
    ("lo", &["hi"]),
    ("wide", &["lo"]),
    ("lt", &["le", "gt", "eq"]),
    ("le", &["lt", "ge", "eq"]),
    ("gt", &["ge", "lt", "ne"]),
    ("ge", &["gt", "lt", "ne"]),
    ("eq", &["ne", "lt"]),
    ("ne", &["eq", "gt"]),
    ("bfly", &["up", "down", "idx"]),
    ("release", &["relaxed"]),
    ("gpu", &["cta"]),
    ("st", &["ld"]),
    ("ld", &["st"]),
    ("shared", &["global", "local"]),
    ("global", &["shared"]),
    ("x2", &["x1", "x4"]),
    ("v2", &["v4"]),
    ("v4", &["v2"]),
    ("u8", &["u16", "u32"]),
    ("u16", &["u8", "u32"]),
    ("u32", &["u16", "u64", "u8"]),
    ("s32", &["s16", "s64"]),
    ("b32", &["b16", "b64", "b8"]),
    ("u64", &["u32"]),
    ("f32", &["f64", "b16"]),
    ("wait_group", &["commit_group"]),
    ("expect_tx", &["noComplete"]),
];

/// Opcodes whose first two sources are commutative.
const COMMUTATIVE: &[&str] = &["add", "mul", "mad", "and", "or", "xor"];

#[test]
fn at_least_95_percent_of_accepted_solution_mutants_fail() {
    let (mut n, mut n_refused, mut survivors) = (0, 0, Vec::new());
    for (name, puzzle) in puzzles().iter().filter(|(_, puzzle)| puzzle.is_written()) {
        for mutant in mutants(puzzle) {
            n += 1;
            let source = puzzle.with(&mutant);
            if !check(&source, &CheckOptions::default()).accept {
                n_refused += 1;
                assert!(!puzzle.check(&mutant).passed, "{name}: {mutant}");
            } else if puzzle.check(&mutant).passed {
                survivors.push(format!("{name}: {}", changed(puzzle.answer(), &mutant)));
            }
        }
    }
    let n_run = n - n_refused;
    let summary = format!(
        "{n} mutants: {n_refused} are refused by the checker, {n_run} run, {} of them pass\n\n",
        survivors.len()
    );
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/learn/survivors.txt");
    expect_file![file].assert_eq(&(summary + &survivors.join("\n") + "\n"));
    assert!(n >= 2_000, "{n} mutants");
    // Running mutants are also rejected.
    assert!(
        survivors.len() * 20 <= n_run,
        "{} of {n_run}",
        survivors.len()
    );
}

/// Formats the lines that differ.
fn changed(before: &str, after: &str) -> String {
    let own: Vec<&str> = before.lines().map(str::trim).collect();
    let new: Vec<&str> = after.lines().map(str::trim).collect();
    let lines = new.iter().enumerate();
    let other = lines.filter(|(at, line)| own.get(*at) != Some(*line));
    let other: Vec<String> = other.map(|(_, line)| squeezed(line)).collect();
    match new.len() < own.len() {
        true => {
            let at = (0..own.len()).find(|at| own.get(*at) != new.get(*at));
            format!("without {}", squeezed(own[at.unwrap_or(0)]))
        }
        false => other.join(" | "),
    }
}

fn squeezed(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns all mutants with one change.
fn mutants(puzzle: &Puzzle) -> BTreeSet<String> {
    let answer = puzzle.answer();
    let lines: Vec<&str> = answer.lines().collect();
    let known = registers(&puzzle.with(answer));
    let mut found = BTreeSet::new();
    let mut add = |changed: Vec<String>| {
        found.insert(
            changed
                .iter()
                .map(|line| format!("{line}\n"))
                .collect::<String>(),
        );
    };
    let own: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    for at in 0..own.len() {
        let mut without = own.clone();
        without.remove(at);
        add(without);
        if at + 1 < own.len() && own[at] != own[at + 1] {
            let mut swapped = own.clone();
            swapped.swap(at, at + 1);
            add(swapped);
        }
        for line in changes(&own[at], &known) {
            let mut changed = own.clone();
            changed[at] = line;
            add(changed);
        }
    }
    found.remove(answer);
    found
}

/// Returns the registers of a source, without special registers.
fn registers(source: &str) -> BTreeSet<String> {
    let names = tokens(source).into_iter().map(|(_, token)| token);
    let names = names.filter(|token| token.starts_with('%'));
    let plain = names.filter(|name| name.ends_with(|c: char| c.is_ascii_digit()));
    let mut found: BTreeSet<String> = plain.map(str::to_owned).collect();
    // Declared but unused registers are also candidates, except predicates, which are undefined.
    for (kind, n) in declared(source) {
        found.extend(
            (0..n)
                .map(|index| format!("{kind}{index}"))
                .filter(|_| kind != "%p"),
        );
    }
    found
}

/// Parses `%r<8>` into the prefix of the names and their number.
fn declared(source: &str) -> Vec<(&str, u32)> {
    let families = source.match_indices('<');
    let family = |(at, _): (usize, &str)| {
        let from = source[..at].rfind('%')?;
        let n = source[at + 1..].split_once('>')?.0;
        Some((&source[from..at], n.parse().ok()?))
    };
    families.filter_map(family).collect()
}

/// Returns the prefix of a name, which is equal for registers of the same kind.
fn kind(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit())
}

/// Returns identifiers, numbers and registers with their start positions.
fn tokens(text: &str) -> Vec<(usize, &str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '%';
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (is_part(c), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                found.push((from, &text[from..at]));
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// Returns all mutants of a line.
fn changes(line: &str, known: &BTreeSet<String>) -> Vec<String> {
    let mut found = Vec::new();
    if line.trim_end().ends_with(':') || line.trim().is_empty() {
        return found;
    }
    for (at, token) in tokens(line) {
        let mut with = |new: &str| {
            found.push([&line[..at], new, &line[at + token.len()..]].concat());
        };
        if known.contains(token) {
            for other in known
                .iter()
                .filter(|other| kind(other) == kind(token) && *other != token)
            {
                with(other);
            }
        } else if let Some(number) = number(token) {
            for other in [
                number + 1,
                number.wrapping_sub(1),
                number * 2,
                0,
                number + 4,
            ] {
                if other != number {
                    with(&(other as i64).to_string());
                }
            }
        } else if let Some((_, others)) = WORDS.iter().find(|(word, _)| *word == token) {
            others.iter().for_each(|other| with(other));
        }
    }
    found.extend(addresses(line));
    found.extend(guards(line, known));
    found.extend(operands(line));
    found
}

fn number(token: &str) -> Option<u64> {
    match token.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => token.parse().ok(),
    }
}

/// Mutates an address offset.
fn addresses(line: &str) -> Vec<String> {
    let ends = line.match_indices(']').map(|(at, _)| at);
    ends.flat_map(|at| {
        ["+4", "+8", "+1", "+16", "-4"].map(|more| [&line[..at], more, &line[at..]].concat())
    })
    .collect()
}

/// Mutates the guard, or removes it.
fn guards(line: &str, known: &BTreeSet<String>) -> Vec<String> {
    let text = line.trim_start();
    let Some(rest) = text.strip_prefix('@') else {
        // An unset predicate disables all lanes, or none.
        let guards = ["@%p1 ", "@!%p1 "].into_iter();
        let guards = guards.filter(|_| known.contains("%p1"));
        return guards.map(|guard| format!("{guard}{text}")).collect();
    };
    let (guard, instruction) = rest.split_once(' ').unwrap_or((rest, ""));
    let turned = match guard.strip_prefix('!') {
        Some(plain) => format!("@{plain} {instruction}"),
        None => format!("@!{guard} {instruction}"),
    };
    vec![turned, instruction.to_owned()]
}

/// Mutates the order of the sources.
fn operands(line: &str) -> Vec<String> {
    let text = line.trim_start();
    let Some((opcode, rest)) = text.split_once(' ') else {
        return Vec::new();
    };
    let parts: Vec<&str> = rest
        .trim_end_matches(';')
        .split(',')
        .map(str::trim)
        .collect();
    let word = opcode.split('.').next().unwrap_or("");
    let mut found = Vec::new();
    for (first, second) in [(1, 2), (2, 3), (0, 1)] {
        let is_same = first == 1 && COMMUTATIVE.contains(&word);
        if parts.len() > second && !is_same && parts[first] != parts[second] && !rest.contains('{')
        {
            let mut swapped = parts.clone();
            swapped.swap(first, second);
            found.push(format!("{opcode} {};", swapped.join(", ")));
        }
    }
    found
}
