//! Kernels with bank conflicts by family. Each kernel writes a buffer of shared memory in one order and reads it in another order.

use std::fmt::Write;

/// Kernel with its name.
pub(crate) struct Kernel {
    pub(crate) name: String,
    pub(crate) source: String,
}

/// Address of a lane as a linear function: byte strides of `lane`, `warp` and the iteration.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub(crate) lane: u32,
    pub(crate) warp: u32,
    pub(crate) iteration: u32,
    pub(crate) start: u32,
}

/// Loop of accesses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loop {
    pub(crate) n: u32,
    pub(crate) place: Place,
}

/// Declaration and addressing mode of a buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Style {
    Plain,
    /// Generic address.
    Generic,
    /// Aligned such that a swizzle needs no offset.
    Aligned,
    /// Dynamic shared memory, whose size the launch specifies.
    Dynamic,
    /// Address with an offset in brackets.
    Offset,
    /// Guarded accesses of even lanes only.
    Guarded,
    /// 64-bit addresses.
    Wide,
}

/// Type of an access.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    /// PTX type: `u32`, `v4.u32`.
    pub(crate) ty: &'static str,
    pub(crate) bytes: u32,
    pub(crate) n: u32,
}

pub(crate) const UNITS: [Unit; 7] = [
    Unit {
        ty: "u8",
        bytes: 1,
        n: 1,
    },
    Unit {
        ty: "u16",
        bytes: 2,
        n: 1,
    },
    Unit {
        ty: "u32",
        bytes: 4,
        n: 1,
    },
    Unit {
        ty: "u64",
        bytes: 8,
        n: 1,
    },
    Unit {
        ty: "v2.u32",
        bytes: 8,
        n: 2,
    },
    Unit {
        ty: "v4.u32",
        bytes: 16,
        n: 4,
    },
    Unit {
        ty: "v2.u64",
        bytes: 16,
        n: 2,
    },
];

fn unit(ty: &str) -> Unit {
    *UNITS.iter().find(|unit| unit.ty == ty).expect("a unit")
}

/// Formats the registers of an access as an operand.
fn data(unit: Unit) -> String {
    let register = match unit.ty.rsplit('.').next() {
        Some("u64") => "%d",
        Some("u8" | "u16") => "%h",
        _ => "%v",
    };
    match unit.n {
        1 => format!("{register}0"),
        n => {
            let all: Vec<String> = (0..n).map(|i| format!("{register}{i}")).collect();
            format!("{{{}}}", all.join(", "))
        }
    }
}

