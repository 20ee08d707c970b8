//! Common code of the tests: a readable form of syntax trees, diagnostics as text, and the corpus.

pub(crate) mod rows;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use warpgrid_program::{Diagnostic, LineIndex};
use warpgrid_ptx::tree::{
    InitValue, InitValueKind, Name, Operand, OperandKind, Operands, StatementKind,
};
use warpgrid_ptx::{Parse, Tree};

/// Formats a syntax tree with one line per statement, indented by functions and blocks.
pub(crate) fn dump(source: &str, tree: &Tree) -> String {
    let mut out = String::new();
    let mut depth = 0usize;
    for statement in &tree.statements {
        use StatementKind as K;
        if matches!(statement.kind, K::FunctionEnd(_) | K::BlockClose) {
            depth = depth.saturating_sub(1);
        }
        let line = match statement.kind {
            K::Instruction(i) => {
                let words: Vec<&str> = tree.mnemonics.texts(source, i.mnemonic).collect();
                let guard = match tree.guard(&i) {
                    Some(g) if g.negated => format!("@!{} ", name(source, tree, g.name)),
                    Some(g) => format!("@{} ", name(source, tree, g.name)),
                    None => String::new(),
                };
                format!(
                    "{guard}{} {}",
                    words.join("."),
                    operands(source, tree, tree.operands_of(&i))
                )
            }
            K::Label(label) => format!("label {}", name(source, tree, label)),
            K::Declaration(i) => declaration(source, tree, i as usize),
            K::Directive(i) => {
                let d = &tree.directives[i as usize];
                format!(
                    "{:?} {}",
                    d.kind,
                    operands(source, tree, tree.arguments_of(d))
                )
            }
            K::FunctionStart(i) | K::Prototype(i) => function(source, tree, i as usize),
            K::FunctionEnd(_) => "end".into(),
            K::BlockOpen => "{".into(),
            K::BlockClose => "}".into(),
            K::Empty => "empty".into(),
            K::Error => format!("error {:?}", statement.span.text(source)),
        };
        let _ = writeln!(out, "{}{}", "  ".repeat(depth), line.trim_end());
        if matches!(statement.kind, K::FunctionStart(_) | K::BlockOpen) {
            depth += 1;
        }
    }
    out
}

fn name(source: &str, tree: &Tree, name: Name) -> String {
    let stem = tree.symbols.text(source, name.stem);
    match name.number() {
        Some(number) => format!("{stem}{number}"),
        None => stem.to_owned(),
    }
}

fn operands(source: &str, tree: &Tree, all: Operands<'_>) -> String {
    let texts: Vec<String> = all
        .map(|(o, children)| operand(source, tree, o, children))
        .collect();
    texts.join(" ")
}

fn operand(source: &str, tree: &Tree, operand: &Operand, children: Operands<'_>) -> String {
    use OperandKind as K;
    let n = |x: Name| name(source, tree, x);
    let side = |x: Option<Name>| x.map_or("_".to_owned(), n);
    match operand.kind {
        K::Name(x) => n(x),
        K::Component { name, component } => format!("{}:{component:?}", n(name)),
        K::Not(x) => format!("not({})", n(x)),
        K::Minus(x) => format!("minus({})", n(x)),
        K::Pair { first, second } => format!("pair({} {})", side(first), side(second)),
        K::Sink => "_".into(),
        K::Integer {
            value,
            unsigned: false,
        } => format!("{}", value as i64),
        K::Integer {
            value,
            unsigned: true,
        } => format!("{value}U"),
        K::Single(bits) => format!("single:{bits:08x}"),
        K::Double(bits) => format!("double:{}", f64::from_bits(bits)),
        K::Address { base, offset } => format!("[{} {offset:+}]", n(base)),
        K::AbsoluteAddress { value } => format!("[{value}]"),
        K::AddressList { .. } => format!("[{}]", operands(source, tree, children)),
        K::Sum { name, offset } => format!("({} {offset:+})", n(name)),
        K::Indexed { name, index } => format!("{}[{index}]", n(name)),
        K::IndexedBy { name, .. } => format!("{}[{}]", n(name), operands(source, tree, children)),
        K::Vector { .. } => format!("{{{}}}", operands(source, tree, children)),
        K::Group { .. } => format!("({})", operands(source, tree, children)),
        K::Resident(x) => format!("resident({})", n(x)),
        K::String | K::Word => operand.span.text(source).to_owned(),
        K::Error => "error".into(),
    }
}

