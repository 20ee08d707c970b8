//! Displayed form of tensor steps: the cells of the tiles, the layout of a copy, and the summary sentence, at the start and at the
//! completion of an operation.

use crate::cases::cases;
use expect_test::expect_file;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use warpgrid_view::layouts::tensor::layout;
use warpgrid_view::model::{FrameRequest, GridRequest, MemoryGrid, SessionFrame, WriteAge};
use warpgrid_view::{MemoryKey, Scenario, Session};

/// Step limit far above the first tensor operation of any kernel.
const MAX_STEPS: u64 = 400_000;
/// Number of examined steps per kernel.
const MAX_FRAMES: usize = 64;

/// One kernel of each family, from the first step on.
const FAMILIES: [&str; 11] = [
    "tcgen05_2cta",
    "tcgen05_cp",
    "tcgen05_mma",
    "tcgen05_scaled",
    "tma_im2col",
    "tma_load",
    "tma_multicast",
    "tma_packed",
    "tma_store",
    "wgmma",
    "wgmma_sparse",
];

/// Returns the frames of the tensor steps with grids of their memories.
fn frames(family: &str) -> Vec<SessionFrame> {
    let case = cases(family).remove(0);
    let source = case.texts["kernel.ptx"].clone();
    let scenario = Scenario {
        source,
        ptx_version: None,
        ..case.case
    };
    let mut session = Session::new(scenario).expect("a session");
    let mut found = Vec::new();
    let in_flight = |session: &Session| session.pending().iter().map(|p| p.id).collect::<Vec<_>>();
    let mut before = Vec::new();
    while session.position() < MAX_STEPS && found.len() < MAX_FRAMES && session.step() {
        let now = in_flight(&session);
        if std::mem::replace(&mut before, now.clone()) == now {
            continue;
        }
        let frame = session.frame(&FrameRequest::default());
        let Some(step) = &frame.tensor else {
            continue;
        };
        let memories: BTreeSet<&MemoryKey> =
            step.tiles.iter().flat_map(|tile| &tile.memories).collect();
        let grid = |memory: &MemoryKey| GridRequest {
            memory: memory.clone(),
            ty: None,
            columns: None,
            first_row: 0,
            n_rows: None,
        };
        let request = FrameRequest {
            grids: memories.into_iter().map(grid).collect(),
            ..FrameRequest::default()
        };
        found.push(session.frame(&request));
    }
    assert!(
        !found.is_empty(),
        "{family} has no step on the tensor units"
    );
    found
}

/// Returns the elements of a memory that belong to a tile.
fn elements(grid: &MemoryGrid, tile: usize) -> BTreeSet<u64> {
    let own = grid
        .tiles
        .iter()
        .filter(|cells| usize::from(cells.tile) == tile);
    own.flat_map(|cells| cells.first..cells.first + cells.n)
        .collect()
}

/// Returns the elements of a memory that the step wrote.
fn written(grid: &MemoryGrid) -> BTreeSet<u64> {
    let first = grid.first_row * u64::from(grid.columns);
    let now = (first..).zip(&grid.cells);
    now.filter(|(_, cell)| cell.written == WriteAge::Now)
        .map(|(at, _)| at)
        .collect()
}

#[test]
fn written_tile_matches_changed_elements_on_completion() {
    let mut n_compared = 0;
    for family in FAMILIES {
        for frame in frames(family) {
            let step = frame.tensor.as_ref().expect("a step");
            // The completion of a phase also writes an mbarrier in addition to the tile.
            for grid in &frame.grids {
                let own = step.tiles.iter().enumerate();
                let own = own
                    .filter(|(_, tile)| tile.is_written && tile.memories.contains(&grid.memory.id));
                for (at, tile) in own.filter(|_| step.has_landed) {
                    assert_eq!(
                        elements(grid, at),
                        written(grid),
                        "{family}, step {}: {}",
                        frame.position,
                        tile.name
                    );
                    n_compared += 1;
                }
            }
        }
    }
    assert!(n_compared > 30, "{n_compared}");
}

#[test]
fn every_tile_links_to_existing_layout() {
    let mut operations = BTreeMap::new();
    for family in FAMILIES {
        for frame in frames(family) {
            for tile in frame.tensor.expect("a step").tiles {
                if let Some(request) = &tile.layout {
                    if let Err(refusal) = layout(request) {
                        panic!(
                            "{family}, step {}: {request:?}: {refusal:?}",
                            frame.position
                        );
                    }
                    *operations.entry(request.op.clone()).or_insert(0) += 1;
                }
            }
        }
    }
    let names: Vec<&str> = operations.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "tcgen05.d",
            "tcgen05.shared.a",
            "tcgen05.shared.b",
            "wgmma.d",
            "wgmma.shared.a",
            "wgmma.shared.b"
        ]
    );
}

#[test]
fn step_summaries_of_issue_and_completion_match_snapshot() {
    let mut text = String::new();
    for family in FAMILIES {
        let mut seen = BTreeSet::new();
        for frame in frames(family) {
            let step = frame.tensor.as_ref().expect("a step");
            let opcode = frame.last.as_ref().map_or("", |last| last.opcode.as_str());
            if seen.insert((opcode.to_owned(), step.has_landed)) {
                let words = frame.sentence.iter().map(|phrase| phrase.text.as_str());
                let _ = writeln!(text, "{family}: {}", words.collect::<String>());
            }
        }
    }
    expect_file!["tensor/sentences.txt"].assert_eq(&text);
}
