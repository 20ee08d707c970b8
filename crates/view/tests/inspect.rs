//! Watch expressions at a position of a run, and differences between two positions.

use expect_test::{Expect, expect};
use warpgrid_view::MemoryKey;
use warpgrid_view::session::inspect::{
    Heatmap, HeatmapMode, HeatmapRequest, LayoutViewRequest, StateDiff, WatchExpression,
    WatchedValue,
};
use warpgrid_view::value::ElementType;
use warpgrid_view::{Scenario, Session};

/// Two warps. Each lane counts and stores its count, and lane 0 modifies its stored value.
const KERNEL: &str = "//@ launch grid=1 block=40
//@ buffer out: u32[8][8] = 0
//@ buffer halves: f16[4] = 1.5
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 halves)
{
    .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .f32 %f<3>; .reg .pred %p<3>;
    .shared .align 4 .b32 tile[40];
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    add.s32 %r2, %r1, -2;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    cvt.rn.f32.u32 %f1, %r1;
    setp.eq.u32 %p1, %r1, 0;
    st.global.u32 [%rd3], %r1;
    @%p1 st.global.u32 [%rd1+20], 77;
    ret;
}
";

fn session(source: &str) -> Session {
    let scenario = Scenario {
        source: source.to_owned(),
        ..Scenario::default()
    };
    Session::new(scenario).expect("the launch is accepted")
}

/// Formats the value of a watch expression in one line.
fn line(found: &WatchedValue) -> String {
    let values = match &found.values {
        Err(reason) => return format!("({reason})"),
        Ok(values) => values,
    };
    let texts = values.iter().map(|value| value.as_deref().unwrap_or("–"));
    let texts = texts.collect::<Vec<_>>().join(" ");
    match found.warp {
        Some((block, warp)) => format!("{texts}, warp {warp} of block {block}"),
        None => texts,
    }
}

fn check(position: u64, expressions: &[&str], expected: Expect) {
    let mut session = session(KERNEL);
    let found = session.evaluate(position, expressions, None);
    let found = found.expect("the position is reached");
    let lines = expressions.iter().zip(&found);
    let lines: Vec<_> = lines
        .map(|(text, found)| format!("{text}: {}\n", line(found)))
        .collect();
    expected.assert_eq(&lines.concat());
}

