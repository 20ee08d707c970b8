//! Tests that matches over instruction semantics are exhaustive. The test fails on wildcard arms and on comparisons with a single variant.
//!
//! A new variant must cause compile errors until every crate handles the variant. A `_` arm or a comparison such as
//! `does == Operation::Memory(Store)` returns "no" for every new variant. Predicates over operations are therefore exhaustive matches,
//! either next to the enum or in `families.rs` of a front end. The facts next to the enum may use `matches!` and `_ => None`, because
//! their default is "no".

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use support::rust_files;
use syn::parse::{Parse, ParseStream};
use syn::visit::{self, Visit};
use syn::{Arm, BinOp, Expr, ExprBinary, ExprLet, ExprMatch, Local, Macro, Pat, Token, UseTree};
use warpgrid_isa::PTX;

/// Enums that describe instruction semantics, from the instruction tables to the decoded operation.
const ENUMS: &[&str] = &[
    "Operation",
    "ArithmeticOp",
    "CarryOp",
    "VideoOp",
    "ComparisonOp",
    "MoveOp",
    "MemoryOp",
    "AsyncOp",
    "MatrixOp",
    "MbarrierOp",
    "ControlOp",
    "SyncOp",
    "WarpOp",
    "HintOp",
    "SassOp",
    "DeviceUnitOp",
    "StackOp",
    "ClusterLaunchControlOp",
    "MultimemOp",
    "TensorCopyOp",
    "TensorMapOp",
    "WarpgroupOp",
    "TensorMemoryOp",
    "TextureOp",
    "SurfaceOp",
    "DecodedOp",
];

/// Crates that handle instruction semantics.
const CRATES: &[&str] = &[
    "isa", "program", "ptx", "sass", "paste", "emulator", "order", "launch", "view",
];

/// Source file that lists the translation of each decoded operation, or the reason why an operation has no translation. The analyses of the
/// translator contain wildcard arms, because the analyses are conservative for other operations.
const TRANSLATED_OPERATIONS: &str = "translate/src/emit.rs";

