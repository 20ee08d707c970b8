//! Properties of arbitrary texts: no request panics, and every span of an asm block is within its source.

use proptest::prelude::*;
use warpgrid_paste::{EmbeddedFrontEnd, HostSource};
use warpgrid_program::{FrontEnd, Overrides, Span};

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
];

fn texts() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(PIECES), 0..40);
    pieces.prop_map(|pieces| pieces.concat())
}

/// Sends all requests for a source.
fn ask(source: &str) {
    let document = PASTED.open(source.into(), &Overrides::default());
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
    let mut end = 0;
    for token in PASTED.tokens(source) {
        assert!(
            token.span.start >= end && is_place(token.span),
            "{token:?} in {source:?}"
        );
        end = token.span.end;
    }
    for at in (0..=n).filter(|at| source.is_char_boundary(*at as usize)) {
        document.hover(at);
        document.complete(at);
        document.signature(at);
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
