//! Tests of fragment maps against the code that the reference assembler generates, and of their invariants.

use serde_json::Value;
use std::path::{Path, PathBuf};
use warpgrid_isa::fragment::{
    ElementCoord, FragmentError, FragmentFamily, FragmentMap, FragmentOp, FragmentQuery,
    MatrixOperand, Shape, all_fragments, fragment,
};
use warpgrid_isa::target::TARGETS;
use warpgrid_isa::{FactSource, MatrixLayout, ScalarType, Target};

fn query(op: &str, shape: &str, ty: &str, layout: Option<&str>, target: &str) -> FragmentQuery {
    FragmentQuery {
        op: FragmentOp::from_name(op).expect("an operation"),
        shape: Shape::from_name(shape).expect("a shape"),
        ty: ScalarType::from_name(ty).expect("a type"),
        layout: layout.map(layout_of),
        target: *Target::from_name(target).expect("a target"),
    }
}

fn layout_of(name: &str) -> MatrixLayout {
    match name {
        "row" => MatrixLayout::Row,
        "col" => MatrixLayout::Col,
        other => panic!("`{other}` is no layout"),
    }
}

fn map(op: &str, shape: &str, ty: &str, layout: &str, target: &str) -> FragmentMap {
    fragment(&query(op, shape, ty, Some(layout), target))
        .unwrap_or_else(|error| panic!("{op} {shape} {ty} {layout} {target}: {error}"))
}

/// Returns the elements of every lane, in order.
fn places(map: &FragmentMap) -> Vec<ElementCoord> {
    map.holders().map(|holder| map.place(holder)).collect()
}

fn digest(map: &FragmentMap) -> u64 {
    let bytes = places(map)
        .into_iter()
        .flat_map(|place| [place.row, place.column]);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

fn data(name: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name);
    let text = std::fs::read_to_string(path).expect("a file of the project");
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(' ').map(str::to_owned).collect())
        .collect()
}

fn every_map() -> impl Iterator<Item = FragmentMap> {
    TARGETS
        .iter()
        .flat_map(all_fragments)
        .map(|query| fragment(&query).expect("what is listed exists"))
}

#[test]
fn fragment_maps_match_compiled_code() {
    let mut n_maps = 0;
    for row in data("fragments.txt") {
        let [
            op,
            shape,
            ty,
            targets,
            layouts,
            family,
            registers,
            packed,
            expected,
            lane_5 @ ..,
        ] = &row[..]
        else {
            panic!("a line with too few fields: {row:?}");
        };
        for target in targets.split('+') {
            for layout in layouts.split('+') {
                let map = map(op, shape, ty, layout, target);
                let name = format!("{op} {shape} {ty} {layout} {target}: {}", map.formula);
                let found: Vec<String> = (0..map.n_registers)
                    .flat_map(|register| {
                        (0..map.elements_per_register).map(move |element| (register, element))
                    })
                    .map(|(register, element)| {
                        let place = map.place(warpgrid_isa::fragment::RegisterLocation {
                            lane: 5,
                            register,
                            element,
                        });
                        format!("{},{}", place.row, place.column)
                    })
                    .collect();
                assert_eq!(found, lane_5, "{name}");
                assert_eq!(format!("{:016x}", digest(&map)), *expected, "{name}");
                assert_eq!(map.family.name(), family, "{name}");
                assert_eq!(map.n_registers.to_string(), *registers, "{name}");
                assert_eq!(map.elements_per_register.to_string(), *packed, "{name}");
                n_maps += 1;
            }
        }
    }
    assert!(n_maps > 500, "{n_maps} maps");
}

#[test]
fn wmma_memory_accesses_match_compiled_code() {
    for row in data("accesses.txt") {
        let [op, shape, ty, layout, targets, global, shared] = &row[..] else {
            panic!("a line with another number of fields: {row:?}");
        };
        for target in targets.split('+') {
            let accesses = map(op, shape, ty, layout, target)
                .accesses(layout_of(layout))
                .expect("an operation on memory");
            let text = |access: warpgrid_isa::fragment::WmmaAccess| {
                let short = access.short_stride.map_or("-", |short| short.name());
                format!("{}x{}:{short}", access.bytes, access.count)
            };
            let name = format!("{op} {shape} {ty} {layout} {target}");
            assert_eq!(text(accesses.global), *global, "{name}, global");
            assert_eq!(text(accesses.shared), *shared, "{name}, shared");
        }
    }
}

