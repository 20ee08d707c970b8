//! Prints the agreement of the recorded decisions with the decisions of Warpgrid.

use super::case::{VerdictCase, VerdictComparison};
use super::{Options, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// Differing cases, with one line of JSON per case.
#[derive(Debug, Default)]
pub(super) struct Differences {
    lines: String,
}

impl Differences {
    pub(super) fn add(&mut self, difference: &serde_json::Value) {
        self.lines.push_str(&difference.to_string());
        self.lines.push('\n');
    }

    pub(super) fn write(&self, file: Option<&Path>) -> Result<()> {
        let Some(file) = file else { return Ok(()) };
        std::fs::write(file, &self.lines).map_err(|e| format!("{}: {e}", file.display()))
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    n: usize,
    known: usize,
    false_accepts: usize,
    false_rejects: usize,
}

impl Tally {
    fn count(&mut self, compared: &VerdictComparison<'_>, known: bool) {
        self.n += 1;
        match (compared.agrees(), known) {
            (true, _) => {}
            (false, true) => self.known += 1,
            (false, false) if compared.verdict.accept => self.false_accepts += 1,
            (false, false) => self.false_rejects += 1,
        }
    }

    fn line(self, name: &str) -> String {
        // Do not count a case as a difference if a newer release of the assembler gives the same verdict as Warpgrid.
        let n = self.n - self.known;
        let agreed = n - self.false_accepts - self.false_rejects;
        let percent = match n {
            0 => 100.0,
            n => 100.0 * agreed as f64 / n as f64,
        };
        let mut line = format!("  {name:<40} {agreed:>6} of {n:>6}  {percent:>7.3} %");
        if agreed < n {
            line.push_str(&format!(
                "  {:>5} false accepts {:>5} false rejects",
                self.false_accepts, self.false_rejects
            ));
        }
        if self.known > 0 {
            line.push_str(&format!("  (and {} known)", self.known));
        }
        line
    }
}

/// Prints the report. Returns true if all differences are known.
pub(super) fn print(title: &str, cases: &[VerdictComparison<'_>], options: &Options) -> bool {
    let mut families: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut groups: BTreeMap<String, Tally> = BTreeMap::new();
    let mut rules: BTreeMap<String, Tally> = BTreeMap::new();
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    let mut total = Tally::default();
    let mut differing = Vec::new();
    for compared in cases {
        let case = compared.case;
        let reason = case.known_difference().filter(|_| !compared.agrees());
        let known = reason.is_some();
        let group = format!("{}: {}", case.family, case.group);
        let tallies = [
            &mut total,
            families.entry(&case.family).or_default(),
            groups.entry(group).or_default(),
            rules.entry(rule_of(case)).or_default(),
        ];
        for tally in tallies {
            tally.count(compared, known);
        }
        match reason {
            Some(reason) => *reasons.entry(reason).or_default() += 1,
            None if !compared.agrees() => differing.push(compared),
            None => {}
        }
    }
    println!("\n== {title}: {} families", families.len());
    println!("{}", total.line("all"));
    section(
        "by family",
        families.iter().map(|(name, tally)| (*name, *tally)),
        options.all,
    );
    if options.all || options.family.is_some() {
        let groups = groups.iter().map(|(name, tally)| (name.as_str(), *tally));
        section("by generator", groups, true);
        let rules = rules.iter().map(|(name, tally)| (name.as_str(), *tally));
        section(
            "by rule (first words of the assembler message)",
            rules,
            options.all,
        );
    }
    if !reasons.is_empty() {
        println!(
            "\nknown differences: Warpgrid agrees with newer releases, but not with this release"
        );
        for (reason, n) in &reasons {
            println!("  {n:>6}  {reason}");
        }
    }
    list(&differing, options.n_shown);
    differing.is_empty()
}

fn section<'a>(title: &str, tallies: impl Iterator<Item = (&'a str, Tally)>, all: bool) {
    let mut n_full = 0;
    println!("\n{title}");
    for (name, tally) in tallies {
        if all || tally.false_accepts + tally.false_rejects > 0 {
            println!("{}", tally.line(name));
        } else {
            n_full += 1;
        }
    }
    if n_full > 0 {
        println!("  {n_full} families agree completely (--all shows these families)");
    }
}

fn list(differing: &[&VerdictComparison<'_>], n_shown: usize) {
    if differing.is_empty() {
        return;
    }
    println!("\n{} differ", differing.len());
    // The sample is evenly distributed over the whole list, so that no single cause dominates the output.
    let step = (differing.len() / n_shown.max(1)).max(1);
    for VerdictComparison { case, verdict } in differing.iter().step_by(step).take(n_shown) {
        let word = |accept| if accept { "accepts" } else { "rejects" };
        println!(
            "  {} ptx {} {} ({}): the assembler {}, Warpgrid {}",
            case.id,
            case.ptx_version,
            case.target,
            case.ptxas,
            word(case.accept),
            word(verdict.accept)
        );
        for line in [&case.insn, &case.decls, &case.source]
            .into_iter()
            .flat_map(|text| text.lines())
        {
            println!("    {line}");
        }
        println!("    assembler: {:?}", case.messages);
        println!("    ours:      {:?}", verdict.errors);
    }
}

/// Returns the message of the assembler without its quoted words, which identifies the violated rule.
fn rule_of(case: &VerdictCase) -> String {
    let Some(message) = case.messages.first() else {
        return if case.accept {
            "accepted".to_owned()
        } else {
            "rejected without a message".to_owned()
        };
    };
    if message.starts_with("Parsing error") {
        return "Parsing error".to_owned();
    }
    let mut rule = String::new();
    for (index, part) in message.split('\'').enumerate() {
        rule.push_str(if index % 2 == 0 { part } else { "*" });
    }
    rule
}
