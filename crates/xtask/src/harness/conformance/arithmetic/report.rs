//! Prints the agreement of arithmetic results by file and by operation.

use super::super::Options;
use super::ArithmeticComparison;
use super::kernel::FormOutcome;
use std::collections::BTreeMap;

/// Row counts of one file or one operation.
#[derive(Clone, Debug, Default)]
struct AgreementCounts {
    agreed: usize,
    differ: usize,
    not_run: usize,
    refused: usize,
    stopped: usize,
    doubtful: usize,
    /// Reason why rows were not executed, were rejected, or stopped.
    why: String,
}

impl AgreementCounts {
    fn count(&mut self, compared: &ArithmeticComparison<'_>) {
        let n = compared.form.rows.len();
        if compared.form.doubtful {
            self.doubtful += n;
            return;
        }
        let (rows, reason) = match compared.outcome {
            FormOutcome::Ran(_) => {
                let differ = compared.differing().len();
                self.differ += differ;
                self.agreed += n - differ;
                return;
            }
            FormOutcome::NotRunYet(reason) => (&mut self.not_run, reason),
            FormOutcome::Refused(reason) => (&mut self.refused, reason),
            FormOutcome::Stopped(reason) => (&mut self.stopped, reason),
        };
        *rows += n;
        self.why.clone_from(reason);
    }

    fn add(&mut self, other: &AgreementCounts) {
        self.agreed += other.agreed;
        self.differ += other.differ;
        self.not_run += other.not_run;
        self.refused += other.refused;
        self.stopped += other.stopped;
        self.doubtful += other.doubtful;
    }

    /// Returns the number of rows that were executed.
    fn n_run(&self) -> usize {
        self.agreed + self.differ + self.stopped
    }

    fn is_full(&self) -> bool {
        self.differ + self.not_run + self.refused + self.stopped == 0
    }

    fn line(&self, name: &str) -> String {
        let mut line = match self.n_run() {
            0 => format!("  {name:<60} {:>16}          ", "none executed"),
            n => format!(
                "  {name:<60} {:>6} of {n:>6}  {:>7.3} %",
                self.agreed,
                100.0 * self.agreed as f64 / n as f64
            ),
        };
        let counts = [
            (self.differ, "differ"),
            (self.stopped, "stopped"),
            (self.not_run, "not executed"),
            (self.refused, "rejected"),
            (self.doubtful, "doubtful"),
        ];
        for (n, what) in counts.into_iter().filter(|(n, _)| *n > 0) {
            line.push_str(&format!("  {n} {what}"));
        }
        line
    }
}

/// Prints the report. Returns true if the results of all executed rows agree.
pub(super) fn print(compared: &[ArithmeticComparison<'_>], options: &Options) -> bool {
    let mut files: BTreeMap<&str, AgreementCounts> = BTreeMap::new();
    let mut operations: BTreeMap<&str, AgreementCounts> = BTreeMap::new();
    let mut total = AgreementCounts::default();
    for compared in compared {
        total.count(compared);
        files
            .entry(&compared.form.file)
            .or_default()
            .count(compared);
        operations
            .entry(compared.form.title())
            .or_default()
            .count(compared);
    }
    println!("\n== arithmetic: {} operations, by rows", operations.len());
    println!("{}", total.line("all"));
    println!("\nby file");
    for (file, tally) in &files {
        println!("{}", tally.line(file));
    }
    print_operations(&operations, options.all);
    list(compared, options.n_shown);
    total.differ + total.stopped == 0
}

/// Prints each operation with differences, and prints unsupported operations grouped by opcode. If `all` is set, the function prints all
/// operations.
fn print_operations(operations: &BTreeMap<&str, AgreementCounts>, all: bool) {
    println!("\nby operation");
    let mut n_full = 0;
    let mut waiting: BTreeMap<&str, AgreementCounts> = BTreeMap::new();
    for (operation, tally) in operations {
        if all || tally.differ + tally.stopped > 0 {
            match tally.why.is_empty() {
                true => println!("{}", tally.line(operation)),
                false => println!("{}: {}", tally.line(operation), tally.why),
            }
        } else if tally.is_full() {
            n_full += 1;
        } else {
            let opcode = operation.split(['.', ' ']).next().unwrap_or(operation);
            waiting.entry(opcode).or_default().add(tally);
        }
    }
    for (opcode, tally) in &waiting {
        println!("{}", tally.line(&format!("{opcode} (unsupported forms)")));
    }
    println!("  {n_full} operations agree in all rows (--all lists these operations)");
}

fn list(compared: &[ArithmeticComparison<'_>], n_shown: usize) {
    let certain = compared.iter().filter(|compared| !compared.form.doubtful);
    let rows: Vec<_> = certain
        .flat_map(|compared| {
            let rows = compared.differing().into_iter();
            rows.map(move |(row, found)| (compared.form, row, found))
        })
        .collect();
    if rows.is_empty() {
        return;
    }
    println!("\n{} rows differ", rows.len());
    // The sample is evenly distributed over the whole list, so that no single cause dominates the output.
    let step = (rows.len() / n_shown.max(1)).max(1);
    for (form, row, found) in rows.iter().step_by(step).take(n_shown) {
        println!(
            "  {}\n    in {}  expected {}  found {}  ({})",
            form.op,
            hex(&row.inputs),
            hex(&row.outputs),
            hex(found),
            form.source
        );
    }
}

fn hex(values: &[u64]) -> String {
    let texts: Vec<String> = values.iter().map(|value| format!("{value:#x}")).collect();
    texts.join(" ")
}
