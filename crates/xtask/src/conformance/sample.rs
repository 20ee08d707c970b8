//! The project's own sample of verdicts: chosen from the whole, and asked again of an installed assembler.

use super::case::{self, Case};
use super::{GENERAL_ADDED, GENERAL_SAMPLE, Options, Part, Result, STORES_SAMPLE};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// How much of a collection is kept.
#[derive(Clone, Copy, Debug)]
struct Amount {
    /// The number that each generator and verdict has a share of.
    n_sample: usize,
    /// At least this number of each generator and verdict, where there are.
    n_least: usize,
    /// Whether each generator of a family has its own share.
    by_group: bool,
}

const STORES_AMOUNT: Amount = Amount {
    n_sample: 3000,
    n_least: 6,
    by_group: true,
};
const GENERAL_AMOUNT: Amount = Amount {
    n_sample: 780,
    n_least: 1,
    by_group: false,
};

/// Chooses the samples of the collections that are asked for.
pub(super) fn take(options: &Options) -> Result<bool> {
    if options.includes(Part::Stores) {
        choose(&options.stores, STORES_SAMPLE.as_ref(), STORES_AMOUNT)?;
    }
    if options.includes(Part::General) {
        choose(&options.general, GENERAL_SAMPLE.as_ref(), GENERAL_AMOUNT)?;
    }
    Ok(true)
}

/// Asks the assembler again about the samples that are asked for.
pub(super) fn regenerate(options: &Options) -> Result<bool> {
    let release = release(&options.ptxas)?;
    println!("{} is release {release}", options.ptxas);
    for (part, sample) in [
        (Part::Stores, STORES_SAMPLE),
        (Part::General, GENERAL_SAMPLE),
        (Part::General, GENERAL_ADDED),
    ] {
        if options.includes(part) {
            ask_again(sample.as_ref(), &options.ptxas, &release)?;
        }
    }
    Ok(true)
}

/// Chooses a sample: from each generator, accepted and rejected apart, in proportion, by the hash in the id.
fn choose(oracle: &Path, sample: &Path, amount: Amount) -> Result<()> {
    let mut cases = Vec::new();
    for path in case::files(oracle)? {
        case::read(&path, &mut cases)?;
    }
    let n_all = cases.len().max(1);
    let mut strata: BTreeMap<(String, String, bool), Vec<Case>> = BTreeMap::new();
    for case in cases
        .into_iter()
        .filter(|case| case.known_difference().is_none())
    {
        let group = match amount.by_group {
            true => case.group.clone(),
            false => String::new(),
        };
        let key = (case.family.clone(), group, case.accept);
        strata.entry(key).or_default().push(case);
    }
    let mut text = String::new();
    let mut n = 0;
    for mut cases in strata.into_values() {
        cases.sort_by(|a, b| a.id.cmp(&b.id));
        let n_kept = (cases.len() * amount.n_sample / n_all).max(amount.n_least);
        for case in cases.iter().take(n_kept) {
            text.push_str(&kept(case)?);
            text.push('\n');
            n += 1;
        }
    }
    write(sample, &text)?;
    println!("{n} verdicts in {}", sample.display());
    Ok(())
}

/// The line of a case with what the tests need.
fn kept(case: &Case) -> Result<String> {
    let value: Value = serde_json::from_str(&case.line).map_err(|e| e.to_string())?;
    let mut fields: Map<String, Value> = value.as_object().cloned().unwrap_or_default();
    fields.remove("messages");
    fields.remove("warnings");
    serde_json::to_string(&Value::Object(fields)).map_err(|e| e.to_string())
}

/// Asks the assembler again about each module of the sample that it was asked about in this or an older release.
fn ask_again(sample: &Path, ptxas: &str, release: &str) -> Result<()> {
    let mut cases = Vec::new();
    case::read(sample, &mut cases)?;
    let folder = std::env::temp_dir().join(format!("warpgrid-verdicts-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut text = String::new();
    let mut n_changed = 0;
    let mut n_kept = 0;
    for (index, case) in cases.iter().enumerate() {
        let file = folder.join("module.ptx");
        let verdict = ask(ptxas, case, &file)?;
        if cannot_say(&verdict.1) {
            n_kept += 1;
            text.push_str(&case.line);
            text.push('\n');
            continue;
        }
        if verdict.0 != case.accept {
            n_changed += 1;
            println!("changed: {} {}", case.id, case.insn);
        }
        text.push_str(&line(case, release, verdict)?);
        text.push('\n');
        if index % 500 == 499 {
            println!("{} of {}", index + 1, cases.len());
        }
    }
    // The folder is temporary: what remains does no harm.
    let _ = std::fs::remove_dir_all(&folder);
    write(sample, &text)?;
    println!(
        "{} verdicts, {n_changed} changed, {n_kept} kept where this release refuses the whole module",
        cases.len()
    );
    Ok(())
}

fn release(ptxas: &str) -> Result<String> {
    let output = Command::new(ptxas)
        .arg("--version")
        .output()
        .map_err(|e| format!("{ptxas}: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let version = text
        .split(", V")
        .nth(1)
        .and_then(|rest| rest.split_whitespace().next());
    version
        .map(str::to_owned)
        .ok_or_else(|| format!("{ptxas} names no release"))
}

/// Whether the release refuses the whole module for its version, its target or its 32-bit addresses.
fn cannot_say(messages: &[String]) -> bool {
    const REFUSALS: &[&str] = &[
        "Unsupported .version",
        "is not defined for option",
        "32-Bit compilation is no longer supported",
        "32-Bit ABI",
        "not supported in .version",
    ];
    messages
        .iter()
        .any(|message| REFUSALS.iter().any(|refusal| message.contains(refusal)))
}

/// The verdict and the error texts.
fn ask(ptxas: &str, case: &Case, file: &Path) -> Result<(bool, Vec<String>)> {
    write(file, &case.module())?;
    let output = Command::new(ptxas)
        .args(["-arch", architecture(case)])
        .arg(file)
        .args(["-o", if cfg!(windows) { "NUL" } else { "/dev/null" }])
        .output()
        .map_err(|e| format!("{ptxas}: {e}"))?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let messages = text
        .lines()
        .filter(|line| !line.contains("aborted due to errors"))
        .filter_map(|line| {
            line.split_once("error   : ")
                .or_else(|| line.split_once("fatal   : "))
        })
        .map(|(_, message)| message.to_owned());
    Ok((output.status.success(), messages.collect()))
}

/// What to generate code for: the target without its options, or the lowest that is still there.
fn architecture(case: &Case) -> &str {
    let target = case.target.split(',').next().unwrap_or("").trim();
    let digits: String = target.chars().filter(char::is_ascii_digit).collect();
    match digits.parse::<u32>() {
        Ok(sm) if sm < 75 => "sm_75",
        _ => target,
    }
}

/// The line of a case with a new verdict.
fn line(case: &Case, release: &str, (accept, messages): (bool, Vec<String>)) -> Result<String> {
    let value: Value = serde_json::from_str(&case.line).map_err(|e| e.to_string())?;
    let mut fields: Map<String, Value> = value.as_object().cloned().unwrap_or_default();
    fields.insert("ptxas".to_owned(), release.into());
    fields.insert("accept".to_owned(), accept.into());
    fields.insert("message".to_owned(), messages.first().cloned().into());
    serde_json::to_string(&Value::Object(fields)).map_err(|e| e.to_string())
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
