//! Tests of fragment diagrams: the selected parameter values, and the memory traffic.

use crate::layouts::fragment::picture;
use crate::layouts::fragment::picture::FragmentPicture;
use crate::layouts::fragment::request::FragmentRequest;
use warpgrid_isa::Target;
use warpgrid_isa::fragment::{all_fragments, fragment};

fn request(op: &str, shape: &str, ty: &str, target: &str, layout: &str) -> FragmentRequest {
    FragmentRequest {
        with: Default::default(),
        op: op.into(),
        shape: shape.into(),
        ty: ty.into(),
        target: target.into(),
        layout: Some(layout.into()).filter(|layout: &String| !layout.is_empty()),
        stride: None,
    }
}

fn draw(request: &FragmentRequest) -> FragmentPicture {
    picture(request, 0).expect("the tables hold fragments")
}

/// Returns the diagram of `store.d.m16n16k16.f32.row` on `sm_80` with the given stride.
fn store_d(stride: u32) -> FragmentPicture {
    draw(&FragmentRequest {
        stride: Some(stride),
        ..request("store.d", "m16n16k16", "f32", "sm_80", "row")
    })
}

#[test]
fn empty_request_draws_default_fragment() {
    let shown = draw(&FragmentRequest::default());
    assert_eq!(shown.replaced, [] as [&str; 0]);
    assert_eq!(shown.request.op, "store.d");
    assert_eq!(shown.cells.len(), 256);
}

#[test]
fn unsupported_choice_is_replaced_and_reported() {
    let shown = draw(&request("load.a", "m16n16k16", "f64", "sm_80", "row"));
    assert_eq!(shown.request.ty, shown.choices.types[0]);
    assert_eq!(shown.replaced.len(), 1);
    assert!(shown.replaced[0].contains("`f64`"), "{:?}", shown.replaced);
    // A request with any of the parameter values in `choices` needs no replacement.
    for ty in &shown.choices.types {
        let other = draw(&request("load.a", "m16n16k16", ty, "", ""));
        assert_eq!(
            (other.request.ty.as_str(), other.replaced.len()),
            (ty.as_str(), 0)
        );
    }
}

#[test]
fn padded_stride_touches_partial_sectors() {
    let dense = store_d(16).global.expect("a store has accesses");
    assert_eq!((dense.bytes, dense.count), (8, 4));
    assert_eq!((dense.sectors, dense.used_bytes), (32, 1024));
    // Each of the four accesses has eight rows of 32 bytes. With this stride, every other row starts in the middle of a sector.
    let apart = store_d(20).global.expect("a store has accesses");
    assert_eq!((apart.sectors, apart.used_bytes), (48, 1024));
}

#[test]
fn shared_wavefronts_depend_on_stride() {
    let passes = |stride| store_d(stride).shared.and_then(|shared| shared.wavefronts);
    // A half warp of 8-byte accesses covers four rows. With a row distance of 64 bytes, two rows of each pair share each bank.
    assert_eq!(passes(16), Some(16));
    assert_eq!(passes(24), Some(8));
    // With this stride, all rows of the matrix start in the same bank.
    assert_eq!(passes(32), Some(32));
}

#[test]
fn misaligned_stride_or_base_is_reported() {
    assert_eq!(store_d(16).global.and_then(|global| global.problem), None);
    let odd = store_d(17).global.and_then(|global| global.problem);
    assert!(odd.is_some_and(|problem| problem.contains("multiple of the access size of 8 bytes")));
    let request = request("store.d", "m16n16k16", "f32", "sm_80", "row");
    let shifted = picture(&request, 4).and_then(|picture| picture.global?.problem);
    assert!(shifted.is_some_and(|problem| problem.starts_with("the access is misaligned")));
}

#[test]
fn overlapping_rows_are_reported() {
    assert_eq!(store_d(16).stride_problem, None);
    let problem = store_d(8).stride_problem;
    assert!(problem.is_some_and(|problem| problem.contains("rows overlap")));
}

#[test]
fn register_operands_have_no_memory_accesses() {
    let shown = draw(&request("mma.d", "m16n8k16", "f32", "sm_80", "row"));
    assert_eq!((shown.address_rule, shown.global), (None, None));
}

#[test]
fn every_fragment_map_is_drawn_and_printed() {
    for target in [
        "sm_70", "sm_72", "sm_75", "sm_80", "sm_90", "sm_100", "sm_120",
    ] {
        let queries = all_fragments(Target::from_name(target).expect("a target"));
        assert!(!queries.is_empty(), "{target}");
        for query in queries {
            let request = FragmentRequest::from(&query);
            let shown = draw(&request);
            assert_eq!(shown.replaced, [] as [&str; 0], "{request:?}");
            let held = shown.cells.iter().map(|cell| cell.holders.len());
            let map = fragment(&query).expect("a map");
            assert_eq!(held.sum::<usize>(), map.holders().count(), "{request:?}");
            let view = crate::layouts::fragment::fragment(&request).expect("a view");
            let rows = crate::layouts::fragment::table(&view)
                .lines()
                .filter(|line| line.contains(" | "))
                .count();
            let n_rows = usize::from(map.rows) * usize::from(map.n_matrices);
            assert!(rows >= n_rows, "{request:?}: {rows} rows of {n_rows}");
            let drawn = crate::layouts::fragment::svg(&view)
                .matches("<rect")
                .count();
            assert!(drawn >= shown.cells.len(), "{request:?}: {drawn}");
        }
    }
}