fn head(threads: u32, out_bytes: u32, shared: &str) -> String {
    format!(
        "//@ launch grid=1 block={threads}
//@ buffer out: u32[{}] = 0
.version 8.7
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{{
    .reg .pred %p, %q;
    .reg .b16 %h<4>;
    .reg .b32 %t, %lane, %warp, %i, %a, %b, %c, %v<8>;
    .reg .b64 %out, %o, %d<4>, %g, %s;
    {shared}
    ld.param.u64 %out, [out];
    mov.u32 %t, %tid.x;
    and.b32 %lane, %t, 31;
    shr.u32 %warp, %t, 5;
",
        out_bytes.div_ceil(4)
    )
}

/// Computes the address of an access in `%a`.
fn place(text: &mut String, place: Place) {
    let Place {
        lane,
        warp,
        iteration,
        start,
    } = place;
    let _ = writeln!(text, "    mov.u32 %a, tile;\n    add.u32 %a, %a, {start};");
    for (register, bytes) in [("%lane", lane), ("%warp", warp), ("%i", iteration)] {
        if bytes != 0 {
            let _ = writeln!(text, "    mad.lo.u32 %a, {register}, {bytes}, %a;");
        }
    }
}

/// Computes the address of the result of this thread in this iteration in `%o`.
fn result(text: &mut String, threads: u32, bytes: u32) {
    let _ = writeln!(
        text,
        "    mad.lo.u32 %b, %i, {threads}, %t;\n    mul.wide.u32 %o, %b, {bytes};\n    add.u64 %o, %out, %o;"
    );
}

fn looped(text: &mut String, label: &str, n: u32, body: &str) {
    let _ = write!(
        text,
        "    mov.u32 %i, 0;\n{label}:\n{body}    add.u32 %i, %i, 1;\n    setp.lt.u32 %p, %i, {n};\n    @%p bra {label};\n"
    );
}

/// Parameters of a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spec {
    pub(crate) threads: u32,
    pub(crate) size: u32,
    pub(crate) write: Loop,
    pub(crate) read: Loop,
    pub(crate) written: Unit,
    pub(crate) taken: Unit,
    pub(crate) style: Style,
}

/// Returns a kernel that writes the buffer, waits at a barrier, and reads the buffer.
pub(crate) fn two_orders(name: String, spec: Spec) -> Kernel {
    let Spec {
        threads,
        size,
        write: first,
        read,
        written,
        taken,
        style,
    } = spec;
    let declared = match style {
        Style::Aligned => format!(".shared .align 4096 .b8 tile[{size}];"),
        Style::Dynamic => String::new(),
        _ => format!(".shared .align 16 .b32 tile[{}];", size.div_ceil(4)),
    };
    let mut text = head(threads, read.n * threads * taken.bytes, &declared);
    if style == Style::Dynamic {
        text = text.replace(
            ".visible .entry",
            ".extern .shared .align 16 .b8 tile[];\n.visible .entry",
        );
        text = text.replace("block=32\n", &format!("block=32 shared={size}\n"));
    }
    let guard = if style == Style::Guarded {
        text.push_str("    and.b32 %c, %lane, 1;\n    setp.eq.u32 %q, %c, 0;\n");
        "@%q "
    } else {
        ""
    };
    let operand = |text: &mut String| match style {
        Style::Generic => {
            text.push_str("    cvt.u64.u32 %s, %a;\n    cvta.shared.u64 %g, %s;\n");
            ("", "[%g]")
        }
        Style::Offset => {
            text.push_str("    sub.u32 %a, %a, 64;\n");
            (".shared", "[%a+64]")
        }
        Style::Wide => {
            text.push_str("    cvt.u64.u32 %s, %a;\n");
            (".shared", "[%s]")
        }
        _ => (".shared", "[%a]"),
    };
    let mut body = String::new();
    place(&mut body, first.place);
    let _ = writeln!(body, "    mad.lo.u32 %v0, %i, {threads}, %t;");
    for i in 1..4 {
        let _ = writeln!(body, "    add.u32 %v{i}, %v0, {};", 1000 * i);
    }
    body.push_str(
        "    cvt.u64.u32 %d0, %v0;\n    cvt.u64.u32 %d1, %v1;\n    cvt.u16.u32 %h0, %v0;\n",
    );
    let (space, address) = operand(&mut body);
    let _ = writeln!(
        body,
        "    {guard}st{space}.{} {address}, {};",
        written.ty,
        data(written)
    );
    looped(&mut text, "first", first.n, &body);
    text.push_str("    bar.sync 0;\n");
    let mut body = String::new();
    place(&mut body, read.place);
    let (space, address) = operand(&mut body);
    let _ = writeln!(
        body,
        "    {guard}ld{space}.{} {}, {address};",
        taken.ty,
        data(taken)
    );
    result(&mut body, threads, taken.bytes);
    let _ = writeln!(
        body,
        "    {guard}st.global.{} [%o], {};",
        taken.ty,
        data(taken)
    );
    looped(&mut text, "second", read.n, &body);
    text.push_str("    ret;\n}\n");
    Kernel { name, source: text }
}

/// A tile is written by rows and read by columns.
fn transposes(all: &mut Vec<Kernel>) {
    for (ty, columns) in [
        ("u8", 32),
        ("u8", 64),
        ("u8", 128),
        ("u16", 32),
        ("u16", 64),
        ("u16", 128),
        ("u32", 32),
        ("u32", 64),
        ("u32", 96),
        ("u32", 128),
        ("u64", 16),
        ("u64", 32),
        ("u64", 48),
        ("u64", 64),
    ] {
        let unit = unit(ty);
        let row = columns * unit.bytes;
        for warps in [1, 4] {
            let size = 32 * row;
            // Each lane accesses one column of the row. Wide rows take several iterations.
            let write = Loop {
                n: size / (32 * warps * unit.bytes),
                place: Place {
                    lane: unit.bytes,
                    warp: 32 * unit.bytes,
                    iteration: 32 * warps * unit.bytes,
                    start: 0,
                },
            };
            let read = Loop {
                n: columns / warps,
                place: Place {
                    lane: row,
                    warp: columns / warps * unit.bytes,
                    iteration: unit.bytes,
                    start: 0,
                },
            };
            let spec = Spec {
                threads: 32 * warps,
                size,
                write,
                read,
                written: unit,
                taken: unit,
                style: Style::Plain,
            };
            all.push(two_orders(
                format!("transpose {ty} 32x{columns}, {warps} warps"),
                spec,
            ));
        }
    }
}

/// Rows of records, of which one field is accessed at a time: rows of an operand matrix, arrays of structures.
fn tiles(all: &mut Vec<Kernel>) {
    for words in [2, 4, 6, 8, 10, 12, 16, 20, 24, 36, 40, 64] {
        let size = 32 * words * 4;
        let unit = unit("u32");
        let write = Loop {
            n: words,
            place: Place {
                lane: 4,
                iteration: 128,
                ..Place::default()
            },
        };
        let read = Loop {
            n: words,
            place: Place {
                lane: words * 4,
                iteration: 4,
                ..Place::default()
            },
        };
        let spec = Spec {
            threads: 32,
            size,
            write,
            read,
            written: unit,
            taken: unit,
            style: Style::Plain,
        };
        all.push(two_orders(format!("records of {words} words"), spec));
    }
}

/// Rows are written and read in accesses of 8 or 16 bytes.
fn wide(all: &mut Vec<Kernel>) {
    for (ty, row) in [
        ("v4.u32", 32),
        ("v4.u32", 64),
        ("v4.u32", 128),
        ("v4.u32", 256),
        ("v4.u32", 512),
        ("v2.u64", 64),
        ("v2.u64", 128),
        ("v2.u64", 256),
        ("v2.u32", 16),
        ("v2.u32", 32),
        ("v2.u32", 64),
        ("v2.u32", 128),
        ("v2.u32", 256),
        ("v4.u32", 96),
        ("v2.u32", 48),
    ] {
        let unit = unit(ty);
        let n = row / unit.bytes;
        let write = Loop {
            n,
            place: Place {
                lane: unit.bytes,
                iteration: 32 * unit.bytes,
                ..Place::default()
            },
        };
        let read = Loop {
            n,
            place: Place {
                lane: row,
                iteration: unit.bytes,
                ..Place::default()
            },
        };
        let spec = Spec {
            threads: 32,
            size: 32 * row,
            write,
            read,
            written: unit,
            taken: unit,
            style: Style::Plain,
        };
        all.push(two_orders(format!("{ty} in rows of {row} bytes"), spec));
    }
    // Narrow writes and wide reads.
    for row in [64, 128, 256] {
        let (narrow, broad) = (unit("u32"), unit("v4.u32"));
        let write = Loop {
            n: row / 4,
            place: Place {
                lane: 4,
                iteration: 128,
                ..Place::default()
            },
        };
        let read = Loop {
            n: row / 16,
            place: Place {
                lane: row,
                iteration: 16,
                ..Place::default()
            },
        };
        let spec = Spec {
            threads: 32,
            size: 32 * row,
            write,
            read,
            written: narrow,
            taken: broad,
            style: Style::Plain,
        };
        all.push(two_orders(
            format!("u32, then v4.u32 in rows of {row} bytes"),
            spec,
        ));
    }
}

/// All declarations and addressing modes of a buffer.
fn styles(all: &mut Vec<Kernel>) {
    for style in [
        Style::Generic,
        Style::Aligned,
        Style::Dynamic,
        Style::Offset,
        Style::Guarded,
        Style::Wide,
    ] {
        let unit = unit("u32");
        let write = Loop {
            n: 32,
            place: Place {
                lane: 4,
                iteration: 128,
                start: 0,
                warp: 0,
            },
        };
        let read = Loop {
            n: 32,
            place: Place {
                lane: 128,
                iteration: 4,
                start: 0,
                warp: 0,
            },
        };
        let spec = Spec {
            threads: 32,
            size: 4096,
            write,
            read,
            written: unit,
            taken: unit,
            style,
        };
        all.push(two_orders(format!("transpose, {style:?}"), spec));
    }
}

/// Matrices of 8 rows of 16 bytes, written by rows and read by `ldmatrix`, or written by `stmatrix`.
fn matrices(all: &mut Vec<Kernel>) {
    for row in [32u32, 64, 128, 256, 512] {
        for (count, words) in [("x1", ""), ("x2", ".trans"), ("x4", ""), ("x4", ".trans")] {
            let n: u32 = count[1..].parse().expect("a number");
            let size = 32 * row;
            let mut text = head(
                32,
                row / 16 * 32 * 4 * n,
                &format!(".shared .align 128 .b8 tile[{size}];"),
            );
            let mut body = String::new();
            place(
                &mut body,
                Place {
                    lane: 16,
                    iteration: 512,
                    ..Place::default()
                },
            );
            body.push_str("    mad.lo.u32 %v0, %i, 32, %t;\n    add.u32 %v1, %v0, 1000;\n    add.u32 %v2, %v0, 2000;\n    add.u32 %v3, %v0, 3000;\n    st.shared.v4.u32 [%a], {%v0, %v1, %v2, %v3};\n");
            looped(&mut text, "first", row / 16, &body);
            text.push_str("    bar.sync 0;\n");
            let mut body = String::new();
            place(
                &mut body,
                Place {
                    lane: row,
                    iteration: 16,
                    ..Place::default()
                },
            );
            let list: Vec<String> = (0..n).map(|i| format!("%v{i}")).collect();
            let list = list.join(", ");
            let _ = writeln!(
                body,
                "    ldmatrix.sync.aligned.m8n8.{count}{words}.shared.b16 {{{list}}}, [%a];"
            );
            result(&mut body, 32, 4 * n);
            for i in 0..n {
                let _ = writeln!(body, "    st.global.u32 [%o+{}], %v{i};", 4 * i);
            }
            looped(&mut text, "second", row / 16, &body);
            text.push_str("    ret;\n}\n");
            all.push(Kernel {
                name: format!("ldmatrix{words}.{count} in rows of {row} bytes"),
                source: text,
            });
        }
    }
    for row in [64u32, 128, 256] {
        let size = 32 * row;
        let mut text = head(32, size, &format!(".shared .align 128 .b8 tile[{size}];"));
        let mut body = String::new();
        place(
            &mut body,
            Place {
                lane: row,
                iteration: 16,
                ..Place::default()
            },
        );
        body.push_str("    mad.lo.u32 %v0, %i, 32, %t;\n    add.u32 %v1, %v0, 1000;\n    add.u32 %v2, %v0, 2000;\n    add.u32 %v3, %v0, 3000;\n    stmatrix.sync.aligned.m8n8.x4.shared.b16 [%a], {%v0, %v1, %v2, %v3};\n");
        looped(&mut text, "first", row / 16, &body);
        text.push_str("    bar.sync 0;\n");
        let mut body = String::new();
        place(
            &mut body,
            Place {
                lane: 16,
                iteration: 512,
                ..Place::default()
            },
        );
        body.push_str("    ld.shared.v4.u32 {%v0, %v1, %v2, %v3}, [%a];\n");
        result(&mut body, 32, 16);
        body.push_str("    st.global.v4.u32 [%o], {%v0, %v1, %v2, %v3};\n");
        looped(&mut text, "second", row / 16, &body);
        text.push_str("    ret;\n}\n");
        all.push(Kernel {
            name: format!("stmatrix in rows of {row} bytes"),
            source: text,
        });
    }
}

/// Copies of 16 bytes from global memory, read by columns.
fn copies(all: &mut Vec<Kernel>) {
    for row in [64u32, 128, 256, 512] {
        let size = 32 * row;
        let mut text = head(
            32,
            row / 4 * 128,
            &format!(".shared .align 128 .b8 tile[{size}];"),
        );
        text = text.replace(
            "//@ buffer out",
            &format!("//@ buffer in: u32[{}] = iota\n//@ buffer out", size / 4),
        );
        text = text.replace("(.param .u64 out)", "(.param .u64 in, .param .u64 out)");
        let mut body = String::from("    ld.param.u64 %g, [in];\n");
        place(
            &mut body,
            Place {
                lane: 16,
                iteration: 512,
                ..Place::default()
            },
        );
        body.push_str("    mad.lo.u32 %b, %i, 32, %t;\n    mad.wide.u32 %g, %b, 16, %g;\n    cp.async.cg.shared.global [%a], [%g], 16;\n");
        looped(&mut text, "first", row / 16, &body);
        text.push_str("    cp.async.wait_all;\n    bar.sync 0;\n");
        let mut body = String::new();
        place(
            &mut body,
            Place {
                lane: row,
                iteration: 4,
                ..Place::default()
            },
        );
        body.push_str("    ld.shared.u32 %v0, [%a];\n");
        result(&mut body, 32, 4);
        body.push_str("    st.global.u32 [%o], %v0;\n");
        looped(&mut text, "second", row / 4, &body);
        text.push_str("    ret;\n}\n");
        all.push(Kernel {
            name: format!("cp.async in rows of {row} bytes"),
            source: text,
        });
    }
}

/// Reductions with doubling distances by adjacent threads.
fn reductions(all: &mut Vec<Kernel>) {
    for (ty, n) in [
        ("u32", 64u32),
        ("u32", 128),
        ("u32", 256),
        ("u32", 512),
        ("u32", 1024),
        ("u64", 64),
        ("u64", 128),
        ("u64", 256),
    ] {
        let bytes = unit(ty).bytes;
        let register = if bytes == 8 { "%d" } else { "%v" };
        let threads = n / 2;
        let mut text = head(
            threads,
            bytes,
            &format!(".shared .align 16 .{ty} tile[{n}];"),
        );
        let _ = write!(
            text,
            "    mov.u32 %a, tile;
    mad.lo.u32 %a, %t, {bytes}, %a;
    cvt.u64.u32 %d0, %t;
    mov.u32 %v0, %t;
    st.shared.{ty} [%a], {register}0;
    st.shared.{ty} [%a+{}], {register}0;
    mov.u32 %i, 1;
again:
    bar.sync 0;
    mul.lo.u32 %b, %t, %i;
    shl.b32 %b, %b, 1;
    setp.ge.u32 %p, %b, {n};
    @%p bra next;
    mov.u32 %a, tile;
    mad.lo.u32 %a, %b, {bytes}, %a;
    mad.lo.u32 %c, %i, {bytes}, %a;
    ld.shared.{ty} {register}1, [%a];
    ld.shared.{ty} {register}2, [%c];
    add.{ty} {register}1, {register}1, {register}2;
    st.shared.{ty} [%a], {register}1;
next:
    shl.b32 %i, %i, 1;
    setp.lt.u32 %p, %i, {n};
    @%p bra again;
    bar.sync 0;
    setp.ne.u32 %p, %t, 0;
    @%p ret;
    ld.shared.{ty} {register}3, [tile];
    st.global.{ty} [%out], {register}3;
    ret;
}}
",
            threads * bytes
        );
        all.push(Kernel {
            name: format!("reduction of {n} {ty}"),
            source: text,
        });
    }
}

