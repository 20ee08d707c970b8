//! Evaluation of watch expressions at the present position. The result is one value, or one value for each lane of a warp.

use crate::diagnostics::{no_such_memory, suggestion};
use crate::expression::tree::{Expression, WatchExpression};
use crate::session::Session;
use crate::session::inspect::go_to;
use crate::session::inspect::value::{NumericValue, Value, binary, unary};
use crate::session::memory_id::MemoryKey;
use crate::session::memory_list::element_of;
use warpgrid_isa::ScalarType;
use warpgrid_launch::value::ElementType;
use warpgrid_program::FunctionId;

/// Maximum number of watch expressions in one request.
const MAX_EXPRESSIONS: usize = 32;

/// Values of a watch expression for one position, which the page displays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedValue {
    /// One value, or one value for each of 32 lanes. The value of a nonexistent lane is `None`. The error is the reason why the expression
    /// has no value.
    pub values: Result<Vec<Option<String>>, String>,
    /// Block and warp of the lanes to which the values belong, or `None` for a value that does not depend on lanes.
    pub warp: Option<(u64, u32)>,
}

impl Session {
    /// Seeks to a position and evaluates expressions. Expressions without a lane selection use the registers of the block and warp in
    /// `warp`. The default is the warp of the last step.
    pub fn evaluate(
        &mut self,
        position: u64,
        expressions: &[&str],
        warp: Option<(u64, u32)>,
    ) -> Result<Vec<WatchedValue>, String> {
        go_to(self, position)?;
        let watched = expressions.iter().take(MAX_EXPRESSIONS);
        Ok(watched.map(|text| self.watched_here(text, warp)).collect())
    }

    fn watched_here(&self, text: &str, warp: Option<(u64, u32)>) -> WatchedValue {
        match WatchExpression::read(text) {
            Err(reason) => WatchedValue {
                values: Err(reason),
                warp: None,
            },
            Ok(watch) => self.value_of(&watch, warp),
        }
    }

    fn value_of(&self, watch: &WatchExpression, shown: Option<(u64, u32)>) -> WatchedValue {
        let (expression, place) = (&watch.expression, watch.place);
        if !expression.is_of_lanes() {
            let value = LaneSelection::none(self).value(expression, 0);
            return WatchedValue {
                values: value.map(|value| vec![Some(value.text())]),
                warp: None,
            };
        }
        let (block, warp) = shown.unwrap_or_else(|| self.warp_of_step());
        let (block, warp) = (place.block.unwrap_or(block), place.warp.unwrap_or(warp));
        let values = LaneSelection::of(self, block, warp).and_then(|lanes| lanes.values(watch));
        WatchedValue {
            values,
            warp: Some((block, warp)),
        }
    }

    /// Returns the lanes of a warp for which the value of an expression is not 0. For an expression without registers, the result contains
    /// lane 0 only. Lanes for which the expression has no value are not included.
    pub(crate) fn lanes_where(&self, watch: &WatchExpression, block: u64, warp: u32) -> u32 {
        let (expression, place) = (&watch.expression, watch.place);
        let is_true = |lanes: &LaneSelection<'_>, lane: u8| {
            let number = lanes.value(expression, lane).and_then(Value::number);
            number.is_ok_and(NumericValue::is_true)
        };
        if !expression.is_of_lanes() {
            return u32::from(is_true(&LaneSelection::none(self), 0));
        }
        let is_selected =
            place.block.is_none_or(|own| own == block) && place.warp.is_none_or(|own| own == warp);
        let Some(lanes) = LaneSelection::of(self, block, warp)
            .ok()
            .filter(|_| is_selected)
        else {
            return 0;
        };
        let candidates = match place.lane {
            Some(lane) => lanes.present & 1 << lane,
            None => lanes.present,
        };
        (0..32)
            .filter(|lane| candidates >> lane & 1 == 1 && is_true(&lanes, *lane))
            .fold(0, |found, lane| found | 1 << lane)
    }

    /// Returns the block and warp of the last step, or of the next step if the session is at its start.
    fn warp_of_step(&self) -> (u64, u32) {
        let machine = self.timeline.machine();
        let last = machine.last_step().map(|step| (step.block, step.warp));
        let next = || machine.next_step().map(|step| (step.block, step.warp));
        last.or_else(next).unwrap_or((0, 0))
    }
}

/// Lanes for which a watch expression is evaluated.
struct LaneSelection<'a> {
    session: &'a Session,
    block: u64,
    warp: u32,
    function: FunctionId,
    present: u32,
}

