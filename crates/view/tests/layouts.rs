//! Layouts of tensor instructions equal the public tables, location by location (`tests/tensor/layouts.jsonl.gz`, computed from the shapes
//! and strides of CuTe and of the PTX ISA).

use flate2::read::GzDecoder;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use warpgrid_view::layouts::fragment::FragmentRequest;
use warpgrid_view::layouts::tensor::{
    LayoutView, has_layout, layout, operations, picture, svg, table,
};

fn request(op: &str, shape: &str, ty: &str, with: &[(&str, String)]) -> FragmentRequest {
    FragmentRequest {
        op: op.to_owned(),
        shape: shape.to_owned(),
        ty: ty.to_owned(),
        with: with
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect(),
        ..FragmentRequest::default()
    }
}

fn look_up(request: &FragmentRequest) -> LayoutView {
    layout(request).unwrap_or_else(|refusal| panic!("{request:?}: {refusal}"))
}

/// Returns the first type with this number of bits.
fn type_of(bits: u64) -> &'static str {
    match bits {
        1 => "b1",
        8 => "e4m3",
        16 => "f16",
        _ => "tf32",
    }
}

/// Returns `[row, column]` for each thread, in the order of registers and positions.
fn by_thread(view: &LayoutView) -> Value {
    let lanes = view.lanes.as_ref().expect("registers");
    let threads = lanes.iter().map(|registers| registers.concat());
    json!(threads.collect::<Vec<_>>())
}

/// Returns the first location of each element.
fn first_places(view: &LayoutView) -> Value {
    let rows = view.grid.iter().map(|row| {
        let cells = row.iter().map(|places| places.first().cloned());
        cells
            .map(|place| place.unwrap_or_default())
            .collect::<Vec<_>>()
    });
    json!(rows.collect::<Vec<_>>())
}

