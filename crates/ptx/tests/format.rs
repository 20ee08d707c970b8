//! Tests of the formatter: it preserves tokens, comments and validity, and formatting is idempotent.

use proptest::prelude::*;
use warpgrid_program::Overrides;
use warpgrid_ptx::{check, format, parse};

/// Returns the source without white space.
fn dense(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn assert_formats(source: &str) {
    let once = format(source);
    assert_eq!(dense(&once), dense(source), "something was lost");
    let twice = format(&once);
    assert_eq!(twice, once, "not the same twice");
}

#[test]
fn single_line_kernel_is_split_and_indented() {
    let source = ".version 8.5 .target sm_90 .address_size 64\n// a kernel\n.visible .entry k( .param .u64 p ) { .reg .b32 %r<4>; .reg .b64 %rd<2>; .reg .pred %p<2>;
@%p1   st.global.v2.b32 [ %rd1+4 ] , { %r1 ,%r2 } ; /* here */ L: { ret; } // done
\n\n\n}";
    let expected = "\
.version 8.5
.target sm_90
.address_size 64
// a kernel
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    .reg .pred %p<2>;
    @%p1 st.global.v2.b32 [%rd1+4], {%r1, %r2}; /* here */
L:
    {
        ret;
    } // done

}
";
    assert_eq!(format(source), expected);
    assert_formats(source);
}

#[test]
fn whitespace_within_mnemonic_is_preserved() {
    let source = "st .async.global.u32 [a], b;\n";
    assert_eq!(format(source), source);
}

#[test]
fn formatting_malformed_source_is_lossless_and_idempotent() {
    for source in [
        "add.u32 a, , b;\n  ret ;",
        "}{",
        "{ {",
        "/* open",
        "st.global.u32 [a, b\nret;",
        ".entry k(",
        "\u{e9};ret;",
    ] {
        assert_formats(source);
    }
}

#[test]
fn code_after_line_marker_stays_on_next_line() {
    let source = "# 1 \"a.cu\"\n.entry k()   # 7 \"b.cu\" 1\n{ ret; # 8 \"b.cu\"\n add.u32 # 9 \"b\"\n a, b, c; }";
    let expected = "# 1 \"a.cu\"\n.entry k() # 7 \"b.cu\" 1\n{\n    ret; # 8 \"b.cu\"\n    add.u32 # 9 \"b\"\n        a, b, c;\n}\n";
    assert_eq!(format(source), expected);
}

#[test]
fn formatting_compiled_kernels_preserves_diagnostics() {
    for (path, source) in crate::support::corpus() {
        let once = format(&source);
        assert_eq!(dense(&once), dense(&source), "{}", path.display());
        assert_eq!(format(&once), once, "{}", path.display());
        let verdict = |text: &str| {
            let checked = check(text, &parse(text), &Overrides::default());
            let codes: Vec<_> = checked.diagnostics.iter().map(|d| d.code).collect();
            (checked.accept(), codes)
        };
        assert_eq!(verdict(&once), verdict(&source), "{}", path.display());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]
    #[test]
    fn formatting_is_lossless_and_idempotent_on_fragments(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40)) {
        let source: String = pieces.concat();
        assert_formats(&source);
    }
}

const PIECES: &[&str] = &[
    "st.global.u32 ",
    "[%rd1+4]",
    ", ",
    "%r1",
    ";",
    "\n",
    "  ",
    "{",
    "}",
    "(",
    ")",
    "// c\n",
    "/* d */",
    "L:",
    ".reg .b32 %r<4>;",
    ".global .u32 v[2] = {1,\n 2};",
    "@%p1 ",
    "ret;",
    ".visible .entry k(",
    ".param .u64 p",
    ")\n",
    ".version 8.0\n",
    ".target sm_90\n",
    ".loc 1 2 3\n",
    "\"",
    "=",
    "\t",
    ".section .debug { .b8 1 }\n",
    "\r\n",
    ".align 8",
    "# 7 \"a.cu\" 1\n",
    "\\\n",
];
