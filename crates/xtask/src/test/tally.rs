//! Counting: what a test program printed goes in, how many passed and failed comes out.

use crate::shell::plain;
use std::fmt;
use std::ops::AddAssign;

/// Tests by outcome. Prints as the plain line that ends every run: `12 passed, 0 failed`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
}

impl Tally {
    /// A suite that ended before it could count.
    pub(crate) fn broken() -> Tally {
        Tally {
            failed: 1,
            ..Tally::default()
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 {
            write!(out, ", {} skipped", self.skipped)?;
        }
        Ok(())
    }
}

/// The `test result: ok. 3 passed; 0 failed; 1 ignored; …` lines of Rust's test harness, and of the
/// one for wasm, which prints the same.
pub(crate) fn of_rust(transcript: &str) -> Tally {
    let mut tally = Tally::default();
    for line in transcript
        .lines()
        .map(plain)
        .filter(|line| line.starts_with("test result:"))
    {
        tally += of_counts(&line);
    }
    tally
}

/// The closing lines of Playwright: `3 passed (2.1s)`, `1 failed`, `1 flaky`.
pub(crate) fn of_playwright(transcript: &str) -> Tally {
    let mut tally = Tally::default();
    for line in transcript.lines().map(plain) {
        let mut words = line.split_whitespace();
        let (Some(count), Some(_), None | Some(_)) = (words.next(), words.next(), words.next())
        else {
            continue;
        };
        if count.parse::<u64>().is_ok() {
            tally += of_counts(&line);
        }
    }
    tally
}

/// The closing lines of Node's test runner: `# pass 4`, `# fail 0`.
pub(crate) fn of_node(transcript: &str) -> Tally {
    let mut tally = Tally::default();
    for line in transcript.lines().map(plain) {
        let Some((what, count)) = line
            .strip_prefix("# ")
            .and_then(|rest| rest.split_once(' '))
        else {
            continue;
        };
        let count = count.parse().unwrap_or(0);
        match what {
            "pass" => tally.passed += count,
            "fail" | "cancelled" => tally.failed += count,
            "skipped" | "todo" => tally.skipped += count,
            _ => {}
        }
    }
    tally
}

/// Numbers with the word after each.
fn of_counts(line: &str) -> Tally {
    let words: Vec<&str> = line
        .split([' ', ';', ','])
        .filter(|word| !word.is_empty())
        .collect();
    let mut tally = Tally::default();
    for pair in words.windows(2) {
        let [count, what] = pair else { continue };
        let Ok(count) = count.parse::<u64>() else {
            continue;
        };
        match *what {
            // A journey that needed a second try did pass.
            "passed" | "flaky" => tally.passed += count,
            "failed" | "interrupted" => tally.failed += count,
            "ignored" | "skipped" => tally.skipped += count,
            _ => {}
        }
    }
    tally
}

#[cfg(test)]
mod tests {
    use super::{Tally, of_node, of_playwright, of_rust};

    #[test]
    fn rust_suites_add_up() {
        let text = "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n\
                    noise 7 passed\n\
                    test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured";
        assert_eq!(
            of_rust(text),
            Tally {
                passed: 5,
                failed: 1,
                skipped: 1
            }
        );
    }

    #[test]
    fn playwright_is_read() {
        let text = "Running 4 tests using 1 worker\n\n  1 failed\n    smoke.spec.ts:3:1\n  3 passed (2.1s)\n";
        assert_eq!(
            of_playwright(text),
            Tally {
                passed: 3,
                failed: 1,
                skipped: 0
            }
        );
    }

    #[test]
    fn node_is_read() {
        let text = "ok 1 - 9 passed\n# tests 5\n# pass 4\n# fail 1\n# cancelled 0\n";
        assert_eq!(
            of_node(text),
            Tally {
                passed: 4,
                failed: 1,
                skipped: 0
            }
        );
    }

    #[test]
    fn the_closing_line_is_plain() {
        let tally = Tally {
            passed: 5,
            failed: 1,
            skipped: 0,
        };
        assert_eq!(tally.to_string(), "5 passed, 1 failed");
    }
}
