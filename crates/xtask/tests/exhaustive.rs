//! Matches over meanings say every member: source files of the rooms go in, catch-all arms come out.
//!
//! A new meaning must not compile until every room that has to handle it does. One `_` arm is enough to lose that, so
//! none may be in a match over the enums below.

use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};
use syn::{Arm, ExprMatch, Pat, UseTree};

/// The enums that say what an instruction does, from the tables to the decoded operation.
const ENUMS: &[&str] = &[
    "Does",
    "ArithmeticOp",
    "CarryOp",
    "VideoOp",
    "CompareForm",
    "MoveOp",
    "MemoryOp",
    "AsyncOp",
    "MatrixOp",
    "MbarrierOp",
    "ControlOp",
    "SyncOp",
    "WarpOp",
    "HintOp",
    "Op",
];

/// Every room that handles meanings.
const ROOMS: &[&str] = &[
    "isa", "program", "ptx", "sass", "emulator", "launch", "view",
];

#[test]
fn no_match_over_a_meaning_has_a_catch_all() {
    let mut found = Vec::new();
    for path in sources() {
        let text = std::fs::read_to_string(&path).expect("a source file that was listed");
        let file = syn::parse_file(&text).expect("a source file that compiles");
        let mut matches = Matches {
            names: Names::default(),
            catch_alls: Vec::new(),
        };
        matches.names.visit_file(&file);
        matches.visit_file(&file);
        let hides_members = matches.names.has(GLOB) && text.contains("match ");
        matches.catch_alls.extend(hides_members.then_some(1));
        let name = path.display();
        found.extend(
            matches
                .catch_alls
                .iter()
                .map(|line| format!("{name}:{line}")),
        );
    }
    assert!(
        found.is_empty(),
        "{} catch-all arms over meanings:\n{}",
        found.len(),
        found.join("\n")
    );
}

/// The names by which a file calls the enums: `use MemoryOp as M` makes `M` one. `use MemoryOp::*` would hide the members
/// from this test, so only the tables, which have no matches, may write it.
#[derive(Default)]
struct Names {
    own: Vec<String>,
    /// Names of the list that a file gives to something else: `use FragmentOp as Op`.
    others: Vec<String>,
}

impl Names {
    fn has(&self, name: &str) -> bool {
        let is_other = self.others.iter().any(|other| other == name);
        (ENUMS.contains(&name) && !is_other) || self.own.iter().any(|own| own == name)
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_use_tree(&mut self, tree: &'ast UseTree) {
        if let UseTree::Rename(renamed) = tree {
            let names = match ENUMS.contains(&renamed.ident.to_string().as_str()) {
                true => &mut self.own,
                false => &mut self.others,
            };
            names.push(renamed.rename.to_string());
        }
        if let UseTree::Path(path) = tree
            && ENUMS.contains(&path.ident.to_string().as_str())
            && matches!(*path.tree, UseTree::Glob(_))
        {
            self.own.push(GLOB.to_owned());
        }
        visit::visit_use_tree(self, tree);
    }
}

/// Marks a file that names the members of an enum without the enum.
const GLOB: &str = "*";

struct Matches {
    names: Names,
    /// Lines of catch-all arms.
    catch_alls: Vec<usize>,
}

impl<'ast> Visit<'ast> for Matches {
    fn visit_expr_match(&mut self, expression: &'ast ExprMatch) {
        let is_over_meanings = expression
            .arms
            .iter()
            .any(|arm| self.names_member(&arm.pat));
        if is_over_meanings {
            let wild = expression.arms.iter().filter(|arm| is_catch_all(arm));
            let lines = wild.map(|arm| syn::spanned::Spanned::span(&arm.pat).start().line);
            self.catch_alls.extend(lines);
        }
        visit::visit_expr_match(self, expression);
    }
}

impl Matches {
    /// Whether a pattern names a member of one of the enums at its top: `Does::Memory(..)`, also one of several.
    fn names_member(&self, pattern: &Pat) -> bool {
        let path = match pattern {
            Pat::Path(pattern) => &pattern.path,
            Pat::TupleStruct(pattern) => &pattern.path,
            Pat::Struct(pattern) => &pattern.path,
            Pat::Tuple(pattern) => return pattern.elems.iter().any(|part| self.names_member(part)),
            Pat::Or(pattern) => return pattern.cases.iter().any(|case| self.names_member(case)),
            Pat::Paren(pattern) => return self.names_member(&pattern.pat),
            Pat::Reference(pattern) => return self.names_member(&pattern.pat),
            _ => return false,
        };
        let mut segments = path.segments.iter().rev().skip(1);
        segments
            .next()
            .is_some_and(|owner| self.names.has(&owner.ident.to_string()))
    }
}

/// Whether an arm takes whatever comes: `_` or a name, without a condition.
fn is_catch_all(arm: &Arm) -> bool {
    arm.guard.is_none()
        && match &arm.pat {
            Pat::Wild(_) => true,
            Pat::Ident(pattern) => pattern.subpat.is_none(),
            _ => false,
        }
}

/// The Rust files of the rooms, tests left out.
fn sources() -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for room in ROOMS {
        add_sources(&crates.join(room).join("src"), &mut files);
    }
    files.sort();
    files
}

fn add_sources(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            add_sources(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
}
