//! Host source files with inline assembly: the extracted asm blocks and their diagnostics with positions.
//!
//! `UPDATE_EXPECT=1` updates the expected files in the same directory.

use expect_test::expect_file;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use warpgrid_paste::EmbeddedFrontEnd;
use warpgrid_paste::HostLanguage;
use warpgrid_program::{Diagnostic, Document, FrontEnd, LineIndex, Overrides, Span};

static PASTED: EmbeddedFrontEnd = EmbeddedFrontEnd::over(&warpgrid_ptx::Ptx);

fn files() -> Vec<PathBuf> {
    files_in("tests/data")
}

fn files_in(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(folder).expect("the folder of this test");
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension().is_some_and(|ending| {
                ["cu", "cpp", "py", "jl", "cs", "rs", "log"]
                    .iter()
                    .any(|own| ending == *own)
            })
        })
        .collect();
    files.sort();
    files
}

/// Formats the results for a source whose language is detected.
fn found(source: &str) -> String {
    formatted(PASTED.open(source.into(), &Overrides::default()).as_ref())
}

/// Formats the asm blocks and the diagnostics of a document.
fn formatted(document: &dyn Document) -> String {
    let source = document.source();
    let lines = LineIndex::new(source);
    let mut text = String::new();
    for part in document.snippets() {
        let at = lines.position(source, part.span.start).line;
        let verdict = if part.accept { "accepted" } else { "refused" };
        let target = part.target.unwrap_or("-");
        let _ = writeln!(text, "== {} (line {at}): {verdict} for {target}", part.name);
        for operand in &part.operands {
            let _ = writeln!(
                text,
                "   {} {} \"{}\"({})",
                operand.ty, operand.name, operand.constraint, operand.expression
            );
        }
        for line in part.text.lines() {
            let _ = writeln!(text, " | {}", line.trim_end());
        }
        if let Some(note) = part.note {
            let _ = writeln!(text, "   {note}");
        }
    }
    for diagnostic in document.check().diagnostics {
        write_diagnostic(&mut text, source, &lines, &diagnostic);
    }
    text
}

fn write_diagnostic(text: &mut String, source: &str, lines: &LineIndex, found: &Diagnostic) {
    let place = |span: Span| {
        let position = lines.position(source, span.start);
        format!(
            "{}:{} `{}`",
            position.line,
            position.column,
            span.text(source)
        )
    };
    let severity = found.severity.name();
    let _ = writeln!(
        text,
        "{} {severity} {}: {}",
        place(found.span),
        found.code,
        found.message
    );
    for label in &found.labels {
        let _ = writeln!(text, "    {}: {}", place(label.span), label.text);
    }
    if let Some(help) = &found.help {
        let _ = writeln!(text, "    help: {help}");
    }
    for fix in &found.fixes {
        let _ = writeln!(text, "    fix: {}", fix.title);
    }
}

#[test]
fn asm_blocks_are_extracted_from_host_sources() {
    for file in files() {
        let source = std::fs::read_to_string(&file).expect("a file that was listed");
        let expected = format!("{}.expect", file.display());
        expect_file![expected].assert_eq(&found(&source));
    }
}

/// Opens a source of the language that the extension of the file name states.
fn open_known<'a>(file: &Path, source: &'a str) -> Box<dyn Document + 'a> {
    let extension = file.extension().and_then(|own| own.to_str());
    let language = extension.and_then(HostLanguage::from_extension);
    let language = language.expect("a file of a host language");
    PASTED.open_host(source.into(), language, &Overrides::default())
}

#[test]
fn only_ptx_is_extracted_from_sources_of_known_languages() {
    for file in files_in("tests/data/known") {
        let source = std::fs::read_to_string(&file).expect("a file that was listed");
        let text = formatted(open_known(&file, &source).as_ref());
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        if name.starts_with("foreign") {
            assert_eq!(text, "", "{}", file.display());
        }
        expect_file![format!("{}.expect", file.display())].assert_eq(&text);
    }
}

#[test]
fn test_data_without_ptx_has_no_diagnostics_in_any_known_language() {
    for file in files_in("tests/data/known") {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let source = std::fs::read_to_string(&file).expect("a file that was listed");
        for extension in ["cpp", "py", "jl", "cs", "rs"] {
            let other = file.with_extension(extension);
            let document = open_known(&other, &source);
            let diagnostics = document.check().diagnostics;
            assert!(
                !name.starts_with("foreign") || diagnostics.is_empty(),
                "{} as {extension}: {diagnostics:?}",
                file.display()
            );
        }
    }
}

