//! Parses test counts from the output of test programs.

use crate::shell::{Result, plain};
use std::fmt;
use std::ops::AddAssign;

/// Number of tests by outcome. The `Display` implementation formats the last line of every run, as in `12 passed, 0 failed`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TestCounts {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
}

impl TestCounts {
    /// Returns the counts of a suite that ended before the suite reported any counts.
    pub(crate) fn broken() -> TestCounts {
        TestCounts {
            failed: 1,
            ..TestCounts::default()
        }
    }
}

impl From<Result<()>> for TestCounts {
    /// Counts a step as one test, and prints the message of a failed step.
    fn from(step: Result<()>) -> TestCounts {
        match step {
            Ok(()) => TestCounts {
                passed: 1,
                ..TestCounts::default()
            },
            Err(message) => {
                eprintln!("  {message}");
                TestCounts::broken()
            }
        }
    }
}

impl AddAssign for TestCounts {
    fn add_assign(&mut self, other: TestCounts) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for TestCounts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 {
            write!(out, ", {} skipped", self.skipped)?;
        }
        Ok(())
    }
}

/// Parses lines such as `test result: ok. 3 passed; 0 failed; 1 ignored; …`, which the Rust test harness prints. The wasm test harness
/// prints lines in the same format.
pub(crate) fn of_rust(transcript: &str) -> TestCounts {
    let mut tally = TestCounts::default();
    for line in transcript
        .lines()
        .map(plain)
        .filter(|line| line.starts_with("test result:"))
    {
        tally += of_counts(&line);
    }
    tally
}

/// Parses the last lines that Playwright prints, such as `3 passed (2.1s)`, `1 failed` and `1 flaky`.
pub(crate) fn of_playwright(transcript: &str) -> TestCounts {
    let mut tally = TestCounts::default();
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

/// Parses the last lines that the test runner of Node prints, such as `# pass 4` and `# fail 0`.
pub(crate) fn of_node(transcript: &str) -> TestCounts {
    let mut tally = TestCounts::default();
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

/// Parses the last line of the tests of the Python package, such as `12 passed, 0 failed, 1 skipped`.
pub(crate) fn of_python(transcript: &str) -> TestCounts {
    let mut counts = transcript.lines().map(plain);
    let last = counts.rfind(|line| line.contains(" passed, "));
    last.map_or_else(TestCounts::default, |line| of_counts(&line))
}

/// Parses the line that `tree-sitter test` prints, `Total parses: 13; successful parses: 13; failed parses: 0; …`.
pub(crate) fn of_tree_sitter(transcript: &str) -> TestCounts {
    let mut tally = TestCounts::default();
    for part in transcript.lines().flat_map(|line| line.split("; ")) {
        let Some((what, count)) = part.split_once(": ") else {
            continue;
        };
        let count = count.parse().unwrap_or(0);
        match what {
            "successful parses" => tally.passed += count,
            "failed parses" => tally.failed += count,
            _ => {}
        }
    }
    tally
}

/// Parses a line of numbers, each followed by its outcome.
fn of_counts(line: &str) -> TestCounts {
    let words: Vec<&str> = line
        .split([' ', ';', ','])
        .filter(|word| !word.is_empty())
        .collect();
    let mut tally = TestCounts::default();
    for pair in words.windows(2) {
        let [count, what] = pair else { continue };
        let Ok(count) = count.parse::<u64>() else {
            continue;
        };
        match *what {
            // A flaky test has passed in a repeated attempt.
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
    use super::{TestCounts, of_node, of_playwright, of_python, of_rust, of_tree_sitter};

    #[test]
    fn rust_counts_are_totaled_over_suites() {
        let text = "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n\
                    noise 7 passed\n\
                    test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured";
        assert_eq!(
            of_rust(text),
            TestCounts {
                passed: 5,
                failed: 1,
                skipped: 1
            }
        );
    }

    #[test]
    fn playwright_counts_are_parsed() {
        let text = "Running 4 tests using 1 worker\n\n  1 failed\n    smoke.spec.ts:3:1\n  3 passed (2.1s)\n";
        assert_eq!(
            of_playwright(text),
            TestCounts {
                passed: 3,
                failed: 1,
                skipped: 0
            }
        );
    }

    #[test]
    fn node_counts_are_parsed() {
        let text = "ok 1 - 9 passed\n# tests 5\n# pass 4\n# fail 1\n# cancelled 0\n";
        assert_eq!(
            of_node(text),
            TestCounts {
                passed: 4,
                failed: 1,
                skipped: 0
            }
        );
    }

    #[test]
    fn tree_sitter_counts_are_parsed() {
        let text = "ok\nTotal parses: 5; successful parses: 4; failed parses: 1; success percentage: 80.00%\n";
        assert_eq!(
            of_tree_sitter(text),
            TestCounts {
                passed: 4,
                failed: 1,
                skipped: 0
            }
        );
    }

    #[test]
    fn python_counts_are_parsed() {
        let text = "Ran 4 tests in 0.1s\n\nOK (skipped=1)\n3 passed, 0 failed, 1 skipped\n";
        assert_eq!(
            of_python(text),
            TestCounts {
                passed: 3,
                failed: 0,
                skipped: 1
            }
        );
    }

    #[test]
    fn summary_omits_zero_skipped_count() {
        let tally = TestCounts {
            passed: 5,
            failed: 1,
            skipped: 0,
        };
        assert_eq!(tally.to_string(), "5 passed, 1 failed");
    }
}
