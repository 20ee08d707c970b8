//! Prints how far two lists of verdicts agree.

use super::case::{Case, Verdict};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    n: usize,
    agreed: usize,
    known: usize,
}

impl Tally {
    fn count(&mut self, agreed: bool, known: bool) {
        self.n += 1;
        self.agreed += usize::from(agreed);
        self.known += usize::from(!agreed && known);
    }

    fn line(self, name: &str) -> String {
        // Cases whose newer verdict is the same as ours count neither way.
        let n = self.n - self.known;
        let percent = match n {
            0 => 100.0,
            n => 100.0 * self.agreed as f64 / n as f64,
        };
        let differ = n - self.agreed;
        let mut line = format!(
            "  {name:<36} {:>6} of {n:>6}  {percent:>7.3} %",
            self.agreed
        );
        if differ > 0 {
            line.push_str(&format!("  {differ} differ"));
        }
        if self.known > 0 {
            line.push_str(&format!("  (and {} known)", self.known));
        }
        line
    }
}

/// Prints the report; true when nothing differs but what is known to.
pub(super) fn print(cases: &[Case], verdicts: &[Verdict], n_listed: usize, all: bool) -> bool {
    let mut families: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut groups: BTreeMap<String, Tally> = BTreeMap::new();
    let mut rules: BTreeMap<String, Tally> = BTreeMap::new();
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    let mut differing = Vec::new();
    for (case, verdict) in cases.iter().zip(verdicts) {
        let agreed = case.accept == verdict.accept;
        let reason = case.known_difference().filter(|_| !agreed);
        let known = reason.is_some();
        families
            .entry(&case.family)
            .or_default()
            .count(agreed, known);
        let group = format!("{}: {}", case.family, case.group);
        groups.entry(group).or_default().count(agreed, known);
        rules.entry(rule_of(case)).or_default().count(agreed, known);
        match reason {
            Some(reason) => *reasons.entry(reason).or_default() += 1,
            None if !agreed => differing.push((case, verdict)),
            None => {}
        }
    }
    section(
        "by family",
        families.iter().map(|(name, tally)| (*name, *tally)),
        true,
    );
    section(
        "by generator",
        groups.iter().map(|(name, tally)| (name.as_str(), *tally)),
        all,
    );
    section(
        "by rule (the assembler's first words)",
        rules.iter().map(|(name, tally)| (name.as_str(), *tally)),
        all,
    );
    if !reasons.is_empty() {
        println!("\nknown differences: verdicts of an old release that newer ones changed to ours");
        for (reason, n) in &reasons {
            println!("  {n:>6}  {reason}");
        }
    }
    list(&differing, n_listed);
    differing.is_empty()
}

fn section<'a>(title: &str, tallies: impl Iterator<Item = (&'a str, Tally)>, all: bool) {
    let mut n_full = 0;
    println!("\n{title}");
    for (name, tally) in tallies {
        if all || tally.agreed < tally.n {
            println!("{}", tally.line(name));
        } else {
            n_full += 1;
        }
    }
    if n_full > 0 {
        println!("  {n_full} agree in full (--all shows them)");
    }
}

fn list(differing: &[(&Case, &Verdict)], n_listed: usize) {
    if differing.is_empty() {
        return;
    }
    println!("\n{} differ", differing.len());
    // Spread over the whole list, so that one cause does not fill it.
    let step = (differing.len() / n_listed.max(1)).max(1);
    for (case, verdict) in differing.iter().step_by(step).take(n_listed) {
        let word = |accept| if accept { "accepts" } else { "rejects" };
        println!(
            "  {} ptx {} {} ({}): the assembler {}, we {}",
            case.id,
            case.ptx_version,
            case.target,
            case.ptxas,
            word(case.accept),
            word(verdict.accept)
        );
        println!("    {}", case.insn);
        println!("    {}", case.decls);
        println!("    assembler: {:?}", case.messages);
        println!("    ours:      {:?}", verdict.errors);
    }
}

/// The assembler's message without its quoted parts.
fn rule_of(case: &Case) -> String {
    let Some(message) = case.messages.first() else {
        return if case.accept {
            "accepted".to_owned()
        } else {
            "rejected without a word".to_owned()
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
