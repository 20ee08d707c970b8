//! Result of a request for element locations, which is a fragment map, the layout of a tensor instruction, or a diagram of the layout
//! inspector. Hosts serialize the result as data, or format it as a text table or as a drawing.

use crate::layouts::fragment;
use crate::layouts::fragment::FragmentView;
use crate::layouts::fragment::request::{FragmentRequest, FragmentRequestError};
use crate::layouts::inspector::picture;
use crate::layouts::tensor;
use crate::layouts::tensor::LayoutView;
use serde::Serialize;

/// Locations of the elements of a matrix or layout, which hosts request and display.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum ElementMap {
    /// Locations of fragment elements in the registers of the lanes of a warp.
    Fragment(Box<FragmentView>),
    /// Locations of elements in registers of a warpgroup, in shared memory, in tensor memory, or according to a layout expression.
    Layout(Box<LayoutView>),
}

impl ElementMap {
    /// Returns the element locations that `request` describes.
    pub fn new(request: &FragmentRequest) -> Result<ElementMap, FragmentRequestError> {
        let map = if tensor::has_layout(&request.op) {
            ElementMap::Layout(Box::new(tensor::layout(request)?))
        } else if picture::has_picture(&request.op) {
            ElementMap::Layout(Box::new(picture::layout(request)?))
        } else {
            ElementMap::Fragment(Box::new(fragment::fragment(request)?))
        };
        Ok(map)
    }

    /// Formats the element locations as a text table.
    pub fn table(&self) -> String {
        match self {
            ElementMap::Fragment(view) => fragment::table(view),
            ElementMap::Layout(view) => tensor::table(view),
        }
    }

    /// Formats the element locations as an SVG drawing.
    pub fn svg(&self) -> String {
        match self {
            ElementMap::Fragment(view) => fragment::svg(view),
            ElementMap::Layout(view) => tensor::svg(view),
        }
    }

    /// Returns the number of cells in the drawing. For a layout, the number depends on the request. For a fragment, the result is 0.
    pub(crate) fn n_cells(&self) -> u32 {
        match self {
            ElementMap::Fragment(_) => 0,
            ElementMap::Layout(view) => view.rows.saturating_mul(view.columns),
        }
    }
}
