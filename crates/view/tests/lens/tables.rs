//! Published tables of linear layouts in `tables.txt`: each table is compared with the diagram, element by element.

use warpgrid_view::layouts::fragment::{FragmentRequest, fragment};
use warpgrid_view::layouts::tensor::{has_layout, layout};

type Element = (u32, u32);

/// Table with the elements of the bits of each input, or `None` for bits without an element.
struct Table<'t> {
    name: &'t str,
    request: FragmentRequest,
    inputs: Vec<(&'t str, Vec<Option<Element>>)>,
}

fn read(line: &str) -> Table<'_> {
    let mut parts = line.split('|').map(str::trim);
    let name = parts.next().expect("a name");
    let mut request = FragmentRequest {
        target: "sm_90".to_owned(),
        ..FragmentRequest::default()
    };
    for word in parts.next().expect("a request").split_whitespace() {
        let (name, value) = word.split_once('=').expect("NAME=VALUE");
        match name {
            "op" => request.op = value.to_owned(),
            "shape" => request.shape = value.to_owned(),
            "type" => request.ty = value.to_owned(),
            _ => drop(request.with.insert(name.to_owned(), value.to_owned())),
        }
    }
    let element = |text: &str| {
        let (row, column) = text.split_once(',')?;
        Some((
            row.parse().expect("a row"),
            column.parse().expect("a column"),
        ))
    };
    let inputs = parts.map(|part| {
        let mut words = part.split_whitespace();
        let input = words.next().expect("an input");
        (input, words.map(element).collect())
    });
    Table {
        name,
        request,
        inputs: inputs.collect(),
    }
}

/// Numbers of a location, and the element at the location.
type Placed = (Vec<u32>, Element);

/// Returns the numbers of each location (in the order of the inputs of the table) and the element, according to this crate.
fn drawn(table: &Table<'_>) -> ((u32, u32), Vec<Placed>) {
    let of_lanes = |lanes: &[Vec<Vec<Element>>]| {
        let mut found = Vec::new();
        for (thread, registers) in lanes.iter().enumerate() {
            for (at, element) in registers.iter().flatten().enumerate() {
                let (lane, warp) = (thread as u32 % 32, thread as u32 / 32);
                found.push((vec![at as u32, lane, warp], *element));
            }
        }
        found
    };
    if !has_layout(&table.request.op) {
        let view = fragment(&table.request).expect(table.name);
        let lanes: Vec<Vec<Vec<Element>>> = view
            .lanes
            .iter()
            .map(|registers| {
                let registers = registers.iter().map(|register| {
                    let elements = register
                        .iter()
                        .map(|[row, column]| (u32::from(*row), u32::from(*column)));
                    elements.collect()
                });
                registers.collect()
            })
            .collect();
        return ((view.rows.into(), view.cols.into()), of_lanes(&lanes));
    }
    let view = layout(&table.request).expect(table.name);
    let size = (view.rows, view.columns);
    if let Some(lanes) = &view.lanes {
        let lanes: Vec<Vec<Vec<Element>>> = lanes
            .iter()
            .map(|registers| {
                let registers = registers.iter().map(|register| {
                    register
                        .iter()
                        .map(|[row, column]| (*row, *column))
                        .collect()
                });
                registers.collect()
            })
            .collect();
        return (size, of_lanes(&lanes));
    }
    let bytes = (view.element_bits / 8).max(1);
    let mut found = Vec::new();
    for (row, cells) in view.grid.iter().enumerate() {
        for (column, places) in cells.iter().enumerate() {
            for place in places {
                let numbers = match view.place[0].as_str() {
                    "byte" => vec![place[0] / bytes],
                    "block" => place[1..].to_vec(),
                    _ => place.clone(),
                };
                found.push((numbers, (row as u32, column as u32)));
            }
        }
    }
    (size, found)
}

/// Returns the element at a location according to the table, or `None` if a bit is outside of the tile or has no element.
fn expected(table: &Table<'_>, place: &[u32], size: (u32, u32)) -> Option<Element> {
    let mut element = (0, 0);
    for ((_, bases), number) in table.inputs.iter().zip(place) {
        let own = bases
            .iter()
            .filter(|base| base.is_none_or(|(row, column)| row < size.0 && column < size.1));
        let own: Vec<Option<Element>> = own.copied().collect();
        if number >> own.len() != 0 {
            return None;
        }
        for (bit, base) in own.iter().enumerate() {
            if number >> bit & 1 != 0 {
                let (row, column) = (*base)?;
                element = (element.0 ^ row, element.1 ^ column);
            }
        }
    }
    Some(element)
}

#[test]
fn drawn_layouts_match_external_tables() {
    let text = include_str!("tables.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let mut n = 0;
    for line in lines {
        let table = read(line);
        let (size, drawn) = drawn(&table);
        let mut n_compared = 0;
        for (place, element) in drawn {
            let Some(expected) = expected(&table, &place, size) else {
                // Only a tile that is larger than the table continues beyond it.
                let is_beyond = table.inputs.len() == 1;
                assert!(is_beyond, "{}: {place:?} is in no table", table.name);
                continue;
            };
            assert_eq!(element, expected, "{}: {place:?}", table.name);
            n_compared += 1;
        }
        let n_bits: usize = table.inputs.iter().map(|(_, bases)| bases.len()).sum();
        assert!(
            n_compared >= 64,
            "{}: {n_compared} of 2^{n_bits}",
            table.name
        );
        n += 1;
    }
    assert_eq!(n, 22);
}
