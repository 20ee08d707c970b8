//! Puzzles and tours in `web/learn`: solutions pass, mutants of solutions fail, and the facts of tours hold.

use std::path::{Path, PathBuf};
use warpgrid_view::learn::puzzle::Puzzle;
use warpgrid_view::learn::thumbnail;
use warpgrid_view::learn::tour::Tour;

mod mutants;

/// Returns the files of a directory of `web/learn` by name.
fn files(folder: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/learn");
    let entries = std::fs::read_dir(root.join(folder)).expect("the folder");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.file_stem().expect("a name").to_string_lossy();
        (
            name.into_owned(),
            std::fs::read_to_string(&path).expect("a text"),
        )
    };
    paths.into_iter().map(read).collect()
}

fn puzzles() -> Vec<(String, Puzzle)> {
    let read = |(name, text): (String, String)| {
        let puzzle = Puzzle::read(&text).unwrap_or_else(|reason| panic!("{name}: {reason}"));
        (name, puzzle)
    };
    files("puzzles").into_iter().map(read).collect()
}

#[test]
fn puzzles_number_40_in_8_chapters_and_have_hints() {
    let puzzles = puzzles();
    let mut chapters: Vec<&str> = puzzles.iter().map(|(_, puzzle)| &*puzzle.chapter).collect();
    chapters.dedup();
    assert_eq!((puzzles.len(), chapters.len()), (40, 8), "{chapters:?}");
    for (name, puzzle) in &puzzles {
        assert!(!puzzle.view().hints.is_empty(), "{name} has a hint");
    }
}

#[test]
fn puzzle_solutions_pass_and_placeholders_fail() {
    let mut wrong = Vec::new();
    for (name, puzzle) in puzzles() {
        let verdict = puzzle.check(puzzle.answer());
        if !verdict.passed {
            wrong.push(format!("{name}: {}", verdict.sentence));
        }
        let given = puzzle.check(&puzzle.view().placeholder);
        if given.passed {
            wrong.push(format!("{name}: passes with what it begins with"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the source of an example.
fn example(id: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../public/examples");
    std::fs::read_to_string(root.join(format!("{id}.ptx")))
        .unwrap_or_else(|reason| panic!("{id}: {reason}"))
}

#[test]
fn tour_stops_exist_and_tour_facts_are_true() {
    let (mut wrong, mut n_facts) = (Vec::new(), 0);
    let tours = files("tours");
    for (id, text) in &tours {
        let tour = Tour::read(text).unwrap_or_else(|reason| panic!("{id}: {reason}"));
        n_facts += tour.n_facts();
        if let Err(reason) = tour.verify_stops(&example(id)) {
            wrong.push(format!("{id}: {reason}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        tours.len() >= 10 && n_facts >= 50,
        "{} tours with {n_facts} facts",
        tours.len()
    );
}

#[test]
fn every_example_has_thumbnail() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../public/examples");
    let entries = std::fs::read_dir(root).expect("the examples");
    for path in entries.map(|entry| entry.expect("a file").path()) {
        let text = std::fs::read_to_string(&path).expect("a text");
        let found = thumbnail(&text);
        assert!(
            found.is_ok_and(|svg| svg.contains("<rect")),
            "{}",
            path.display()
        );
    }
}