/// Returns the layout that a row of the tables requests, and the part of the layout that the row specifies.
fn answer(row: &Value) -> (LayoutView, &'static str, Value) {
    let number = |name: &str| row[name].as_u64().unwrap_or(0);
    let text = |name: &str| row[name].as_str().unwrap_or("").to_owned();
    match row["table"].as_str().expect("a table") {
        "wgmma_d" => {
            let shape = format!("m64n{}k16", number("n"));
            let view = look_up(&request("wgmma.d", &shape, "f32", &[]));
            let halves = look_up(&request("wgmma.d", &shape, "f16", &[]));
            assert_eq!(by_thread(&view), by_thread(&halves));
            let cells = by_thread(&view);
            (view, "cells", cells)
        }
        "wgmma_a" => {
            let view = look_up(&request("wgmma.a", "", type_of(number("bits")), &[]));
            let cells = by_thread(&view);
            (view, "cells", cells)
        }
        "sparse_metadata" => {
            let view = look_up(&request("wgmma.metadata", "", type_of(number("bits")), &[]));
            let chunk = number("chunk");
            let mut cells: BTreeMap<(u32, u32), [u64; 2]> = BTreeMap::new();
            for (row, columns) in view.grid.iter().enumerate() {
                for (column, places) in columns.iter().enumerate() {
                    for place in places {
                        let element = [row as u64, column as u64 * chunk];
                        cells.insert((place[0], place[1]), element);
                    }
                }
            }
            let of_thread = |thread: u32| -> Vec<[u64; 2]> {
                let range = cells.range((thread, 0)..(thread + 1, 0));
                range.map(|(_, element)| *element).collect()
            };
            let threads: Vec<_> = (0..128).map(of_thread).collect();
            (view, "cells", json!(threads))
        }
        "smem" => {
            let family = match text("op").as_str() {
                "wgmma.mma_async" => "wgmma.shared.b",
                _ => "tcgen05.shared.b",
            };
            let swizzle = match number("swizzle_span") {
                0 => "none".to_owned(),
                span => format!("{span}B"),
            };
            let n_lines = row["bytes"].as_array().map_or(0, Vec::len);
            let shape = match family {
                "wgmma.shared.b" => format!("m64n{n_lines}"),
                _ => format!("m128n{n_lines}"),
            };
            let atoms = number("bits") == 32 && text("major") == "mn";
            let swizzle = if atoms {
                "128B_atom_32B".to_owned()
            } else {
                swizzle
            };
            let fields = [
                ("major", text("major")),
                ("swizzle", swizzle),
                ("start", number("start").to_string()),
                ("leading", number("leading").to_string()),
                ("stride", number("stride").to_string()),
            ];
            let ty = type_of(number("bits"));
            let view = look_up(&request(family, &shape, ty, &fields));
            assert_eq!(view.descriptor, Some(text("descriptor")));
            // The bits of the descriptor are equivalent to its fields.
            let bits = [("major", text("major")), ("descriptor", text("descriptor"))];
            let read = look_up(&request(family, &shape, ty, &bits));
            assert_eq!(read.grid, view.grid);
            let bytes = view.grid.iter().map(|row| {
                let first = row.iter().map(|places| places[0][0]);
                first.collect::<Vec<_>>()
            });
            let bytes = json!(bytes.collect::<Vec<_>>());
            (view, "bytes", bytes)
        }
        "tcgen05_ld_st" => {
            let shape = text("shape");
            let mut with = vec![("num", format!("x{}", number("num")))];
            if shape == "16x32bx2" {
                with.push(("half", number("half_split").to_string()));
            }
            let view = look_up(&request("tcgen05.ld", &shape, "", &with));
            let cells = by_thread(&view);
            (view, "cells", cells)
        }
        "tcgen05_d" => {
            let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
            let mut with = vec![
                ("cta_group", number("cta_group").to_string()),
                ("sparse", yes(text("layout") == "C")),
            ];
            if number("m") < 256 {
                with.push(("ws", yes(text("op").ends_with(".ws"))));
            }
            let shape = format!("m{}n{}", number("m"), number("n"));
            let view = look_up(&request("tcgen05.d", &shape, "", &with));
            assert!(view.title.contains(&format!("layout {}", text("layout"))));
            let cells = first_places(&view);
            (view, "cells", cells)
        }
        "tcgen05_cp" => {
            let view = look_up(&request("tcgen05.cp", &text("shape"), "", &[]));
            assert_eq!(u64::from(view.columns), number("words"));
            let lanes = view.grid.iter().map(|row| {
                let lanes = row[0].iter().map(|place| place[0]);
                lanes.collect::<Vec<_>>()
            });
            let lanes = json!(lanes.collect::<Vec<_>>());
            (view, "lanes", lanes)
        }
        "tcgen05_scale" => {
            let (matrix, rows) = (text("matrix"), number("rows"));
            let shape = match matrix.as_str() {
                "a" => format!("m{rows}n64"),
                _ => format!("m128n{rows}"),
            };
            let vector = format!("{}X", number("factors"));
            let op = format!("tcgen05.scale.{matrix}");
            let view = look_up(&request(&op, &shape, "", &[("scale_vec", vector)]));
            let cells = json!(view.grid);
            (view, "cells", cells)
        }
        "tcgen05_sparse_metadata" => {
            let ty = type_of(number("bits"));
            let view = look_up(&request("tcgen05.metadata", "", ty, &[]));
            let cells = first_places(&view);
            (view, "cells", cells)
        }
        "tcgen05_idesc" => {
            let yes = |name: &str| if number(name) == 1 { "yes" } else { "no" }.to_owned();
            let with = [
                ("kind", text("kind")),
                ("b", text("b")),
                ("d", text("d")),
                ("transpose_a", yes("transpose_a")),
                ("transpose_b", yes("transpose_b")),
                ("negate_a", yes("negate_a")),
                ("negate_b", yes("negate_b")),
            ];
            let shape = format!("m{}n{}", number("m"), number("n"));
            let view = look_up(&request("tcgen05.idesc", &shape, &text("a"), &with));
            let bits = [("kind", text("kind")), ("descriptor", text("descriptor"))];
            let read = look_up(&request("tcgen05.idesc", "", "", &bits));
            assert_eq!(read.fields, view.fields);
            let descriptor = json!(view.descriptor);
            (view, "descriptor", descriptor)
        }
        other => panic!("no such table: {other}"),
    }
}