/// Threads that clear and output a histogram.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Owner {
    /// Each lane processes its own row.
    Lane,
    /// All lanes process a row together.
    Warp,
    /// One row for all lanes.
    One,
}

/// Histograms in rows with one per lane, and a histogram per warp.
fn histograms(all: &mut Vec<Kernel>) {
    for (bins, owner) in [
        (16u32, Owner::Lane),
        (32, Owner::Lane),
        (64, Owner::Lane),
        (128, Owner::Lane),
        (64, Owner::Warp),
        (64, Owner::One),
    ] {
        let row = if owner == Owner::One { 0 } else { bins * 4 };
        let size = 32 * bins * 4;
        let linear = match owner {
            Owner::Lane => Place {
                lane: row,
                iteration: 4,
                ..Place::default()
            },
            Owner::Warp | Owner::One => Place {
                lane: 4,
                iteration: 128,
                ..Place::default()
            },
        };
        let mut text = head(32, size, &format!(".shared .align 128 .b8 tile[{size}];"));
        let mut body = String::new();
        place(&mut body, linear);
        body.push_str("    st.shared.u32 [%a], 0;\n");
        looped(&mut text, "clear", bins, &body);
        text.push_str("    bar.sync 0;\n");
        // Bins are a hash of lane and iteration, without a regular pattern.
        let mut body = String::new();
        place(
            &mut body,
            Place {
                lane: row,
                ..Place::default()
            },
        );
        let _ = write!(
            body,
            "    mad.lo.u32 %b, %i, 32, %t;
    mul.lo.u32 %b, %b, 0x9e3779b1;
    shr.u32 %b, %b, 16;
    and.b32 %b, %b, {};
    mad.lo.u32 %a, %b, 4, %a;
    red.shared.add.u32 [%a], 1;
",
            bins - 1
        );
        looped(&mut text, "count", 24, &body);
        text.push_str("    bar.sync 0;\n");
        let mut body = String::new();
        place(&mut body, linear);
        body.push_str("    ld.shared.u32 %v0, [%a];\n");
        result(&mut body, 32, 4);
        body.push_str("    st.global.u32 [%o], %v0;\n");
        looped(&mut text, "show", bins, &body);
        text.push_str("    ret;\n}\n");
        all.push(Kernel {
            name: format!("histogram of {bins} bins, cleared by {owner:?}"),
            source: text,
        });
    }
}

