//! Edits to the initial state of a launch: the text edit, and the run after the edit.

use expect_test::{Expect, expect};
use warpgrid_view::analysis::cell_history::CellLocation;
use warpgrid_view::session::launch_edit::{InitialValueTarget, LaunchEdit};
use warpgrid_view::value::ElementType;
use warpgrid_view::{Scenario, Session, SourceLanguage};

const KERNEL: &str = "//@ launch grid=1 block=1
//@ buffer x: f32[4] = 1, 2.5
  //@ buffer n: u32[2000]
//@ buffer i: s32[4] = iota
//@ buffer big: u8[4096] = 3
//@ scalar k: s32 = 200
.version 8.0
.target sm_80
.address_size 64
.global .u32 table[4];
.visible .entry f(.param .u64 x, .param .u64 n, .param .u64 i, .param .u64 big, .param .s32 k)
{
    .reg .b32 %r<3>; .reg .b64 %rd<3>;
    .shared .b32 tile[4];
    ld.param.u64 %rd1, [n];
    ld.param.u32 %r1, [k];
    st.global.u32 [%rd1+4], %r1;
    ret;
}
";

fn session(source: &str) -> Session {
    let scenario = Scenario {
        source: source.to_owned(),
        front: SourceLanguage::of_source(source),
        ..Scenario::default()
    };
    Session::new(scenario).unwrap_or_else(|error| panic!("{error:?}"))
}

fn cell(memory: &str, index: u64, ty: ElementType) -> InitialValueTarget {
    let n_bytes = ty.width_bytes() as u64;
    InitialValueTarget::Cell(CellLocation {
        memory: memory.into(),
        offset: index * n_bytes,
        n_bytes,
        ty,
    })
}

/// Returns the source after the edit.
fn applied(source: &str, edit: &LaunchEdit) -> String {
    let [edit] = &edit.edits[..] else {
        panic!("{edit:?}")
    };
    assert_eq!(edit.line, edit.end_line);
    let lines = source
        .split_inclusive('\n')
        .enumerate()
        .map(|(index, line)| {
            if index as u32 + 1 != edit.line {
                return line.to_owned();
            }
            // The lines of these tests contain only ASCII, so columns are byte offsets.
            let (from, to) = (edit.column as usize - 1, edit.end_column as usize - 1);
            format!("{}{}{}", &line[..from], edit.text, &line[to..])
        });
    lines.collect()
}

fn check(source: &str, place: &InitialValueTarget, value: &str, expected: Expect) {
    let said = match session(source).edit_start(place, value) {
        Ok(edit) => {
            let text = applied(source, &edit);
            assert!(text.lines().any(|line| line == edit.line), "{text}");
            // The edited launch starts with the new value.
            let after = session(&text);
            if let InitialValueTarget::Cell(place) = place {
                let bytes = after.memory(&place.memory).expect("the buffer");
                let at = place.offset as usize;
                let bits = place.ty.bits(&bytes[at..]);
                let was = session(source);
                let other = was.memory(&place.memory).expect("the buffer");
                assert_eq!(bytes[..at], other[..at]);
                assert_eq!(
                    bytes[at + place.n_bytes as usize..],
                    other[at + place.n_bytes as usize..]
                );
                format!("{} reads {}", edit.line, place.ty.text(bits))
            } else {
                edit.line
            }
        }
        Err(reason) => reason,
    };
    expected.assert_eq(&said);
}

#[test]
fn editing_cell_updates_initializer_annotation() {
    use ElementType as T;
    check(
        KERNEL,
        &cell("x", 1, T::F32),
        "-7.25",
        expect!["//@ buffer x: f32[4] = 1, -7.25 reads -7.25"],
    );
    check(
        KERNEL,
        &cell("x", 3, T::F32),
        "nan",
        expect!["//@ buffer x: f32[4] = 1, 2.5, 0, 0x7fc00000 reads NaN"],
    );
    check(
        KERNEL,
        &cell("x", 1, T::B32),
        "0x3f800000",
        expect!["//@ buffer x: f32[4] = 1, 1.0 reads 0x3f800000"],
    );
    check(
        KERNEL,
        &cell("x", 1, T::F32),
        "0",
        expect!["//@ buffer x: f32[4] = 1, 0 reads 0.0"],
    );
    check(
        KERNEL,
        &cell("n", 0, T::U32),
        "9",
        expect!["  //@ buffer n: u32[2000] = 9, 0 reads 9"],
    );
    check(
        KERNEL,
        &cell("n", 5, T::S32),
        "-1",
        expect!["  //@ buffer n: u32[2000] = 0, 0, 0, 0, 0, 4294967295 reads -1"],
    );
    check(
        KERNEL,
        &cell("i", 2, T::S32),
        "-9",
        expect!["//@ buffer i: s32[4] = 0, 1, -9, 3 reads -9"],
    );
    check(
        KERNEL,
        &cell("i", 2, T::S32),
        "2",
        expect!["//@ buffer i: s32[4] = iota reads 2"],
    );
}