/// Compares with the complete derivation from which the sample was drawn, if the file is available.
#[test]
fn fragment_maps_match_complete_derivation_if_available() {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/wmma/fragments.json");
    let Ok(text) = std::fs::read_to_string(path) else {
        return;
    };
    let file: Value = serde_json::from_str(&text).expect("JSON");
    let strings = |value: &Value| -> Vec<String> {
        let items = value.as_array().cloned().unwrap_or_default();
        items
            .iter()
            .map(|item| item.as_str().unwrap_or_default().to_owned())
            .collect()
    };
    for entry in file["fragments"].as_array().expect("fragments") {
        let text = |key: &str| entry[key].as_str().unwrap_or_default();
        let expected = &file["maps"][text("map")];
        for target in strings(&entry["archs"]) {
            for layout in strings(&entry["layouts"]) {
                let map = map(text("op"), text("shape"), text("type"), &layout, &target);
                let name = format!(
                    "{} {} {} {layout} {target}",
                    text("op"),
                    text("shape"),
                    text("type")
                );
                let lanes = expected["lanes"].as_array().expect("lanes");
                let expected_places: Vec<ElementCoord> = lanes
                    .iter()
                    .flat_map(|lane| lane.as_array().expect("registers"))
                    .flat_map(|register| register.as_array().expect("elements"))
                    .map(|place| ElementCoord {
                        matrix: 0,
                        row: place[0].as_u64().expect("a row") as u16,
                        column: place[1].as_u64().expect("a column") as u16,
                    })
                    .collect();
                assert_eq!(places(&map), expected_places, "{name}");
                assert_eq!(
                    (u64::from(map.rows), u64::from(map.columns)),
                    (
                        expected["rows"].as_u64().unwrap_or(0),
                        expected["cols"].as_u64().unwrap_or(0)
                    ),
                    "{name}"
                );
                let stride = map.default_stride_elements(map.layout);
                assert_eq!(entry["default_stride"][&layout], stride, "{name}");
                if let Some(reads) = entry.get("mma_reads") {
                    assert_eq!(*reads, map.n_read_registers, "{name}");
                }
                let layouts: Vec<String> = map
                    .layouts
                    .iter()
                    .map(|layout| layout.name().to_owned())
                    .collect();
                assert_eq!(layouts, strings(&entry["layouts"]), "{name}");
            }
        }
    }
}

#[test]
fn element_replication_matches_hardware() {
    for map in every_map() {
        let name = format!("{:?}", map.query);
        let shape = map.query.shape;
        let tiles = |along: u16| (along / 8).max(1) as usize;
        let expected = match (map.query.op.matrix(), map.family) {
            (MatrixOperand::C | MatrixOperand::D, _) => 1,
            // All quad pairs with the same rows of A, or columns of B, hold a copy.
            (MatrixOperand::A, FragmentFamily::QuadPair) if map.query.op.is_wmma() => {
                tiles(shape.n)
            }
            (MatrixOperand::B, FragmentFamily::QuadPair) if map.query.op.is_wmma() => {
                tiles(shape.m)
            }
            _ => usize::from(map.n_registers / map.n_read_registers),
        };
        for (at, cell) in map.cells().iter().enumerate() {
            assert_eq!(cell.len(), expected, "{name}, cell {at}");
        }
    }
}

#[test]
fn register_locations_and_coordinates_are_inverse() {
    for map in every_map().filter(|map| map.query.target.name == map_target(map)) {
        for holder in map.holders().step_by(7) {
            let place = map.place(holder);
            assert!(place.row < map.rows && place.column < map.columns);
            assert!(place.matrix < map.n_matrices);
            assert!(map.holders_of(place).any(|other| other == holder));
        }
    }
}

/// Returns the first target of the generation, so that equal maps are compared only once.
fn map_target(map: &FragmentMap) -> &'static str {
    warpgrid_isa::fragment::TensorCoreGeneration::of(&map.query.target)
        .map_or("", |core| core.first_target())
}

