//! Parser and evaluator of expressions such as `logical_divide((8,8):(8,1), <4,2>)` and `A o B`.

use crate::parse::Reader;
use crate::{
    Composed, Coordinates, Layout, LayoutError, Linear, Strided, Swizzle, Tiler, algebra,
    blocked_product, flat_divide, flat_product, logical_divide, logical_product, raked_product,
    tiled_divide, tiled_product, zipped_divide, zipped_product,
};
use std::fmt;
use std::ops::Range;

/// Value of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Number(i64),
    Layout(Composed),
    /// Layout with coordinate strides.
    Coordinates(Coordinates),
    /// Start of a layout with coordinate strides.
    Start(Vec<i64>),
    Swizzle(Swizzle),
    Tiler(Tiler),
    Linear(Linear),
}

/// Operation of expressions.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    pub name: &'static str,
    /// Names of the arguments: `A, B`.
    pub arguments: &'static str,
    pub about: &'static str,
    does: Does,
}

type OfTwo<L> = fn(&L, &Tiler) -> Result<L, LayoutError>;
type OfLayouts = fn(&Layout, &Layout) -> Result<Layout, LayoutError>;

#[derive(Clone, Copy, Debug)]
enum Does {
    Coalesce,
    Composition,
    Complement,
    RightInverse,
    LeftInverse,
    Divided(OfTwo<Layout>, OfTwo<Coordinates>),
    Multiplied(OfTwo<Layout>),
    Layouts(OfLayouts),
    Linear,
    Inverse,
    Cute,
}

const fn operation(
    name: &'static str,
    arguments: &'static str,
    about: &'static str,
    does: Does,
) -> Operation {
    Operation {
        name,
        arguments,
        about,
        does,
    }
}

/// All operations in the order of the documentation.
#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    operation("coalesce", "A", "the equivalent layout with the fewest modes", Does::Coalesce),
    operation("composition", "A, B", "the composition A(B(i)), also written `A o B`", Does::Composition),
    operation("complement", "A, size", "the layout that covers the gaps of A up to a size", Does::Complement),
    operation("right_inverse", "A", "the layout r with A(r(i)) = i", Does::RightInverse),
    operation("left_inverse", "A", "the layout l with l(A(i)) = i", Does::LeftInverse),
    operation("logical_divide", "A, tiler", "each mode consists of the tile and the remainder", Does::Divided(logical_divide, logical_divide)),
    operation("zipped_divide", "A, tiler", "the first mode contains all tiles, and the second mode contains all remainders", Does::Divided(zipped_divide, zipped_divide)),
    operation("tiled_divide", "A, tiler", "all tiles are one mode, and each remainder is a separate mode", Does::Divided(tiled_divide, tiled_divide)),
    operation("flat_divide", "A, tiler", "each tile and each remainder is a separate mode", Does::Divided(flat_divide, flat_divide)),
    operation("logical_product", "A, tiler", "each mode consists of a mode of A and the repetitions of this mode", Does::Multiplied(logical_product)),
    operation("zipped_product", "A, tiler", "the first mode contains A, and the second mode contains all repetitions", Does::Multiplied(zipped_product)),
    operation("tiled_product", "A, tiler", "A is one mode, and each repetition is a separate mode", Does::Multiplied(tiled_product)),
    operation("flat_product", "A, tiler", "each mode of A and each repetition is a separate mode", Does::Multiplied(flat_product)),
    operation("blocked_product", "A, B", "the repetitions of A, arranged in blocks", Does::Layouts(blocked_product)),
    operation("raked_product", "A, B", "the repetitions of A, interleaved", Does::Layouts(raked_product)),
    operation("linear", "A", "the bases over GF(2)", Does::Linear),
    operation("inverse", "bases", "the inverse of a linear layout", Does::Inverse),
    operation("cute", "bases", "the CuTe layout that is equivalent to a linear layout", Does::Cute),
];

/// Maximum nesting depth of operations.
const MAX_DEPTH: usize = 32;
/// Maximum length of an expression in bytes.
const MAX_TEXT: usize = 1 << 16;

/// Parses and evaluates an expression.
pub fn evaluate(text: &str) -> Result<Value, LayoutError> {
    if text.len() > MAX_TEXT {
        return Err(LayoutError::of(format!(
            "the expression has {} bytes, expected at most {MAX_TEXT}",
            text.len()
        )));
    }
    let mut reader = Reader::new(text);
    let value = expression(&mut reader, 0)?;
    reader.space();
    match reader.rest().is_empty() {
        true => Ok(value),
        false => reader.expected("`o` or the end of the expression"),
    }
}

