//! Layouts that are linear over GF(2): where each bit of the input goes, and everything else is their XOR. Triton writes layouts so.

use crate::{Composed, Layout, LayoutError, Mode};

/// A named group of bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dimension {
    pub name: String,
    pub bits: u32,
}

impl Dimension {
    /// A dimension of this many bits.
    pub fn new(name: impl Into<String>, bits: u32) -> Dimension {
        Dimension {
            name: name.into(),
            bits,
        }
    }
}

/// The most bits of an input or of an output.
const MAX_BITS: u32 = 48;

/// A linear layout: for each bit of its inputs, the lowest of the first dimension first, the output of that bit alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear {
    pub inputs: Vec<Dimension>,
    pub outputs: Vec<Dimension>,
    bases: Vec<u64>,
}

impl Linear {
    /// Bases for all bits of the inputs, each within the bits of the outputs.
    pub fn new(
        inputs: Vec<Dimension>,
        outputs: Vec<Dimension>,
        bases: Vec<u64>,
    ) -> Result<Linear, LayoutError> {
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
        Ok(Linear {
            inputs,
            outputs,
            bases,
        })
    }

    /// The outputs of single bits, those of the first dimension first.
    pub fn bases(&self) -> &[u64] {
        &self.bases
    }

    /// The bases of an input dimension, by its number.
    pub fn bases_of(&self, dimension: usize) -> &[u64] {
        let before: u32 = bits_of(self.inputs.get(..dimension).unwrap_or_default());
        let own = self.inputs.get(dimension).map_or(0, |found| found.bits);
        let range = before as usize..(before + own) as usize;
        self.bases.get(range).unwrap_or_default()
    }

    /// The output of an input, all dimensions in one number.
    pub fn apply(&self, input: u64) -> u64 {
        let bits = self.bases.iter().enumerate();
        bits.filter(|(bit, _)| input >> bit & 1 != 0)
            .fold(0, |sum, (_, base)| sum ^ base)
    }

    /// An output as a number for each of its dimensions.
    pub fn split(&self, output: u64) -> Vec<u64> {
        let mut rest = output;
        let parts = self.outputs.iter().map(|dimension| {
            let part = rest & ((1 << dimension.bits) - 1);
            rest >>= dimension.bits;
            part
        });
        parts.collect()
    }

    /// `self` after `inner`, whose outputs are the inputs of `self`.
    pub fn after(&self, inner: &Linear) -> Result<Linear, LayoutError> {
        let (given, taken) = (bits_of(&inner.outputs), bits_of(&self.inputs));
        if given != taken {
            return Err(LayoutError::of(format!(
                "cannot compose the layouts, because the right layout has {given} output bits, whereas the left layout has {taken} input bits"
            )));
        }
        let bases = inner.bases.iter().map(|base| self.apply(*base)).collect();
        Linear::new(inner.inputs.clone(), self.outputs.clone(), bases)
    }

    /// Dimensions of its image.
    pub fn rank(&self) -> u32 {
        self.reduced().0.len() as u32
    }

    /// Two inputs with the same output, where there are such.
    pub fn collision(&self) -> Option<(u64, u64)> {
        self.reduced().1.map(|input| (0, input))
    }

    /// The inverse, where each output has exactly one input.
    pub fn inverse(&self) -> Result<Linear, LayoutError> {
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
        Linear::new(self.outputs.clone(), self.inputs.clone(), bases)
    }

    /// Rows `(output, input)` with distinct highest bits of the output, and an input other than 0 that goes to 0.
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

    /// The same as a layout with one mode for each bit, or fewer, where no two bits of the input meet in a bit of the output.
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

    /// The bases of a layout, whose parts become `names` (or `in0`, `in1`); the output is one number. Refused where it is not linear.
    pub fn of_layout(layout: &Composed, names: &[&str]) -> Result<Linear, LayoutError> {
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

/// Bases of a table whose element 0 is at 0; otherwise the first index where the XOR of its bits differs, and that XOR.
pub(crate) fn linear_of(places: &[i64], inputs: Vec<Dimension>) -> Result<Linear, (usize, i64)> {
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
    Linear::new(inputs, outputs, bases).map_err(|_| (0, 0))
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
