//! Parser and evaluator of expressions such as `logical_divide((8,8):(8,1), <4,2>)` and `A o B`.

use crate::parser::Parser;
use crate::{
    ComposedLayout, CoordinateLayout, Layout, LayoutError, LinearLayout, Swizzle, TileableLayout,
    Tiler, algebra, blocked_product, flat_divide, flat_product, logical_divide, logical_product,
    raked_product, tiled_divide, tiled_product, zipped_divide, zipped_product,
};
use std::fmt;
use std::ops::Range;

/// Value of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvalResult {
    Number(i64),
    Layout(ComposedLayout),
    /// Layout with coordinate strides.
    Coordinates(CoordinateLayout),
    /// Start of a layout with coordinate strides.
    Start(Vec<i64>),
    Swizzle(Swizzle),
    Tiler(Tiler),
    Linear(LinearLayout),
}

/// Operation of expressions.
#[derive(Clone, Copy, Debug)]
pub struct LayoutOperation {
    pub name: &'static str,
    /// Names of the arguments: `A, B`.
    pub arguments: &'static str,
    pub description: &'static str,
    operation: LayoutOperationKind,
}

type TilerOperation<L> = fn(&L, &Tiler) -> Result<L, LayoutError>;
type BinaryOperation = fn(&Layout, &Layout) -> Result<Layout, LayoutError>;

#[derive(Clone, Copy, Debug)]
enum LayoutOperationKind {
    Coalesce,
    Composition,
    Complement,
    RightInverse,
    LeftInverse,
    Divided(TilerOperation<Layout>, TilerOperation<CoordinateLayout>),
    Multiplied(TilerOperation<Layout>),
    Layouts(BinaryOperation),
    Linear,
    Inverse,
    Cute,
}

const fn operation(
    name: &'static str,
    arguments: &'static str,
    about: &'static str,
    operation: LayoutOperationKind,
) -> LayoutOperation {
    LayoutOperation {
        name,
        arguments,
        description: about,
        operation,
    }
}

/// All operations in the order of the documentation.
#[rustfmt::skip]
pub const OPERATIONS: &[LayoutOperation] = &[
    operation("coalesce", "A", "the equivalent layout with the fewest modes", LayoutOperationKind::Coalesce),
    operation("composition", "A, B", "the composition A(B(i)), also written `A o B`", LayoutOperationKind::Composition),
    operation("complement", "A, size", "the layout that covers the gaps of A up to a size", LayoutOperationKind::Complement),
    operation("right_inverse", "A", "the layout r with A(r(i)) = i", LayoutOperationKind::RightInverse),
    operation("left_inverse", "A", "the layout l with l(A(i)) = i", LayoutOperationKind::LeftInverse),
    operation("logical_divide", "A, tiler", "each mode consists of the tile and the remainder", LayoutOperationKind::Divided(logical_divide, logical_divide)),
    operation("zipped_divide", "A, tiler", "the first mode contains all tiles, and the second mode contains all remainders", LayoutOperationKind::Divided(zipped_divide, zipped_divide)),
    operation("tiled_divide", "A, tiler", "all tiles are one mode, and each remainder is a separate mode", LayoutOperationKind::Divided(tiled_divide, tiled_divide)),
    operation("flat_divide", "A, tiler", "each tile and each remainder is a separate mode", LayoutOperationKind::Divided(flat_divide, flat_divide)),
    operation("logical_product", "A, tiler", "each mode consists of a mode of A and the repetitions of this mode", LayoutOperationKind::Multiplied(logical_product)),
    operation("zipped_product", "A, tiler", "the first mode contains A, and the second mode contains all repetitions", LayoutOperationKind::Multiplied(zipped_product)),
    operation("tiled_product", "A, tiler", "A is one mode, and each repetition is a separate mode", LayoutOperationKind::Multiplied(tiled_product)),
    operation("flat_product", "A, tiler", "each mode of A and each repetition is a separate mode", LayoutOperationKind::Multiplied(flat_product)),
    operation("blocked_product", "A, B", "the repetitions of A, arranged in blocks", LayoutOperationKind::Layouts(blocked_product)),
    operation("raked_product", "A, B", "the repetitions of A, interleaved", LayoutOperationKind::Layouts(raked_product)),
    operation("linear", "A", "the bases over GF(2)", LayoutOperationKind::Linear),
    operation("inverse", "bases", "the inverse of a linear layout", LayoutOperationKind::Inverse),
    operation("cute", "bases", "the CuTe layout that is equivalent to a linear layout", LayoutOperationKind::Cute),
];

/// Maximum nesting depth of operations.
const MAX_DEPTH: usize = 32;
/// Maximum length of an expression in bytes.
const MAX_TEXT: usize = 1 << 16;

/// Parses and evaluates an expression.
pub fn evaluate(text: &str) -> Result<EvalResult, LayoutError> {
    if text.len() > MAX_TEXT {
        return Err(LayoutError::of(format!(
            "the expression has {} bytes, expected at most {MAX_TEXT}",
            text.len()
        )));
    }
    let mut reader = Parser::new(text);
    let value = expression(&mut reader, 0)?;
    reader.space();
    match reader.rest().is_empty() {
        true => Ok(value),
        false => reader.expected("`o` or the end of the expression"),
    }
}