/// Parses terms that `o` separates. The composition is evaluated from right to left.
fn expression(reader: &mut Reader<'_>, depth: usize) -> Result<Value, LayoutError> {
    let mut terms = Vec::new();
    loop {
        reader.space();
        let start = reader.at;
        let value = term(reader, depth)?;
        terms.push((value, start..reader.at));
        if !is_joined(reader) {
            break;
        }
        if let Some(bytes) = reader.pointer()? {
            in_elements(&mut terms, bytes)?;
            if !is_joined(reader) {
                return reader.expected("`o` and a layout");
            }
        }
    }
    let Some((mut value, mut place)) = terms.pop() else {
        return reader.expected("a layout");
    };
    while let Some((left, left_place)) = terms.pop() {
        place = left_place.start..place.end;
        value = composed(left, value).map_err(|error| error.or_at(place.clone()))?;
    }
    Ok(value)
}

fn is_joined(reader: &mut Reader<'_>) -> bool {
    if reader.eat("∘") {
        return true;
    }
    reader.peek_word() == "o" && reader.eat("o")
}

/// Converts a swizzle before a pointer, which applies to bytes, to elements.
fn in_elements(terms: &mut [(Value, Range<usize>)], bytes: u32) -> Result<(), LayoutError> {
    let Some((Value::Swizzle(swizzle), place)) = terms.last_mut() else {
        return Ok(());
    };
    *swizzle = swizzle.in_units(bytes.trailing_zeros()).ok_or_else(|| {
        LayoutError::at(
            place.clone(),
            format!("the swizzle splits elements of {bytes} bytes"),
        )
    })?;
    Ok(())
}

fn term(reader: &mut Reader<'_>, depth: usize) -> Result<Value, LayoutError> {
    if depth > MAX_DEPTH {
        return reader.expected(&format!("at most {MAX_DEPTH} nested operations"));
    }
    if let Some(swizzle) = reader.swizzle()? {
        return Ok(Value::Swizzle(swizzle));
    }
    if let Some(start) = reader.start()? {
        return Ok(Value::Start(start));
    }
    reader.space();
    match reader.rest().chars().next() {
        Some('{') => reader.linear().map(Value::Linear),
        Some('<') => tiler(reader, depth).map(Value::Tiler),
        Some(c)
            if c.is_ascii_alphabetic()
                && !reader.rest().starts_with("Int<")
                && !reader.rest().starts_with("C<") =>
        {
            call(reader, depth)
        }
        _ => reader.layout(),
    }
}

/// Parses a tiler per mode, such as `<4:1,(2,2)>`.
fn tiler(reader: &mut Reader<'_>, depth: usize) -> Result<Tiler, LayoutError> {
    reader.expect("<")?;
    let mut all = Vec::new();
    loop {
        reader.space();
        let start = reader.at;
        let value = expression(reader, depth + 1)?;
        let what = value.kind();
        all.push(value.into_tiler().ok_or_else(|| {
            LayoutError::at(
                start..reader.at,
                format!("found {what}, expected a tiler such as `4:1`"),
            )
        })?);
        if reader.eat(">") {
            return Ok(Tiler::Each(all));
        }
        if !reader.eat(",") {
            return reader.expected("`,` or `>`");
        }
    }
}

fn call(reader: &mut Reader<'_>, depth: usize) -> Result<Value, LayoutError> {
    reader.space();
    let start = reader.at;
    let name = reader.peek_word();
    let Some(found) = OPERATIONS.iter().find(|operation| operation.name == name) else {
        let known: Vec<&str> = OPERATIONS.iter().map(|operation| operation.name).collect();
        return Err(LayoutError::at(
            start..start + name.len(),
            format!(
                "unknown operation, expected a layout such as `(8,4):(4,1)`, or one of {}",
                known.join(", ")
            ),
        ));
    };
    reader.at += name.len();
    reader.expect("(")?;
    let mut arguments = Vec::new();
    while !reader.eat(")") {
        if !arguments.is_empty() {
            reader.expect(",")?;
        }
        arguments.push(expression(reader, depth + 1)?);
    }
    let place = start..reader.at;
    found.apply(arguments).map_err(|error| error.or_at(place))
}