/// Butterfly exchanges with doubling strides.
fn butterflies(all: &mut Vec<Kernel>) {
    for (ty, log) in [
        ("u32", 6u32),
        ("u32", 8),
        ("u32", 10),
        ("u64", 6),
        ("u64", 8),
        ("u64", 9),
    ] {
        let bytes = unit(ty).bytes;
        let register = if bytes == 8 { "%d" } else { "%v" };
        let n = 1 << log;
        let threads = n / 2;
        let mut text = head(
            threads,
            n * bytes,
            &format!(".shared .align 16 .{ty} tile[{n}];"),
        );
        let _ = write!(
            text,
            "    mov.u32 %a, tile;
    mad.lo.u32 %a, %t, {}, %a;
    cvt.u64.u32 %d0, %t;
    mov.u32 %v0, %t;
    st.shared.{ty} [%a], {register}0;
    st.shared.{ty} [%a+{bytes}], {register}0;
    mov.u32 %i, 0;
again:
    bar.sync 0;
    mov.u32 %v4, 1;
    shl.b32 %v4, %v4, %i;
    sub.u32 %v5, %v4, 1;
    and.b32 %v6, %t, %v5;
    shr.u32 %b, %t, %i;
    shl.b32 %b, %b, %i;
    shl.b32 %b, %b, 1;
    add.u32 %b, %b, %v6;
    mov.u32 %a, tile;
    mad.lo.u32 %a, %b, {bytes}, %a;
    mad.lo.u32 %c, %v4, {bytes}, %a;
    ld.shared.{ty} {register}1, [%a];
    ld.shared.{ty} {register}2, [%c];
    add.{ty} {register}3, {register}1, {register}2;
    sub.{ty} {register}2, {register}1, {register}2;
    st.shared.{ty} [%a], {register}3;
    st.shared.{ty} [%c], {register}2;
    add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, {log};
    @%p bra again;
    bar.sync 0;
    mov.u32 %a, tile;
    mad.lo.u32 %a, %t, {bytes}, %a;
    ld.shared.{ty} {register}1, [%a];
    ld.shared.{ty} {register}2, [%a+{}];
    mul.wide.u32 %o, %t, {bytes};
    add.u64 %o, %out, %o;
    st.global.{ty} [%o], {register}1;
    st.global.{ty} [%o+{}], {register}2;
    ret;
}}
",
            2 * bytes,
            threads * bytes,
            threads * bytes
        );
        all.push(Kernel {
            name: format!("butterfly of {n} {ty}"),
            source: text,
        });
    }
}

/// Returns all kernels by family.
pub(crate) fn kernels() -> Vec<Kernel> {
    let mut all = Vec::new();
    transposes(&mut all);
    tiles(&mut all);
    wide(&mut all);
    styles(&mut all);
    matrices(&mut all);
    copies(&mut all);
    reductions(&mut all);
    butterflies(&mut all);
    histograms(&mut all);
    all
}
