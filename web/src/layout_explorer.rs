//! State of the Layout Explorer: the lane and the register that hold each element of a fragment, and the memory address of each element.
//!
//! This module contains only plain data and geometry, which `components::layout_explorer` renders.

mod display_list;
mod faq;
mod layout_plan;
mod link;
mod tile_plan;

pub use display_list::{CellBox, DisplayList, Raster, fragment_plan, matrix_plan, memory_plan};
pub use faq::{FaqEntry, questions};
pub use layout_plan::{
    holder_group, location_display_list, location_title, matrix_display_list, row_and_column,
};
pub use link::{layout_link, read_link, write_link};
pub use tile_plan::{Arrangement, chunk_description, tile_plan};

use std::rc::Rc;
use warpgrid_view::layouts::fragment::{CellHolder, FragmentPicture, FragmentRequest};
use warpgrid_view::layouts::tensor::LayoutPicture;
use warpgrid_view::model::MatrixOperandView;

/// Settings of the Layout Explorer, and the last responses of the worker.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutExplorerState {
    pub choice: LayoutQuery,
    /// Diagram of the fragment for the selected target. If two targets are compared, also the diagram for the other target.
    pub pictures: Rc<Vec<FragmentPicture>>,
    /// Layout of a tensor instruction, which is shown in place of the fragments.
    pub layout: Option<Rc<LayoutPicture>>,
    /// ID of the pending request to the worker.
    pub asked: u32,
    pub labels: CellLabels,
    pub hover: Option<LayoutFocus>,
    pub pinned: Option<LayoutFocus>,
}

/// Settings that a link to the Layout Explorer contains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayoutQuery {
    pub request: FragmentRequest,
    /// Offset of the matrix from a 256-byte boundary.
    pub base_bytes: u64,
    /// Second target, with which the selected target is compared.
    pub beside: Option<String>,
    /// Whether the page shows only the Layout Explorer, because it is embedded in a frame of another page.
    pub embedded: bool,
    /// Parameters of the link whose names or values are unknown.
    pub unknown_parameters: Vec<String>,
    /// Whether the settings come from a link that the worker has not answered yet.
    pub is_unanswered_link: bool,
}

/// Texts that the cells of the matrix contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CellLabels {
    /// Lane and register that hold the element, with the position in the register.
    #[default]
    Holder,
    /// Byte offset of the element from the start of the matrix.
    Address,
}

/// Cell or register under the pointer or with the keyboard focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayoutFocus {
    /// Cell of a diagram.
    Cell {
        picture: usize,
        cell: usize,
    },
    Lane(u8),
    /// Register of a lane.
    Register {
        lane: u8,
        register: u8,
    },
}

impl LayoutQuery {
    /// Returns the initial settings for a source with the given target, which show the store of an accumulator.
    pub fn of_target(target: Option<&str>) -> LayoutQuery {
        LayoutQuery::of_fragment(FragmentRequest {
            op: "store.d".into(),
            shape: "m16n16k16".into(),
            ty: "f32".into(),
            target: target.unwrap_or("sm_80").into(),
            ..FragmentRequest::default()
        })
    }

    /// Returns the settings for a fragment. The feature suffix of the target is removed, because it does not affect the layout.
    pub fn of_fragment(mut request: FragmentRequest) -> LayoutQuery {
        let target = &mut request.target;
        target.truncate(
            target
                .trim_end_matches(|last: char| last.is_ascii_lowercase())
                .len(),
        );
        LayoutQuery {
            request,
            ..LayoutQuery::default()
        }
    }
}

impl LayoutQuery {
    /// Replaces the request with the request that the worker answered. Values of a link that the worker replaced with default values
    /// become unknown parameters.
    pub fn complete(&mut self, answered: &FragmentRequest) {
        if std::mem::take(&mut self.is_unanswered_link) {
            let linked = &self.request;
            let layout = |request: &FragmentRequest| request.layout.clone().unwrap_or_default();
            // The worker answers for the target without its feature suffix.
            let is_same_target = linked.target.starts_with(&answered.target);
            let values = [
                ("op", linked.op.clone(), linked.op == answered.op),
                (
                    "shape",
                    linked.shape.clone(),
                    linked.shape == answered.shape,
                ),
                ("type", linked.ty.clone(), linked.ty == answered.ty),
                ("target", linked.target.clone(), is_same_target),
                ("layout", layout(linked), layout(linked) == layout(answered)),
            ];
            let replaced = values
                .into_iter()
                .filter(|(_, value, is_same)| !value.is_empty() && !is_same)
                .map(|(name, value, _)| format!("{name}={value}"));
            self.unknown_parameters.extend(replaced);
        }
        self.request = answered.clone();
    }
}

impl LayoutExplorerState {
    /// Returns the state before the first response of the worker.
    pub fn new(choice: LayoutQuery) -> LayoutExplorerState {
        LayoutExplorerState {
            choice,
            pictures: Rc::default(),
            layout: None,
            asked: 0,
            labels: CellLabels::default(),
            hover: None,
            pinned: None,
        }
    }

    /// Returns the focus of the pointer, or otherwise the pinned focus.
    pub fn focus(&self) -> Option<LayoutFocus> {
        self.hover.or(self.pinned)
    }

    /// Returns the lane that has the focus.
    pub fn lane(&self) -> Option<u8> {
        match self.focus()? {
            LayoutFocus::Lane(lane) | LayoutFocus::Register { lane, .. } => Some(lane),
            LayoutFocus::Cell { picture, cell } => {
                let cell = self.pictures.get(picture)?.cells.get(cell)?;
                cell.holders.first().map(|holder| holder.lane)
            }
        }
    }