impl Operation {
    fn apply(&self, arguments: Vec<Value>) -> Result<Value, LayoutError> {
        let mut arguments = arguments.into_iter();
        let (first, second, third) = (arguments.next(), arguments.next(), arguments.next());
        let n = usize::from(first.is_some())
            + usize::from(second.is_some())
            + usize::from(third.is_some());
        let expected = self.arguments.split(',').count();
        let is_open = matches!(self.does, Does::Complement) && n == 1;
        let Some(first) = first.filter(|_| n == expected || is_open) else {
            return Err(LayoutError::of(format!(
                "found {n} of {expected} arguments, expected {}({})",
                self.name, self.arguments
            )));
        };
        match self.does {
            Does::Linear => match first {
                Value::Linear(linear) => Ok(Value::Linear(linear)),
                other => Linear::of_layout(&self.layout(other)?, &[]).map(Value::Linear),
            },
            Does::Inverse => match first {
                Value::Linear(linear) => linear.inverse().map(Value::Linear),
                other => Linear::of_layout(&self.layout(other)?, &[])?
                    .inverse()
                    .map(Value::Linear),
            },
            Does::Cute => match first {
                Value::Linear(linear) => linear.to_layout().map(|layout| Value::Layout(layout.into())).ok_or_else(|| {
                    LayoutError::of("two input bits map to the same output bit, so no shape and stride can express the layout")
                }),
                other => Ok(Value::Layout(self.layout(other)?)),
            },
            Does::Composition => match second {
                Some(second) => composed(first, second),
                None => Ok(first),
            },
            _ => match first {
                Value::Coordinates(first) => self.on_coordinates(&first, second),
                first => self.on_layouts(first, second),
            },
        }
    }

    fn on_coordinates(
        &self,
        first: &Coordinates,
        second: Option<Value>,
    ) -> Result<Value, LayoutError> {
        match self.does {
            Does::Coalesce => Ok(Value::Coordinates(first.coalesced())),
            Does::Divided(_, operation) => {
                let tiler = second.and_then(Value::into_tiler);
                let tiler = tiler
                    .ok_or_else(|| LayoutError::of("the operation requires a tiler such as `4:1` or `<4,2>` as the second operand"))?;
                let mut divided = operation(first, &tiler)?;
                divided.start.clone_from(&first.start);
                Ok(Value::Coordinates(divided))
            }
            _ => Err(LayoutError::of(format!(
                "found a coordinate layout for `{}`, expected a layout with integer strides",
                self.name
            ))),
        }
    }

    fn on_layouts(&self, first: Value, second: Option<Value>) -> Result<Value, LayoutError> {
        let first = self.layout(first)?;
        let layout = &first.layout;
        let plain = |layout: Layout| Ok(Value::Layout(layout.into()));
        let needs_plain = || match first.swizzle {
            Some(swizzle) => Err(LayoutError::of(format!(
                "found a layout with {swizzle} for `{}`, expected a layout without a swizzle: use `linear` and `inverse` instead",
                self.name
            ))),
            None => Ok(()),
        };
        match self.does {
            Does::Coalesce => Ok(Value::Layout(first.over(algebra::coalesce(layout)))),
            Does::RightInverse => {
                needs_plain()?;
                plain(algebra::right_inverse(layout)?)
            }
            Does::LeftInverse => {
                needs_plain()?;
                plain(algebra::left_inverse(layout)?)
            }
            Does::Complement => {
                needs_plain()?;
                let size = match second {
                    None => layout.cosize(),
                    Some(Value::Number(size)) if size > 0 => size,
                    Some(other) => self.layout(other)?.layout.size(),
                };
                plain(algebra::complement(layout, size)?)
            }
            Does::Divided(operation, _) | Does::Multiplied(operation) => {
                let tiler = second.and_then(Value::into_tiler);
                let tiler = tiler
                    .ok_or_else(|| LayoutError::of("the operation requires a tiler such as `4:1` or `<4,2>` as the second operand"))?;
                Ok(Value::Layout(first.over(operation(layout, &tiler)?)))
            }
            Does::Layouts(operation) => {
                let second = second.map(|second| self.layout(second)).transpose()?;
                let second =
                    second.ok_or_else(|| LayoutError::of("the operation requires two layouts"))?;
                Ok(Value::Layout(
                    first.over(operation(layout, &second.layout)?),
                ))
            }
            Does::Composition | Does::Linear | Does::Inverse | Does::Cute => {
                Ok(Value::Layout(first))
            }
        }
    }