#[test]
fn matches_on_semantics_enums_have_no_catch_all() {
    let mut found = Vec::new();
    for path in sources() {
        let text = std::fs::read_to_string(&path).expect("a source file that was listed");
        let file = syn::parse_file(&text).expect("a source file that compiles");
        let mut matches = Matches {
            names: Names::default(),
            catch_alls: Vec::new(),
            states_facts: states_facts(&path),
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

#[test]
fn semantics_enums_are_not_tested_for_single_variant() {
    let mut found = Vec::new();
    let files = sources().into_iter().filter(|path| !states_facts(path));
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a source file that was listed");
        let file = syn::parse_file(&text).expect("a source file that compiles");
        let mut questions = SingleVariantChecks(Vec::new());
        questions.visit_file(&file);
        let name = path.display();
        found.extend(questions.0.iter().map(|line| format!("{name}:{line}")));
    }
    assert!(
        found.is_empty(),
        "{} questions after one meaning:\n{}",
        found.len(),
        found.join("\n")
    );
}

/// Checks whether a file contains the facts about operations. The default of a fact is "no", so that `matches!` may list the operations for
/// which the fact holds.
fn states_facts(path: &Path) -> bool {
    let facts = ["isa/src/common/operation.rs", "isa/src/common/operation"];
    let is_below = |folder: &&str| path.ancestors().any(|ancestor| ancestor.ends_with(folder));
    facts.iter().any(is_below)
}

/// An unused variant indicates that the variant has been added but that no table row refers to the variant.
#[test]
fn every_semantics_variant_is_used_by_instruction_form() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = std::fs::read_to_string(crates.join("isa/src/common/operation.rs"));
    let file = syn::parse_file(&text.expect("the enum of meanings")).expect("Rust");
    let rows: BTreeSet<String> = PTX
        .layouts()
        .iter()
        .map(|layout| format!("{:?}", layout.form.operation))
        .collect();
    let mut machine = String::new();
    for path in rust_files(&crates.join("sass/src/lower")) {
        machine.push_str(&std::fs::read_to_string(path).expect("a source file that was listed"));
    }
    let families = families_of(&file);
    for owner in families.keys() {
        assert!(
            ENUMS.contains(&owner.as_str()),
            "{owner} is not in the list of enums"
        );
    }
    let mut missing = Vec::new();
    for item in &file.items {
        let syn::Item::Enum(meanings) = item else {
            continue;
        };
        let owner = meanings.ident.to_string();
        let Some(family) = families.get(&owner) else {
            continue;
        };
        for member in &meanings.variants {
            let name = member.ident.to_string();
            let is_in = |row: &String| {
                let mut words = row.split(|c: char| !c.is_alphanumeric());
                words.next() == Some(family) && words.any(|word| word == name)
            };
            let member = format!("{owner}::{name}");
            if !rows.iter().any(is_in) && !machine.contains(&member) {
                missing.push(member);
            }
        }
    }
    assert!(missing.is_empty(), "no row says {missing:?}");
}

/// Returns the name of the `Operation` variant that wraps each enum of operations. The payloads of other variants are parameters of the
/// operation.
fn families_of(file: &syn::File) -> BTreeMap<String, String> {
    let mut families = BTreeMap::new();
    for item in &file.items {
        let syn::Item::Enum(meanings) = item else {
            continue;
        };
        for member in meanings
            .variants
            .iter()
            .filter(|_| meanings.ident == "Operation")
        {
            let owners = member
                .fields
                .iter()
                .take(1)
                .filter_map(|field| match &field.ty {
                    syn::Type::Path(path) => path.path.get_ident(),
                    _ => None,
                });
            families.extend(owners.map(|owner| (owner.to_string(), member.ident.to_string())));
        }
    }
    families
}

/// Line numbers of comparisons with a single variant of `Operation`: `==`, `!=`, `matches!`, `if let` and `let … else`.
struct SingleVariantChecks(Vec<usize>);

impl SingleVariantChecks {
    /// Records an expression or a pattern with the path `Operation::…`. The function ignores
    /// [`Operation::Unknown`](warpgrid_isa::Operation::Unknown), which is not an operation.
    fn note(&mut self, path: &syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        if let [.., owner, member] = names.as_slice()
            && owner == "Operation"
            && member != "Unknown"
        {
            self.0.push(syn::spanned::Spanned::span(path).start().line);
        }
    }

    fn note_value(&mut self, value: &Expr) {
        match value {
            Expr::Path(path) => self.note(&path.path),
            Expr::Call(call) => self.note_value(&call.func),
            _ => {}
        }
    }

    fn note_pattern(&mut self, pattern: &Pat) {
        match pattern {
            Pat::Path(pattern) => self.note(&pattern.path),
            Pat::TupleStruct(pattern) => {
                self.note(&pattern.path);
                pattern
                    .elems
                    .iter()
                    .for_each(|part| self.note_pattern(part));
            }
            Pat::Tuple(pattern) => pattern
                .elems
                .iter()
                .for_each(|part| self.note_pattern(part)),
            Pat::Or(pattern) => pattern
                .cases
                .iter()
                .for_each(|case| self.note_pattern(case)),
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for SingleVariantChecks {
    fn visit_expr_binary(&mut self, asked: &'ast ExprBinary) {
        if let BinOp::Eq(_) | BinOp::Ne(_) = asked.op {
            self.note_value(&asked.left);
            self.note_value(&asked.right);
        }
        visit::visit_expr_binary(self, asked);
    }

    fn visit_expr_let(&mut self, asked: &'ast ExprLet) {
        self.note_pattern(&asked.pat);
        visit::visit_expr_let(self, asked);
    }

    fn visit_local(&mut self, local: &'ast Local) {
        self.note_pattern(&local.pat);
        visit::visit_local(self, local);
    }

    fn visit_macro(&mut self, called: &'ast Macro) {
        if called.path.is_ident("matches")
            && let Ok(Matched { value, pattern }) = called.parse_body()
        {
            self.visit_expr(&value);
            self.note_pattern(&pattern);
        }
    }
}

/// Arguments of `matches!`. The parser ignores a guard after the pattern.
struct Matched {
    value: Expr,
    pattern: Pat,
}

impl Parse for Matched {
    fn parse(input: ParseStream<'_>) -> syn::Result<Matched> {
        let value = input.parse()?;
        input.parse::<Token![,]>()?;
        let pattern = Pat::parse_multi_with_leading_vert(input)?;
        input.parse::<proc_macro2::TokenStream>()?;
        Ok(Matched { value, pattern })
    }
}

/// Names of the enums within a file. For example, `use MemoryOp as M` adds the name `M`. A glob import such as `use MemoryOp::*` would hide
/// the variants from this test, so that glob imports are permitted only in the tables, which contain no matches.
#[derive(Default)]
struct Names {
    own: Vec<String>,
    /// Names of listed enums that the file uses for another item, as in `use FragmentOp as Op`.
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

/// Name that marks a file with a glob import of the variants of an enum.
const GLOB: &str = "*";

/// Checks whether an expression is `false`, `None`, or a variant with the name `None`.
fn answers_no(value: &Expr) -> bool {
    match value {
        Expr::Lit(literal) => matches!(&literal.lit, syn::Lit::Bool(value) if !value.value),
        Expr::Path(path) => path
            .path
            .segments
            .last()
            .is_some_and(|last| last.ident == "None"),
        _ => false,
    }
}

struct Matches {
    names: Names,
    /// Line numbers of wildcard arms.
    catch_alls: Vec<usize>,
    /// Whether the file contains facts about operations. In such a file, a wildcard arm may return "no".
    states_facts: bool,
}

impl<'ast> Visit<'ast> for Matches {
    fn visit_expr_match(&mut self, expression: &'ast ExprMatch) {
        let is_over_meanings = expression
            .arms
            .iter()
            .any(|arm| self.names_member(&arm.pat));
        if is_over_meanings {
            let is_no = |arm: &&Arm| self.states_facts && answers_no(&arm.body);
            let wild = expression.arms.iter().filter(|arm| is_catch_all(arm));
            let wild = wild.filter(|arm| !is_no(arm));
            let lines = wild.map(|arm| syn::spanned::Spanned::span(&arm.pat).start().line);
            self.catch_alls.extend(lines);
        }
        visit::visit_expr_match(self, expression);
    }
}

impl Matches {
    /// Returns whether the top level of a pattern names a variant of one of the enums, such as `Operation::Memory(..)`. The function also
    /// inspects the alternatives of an or-pattern.
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

/// Returns whether an arm matches every value. The pattern of such an arm is `_` or a name, without a guard.
fn is_catch_all(arm: &Arm) -> bool {
    arm.guard.is_none()
        && match &arm.pat {
            Pat::Wild(_) => true,
            Pat::Ident(pattern) => pattern.subpat.is_none(),
            _ => false,
        }
}

/// Returns the paths of the Rust files in the crates, except for test files.
fn sources() -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for name in CRATES {
        files.extend(rust_files(&crates.join(name).join("src")));
    }
    files.push(crates.join(TRANSLATED_OPERATIONS));
    files.sort();
    files
}
