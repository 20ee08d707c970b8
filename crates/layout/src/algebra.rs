//! Operations on layouts as CuTe defines them: coalescing, composition, complement and inverses. The tests verify
//! the offsets that define each operation.

use crate::{Layout, LayoutError, Mode, Tuple};
use std::fmt::Display;

/// Maximum number of elements of a composition that is checked element by element.
const MAX_CHECKED: i64 = 1 << 16;

/// Returns the layout with the fewest modes and the same offsets.
pub fn coalesce(layout: &Layout) -> Layout {
    let mut modes: Vec<Mode> = Vec::new();
    for mode in layout.modes() {
        if mode.shape == 1 {
            continue;
        }
        match modes.last_mut() {
            Some(last) if last.shape * last.stride == mode.stride => last.shape *= mode.shape,
            _ => modes.push(mode),
        }
    }
    // The offsets are those of a valid layout, so the construction cannot fail.
    Layout::of_modes(&modes).unwrap_or_else(|_| layout.clone())
}

/// Returns the composition of `left` and `right`: the offset of element `i` is `left(right(i))`.
pub fn composition(left: &Layout, right: &Layout) -> Result<Layout, LayoutError> {
    let modes = coalesce(left).modes();
    let result = compose_tuple(&modes, right.shape(), right.stride())?;
    match right.size() > MAX_CHECKED || is_after(left, right, &result)? {
        true => Ok(result),
        false => Err(LayoutError::of(format!(
            "cannot compose {left} with {right}: several modes of the right layout step through the same mode of the left layout, and no layout describes the result"
        ))),
    }
}

/// Checks whether `result` is the composition of `left` and `right`. Each single mode is composed correctly, but a
/// sum over modes can carry into the next mode of `left`.
fn is_after(left: &Layout, right: &Layout, result: &Layout) -> Result<bool, LayoutError> {
    if right.shape().is_one() {
        return Ok(true);
    }
    let (from, to) = (right.offsets()?, result.offsets()?);
    Ok(from
        .iter()
        .zip(to)
        .all(|(index, offset)| left.offset(*index) == offset))
}

fn compose_tuple(left: &[Mode], shape: &Tuple, stride: &Tuple) -> Result<Layout, LayoutError> {
    match (shape, stride) {
        (Tuple::Leaf(shape), Tuple::Leaf(stride)) => compose_mode(
            left,
            Mode {
                shape: *shape,
                stride: *stride,
            },
        ),
        (Tuple::Node(shapes), Tuple::Node(strides)) => {
            let pairs = shapes.iter().zip(strides);
            let parts: Result<Vec<_>, _> = pairs
                .map(|(shape, stride)| compose_tuple(left, shape, stride))
                .collect();
            Layout::of_parts(&parts?)
        }
        _ => Err(LayoutError::of(format!(
            "found the stride {stride} for the shape {shape}, expected a stride that is congruent to the shape"
        ))),
    }
}

fn compose_mode(left: &[Mode], right: Mode) -> Result<Layout, LayoutError> {
    let sizes: Vec<i64> = left.iter().map(|mode| mode.shape).collect();
    let strides: Vec<i64> = left.iter().map(|mode| mode.stride).collect();
    let found = traverse_modes(&sizes, &strides, right.shape, right.stride)?;
    let modes = found.into_iter().map(|found| {
        let stride = found.mode.and_then(|at| strides.get(at)).copied();
        Ok(Mode {
            shape: found.shape,
            stride: scaled(found.steps, stride.unwrap_or(0))?,
        })
    });
    Layout::of_modes(&modes.collect::<Result<Vec<_>, LayoutError>>()?)
}

/// Steps in one mode of the left layout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModeTraversal {
    pub(crate) shape: i64,
    /// Distance between two steps in elements of the mode.
    pub(crate) steps: i64,
    /// Index of the mode. `None` if the steps do not move.
    pub(crate) mode: Option<usize>,
}

impl ModeTraversal {
    /// Returns steps that do not move.
    const fn staying(shape: i64) -> ModeTraversal {
        ModeTraversal {
            shape,
            steps: 0,
            mode: None,
        }
    }
}