    fn layout(&self, value: Value) -> Result<Composed, LayoutError> {
        let what = value.kind();
        value.into_composed().ok_or_else(|| {
            LayoutError::of(format!(
                "found {what} for `{}`, expected a layout",
                self.name
            ))
        })
    }
}

/// Returns the composition of two values.
fn composed(left: Value, right: Value) -> Result<Value, LayoutError> {
    use Value as V;
    match (left, right) {
        (V::Linear(left), V::Linear(right)) => left.after(&right).map(V::Linear),
        (V::Swizzle(swizzle), right) => {
            let right = right
                .into_composed()
                .filter(|right| right.swizzle.is_none())
                .ok_or_else(|| {
                    LayoutError::of(
                        "the layout after `o` has a swizzle, expected a layout without a swizzle",
                    )
                })?;
            Ok(V::Layout(Composed {
                swizzle: Some(swizzle),
                ..right
            }))
        }
        (V::Number(offset), V::Layout(right)) if right.swizzle.is_none() => {
            Ok(V::Layout(Composed {
                offset: right.offset.saturating_add(offset),
                ..right
            }))
        }
        (V::Layout(left), V::Tiler(tiler)) => by_part(&left, &tiler),
        (V::Coordinates(left), V::Tiler(tiler)) => {
            let mut found = crate::divide::by_part(&left, &tiler, &Coordinates::after)?;
            found.start = left.start;
            Ok(V::Coordinates(found))
        }
        (V::Start(start), V::Coordinates(right)) => Ok(V::Coordinates(right.starting_at(start))),
        (V::Coordinates(left), right) => {
            let what = right.kind();
            let right = right
                .into_composed()
                .filter(|right| right.swizzle.is_none() && right.offset == 0)
                .ok_or_else(|| {
                    LayoutError::of(format!(
                        "found {what} after a coordinate layout, expected a layout with integer strides and no swizzle"
                    ))
                })?;
            left.after(&right.layout).map(V::Coordinates)
        }
        (left, right) => {
            let what = format!("found {} after {}", left.kind(), right.kind());
            match (left.into_composed(), right.into_composed()) {
                (Some(left), Some(right)) if right.swizzle.is_none() && right.offset == 0 => {
                    let layout = algebra::composition(&left.layout, &right.layout)?;
                    Ok(V::Layout(left.over(layout)))
                }
                (Some(_), Some(_)) => Err(LayoutError::of(
                    "found a swizzle or an offset to the right of a layout, expected a swizzle or an offset only on the left: compose `linear` of both layouts instead",
                )),
                _ => Err(LayoutError::of(format!("{what}, expected layouts"))),
            }
        }
    }
}

fn by_part(left: &Composed, tiler: &Tiler) -> Result<Value, LayoutError> {
    let layout = crate::divide::by_part(&left.layout, tiler, &algebra::composition)?;
    Ok(Value::Layout(left.over(layout)))
}

impl Value {
    /// Returns the kind of the value as a noun phrase.
    pub const fn kind(&self) -> &'static str {
        match self {
            Value::Number(_) => "a number",
            Value::Layout(_) => "a layout",
            Value::Coordinates(_) => "a coordinate layout",
            Value::Start(_) => "a coordinate",
            Value::Swizzle(_) => "a swizzle",
            Value::Tiler(_) => "a tiler",
            Value::Linear(_) => "bases over GF(2)",
        }
    }

    /// Converts the value to a layout. A number `n` becomes `n:1`.
    pub fn into_composed(self) -> Option<Composed> {
        match self {
            Value::Layout(layout) => Some(layout),
            Value::Number(n) => Layout::of(n, 1).ok().map(Composed::from),
            Value::Coordinates(_)
            | Value::Start(_)
            | Value::Swizzle(_)
            | Value::Tiler(_)
            | Value::Linear(_) => None,
        }
    }

    fn into_tiler(self) -> Option<Tiler> {
        match self {
            Value::Tiler(tiler) => Some(tiler),
            other => {
                let composed = other.into_composed()?;
                composed
                    .swizzle
                    .is_none()
                    .then_some(Tiler::Whole(composed.layout))
            }
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Layout(layout) => write!(f, "{layout}"),
            Value::Coordinates(layout) => write!(f, "{layout}"),
            Value::Start(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
                write!(f, "ArithTuple({})", numbers.join(","))
            }
            Value::Swizzle(swizzle) => write!(f, "{swizzle}"),
            Value::Tiler(tiler) => write!(f, "{tiler}"),
            Value::Linear(linear) => write!(f, "{linear}"),
        }
    }
}