#[test]
fn group_family_formula_is_independent_of_layout() {
    for map in
        every_map().filter(|map| map.family == FragmentFamily::Group && map.query.shape.k > 0)
    {
        for &layout in &map.layouts {
            let other = fragment(&FragmentQuery {
                layout: Some(layout),
                ..map.query
            })
            .expect("listed");
            assert_eq!(other.formula, map.formula, "{:?}", map.query);
        }
    }
}

#[test]
fn load_c_and_store_d_have_equal_formulas() {
    for map in every_map().filter(|map| map.query.op == FragmentOp::StoreD) {
        let load = fragment(&FragmentQuery {
            op: FragmentOp::LoadC,
            ..map.query
        })
        .expect("listed");
        assert_eq!(load.formula, map.formula);
    }
}

#[test]
fn dense_wmma_store_covers_each_matrix_element_once() {
    for map in every_map().filter(|map| map.query.op == FragmentOp::StoreD) {
        for &layout in &map.layouts {
            let stride = map.default_stride_elements(layout);
            let mut offsets: Vec<u64> = places(&map)
                .iter()
                .map(|place| map.offset_bits(*place, layout, stride))
                .collect();
            offsets.sort_unstable();
            let width = u64::from(map.element_bits());
            let n_cells = u64::from(map.rows) * u64::from(map.columns);
            let expected: Vec<u64> = (0..n_cells).map(|cell| cell * width).collect();
            assert_eq!(offsets, expected, "{:?}", map.query);
        }
    }
}

#[test]
fn wmma_fragments_on_sm_80_are_composed_of_mma_fragments() {
    let wide = map("store.d", "m16n16k16", "f32", "row", "sm_80");
    let mma = map("mma.d", "m16n8k16", "f32", "row", "sm_80");
    for holder in mma.holders() {
        let place = mma.place(holder);
        assert_eq!(wide.place(holder), place);
        let right = warpgrid_isa::fragment::RegisterLocation {
            register: holder.register + 4,
            ..holder
        };
        assert_eq!(
            wide.place(right),
            ElementCoord {
                column: place.column + 8,
                ..place
            }
        );
    }
    let a = map("load.a", "m16n16k16", "bf16", "row", "sm_80");
    assert_eq!(
        places(&a),
        places(&map("mma.a", "m16n8k16", "bf16", "row", "sm_80"))
    );
    let tile = map("ldmatrix.x4", "m8n8", "b16", "row", "sm_80");
    for holder in tile.holders() {
        // The four matrices of `ldmatrix.x4` are the quadrants of A in column-major order.
        let (place, whole) = (tile.place(holder), a.place(holder));
        let (down, right) = (place.matrix & 1, place.matrix >> 1);
        assert_eq!(
            (whole.row, whole.column),
            (8 * down + place.row, 8 * right + place.column)
        );
    }
}

/// PTX ISA, figures "ldmatrix fragment layout for one 16x16 matrix", "for one 8x16 matrix", "stmatrix fragment layout for one 16x8
/// matrix": four adjacent elements of a row in each register, or two of each of two rows.
#[test]
fn b8_and_e2m1_matrix_layouts_match_ptx_isa_figures() {
    let lane_5 = |op: &str, shape: &str, ty: &str, layout: &str| {
        let map = map(op, shape, ty, layout, "sm_100");
        let lane = map.holders().filter(|holder| holder.lane == 5);
        let places = lane.map(|holder| map.place(holder));
        let places = places.map(|place| format!("{}:{},{}", place.matrix, place.row, place.column));
        places.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        lane_5("ldmatrix.x1", "m16n16", "b8", "col"),
        "0:1,4 0:1,5 0:1,6 0:1,7 0:9,4 0:9,5 0:9,6 0:9,7"
    );
    assert_eq!(
        lane_5("ldmatrix.x2", "m8n16", "e2m1", "row"),
        "0:1,4 0:1,5 0:1,6 0:1,7 1:1,4 1:1,5 1:1,6 1:1,7"
    );
    assert_eq!(
        lane_5("stmatrix.x1", "m16n8", "b8", "col"),
        "0:1,2 0:1,3 0:9,2 0:9,3"
    );
}

