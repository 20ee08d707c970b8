//! Repairs around asynchronous operations: commits, waits, counts of mbarriers, fences between proxies.

use super::products::{is_product, of_products};
use super::text::{after, before, delete, replace};
use super::{Broken, Edits};

const COMMIT: &str = "cp.async.commit_group;";
const BULK_COMMIT: &str = "cp.async.bulk.commit_group;";
const WAIT_ALL: &str = "cp.async.wait_all;";
const BULK_WAIT: &str = "cp.async.bulk.wait_group 0;";
const BULK_WAIT_READ: &str = "cp.async.bulk.wait_group.read 0;";
const PROXIES: &str = "fence.proxy.async.shared::cta;";
const WARP: &str = "bar.warp.sync 0xffffffff;";
const BLOCK: &str = "bar.sync 0;";

/// A fence after the set-up of an mbarrier.
pub(super) fn of_init(broken: &Broken<'_>) -> Vec<Edits> {
    let inits = broken
        .text
        .lines_of(|line| line.starts_with("mbarrier.init"));
    let last = inits.into_iter().max().unwrap_or(broken.first);
    let fence = "fence.mbarrier_init.release.cluster;";
    vec![vec![after(broken.first, fence)], vec![after(last, fence)]]
}

/// Fences between the proxies: one that is there moves or gets its space, or a new one comes.
pub(super) fn of_proxies(broken: &Broken<'_>) -> Vec<Edits> {
    let text = broken.text;
    let past_all = [broken.first, broken.second].into_iter().find(|line| {
        let opcode = text.statement(*line).split_whitespace().next();
        opcode.is_some_and(|opcode| opcode.contains(".nc"))
    });
    if let Some(line) = past_all {
        return plain_load(broken, line);
    }
    let space = if broken.race.place.space == "global" {
        "global"
    } else {
        "shared::cta"
    };
    let fence = format!("fence.proxy.async.{space};");
    let is_async = |line: u32| {
        let line = text.statement(line);
        line.starts_with("cp.async.bulk")
            || line.starts_with("cp.reduce.async.bulk")
            || is_product(line)
    };
    let (copy, other) = match is_async(broken.second) {
        true => (broken.second, broken.first),
        false => (broken.first, broken.second),
    };
    let old = text.lines_of(|line| line.starts_with("fence.proxy.async"));
    let wrong = old.iter().filter(|line| text.statement(**line) != fence);
    let mut all: Vec<Edits> = wrong.map(|line| vec![replace(*line, &fence)]).collect();
    let mut places = vec![copy];
    let meets = |line: &str| line.starts_with("bar") || line.contains("mbarrier.arrive");
    let meetings = text.lines_of(meets);
    places.extend(meetings.iter().filter(|line| **line > other).take(1));
    places.push(other + 1);
    let same = old.iter().filter(|line| text.statement(**line) == fence);
    let moved = same.flat_map(|line| {
        places
            .iter()
            .map(|at| vec![delete(*line), before(*at, &fence)])
    });
    all.extend(moved);
    all.extend(places.iter().map(|at| vec![before(*at, &fence)]));
    all
}

/// A load like any other in place of one that reads past all that the kernel writes, and a barrier where it needs one.
fn plain_load(broken: &Broken<'_>, line: u32) -> Vec<Edits> {
    let plain = replace(line, &broken.text.line(line).replacen(".nc", "", 1));
    let mut all = vec![vec![plain.clone()]];
    if broken.is_one_block {
        let barriers = super::meeting::of_threads(broken);
        let other = |edits: &Edits| edits.iter().all(|edit| edit.line != line);
        let with_barrier = barriers.into_iter().filter(other);
        all.extend(with_barrier.map(|edits| [vec![plain.clone()], edits].concat()));
        all.push(vec![replace(line, &format!("{BLOCK}\n{}", plain.text))]);
    }
    all
}

/// Waits for copies.
pub(super) fn of_copies(broken: &Broken<'_>) -> Vec<Edits> {
    let text = broken.text;
    if let Some(all) = of_products(broken) {
        return all;
    }
    let is_copy = |line: u32| {
        let line = text.statement(line);
        line.starts_with("cp.") || line.starts_with("st.async") || line.starts_with("red.async")
    };
    let (copy, other) = match is_copy(broken.first) {
        true => (broken.first, broken.second),
        false => (broken.second, broken.first),
    };
    let statement = text.statement(copy);
    if statement.contains("complete_tx") {
        let mut all = of_mbarriers(broken);
        all.extend(new_wait(broken, other));
        return all;
    }
    match statement.starts_with("cp.async.bulk") || statement.starts_with("cp.reduce") {
        true => of_bulk_groups(broken, copy, other),
        false => of_groups(broken, copy, other),
    }
}

