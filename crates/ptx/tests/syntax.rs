//! Tests of the syntax tree of every construct, and of the diagnostics of malformed ones. `UPDATE_EXPECT=1` updates the expected
//! output.

use crate::support::{assert_sound, describe, dump};
use expect_test::{Expect, expect};

/// Compares the syntax tree of a source without diagnostics.
fn tree(source: &str, expected: Expect) {
    let parse = warpgrid_ptx::parse(source);
    assert_eq!(describe(source, &parse.diagnostics), "");
    assert_sound(source, &parse);
    expected.assert_eq(&dump(source, &parse.tree));
}

/// Compares the diagnostics and the syntax tree of a malformed source.
fn broken(source: &str, expected: Expect) {
    let parse = warpgrid_ptx::parse(source);
    assert_sound(source, &parse);
    let text = format!(
        "{}---\n{}",
        describe(source, &parse.diagnostics),
        dump(source, &parse.tree)
    );
    expected.assert_eq(&text);
}

/// Compares the diagnostics of the lines of a function body.
fn lines(source: &str, expected: Expect) {
    let parse = warpgrid_ptx::parse(source);
    assert_sound(source, &parse);
    expected.assert_eq(&describe(source, &parse.diagnostics));
}

#[test]
fn kernel_module_is_parsed() {
    tree(
        r#"
// by hand
.version 8.5
.target sm_90, debug
.address_size 64

.visible .entry k(.param .u64 .ptr .global .align 16 p, .param .align 8 .b8 s[16])
.maxntid 128, 2
.minnctapersm 2
{
	.reg .b32 %r<5>; .reg .pred %p, %q;
	.shared .align 16 .b8 tile[4][8];
	@!%p bra $L1;
	{ // scope
	ret;
	}
$L1: exit;
}
"#,
        expect![[r#"
            Version 8 5
            Target sm_90 debug
            AddressSize 64
            Entry k Visible (Param .u64 ptr(Some(Global) Some(16)) p, Param align 8 .b8 s[16]) -> () .maxntid 128 2 .minnctapersm 2
              Reg .b32 %r<5>
              Reg .pred %p %q
              Shared align 16 .b8 tile[4][8]
              @!%p bra $L1
              {
                ret
              }
              label $L1
              exit
            end
        "#]],
    );
}

#[test]
fn module_directives_are_parsed() {
    tree(
        r#"
.version 7.0
.target sm_70
.file 1 "a.cu", 3, 4
.extern .func (.param .b32 r) f (.param .b32 a, .param .b64 b) .noreturn;
.alias f, g;
.pragma "nounroll", "x";
.section .debug_abbrev
{
.b8 1,2
L: .b32 L+4 .b32 .debug_str .b64 L-L
}
.func f { ret; }
@@DWARF .b8 1
"#,
        expect![[r#"
            Version 7 0
            Target sm_70
            File 1 "a.cu" 3 4
            Func f Extern (Param .b32 a, Param .b64 b) -> (Param .b32 r) .noreturn
            Alias f g
            Pragma "nounroll" "x"
            Section .debug_abbrev L (L +0) minus(L)
            Func f () -> ()
              ret
            end
            Dwarf
        "#]],
    );
}

#[test]
fn variables_and_initializers_are_parsed() {
    tree(
        r#"
.version 8.0 .target sm_80
.global .u32 a = -1, b[2] = {1, 0x10}, c[2][2] = {{1,2},{3,(1<<4)|3}};
.visible .const .align 8 .f64 d[] = {1.0, 0d3FF0000000000000, .5e1};
.global .f32 e = 0f3F800000;
.weak .global .u64 g[2] = {generic(a)+8, b+4};
.global .u8 h[2] = {0xff(a), 0xFF00(generic(b)+4)};
.extern .shared .align 16 .b8 dyn[];
.global .attribute(.managed, .unified(1, 2)) .v4 .f32 v;
.global .texref t; .global .samplerref s = {addr_mode_0 = wrap, filter_mode = linear};
.const[2] .u32 bank; .global .u32;
"#,
        expect![[r#"
            Version 8 0
            Target sm_80
            Global .u32 a = -1 b[2] = {1 16} c[2][2] = {{1 2} {3 19}}
            Const Visible align 8 .f64 d[] = {double:1 double:1 double:5}
            Global .f32 e = single:3f800000
            Global Weak .u64 g[2] = {generic a+8 b+4}
            Global .u8 h[2] = {0xff of a+0 0xff00 of generic b+4}
            Shared Extern align 16 .b8 dyn[]
            Global V4 .f32 .managed .unified(1, 2) v
            Global .texref t
            Global .samplerref s = {set addr_mode_0 set filter_mode}
            Const .u32 bank
            Global .u32
        "#]],
    );
}

#[test]
fn operand_kinds_are_parsed() {
    tree(
        r#"
mov.u32 %r1, %tid.x;
mov.b64 {%r1, _}, %rd1;
setp.lt.and.u32 %p1|%p2, %r1, -5, !%p3;
shfl.sync.down.b32 %r1|_, %r2, 1, 31, 0xffffffffU;
ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1+-16];
st.shared.u32 [ tile + 0 ], 017;
ld.local.u32 %r1, [8];
mov.u64 %rd1, var+4;
ld.shared.u32 %r1, var[4];
ld.shared.u32 %r1, var[%r2+4];
tex.2d.v4.f32.s32 {%f1,%f2,%f3,%f4}|%p1, [tex, smp, {%r1,%r2}];
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];
vadd.u32.u32.u32 %r1, %r2.b0, %r3.h1;
add.f32 %f1, 0f3F800000, -1.5e3;
fma.rn.f64 %fd1, 0d3FF0000000000000, %fd2, -%fd3;
wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 [%r1], {%r0,%r1,%r2,%r3}, %r2;
st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [a], b, [m];
mbarrier.arrive.shared.b64 _, [m];
@p unknown.thing x, WARP_SZ;
x03 x3, x12, x1234567890;
"#,
        expect![[r#"
            mov.u32 %r1 %tid:X
            mov.b64 {%r1 _} %rd1
            setp.lt.and.u32 pair(%p1 %p2) %r1 -5 not(%p3)
            shfl.sync.down.b32 pair(%r1 _) %r2 1 31 4294967295U
            ld.global.v4.f32 {%f1 %f2 %f3 %f4} [%rd1 -16]
            st.shared.u32 [tile +0] 15
            ld.local.u32 %r1 [8]
            mov.u64 %rd1 (var +4)
            ld.shared.u32 %r1 var[4]
            ld.shared.u32 %r1 var[(%r2 +4)]
            tex.2d.v4.f32.s32 {%f1 %f2 %f3 %f4} resident(%p1) [tex smp {%r1 %r2}]
            cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1 +0] [%rd1 {%r2 %r3}] [%r4 +0]
            vadd.u32.u32.u32 %r1 %r2:Byte(0) %r3:Half(1)
            add.f32 %f1 single:3f800000 double:-1500
            fma.rn.f64 %fd1 double:1 %fd2 minus(%fd3)
            wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 [%r1 +0] {%r0 %r1 %r2 %r3} %r2
            st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [a +0] b [m +0]
            mbarrier.arrive.shared.b64 _ [m +0]
            @p unknown.thing x 32
            x03 x3 x12 x1234567890
        "#]],
    );
}

#[test]
fn call_statements_are_parsed() {
    tree(
        r#"
.version 8.0 .target sm_80 .func f() {
proto: .callprototype (.param .b32 _) _ (.param .align 8 .b8 _[16]) .noreturn;
list: .calltargets a, b;
table: .branchtargets L1, L2;
call f;
call.uni (r), f, (a, 4, _);
call (r), %rd1, (a), proto;
call f, ();
brx.idx %r1, table;
L1: L2: ret;
}
"#,
        expect![[r#"
            Version 8 0
            Target sm_80
            Func f () -> ()
              label proto
              CallPrototype
              label list
              CallTargets a b
              label table
              BranchTargets L1 L2
              call f
              call.uni (r) f (a 4 _)
              call (r) %rd1 (a) proto
              call f ()
              brx.idx %r1 table
              label L1
              label L2
              ret
            end
        "#]],
    );
}

#[test]
fn constant_expressions_are_folded() {
    tree(
        r#"
f 1+2*3;
f (1<<4)|3;
f 7 % 4 == 3 ? 10 : 20;
f -1 < 0, -1 < 0U;
f !0, ~0, - -5;
f (.u64)-1 >> 60;
f 0b101, 0X1f, 08.5, 5U;
f 1.5*2.0, 1.5 > 1.0;
f 2*WARP_SZ;
f 8/3, -8/3, -8 % 3;
"#,
        expect![[r#"
            f 7
            f 19U
            f 10
            f 1 0
            f 1 18446744073709551615U 5
            f 15U
            f 5 31 double:8.5 5U
            f double:3 1
            f 64
            f 2 -2 -2
        "#]],
    );
}

#[test]
fn loc_directives_are_parsed() {
    tree(
        r#"
.version 8.0 .target sm_80 .entry k() {
.loc 1 2 3
.loc	1 2 3, function_name $L1, inlined_at 1 2 3
.loc 1 2 3, function_name $L1+16, inlined_at 4 5 6
.pragma "nounroll";
$L1:
ret;
}
"#,
        expect![[r#"
            Version 8 0
            Target sm_80
            Entry k () -> ()
              Loc 1 2 3
              Loc 1 2 3 $L1 1 2 3
              Loc 1 2 3 ($L1 +16) 4 5 6
              Pragma "nounroll"
              label $L1
              ret
            end
        "#]],
    );
}

#[test]
fn comments_and_whitespace_within_instructions_are_ignored() {
    tree(
        "ld /* why */ .shared\n.u32 %r1, /* x */ [ s /* y */ + 4 ] ; // z\nbra\n L; L:",
        expect![[r#"
            ld.shared.u32 %r1 [s +4]
            bra L
            label L
        "#]],
    );
}

#[test]
fn snippet_without_header_is_parsed() {
    tree(
        "// needs .version 8.0, goes into an .entry\nst.global.v4.s32 [p], Q;\n",
        expect![[r#"
        st.global.v4.s32 [p +0] Q
    "#]],
    );
}

#[test]
fn missing_semicolons_are_reported_with_recovery() {
    broken(
        "mov.u32 %r1, %r2\nret\nadd.u32 %r1, %r1, 1;\n.reg .b32 %x\nexit\n@%p ret\n.loc 1 2 3\nret",
        expect![[r#"
            1:16 W0010 expected `;` to end this instruction, found `ret` <2>
            2:3 W0010 expected `;` to end this instruction, found `add` <t>
            4:12 W0010 expected `;` to end this declaration, found `exit` <x>
            5:4 W0010 expected `;` to end this instruction, found `@` <t>
            6:7 W0010 expected `;` to end this instruction, found `.loc` <t>
            8:3 W0010 expected `;` to end this instruction, found the end of the source <t>
            ---
            mov.u32 %r1 %r2
            ret
            add.u32 %r1 %r1 1
            Reg .b32 %x
            exit
            @%p ret
            Loc 1 2 3
            ret
        "#]],
    );
}

#[test]
fn malformed_addresses_are_reported() {
    lines(
        r#"ld.u32 %r1, [%rd1-8];
ld.u32 %r1, [4+%rd1];
ld.u32 %r1, [%rd1+%rd2];
ld.u32 %r1, [];
ld.u32 %r1, [%rd1;
ld.u32 %r1, %rd1];
ld.u32 %r1, [%tid.x];
ld.u32 %r1, [_];
ld.u32 %r1, [(s)];
ld.u32 %r1, [s*4];
ld.u32 %r1, [s, 4];
ld.u32 %r1, [s][0];
ret;"#,
        expect![[r#"
            1:18 W0015 found `-`, expected `+`; write a negative offset as `+-8` <->
            2:16 W0016 found `%rd1` after a constant, expected the name first, such as `[%rd1+4]` <%rd1>
            3:19 W0016 found `%rd2`, expected a constant offset <%rd2>
            4:13 W0018 an address needs at least one element <[]>
            5:18 W0014 found `;`, expected `]` or `+` <;>
            6:17 W0011 found `]`, expected `;` <]>
            7:18 W0021 found `.x`, expected a register or variable without a component <.x>
            8:14 W0020 found `_`, expected an address <_>
            9:15 W0017 found `s`, expected a constant <s>
            10:15 W0017 found `*` after a name, expected `name+constant` <*>
            11:17 W0011 found `4`, expected coordinates in braces <4>
            12:16 W0011 found `[`, expected `,` or `;` <[>
        "#]],
    );
}

#[test]
fn malformed_operands_are_reported() {
    lines(
        r#"add.u32 %r1, %r2 %r3;
add.u32 %r1,, %r3;
add.u32 %r1, %r3,;
add.u32 %r1, %r2*4, 1;
mov.u32 %r1, %v.xy;
mov.b64 %rd1, {%r1, {%r2}};
mov.b64 %rd1, {};
mov.b64 %rd1, {%r1, %r2;
mov.u32 %r1, %r2};
mov.u32 %r1, (%r2);
mov.u32 %r1, _;
mov.u32 %r1, "a";
mov.u32 %r1, %r2
  , ;
ld..u32 %r1, [s];
ld. shared.u32 %r1, [s];
ld.reg.u32 %r1, [s];
ld.4.u32 %r1, [s];
call f (a);
call (a) f;
ret;"#,
        expect![[r#"
            1:18 W0011 found `%r3`, expected `,` or `;` <%r3>
            2:13 W0011 found `,`, expected an operand <,>
            3:18 W0011 found `;`, expected an operand <;>
            4:17 W0017 found `*` after a name, expected `name+constant` <*>
            5:16 W0021 unknown component `.xy` <.xy>
            6:21 W0019 found `{` in a vector, expected a register, a constant or `_` <{>
            7:15 W0018 a vector needs at least one element <{}>
            8:24 W0014 found `;`, expected `,` or `}` <;>
            9:17 W0011 found `}`, expected `;` <}>
            10:15 W0017 found `%r2`, expected a constant <%r2>
            11:14 W0020 found `_`, expected a value, because only a result can be discarded <_>
            12:14 W0011 found `"a"`, expected an operand <\"a\">
            14:5 W0011 found `;`, expected an operand <;>
            15:3 W0022 expected a modifier directly after `.` <.>
            16:3 W0022 expected a modifier directly after `.` <.>
            17:3 W0023 `.reg` is a directive and cannot be a modifier <.reg>
            18:3 W0022 `.4` is not a modifier, because a modifier starts with a letter and consists of parts that are joined by `::` <.4>
            19:8 W0011 found `(`, expected `,` or `;` <(>
            20:10 W0011 found `f`, expected `,` and the function to call <f>
        "#]],
    );
}

#[test]
fn malformed_numbers_and_constant_expressions_are_reported() {
    lines(
        r#"f 0f3F8;
f 0d3F;
f 08;
f 0x;
f 12ab;
f 5u;
f 1.5.5;
f 99999999999999999999999;
f 0x1FFFFFFFFFFFFFFFF;
f 1e400;
f 1/0, 5 % 0;
f 1.5+1;
f (.u32)1;
f -0f3F800000;
f 5%0;
ret;"#,
        expect![[r#"
            1:3 W0006 `0f3F8` is not a number: `0f` needs exactly 8 hexadecimal digits, found 3 digits <0f3F8>
            2:3 W0006 `0d3F` is not a number: `0d` needs exactly 16 hexadecimal digits, found 2 digits <0d3F>
            3:3 W0006 `08` is not a number: octal digits are 0 to 7, binary digits are 0 and 1, and at least one digit is required <08>
            4:3 W0006 `0x` is not a number: octal digits are 0 to 7, binary digits are 0 and 1, and at least one digit is required <0x>
            5:3 W0006 `12ab` is not a number: the number is followed by other characters <12ab>
            6:3 W0006 `5u` is not a number: the number is followed by other characters <5u>
            7:3 W0006 `1.5.5` is not a number: the number is followed by other characters <1.5.5>
            8:3 W0007 `99999999999999999999999` does not fit in 64 bits <99999999999999999999999>
            9:3 W0008 `0x1FFFFFFFFFFFFFFFF` does not fit in 64 bits, so `ptxas` truncates the constant to 0xffffffffffffffff <0x1FFFFFFFFFFFFFFFF>
            10:3 W0007 `1e400` exceeds the range of double precision <1e400>
            11:3 W0040 division by zero in a constant expression <1/0>
            11:8 W0040 division by zero in a constant expression <5 % 0>
            12:3 W0041 found an integer and a floating-point number, expected operands of the same type <1.5+1>
            13:4 W0043 constants cannot be cast to `.u32`, only to `.s64` or `.u64` <.u32>
            14:4 W0011 found `0f3F800000`, expected an integer, `0d` or decimal constant, because `0f` constants are not allowed in expressions <0f3F800000>
            15:4 W0011 found `%0`, expected `,` or `;` <%0>
        "#]],
    );
}

#[test]
fn malformed_statements_are_reported_with_recovery() {
    broken(
        "ret;;\n4;\n%p ret;\n@%p1 { ret; }\n@%p1 L: ret;\n@ ret;\n.foo 3;\n.maxntid 4;\n]\n«x»\nret; # note\nret;",
        expect![[r##"
            1:5 W0025 found `;` without a statement <;>
            2:1 W0024 found `4`, expected an instruction, a label or a declaration <4>
            4:6 W0026 found `{` after `@`, expected an instruction, because a block cannot be predicated <{>
            5:7 W0026 found `:` after `@`, expected an instruction, because a label cannot be predicated <:>
            6:6 W0026 found `;` after `@`, expected an instruction <;>
            7:1 W0029 unknown directive `.foo` <.foo>
            8:1 W0028 `.maxntid` is allowed only between the header and the body of a function <.maxntid>
            9:1 W0024 found `]`, expected an instruction, a label or a declaration <]>
            10:1 W0003 found `«` (U+00AB), expected only ASCII characters outside comments <«>
            11:6 W0024 found `#`, expected an instruction, a label or a declaration <#>
            ---
            ret
            empty
            error "4;"
            %p ret
            error "@%p1"
            {
              ret
            }
            error "@%p1 L: ret;"
            error "@ ret;"
            error ".foo 3;"
            error ".maxntid 4;"
            error "]"
            error "«x»"
            ret
            error "# note"
            ret
        "##]],
    );
}

#[test]
fn unbalanced_braces_are_reported_with_recovery() {
    broken(
        r#".version 8.0 .target sm_80
.entry k()
{
  {
  ret;

.entry j()
{
 ret;
}
}
ret;
{ ret; }
.func f() {"#,
        expect![[r#"
            7:1 W0012 found `.entry`, expected `}` to close an open `{` <.entry>
            11:1 W0013 found `}` without an open `{` <}>
            12:1 W0027 found an instruction or label outside a function <ret>
            13:1 W0027 found an instruction or label outside a function <{>
            14:12 W0012 found the end of the source, expected `}` to close an open `{` <>
            ---
            Version 8 0
            Target sm_80
            Entry k () -> ()
              {
                ret
              }
            end
            Entry j () -> ()
              ret
            end
            error "}"
            error "ret;"
            error "{ ret; }"
            Func f () -> ()
            end
        "#]],
    );
}

#[test]
fn malformed_declarations_are_reported() {
    lines(
        r#".version 8.0 .target sm_80
.global .bf16 v;
.global .u32 .align 4 v;
.global .v2 .align 4 .u32 v;
.visible .visible .global .u32 v;
.global .u32 4v;
.global .u32 v[2+2];
.shared.shared .u32 v;
.u32 v;
.global::cta .u32 v;
.global .b8 v[4] = "abc";
.global .u32 v[2] = {1,};
.global .u32 v
.sreg .u32 v;
.reg .b32 %r<-1>;
.globl .u32 v;
.global .u32 fine;"#,
        expect![[r#"
            2:9 W0030 variables and registers cannot have the type `.bf16` <.bf16>
            3:14 W0032 `.align` must be specified before the type <.align>
            4:13 W0032 `.align` must be specified before `.v2` <.align>
            5:10 W0035 `.visible` is a second linkage directive <.visible>
            6:14 W0033 found `4v`, expected the name of the variable or register <4v>
            7:17 W0034 found `+`, expected `]`, because the size must be a single integer literal <+>
            8:8 W0031 found a second state space, expected only one <.shared>
            9:1 W0031 expected a state space in this declaration <.u32>
            10:1 W0031 variables and registers cannot be declared in `.global::cta` <.global::cta>
            11:20 W0045 found `"abc"`, expected a constant, a variable or a list in braces <\"abc\">
            12:24 W0045 found `}`, expected a constant, a variable or a list in braces <}>
            13:14 W0010 expected `;` to end this declaration, found `.sreg` <v>
            14:1 W0031 variables and registers cannot be declared in `.sreg` <.sreg>
            15:14 W0034 found `-`, expected an integer literal for the register count <->
            16:1 W0029 unknown directive `.globl` <.globl>
        "#]],
    );
}

#[test]
fn malformed_functions_are_reported_with_recovery() {
    broken(
        r#".version 8.0 .target sm_80
.entry (.param .u32 a) { ret; }
.entry k(.param .u32 a .param .u32 b, .param .u32 c) { ret; }
.entry k(.param .u32 a,) { ret; }
.entry k() .maxntid { ret; }
.entry k() .foo 3 { ret; }
.func f() .maxntid 3 { ret; }
.version 8.0
.func f() { .visible .global .u32 v; .file 1 "a"
 .branchtargets a;
 ret; }
.loc 1 2 3
"#,
        expect![[r#"
            2:8 W0033 found `(`, expected the name of the function <(>
            3:24 W0011 found `.param`, expected `,` or `)` after a parameter <.param>
            4:24 W0030 found `)`, expected the type of the declaration, such as `.u32` <)>
            5:21 W0046 found `{`, expected one to three integer literals for `.maxntid` <{>
            6:12 W0029 unknown directive `.foo` <.foo>
            7:11 W0028 `.maxntid` is allowed for `.entry` only <.maxntid>
            8:1 W0028 `.version` must be the first statement of the module <.version>
            9:13 W0035 `.visible` is allowed only for variables at module scope <.visible>
            9:38 W0028 `.file` is allowed only at module scope <.file>
            10:2 W0036 expected a label directly before `.branchtargets` <.branchtargets>
            12:1 W0028 `.loc` is allowed only in the body of a function <.loc>
            ---
            Version 8 0
            Target sm_80
            Entry _ () -> ()
              ret
            end
            Entry k (Param .u32 a, Param .u32 b, Param .u32 c) -> ()
              ret
            end
            Entry k (Param .u32 a) -> ()
              ret
            end
            Entry k () -> ()
              ret
            end
            Entry k () -> ()
              ret
            end
            Func f () -> () .maxntid 3
              ret
            end
            Version 8 0
            Func f () -> ()
              Global Visible .u32 v
              File 1 "a"
              BranchTargets a
              ret
            end
            Loc 1 2 3
        "#]],
    );
}

#[test]
fn unterminated_comments_and_strings_are_reported() {
    lines(
        "ret;\n.pragma \"open;\nret;\n/* never",
        expect![[r#"
            2:9 W0005 expected `"` to end this string on its line <\"open;>
            4:1 W0004 expected `*/` to end this comment </*>
        "#]],
    );
}

#[test]
fn instructions_outside_functions_are_reported() {
    broken(
        ".version 8.0 .target sm_80 ret;",
        expect![[r#"
            1:28 W0027 found an instruction or label outside a function <ret>
            ---
            Version 8 0
            Target sm_80
            error "ret;"
        "#]],
    );
    broken(
        "",
        expect![[r#"
        ---
    "#]],
    );
}

#[test]
fn function_declarations_without_semicolon_are_parsed() {
    tree(
        ".version 2.3\n.target sm_20\n.visible .func (.param .f32 r) f (.param .f32 a)\n.func g\n.file 1 \"a\"\n.extern .func h()",
        expect![[r#"
            Version 2 3
            Target sm_20
            Func f Visible (Param .f32 a) -> (Param .f32 r)
            Func g () -> ()
            File 1 "a"
            Func h Extern () -> ()
        "#]],
    );
}

#[test]
fn byte_order_mark_is_reported_once_with_removal_fix() {
    let text = ".version 8.5\n.target sm_90\n.visible .entry k() { ret; }\n";
    let source = format!("\u{feff}{text}");
    let parse = warpgrid_ptx::parse(&source);
    assert_sound(&source, &parse);
    let checked = warpgrid_ptx::check(&source, &parse, &Default::default());
    let [found] = &checked.diagnostics[..] else {
        panic!("{:?}", checked.diagnostics);
    };
    assert!(found.message.contains("byte-order mark"), "{found:?}");
    assert_eq!(found.fixes[0].apply(&source), text);
    // In other positions, the byte-order mark is an ordinary invalid character.
    let parse = warpgrid_ptx::parse("st.global.u32 \u{feff}[p], r;\n");
    assert!(
        parse.diagnostics[0]
            .message
            .contains("expected only ASCII characters")
    );
}

#[test]
fn formatting_preserves_source_after_byte_order_mark() {
    let text = ".version 8.5\n.target sm_90\n";
    let formatted = warpgrid_ptx::format(&format!("\u{feff}{text}"));
    assert_eq!(formatted.trim_start_matches('\u{feff}'), text);
}
