//! Tests of the diagnostics for general instructions, as rendered text. `UPDATE_EXPECT=1` updates the expected output.

use expect_test::{Expect, expect};
use warpgrid_program::Overrides;
use warpgrid_ptx::{check, parse};

const DECLARATIONS: &str = ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<4>; .reg .f32 %f<4>; .reg .b64 %rd<4>; \
     .reg .f64 %fd<4>; .reg .v2 .u32 V; .shared .align 16 .b8 sh[64];";

/// Formats one line per diagnostic: code, marked text, message, and titles of the fixes.
fn report(source: &str) -> String {
    let checked = check(source, &parse(source), &Overrides::default());
    let mut lines = String::new();
    for d in &checked.diagnostics {
        lines += &format!("{} `{}` {}\n", d.code, d.span.text(source), d.message);
        if let Some(targets) = d.needs.targets.text() {
            lines += &format!("    on {targets}\n");
        }
        for help in d.help.iter().filter(|help| help.starts_with("no target")) {
            lines += &format!("    {help}\n");
        }
        for fix in &d.fixes {
            lines += &format!("    fix: {}\n", fix.title);
        }
    }
    lines
}

/// Compares the diagnostics of instructions in a kernel.
fn body(instructions: &str, expected: Expect) {
    let source = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 kp)\n{{\n{DECLARATIONS}\n{instructions}\nret;\n}}\n"
    );
    expected.assert_eq(&report(&source));
}

/// Compares the diagnostics of a whole source.
fn whole(source: &str, expected: Expect) {
    expected.assert_eq(&report(source));
}

#[test]
fn valid_body_has_no_diagnostics() {
    body(
        "ld.param.u64 %rd1, [kp]; mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 7; @%p1 bra L; L:",
        expect![],
    );
}

