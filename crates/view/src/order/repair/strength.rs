//! Repairs that make accesses and fences stronger: a scope that takes in the other thread, then an order, on one side, then on both.

use super::text::{Text, after, before, replace};
use super::{Broken, Edits};

/// Places that are changed, at most.
const MOST_SITES: usize = 10;

/// A place in the text, and what it could become, weak to strong: each with its strength.
struct Site {
    variants: Vec<(u32, Edits)>,
}

/// Stronger accesses and fences, the weakest combinations first.
pub(super) fn of_accesses(broken: &Broken<'_>) -> Vec<Edits> {
    let text = broken.text;
    let scope = match (broken.is_one_block, broken.is_one_cluster) {
        (true, _) => "cta",
        (false, true) => "cluster",
        (false, false) => "gpu",
    };
    // Weak accesses on both sides are data, unless one of them polls: then they tell something.
    let [a, b] = [broken.first, broken.second];
    let tells = [a, b]
        .iter()
        .any(|line| is_strong(text.statement(*line)) || end_of_poll(text, *line) != *line);
    let mut all = combined(broken, scope, |line| tells && [a, b].contains(&line));
    all.extend(combined(broken, scope, |line| [a, b].contains(&line)));
    all
}

/// Combinations of what strong accesses, fences and such lines could become.
fn combined(broken: &Broken<'_>, scope: &str, is_racy: impl Fn(u32) -> bool) -> Vec<Edits> {
    let text = broken.text;
    let lines = text.lines_of(|line| is_access(line) || is_fence(line));
    let sites: Vec<Site> = lines
        .into_iter()
        .filter(|line| is_racy(*line) || is_strong(text.statement(*line)))
        .map(|line| site(text, line, scope))
        .filter(|site| !site.variants.is_empty())
        .take(MOST_SITES)
        .collect();
    let mut all: Vec<(u32, usize, Edits)> = Vec::new();
    for (index, site) in sites.iter().enumerate() {
        for (strength, edits) in &site.variants {
            all.push((*strength, 1, edits.clone()));
            for other in &sites[index + 1..] {
                all.extend(other.variants.iter().map(|(more, also)| {
                    (
                        strength + more,
                        2,
                        edits.iter().chain(also).cloned().collect(),
                    )
                }));
            }
        }
    }
    // One side before both; then as little as can be.
    all.sort_by_key(|(strength, n, _)| (*n, *strength));
    all.into_iter().map(|(_, _, edits)| edits).collect()
}

fn is_access(line: &str) -> bool {
    ["ld.", "st.", "atom.", "red."]
        .iter()
        .any(|word| line.starts_with(word))
        && !line.starts_with("ld.param")
        && !line.contains(".async")
}

fn is_fence(line: &str) -> bool {
    line.starts_with("membar.") && !line.contains("proxy")
        || ["fence.acq_rel.", "fence.sc."]
            .iter()
            .any(|word| line.starts_with(word))
}

/// Whether a statement takes part in what threads tell each other.
fn is_strong(line: &str) -> bool {
    is_fence(line)
        || line.starts_with("atom.")
        || line.starts_with("red.")
        || ["relaxed", "acquire", "release", "acq_rel", "volatile"]
            .iter()
            .any(|word| line.split_whitespace().next().unwrap_or("").contains(word))
}

