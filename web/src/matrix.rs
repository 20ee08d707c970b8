//! The matrix view: which lane and register holds which element of a fragment, and where the element lies in memory.
//!
//! Everything here is plain data and geometry; `components::matrix` shows it.

mod layout_plan;
mod link;
mod plan;
mod questions;
mod tile_plan;

pub use layout_plan::{grid_plan, layout_owner, layout_position, place_plan, place_title};
pub use link::{layout_link, read_link, write_link};
pub use plan::{Mark, Plan, Raster, fragment_plan, matrix_plan, memory_plan};
pub use questions::{Question, questions};
pub use tile_plan::{Arrangement, piece_words, tile_plan};

use std::rc::Rc;
use warpgrid_view::layouts::fragment::{CellHolder, FragmentPicture, FragmentRequest};
use warpgrid_view::layouts::tensor::LayoutPicture;
use warpgrid_view::model::MatrixOperand;

/// The view as it is set, and what the core has said of it.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixPage {
    pub choice: MatrixChoice,
    /// One for the target, and one for the target beside it.
    pub pictures: Rc<Vec<FragmentPicture>>,
    /// What is shown instead of fragments: where elements of a tensor instruction lie.
    pub layout: Option<Rc<LayoutPicture>>,
    /// The request whose answer is awaited.
    pub asked: u32,
    pub labels: CellLabels,
    pub hover: Option<MatrixFocus>,
    pub pinned: Option<MatrixFocus>,
}

/// What is set, and what a link holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatrixChoice {
    pub request: FragmentRequest,
    /// Bytes between a boundary of 256 bytes and the start of the matrix.
    pub base_bytes: u64,
    /// The target whose map is shown beside.
    pub beside: Option<String>,
    /// Nothing but the view: for a frame in another page.
    pub embedded: bool,
    /// Parts of the link that it was read from which mean nothing here.
    pub unread: Vec<String>,
}

/// What the cells of the matrix say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CellLabels {
    /// Lane, and register with position.
    #[default]
    Holder,
    /// Bytes from the start of the matrix.
    Address,
}

/// What the pointer or the keyboard is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixFocus {
    /// A cell of a picture.
    Cell {
        picture: usize,
        cell: usize,
    },
    Lane(u8),
    /// A register of a lane.
    Register {
        lane: u8,
        register: u8,
    },
}

impl MatrixChoice {
    /// Where a person begins who looks at a text for `target`: the store of an accumulator.
    pub fn of_target(target: Option<&str>) -> MatrixChoice {
        MatrixChoice::of_fragment(FragmentRequest {
            op: "store.d".into(),
            shape: "m16n16k16".into(),
            ty: "f32".into(),
            target: target.unwrap_or("sm_80").into(),
            ..FragmentRequest::default()
        })
    }

    /// A fragment by itself; the features of its target do not matter.
    pub fn of_fragment(mut request: FragmentRequest) -> MatrixChoice {
        let target = &mut request.target;
        target.truncate(
            target
                .trim_end_matches(|last: char| last.is_ascii_lowercase())
                .len(),
        );
        MatrixChoice {
            request,
            ..MatrixChoice::default()
        }
    }
}

impl MatrixPage {
    /// The view of a choice, before the core has answered.
    pub fn new(choice: MatrixChoice) -> MatrixPage {
        MatrixPage {
            choice,
            pictures: Rc::default(),
            layout: None,
            asked: 0,
            labels: CellLabels::default(),
            hover: None,
            pinned: None,
        }
    }

    /// The pointer before the pin.
    pub fn focus(&self) -> Option<MatrixFocus> {
        self.hover.or(self.pinned)
    }

    /// The lane in focus.
    pub fn lane(&self) -> Option<u8> {
        match self.focus()? {
            MatrixFocus::Lane(lane) | MatrixFocus::Register { lane, .. } => Some(lane),
            MatrixFocus::Cell { picture, cell } => {
                let cell = self.pictures.get(picture)?.cells.get(cell)?;
                cell.holders.first().map(|holder| holder.lane)
            }
        }
    }