#[test]
fn layout_queries_match_reference_tables() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tensor/layouts.jsonl.gz");
    let file = File::open(path).expect("the tables");
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for line in BufReader::new(GzDecoder::new(file)).lines() {
        let row: Value = serde_json::from_str(&line.expect("text")).expect("a row");
        let (view, field, found) = answer(&row);
        let mut head = row.clone();
        head.as_object_mut().expect("an object").remove(field);
        assert!(found == row[field], "{head} ({})", view.title);
        assert!(
            view.confidence == row["sure"] || view.confidence == "medium",
            "{head}"
        );
        *seen.entry(row["table"].to_string()).or_default() += 1;
    }
    assert_eq!(seen.len(), 10, "{seen:?}");
}

#[test]
fn every_operation_has_layout_table_and_svg() {
    for op in operations() {
        assert!(has_layout(op));
        let view = look_up(&request(op, "", "", &[]));
        assert_eq!(view.op, op);
        assert!(table(&view).contains(&view.origin), "{op}");
        assert!(svg(&view).ends_with("</svg>\n"), "{op}");
        let words: Vec<&str> = view
            .parameters
            .iter()
            .map(|parameter| parameter.name.as_str())
            .collect();
        // All offered parameter values exist.
        for parameter in &view.parameters {
            for choice in &parameter.choices {
                let mut wanted = request(op, "", "", &[]);
                match parameter.name.as_str() {
                    "shape" => wanted.shape.clone_from(choice),
                    "type" => wanted.ty.clone_from(choice),
                    name => {
                        wanted.with.insert(name.to_owned(), choice.clone());
                    }
                }
                let shown = picture(&wanted, Vec::new()).expect("a layout");
                assert!(
                    shown.view.is_some() || shown.refusal.is_some(),
                    "{op} {words:?} {choice}"
                );
                assert_eq!(shown.replaced, Vec::<String>::new(), "{op} {choice}");
            }
        }
    }
}

#[test]
fn unsupported_layout_parameters_are_explained() {
    let complaint = |op: &str, shape: &str, ty: &str, with: &[(&str, &str)]| {
        let with: Vec<(&str, String)> = with
            .iter()
            .map(|(name, word)| (*name, (*word).to_owned()))
            .collect();
        let refusal = layout(&request(op, shape, ty, &with)).expect_err("no such layout");
        refusal.message
    };
    assert_eq!(
        complaint("wgmma.d", "m64n12", "f32", &[]),
        "found shape `m64n12`, expected m64 and n8 to n256 in steps of 8, such as `m64n64`"
    );
    assert_eq!(
        complaint("wgmma.d", "", "f64", &[]),
        "found type `f64`, expected `f32`, `f16`, `s32`"
    );
    assert_eq!(
        complaint("tcgen05.cp", "", "", &[("swizzle", "128B")]),
        "found parameter `swizzle`, expected none"
    );
    assert_eq!(
        complaint("wgmma.shared.a", "", "", &[("stride", "100")]),
        "found `stride=100`, expected a multiple of 16, because descriptors count units of 16 bytes"
    );
    assert_eq!(
        complaint(
            "tcgen05.idesc",
            "",
            "",
            &[("kind", "tf32"), ("descriptor", "0x08410420")]
        ),
        "the instruction descriptor 0x08410420 encodes types that `.kind::tf32` does not support"
    );
    let rows = complaint("tcgen05.d", "m32n64", "", &[]);
    assert!(rows.starts_with("found 32 rows with 1 block"), "{rows}");
}

#[test]
fn picture_replaces_unsupported_parameters_and_reports_changes() {
    let wanted = request("wgmma.a", "", "f64", &[("major", "k".to_owned())]);
    let picture = picture(&wanted, Vec::new()).expect("a layout");
    assert_eq!(picture.request.ty, "f16");
    assert_eq!(picture.replaced.len(), 2);
    assert!(picture.view.is_some());
}