fn declaration(source: &str, tree: &Tree, index: usize) -> String {
    let d = &tree.declarations[index];
    let mut out = format!("{:?}", d.space);
    if let Some(linkage) = d.linkage {
        let _ = write!(out, " {linkage:?}");
    }
    if let Some(alignment) = d.alignment {
        let _ = write!(out, " align {}", alignment.bytes);
    }
    if let Some(vector) = d.vector {
        let _ = write!(out, " {vector:?}");
    }
    let _ = write!(out, " {}", d.type_span.text(source));
    if let Some(pointer) = d.pointer {
        let _ = write!(
            out,
            " ptr({:?} {:?})",
            pointer.space,
            pointer.alignment.map(|a| a.bytes)
        );
    }
    for attribute in d.attributes.of(&tree.attributes) {
        let _ = write!(out, " {}", attribute.span.text(source));
    }
    for declarator in tree.declarators_of(d) {
        let _ = write!(
            out,
            " {}",
            declarator
                .name
                .map_or("_".to_owned(), |x| name(source, tree, x))
        );
        if let Some(count) = declarator.count {
            let _ = write!(out, "<{count}>");
        }
        for dimension in tree.dimensions_of(declarator) {
            let _ = write!(
                out,
                "[{}]",
                dimension.size.map_or(String::new(), |n| n.to_string())
            );
        }
        if !declarator.initializer.is_empty() {
            let _ = write!(
                out,
                " = {}",
                init_values(source, tree, tree.init_values_of(declarator))
            );
        }
    }
    out
}

fn init_values(source: &str, tree: &Tree, mut values: &[InitValue]) -> String {
    let mut texts = Vec::new();
    while let Some((value, rest)) = values.split_first() {
        values = rest;
        texts.push(match value.kind {
            InitValueKind::List { entries } => {
                let (inner, rest) = rest.split_at(entries as usize);
                values = rest;
                format!("{{{}}}", init_values(source, tree, inner))
            }
            InitValueKind::Integer { value, .. } => format!("{}", value as i64),
            InitValueKind::Single(bits) => format!("single:{bits:08x}"),
            InitValueKind::Double(bits) => format!("double:{}", f64::from_bits(bits)),
            InitValueKind::Address {
                name: x,
                offset,
                generic,
                mask,
                ..
            } => {
                let generic = if generic { "generic " } else { "" };
                let mask = mask.map_or(String::new(), |m| format!("{m:#x} of "));
                format!("{mask}{generic}{}{offset:+}", name(source, tree, x))
            }
            InitValueKind::Setting { field, .. } => format!("set {}", field.text(source)),
            InitValueKind::MaskedInteger { value, mask } => format!("{value:#x} by {mask:#x}"),
            InitValueKind::String | InitValueKind::Error => value.span.text(source).to_owned(),
        });
    }
    texts.join(" ")
}

fn function(source: &str, tree: &Tree, index: usize) -> String {
    let f = &tree.functions[index];
    let mut out = format!(
        "{:?} {}",
        f.sort,
        f.name.map_or("_".to_owned(), |x| name(source, tree, x))
    );
    if let Some(linkage) = f.linkage {
        let _ = write!(out, " {linkage:?}");
    }
    let list = |range: warpgrid_ptx::tree::Range| -> Vec<String> {
        (range.start..range.end)
            .map(|i| declaration(source, tree, i as usize))
            .collect()
    };
    let _ = write!(
        out,
        " ({}) -> ({})",
        list(f.parameters).join(", "),
        list(f.returns).join(", ")
    );
    for directive in f.directives.of(&tree.directives) {
        let arguments = operands(source, tree, tree.arguments_of(directive));
        let _ = write!(out, " {} {arguments}", directive.word.text(source));
    }
    out
}