#[test]
fn expressions_evaluate_registers_memory_and_literals() {
    check(
        1_000,
        &[
            "out[5]",
            "out[0][6] + out[7] * 2",
            "lane 3: %r1",
            "lane 3: %r2 < 0 | 4",
            "lane 3: s32(%r2)",
            "lane 1: s32(%r2) / 2 - 1",
            "lane 4: %f1 / 3",
            "lane 4: b32(%f1)",
            "lane 0: %p1",
            "lane 5: out[%r1] == 77",
            "thread 33: %r1 << 4",
            "halves[1] * 2",
            "f32(0x3f800000) + 1",
            "bin8(out[3])",
            "-1.5e1 + ~0 + !0",
            "(1 + 2) * 3 % 5",
            "shared:0[2]",
            "1 << 3 << 1 >= 16",
        ],
        expect![[r#"
            out[5]: 77
            out[0][6] + out[7] * 2: 20
            lane 3: %r1: 35, warp 1 of block 0
            lane 3: %r2 < 0 | 4: 0, warp 1 of block 0
            lane 3: s32(%r2): 33, warp 1 of block 0
            lane 1: s32(%r2) / 2 - 1: 14, warp 1 of block 0
            lane 4: %f1 / 3: 12.0, warp 1 of block 0
            lane 4: b32(%f1): 0x42100000, warp 1 of block 0
            lane 0: %p1: 0, warp 1 of block 0
            lane 5: out[%r1] == 77: 0, warp 1 of block 0
            thread 33: %r1 << 4: 528, warp 1 of block 0
            halves[1] * 2: 3.0
            f32(0x3f800000) + 1: 2.0
            bin8(out[3]): 00000011
            -1.5e1 + ~0 + !0: -15.0
            (1 + 2) * 3 % 5: 4
            shared:0[2]: 0x00000000
            1 << 3 << 1 >= 16: 1
        "#]],
    );
}

#[test]
fn register_shows_per_lane_values_unless_uniform() {
    check(
        3,
        &["%r1", "warp 1: %r1 * 0", "%f1", "warp 1: %r1"],
        expect![[r#"
            %r1: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31, warp 0 of block 0
            warp 1: %r1 * 0: 0, warp 1 of block 0
            %f1: 0.0, warp 0 of block 0
            warp 1: %r1: 0, warp 1 of block 0
        "#]],
    );
}

#[test]
fn expressions_evaluate_at_earlier_position() {
    check(
        0,
        &["out[5]", "lane 1: %r1", "shared:0[0]"],
        expect![[r#"
            out[5]: 0
            lane 1: %r1: 0, warp 0 of block 0
            shared:0[0]: 0x00000000
        "#]],
    );
}

#[test]
fn invalid_expressions_are_reported() {
    check(
        1_000,
        &[
            "",
            "out",
            "out[",
            "out[99]",
            "out[9][0]",
            "out[1][2][3]",
            "nothing[0]",
            "%r99",
            "%r1 +",
            "1 / 0",
            "1 << 200",
            "1.5 & 1",
            "u23(1)",
            "f16x2(1) + 1",
            "lane 40: %r1",
            "lane 9 warp 1: %r1",
            "block 7: %r1",
            "1 2",
            "170141183460469231731687303715884105727 + 1",
            "out[-1]",
            "0xzz",
        ],
        expect![[r#"
            : (found the end of the text, expected a register such as `%r5`, an element such as `out[3]` or a number)
            out: (`out` is a buffer, not a value: write `out[0]` for the first element)
            out[: (found the end of the text, expected a register such as `%r5`, an element such as `out[3]` or a number)
            out[99]: (the index 99 is out of bounds: `out` has 64 elements)
            out[9][0]: (the index 9 is out of bounds: this dimension of `out` has the extent 8)
            out[1][2][3]: (found 3 indices, expected 2 for `out`)
            nothing[0]: (the launch has no buffer or variable `nothing`)
            %r99: (this function has no register `%r99`; did you mean `%rd1`?)
            %r1 +: (found the end of the text, expected a register such as `%r5`, an element such as `out[3]` or a number)
            1 / 0: (division by zero)
            1 << 200: (found the shift amount 200, expected 0 to 126)
            1.5 & 1: (the operator `&` requires integers, but an operand is a float: use `u32(x)` to read the bits of a float)
            u23(1): (found `u23(`, expected a type such as `f32` or `u16`; did you mean `u32`?)
            f16x2(1) + 1: (the packed type `f16x2` contains several numbers: use `b32(x)` to read the bits for shifts and masks)
            lane 40: %r1: (found the lane index 40, expected 0 to 31)
            lane 9 warp 1: %r1: (warp 1 has no lane 9)
            block 7: %r1: (warp 1 of block 7 is not resident at this step)
            1 2: (found `2`, expected an operator such as `+` or `==`)
            170141183460469231731687303715884105727 + 1: (the result of the operation has more than 127 bits)
            out[-1]: (found the index -1, expected a nonnegative integer)
            0xzz: (found `0xzz`, expected a number)
        "#]],
    );
    let deep = "(".repeat(400);
    assert!(WatchExpression::read(&deep).is_err());
    assert!(WatchExpression::read(&"1+".repeat(400)).is_err());
    let mut session = session(KERNEL);
    assert!(session.evaluate(u64::MAX, &["1"], None).is_err());
}

#[test]
fn expression_uses_displayed_warp() {
    let mut session = session(KERNEL);
    let found = session.evaluate(1_000, &["%r1"], Some((0, 1)));
    let found = found.expect("the position is reached");
    expect![
        "32 33 34 35 36 37 38 39 – – – – – – – – – – – – – – – – – – – – – – – –, warp 1 of block 0"
    ]
    .assert_eq(&line(&found[0]));
}

/// Formats the differences, one per line.
fn listed(found: &StateDiff) -> String {
    let mut lines = vec![format!("{} to {}", found.positions[0], found.positions[1])];
    for memory in &found.memories {
        lines.push(format!("{}: {} cells", memory.title, memory.n_cells));
        for cell in memory.cells.iter().take(3) {
            let [was, is] = &cell.values;
            lines.push(format!("  {}: {was} to {is}, {:?}", cell.name, cell.writer));
        }
    }
    for register in &found.registers {
        let [was, is] = &register.values;
        let (name, warp, lanes) = (&register.name, register.warp, register.lanes);
        lines.push(format!(
            "{name} of warp {warp}, lanes {lanes:#x}: {was} to {is}"
        ));
    }
    lines.join("\n") + "\n"
}

#[test]
fn diff_of_two_positions_lists_cells_and_registers() {
    let mut session = session(KERNEL);
    session.run(1_000);
    let end = session.position();
    let found = session.moments([end, 0]).expect("both are reached");
    assert_eq!(found.positions, [0, end]);
    assert_eq!(session.position(), end);
    expect![[r#"
        0 to 20
        out: 39 cells
          out[0][1]: 0 to 1, Some(CellWriter { position: 8, lane: 1, line: 18 })
          out[0][2]: 0 to 2, Some(CellWriter { position: 8, lane: 2, line: 18 })
          out[0][3]: 0 to 3, Some(CellWriter { position: 8, lane: 3, line: 18 })
        %rd1 of warp 0, lanes 0xffffffff: 0 to 0x7f0000000000
        %r1 of warp 0, lanes 0xfffffffe: 0 to 1
        %r2 of warp 0, lanes 0xfffffffb: 0 to 4294967294
        %rd2 of warp 0, lanes 0xfffffffe: 0 to 4
        %rd3 of warp 0, lanes 0xffffffff: 0 to 0x7f0000000000
        %f1 of warp 0, lanes 0xfffffffe: 0.0 to 1.0
        %p1 of warp 0, lanes 0x1: 0 to 1
        %rd1 of warp 1, lanes 0xff: 0 to 0x7f0000000000
        %r1 of warp 1, lanes 0xff: 0 to 32
        %r2 of warp 1, lanes 0xff: 0 to 30
        %rd2 of warp 1, lanes 0xff: 0 to 128
        %rd3 of warp 1, lanes 0xff: 0 to 0x7f0000000080
        %f1 of warp 1, lanes 0xff: 0.0 to 32.0
    "#]]
    .assert_eq(&listed(&found));
    let same = session.moments([4, 4]).expect("both are reached");
    assert!(same.memories.is_empty() && same.registers.is_empty());
    assert!(session.moments([0, u64::MAX]).is_err());
}

/// Formats a memory in a layout at the end of the run, one row per line.
fn arranged(memory: &str, ty: Option<ElementType>, layout: &str) -> String {
    let mut session = session(KERNEL);
    let memory = MemoryKey::from(memory);
    let found = match session.arranged(1_000, &LayoutViewRequest { memory, ty, layout }) {
        Err(reason) => return format!("({reason})\n"),
        Ok(found) => found,
    };
    let [rows, columns] = found.shown;
    let mut lines = vec![format!(
        "{} {} {}, {} x {}",
        found.title, found.ty, found.layout, found.rows, found.columns
    )];
    for row in 0..rows {
        let cells = found
            .cells
            .iter()
            .skip((row * columns) as usize)
            .take(columns as usize);
        let texts = cells.map(|(_, cell)| cell.as_ref().map_or("-", |cell| &cell.text));
        lines.push(texts.collect::<Vec<_>>().join(" "));
    }
    if found.n_aliased > 0 {
        lines.push(format!("{} twice", found.n_aliased));
    }
    lines.join("\n") + "\n"
}

#[test]
fn memory_is_arranged_by_cute_layout() {
    let all = [
        arranged("out", None, "(4,4):(1,8)"),
        arranged("out", None, "(2,(2,4)):(16,(1,4))"),
        arranged("out", None, "6:10"),
        arranged("out", None, "Swizzle<2,0,2> o (4,4):(4,1)"),
        arranged("out", Some(ElementType::U8), "(2,4):(4,1)"),
        arranged("out", None, "(3,2):(0,31)"),
        arranged("out", None, "(100,100):(1,1)")
            .lines()
            .next()
            .unwrap_or("")
            .to_owned()
            + "\n",
        arranged("out", None, "(4,4:(1,8)"),
        arranged("none", None, "4"),
        arranged("shared:0", None, "(2,2):(2,1)"),
    ];
    expect![[r#"
        out u32 (4,4):(1,8), 4 x 4
        0 8 16 24
        1 9 17 25
        2 10 18 26
        3 11 19 27
        out u32 (2,(2,4)):(16,(1,4)), 2 x 8
        0 1 4 77 8 9 12 13
        16 17 20 21 24 25 28 29
        out u32 6:10, 1 x 6
        0 10 20 30 0 0
        out u32 Swizzle<2,0,2> o (4,4):(4,1), 4 x 4
        0 1 2 3
        77 4 7 6
        10 11 8 9
        15 14 13 12
        out u8 (2,4):(4,1), 2 x 4
        0 0 0 0
        1 0 0 0
        out u32 (3,2):(0,31), 3 x 2
        0 31
        0 31
        0 31
        2 twice
        out u32 (100,100):(1,1), 100 x 100
        (column 5 (`:`): found `:`, expected `,` or `)`)
        (the launch has no buffer or variable `none`)
        shared memory of block (0, 0, 0) b32 (2,2):(2,1), 2 x 2
        0x00000000 0x00000000
        0x00000000 0x00000000
    "#]]
    .assert_eq(&all.concat());
}

#[test]
fn minimap_marks_written_sections_of_large_buffer() {
    const SPARSE: &str = "//@ launch grid=1 block=1
//@ buffer p: u32[1000000] = 0
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [p];
    st.global.u32 [%rd1+8], 1;
    st.global.u32 [%rd1+3999996], 1;
    ret;
}
";
    let mut session = session(SPARSE);
    let found = session.minimap(3, &MemoryKey::from("p")).expect("a map");
    let written = found
        .parts
        .iter()
        .enumerate()
        .filter(|(_, part)| part.n_written > 0);
    let written: Vec<_> = written
        .map(|(at, part)| (at, part.latest, part.is_now))
        .collect();
    assert_eq!((found.part, found.parts.len()), (977, 1_024));
    assert_eq!(
        written,
        [(0, Some((0, 2)), false), (1_023, Some((0, 999_999)), true)]
    );
    assert!(session.minimap(3, &MemoryKey::from("q")).is_err());
}

/// Lane `i` stores `i - 2` to element `i`, and lane 1 stores a NaN to element 6.
const SHADES: &str = "\
//@ launch grid=1 block=4
//@ buffer p: f32[8] = [0, 0, 0, 0, 0, 0, 0, 3]
.version 8.5
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .pred %p;
    .reg .f32 %f<3>;
    .reg .b32 %r<2>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    cvt.rn.f32.u32 %f1, %r1;
    sub.f32 %f2, %f1, 0f40000000;
    st.global.f32 [%rd3], %f2;
    setp.eq.u32 %p, %r1, 1;
    @%p st.global.u32 [%rd1+24], 0x7fc00000;
    ret;
}
";

#[test]
fn heatmap_shades_elements_by_value_lane_or_step() {
    let mut session = session(SHADES);
    let mut ask = |shading, elements| {
        let request = HeatmapRequest {
            memory: "p".into(),
            ty: None,
            shading,
            elements,
        };
        session.shades(9, &request).expect("shades")
    };
    let (never, unknown) = (Heatmap::NEVER, Heatmap::UNKNOWN);
    let values = ask(HeatmapMode::Value, 0..99);
    // The values are -2, -1, 0, 1, 0, 0, NaN and 3. Shades are fifths of the range from -2 to 3.
    assert_eq!(values.shades, [0, 13, 25, 38, 25, 25, unknown, 63]);
    assert_eq!(values.ends, Some(["-2.0".to_owned(), "3.0".to_owned()]));
    assert_eq!(values.now.first(), Some(&(6..7)));
    assert_eq!(values.now.len(), 1);
    let lanes = ask(HeatmapMode::Lane, 2..8);
    assert_eq!((lanes.first, lanes.ends), (2, None));
    assert_eq!(lanes.shades, [2, 3, never, never, 1, never]);
    let steps = ask(HeatmapMode::Step, 0..8);
    assert_eq!(steps.shades[..2], [0, 0]);
    assert_eq!((steps.shades[6], steps.shades[7]), (63, never));
    assert_eq!(steps.ends, Some(["7".to_owned(), "9".to_owned()]));
    // A reversed range is empty.
    let backwards = std::ops::Range { start: 50, end: 9 };
    assert_eq!(ask(HeatmapMode::Value, backwards).shades, [] as [u8; 0]);
}

#[test]
fn arbitrary_expressions_do_not_panic() {
    const PARTS: [&str; 24] = [
        "%r1", "out", "[", "]", "(", ")", "+", "-", "*", "/", "%", "<<", ">>", "==", "<", "7",
        "0x", "1.5", "lane 3:", "f32(", "é", "shared:", "~", " ",
    ];
    let mut session = session(KERNEL);
    let mut state = 7_u64;
    let mut next = |n: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % n
    };
    for _ in 0..3_000 {
        let n = 1 + next(9);
        let text: String = (0..n).map(|_| PARTS[next(PARTS.len())]).collect();
        let found = session.evaluate(4, &[&text, "out[1]"], None);
        assert_eq!(found.map(|found| found.len()), Ok(2), "{text}");
    }
}