/// `cp.async`.
fn of_groups(broken: &Broken<'_>, copy: u32, other: u32) -> Vec<Edits> {
    let text = broken.text;
    let mut all: Vec<Edits> = Vec::new();
    let waits = text.lines_of(|line| line.starts_with("cp.async.wait"));
    all.extend(smaller_groups(broken, &waits));
    if !waits.is_empty() {
        all.push(vec![after(copy, COMMIT)]);
    }
    all.extend(
        text.lines_of(|line| line.starts_with("mbarrier.arrive"))
            .iter()
            .filter_map(|line| {
                let object = text.statement(*line).split_once('[')?.1.split_once(']')?.0;
                let arrival = format!("cp.async.mbarrier.arrive.noinc.shared.b64 [{object}];");
                Some(vec![replace(*line, &arrival)])
            }),
    );
    let barrier = text
        .lines_of(|line| line.starts_with("bar"))
        .into_iter()
        .find(|line| *line > copy);
    let places: Vec<u32> = barrier.into_iter().chain([other]).collect();
    let moved = |wait: u32, at: u32| vec![delete(wait), before(at, text.line(wait))];
    // A wait that is right after where it belongs was put there by mistake.
    for wait in &waits {
        let unknown = places.iter().filter(|at| **at + 1 == *wait);
        all.extend(unknown.map(|at| moved(*wait, *at)));
        all.push(vec![after(*wait, WARP)]);
        all.push(vec![after(*wait, BLOCK)]);
    }
    let early = places.iter().filter(|at| **at <= other);
    all.extend(early.map(|at| vec![before(*at, WAIT_ALL)]));
    for wait in &waits {
        all.extend(places.iter().map(|at| moved(*wait, *at)));
    }
    all
}

/// Bulk copies in groups.
fn of_bulk_groups(broken: &Broken<'_>, copy: u32, other: u32) -> Vec<Edits> {
    let text = broken.text;
    let mut all: Vec<Edits> = Vec::new();
    let waits = text.lines_of(|line| line.starts_with("cp.async.bulk.wait_group"));
    let commits = text.lines_of(|line| line.starts_with("cp.async.bulk.commit_group"));
    let is_committed = |commit: &u32| {
        let next = waits.iter().find(|wait| **wait > copy);
        *commit > copy && next.is_none_or(|wait| commit < wait)
    };
    if !commits.iter().any(is_committed) {
        let at = waits.iter().find(|wait| **wait > copy);
        all.push(vec![before(at.copied().unwrap_or(copy + 1), BULK_COMMIT)]);
    }
    all.extend(smaller_groups(broken, &waits));
    for wait in &waits {
        let statement = text.statement(*wait);
        for predicate in predicates(text) {
            for guard in [format!("@{predicate}"), format!("@!{predicate}")] {
                all.push(vec![replace(*wait, &format!("{guard} {statement}"))]);
            }
        }
        let whole = statement.replacen(".read", "", 1);
        all.push(vec![replace(*wait, &whole)]);
        all.push(vec![delete(*wait), before(other, statement)]);
    }
    let after_commit = commits.iter().find(|commit| **commit > copy);
    let at = end_of_part(text, after_commit.copied().unwrap_or(copy));
    all.extend([BULK_WAIT_READ, BULK_WAIT].map(|wait| vec![after(at, wait)]));
    all
}

/// The last line from a line on before the next label.
fn end_of_part(text: &super::text::Text, line: u32) -> u32 {
    let labels = text.lines_of(|line| line.ends_with(':'));
    let next = labels.into_iter().find(|label| *label > line);
    next.map_or(line, |label| label - 1)
}

/// Waits that leave fewer groups in flight.
pub(super) fn smaller_groups(broken: &Broken<'_>, waits: &[u32]) -> Vec<Edits> {
    let text = broken.text;
    let mut all = Vec::new();
    for wait in waits {
        let line = text.line(*wait).trim_end_matches(';').to_owned();
        let Some((head, count)) = line.rsplit_once(' ') else {
            continue;
        };
        let Ok(count) = count.parse::<u32>() else {
            continue;
        };
        let fewer = (0..count.min(8)).rev();
        all.extend(fewer.map(|n| vec![replace(*wait, &format!("{head} {n};"))]));
    }
    all
}