/// Parses terms that `o` separates. The composition is evaluated from right to left.
fn expression(reader: &mut Parser<'_>, depth: usize) -> Result<EvalResult, LayoutError> {
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

fn is_joined(reader: &mut Parser<'_>) -> bool {
    if reader.eat("∘") {
        return true;
    }
    reader.peek_word() == "o" && reader.eat("o")
}

/// Converts a swizzle before a pointer, which applies to bytes, to elements.
fn in_elements(terms: &mut [(EvalResult, Range<usize>)], bytes: u32) -> Result<(), LayoutError> {
    let Some((EvalResult::Swizzle(swizzle), place)) = terms.last_mut() else {
        return Ok(());
    };
    *swizzle = swizzle.rescaled(bytes.trailing_zeros()).ok_or_else(|| {
        LayoutError::at(
            place.clone(),
            format!("the swizzle splits elements of {bytes} bytes"),
        )
    })?;
    Ok(())
}

fn term(reader: &mut Parser<'_>, depth: usize) -> Result<EvalResult, LayoutError> {
    if depth > MAX_DEPTH {
        return reader.expected(&format!("at most {MAX_DEPTH} nested operations"));
    }
    if let Some(swizzle) = reader.swizzle()? {
        return Ok(EvalResult::Swizzle(swizzle));
    }
    if let Some(start) = reader.start()? {
        return Ok(EvalResult::Start(start));
    }
    reader.space();
    match reader.rest().chars().next() {
        Some('{') => reader.linear().map(EvalResult::Linear),
        Some('<') => tiler(reader, depth).map(EvalResult::Tiler),
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
fn tiler(reader: &mut Parser<'_>, depth: usize) -> Result<Tiler, LayoutError> {
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

fn call(reader: &mut Parser<'_>, depth: usize) -> Result<EvalResult, LayoutError> {
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

impl LayoutOperation {
    fn apply(&self, arguments: Vec<EvalResult>) -> Result<EvalResult, LayoutError> {
        let mut arguments = arguments.into_iter();
        let (first, second, third) = (arguments.next(), arguments.next(), arguments.next());
        let n = usize::from(first.is_some())
            + usize::from(second.is_some())
            + usize::from(third.is_some());
        let expected = self.arguments.split(',').count();
        let is_open = matches!(self.operation, LayoutOperationKind::Complement) && n == 1;
        let Some(first) = first.filter(|_| n == expected || is_open) else {
            return Err(LayoutError::of(format!(
                "found {n} of {expected} arguments, expected {}({})",
                self.name, self.arguments
            )));
        };
        match self.operation {
            LayoutOperationKind::Linear => match first {
                EvalResult::Linear(linear) => Ok(EvalResult::Linear(linear)),
                other => LinearLayout::of_layout(&self.layout(other)?, &[]).map(EvalResult::Linear),
            },
            LayoutOperationKind::Inverse => match first {
                EvalResult::Linear(linear) => linear.inverse().map(EvalResult::Linear),
                other => LinearLayout::of_layout(&self.layout(other)?, &[])?
                    .inverse()
                    .map(EvalResult::Linear),
            },
            LayoutOperationKind::Cute => match first {
                EvalResult::Linear(linear) => linear.to_layout().map(|layout| EvalResult::Layout(layout.into())).ok_or_else(|| {
                    LayoutError::of("two input bits map to the same output bit, so no shape and stride can express the layout")
                }),
                other => Ok(EvalResult::Layout(self.layout(other)?)),
            },
            LayoutOperationKind::Composition => match second {
                Some(second) => composed(first, second),
                None => Ok(first),
            },
            _ => match first {
                EvalResult::Coordinates(first) => self.on_coordinates(&first, second),
                first => self.on_layouts(first, second),
            },
        }
    }

    fn on_coordinates(
        &self,
        first: &CoordinateLayout,
        second: Option<EvalResult>,
    ) -> Result<EvalResult, LayoutError> {
        match self.operation {
            LayoutOperationKind::Coalesce => Ok(EvalResult::Coordinates(first.coalesced())),
            LayoutOperationKind::Divided(_, operation) => {
                let tiler = second.and_then(EvalResult::into_tiler);
                let tiler = tiler
                    .ok_or_else(|| LayoutError::of("the operation requires a tiler such as `4:1` or `<4,2>` as the second operand"))?;
                let mut divided = operation(first, &tiler)?;
                divided.start.clone_from(&first.start);
                Ok(EvalResult::Coordinates(divided))
            }
            _ => Err(LayoutError::of(format!(
                "found a coordinate layout for `{}`, expected a layout with integer strides",
                self.name
            ))),
        }
    }

    fn on_layouts(
        &self,
        first: EvalResult,
        second: Option<EvalResult>,
    ) -> Result<EvalResult, LayoutError> {
        let first = self.layout(first)?;
        let layout = &first.layout;
        let plain = |layout: Layout| Ok(EvalResult::Layout(layout.into()));
        let needs_plain = || match first.swizzle {
            Some(swizzle) => Err(LayoutError::of(format!(
                "found a layout with {swizzle} for `{}`, expected a layout without a swizzle: use `linear` and `inverse` instead",
                self.name
            ))),
            None => Ok(()),
        };
        match self.operation {
            LayoutOperationKind::Coalesce => {
                Ok(EvalResult::Layout(first.over(algebra::coalesce(layout))))
            }
            LayoutOperationKind::RightInverse => {
                needs_plain()?;
                plain(algebra::right_inverse(layout)?)
            }
            LayoutOperationKind::LeftInverse => {
                needs_plain()?;
                plain(algebra::left_inverse(layout)?)
            }
            LayoutOperationKind::Complement => {
                needs_plain()?;
                let size = match second {
                    None => layout.cosize(),
                    Some(EvalResult::Number(size)) if size > 0 => size,
                    Some(other) => self.layout(other)?.layout.size(),
                };
                plain(algebra::complement(layout, size)?)
            }
            LayoutOperationKind::Divided(operation, _)
            | LayoutOperationKind::Multiplied(operation) => {
                let tiler = second.and_then(EvalResult::into_tiler);
                let tiler = tiler
                    .ok_or_else(|| LayoutError::of("the operation requires a tiler such as `4:1` or `<4,2>` as the second operand"))?;
                Ok(EvalResult::Layout(first.over(operation(layout, &tiler)?)))
            }
            LayoutOperationKind::Layouts(operation) => {
                let second = second.map(|second| self.layout(second)).transpose()?;
                let second =
                    second.ok_or_else(|| LayoutError::of("the operation requires two layouts"))?;
                Ok(EvalResult::Layout(
                    first.over(operation(layout, &second.layout)?),
                ))
            }
            LayoutOperationKind::Composition
            | LayoutOperationKind::Linear
            | LayoutOperationKind::Inverse
            | LayoutOperationKind::Cute => Ok(EvalResult::Layout(first)),
        }
    }

    fn layout(&self, value: EvalResult) -> Result<ComposedLayout, LayoutError> {
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
fn composed(left: EvalResult, right: EvalResult) -> Result<EvalResult, LayoutError> {
    use EvalResult as V;
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
            Ok(V::Layout(ComposedLayout {
                swizzle: Some(swizzle),
                ..right
            }))
        }
        (V::Number(offset), V::Layout(right)) if right.swizzle.is_none() => {
            Ok(V::Layout(ComposedLayout {
                offset: right.offset.saturating_add(offset),
                ..right
            }))
        }
        (V::Layout(left), V::Tiler(tiler)) => by_part(&left, &tiler),
        (V::Coordinates(left), V::Tiler(tiler)) => {
            let mut found =
                crate::divide::compose_by_mode(&left, &tiler, &CoordinateLayout::compose)?;
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
            left.compose(&right.layout).map(V::Coordinates)
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

fn by_part(left: &ComposedLayout, tiler: &Tiler) -> Result<EvalResult, LayoutError> {
    let layout = crate::divide::compose_by_mode(&left.layout, tiler, &algebra::composition)?;
    Ok(EvalResult::Layout(left.over(layout)))
}

impl EvalResult {
    /// Returns the kind of the value as a noun phrase.
    pub const fn kind(&self) -> &'static str {
        match self {
            EvalResult::Number(_) => "a number",
            EvalResult::Layout(_) => "a layout",
            EvalResult::Coordinates(_) => "a coordinate layout",
            EvalResult::Start(_) => "a coordinate",
            EvalResult::Swizzle(_) => "a swizzle",
            EvalResult::Tiler(_) => "a tiler",
            EvalResult::Linear(_) => "bases over GF(2)",
        }
    }

    /// Converts the value to a layout. A number `n` becomes `n:1`.
    pub fn into_composed(self) -> Option<ComposedLayout> {
        match self {
            EvalResult::Layout(layout) => Some(layout),
            EvalResult::Number(n) => Layout::of(n, 1).ok().map(ComposedLayout::from),
            EvalResult::Coordinates(_)
            | EvalResult::Start(_)
            | EvalResult::Swizzle(_)
            | EvalResult::Tiler(_)
            | EvalResult::Linear(_) => None,
        }
    }

    fn into_tiler(self) -> Option<Tiler> {
        match self {
            EvalResult::Tiler(tiler) => Some(tiler),
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

impl fmt::Display for EvalResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvalResult::Number(number) => write!(f, "{number}"),
            EvalResult::Layout(layout) => write!(f, "{layout}"),
            EvalResult::Coordinates(layout) => write!(f, "{layout}"),
            EvalResult::Start(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
                write!(f, "ArithTuple({})", numbers.join(","))
            }
            EvalResult::Swizzle(swizzle) => write!(f, "{swizzle}"),
            EvalResult::Tiler(tiler) => write!(f, "{tiler}"),
            EvalResult::Linear(linear) => write!(f, "{linear}"),
        }
    }
}
