//! Layout inspector: layout expressions, descriptors, bank conflicts with fixes, and inferred layouts.

use expect_test::expect;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn warpgrid(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_warpgrid"))
        .args(arguments)
        .output()
        .expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Writes a temporary file of this test.
fn file(name: &str, content: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).expect("a file");
    path
}

/// Lanes write rows of a tile and read its columns.
const TRANSPOSE: &str = "//@ launch grid=1 block=32
//@ buffer out: u32[1024] = 0
.version 8.7
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .pred %p;
    .reg .b32 %t, %i, %a, %b, %v;
    .reg .b64 %out, %o;
    .shared .align 4 .b32 tile[1024];
    ld.param.u64 %out, [out];
    mov.u32 %t, %tid.x;
    mov.u32 %i, 0;
rows:
    mov.u32 %a, tile;
    mad.lo.u32 %b, %i, 32, %t;
    mad.lo.u32 %a, %b, 4, %a;
    st.shared.u32 [%a], %b;
    add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, 32;
    @%p bra rows;
    bar.sync 0;
    mov.u32 %i, 0;
columns:
    mov.u32 %a, tile;
    mad.lo.u32 %b, %t, 32, %i;
    mad.lo.u32 %a, %b, 4, %a;
    ld.shared.u32 %v, [%a];
    mad.lo.u32 %b, %i, 32, %t;
    mul.wide.u32 %o, %b, 4;
    add.u64 %o, %out, %o;
    st.global.u32 [%o], %v;
    add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, 32;
    @%p bra columns;
    ret;
}
";