    /// Cells of what is shown at an index.
    pub fn n_cells(&self, index: usize) -> usize {
        match self.layout.as_ref().and_then(|layout| layout.view.as_ref()) {
            Some(view) => (view.rows * view.columns) as usize,
            None => self
                .pictures
                .get(index)
                .map_or(0, |picture| picture.cells.len()),
        }
    }

    /// Whether a cell of what is shown at an index belongs to what is in focus.
    pub fn is_lit_at(&self, index: usize, cell: usize) -> bool {
        if let Some(view) = self.layout.as_ref().and_then(|layout| layout.view.as_ref()) {
            return match self.focus() {
                Some(MatrixFocus::Cell { cell: focus, .. }) => {
                    let owner = layout_owner(view, focus);
                    owner.is_some() && owner == layout_owner(view, cell)
                }
                Some(MatrixFocus::Lane(_) | MatrixFocus::Register { .. }) | None => false,
            };
        }
        let picture = self.pictures.get(index);
        picture.is_some_and(|picture| self.is_lit(picture, cell))
    }

    /// Whether a cell of a picture belongs to what is in focus: to the same lane, or the same register of a lane.
    pub fn is_lit(&self, picture: &FragmentPicture, cell: usize) -> bool {
        let holders = picture.cells.get(cell).map(|cell| &cell.holders[..]);
        let any = |test: &dyn Fn(&CellHolder) -> bool| holders.unwrap_or(&[]).iter().any(test);
        match self.focus() {
            None => false,
            Some(MatrixFocus::Register { lane, register }) => {
                any(&|holder| (holder.lane, holder.register) == (lane, register))
            }
            Some(MatrixFocus::Cell { .. } | MatrixFocus::Lane(_)) => {
                let lane = self.lane();
                any(&|holder| Some(holder.lane) == lane)
            }
        }
    }
}

/// `r3`, or `r3.1` where a register holds several elements.
pub fn register_label(picture: &FragmentPicture, holder: &CellHolder) -> String {
    if picture.elements_per_register > 1 {
        format!("r{}.{}", holder.register, holder.element)
    } else {
        format!("r{}", holder.register)
    }
}

/// Matrix, row and column of a cell.
pub fn position(picture: &FragmentPicture, cell: usize) -> (usize, usize, usize) {
    let (rows, columns) = (
        usize::from(picture.rows.max(1)),
        usize::from(picture.columns.max(1)),
    );
    (cell / columns / rows, cell / columns % rows, cell % columns)
}

/// Where an element lies, counted from the start of the matrix: `byte 56`, or `byte 3, bits 4 to 7`.
pub fn offset_text(offset_bits: u64, element_bits: u32) -> String {
    let (byte, bit) = (offset_bits / 8, offset_bits % 8);
    match element_bits {
        1 => format!("byte {byte}, bit {bit}"),
        bits if bits < 8 => format!("byte {byte}, bits {bit} to {}", bit + u64::from(bits) - 1),
        _ => format!("byte {byte}"),
    }
}

/// A cell in words.
pub fn describe(picture: &FragmentPicture, cell: usize) -> Option<String> {
    let (matrix, row, column) = position(picture, cell);
    let found = picture.cells.get(cell)?;
    let holder = |holder: &CellHolder| {
        let packed = match picture.elements_per_register {
            1 => String::new(),
            _ => format!(", element {}", holder.element),
        };
        format!("lane {}, register {}{packed}", holder.lane, holder.register)
    };
    let holders: Vec<String> = found.holders.iter().map(holder).collect();
    let of_matrix = match picture.n_matrices {
        1 => String::new(),
        _ => format!("matrix {matrix}, "),
    };
    let place = picture.address_rule.as_ref().map_or_else(String::new, |_| {
        format!(
            "; offset: {}",
            offset_text(found.offset_bits, picture.element_bits)
        )
    });
    Some(format!(
        "{of_matrix}row {row}, column {column}: {}{place}",
        holders.join("; ")
    ))
}

