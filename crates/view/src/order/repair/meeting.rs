//! Repairs that let threads meet: barriers of the warp, of the block, of the cluster, the smaller ones first.

use super::text::{Text, after, before, delete, replace};
use super::{Broken, Edits};

const WARP: &str = "bar.warp.sync 0xffffffff;";
const BLOCK: &str = "bar.sync 0;";
const FENCED_BLOCK: &str = "fence.proxy.async.shared::cta;\nbar.sync 0;";
const CLUSTER: &str = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;";

/// Barriers between threads of one block.
pub(super) fn of_threads(broken: &Broken<'_>) -> Vec<Edits> {
    let text = broken.text;
    let mut all: Vec<Edits> = Vec::new();
    let (low, high) = ends(broken);
    let warp_barriers = text.lines_of(|line| line.starts_with("bar.warp.sync"));
    let arrivals =
        text.lines_of(|line| line.starts_with("bar.arrive") || line.starts_with("barrier.arrive"));
    all.extend(warp_barriers.iter().map(|line| vec![replace(*line, WARP)]));
    let mut warp_positions = Vec::new();
    if broken.is_one_warp {
        warp_positions.push(vec![before(high, WARP)]);
        warp_positions.push(vec![after(low, WARP)]);
    }
    warp_positions.extend(text.between(low, high).map(|line| vec![before(line, WARP)]));
    if broken.is_one_warp {
        warp_positions.push(vec![before(low, WARP), after(high, WARP)]);
        warp_positions.push(vec![before(high, WARP), after(low, WARP)]);
        warp_positions.push(vec![before(high, WARP), after(high, WARP)]);
    }
    all.extend(warp_positions);
    all.extend(arrivals.iter().map(|line| {
        let sync = text.line(*line).replacen("arrive", "sync", 1);
        vec![replace(*line, &sync)]
    }));
    all.extend(warp_barriers.iter().map(|line| vec![replace(*line, BLOCK)]));
    all.push(vec![before(high, BLOCK)]);
    all.extend(
        text.between(low, high)
            .map(|line| vec![before(line, BLOCK)]),
    );
    // A loop may bring the earlier line after the later one.
    all.extend((high + 1..high + 6).map(|line| vec![before(line, WARP)]));
    all.extend((high + 1..high + 6).map(|line| vec![before(line, BLOCK)]));
    all.push(vec![before(high, BLOCK), after(high, BLOCK)]);
    all
}

/// A fence between the proxies and a barrier, for a copy that comes after what threads did.
pub(super) fn before_copies(broken: &Broken<'_>) -> Vec<Edits> {
    let (low, high) = ends(broken);
    let lines = [high].into_iter().chain(broken.text.between(low, high));
    let lines = lines.chain(high + 1..high + 6);
    lines.map(|line| vec![before(line, FENCED_BLOCK)]).collect()
}

/// Barriers at different lines that threads have met at: one without its guard; a further one on the path that has none; one moved
/// before a branch that skips it, or after the label that the branch names; without one of them.
pub(super) fn of_mixed_barriers(text: &Text, lines: &[u32]) -> Vec<Edits> {
    const REACH: u32 = 12;
    let (Some(first), Some(last)) = (lines.first().copied(), lines.last().copied()) else {
        return Vec::new();
    };
    let mut all: Vec<Edits> = Vec::new();
    for line in lines {
        let statement = text.statement(*line);
        if statement != text.line(*line) {
            all.push(vec![replace(*line, statement)]);
        }
    }
    for line in lines {
        let barrier = text.statement(*line);
        let others = text
            .between(first, last)
            .filter(|at| !text.line(*at).is_empty());
        all.extend(others.map(|at| vec![before(at, barrier)]));
    }
    for line in lines {
        let barrier = text.statement(*line);
        let is_branch = |at: &u32| text.statement(*at).starts_with("bra");
        let branches = (line.saturating_sub(REACH)..*line).rev().filter(is_branch);
        all.extend(branches.map(|at| vec![delete(*line), before(at, barrier)]));
        let is_label = |at: &u32| text.line(*at).ends_with(':');
        let labels = (line + 1..line + REACH).filter(is_label);
        all.extend(labels.map(|at| vec![delete(*line), after(at, barrier)]));
    }
    all.extend(lines.iter().map(|line| vec![delete(*line)]));
    all
}

/// Barriers of the cluster between threads of its blocks.
pub(super) fn of_clusters(broken: &Broken<'_>) -> Vec<Edits> {
    if !broken.is_one_cluster {
        return Vec::new();
    }
    let (low, high) = ends(broken);
    let barriers = broken.text.lines_of(|line| line.starts_with("bar.sync"));
    let between = barriers.iter().filter(|line| (low..=high).contains(line));
    let mut all: Vec<Edits> = between.map(|line| vec![replace(*line, CLUSTER)]).collect();
    all.push(vec![before(high, CLUSTER)]);
    all.push(vec![before(low, CLUSTER)]);
    let others = broken.text.between(low, high).chain(high + 1..high + 6);
    all.extend(others.map(|line| vec![before(line, CLUSTER)]));
    // One that is too late, or too early, moves.
    let waits = broken
        .text
        .lines_of(|line| line.starts_with("barrier.cluster.wait"));
    for wait in waits {
        let arrival = wait - 1;
        if broken
            .text
            .statement(arrival)
            .starts_with("barrier.cluster.arrive")
        {
            let places = [low, high].into_iter();
            all.extend(places.map(|at| vec![delete(arrival), delete(wait), before(at, CLUSTER)]));
        }
    }
    all
}

/// Barriers of the cluster before the first use of another block's memory, or before the end.
pub(super) fn of_lives(broken: &Broken<'_>) -> Vec<Edits> {
    let text = broken.text;
    let is_start = broken
        .race
        .second
        .what
        .as_deref()
        .is_some_and(|what| what.starts_with("start"));
    if !is_start {
        let ends = text.lines_of(|line| line.starts_with("ret") || line.starts_with("exit"));
        return ends
            .iter()
            .rev()
            .map(|line| vec![before(*line, CLUSTER)])
            .collect();
    }
    let barriers = text.lines_of(|line| line.starts_with("bar.sync"));
    let earlier = barriers.iter().rev().filter(|line| **line < broken.first);
    let mut all: Vec<Edits> = earlier.map(|line| vec![replace(*line, CLUSTER)]).collect();
    all.push(vec![before(broken.first, CLUSTER)]);
    all
}

/// The line that comes first in the text, and the other one.
fn ends(broken: &Broken<'_>) -> (u32, u32) {
    let (a, b) = (broken.first, broken.second);
    (a.min(b), a.max(b))
}