#[test]
fn layout_is_printed_and_syntax_error_has_column() {
    let output = warpgrid(&["layout", "Swizzle<1,1,2> o (4,4):(4,1)"]);
    assert_eq!(output.status.code(), Some(0));
    expect![[r#"
        Swizzle<1,1,2> o (4,4):(4,1): 16 elements at offsets 0 to 15
        source: the layout as entered, certainty high

          offset = (Swizzle<1,1,2> o (4,4):(4,1))(row, column)
          the first mode is the row, and the other modes are the column
        note: Coalesced: Swizzle<1,1,2> o (4,4):(4,1).
        note: Swizzle<1,1,2> moves 8 of 16 cells.
        note: The bases over GF(2) are {row = [4, 10], column = [1, 2]}.

        row by column: offset
            |  0  1  2  3
        ----+------------
          0 |  0  1  2  3
          1 |  4  5  6  7
          2 | 10 11  8  9
          3 | 14 15 12 13
    "#]]
    .assert_eq(&text(&output.stdout));
    let output = warpgrid(&["layout", "(8,4):(4"]);
    assert_eq!(output.status.code(), Some(2));
    expect![[r#"
        warpgrid: column 9: found the end of the text, expected `,` or `)`
    "#]]
    .assert_eq(&text(&output.stderr));
}

#[test]
fn incompatible_register_layouts_list_mismatched_elements() {
    let fits = warpgrid(&[
        "layout",
        "--producer",
        "mma.d m16n8k16 f32 sm_80",
        "--consumer",
        "mma.a m16n8k16 f16 sm_80",
    ]);
    assert!(
        text(&fits.stdout).contains("no data exchange is required"),
        "{fits:?}"
    );
    let parts = warpgrid(&[
        "layout",
        "--producer",
        "mma.d m16n8k16 f32 sm_80",
        "--consumer",
        "mma.b m16n8k16 f16 sm_80",
        "--format",
        "json",
    ]);
    let view: Value = serde_json::from_slice(&parts.stdout).expect("JSON");
    assert!(
        view["wrong"]
            .as_array()
            .is_some_and(|wrong| !wrong.is_empty()),
        "{view}"
    );
}

#[test]
fn descriptor_decoding_round_trips_encoding() {
    let json = |arguments: &[&str]| -> Value {
        let output = warpgrid(&[&["descriptor"], arguments, &["--format", "json"]].concat());
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
    };
    let built = json(&["--swizzle", "128B", "--start", "1024", "--shape", "m64n64"]);
    assert_eq!(built["descriptor"], "0x4000004000010040");
    let apart = json(&["0x4000004000010040"]);
    assert_eq!(apart["grid"], built["grid"]);
    assert_eq!(apart["ptx"], built["ptx"]);
    // In row 1 of the pattern, the first chunk is the second chunk in memory.
    assert_eq!(apart["grid"][1][1], serde_json::json!([[1, 0]]));
    let tensor = json(&["0x4000404000010040"]);
    assert_eq!(tensor["op"], "tcgen05.tile.a");
    let mistaken = warpgrid(&["descriptor", "0x4000040000010040"]);
    assert!(text(&mistaken.stdout).contains("16 times the value for a packed tile"));
    let other = warpgrid(&["descriptor", "--swizzle", "64B", "--actual-swizzle", "128B"]);
    assert!(text(&other.stdout).contains("elements from wrong addresses"));
    let words = warpgrid(&[
        "descriptor",
        "--family",
        "instruction",
        "0x08410490",
        "--param",
        "kind=f16",
    ]);
    assert_eq!(words.status.code(), Some(0), "{words:?}");
}

#[test]
fn bank_conflicts_are_explained_and_removed_by_rewrite() {
    let kernel = file("lens-transpose.ptx", TRANSPOSE);
    let kernel = kernel.to_str().expect("a name");
    let output = warpgrid(&["conflicts", kernel]);
    let said = text(&output.stdout);
    assert!(
        said.contains("lanes 0 and 1 access different words of bank 0: addresses 0x0 and 0x80"),
        "{said}"
    );
    assert!(
        said.contains("XOR swizzle Swizzle<5,2,5> on byte addresses"),
        "{said}"
    );
    let cured = file("lens-cured.ptx", "");
    let cured = cured.to_str().expect("a name");
    let output = warpgrid(&["conflicts", kernel, "--rewrite", cured]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(text(&output.stdout).contains("bank conflicts: 992 before, 0 after"));
    let other = file("lens-cured-again.ptx", "");
    let other = other.to_str().expect("a name");
    let again = warpgrid(&["conflicts", cured, "--rewrite", other]);
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("no access to shared memory has bank conflicts"));
    let json = warpgrid(&["conflicts", kernel, "--format", "json"]);
    let report: Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(report["buffers"][0]["conflicts"], 992);
}

#[test]
fn run_reports_inferred_access_layouts() {
    let kernel = file("lens-layouts.ptx", TRANSPOSE);
    let output = warpgrid(&["run", kernel.to_str().expect("a name"), "--layouts"]);
    let said = text(&output.stdout);
    let layouts = said.lines().filter(|line| line.starts_with("  line"));
    let layouts: String = layouts
        .map(|line| format!("{}\n", line.trim_start()))
        .collect();
    expect![[r#"
          line 19: st.shared.u32: (lane, iteration) is at (32,32):(1,32) of `tile`, in units of 4 bytes
          line 29: ld.shared.u32: (lane, iteration) is at (32,32):(32,1) of `tile`, in units of 4 bytes
          line 33: st.global.u32: (lane, iteration) is at (32,32):(1,32) of `out`, in units of 4 bytes
    "#]].assert_eq(&layouts);
}

#[test]
fn instruction_descriptor_is_decoded_and_compared_with_intended() {
    let bits = "0x08410490";
    let out = warpgrid(&[
        "descriptor",
        bits,
        "--family",
        "instruction",
        "--kind",
        "f16",
        "--intended",
        "0x08400490",
    ]);
    let said = text(&out.stdout);
    for part in [
        "note: Field B transposed: MN-major, intended: K-major.",
        "17-22  N / 8                 32  256 columns = 32 × 8",
        "mov.b32 %idesc, 0x08410490;",
        "#layouts?op=tcgen05.tile.b&idesc=0x8410490&kind=f16&meant_idesc=0x8400490",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let out = warpgrid(&[
        "descriptor",
        "--factor",
        "b",
        "--idesc",
        bits,
        "--kind",
        "f16",
        "--intended-idesc",
        "0x08400490",
    ]);
    assert!(
        text(&out.stdout).contains("16320 of 16384 elements from wrong addresses"),
        "{}",
        text(&out.stdout)
    );
    let out = warpgrid(&[
        "descriptor",
        "0x4000002000010000",
        "--intended",
        "0x4000004000010000",
    ]);
    assert!(
        text(&out.stdout).contains("intended: "),
        "{}",
        text(&out.stdout)
    );
    for (words, reason) in [
        (
            &["descriptor", "zz", "--family", "instruction"][..],
            "expected bits such as",
        ),
        (
            &[
                "descriptor",
                bits,
                "--family",
                "instruction",
                "--kind",
                "tf32",
            ],
            "does not support",
        ),
        (
            &["descriptor", "--idesc", "0x490", "--kind", "f16"],
            "the shape m0n0, which is not supported",
        ),
        (
            &["descriptor", "--intended", "0xffffffffffffffffffff"],
            "found meant",
        ),
    ] {
        let out = warpgrid(words);
        assert_eq!(out.status.code(), Some(2), "{words:?}");
        assert!(text(&out.stderr).contains(reason), "{}", text(&out.stderr));
    }
}

#[test]
fn layout_supports_coordinate_strides() {
    let out = warpgrid(&["layout", "zipped_divide((128,64):(1@0,1@1), <32,16>)"]);
    let said = text(&out.stdout);
    assert!(
        said.contains("((32,16),(4,4)):((1@0,1@1),(32@0,16@1)): 8192 coordinates"),
        "{said}"
    );
    assert!(
        said.contains("The layout covers a box of 128 × 64 coordinates"),
        "{said}"
    );
}
