//! Parser of layouts such as `Swizzle<3,4,3> o 64 o ((8,2),64):((64,512),1)`, and of the form that CuTe prints
//! (`Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)`). Errors contain the position.

use crate::linear_notation::of_written;
use crate::{
    ComposedLayout, CoordinateLayout, EvalResult, Layout, LayoutError, LinearLayout, MAX_OFFSET,
    MAX_SIZE, ScaledBasis, Swizzle, Tuple,
};
use std::ops::Range;

/// Maximum nesting depth.
const MAX_DEPTH: usize = 32;
/// Maximum number of coordinates, and of parts of a coordinate.
const MAX_PARTS: u32 = 16;

/// Parses a layout with an optional swizzle and an optional offset.
pub fn parse(text: &str) -> Result<ComposedLayout, LayoutError> {
    let value = crate::evaluate(text)?;
    let what = value.kind();
    value.into_composed().ok_or_else(|| {
        LayoutError::at(
            0..text.len(),
            format!("found {what}, expected a layout such as `(8,4):(4,1)`"),
        )
    })
}

/// Cursor in a text.
pub(crate) struct Parser<'t> {
    pub(crate) text: &'t str,
    pub(crate) at: usize,
}

/// Tuple of numbers with the position of each number.
struct SpannedTuple {
    tuple: Tuple,
    leaves: Vec<Range<usize>>,
    /// Coordinate of each stride; empty for an integer stride.
    along: Vec<Vec<u32>>,
    all: Range<usize>,
}