/// An element of a matrix of a run, in words.
pub fn element_words(operand: &MatrixOperand, cell: usize) -> Option<String> {
    let element = operand.cells.get(cell)?;
    let (rows, columns) = (
        usize::from(operand.rows.max(1)),
        usize::from(operand.columns.max(1)),
    );
    let (row, column) = (cell / columns % rows, cell % columns);
    let holder = |holder: &CellHolder| {
        let name = operand.registers.get(usize::from(holder.register));
        let packed = match operand.elements_per_register {
            1 => String::new(),
            _ => format!(", element {}", holder.element),
        };
        let name = name.map_or("constant", String::as_str);
        format!("lane {}, {name}{packed}", holder.lane)
    };
    let holders: Vec<String> = element.holders.iter().map(holder).collect();
    let place = element.memory.as_ref().zip(element.offset);
    let place = place.map_or_else(String::new, |(memory, offset)| {
        format!("; byte {offset} of {memory}")
    });
    Some(format!(
        "{}[{row}][{column}] = {}: {}{place}",
        operand.name,
        element.value,
        holders.join("; ")
    ))
}

#[cfg(test)]
pub(crate) mod fixture {
    use super::*;
    use warpgrid_view::layouts::fragment::picture;

    /// `wmma.store.d.m16n16k16.f32` on `sm_80`.
    pub(crate) fn store_d() -> FragmentPicture {
        let request = FragmentRequest {
            op: "store.d".into(),
            shape: "m16n16k16".into(),
            ty: "f32".into(),
            target: "sm_80".into(),
            ..FragmentRequest::default()
        };
        picture(&request, 0).expect("the tables hold it")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(focus: MatrixFocus) -> MatrixPage {
        MatrixPage {
            pictures: Rc::new(vec![fixture::store_d()]),
            hover: Some(focus),
            ..MatrixPage::new(MatrixChoice::default())
        }
    }

    fn lit(page: &MatrixPage) -> Vec<usize> {
        let picture = &page.pictures[0];
        (0..picture.cells.len())
            .filter(|cell| page.is_lit(picture, *cell))
            .collect()
    }

    #[test]
    fn a_cell_lights_all_elements_of_its_lane() {
        // Lane 1 of a group holds columns 2 and 3 of row 0, and its other elements 8 rows and columns further.
        let page = page(MatrixFocus::Cell {
            picture: 0,
            cell: 2,
        });
        assert_eq!(page.lane(), Some(1));
        assert_eq!(lit(&page), [2, 3, 10, 11, 130, 131, 138, 139]);
    }

    #[test]
    fn a_register_lights_its_elements_only() {
        let page = page(MatrixFocus::Register {
            lane: 1,
            register: 1,
        });
        assert_eq!(lit(&page), [3]);
    }

    #[test]
    fn a_cell_is_described_in_words() {
        let picture = fixture::store_d();
        assert_eq!(
            describe(&picture, 18).as_deref(),
            Some("row 1, column 2: lane 5, register 0; offset: byte 72")
        );
        assert_eq!(describe(&picture, 256), None);
    }

    #[test]
    fn an_element_of_a_run_is_said_in_words() {
        let step = crate::model::fixture::matrix_step();
        assert_eq!(
            element_words(&step.operands[0], 1).as_deref(),
            Some("D[0][1] = 1: lane 1, %r2; byte 4 of out")
        );
    }

    #[test]
    fn parts_of_a_byte_are_named() {
        assert_eq!(offset_text(28, 4), "byte 3, bits 4 to 7");
        assert_eq!(offset_text(9, 1), "byte 1, bit 1");
        assert_eq!(offset_text(64, 16), "byte 8");
    }
}