#[test]
fn misspelled_names_are_reported_with_nearest_fix() {
    body(
        "ad.u32 %r1, %r2, %r3;",
        expect![[r#"
            W0100 `ad` unknown instruction `ad`
                fix: replace `ad` with `add`
        "#]],
    );
    body(
        "ld.globl.u32 %r1, [%rd1];",
        expect![[r#"
            W0101 `globl` unknown modifier `.globl`
                fix: replace `.globl` with `.global`
        "#]],
    );
    body(
        "mov.u32 %r1, %rr2;",
        expect![[r#"
            W0111 `%rr2` unknown name `%rr2`
                fix: replace `%rr2` with `%r1`
        "#]],
    );
    body(
        "LOOP: bra LOPP;",
        expect![[r#"
            W0113 `LOPP` unknown label `LOPP`
                fix: replace `LOPP` with `LOOP`
        "#]],
    );
}

#[test]
fn all_errors_of_one_instruction_are_reported() {
    body(
        "add.u32.u32 %f1, %rd2, nosuch;",
        expect![[r#"
            W0103 `u32` `.u32` is specified twice
                fix: remove `.u32`
            W0109 `%f1` found a `.f32` register, expected `.u32`
            W0109 `%rd2` found a `.b64` register, expected `.u32`
            W0111 `nosuch` unknown name `nosuch`
        "#]],
    );
    body(
        "mad.lo.s32 %r1, %f2, %r3, 1.5;",
        expect![[r#"
            W0109 `%f2` found a `.f32` register, expected `.s32`
            W0116 `1.5` found a double literal, expected a `.s32` value
        "#]],
    );
}

#[test]
fn operand_count_mismatch_is_reported() {
    body(
        "add.u32 %r1, %r2;",
        expect![[r#"
            W0108 `add.u32` found 2 operands, expected 3 for `add.u32`
        "#]],
    );
    body(
        "ret %r1;",
        expect![[r#"
            W0108 `ret` found 1 operand, expected 0 for `ret`
        "#]],
    );
}

#[test]
fn register_type_mismatch_is_reported() {
    body(
        "add.u32 %r1, %r2, %rd3;",
        expect![[r#"
            W0109 `%rd3` found a `.b64` register, expected `.u32`
        "#]],
    );
    body("add.f32 %f1, %f2, %r3;", expect![]);
    body(
        "mov.u32 %r1, %f1;",
        expect![[r#"
            W0109 `%f1` found a `.f32` register, expected `.u32`
        "#]],
    );
    body(
        "ld.shared.u8 %rd1, [sh]; st.shared.u8 [sh], %rd1; cvt.u16.u32 %r1, %r2;",
        expect![],
    );
    body(
        "selp.b32 %r1, %r2, %r3, %r1;",
        expect![[r#"
            W0109 `%r1` found a `.b32` register, expected `.pred`
        "#]],
    );
}

#[test]
fn state_space_mismatch_is_reported() {
    body(
        "ld.global.u32 %r1, [sh];",
        expect![[r#"
            W0114 `sh` found a variable in `.shared` memory, expected `.global` memory for `ld.global.u32`
        "#]],
    );
    body(
        "ld.param.u32 %r1, [sh];",
        expect![[r#"
            W0114 `sh` found a variable in `.shared` memory, expected `.param` memory for `ld.param.u32`
        "#]],
    );
    body(
        "cvta.global.u64 %rd1, sh;",
        expect![[r#"
            W0114 `sh` found a variable in `.shared` memory, expected `.global` memory for `cvta.global.u64`
        "#]],
    );
}

#[test]
fn unmet_gates_report_required_target() {
    body(
        "add.bf16x2 %r1, %r2, %r3;",
        expect![[r#"
            W0107 `bf16x2` `.bf16x2` needs target `sm_90`, found `sm_80`
                on `sm_90` and later
                fix: raise `.target` to `sm_90`
        "#]],
    );
    body(
        "elect.sync _|%p1, -1;",
        expect![[r#"
            W0107 `elect.sync` `elect.sync` needs target `sm_90`, found `sm_80`
                on `sm_90` and later
                fix: raise `.target` to `sm_90`
        "#]],
    );
}

#[test]
fn unmet_target_diagnostics_suggest_compatible_target() {
    let kernel = |version: &str, target: &str, body: &str| {
        report(&format!(
            ".version {version}\n.target {target}\n.entry k()\n{{\n.reg .b32 %r<3>; .reg .f32 %f<9>; .reg .b64 %rd<2>;\n{body}\nret;\n}}\n"
        ))
    };
    // A later architecture lacks architecture-specific features, so that the fix selects an earlier target.
    expect![[r#"
        W0107 `wgmma.fence.sync.aligned` `wgmma.fence.sync.aligned` needs target `sm_90a` (according to `ptxas` 13.5), found `sm_100a`
            on `sm_90a`
            fix: change `.target` to `sm_90a`
    "#]].assert_eq(&kernel("8.6", "sm_100a", "wgmma.fence.sync.aligned;"));
    expect![[r#"
        W0107 `tcgen05.wait::ld.sync.aligned` `tcgen05.wait::ld.sync.aligned` needs target `sm_100a` (according to `ptxas` 13.5), found `sm_120a`
            on the family of `sm_100f` or the family of `sm_101f`
            fix: change `.target` to `sm_100a`
    "#]].assert_eq(&kernel("8.7", "sm_120a", "tcgen05.wait::ld.sync.aligned;"));
    // No target supports both instructions, regardless of the target of the module.
    let both = "wgmma.fence.sync.aligned;\ntcgen05.wait::ld.sync.aligned;";
    expect![[r#"
        W0107 `wgmma.fence.sync.aligned` `wgmma.fence.sync.aligned` needs target `sm_90a` (according to `ptxas` 13.5), found `sm_100a`
            on `sm_90a`
            no target supports both this feature and `tcgen05.wait::ld.sync.aligned`, which the module also uses
    "#]].assert_eq(&kernel("8.6", "sm_100a", both));
    expect![[r#"
        W0107 `wgmma.fence.sync.aligned` `wgmma.fence.sync.aligned` needs target `sm_90a` (according to `ptxas` 13.5), found `sm_90`
            on `sm_90a`
            no target supports both this feature and `tcgen05.wait::ld.sync.aligned`, which the module also uses
        W0107 `tcgen05.wait::ld.sync.aligned` `tcgen05.wait::ld.sync.aligned` needs target `sm_100a` (according to `ptxas` 13.5), found `sm_90`
            on the family of `sm_100f` or the family of `sm_101f`
            no target supports both this feature and `wgmma.fence.sync.aligned`, which the module also uses
    "#]].assert_eq(&kernel("8.6", "sm_90", both));
    // A fix selects a target that supports all instructions.
    let mixed = "redux.sync.add.s32 %r1, %r2, -1;\nwgmma.fence.sync.aligned;";
    expect![[r#"
        W0107 `redux.sync.add.s32` `redux.sync.add.s32` needs target `sm_80`, found `sm_75`
            on `sm_80` and later
            fix: raise `.target` to `sm_90a`
        W0107 `wgmma.fence.sync.aligned` `wgmma.fence.sync.aligned` needs target `sm_90a` (according to `ptxas` 13.5), found `sm_75`
            on `sm_90a`
            fix: raise `.target` to `sm_90a`
    "#]].assert_eq(&kernel("8.6", "sm_75", mixed));
    // Several requirements at one token are reported once, with the highest version.
    let wide = "st.global.v8.f32 [%rd1], {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7};";
    expect![[r#"
        W0123 `.version 1.0` `ptxas` releases after 12.0 do not compile 32-bit programs
        W0306 `v8` a 256-bit access needs PTX 8.8 and `sm_100`
            on `sm_100` and later
            fix: raise `.version` to 8.8 and `.target` to `sm_100`
            fix: split the store into two
    "#]]
    .assert_eq(&kernel("1.0", "sm_10", wide));
}

#[test]
fn invalid_vector_operands_are_reported() {
    body("ld.shared.v2.u32 V, [sh]; mov.u32 %r1, V.y;", expect![]);
    body(
        "ld.shared.v4.u32 {%r1, %r2}, [sh];",
        expect![[r#"
            W0126 `{%r1, %r2}` found 2 elements, expected 4
        "#]],
    );
    body(
        "mov.b64 {%r1, %h1}, %rd1;",
        expect![[r#"
            W0109 `%h1` found a `.b16` register, expected `.b32`
        "#]],
    );
    body(
        "add.u32 %r1, V, V.w;",
        expect![[r#"
            W0110 `V` found a vector register, expected a scalar value for `add.u32`
            W0110 `V.w` the vector does not have this component
        "#]],
    );
    body(
        ".reg .b32 %tid; mov.u32 %tid, %tid.x;",
        expect![[r#"
            W0110 `%tid.x` found the declared register `%tid`, expected the special register `%tid.x`, which is shadowed by the declaration
        "#]],
    );
}

#[test]
fn invalid_module_headers_are_reported() {
    whole(
        ".entry k() { ret; }",
        expect![[r#"
        W0118 `` the module does not start with `.version`
            fix: add `.version 9.5`
        W0119 `` the module has no `.target`
    "#]],
    );
    whole(
        ".version 9.9\n.target sm_91\n.entry k() { ret; }",
        expect![[r#"
            W0120 `.version 9.9` unknown PTX version `.version 9.9`
            W0121 `sm_91` unknown target `sm_91`
                fix: replace `sm_91` with `sm_90`
        "#]],
    );
    whole(
        ".version 6.0\n.target sm_80\n.entry k() { ret; }",
        expect![[r#"
            W0122 `.target sm_80` target `sm_80` needs PTX 7.0, found PTX 6.0
                fix: raise `.version` to 7.0
        "#]],
    );
}

#[test]
fn calls_are_checked_against_function_signatures() {
    let module = |call: &str| {
        format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.func (.param .b32 r) f(.param .b64 a) {{ ret; }}\n.entry k()\n{{\n\
             .param .b32 r; .param .b64 a; .param .b32 b; .reg .b64 %rd1;\n{call}\nret;\n}}\n"
        )
    };
    whole(&module("call (r), f, (a);"), expect![]);
    whole(
        &module("call f, (a);"),
        expect![[r#"
            W0135 `call f, (a);` found 0 results, but `f` has 1
        "#]],
    );
    whole(
        &module("call (r), f, (b);"),
        expect![[r#"
            W0135 `call (r), f, (b);` argument 1 is not compatible with the corresponding parameter of `f`
        "#]],
    );
    whole(
        &module("call (r), g, (a);"),
        expect![[r#"
            W0111 `g` unknown name `g`
        "#]],
    );
    // Parameters that are not compatible with any argument count, too.
    whole(
        &module("p: .callprototype _ (.reg .samplerref s); call %rd1, p;"),
        expect![[r#"
            W0135 `call %rd1, p;` found 0 arguments, but `p` expects 1
        "#]],
    );
    whole(
        &module("call (r), %rd1, (a);"),
        expect![[r#"
        W0134 `call (r), %rd1, (a);` a call through a register needs a `.callprototype` or `.calltargets`
    "#]],
    );
}

#[test]
fn snippets_report_inferred_declarations() {
    whole(
        "st.global.v4.s32 [p], Q;",
        expect![[r#"
            W0140 `` inferred declarations: `.reg .b64 p;` (a buffer, 16 bytes per lane) `.reg .v4 .s32 Q;`
        "#]],
    );
    whole(
        "@p ld.shared.f32 x, [s+4];\nmul.f32 x, x, 2.0;",
        expect![[r#"
            W0140 `` inferred declarations: `.reg .pred p;` `.reg .f32 x;` `.shared .b8 s[144];` (an array of f32 values 0, 1, 2, …, 4 bytes per lane)
        "#]],
    );
    whole(
        "add.u64 a, a, 8; st.global.u32 [a], b;",
        expect![[r#"
            W0140 `` inferred declarations: `.reg .b64 a;` (a buffer, 4 bytes per lane) `.reg .u32 b;`
        "#]],
    );
}

#[test]
fn out_of_range_float_literal_is_reported_once() {
    body(
        "st.global.f32 [%rd1], 1e999; st.global.f64 [%rd1], -1.0e400;",
        expect![[r#"
            W0007 `1e999` `1e999` exceeds the range of double precision
            W0007 `1.0e400` `1.0e400` exceeds the range of double precision
        "#]],
    );
}

#[test]
fn out_of_range_immediate_is_shown_as_written() {
    body(
        "bfi.b32 %r1, %r2, %r3, 4, -1; bfi.b32 %r1, %r2, %r3, 0x100, 4;",
        expect![[r#"
            W0144 `-1` found the constant -1, expected a constant from 0 to 255 for `bfi.b32`
            W0144 `0x100` found the constant 0x100, expected a constant from 0 to 255 for `bfi.b32`
        "#]],
    );
}

const SHARED_USERS: &str = ".version 8.0\n.target sm_90\n.address_size 64\n\
    .func g() { .shared .b8 in_g[30000]; ret; }\n.func f() { call g; ret; }\n";

#[test]
fn static_shared_size_includes_called_functions() {
    let kernel = |body: &str| {
        format!(
            "{SHARED_USERS}.visible .entry k() {{ .shared .b8 own[30000]; .reg .b64 %rd; {body} ret; }}\n"
        )
    };
    whole(&kernel(""), expect![]);
    whole(
        &kernel("call f;"),
        expect![[r#"
        W0617 `own[30000]` found 60000 bytes of static shared memory, expected at most 49152
    "#]],
    );
    // The assembler treats a function whose address is taken as called.
    whole(
        &kernel("mov.u64 %rd, f;"),
        expect![[r#"
        W0617 `own[30000]` found 60000 bytes of static shared memory, expected at most 49152
    "#]],
    );
}

#[test]
fn static_shared_size_includes_module_variables_of_callees() {
    let module = |body: &str| {
        format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.shared .b8 m[30000];\n\
             .func f() {{ .reg .b32 %r; mov.u32 %r, m; ret; }}\n\
             .visible .entry k() {{ .shared .b8 own[30000]; {body} ret; }}\n"
        )
    };
    whole(&module(""), expect![]);
    whole(
        &module("call f;"),
        expect![[r#"
            W0617 `m[30000]` found 60000 bytes of static shared memory, expected at most 49152
        "#]],
    );
}

#[test]
fn kernel_address_initializer_requires_ptx_3_1_and_sm_35() {
    let module = |version: &str, target: &str| {
        format!(
            ".version {version}\n.target {target}\n.address_size 64\n.visible .entry k() {{ ret; }}\n\
             .visible .func f() {{ ret; }}\n.global .u64 g = k;\n.global .u64 h = f;\n"
        )
    };
    whole(&module("3.1", "sm_35"), expect![]);
    whole(
        &module("4.0", "sm_30"),
        expect![[r#"
            W0107 `g = k` the address of a kernel needs `sm_35`, found `sm_30`
                on `sm_35` and later
                fix: raise `.target` to `sm_35`
        "#]],
    );
    whole(
        &module("3.0", "sm_30"),
        expect![[r#"
            W0106 `g = k` the address of a kernel needs PTX 3.1 and `sm_35`
                on `sm_35` and later
                fix: raise `.version` to 3.1 and `.target` to `sm_35`
        "#]],
    );
}