impl<'t> Parser<'t> {
    pub(crate) const fn new(text: &'t str) -> Parser<'t> {
        Parser { text, at: 0 }
    }

    pub(crate) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub(crate) fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    pub(crate) fn eat(&mut self, word: &str) -> bool {
        self.space();
        let found = self.rest().starts_with(word);
        if found {
            self.at += word.len();
        }
        found
    }

    /// Returns the range of the next character.
    pub(crate) fn here(&self) -> Range<usize> {
        let width = self.rest().chars().next().map_or(0, char::len_utf8);
        self.at..self.at + width
    }

    pub(crate) fn expected<T>(&mut self, what: &str) -> Result<T, LayoutError> {
        self.space();
        let found = match self.rest().chars().next() {
            Some(found) => format!("found `{found}`, expected {what}"),
            None => format!("found the end of the text, expected {what}"),
        };
        Err(LayoutError::at(self.here(), found))
    }

    pub(crate) fn expect(&mut self, word: &str) -> Result<(), LayoutError> {
        match self.eat(word) {
            true => Ok(()),
            false => self.expected(&format!("`{word}`")),
        }
    }

    /// Returns the identifier at the cursor without moving the cursor.
    pub(crate) fn peek_word(&mut self) -> &'t str {
        self.space();
        let rest = self.rest();
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return "";
        }
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        rest.get(..end.unwrap_or(rest.len())).unwrap_or("")
    }

    /// Parses a number, including the compile-time numbers of CuTe such as `_8` and `Int<8>{}`.
    pub(crate) fn number(&mut self) -> Result<(i64, Range<usize>), LayoutError> {
        self.space();
        let start = self.at;
        let is_wrapped = self.eat("Int<") || self.eat("C<");
        let _ = !is_wrapped && self.eat("_");
        let digits = self.at;
        let _ = self.eat("-");
        let rest = self.rest();
        let (radix, skipped) = match rest.starts_with("0x") {
            true => (16, 2),
            false => (10, 0),
        };
        let body = rest.get(skipped..).unwrap_or("");
        let n = body
            .find(|c: char| !c.is_digit(radix))
            .unwrap_or(body.len());
        if n == 0 {
            return self.expected("a number");
        }
        self.at += skipped + n;
        let written = self.text.get(digits..self.at).unwrap_or("");
        let (sign, written) = match written.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, written),
        };
        let value = i64::from_str_radix(written.get(skipped..).unwrap_or(""), radix);
        if is_wrapped {
            self.expect(">")?;
            let _ = self.eat("{}");
        }
        let place = start..self.at;
        match value {
            Ok(value) => Ok((sign * value, place)),
            Err(_) => Err(LayoutError::at(
                place,
                format!("the number is too large, expected at most {MAX_OFFSET}"),
            )),
        }
    }

    fn tuple(&mut self, depth: usize) -> Result<SpannedTuple, LayoutError> {
        self.space();
        let start = self.at;
        if !self.eat("(") {
            let (number, place) = self.number()?;
            let path = self.path()?;
            let place = place.start..self.at;
            return Ok(SpannedTuple {
                tuple: Tuple::Leaf(number),
                leaves: vec![place.clone()],
                along: vec![path],
                all: place,
            });
        }
        if depth >= MAX_DEPTH {
            return Err(LayoutError::at(
                start..self.at,
                format!("the layout has more than {MAX_DEPTH} levels of brackets"),
            ));
        }
        let (mut parts, mut leaves, mut along) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            let part = self.tuple(depth + 1)?;
            parts.push(part.tuple);
            leaves.extend(part.leaves);
            along.extend(part.along);
            if self.eat(",") {
                // Python prints a tuple with one element as `(8,)`.
                if self.eat(")") {
                    break;
                }
                continue;
            }
            if self.eat(")") {
                break;
            }
            return self.expected("`,` or `)`");
        }
        Ok(SpannedTuple {
            tuple: Tuple::Node(parts),
            leaves,
            along,
            all: start..self.at,
        })
    }

    /// Parses a number, or a shape with an optional stride.
    pub(crate) fn layout(&mut self) -> Result<EvalResult, LayoutError> {
        let shape = self.tuple(0)?;
        let along = shape.along.iter().zip(&shape.leaves);
        if let Some((_, place)) = along.into_iter().find(|(path, _)| !path.is_empty()) {
            return Err(LayoutError::at(
                place.clone(),
                "found a coordinate in the shape, expected coordinates only in the stride, such as `(8,4):(1@0,1@1)`",
            ));
        }
        if !self.eat(":") {
            if let Tuple::Leaf(number) = shape.tuple {
                return Ok(EvalResult::Number(number));
            }
            check_shape(&shape)?;
            let all = shape.all.clone();
            let layout = Layout::compact(shape.tuple).map_err(|error| error.or_at(all))?;
            return Ok(EvalResult::Layout(layout.into()));
        }
        let stride_at = self.at;
        let stride = self.tuple(0)?;
        if stride.along.iter().any(|path| !path.is_empty()) {
            return self.coordinates(&shape, &stride, stride_at);
        }
        if !shape.tuple.is_congruent(&stride.tuple) {
            return Err(LayoutError::at(
                stride.all,
                format!("the stride is not congruent to the shape {}", shape.tuple),
            ));
        }
        check_shape(&shape)?;
        check_stride(&shape, &stride)?;
        let all = shape.all.start..stride.all.end;
        let layout = Layout::new(shape.tuple, stride.tuple).map_err(|error| error.or_at(all))?;
        Ok(EvalResult::Layout(layout.into()))
    }

    /// Creates a layout with coordinate strides.
    fn coordinates(
        &self,
        shape: &SpannedTuple,
        stride: &SpannedTuple,
        stride_at: usize,
    ) -> Result<EvalResult, LayoutError> {
        if !shape.tuple.is_congruent(&stride.tuple) {
            return Err(LayoutError::at(
                stride.all.clone(),
                format!("the stride is not congruent to the shape {}", shape.tuple),
            ));
        }
        check_shape(shape)?;
        let strides = stride.tuple.leaves().into_iter().zip(&stride.along);
        let strides = strides.zip(&stride.leaves).map(|((scale, path), place)| {
            match (scale, path.is_empty()) {
                (_, false) | (0, true) => Ok(ScaledBasis {
                    scale,
                    path: if scale == 0 { Vec::new() } else { path.clone() },
                }),
                (scale, true) => Err(LayoutError::at(
                    place.clone(),
                    format!("found the integer stride {scale} together with coordinate strides, expected a stride such as `{scale}@0`"),
                )),
            }
        });
        let strides = strides.collect::<Result<Vec<_>, _>>()?;
        let found = CoordinateLayout::new(shape.tuple.clone(), strides);
        let place = stride_at..stride.all.end;
        found
            .map(EvalResult::Coordinates)
            .map_err(|error| error.or_at(place))
    }

    /// Parses the start of a layout with coordinate strides as CuTe prints it: `ArithTuple(0,_0) o`. Returns `None`
    /// if the text contains no start.
    pub(crate) fn start(&mut self) -> Result<Option<Vec<i64>>, LayoutError> {
        if !self.eat("ArithTuple(") {
            return Ok(None);
        }
        let mut numbers = Vec::new();
        while !self.eat(")") {
            if !numbers.is_empty() {
                self.expect(",")?;
            }
            let (number, place) = self.number()?;
            if number.checked_abs().is_none_or(|far| far > MAX_OFFSET) {
                return Err(LayoutError::at(
                    place,
                    format!("the coordinate is too large, expected at most {MAX_OFFSET}"),
                ));
            }
            numbers.push(number);
        }
        Ok(Some(numbers))
    }

    /// Parses the coordinate of a stride: `@1@0` is part 1 of coordinate 0. The coordinate is the first element of
    /// the result.
    fn path(&mut self) -> Result<Vec<u32>, LayoutError> {
        let mut path = Vec::new();
        while self.rest().starts_with('@') {
            self.at += 1;
            let (part, place) = self.number()?;
            let small = u32::try_from(part).ok().filter(|part| *part < MAX_PARTS);
            path.push(small.ok_or_else(|| {
                LayoutError::at(
                    place.clone(),
                    format!(
                        "found the coordinate index {part}, expected 0 to {}",
                        MAX_PARTS - 1
                    ),
                )
            })?);
            if path.len() > MAX_DEPTH {
                return Err(LayoutError::at(
                    place,
                    format!("the layout has more than {MAX_DEPTH} levels of coordinates"),
                ));
            }
        }
        path.reverse();
        Ok(path)
    }

    /// Parses `Swizzle<3,4,3>`, `Sw<3,4,3>`, `S<3,4,3>` or `SW_3_4_3`. Returns `None` if the text contains no
    /// swizzle.
    pub(crate) fn swizzle(&mut self) -> Result<Option<Swizzle>, LayoutError> {
        self.space();
        let start = self.at;
        let (between, end) = if self.eat("SW_") {
            ("_", "")
        } else if ["Swizzle<", "Sw<", "S<"].iter().any(|name| self.eat(name)) {
            (",", ">")
        } else {
            return Ok(None);
        };
        let mut numbers = [0i64; 3];
        for (at, number) in numbers.iter_mut().enumerate() {
            if at > 0 {
                self.expect(between)?;
            }
            *number = self.plain_number()?;
        }
        self.expect(end)?;
        let place = start..self.at;
        let _ = self.eat("{}");
        let small = |number: i64| u32::try_from(number).ok();
        let [bits, base, shift] = numbers;
        let swizzle = match (small(bits), small(base), i32::try_from(shift)) {
            (Some(bits), Some(base), Ok(shift)) => Swizzle::new(bits, base, shift),
            _ => Err(LayoutError::of(
                "the swizzle has invalid arguments, expected three 32-bit integers: the nonnegative numbers of bits and of base bits, and the shift",
            )),
        };
        swizzle.map(Some).map_err(|error| error.or_at(place))
    }

    /// Parses a number that ends before `_`.
    fn plain_number(&mut self) -> Result<i64, LayoutError> {
        self.number().map(|(number, _)| number)
    }

    /// Parses the pointer that CuTe prints between a swizzle and its layout: `smem_ptr[16b](unset) o`. Returns the
    /// element size in bytes.
    pub(crate) fn pointer(&mut self) -> Result<Option<u32>, LayoutError> {
        if !self.eat("smem_ptr[") {
            return Ok(None);
        }
        let (bits, place) = self.number()?;
        self.expect("b](")?;
        let rest = self.rest();
        let Some(end) = rest.find(')') else {
            return self.expected("`)`");
        };
        self.at += end + 1;
        match bits {
            8 | 16 | 32 | 64 | 128 => Ok(Some((bits / 8) as u32)),
            _ => Err(LayoutError::at(
                place,
                format!("found {bits}-bit elements, expected 8, 16, 32, 64 or 128 bits"),
            )),
        }
    }

    /// Parses a linear layout such as `{lane = [[1, 0], [2, 0]], register = [4]}`.
    pub(crate) fn linear(&mut self) -> Result<LinearLayout, LayoutError> {
        self.space();
        let start = self.at;
        self.expect("{")?;
        let mut written = Vec::new();
        while !self.eat("}") {
            if !written.is_empty() {
                self.expect(",")?;
            }
            let name = self.peek_word();
            if name.is_empty() {
                return self.expected("the name of an input such as `lane`");
            }
            self.at += name.len();
            self.expect("=")?;
            written.push((name.to_owned(), self.bases()?));
        }
        of_written(&written).map_err(|error| error.or_at(start..self.at))
    }

    fn bases(&mut self) -> Result<Vec<Vec<u64>>, LayoutError> {
        self.expect("[")?;
        let mut bases: Vec<Vec<u64>> = Vec::new();
        while !self.eat("]") {
            if !bases.is_empty() {
                self.expect(",")?;
            }
            self.space();
            let start = self.at;
            let base = match self.eat("[") {
                true => self.numbers_to_bracket()?,
                false => vec![self.basis()?],
            };
            if bases.first().is_some_and(|first| first.len() != base.len()) {
                return Err(LayoutError::at(
                    start..self.at,
                    "this basis and the first basis have different numbers of outputs",
                ));
            }
            bases.push(base);
        }
        Ok(bases)
    }

    fn numbers_to_bracket(&mut self) -> Result<Vec<u64>, LayoutError> {
        let mut numbers = Vec::new();
        while !self.eat("]") {
            if !numbers.is_empty() {
                self.expect(",")?;
            }
            numbers.push(self.basis()?);
        }
        Ok(numbers)
    }

    fn basis(&mut self) -> Result<u64, LayoutError> {
        let (number, place) = self.number()?;
        u64::try_from(number)
            .ok()
            .filter(|number| *number <= MAX_OFFSET as u64)
            .ok_or_else(|| {
                LayoutError::at(
                    place,
                    format!("the number is out of range, expected 0 to {MAX_OFFSET}"),
                )
            })
    }
}

