//! Repairs around products of matrices: groups of a warpgroup, and commits that arrive at an mbarrier.

use super::completion::{new_wait, of_mbarriers, smaller_groups};
use super::text::{after, before, delete};
use super::{Broken, Edits};

const COMMIT: &str = "wgmma.commit_group.sync.aligned;";
const WAIT: &str = "wgmma.wait_group.sync.aligned 0;";
const BLOCK: &str = "bar.sync 0;";

/// Whether a statement starts a product or a copy to tensor memory.
pub(super) fn is_product(statement: &str) -> bool {
    ["wgmma.mma_async", "tcgen05.mma", "tcgen05.cp"]
        .iter()
        .any(|word| statement.starts_with(word))
}

/// Waits for products; none where neither side is one.
pub(super) fn of_products(broken: &Broken<'_>) -> Option<Vec<Edits>> {
    let text = broken.text;
    let sides = [broken.first, broken.second];
    let product = sides
        .iter()
        .find(|line| is_product(text.statement(**line)))?;
    let other = sides
        .iter()
        .find(|line| *line != product)
        .unwrap_or(product);
    if text.statement(*product).starts_with("wgmma") {
        return Some(of_warpgroups(broken, *product, *other));
    }
    let mut all = of_mbarriers(broken);
    all.extend(new_wait(broken, *other));
    all.extend(
        text.lines_of(|line| line.starts_with("tcgen05.commit"))
            .iter()
            .flat_map(|commit| {
                let moved = text.line(*commit);
                [vec![delete(*commit), after(*product, moved)]]
            }),
    );
    Some(all)
}

/// Waits for products of a warpgroup: a smaller count, or a wait that is not there yet.
fn of_warpgroups(broken: &Broken<'_>, product: u32, other: u32) -> Vec<Edits> {
    let text = broken.text;
    let waits = text.lines_of(|line| line.starts_with("wgmma.wait_group"));
    let commits = text.lines_of(|line| line.starts_with("wgmma.commit_group"));
    let mut all = smaller_groups(broken, &waits);
    if !commits.iter().any(|commit| *commit > product) {
        let at = waits.iter().find(|wait| **wait > product);
        let at = at.copied().unwrap_or(product + 1);
        all.push(vec![before(at, COMMIT)]);
    }
    let whole = |line: u32, text: &str| vec![before(line, text)];
    let after_commit = commits.iter().find(|commit| **commit > product);
    all.extend(after_commit.map(|commit| vec![after(*commit, WAIT)]));
    all.push(whole(other, WAIT));
    all.push(whole(other, &format!("{WAIT}\n{BLOCK}")));
    for wait in &waits {
        let moved = text.line(*wait);
        all.push(vec![delete(*wait), before(other, moved)]);
        let barriers = text.lines_of(|line| line.starts_with("bar.sync"));
        let next = barriers.iter().find(|barrier| **barrier > product);
        all.extend(next.map(|barrier| vec![delete(*wait), before(*barrier, moved)]));
        all.push(vec![after(*wait, BLOCK)]);
    }
    all
}
