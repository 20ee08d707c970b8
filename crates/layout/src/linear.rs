//! Layouts that are linear over GF(2), as in Triton. The output of an input is the XOR of the bases of its bits.

use crate::{ComposedLayout, Layout, LayoutError, Mode};

/// Named group of bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dimension {
    pub name: String,
    pub bits: u32,
}

impl Dimension {
    /// Creates a dimension with this number of bits.
    pub fn new(name: impl Into<String>, bits: u32) -> Dimension {
        Dimension {
            name: name.into(),
            bits,
        }
    }
}

/// Maximum number of bits of the input and of the output.
const MAX_BITS: u32 = 48;

/// Linear layout, stored as bases: the output of each single input bit, starting with the lowest bit of the first
/// dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinearLayout {
    pub inputs: Vec<Dimension>,
    pub outputs: Vec<Dimension>,
    bases: Vec<u64>,
}

impl LinearLayout {
    /// Creates a linear layout. Returns an error if the number of bases differs from the number of input bits, or
    /// if a basis exceeds the output bits.
    pub fn new(
        inputs: Vec<Dimension>,
        outputs: Vec<Dimension>,
        bases: Vec<u64>,
    ) -> Result<LinearLayout, LayoutError> {
        let (n_in, n_out) = (bits_of(&inputs), bits_of(&outputs));
        if n_in > MAX_BITS || n_out > MAX_BITS {
            return Err(LayoutError::of(format!(
                "the layout has {n_in} input bits and {n_out} output bits, expected at most {MAX_BITS}"
            )));
        }
        if bases.len() != n_in as usize {
            return Err(LayoutError::of(format!(
                "the layout has {} bases for {n_in} input bits, expected one basis per input bit",
                bases.len()
            )));
        }
        if let Some(wide) = bases.iter().find(|base| *base >> n_out != 0) {
            return Err(LayoutError::of(format!(
                "found the basis {wide}, expected a basis below {}",
                1u64 << n_out
            )));
        }
        Ok(LinearLayout {
            inputs,
            outputs,
            bases,
        })
    }

    /// Returns the bases, starting with the first dimension.
    pub fn bases(&self) -> &[u64] {
        &self.bases
    }

    /// Returns the bases of an input dimension.
    pub fn bases_of(&self, dimension: usize) -> &[u64] {
        let before: u32 = bits_of(self.inputs.get(..dimension).unwrap_or_default());
        let own = self.inputs.get(dimension).map_or(0, |found| found.bits);
        let range = before as usize..(before + own) as usize;
        self.bases.get(range).unwrap_or_default()
    }

    /// Returns the output of an input. The bits of all dimensions are concatenated.
    pub fn apply(&self, input: u64) -> u64 {
        let bits = self.bases.iter().enumerate();
        bits.filter(|(bit, _)| input >> bit & 1 != 0)
            .fold(0, |sum, (_, base)| sum ^ base)
    }

    /// Splits an output into its dimensions.
    pub fn split(&self, output: u64) -> Vec<u64> {
        let mut rest = output;
        let parts = self.outputs.iter().map(|dimension| {
            let part = rest & ((1 << dimension.bits) - 1);
            rest >>= dimension.bits;
            part
        });
        parts.collect()
    }

    /// Returns the composition `self(inner(x))`. The outputs of `inner` must be the inputs of `self`.
    pub fn after(&self, inner: &LinearLayout) -> Result<LinearLayout, LayoutError> {
        let (given, taken) = (bits_of(&inner.outputs), bits_of(&self.inputs));
        if given != taken {
            return Err(LayoutError::of(format!(
                "cannot compose the layouts, because the right layout has {given} output bits, whereas the left layout has {taken} input bits"
            )));
        }
        let bases = inner.bases.iter().map(|base| self.apply(*base)).collect();
        LinearLayout::new(inner.inputs.clone(), self.outputs.clone(), bases)
    }

    /// Returns the rank of the matrix of bases.
    pub fn rank(&self) -> u32 {
        self.reduced().0.len() as u32
    }

    /// Returns two inputs with the same output, if the layout is not injective.
    pub fn collision(&self) -> Option<(u64, u64)> {
        self.reduced().1.map(|input| (0, input))
    }

    /// Returns the inverse of a bijective layout.
    pub fn inverse(&self) -> Result<LinearLayout, LayoutError> {
        let (n_in, n_out) = (bits_of(&self.inputs), bits_of(&self.outputs));
        if let Some((_, input)) = self.collision() {
            return Err(LayoutError::of(format!(
                "the layout has no inverse, because the inputs 0 and {input} both map to 0"
            )));
        }
        let (rows, _) = self.reduced();
        let mut bases = Vec::new();
        for bit in 0..n_out {
            let Some(input) = solve(&rows, 1 << bit) else {
                return Err(LayoutError::of(format!(
                    "the layout has no inverse, because no input maps to {} (the layout has {n_in} input bits and {n_out} output bits)",
                    1u64 << bit
                )));
            };
            bases.push(input);
        }
        LinearLayout::new(self.outputs.clone(), self.inputs.clone(), bases)
    }