#[test]
fn tokens_are_ordered_and_within_source() {
    for file in files() {
        let source = std::fs::read_to_string(&file).expect("a file that was listed");
        let mut end = 0;
        for token in PASTED.tokens(&source) {
            assert!(
                token.span.start >= end && token.span.end <= source.len() as u32,
                "{token:?}"
            );
            end = token.span.end;
        }
        assert!(end > 0);
    }
}

#[test]
fn reference_examples_match_documented_codes() {
    for page in warpgrid_paste::diagnostics::CODES {
        let codes = |source: &str| {
            let document = PASTED.open(source.to_owned().into(), &Overrides::default());
            let found = document.check().diagnostics.into_iter();
            found.map(|diagnostic| diagnostic.code).collect::<Vec<_>>()
        };
        assert!(
            codes(page.wrong).contains(&page.code),
            "{}: {:?}",
            page.code,
            codes(page.wrong)
        );
        assert!(!codes(page.right).contains(&page.code), "{}", page.code);
    }
}

#[test]
fn applying_fixes_in_sequence_corrects_asm_statement() {
    let source = "void f() { asm(\"{ .reg .b32 %r1; mov.b32 %r1, %0; }\" : \"=r\"(d)); }";
    let check = |source: &str| {
        PASTED
            .open(source.to_owned().into(), &Overrides::default())
            .check()
            .diagnostics
    };
    let mut text = source.to_owned();
    for _ in 0..4 {
        let found = check(&text);
        match found.iter().find_map(|diagnostic| diagnostic.fixes.first()) {
            Some(fix) => text = fix.apply(&text),
            None => break,
        }
    }
    assert_eq!(
        text,
        "void f() { asm(\"{ .reg .b32 %%r1; mov.b32 %%r1, %0; }\" : \"+r\"(d)); }"
    );
}

#[test]
fn plain_ptx_source_has_no_asm_snippets() {
    for source in ["st.global.u32 [p], 1;", "", "// asm (\"x\")\nret;"] {
        let document = PASTED.open(source.into(), &Overrides::default());
        assert!(document.snippets().is_empty(), "{source}");
        assert!(document.check().origin.is_none());
    }
}

/// Checks that a document completes the text at the marker `|`, which is not part of the source.
fn check_completion(extension: &str, marked: &str, expected: &str) {
    let at = marked.find('|').expect("the marker of the position");
    let source = marked.replacen('|', "", 1);
    let file = Path::new("file").with_extension(extension);
    let document = open_known(&file, &source);
    let found = document.complete(at as u32);
    let names: Vec<&str> = found.iter().map(|item| item.text.as_str()).collect();
    assert!(names.contains(&expected), "{marked}: {names:?}");
}

#[test]
fn completion_works_in_incomplete_statements_of_all_languages() {
    check_completion(
        "cu",
        "__device__ void f() { asm volatile(\"bar.sync 0;\\n\\tmemb|\"); }",
        "membar",
    );
    check_completion("cu", "__device__ void f() { asm(\"ld.gl|", "global");
    check_completion("cuh", "__global__ void f() { asm(\"mem|\"", "membar");
    check_completion(
        "py",
        "import triton\ny = tl.inline_asm_elementwise(\"membar.|\", \"=r\", [x]",
        "gl",
    );
    check_completion(
        "rs",
        "unsafe fn f() { asm!(\"bar.sync 0;\", \"st.gl|\"); }",
        "global",
    );
    check_completion("rs", "// nvptx\nfn f() { asm!(r#\"memb|", "membar");
    check_completion(
        "jl",
        "using CUDA\nf() = @asmcall(\"membar.|\", \"\", true)",
        "gl",
    );
}

#[test]
fn hover_and_completion_work_within_strings() {
    let source = "void f() { asm volatile(\"st.global.u32 [%0], %1;\\n\\tmembar.\" :: \"l\"(p), \"r\"(x)); }";
    let document = PASTED.open(source.into(), &Overrides::default());
    let at = source.find("global").expect("it is there") as u32;
    let hover = document.hover(at).expect("a word of PTX");
    assert_eq!(hover.span.text(source), ".global");
    let end = source.find("membar.").expect("it is there") + "membar.".len();
    let suggestions = document.complete(end as u32);
    assert!(
        suggestions.iter().any(|found| found.text.contains("gl")),
        "{suggestions:?}"
    );
    assert!(document.hover(2).is_none());
}
