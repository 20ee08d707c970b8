//! Properties of arbitrary texts: no request panics, and every span of an asm block is within its source.

use proptest::prelude::*;
use std::ops::RangeInclusive;
use std::path::Path;
use warpgrid_paste::{EmbeddedFrontEnd, HostLanguage, HostSource};
use warpgrid_program::{Document, FrontEnd, Overrides, SemanticToken, Span};

static PASTED: EmbeddedFrontEnd = EmbeddedFrontEnd::over(&warpgrid_ptx::Ptx);

/// Parts of valid and invalid statements.
const PIECES: &[&str] = &[
    "asm",
    " volatile",
    "(",
    ")",
    "\"",
    "\"mov.u32 %0, %1;\"",
    ":",
    "\"=r\"",
    "\"r\"",
    "(x)",
    ",",
    "#define M(a) ",
    "#a",
    "\\n\\t",
    "\\",
    "R\"(",
    ")\"",
    "%",
    "%%",
    "%5",
    "%[a]",
    "[a]",
    "{",
    "}",
    "\n",
    "//",
    "/*",
    "*/",
    "'",
    "'''",
    "f\"{y}\"",
    "tl.inline_asm_elementwise",
    "import x\n",
    "def f():\n ",
    "$0",
    "~{memory}",
    "\"memory\"",
    "M(u32)",
    "é",
    "\"n\"(N)",
    "#",
    "0x",
    "int N = N;",
    "ptxas x, line 2; error : y\n",
    ".version 8.0\n",
    "core::arch::asm!",
    "\"mov.u32 {}, {x};\"",
    "{0}",
    "in(reg32) ",
    "x = inout(reg64) ",
    "const 3",
    "options(pure)",
    "r#\"",
    "\"#",
    "fn f<'a>() {",
    "nvvm.inline_ptx",
    "\"mov.b32 {$w0}, {$r0};\"",
    "@asmcall",
    "\"{\"",
    "\"} }\"",
];

/// Host languages in which each source is opened.
const LANGUAGES: &[HostLanguage] = &[
    HostLanguage::Cpp,
    HostLanguage::Python,
    HostLanguage::Julia,
    HostLanguage::CSharp,
    HostLanguage::Rust,
];

fn texts() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(PIECES), 0..40);
    pieces.prop_map(|pieces| pieces.concat())
}

/// Sends all requests for a source: with a detected language, and in each known language.
fn ask(source: &str) {
    let document = PASTED.open(source.into(), &Overrides::default());
    ask_document(document.as_ref(), 0..=source.len() as u32);
    check_tokens(source, &PASTED.tokens(source));
    for language in LANGUAGES {
        let document = PASTED.open_host(source.into(), *language, &Overrides::default());
        ask_document(document.as_ref(), 0..=source.len() as u32);
        check_tokens(source, &PASTED.host_tokens(source, *language));
    }
}

/// Checks that tokens are in source order and within the source.
fn check_tokens(source: &str, tokens: &[SemanticToken]) {
    let mut end = 0;
    for token in tokens {
        let Span { start, end: after } = token.span;
        assert!(
            start >= end && start <= after && after as usize <= source.len(),
            "{token:?} in {source:?}"
        );
        end = after;
    }
}

/// Checks a document, and sends the editor requests for the offsets in a range.
fn ask_document(document: &dyn Document, offsets: RangeInclusive<u32>) {
    let source = document.source();
    let n = source.len() as u32;
    let is_place = |span: Span| {
        span.start <= span.end
            && span.end <= n
            && source.is_char_boundary(span.start as usize)
            && source.is_char_boundary(span.end as usize)
    };
    for found in document.check().diagnostics {
        assert!(is_place(found.span), "{found:?}");
        assert!(
            found.labels.iter().all(|label| is_place(label.span)),
            "{found:?}"
        );
        let mut edits = found.fixes.iter().flat_map(|fix| &fix.edits);
        assert!(edits.all(|edit| is_place(edit.span)), "{found:?}");
    }
    for part in document.snippets() {
        assert!(is_place(part.span), "{part:?}");
    }
    let is_boundary = |at: &u32| *at <= n && source.is_char_boundary(*at as usize);
    for at in offsets.filter(is_boundary) {
        document.hover(at);
        document.complete(at);
        document.signature(at);
    }
}

/// Returns the host sources of the test data, with their languages.
fn host_sources() -> Vec<(HostLanguage, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let folders = [root.clone(), root.join("known")];
    let entries = folders.iter().flat_map(|folder| {
        let entries = std::fs::read_dir(folder).expect("the folder of this test");
        entries.flatten().map(|entry| entry.path())
    });
    let mut files: Vec<_> = entries.collect();
    files.sort();
    let sources = files.into_iter().filter_map(|file| {
        let language = HostLanguage::from_extension(file.extension()?.to_str()?)?;
        Some((language, std::fs::read_to_string(&file).ok()?))
    });
    sources.collect()
}

/// Returns the nearest character boundary before or at a byte offset.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Edits a source as a user does: inserts a part of a statement, deletes a range, and possibly cuts the rest of the file.
    #[test]
    fn edited_host_source_yields_valid_spans(
        which in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        n_deleted in 0usize..60,
        piece in prop::sample::select(PIECES),
        is_cut in any::<bool>(),
    ) {
        let sources = host_sources();
        let (language, source) = which.get(&sources);
        let start = boundary(source, at.index(source.len() + 1));
        let end = boundary(source, start + n_deleted).max(start);
        let rest = if is_cut { "" } else { &source[end..] };
        let edited = format!("{}{piece}{rest}", &source[..start]);
        let document = PASTED.open_host(edited.as_str().into(), *language, &Overrides::default());
        let near = (start as u32).saturating_sub(20)..=(start + piece.len() + 20) as u32;
        ask_document(document.as_ref(), near);
        check_tokens(&edited, &PASTED.host_tokens(&edited, *language));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn arbitrary_source_yields_valid_spans(source in texts()) {
        ask(&source);
    }

    #[test]
    fn arbitrary_asm_template_yields_valid_spans(template in "[ -~]{0,40}", raw in any::<bool>()) {
        let text = match raw {
            true => format!("asm volatile(R\"x({template})x\" : \"=r\"(d) : \"r\"(a));"),
            false => format!("asm volatile(\"{template}\" : \"=r\"(d) : \"r\"(a));"),
        };
        ask(&text);
    }

    /// Without macros, the source positions of the characters in a block are ascending, and every byte has a position in the statement.
    #[test]
    fn snippet_offsets_map_to_ascending_source_positions(pieces in prop::collection::vec("[a-z0-9 .;\\\\n%]{0,12}", 1..6)) {
        let strings: Vec<String> = pieces.iter().map(|piece| format!("\"{}\"", piece.trim_end_matches('\\'))).collect();
        let source = format!("asm({} : \"=r\"(d) : \"r\"(a));", strings.join("\n  "));
        if let Some(text) = HostSource::read(&source) {
            let block = text.block(0, &[]).expect("the block that was found");
            let n = block.snippet.text.len() as u32;
            let mut before = block.span.start;
            for at in 0..n {
                let place = block.snippet.map.span(Span::new(at, at + 1));
                prop_assert!(place.start >= before && place.end <= block.span.end && place.start < place.end);
                before = place.start;
            }
        }
    }
}