#[test]
fn unsupported_initial_value_edits_are_rejected() {
    use ElementType as T;
    check(
        KERNEL,
        &cell("x", 1, T::F32),
        "seven",
        expect!["found `seven`, expected a number or bit pattern such as `0x3f800000`"],
    );
    check(
        KERNEL,
        &cell("i", 1, T::U32),
        "4294967296",
        expect!["the value 4294967296 does not fit in the type `u32`"],
    );
    check(
        KERNEL,
        &cell("x", 1, T::F32),
        "",
        expect!["the value is empty, expected a value such as `7`, `-4`, `0x1f` or `1.5`"],
    );
    check(
        KERNEL,
        &cell("x", 1, T::U8),
        "1",
        expect!["the elements of `x` have the type `f32`: select this type or another 4-byte type"],
    );
    check(
        KERNEL,
        &cell("shared:0", 1, T::U32),
        "1",
        expect![
            "shared memory cannot have an initial value, because it is uninitialized at the start of each launch"
        ],
    );
    check(
        KERNEL,
        &cell("tensor:0", 1, T::U32),
        "1",
        expect![
            "tensor memory cannot have an initial value, because it is uninitialized at the start of each launch"
        ],
    );
    check(
        KERNEL,
        &cell("var:table", 1, T::U32),
        "1",
        expect!["`table` is a module variable: change the initializer in its declaration"],
    );
    check(
        KERNEL,
        &cell("nowhere", 1, T::U32),
        "1",
        expect!["the launch configuration has no buffer `nowhere`"],
    );
    check(
        KERNEL,
        &InitialValueTarget::Register("%r1".into()),
        "1",
        expect!["the source has no `//@ register` annotation for `%r1`"],
    );
}

#[test]
fn editing_cell_of_long_buffer_adds_index_override() {
    use ElementType as T;
    check(
        KERNEL,
        &cell("n", 1500, T::U32),
        "1",
        expect!["  //@ buffer n: u32[2000] = 0 [1500]=1 reads 1"],
    );
    check(
        KERNEL,
        &cell("big", 1, T::U8),
        "1",
        expect!["//@ buffer big: u8[4096] = 3 [1]=1 reads 1"],
    );
    let random = KERNEL.replace("u8[4096] = 3", "u8[4096] = random 7 [9]=5");
    check(
        &random,
        &cell("big", 2, T::U8),
        "255",
        expect!["//@ buffer big: u8[4096] = random 7 [2]=255 [9]=5 reads 255"],
    );
    check(
        &random,
        &cell("big", 9, T::U8),
        "6",
        expect!["//@ buffer big: u8[4096] = random 7 [9]=6 reads 6"],
    );
    let counted = KERNEL.replace("u8[4096] = 3", "u8[4096] = iota");
    check(
        &counted,
        &cell("big", 4095, T::U8),
        "1",
        expect!["//@ buffer big: u8[4096] = iota [4095]=1 reads 1"],
    );
    let long = KERNEL.replace("u32[2000]", "u32[2000] = 1, 0, 3");
    check(
        &long,
        &cell("n", 1999, T::U32),
        "7",
        expect!["  //@ buffer n: u32[2000] = 0 [0]=1 [2]=3 [1999]=7 reads 7"],
    );
    check(
        KERNEL,
        &cell("n", 2000, T::U32),
        "7",
        expect!["the index 2000 is out of bounds: `n` has 2000 elements"],
    );
}

#[test]
fn editing_buffer_replaces_initializer_with_pattern() {
    for (value, line) in [
        ("random 3", "//@ buffer x: f32[4] = random 3"),
        ("nan", "//@ buffer x: f32[4] = nan"),
        ("0", "//@ buffer x: f32[4] = 0"),
    ] {
        let edit = session(KERNEL).edit_start(&InitialValueTarget::Buffer("x".into()), value);
        let edit = edit.unwrap_or_else(|reason| panic!("{reason}"));
        assert_eq!(edit.line, line);
        session(&applied(KERNEL, &edit));
    }
}

#[test]
fn editing_scalar_or_register_updates_annotation() {
    check(
        KERNEL,
        &InitialValueTarget::Scalar("k".into()),
        "-3",
        expect!["//@ scalar k: s32 = -3"],
    );
    let machine = "//@ launch grid=1 block=32\n//@ buffer out: u32[32] = 0\n//@ register R2 = lane * 4 + out\nST.E [R2], R4 ;\n";
    check(
        machine,
        &InitialValueTarget::Register("R2".into()),
        "lane * 8 + out",
        expect!["//@ register R2 = lane * 8 + out"],
    );
}

#[test]
fn editing_cell_inserts_inferred_launch_annotations() {
    let source = "mov.u32 %t, %tid.x;\nst.global.u32 [p], %t;\n";
    let session = session(source);
    let edit = session.edit_start(&cell("p", 3, ElementType::U32), "5");
    let edit = edit.unwrap_or_else(|reason| panic!("{reason}"));
    expect![[r#"
        //@ launch grid=1 block=32
        //@ buffer p: u32[32] = 0, 0, 0, 5
        mov.u32 %t, %tid.x;
        st.global.u32 [p], %t;
    "#]]
    .assert_eq(&applied(source, &edit));
}