/// A transposed matrix has the same register mapping, but is stored by columns in memory.
#[test]
fn trans_changes_memory_offsets_but_not_register_mapping() {
    let [row, col] =
        ["row", "col"].map(|layout| map("ldmatrix.x4", "m8n8", "b16", layout, "sm_80"));
    assert_eq!(row.formula, col.formula);
    let holder = warpgrid_isa::fragment::RegisterLocation {
        lane: 5,
        register: 2,
        element: 1,
    };
    let offset = |map: &FragmentMap| map.offset_bits(map.place(holder), map.layout, 8) / 8;
    assert_eq!((offset(&row), offset(&col)), (16 + 6, 3 * 16 + 2));
}

#[test]
fn wmma_accumulator_of_lane_5_matches_documentation() {
    let text = |target: &str| {
        let map = map("store.d", "m16n16k16", "f32", "row", target);
        let lane = map.holders().filter(|holder| holder.lane == 5);
        lane.map(|holder| {
            let place = map.place(holder);
            format!("({},{})", place.row, place.column)
        })
        .collect::<Vec<_>>()
        .join(" ")
    };
    assert_eq!(
        text("sm_70"),
        "(9,0) (9,1) (11,0) (11,1) (9,4) (9,5) (11,4) (11,5)"
    );
    assert_eq!(
        text("sm_80"),
        "(1,2) (1,3) (9,2) (9,3) (1,10) (1,11) (9,10) (9,11)"
    );
}

#[test]
fn formulas_print_with_lane_and_element_variables() {
    let formula = |op, layout, target| {
        map(op, "m16n16k16", "f16", layout, target)
            .formula
            .to_string()
    };
    assert_eq!(
        formula("store.d", "row", "sm_70"),
        "row = 8*(p&1) + 4*u + t; col = 8*(p>>1) + e"
    );
    assert_eq!(
        formula("load.a", "col", "sm_70"),
        "row = 8*(p&1) + 4*u + (e&3); col = t + (e&12)"
    );
    assert_eq!(
        formula("load.b", "row", "sm_80"),
        "row = 2*t + (e&1) + 8*((e>>1)&1); col = g + 8*((e>>2)&1)"
    );
}

#[test]
fn unsupported_fragment_error_lists_alternatives() {
    let error = |op, shape, ty, layout, target| {
        fragment(&query(op, shape, ty, layout, target))
            .expect_err("no fragment")
            .to_string()
    };
    assert_eq!(
        error("store.d", "m16n16k4", "f32", None, "sm_90"),
        "`store.d` does not support shape `m16n16k4`, expected one of `m16n16k16`, `m8n32k16`, `m32n8k16`, `m8n8k32`, `m8n8k128`, `m16n16k8`, `m8n8k4`"
    );
    assert_eq!(
        error("store.d", "m16n16k8", "s32", None, "sm_90"),
        "`store.d` with shape `m16n16k8` does not support type `s32`, expected `f32`"
    );
    assert_eq!(
        error("load.a", "m16n16k16", "bf16", None, "sm_75"),
        "`load.a` with shape `m16n16k16` and type `bf16` requires `sm_80` or higher, found `sm_75`"
    );
    assert_eq!(
        error("load.a", "m8n8k32", "s4", Some("col"), "sm_80"),
        "`load.a` with shape `m8n8k32` and type `s4` does not support layout `col`, expected `row`"
    );
    assert!(matches!(
        fragment(&query("store.d", "m16n16k16", "f32", None, "sm_61")),
        Err(FragmentError::Target { first_sm: 70, .. })
    ));
}

#[test]
fn fragment_map_records_origin() {
    assert_eq!(
        map("store.d", "m16n16k16", "f32", "row", "sm_70").origin,
        FactSource::Assembler("12.9")
    );
    assert_eq!(
        map("store.d", "m16n16k16", "f32", "row", "sm_90").origin,
        FactSource::Assembler("13.5")
    );
    assert_eq!(
        map("mma.d", "m16n8k16", "f32", "row", "sm_90").origin,
        FactSource::Documented
    );
}
