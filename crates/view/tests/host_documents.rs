//! Documents of host sources whose language is known, such as files in an editor.

use warpgrid_view::{CheckOptions, CheckReport, Document, HostLanguage, host_tokens};

fn open(source: &str, host: HostLanguage) -> Document<'_> {
    Document::open_host(source, host, &CheckOptions::default())
}

fn check(source: &str, host: HostLanguage) -> CheckReport {
    open(source, host).check()
}

#[test]
fn errors_in_asm_blocks_use_positions_in_host_source() {
    let source = "//@{ group of a documentation generator\n__device__ void f(unsigned *p) {\n  /* é */ asm volatile(\"st.gobal.u32 [%0], 1;\" :: \"l\"(p) : \"memory\");\n}\n";
    let report = check(source, HostLanguage::Cpp);
    let found = report.diagnostics.iter();
    let found: Vec<_> = found
        .map(|found| (found.line, found.column, found.end_column))
        .collect();
    assert_eq!(found, [(3, 28, 33)]);
    assert_eq!(report.parts.len(), 1);
    assert_eq!(report.parts[0].operands[0].ty, ".u64");
}

#[test]
fn host_source_without_asm_blocks_has_no_diagnostics() {
    for (source, host) in [
        ("int main() { return 0; }", HostLanguage::Cpp),
        (
            "import numpy\nst.global.u32 [p], 1;\n",
            HostLanguage::Python,
        ),
        ("fn main() {}", HostLanguage::Rust),
        ("ptxas a.ptx, line 3; error   : x", HostLanguage::Julia),
        ("//@ buffer nonsense", HostLanguage::CSharp),
    ] {
        let report = check(source, host);
        assert_eq!(report.diagnostics, [], "{source}");
        assert!(report.accept && report.parts.is_empty(), "{source}");
    }
}

#[test]
fn hover_completion_and_tokens_cover_only_ptx_in_strings() {
    let source = "void f() { asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(x)); }";
    let document = open(source, HostLanguage::Cpp);
    let at = |text: &str| source.find(text).expect("the text of the source") as u32;
    assert!(document.hover(at("mov")).is_some());
    assert!(document.hover(at("void")).is_none());
    assert!(!document.complete(at("u32")).is_empty());
    assert_eq!(document.complete(at("(x)")), []);
    let tokens = host_tokens(source, HostLanguage::Cpp);
    let (first, last) = (at("mov"), at("\" : "));
    assert!(!tokens.is_empty());
    assert!(
        tokens
            .iter()
            .all(|token| first <= token.span.start && token.span.end <= last)
    );
}

#[test]
fn language_is_known_from_extension_and_language_id() {
    assert_eq!(HostLanguage::from_extension("CUH"), Some(HostLanguage::Cpp));
    assert_eq!(HostLanguage::from_extension("rs"), Some(HostLanguage::Rust));
    assert_eq!(HostLanguage::from_extension("ptx"), None);
    let id = HostLanguage::from_language_id;
    assert_eq!(id("cuda-cpp"), Some(HostLanguage::Cpp));
    assert_eq!(id("markdown"), None);
}