/// Formats one line per diagnostic: `line:column code message <marked text>`.
pub(crate) fn describe(source: &str, diagnostics: &[Diagnostic]) -> String {
    let lines = LineIndex::new(source);
    let mut out = String::new();
    for d in diagnostics {
        let at = lines.position(source, d.span.start);
        let _ = writeln!(
            out,
            "{}:{} {} {} <{}>",
            at.line,
            at.column,
            d.code,
            d.message,
            d.span.text(source).escape_debug()
        );
    }
    out
}

/// Returns the PTX files of the repository, and the shared files if they are present.
pub(crate) fn corpus() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shared = root.join("../../../shared");
    let mut files = Vec::new();
    for folder in [
        root.join("tests/data"),
        shared.join("corpus_parse"),
        shared.join("corpus"),
    ] {
        collect(&folder, &mut files);
    }
    assert!(files.len() >= 6, "the files in tests/data are missing");
    files.sort();
    files
}

fn collect(folder: &Path, files: &mut Vec<(PathBuf, String)>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "ptx")
            && let Ok(text) = std::fs::read_to_string(&path)
        {
            files.push((path, text));
        }
    }
}

/// Checks the invariants of a syntax tree, which hold for every source: spans within the source and in order, and no loss of
/// text.
pub(crate) fn assert_sound(source: &str, parse: &Parse) {
    let tree = &parse.tree;
    let mut end = 0;
    for statement in &tree.statements {
        let span = statement.span;
        assert!(
            span.start >= end,
            "statement {span:?} overlaps the one before, which ends at {end}"
        );
        assert!(span.start <= span.end && span.end as usize <= source.len());
        assert!(
            source.is_char_boundary(span.start as usize)
                && source.is_char_boundary(span.end as usize)
        );
        assert_only_trivia(source, end as usize, span.start as usize);
        end = span.end;
    }
    assert_only_trivia(source, end as usize, source.len());
    for d in &parse.diagnostics {
        assert!(
            d.span.start <= d.span.end && d.span.end as usize <= source.len(),
            "{d:?}"
        );
        assert!(
            source
                .get(d.span.start as usize..d.span.end as usize)
                .is_some(),
            "{d:?}"
        );
        for fix in &d.fixes {
            let _ = fix.apply(source);
        }
    }
    for operand in &tree.operands {
        assert!(
            operand.span.start <= operand.span.end && operand.span.end as usize <= source.len()
        );
    }
    let budget = source.len() + 16;
    assert!(
        tree.statements.len() <= budget + 2000
            && tree.operands.len() <= budget
            && tree.declarators.len() <= budget
    );
}

/// Typographic characters that the parser treats as blanks.
const TYPESET: &[char] = &[
    '\u{a0}', '\u{ad}', '\u{2007}', '\u{202f}', '\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}',
];

/// Checks that the text between statements contains only blanks, comments and line markers.
fn assert_only_trivia(source: &str, start: usize, end: usize) {
    let mut rest = &source[start..end];
    loop {
        let is_blank = |c| matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}') || TYPESET.contains(&c);
        rest = rest.trim_start_matches(is_blank);
        let line = rest.split('\n').next().unwrap_or("");
        // Line marker: `# 7 "file"`.
        let is_marker = line.starts_with('#') && line.contains('"');
        if is_marker && line.len() < rest.len() {
            rest = &rest[line.len()..];
        } else if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.find('\n').map_or("", |n| &comment[n..]);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.find("*/").map_or("", |n| &comment[n + 2..]);
        } else {
            break;
        }
    }
    assert!(rest.is_empty(), "lost text {rest:?}");
}