    /// Returns the number of cells in the diagram with an index.
    pub fn n_cells(&self, index: usize) -> usize {
        match self.layout.as_ref().and_then(|layout| layout.view.as_ref()) {
            Some(view) => (view.rows * view.columns) as usize,
            None => self
                .pictures
                .get(index)
                .map_or(0, |picture| picture.cells.len()),
        }
    }

    /// Checks whether a cell in the diagram with an index is highlighted.
    pub fn is_lit_at(&self, index: usize, cell: usize) -> bool {
        if let Some(view) = self.layout.as_ref().and_then(|layout| layout.view.as_ref()) {
            return match self.focus() {
                Some(LayoutFocus::Cell { cell: focus, .. }) => {
                    let owner = holder_group(view, focus);
                    owner.is_some() && owner == holder_group(view, cell)
                }
                Some(LayoutFocus::Lane(_) | LayoutFocus::Register { .. }) | None => false,
            };
        }
        let picture = self.pictures.get(index);
        picture.is_some_and(|picture| self.is_highlighted(picture, cell))
    }

    /// Checks whether a fragment cell is highlighted because the focus has the same lane, or the same register of a lane.
    pub fn is_highlighted(&self, picture: &FragmentPicture, cell: usize) -> bool {
        let holders = picture.cells.get(cell).map(|cell| &cell.holders[..]);
        let any = |test: &dyn Fn(&CellHolder) -> bool| holders.unwrap_or(&[]).iter().any(test);
        match self.focus() {
            None => false,
            Some(LayoutFocus::Register { lane, register }) => {
                any(&|holder| (holder.lane, holder.register) == (lane, register))
            }
            Some(LayoutFocus::Cell { .. } | LayoutFocus::Lane(_)) => {
                let lane = self.lane();
                any(&|holder| Some(holder.lane) == lane)
            }
        }
    }
}

/// Returns `r3`, or `r3.1` if a register holds several elements.
pub fn register_label(picture: &FragmentPicture, holder: &CellHolder) -> String {
    if picture.elements_per_register > 1 {
        format!("r{}.{}", holder.register, holder.element)
    } else {
        format!("r{}", holder.register)
    }
}

/// Returns the matrix, the row and the column of a fragment cell.
pub fn position(picture: &FragmentPicture, cell: usize) -> (usize, usize, usize) {
    let (rows, columns) = (
        usize::from(picture.rows.max(1)),
        usize::from(picture.columns.max(1)),
    );
    (cell / columns / rows, cell / columns % rows, cell % columns)
}

/// Formats an offset from the start of the matrix: `byte 56`, or `byte 3, bits 4 to 7`.
pub fn offset_text(offset_bits: u64, element_bits: u32) -> String {
    let (byte, bit) = (offset_bits / 8, offset_bits % 8);
    match element_bits {
        1 => format!("byte {byte}, bit {bit}"),
        bits if bits < 8 => format!("byte {byte}, bits {bit} to {}", bit + u64::from(bits) - 1),
        _ => format!("byte {byte}"),
    }
}

/// Describes a cell of a fragment in a sentence.
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

/// Describes one element of a matrix operand of the executed instruction.
pub fn element_description(operand: &MatrixOperandView, cell: usize) -> Option<String> {
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

    /// Returns the fragment of `wmma.store.d.m16n16k16.f32` on `sm_80`.
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

    fn page(focus: LayoutFocus) -> LayoutExplorerState {
        LayoutExplorerState {
            pictures: Rc::new(vec![fixture::store_d()]),
            hover: Some(focus),
            ..LayoutExplorerState::new(LayoutQuery::default())
        }
    }

    fn highlight_canvas(page: &LayoutExplorerState) -> Vec<usize> {
        let picture = &page.pictures[0];
        (0..picture.cells.len())
            .filter(|cell| page.is_highlighted(picture, *cell))
            .collect()
    }

    #[test]
    fn cell_highlights_all_elements_of_lane() {
        // Lane 1 of a group holds columns 2 and 3 of row 0. Its other elements are 8 rows and 8 columns further.
        let page = page(LayoutFocus::Cell {
            picture: 0,
            cell: 2,
        });
        assert_eq!(page.lane(), Some(1));
        assert_eq!(highlight_canvas(&page), [2, 3, 10, 11, 130, 131, 138, 139]);
    }

    #[test]
    fn register_highlights_only_own_elements() {
        let page = page(LayoutFocus::Register {
            lane: 1,
            register: 1,
        });
        assert_eq!(highlight_canvas(&page), [3]);
    }

    #[test]
    fn cell_description_has_position_holder_and_offset() {
        let picture = fixture::store_d();
        assert_eq!(
            describe(&picture, 18).as_deref(),
            Some("row 1, column 2: lane 5, register 0; offset: byte 72")
        );
        assert_eq!(describe(&picture, 256), None);
    }

    #[test]
    fn element_description_has_value_holder_and_offset() {
        let step = crate::model::fixture::matrix_step();
        assert_eq!(
            element_description(&step.operands[0], 1).as_deref(),
            Some("D[0][1] = 1: lane 1, %r2; byte 4 of out")
        );
    }

    #[test]
    fn sub_byte_offsets_name_bits() {
        assert_eq!(offset_text(28, 4), "byte 3, bits 4 to 7");
        assert_eq!(offset_text(9, 1), "byte 1, bit 1");
        assert_eq!(offset_text(64, 16), "byte 8");
    }
}