/// What a line could become.
fn site(text: &Text, line: u32, scope: &str) -> Site {
    let statement = text.statement(line);
    let whole = text.line(line);
    let guard = whole.strip_suffix(statement).unwrap_or("");
    let (opcode, operands) = statement
        .split_once(char::is_whitespace)
        .unwrap_or((statement, ""));
    let mut variants: Vec<(u32, Edits)> = Vec::new();
    if is_fence(statement) {
        let wider = wider(
            opcode
                .rsplit('.')
                .next()
                .unwrap_or("")
                .trim_end_matches(';'),
            scope,
        );
        let new = format!("{guard}fence.acq_rel.{wider};");
        variants.push((1, vec![replace(line, &new)]));
        return Site { variants };
    }
    let words: Vec<&str> = opcode.split('.').collect();
    let kind = words.first().copied().unwrap_or("");
    let stated = words.iter().find(|word| is_scope(word)).copied();
    let own = match (stated, words.contains(&"volatile")) {
        (_, true) => "cta",
        (Some(stated), _) => stated,
        (None, _) if kind == "atom" || kind == "red" => "gpu",
        (None, _) => "cta",
    };
    let wide = wider(own, scope);
    let sem = words.iter().find(|word| is_sem(word)).copied();
    let rest: Vec<&str> = words
        .iter()
        .skip(1)
        .filter(|word| !is_sem(word) && !is_scope(word) && !is_hint(word))
        .copied()
        .collect();
    let old = sem.unwrap_or(match kind {
        "atom" | "red" => "relaxed",
        _ => "weak",
    });
    for (strength, new) in stronger(kind, old) {
        let same_scope = stated == Some(wide)
            || stated.is_none() && own == wide && sem.is_none() && old != "weak";
        if new == old && same_scope {
            continue;
        }
        let changed = format!("{guard}{kind}.{new}.{wide}.{} {operands}", rest.join("."));
        variants.push((strength, vec![replace(line, &changed)]));
    }
    let fence = format!("fence.acq_rel.{wide};");
    if old != "weak" {
        let reads = kind == "ld" || kind == "atom";
        let end = end_of_poll(text, line);
        if kind != "ld" {
            variants.push((6, vec![before(line, &fence)]));
        }
        if reads {
            variants.push((6, vec![after(end, &fence)]));
        }
        if kind == "atom" {
            variants.push((12, vec![before(line, &fence), after(line, &fence)]));
        }
    }
    Site { variants }
}

/// The orders that an access could state, from the present one on.
fn stronger(kind: &str, old: &str) -> Vec<(u32, &'static str)> {
    let all: &[(u32, &'static str)] = match kind {
        "ld" => &[(1, "relaxed"), (3, "acquire")],
        "st" => &[(1, "relaxed"), (3, "release")],
        "red" => &[(1, "relaxed"), (3, "release")],
        _ => &[
            (1, "relaxed"),
            (3, "acquire"),
            (3, "release"),
            (5, "acq_rel"),
        ],
    };
    let at = match old {
        "weak" | "volatile" => 0,
        "relaxed" => 1,
        "acq_rel" => 5,
        _ => 3,
    };
    let keeps = |(strength, new): &&(u32, &'static str)| match old {
        "acquire" | "release" => *new == old || *new == "acq_rel",
        _ => *strength >= at,
    };
    all.iter().filter(keeps).copied().collect()
}

/// The end of the loop that polls at a line: its branch back.
fn end_of_poll(text: &Text, line: u32) -> u32 {
    let label = text
        .line(line.saturating_sub(1))
        .strip_suffix(':')
        .map(str::to_owned);
    let Some(label) = label else {
        return line;
    };
    let goes_back = format!("bra {label};");
    let ends = text.lines_of(|statement| statement == goes_back);
    ends.into_iter().find(|end| *end > line).unwrap_or(line)
}

/// The wider of two scopes, the first as `membar` may name it.
fn wider<'a>(own: &'a str, wanted: &'a str) -> &'a str {
    let rank = |scope: &str| match scope {
        "cta" => 0,
        "cluster" => 1,
        "gpu" | "gl" => 2,
        _ => 3,
    };
    match (rank(own) >= rank(wanted), own) {
        (true, "gl") => "gpu",
        (true, own) => own,
        (false, _) => wanted,
    }
}

fn is_scope(word: &str) -> bool {
    matches!(word, "cta" | "cluster" | "gpu" | "sys")
}

fn is_sem(word: &str) -> bool {
    matches!(
        word,
        "weak" | "relaxed" | "acquire" | "release" | "acq_rel" | "volatile"
    )
}

/// Words that a strong access does not have.
fn is_hint(word: &str) -> bool {
    matches!(word, "ca" | "cg" | "cs" | "lu" | "cv" | "wb" | "wt" | "nc")
}