/// Distributes `rest` steps of `step` elements over the modes of a layout with these sizes.
pub(crate) fn traverse_modes(
    sizes: &[i64],
    strides: &[impl Display],
    mut rest: i64,
    mut step: i64,
) -> Result<Vec<ModeTraversal>, LayoutError> {
    let right = Mode {
        shape: rest,
        stride: step,
    };
    if step == 0 || rest == 1 {
        return Ok(vec![ModeTraversal::staying(rest)]);
    }
    if step < 0 {
        return Err(LayoutError::of(format!(
            "cannot compose with {rest}:{step}, which has a negative stride"
        )));
    }
    let refused = |at: usize, what: &str, number: i64| {
        let size = sizes.get(at).copied().unwrap_or(1);
        let stride = strides
            .get(at)
            .map_or_else(String::new, ToString::to_string);
        not_divisible(right, size, &stride, what, number)
    };
    let mut found: Vec<ModeTraversal> = Vec::new();
    for (at, size) in sizes.iter().copied().enumerate() {
        if rest == 1 {
            break;
        }
        let walk = |shape| ModeTraversal {
            shape,
            steps: step,
            mode: Some(at),
        };
        let is_last = at + 1 == sizes.len();
        if is_last || (rest - 1) * step < size {
            found.push(walk(rest));
            rest = 1;
            break;
        }
        if size % step != 0 && step % size != 0 {
            return Err(refused(at, "steps of", step));
        }
        if step >= size {
            step /= size;
            continue;
        }
        let taken = (size / step).min(rest);
        if rest % taken != 0 {
            return Err(refused(at, "the remaining size", rest));
        }
        found.push(walk(taken));
        rest /= taken;
        step = 1;
    }
    // A layout without modes is `1:0`.
    found.extend((rest != 1).then(|| ModeTraversal::staying(rest)));
    Ok(found)
}

fn scaled(step: i64, stride: i64) -> Result<i64, LayoutError> {
    step.checked_mul(stride).ok_or_else(|| {
        LayoutError::of(format!(
            "the stride overflows, because it is {step} times {stride}"
        ))
    })
}

fn not_divisible(right: Mode, size: i64, stride: &str, what: &str, number: i64) -> LayoutError {
    LayoutError::of(format!(
        "cannot compose {}:{} with the left mode {size}:{stride}: {what} {number} and the shape {size} are not divisible by each other",
        right.shape, right.stride
    ))
}

/// Returns the complement of a layout up to `size`: the layout and its complement together reach each offset
/// exactly once.
pub fn complement(layout: &Layout, size: i64) -> Result<Layout, LayoutError> {
    let mut modes = layout.modes();
    modes.retain(|mode| mode.shape != 1 && mode.stride != 0);
    modes.sort_by_key(|mode| (mode.stride, mode.shape));
    let mut found = Vec::new();
    let mut next = 1i64;
    for mode in modes {
        if mode.stride < 0 {
            return Err(LayoutError::of(format!(
                "{layout} has no complement: the stride {} is negative",
                mode.stride
            )));
        }
        if mode.stride % next != 0 || mode.stride < next {
            return Err(LayoutError::of(format!(
                "{layout} has no complement: the stride of mode {}:{} is not a multiple of {next}, so offsets overlap or have irregular gaps",
                mode.shape, mode.stride
            )));
        }
        found.push(Mode {
            shape: mode.stride / next,
            stride: next,
        });
        next = mode.shape * mode.stride;
    }
    found.push(Mode {
        shape: (size + next - 1) / next,
        stride: next,
    });
    Ok(coalesce(&Layout::of_modes(&found)?))
}

/// Returns the right inverse: the largest layout `r` with `layout(r(i)) = i`.
pub fn right_inverse(layout: &Layout) -> Result<Layout, LayoutError> {
    let mut next_index = 1;
    let mut modes: Vec<(Mode, i64)> = Vec::new();
    for mode in layout.modes() {
        modes.push((mode, next_index));
        next_index *= mode.shape;
    }
    modes.sort_by_key(|(mode, index)| (mode.stride, mode.shape, *index));
    let mut found = Vec::new();
    let mut next = 1;
    for (mode, index) in modes {
        if mode.shape == 1 || mode.stride < next {
            continue;
        }
        if mode.stride != next {
            break;
        }
        found.push(Mode {
            shape: mode.shape,
            stride: index,
        });
        next = mode.shape * mode.stride;
    }
    Ok(coalesce(&Layout::of_modes(&found)?))
}

/// Returns the left inverse: the layout `l` with `l(layout(i)) = i`. `layout` must be injective, and each stride
/// must be a multiple of the previous stride. Gaps can have any size.
pub fn left_inverse(layout: &Layout) -> Result<Layout, LayoutError> {
    let mut next_index = 1;
    let mut modes: Vec<(Mode, i64)> = Vec::new();
    for mode in coalesce(layout).modes() {
        modes.push((mode, next_index));
        next_index *= mode.shape;
    }
    modes.retain(|(mode, _)| mode.shape != 1);
    modes.sort_by_key(|(mode, _)| mode.stride);
    let mut found = Vec::new();
    let (mut unit, mut index, mut reach) = (1, 0, 1);
    for (mode, own) in modes {
        if mode.stride < reach || mode.stride % unit != 0 {
            return Err(LayoutError::of(format!(
                "{layout} has no left inverse: offsets of mode {}:{} overlap or have irregular gaps",
                mode.shape, mode.stride
            )));
        }
        found.push(Mode {
            shape: mode.stride / unit,
            stride: index,
        });
        (unit, index) = (mode.stride, own);
        reach = mode.shape * mode.stride;
    }
    found.push(Mode {
        shape: reach / unit,
        stride: index,
    });
    Ok(coalesce(&Layout::of_modes(&found)?))
}