/// The predicates that a text names.
fn predicates(text: &super::text::Text) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for line in text.lines_of(|line| line.starts_with("setp")) {
        let operands = text.statement(line).split_whitespace().nth(1).unwrap_or("");
        let name = operands.trim_end_matches(',').to_owned();
        if name.starts_with('%') && !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// A loop that waits for an mbarrier before an access, made as one that is there.
pub(super) fn new_wait(broken: &Broken<'_>, access: u32) -> Vec<Edits> {
    let text = broken.text;
    let waits = text.lines_of(|line| line.starts_with("mbarrier.try_wait"));
    let of = |wait: &u32| {
        let statement = text.statement(*wait);
        let predicate = statement.split_whitespace().nth(1)?.trim_end_matches(',');
        let new = format!("EARLY:\n{statement}\n@!{predicate} bra EARLY;");
        Some(vec![before(access, &new)])
    };
    waits.iter().filter_map(of).collect()
}

/// Arrivals and waits that are there, done right.
pub(super) fn of_mbarriers(broken: &Broken<'_>) -> Vec<Edits> {
    let text = broken.text;
    let mut all: Vec<Edits> = Vec::new();
    let waits = text.lines_of(|line| {
        line.starts_with("mbarrier.try_wait") || line.starts_with("mbarrier.test_wait")
    });
    let arrivals = text.lines_of(|line| line.starts_with("mbarrier.arrive"));
    for line in arrivals
        .iter()
        .filter(|line| text.line(**line).contains(".relaxed."))
    {
        all.push(vec![replace(
            *line,
            &text.line(*line).replacen(".relaxed.", ".release.", 1),
        )]);
    }
    for line in waits
        .iter()
        .filter(|line| text.line(**line).contains(".relaxed."))
    {
        all.push(vec![replace(
            *line,
            &text.line(*line).replacen(".relaxed.", ".acquire.", 1),
        )]);
    }
    for line in &waits {
        let whole = text.line(*line);
        let body = whole.trim_end_matches(';');
        if let Some((head, parity)) = body.rsplit_once(", ")
            && let Ok(parity) = parity.parse::<u32>()
        {
            all.push(vec![replace(
                *line,
                &format!("{head}, {};", 1 - parity.min(1)),
            )]);
        }
        let predicate = text
            .statement(*line)
            .split_whitespace()
            .nth(1)
            .unwrap_or("")
            .trim_end_matches(',');
        if let Some(label) = text.line(line.saturating_sub(1)).strip_suffix(':') {
            all.push(vec![replace(
                line + 1,
                &format!("@!{predicate} bra {label};"),
            )]);
        }
    }
    for line in &arrivals {
        let moved = text.line(*line).to_owned();
        let later = [broken.first, broken.second]
            .into_iter()
            .filter(|access| access > line);
        let later: Vec<u32> = later.collect();
        let alone = later.iter();
        all.extend(alone.map(|access| vec![delete(*line), after(*access, &moved)]));
        // A copy that comes after the arrival needs a fence between the proxies, too.
        let fenced = format!("{PROXIES}\n{moved}");
        let fenced = later
            .iter()
            .map(|access| vec![delete(*line), after(*access, &fenced)]);
        all.extend(fenced);
    }
    all.extend(expecting(broken, &arrivals));
    all
}

/// Arrivals that expect as many bytes as copies bring.
fn expecting(broken: &Broken<'_>, arrivals: &[u32]) -> Vec<Edits> {
    let text = broken.text;
    let copies =
        text.lines_of(|line| line.starts_with("cp.async.bulk") && line.contains("complete_tx"));
    let sizes = copies.iter().filter_map(|line| {
        let mut parts = text.statement(*line).rsplit(", ");
        parts.nth(1)?.trim().parse::<u32>().ok()
    });
    let mut sums: Vec<u32> = Vec::new();
    let mut sum = 0;
    for size in sizes {
        sum += size;
        sums.push(sum);
    }
    let mut all = Vec::new();
    for line in arrivals {
        let whole = text.line(*line).trim_end_matches(';').to_owned();
        let stated = whole.rsplit_once(", ");
        let stated = stated.and_then(|(_, bytes)| bytes.parse::<u32>().ok());
        // Each block of the cluster may bring as much.
        let n_blocks = if broken.is_one_cluster {
            broken.n_blocks
        } else {
            1
        };
        let all_blocks = stated.map(|bytes| bytes.saturating_mul(n_blocks));
        let more = broken.unexpected.iter();
        let more = more.map(|bytes| stated.unwrap_or(0).saturating_add(*bytes));
        let more: Vec<u32> = more.collect();
        for sum in sums.iter().chain(&all_blocks).chain(&more) {
            let text = match whole.contains("expect_tx") {
                true => whole
                    .rsplit_once(", ")
                    .map(|(head, _)| format!("{head}, {sum};")),
                false => Some(format!(
                    "{}, {sum};",
                    whole.replacen("mbarrier.arrive", "mbarrier.arrive.expect_tx", 1)
                )),
            };
            all.extend(text.map(|text| vec![replace(*line, &text)]));
        }
    }
    all
}