impl<'a> LaneSelection<'a> {
    /// Returns the empty selection for expressions without registers.
    fn none(session: &'a Session) -> LaneSelection<'a> {
        LaneSelection {
            session,
            block: 0,
            warp: 0,
            function: FunctionId(0),
            present: 0,
        }
    }

    fn of(session: &'a Session, block: u64, warp: u32) -> Result<LaneSelection<'a>, String> {
        let machine = session.timeline.machine();
        let state = machine
            .warp(block, warp)
            .ok_or_else(|| format!("warp {warp} of block {block} is not resident at this step"))?;
        Ok(LaneSelection {
            session,
            block,
            warp,
            function: session.function_of(&state),
            present: state.present,
        })
    }

    fn values(&self, watch: &WatchExpression) -> Result<Vec<Option<String>>, String> {
        let value = |lane: u8| self.value(&watch.expression, lane).map(Value::text);
        if let Some(lane) = watch.place.lane {
            return match self.present >> lane & 1 {
                1 => Ok(vec![Some(value(lane)?)]),
                _ => Err(format!("warp {} has no lane {lane}", self.warp)),
            };
        }
        let of_lane = |lane: u8| match self.present >> lane & 1 {
            1 => value(lane).map(Some),
            _ => Ok(None),
        };
        let found: Result<Vec<_>, String> = (0..32).map(of_lane).collect();
        let mut found = found?;
        // If all existing lanes have the same value, return only this value.
        let mut present = found.iter().flatten();
        if let Some(first) = present
            .next()
            .filter(|first| present.all(|other| other == *first))
        {
            found = vec![Some(first.clone())];
        }
        Ok(found)
    }

    fn value(&self, expression: &Expression, lane: u8) -> Result<Value, String> {
        let number = |of: &Expression| self.value(of, lane)?.number();
        Ok(match expression {
            Expression::Literal(literal) => Value::Number(NumericValue::try_from(*literal)?),
            Expression::Register(name) => self.register(name, lane)?,
            Expression::Element(memory, indices) => {
                let indices = indices.iter().map(|index| number(index)?.index());
                self.element(memory, &indices.collect::<Result<Vec<u64>, String>>()?)?
            }
            Expression::As(ty, of) => self.value(of, lane)?.read_as(*ty),
            Expression::Unary(operator, of) => Value::Number(unary(*operator, number(of)?)?),
            Expression::Binary(operator, of) => {
                let [left, right] = &**of;
                Value::Number(binary(*operator, number(left)?, number(right)?)?)
            }
        })
    }

    fn register(&self, name: &str, lane: u8) -> Result<Value, String> {
        let machine = self.session.timeline.machine();
        let function = machine.program().functions.get(self.function.0 as usize);
        let registers = function.map(|function| &function.registers);
        let found = registers.and_then(|all| {
            let (id, ty) = all.find(name)?;
            let row = machine.register_row(self.block, self.warp, self.function, id)?;
            Some((ty, row.get(usize::from(lane)).copied()?))
        });
        let Some((scalar, bits)) = found else {
            if self.session.memory_with(&MemoryKey::from(name)).is_some() {
                return Err(format!(
                    "`{name}` is a buffer, not a value: write `{name}[0]` for the first element"
                ));
            }
            let names = &mut registers.into_iter().flat_map(|all| all.names());
            let help = suggestion(name, names);
            return Err(format!("this function has no register `{name}`{help}"));
        };
        Ok(match scalar {
            ScalarType::Pred => Value::Number(NumericValue::Integer((bits & 1) as i128)),
            _ => Value::Register {
                scalar,
                ty: number_type(scalar),
                bits,
            },
        })
    }

    fn element(&self, id: &MemoryKey, indices: &[u64]) -> Result<Value, String> {
        let memory = self.session.memory_with(id);
        let memory = memory.ok_or_else(|| no_such_memory(&id.to_string()))?;
        let index = linear(id, indices, &memory.view.shape)?;
        let (ty, width) = (memory.element, memory.element.width_bytes());
        let bytes = self.session.memory(id).unwrap_or_default();
        let start = usize::try_from(index)
            .ok()
            .and_then(|index| index.checked_mul(width));
        let cell = start.and_then(|start| bytes.get(start..start.checked_add(width)?));
        let cell = cell.ok_or_else(|| {
            let n = bytes.len() / width.max(1);
            format!("the index {index} is out of bounds: `{id}` has {n} elements")
        })?;
        Ok(Value::Cell {
            ty,
            bits: ty.bits(cell),
        })
    }
}

/// Computes the linear index of an element from its indices in each dimension.
fn linear(id: &MemoryKey, indices: &[u64], shape: &[u64]) -> Result<u64, String> {
    if let [index] = indices {
        return Ok(*index);
    }
    if indices.len() != shape.len() {
        let (n, found) = (shape.len().max(1), indices.len());
        return Err(format!("found {found} indices, expected {n} for `{id}`"));
    }
    let mut linear = 0_u64;
    for (index, extent) in indices.iter().zip(shape) {
        if index >= extent {
            return Err(format!(
                "the index {index} is out of bounds: this dimension of `{id}` has the extent {extent}"
            ));
        }
        linear = linear.saturating_mul(*extent).saturating_add(*index);
    }
    Ok(linear)
}

/// Returns the type in which expressions interpret a register of type `scalar`. Untyped bits are integers.
fn number_type(scalar: ScalarType) -> ElementType {
    use ElementType as T;
    match scalar {
        ScalarType::B8 => T::U8,
        ScalarType::B16 => T::U16,
        ScalarType::B32 => T::U32,
        ScalarType::B64 => T::U64,
        _ => element_of(scalar),
    }
}
