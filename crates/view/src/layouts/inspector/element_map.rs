//! Where elements lie, for any operation that has an answer: the map of a fragment, the layout of a tensor instruction, or a picture of the
//! lens. In: a request; out: one value that is written as data, as a table or as a drawing.

use crate::layouts::fragment;
use crate::layouts::fragment::FragmentView;
use crate::layouts::fragment::request::{FragmentRefusal, FragmentRequest};
use crate::layouts::inspector::picture;
use crate::layouts::tensor;
use crate::layouts::tensor::LayoutView;
use serde::Serialize;

/// Where elements lie.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Map {
    /// In lanes and registers of a warp.
    Fragment(Box<FragmentView>),
    /// In registers of a warpgroup, in shared memory, in tensor memory, or by a layout that is written.
    Layout(Box<LayoutView>),
}

impl Map {
    /// The map that a request asks for.
    pub fn new(request: &FragmentRequest) -> Result<Map, FragmentRefusal> {
        let map = if tensor::has_layout(&request.op) {
            Map::Layout(Box::new(tensor::layout(request)?))
        } else if picture::has_picture(&request.op) {
            Map::Layout(Box::new(picture::layout(request)?))
        } else {
            Map::Fragment(Box::new(fragment::fragment(request)?))
        };
        Ok(map)
    }

    /// As a table of text.
    pub fn table(&self) -> String {
        match self {
            Map::Fragment(view) => fragment::table(view),
            Map::Layout(view) => tensor::table(view),
        }
    }

    /// As a drawing.
    pub fn svg(&self) -> String {
        match self {
            Map::Fragment(view) => fragment::svg(view),
            Map::Layout(view) => tensor::svg(view),
        }
    }

    /// Cells of the drawing of a layout, whose size a request may choose.
    pub(crate) fn n_cells(&self) -> u32 {
        match self {
            Map::Fragment(_) => 0,
            Map::Layout(view) => view.rows.saturating_mul(view.columns),
        }
    }
}