    /// Performs Gaussian elimination. Returns rows `(output, input)` with distinct highest bits of the output, and
    /// a nonzero input with the output 0, if the kernel is not trivial.
    fn reduced(&self) -> (Vec<(u64, u64)>, Option<u64>) {
        let mut rows: Vec<(u64, u64)> = Vec::new();
        let mut kernel = None;
        for (bit, base) in self.bases.iter().enumerate() {
            let (mut output, mut input) = (*base, 1u64 << bit);
            for row in &rows {
                if output ^ row.0 < output {
                    output ^= row.0;
                    input ^= row.1;
                }
            }
            match output {
                0 => kernel = kernel.or(Some(input)),
                _ => {
                    rows.push((output, input));
                    rows.sort_by_key(|row| std::cmp::Reverse(row.0));
                }
            }
        }
        (rows, kernel)
    }

    /// Returns an equivalent layout with at most one mode per bit. Returns `None` if two input bits affect the same
    /// output bit.
    pub fn to_layout(&self) -> Option<Layout> {
        let mut taken = 0u64;
        for base in &self.bases {
            if base & taken != 0 {
                return None;
            }
            taken |= base;
        }
        let mut from = 0;
        let parts = self.inputs.iter().map(|input| {
            let own = self.bases.get(from..from + input.bits as usize);
            from += input.bits as usize;
            let modes = own.unwrap_or_default().iter().map(|base| Mode {
                shape: 2,
                stride: *base as i64,
            });
            let modes: Vec<Mode> = modes.collect();
            Layout::of_modes(&modes)
                .ok()
                .map(|modes| crate::coalesce(&modes))
        });
        let parts: Option<Vec<Layout>> = parts.collect();
        match parts?.as_slice() {
            [one] => Some(one.clone()),
            parts => Layout::of_parts(parts).ok(),
        }
    }

    /// Returns the bases of a layout. Its top-level modes become the input dimensions `names` (by default `in0`,
    /// `in1`, …), and the output has one dimension. Returns an error if the layout is not linear.
    pub fn of_layout(layout: &ComposedLayout, names: &[&str]) -> Result<LinearLayout, LayoutError> {
        let parts = layout.layout.parts();
        let mut inputs = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            let size = part.size();
            if size & (size - 1) != 0 {
                return Err(LayoutError::of(format!(
                    "found a mode of {size} elements ({part}), expected a power of two for a layout that is linear over GF(2)"
                )));
            }
            let name = names
                .get(at)
                .map_or_else(|| format!("in{at}"), |name| (*name).to_owned());
            inputs.push(Dimension::new(name, size.trailing_zeros()));
        }
        let places = layout.offsets()?;
        linear_of(&places, inputs).map_err(|(index, expected)| {
            let found = places.get(index).copied().unwrap_or(0);
            LayoutError::of(format!(
                "the layout is not linear over GF(2), because element {index} has the offset {found}, but the XOR of the bases of the index bits is {expected}"
            ))
        })
    }
}

/// Returns the bases of a table whose first offset is 0. Otherwise returns the first index whose offset differs
/// from the XOR of the bases, and this XOR.
pub(crate) fn linear_of(
    places: &[i64],
    inputs: Vec<Dimension>,
) -> Result<LinearLayout, (usize, i64)> {
    let n_bits = bits_of(&inputs);
    let bases = (0..n_bits).map(|bit| places.get(1 << bit).copied().unwrap_or(0));
    let bases: Vec<i64> = bases.collect();
    let mut expected = vec![0i64];
    for base in &bases {
        let more: Vec<i64> = expected.iter().map(|place| place ^ base).collect();
        expected.extend(more);
    }
    let wrong = places
        .iter()
        .zip(&expected)
        .position(|(a, b)| a != b || *a < 0);
    if let Some(index) = wrong {
        return Err((index, expected.get(index).copied().unwrap_or(0)));
    }
    let all = places.iter().fold(0, |all, place| all | place);
    let outputs = vec![Dimension::new("offset", 64 - all.leading_zeros())];
    let bases = bases.into_iter().map(|base| base as u64).collect();
    LinearLayout::new(inputs, outputs, bases).map_err(|_| (0, 0))
}

fn solve(rows: &[(u64, u64)], wanted: u64) -> Option<u64> {
    let (mut rest, mut input) = (wanted, 0);
    for row in rows {
        if rest ^ row.0 < rest {
            rest ^= row.0;
            input ^= row.1;
        }
    }
    (rest == 0).then_some(input)
}

pub(crate) fn bits_of(dimensions: &[Dimension]) -> u32 {
    let bits = dimensions.iter().map(|dimension| dimension.bits);
    bits.fold(0, u32::saturating_add)
}
