//! Repairs between changes of a tensor map and copies that read it: a fence that releases what was done to maps, and one that acquires the map.

use super::text::{after, before, replace};
use super::{Broken, Edits};

const FENCE: &str = "fence.proxy.tensormap::generic";

/// Fences for a map that are there with a wider scope, or new ones.
pub(super) fn of_maps(broken: &Broken<'_>) -> Vec<Edits> {
    let text = broken.text;
    let scope = match (broken.is_one_block, broken.is_one_cluster) {
        (true, _) => "cta",
        (false, true) => "cluster",
        (false, false) => "gpu",
    };
    let Some(map) = map_of(text.statement(broken.second)) else {
        return Vec::new();
    };
    let release = format!("{FENCE}.release.{scope};");
    let acquire = format!("{FENCE}.acquire.{scope} [{map}], 128;");
    let fences = text
        .lines_of(|line| line.starts_with(FENCE) || line.starts_with("tensormap.cp_fenceproxy"));
    let wider = |line: &u32| {
        let old = text.line(*line);
        let narrow = ["cta", "cluster"].into_iter().filter(|own| *own != scope);
        let found = narrow.filter_map(|own| {
            let word = format!(".{own}");
            let at = old.rfind(&word)?;
            let rest = &old[at + word.len()..];
            (!rest.starts_with("::")).then(|| format!("{}.{scope}{rest}", &old[..at]))
        });
        found.map(|new| vec![replace(*line, &new)]).next()
    };
    let mut all: Vec<Edits> = fences.iter().filter_map(wider).collect();
    all.push(vec![before(broken.second, &acquire)]);
    all.push(vec![after(broken.first, &release)]);
    all.push(vec![
        after(broken.first, &release),
        before(broken.second, &acquire),
    ]);
    all
}

/// The address of the map that a copy names: `[%map, {%x, %y}]`.
fn map_of(statement: &str) -> Option<&str> {
    let (head, _) = statement.split_once('{')?;
    let (_, inside) = head.rsplit_once('[')?;
    Some(inside.trim().trim_end_matches(',').trim())
}
