//! Text form of linear layouts in the notation of Triton: `{register = [[0, 1], [8, 0]], lane = [[1, 0]]}`. Bases
//! of a single output dimension are numbers.

use crate::linear::{Dimension, LinearLayout};
use std::fmt;

impl fmt::Display for LinearLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        let mut bases = self.bases().iter();
        for (at, input) in self.inputs.iter().enumerate() {
            if at > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{} = [", input.name)?;
            for bit in 0..input.bits {
                if bit > 0 {
                    f.write_str(", ")?;
                }
                let base = bases.next().copied().unwrap_or(0);
                write_output(f, &self.split(base))?;
            }
            f.write_str("]")?;
        }
        f.write_str("}")
    }
}

fn write_output(f: &mut fmt::Formatter<'_>, parts: &[u64]) -> fmt::Result {
    match parts {
        [one] => write!(f, "{one}"),
        many => {
            let many: Vec<String> = many.iter().map(u64::to_string).collect();
            write!(f, "[{}]", many.join(", "))
        }
    }
}

/// Creates a linear layout from the name and the bases of each input dimension. The number of bits of an output
/// dimension is the smallest number that its bases need.
pub(crate) fn of_written(
    written: &[(String, Vec<Vec<u64>>)],
) -> Result<LinearLayout, crate::LayoutError> {
    let n_outputs = written
        .iter()
        .flat_map(|(_, bases)| bases)
        .map(Vec::len)
        .max()
        .unwrap_or(1);
    let mut widths = vec![0u32; n_outputs];
    for base in written.iter().flat_map(|(_, bases)| bases) {
        for (width, part) in widths.iter_mut().zip(base) {
            *width = (*width).max(64 - part.leading_zeros());
        }
    }
    let inputs = written
        .iter()
        .map(|(name, bases)| Dimension::new(name.clone(), bases.len() as u32));
    let outputs = widths
        .iter()
        .enumerate()
        .map(|(at, width)| match n_outputs {
            1 => Dimension::new("offset", *width),
            _ => Dimension::new(format!("dim{at}"), *width),
        });
    if widths.iter().sum::<u32>() > 48 {
        return Err(crate::LayoutError::of("the bases need more than 48 bits"));
    }
    let joined = |base: &Vec<u64>| {
        let mut shift = 0;
        let parts = base.iter().zip(&widths).map(|(part, width)| {
            let placed = part << shift;
            shift += width;
            placed
        });
        parts.sum::<u64>()
    };
    let bases = written.iter().flat_map(|(_, bases)| bases).map(joined);
    LinearLayout::new(inputs.collect(), outputs.collect(), bases.collect())
}