fn check_shape(shape: &SpannedTuple) -> Result<(), LayoutError> {
    let mut size = 1i64;
    for (number, place) in shape.tuple.leaves().into_iter().zip(&shape.leaves) {
        if number < 1 {
            return Err(LayoutError::at(
                place.clone(),
                format!("found the size {number}, expected at least 1"),
            ));
        }
        size = size
            .checked_mul(number)
            .filter(|size| *size <= MAX_SIZE)
            .ok_or_else(|| {
                LayoutError::at(
                    place.clone(),
                    format!(
                        "the size of the layout overflows, expected at most {MAX_SIZE} elements"
                    ),
                )
            })?;
    }
    Ok(())
}

fn check_stride(shape: &SpannedTuple, stride: &SpannedTuple) -> Result<(), LayoutError> {
    let mut reach = 0i64;
    let sizes = shape.tuple.leaves().into_iter();
    let strides = stride.tuple.leaves().into_iter().zip(&stride.leaves);
    for (size, (stride, place)) in sizes.zip(strides) {
        reach = (size - 1)
            .checked_mul(stride)
            .and_then(|far| reach.checked_add(far.checked_abs()?))
            .filter(|reach| *reach <= MAX_OFFSET)
            .ok_or_else(|| {
                LayoutError::at(
                    place.clone(),
                    format!("the offset overflows with this stride, expected an offset of at most {MAX_OFFSET}"),
                )
            })?;
    }
    Ok(())
}
