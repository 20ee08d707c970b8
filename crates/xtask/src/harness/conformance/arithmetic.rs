//! Compares known results of arithmetic instructions bit for bit with the results of the emulator.

mod form;
mod kernel;
mod report;
mod value;

use super::report::Differences;
use super::{Options, Result, case, map_on_threads};
pub(super) use form::Form;
use kernel::FormOutcome;
pub(super) use kernel::launch;
use serde_json::json;
use std::path::Path;
use std::time::Instant;

/// Instruction form, and the outcome of its execution.
#[derive(Clone, Copy, Debug)]
struct ArithmeticComparison<'a> {
    form: &'a Form,
    outcome: &'a FormOutcome,
}

impl ArithmeticComparison<'_> {
    /// Returns the rows whose results differ, with the computed results.
    fn differing(&self) -> Vec<(&form::Row, &[u64])> {
        let FormOutcome::Ran(results) = self.outcome else {
            return Vec::new();
        };
        let rows = self.form.rows.iter().zip(results);
        rows.filter(|(row, found)| !self.form.agrees(row, found))
            .map(|(row, found)| (row, found.as_slice()))
            .collect()
    }

    fn add_to(&self, differences: &mut Differences) {
        let common = |state: &str, reason: &str| {
            json!({
                "op": self.form.op,
                "file": self.form.file,
                "source": self.form.source,
                "state": state,
                "why": reason,
                "n_rows": self.form.rows.len(),
            })
        };
        let state = match self.outcome {
            FormOutcome::Ran(_) => {
                for (row, found) in self.differing() {
                    let hex = |values: &[u64]| -> Vec<String> {
                        values.iter().map(|value| format!("{value:#x}")).collect()
                    };
                    let mut line = common("differs", "");
                    line["in"] = json!(hex(&row.inputs));
                    line["expected"] = json!(hex(&row.outputs));
                    line["found"] = json!(hex(found));
                    differences.add(&line);
                }
                return;
            }
            FormOutcome::NotRunYet(reason) => common("not executed", reason),
            FormOutcome::Refused(reason) => common("rejected", reason),
            FormOutcome::Stopped(reason) => common("stopped", reason),
        };
        differences.add(&state);
    }
}

/// Reads the forms of the files in a directory. With `operation`, only forms whose instruction starts with it are returned.
pub(super) fn read(folder: &Path, operation: Option<&str>) -> Result<Vec<Form>> {
    let mut forms = Vec::new();
    if !folder.is_dir() {
        println!(
            "the directory {} does not exist, so results of arithmetic are not compared",
            folder.display()
        );
        return Ok(forms);
    }
    for path in case::files(folder)? {
        form::read(&path, &mut forms)?;
    }
    if let Some(operation) = operation {
        forms.retain(|form| form.op.starts_with(operation));
    }
    Ok(forms)
}

/// Compares the results and prints the report. Returns true if the results of all executed rows agree.
pub(super) fn compare(forms: &[Form], options: &Options, differences: &mut Differences) -> bool {
    if forms.is_empty() {
        return true;
    }
    let start = Instant::now();
    let outcomes = map_on_threads(forms, options.n_threads, kernel::run);
    let seconds = start.elapsed().as_secs_f64();
    let compared: Vec<ArithmeticComparison<'_>> = forms
        .iter()
        .zip(&outcomes)
        .map(|(form, outcome)| ArithmeticComparison { form, outcome })
        .collect();
    let agreed = report::print(&compared, options);
    let certain = compared.iter().filter(|compared| !compared.form.doubtful);
    for compared in certain {
        compared.add_to(differences);
    }
    println!(
        "\n{} kernels in {seconds:.2} s on {} thread(s)",
        forms.len(),
        options.n_threads
    );
    agreed
}

/// Describes the rows of a form whose results on a GPU differ from the results of the emulator. `bytes` contains the results of the GPU.
pub(super) fn describe_gpu(form: &Form, bytes: &[u8], n_shown: usize) -> Option<String> {
    let FormOutcome::Ran(own) = kernel::run(form) else {
        return None;
    };
    let found = kernel::results(form, bytes);
    let rows = form.rows.iter().zip(own.iter().zip(&found));
    let different = rows.filter(|(_, (own, found))| own != found);
    let hex = |values: &[u64]| {
        let values = values.iter().map(|value| format!("{value:#x}"));
        values.collect::<Vec<_>>().join(" ")
    };
    let lines: Vec<String> = different
        .map(|(row, (own, found))| {
            format!(
                "{} -> {}, emulator {}",
                hex(&row.inputs),
                hex(found),
                hex(own)
            )
        })
        .collect();
    let n = lines.len();
    let shown = lines.into_iter().take(n_shown).collect::<Vec<_>>();
    (n > 0).then(|| {
        let title = form.title();
        format!(
            "{title} ({}): {n} of {} rows\n    {}",
            form.file,
            form.rows.len(),
            shown.join("\n    ")
        )
    })
}
