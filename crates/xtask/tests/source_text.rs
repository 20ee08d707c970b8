//! Tests that only front ends inspect source text. The test fails if another crate compares strings with opcodes, modifiers or directives
//! of PTX.
//!
//! Outside of the front ends, an instruction is an [`Instruction`](warpgrid_program::Instruction) with its `Operation` and `Modifiers`,
//! and the syntax of an instruction is an [`InstructionSyntax`](warpgrid_program::syntax::InstructionSyntax). A comparison such as
//! `line.starts_with("bar.")` assumes the formatting of the source.
//!
//! The rule: no string literal that names an opcode, a modifier or a directive is an operand of `==` or `!=`, a pattern, or an argument of
//! a method in [`INSPECTIONS`]. A literal names an opcode if its text up to the first `.` is an opcode of the tables and a `.` follows; it
//! names a modifier or a directive if it starts with `.` and the following word is one of the tables or of [`DIRECTIVES`]. Text that is
//! only printed or inserted is permitted.

mod support;

use std::collections::BTreeSet;
use std::path::Path;
use support::rust_files;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Expr, ExprBinary, ExprMethodCall, Item, ItemMod, Lit, Pat};
use warpgrid_isa::PTX;
use warpgrid_isa::form::SlotKind;

/// Crates that must not inspect source text.
const CRATES: &[&str] = &[
    "crates/program",
    "crates/emulator",
    "crates/order",
    "crates/launch",
    "crates/translate",
    "crates/view",
    "crates/share",
    "crates/wasm",
    "crates/cli",
    "web",
    "web/worker",
];

/// Methods that compare or search strings.
const INSPECTIONS: &[&str] = &[
    "contains",
    "ends_with",
    "eq",
    "find",
    "match_indices",
    "matches",
    "replace",
    "replacen",
    "rfind",
    "rsplit",
    "rsplit_once",
    "split",
    "split_once",
    "starts_with",
    "strip_prefix",
    "strip_suffix",
    "trim_end_matches",
    "trim_start_matches",
];

/// PTX directives without the leading dot.
const DIRECTIVES: &[&str] = &[
    "address_size",
    "const",
    "entry",
    "extern",
    "func",
    "global",
    "local",
    "param",
    "reg",
    "shared",
    "target",
    "version",
    "visible",
    "weak",
];

/// Files that parse other text formats, with the reasons for the exceptions.
const EXCEPTIONS: &[(&str, &str)] = &[
    (
        "crates/view/src/layouts/tensor/instruction_descriptor_lookup.rs",
        "the page asks for the descriptor operand of a displayed instruction",
    ),
    (
        "crates/view/src/memory_model/litmus/parser.rs",
        "the head of a litmus test contains `.version` and `.target` lines and functions",
    ),
    (
        "web/src/components/registers_card.rs",
        "links to layouts contain names of layout requests",
    ),
];

#[test]
fn only_front_ends_inspect_source_text() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let words = words();
    let mut found = Vec::new();
    let mut excepted = BTreeSet::new();
    for path in CRATES
        .iter()
        .flat_map(|name| rust_files(&root.join(name).join("src")))
    {
        let text = std::fs::read_to_string(&path).expect("a source file that was listed");
        let file = syn::parse_file(&text).expect("a source file that compiles");
        let mut inspections = Inspections {
            words: &words,
            found: Vec::new(),
        };
        inspections.visit_file(&file);
        let name = path.strip_prefix(&root).unwrap_or(&path);
        let exception = EXCEPTIONS.iter().find(|(file, _)| Path::new(file) == name);
        match exception {
            Some((file, _)) if !inspections.found.is_empty() => {
                excepted.insert(*file);
            }
            _ => {
                let all = inspections.found.iter();
                found.extend(all.map(|own| format!("{}:{own}", name.display())));
            }
        }
    }
    assert!(
        found.is_empty(),
        "{} comparisons of strings with parts of instructions:\n{}",
        found.len(),
        found.join("\n")
    );
    let unused = EXCEPTIONS.iter().find(|(file, _)| !excepted.contains(file));
    assert_eq!(unused, None, "an exception is not needed any more");
}

/// Opcodes of the tables, and modifiers and directives without their leading dots.
struct Words {
    opcodes: BTreeSet<&'static str>,
    others: BTreeSet<&'static str>,
}

fn words() -> Words {
    let layouts = PTX.layouts();
    let slots = layouts.iter().flat_map(|layout| &layout.slots);
    let modifiers = slots.flat_map(|slot| match slot.kind {
        SlotKind::Set(set) => set.values.iter().map(|value| value.text).collect(),
        SlotKind::Literal(word, _) => vec![word],
    });
    Words {
        opcodes: layouts.iter().map(|layout| layout.opcode).collect(),
        others: modifiers.chain(DIRECTIVES.iter().copied()).collect(),
    }
}

impl Words {
    /// Checks whether a text contains the name of an opcode, a modifier or a directive.
    fn are_named_by(&self, text: &str) -> bool {
        let (head, rest) = text.split_once('.').unwrap_or((text, ""));
        let in_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':');
        let word = rest.split(|c| !in_word(c)).next().unwrap_or("");
        match head {
            "" => self.others.contains(word),
            head => text.contains('.') && self.opcodes.contains(head),
        }
    }
}

/// Comparisons in a file, with the line number and the compared literal of each comparison.
struct Inspections<'w> {
    words: &'w Words,
    found: Vec<String>,
}

impl Inspections<'_> {
    fn note(&mut self, literal: &Lit) {
        if let Lit::Str(text) = literal
            && self.words.are_named_by(&text.value())
        {
            let line = literal.span().start().line;
            self.found.push(format!("{line}: {:?}", text.value()));
        }
    }

    fn note_value(&mut self, value: &Expr) {
        match value {
            Expr::Lit(literal) => self.note(&literal.lit),
            Expr::Reference(value) => self.note_value(&value.expr),
            Expr::Array(all) => all.elems.iter().for_each(|value| self.note_value(value)),
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for Inspections<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Mod(module) if is_test(module) => {}
            _ => visit::visit_item(self, item),
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if INSPECTIONS.contains(&call.method.to_string().as_str()) {
            self.note_value(&call.receiver);
            call.args.iter().for_each(|value| self.note_value(value));
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_binary(&mut self, compared: &'ast ExprBinary) {
        if let BinOp::Eq(_) | BinOp::Ne(_) = compared.op {
            self.note_value(&compared.left);
            self.note_value(&compared.right);
        }
        visit::visit_expr_binary(self, compared);
    }

    fn visit_pat(&mut self, pattern: &'ast Pat) {
        if let Pat::Lit(literal) = pattern {
            self.note(&literal.lit);
        }
        visit::visit_pat(self, pattern);
    }
}

/// Checks whether a module is compiled for tests only.
fn is_test(module: &ItemMod) -> bool {
    let is_test = |attribute: &Attribute| {
        let arguments = attribute.meta.require_list();
        arguments.is_ok_and(|list| list.path.is_ident("cfg") && list.tokens.to_string() == "test")
    };
    module.attrs.iter().any(is_test)
}
