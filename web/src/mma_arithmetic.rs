//! State of the Tensor Core arithmetic view, which explains why an accumulation differs from IEEE arithmetic: the request, the response of
//! the worker, and the terms of the response as rows of bits. `components::mma_arithmetic` renders this state.

mod bits;
mod link;

pub use bits::{BitRow, bit_rows};
pub use link::{read_link, write_link};

use crate::protocol::ProductAnswer;
use std::rc::Rc;
use warpgrid_view::analysis::mma_explanation::MmaRequest;
use warpgrid_view::model::MatrixStep;

/// Settings of the view and the last response of the worker.
#[derive(Clone, Debug, PartialEq)]
pub struct MmaArithmeticState {
    pub request: MmaRequest,
    pub answer: Option<Rc<ProductAnswer>>,
    /// ID of the pending request to the worker.
    pub asked: u32,
}

/// Returns a matrix multiplication whose result visibly differs from IEEE arithmetic: it has small terms and one large term.
pub fn first_product(target: Option<&str>) -> MmaRequest {
    let target = target.unwrap_or("sm_80");
    MmaRequest {
        op: "mma".into(),
        shape: "m16n8k16".into(),
        types: ["f16", "f16", "f32", "f32"].map(str::to_owned).into(),
        target: target
            .trim_end_matches(|last: char| last.is_ascii_lowercase())
            .to_owned(),
        a: ["1.5", "0.000244140625", "-0.000732421875", "0.25"]
            .into_iter()
            .chain(["0.000244140625"; 12])
            .map(str::to_owned)
            .collect(),
        b: ["4", "0.00048828125", "0.00048828125", "0.125"]
            .into_iter()
            .chain(["0.00048828125"; 12])
            .map(str::to_owned)
            .collect(),
        c: Some("8".into()),
    }
}

/// Returns the request for an element of D in a run, which is identified by its cell index in D. The request contains the operands of the
/// element.
pub fn product_of(step: &MatrixStep, cell: usize) -> Option<MmaRequest> {
    let of = |name: &str| step.operands.iter().find(|operand| operand.name == name);
    let (a, b, c, d) = (of("A")?, of("B")?, of("C")?, of("D")?);
    let [rows, columns] = [d.rows, d.columns].map(usize::from);
    let (matrix, row, column) = (
        cell.checked_div(columns * rows)?,
        cell / columns % rows,
        cell % columns,
    );
    let depth = usize::from(a.columns);
    let value = |cells: &[warpgrid_view::model::ElementView], at: usize| {
        cells.get(at).map(|found| match found.value.as_str() {
            // The bit pattern is necessary to identify the NaN.
            "NaN" => found.bits.clone(),
            value => value.to_owned(),
        })
    };
    let row_of_a = (0..depth).map(|k| value(&a.cells, (matrix * rows + row) * depth + k));
    let column_of_b = (0..depth).map(|k| value(&b.cells, (matrix * depth + k) * columns + column));
    Some(MmaRequest {
        a: row_of_a.collect::<Option<_>>()?,
        b: column_of_b.collect::<Option<_>>()?,
        c: Some(value(&c.cells, cell)?),
        ..step.product.as_ref()?.request.clone()
    })
}

/// Sets an element of A or B. Elements that are missing before it become zero.
pub fn set_element(elements: &mut Vec<String>, at: usize, text: String) {
    if elements.len() <= at {
        elements.resize(at + 1, "0".to_owned());
    }
    if let Some(element) = elements.get_mut(at) {
        *element = text;
    }
}

/// Returns the depth of a shape such as `m16n8k16`.
pub fn depth_of(shape: &str) -> usize {
    let depth = shape.rsplit_once('k').and_then(|(_, k)| k.parse().ok());
    depth.unwrap_or(0).min(64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpgrid_view::analysis::mma_explanation::product;

    #[test]
    fn default_mma_result_differs_from_single_rounding() {
        for target in ["sm_80", "sm_90", "sm_100"] {
            let view = product(&first_product(Some(target))).expect("a product");
            let exact = view.single_rounding_result.expect("finite terms");
            assert_ne!(exact.bits, view.result.bits, "{target}");
            assert!(view.generations.len() > 1, "{target}");
        }
    }

    #[test]
    fn set_element_beyond_end_pads_with_zeros() {
        let mut elements = vec!["1".to_owned()];
        set_element(&mut elements, 2, "3".to_owned());
        assert_eq!(elements, ["1", "0", "3"]);
        assert_eq!((depth_of("m16n8k16"), depth_of("m8n8")), (16, 0));
    }
}
