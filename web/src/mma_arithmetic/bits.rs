//! Terms of a block as aligned rows of binary digits, which distinguish retained and truncated bits.

use warpgrid_view::analysis::mma_explanation::AccumulationBlockView;

/// Maximum number of truncated digits that are shown for a term.
const MAX_CUT: usize = 28;

/// Row of binary digits for a term or for the sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitRow {
    /// Name of the row: `k = 3`, `accumulator` or `sum`.
    pub name: String,
    pub value: String,
    pub is_negative: bool,
    /// Placeholder zeros before the first significant digit.
    pub zeros: String,
    /// Digits that alignment retains.
    pub kept: String,
    /// Digits that alignment truncates.
    pub cut: String,
    /// Whether there are more truncated digits than the row shows.
    pub goes_on: bool,
}

/// Returns the rows of a block, with the sum as the last row. All rows have the same number of digits before the truncated digits.
pub fn bit_rows(block: &AccumulationBlockView) -> Vec<BitRow> {
    let magnitude = |text: &str| text.trim_start_matches('-').parse::<u64>().unwrap_or(0);
    let widest = block
        .terms
        .iter()
        .map(|term| magnitude(&term.aligned))
        .chain([magnitude(&block.sum)])
        .map(|units| 64 - units.leading_zeros() as usize)
        .max();
    // The width is at least the number of retained digits of the largest term.
    let width = widest.unwrap_or(0).max(usize::from(block.kept_bits) + 1);
    let row = |name: &str, value: &str, units: &str, cut: &str| {
        let digits = match magnitude(units) {
            0 => String::new(),
            units => format!("{units:b}"),
        };
        // Zeros before the first significant digit are shown only as placeholders.
        let shown: String = cut.chars().take(MAX_CUT).collect();
        BitRow {
            name: name.to_owned(),
            value: value.to_owned(),
            is_negative: units.starts_with('-') || digits.is_empty() && value.starts_with('-'),
            zeros: "0".repeat(width.saturating_sub(digits.len())),
            kept: digits,
            goes_on: cut.len() > MAX_CUT,
            cut: shown,
        }
    };
    let terms = block.terms.iter();
    terms
        .map(|term| row(&term.source, &term.value, &term.aligned, &term.cut))
        .chain([row("sum", "", &block.sum, "")])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mma_arithmetic::first_product;
    use warpgrid_view::analysis::mma_explanation::{MmaStepView, product};

    #[test]
    fn bit_rows_align_and_add_up_to_total() {
        let view = product(&first_product(Some("sm_80"))).expect("a product");
        let blocks = view.steps.iter().filter_map(|step| match step {
            MmaStepView::Block(block) => Some(block),
            MmaStepView::Operation(_) => None,
        });
        let mut n_cut = 0;
        for block in blocks {
            let rows = bit_rows(block);
            let width = rows[0].zeros.len() + rows[0].kept.len();
            assert!(width > usize::from(block.kept_bits));
            let units = |row: &BitRow| {
                let magnitude = i64::from_str_radix(&row.kept, 2).unwrap_or(0);
                if row.is_negative {
                    -magnitude
                } else {
                    magnitude
                }
            };
            let (sum, terms) = rows.split_last().expect("a sum");
            assert_eq!(terms.iter().map(units).sum::<i64>(), units(sum));
            for row in &rows {
                assert_eq!(row.zeros.len() + row.kept.len(), width);
                n_cut += usize::from(row.cut.contains('1'));
            }
        }
        assert!(n_cut > 0, "the first product loses bits");
    }
}
