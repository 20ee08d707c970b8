//! Memory search: the next cell that matches a value, an address or an element.

use warpgrid_view::session::memory_search::CellMatch;
use warpgrid_view::{Scenario, Session};

const KERNEL: &str = "//@ launch grid=1 block=4
//@ buffer x: f32[4] = 0, 7, 1.5, 7
//@ buffer out: u32[8] = iota
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 out)
{
    .shared .b32 tile[4];
    st.shared.u32 [tile+4], 7;
    ret;
}
";

fn found(text: &str, after: Option<&CellMatch>) -> Result<CellMatch, String> {
    let scenario = Scenario {
        source: KERNEL.to_owned(),
        ..Scenario::default()
    };
    let mut session = Session::new(scenario).unwrap_or_else(|error| panic!("{error:?}"));
    session.step();
    session.find(text, after)
}

fn cell(memory: &str, index: u64) -> CellMatch {
    CellMatch {
        memory: memory.into(),
        index,
    }
}

#[test]
fn value_search_cycles_through_matches_by_element_type() {
    let places = [
        cell("x", 1),
        cell("x", 3),
        cell("out", 7),
        cell("shared:0", 1),
        cell("x", 1),
    ];
    let mut last = None;
    for place in places {
        let next = found("7", last.as_ref());
        assert_eq!(next, Ok(place.clone()));
        last = Some(place);
    }
    assert_eq!(found("1.5", None), Ok(cell("x", 2)));
    assert_eq!(found("0x5", None), Ok(cell("out", 5)));
    // A search with only one match returns the same cell again.
    assert_eq!(found("1.5", Some(&cell("x", 2))), Ok(cell("x", 2)));
}

#[test]
fn search_resolves_element_and_address() {
    assert_eq!(found("out[6]", None), Ok(cell("out", 6)));
    assert_eq!(found("shared:0[2]", None), Ok(cell("shared:0", 2)));
    let scenario = Scenario {
        source: KERNEL.to_owned(),
        ..Scenario::default()
    };
    let mut session = Session::new(scenario).unwrap_or_else(|error| panic!("{error:?}"));
    let grid = session
        .grid_named("out", Default::default())
        .expect("a grid");
    let start =
        u64::from_str_radix(grid.memory.address.trim_start_matches("0x"), 16).expect("an address");
    assert_eq!(
        session.find(&format!("{:#x}", start + 13), None),
        Ok(cell("out", 3))
    );
}

#[test]
fn search_without_match_returns_message() {
    assert_eq!(
        found("77", None),
        Err("no memory location contains `77` at this step".to_owned())
    );
    assert_eq!(
        found("out[8]", None),
        Err("`out` has only the elements 0 to 7".to_owned())
    );
    assert_eq!(
        found("y[8]", None),
        Err("the launch has no buffer or variable `y`".to_owned())
    );
    assert!(found("", None).is_err());
    assert!(found("seven", None).is_err());
}
