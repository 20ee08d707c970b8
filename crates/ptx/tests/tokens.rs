//! Tests of the token classes for syntax highlighting. `UPDATE_EXPECT=1` updates the expected output.

use expect_test::{Expect, expect};
use warpgrid_ptx::tokens;

/// Compares one line per source line: each token with its class.
fn check(source: &str, expected: Expect) {
    let mut out = String::new();
    let mut line = 0;
    for token in tokens(source) {
        let start = token.span.start as usize;
        let now = source[..start].matches('\n').count();
        out.push_str(if now > line { "\n" } else { " " });
        line = now;
        let text = token.span.text(source);
        if token.class.name() == "punctuation" {
            out.push_str(text);
        } else {
            out.push_str(&format!("{text}:{}", token.class.name()));
        }
    }
    expected.assert_eq(out.trim());
}

#[test]
fn module_tokens_are_classified() {
    check(
        r#"
.version 8.5 // c
.target sm_90
.visible .entry k(.param .u64 p)
.maxntid 32
{
.reg .b32 %r<5>;
.global .u32 v[2] = {1, 0x2};
$L1: @!%p1 bra $L1;
.loc 1 2 3
mov.u32 %r1, %tid.x;
st.global.L1::evict_last.v2.f32 [p+4], {%f1, 0f3F800000};
/* open */ call.uni (r), f, (a);
}
"#,
        expect![[r#"
            .version:directive 8.5:number // c:comment
            .target:directive sm_90:name
            .visible:directive .entry:directive k:name ( .param:directive .u64:type p:name )
            .maxntid:directive 32:number
            {
            .reg:directive .b32:type %r:register < 5:number > ;
            .global:directive .u32:type v:name [ 2:number ] = { 1:number , 0x2:number } ;
            $L1:label : @ ! %p1:register bra:opcode $L1:label ;
            .loc:directive 1:number 2:number 3:number
            mov:opcode .u32:type %r1:register , %tid:special-register .x:special-register ;
            st:opcode .global:modifier .L1::evict_last:modifier .v2:modifier .f32:type [ p:name + 4:number ] , { %f1:register , 0f3F800000:number } ;
            /* open */:comment call:opcode .uni:modifier ( r:name ) , f:name , ( a:name ) ;
            }"#]],
    );
}

#[test]
fn line_markers_are_classified_as_comments() {
    check(
        ".global .u32 # 7 \"a b.cu\" 1\nv; #line 3 \"x\"\nst.global # 3\n#define a",
        expect![[r#"
            .global:directive .u32:type # 7 "a b.cu" 1:comment
            v:name ; #line 3 "x":comment
            st:opcode .global:modifier # 3:number
            # define:name a:name"#]],
    );
}

#[test]
fn malformed_source_tokens_are_classified() {
    check(
        "st.global [\nmov é \"open\n.b8 1\n/* never",
        expect![[r#"
        st:opcode .global:modifier [
        mov:name é:error "open:error
        .b8:modifier 1:number
        /* never:error"#]],
    );
}
