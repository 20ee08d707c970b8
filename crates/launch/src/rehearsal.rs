//! A guessed launch is rehearsed before anyone sees it: where the kernel runs over the edge of something that was only
//! guessed, the guess grows; where it takes a number for an address, the number becomes a buffer. What was stated stays
//! as it was stated, and so do its faults.

use crate::annotations::lines_of;
use crate::guess;
use crate::prepare;
use crate::reading::Reader;
use crate::scenario::{Parameter, Scenario};
use crate::value::{ElementType, Literal};
use std::sync::Arc;
use warpgrid_emulator::{AccessFault, Fault, FaultKind, Limits, Machine, Region};
use warpgrid_isa::ScalarType;
use warpgrid_program::{FunctionId, Program};

/// Steps of one rehearsal; of a longer run only the beginning is rehearsed.
const MAX_STEPS: u64 = 20_000;
/// Steps of all rehearsals of one launch.
const MAX_STEPS_IN_ALL: u64 = 400_000;
/// No guess grows beyond this.
const MAX_BUFFER_BYTES: u64 = 4 << 20;
const MAX_SHARED_BYTES: u64 = 48 << 10;
/// How far after a number an access may lie that took it for an address.
const REACH_BYTES: u64 = 1 << 20;

/// The parts of a scenario that are guessed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guessed {
    /// One entry per parameter of the kernel, in order.
    pub(crate) parameters: Vec<bool>,
    pub(crate) dynamic_shared: bool,
    pub(crate) grid: bool,
    pub(crate) block: bool,
}

impl Guessed {
    /// Every guess, those within structures one by one.
    fn leaves<'a>(
        &'a self,
        parameters: &'a mut [Parameter],
    ) -> impl Iterator<Item = &'a mut Parameter> {
        let guessed = parameters.iter_mut().zip(&self.parameters);
        let guesses = guessed.filter(|(_, guessed)| **guessed).map(|(p, _)| p);
        guesses.flat_map(|parameter| match parameter {
            Parameter::Struct { fields, .. } => {
                let members = fields.iter_mut().map(|field| &mut field.parameter);
                members.collect::<Vec<_>>()
            }
            other => vec![other],
        })
    }

    /// The guesses as the lines that would state them, each starting with `mark`.
    pub(crate) fn lines(&self, scenario: &Scenario, mark: &str) -> Vec<String> {
        let mut launch = String::new();
        if let Some([x, y, z]) = scenario.block.filter(|_| self.block) {
            if self.grid {
                launch = format!(" grid={}", extents_text(scenario.grid.unwrap_or([1; 3])));
            }
            launch += &format!(" block={}", extents_text([x, y, z]));
        }
        if self.dynamic_shared && scenario.dynamic_shared > 0 {
            launch += &format!(" shared={}", scenario.dynamic_shared);
        }
        let launch = (!launch.is_empty()).then(|| format!("{mark} launch{launch}"));
        let guessed = scenario.params.iter().zip(&self.parameters);
        let parameters = guessed.filter(|(_, guessed)| **guessed);
        let lines = parameters.flat_map(|(parameter, _)| lines_of(parameter, mark));
        launch.into_iter().chain(lines).collect()
    }
}

fn extents_text([x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x}x{y}"),
        _ => format!("{x}x{y}x{z}"),
    }
}

/// Rehearses a complete scenario and grows its guesses until the kernel stays within them, or nothing more can be done.
pub(crate) fn rehearse(
    scenario: &mut Scenario,
    guessed: &Guessed,
    program: &Arc<Program>,
    entry: FunctionId,
    limits: &Limits,
) {
    if !guessed.dynamic_shared && !guessed.parameters.contains(&true) {
        return;
    }
    let mut stage = Stage {
        guessed,
        program,
        entry,
        limits,
        steps_left: MAX_STEPS_IN_ALL,
    };
    while let Some(fault) = stage.fault(scenario) {
        match stage.grown(scenario, &fault) {
            Some(better) => *scenario = better,
            None => return,
        }
    }
}

struct Stage<'a> {
    guessed: &'a Guessed,
    program: &'a Arc<Program>,
    entry: FunctionId,
    limits: &'a Limits,
    steps_left: u64,
}

/// An access outside everything, and the fault that says so.
struct OutOfBounds {
    fault: Fault,
    access: AccessFault,
}

/// A guessed parameter that holds a whole number.
struct Scalar<'a> {
    name: &'a str,
    ty: &'a str,
    value: u64,
}

impl Scalar<'_> {
    fn of(parameter: &Parameter) -> Option<Scalar<'_>> {
        match parameter {
            Parameter::Scalar {
                name,
                ty,
                value: Literal::Integer(value),
            } => Some(Scalar {
                name,
                ty,
                value: u64::try_from(*value).ok()?,
            }),
            _ => None,
        }
    }
}

/// Elements of the buffers of a parameter.
fn n_elements(parameter: &Parameter) -> u64 {
    match parameter {
        Parameter::Buffer(buffer) => buffer.len,
        Parameter::Struct { fields, .. } => {
            let members = fields.iter().map(|field| n_elements(&field.parameter));
            members.fold(0, u64::saturating_add)
        }
        Parameter::Scalar { .. } | Parameter::Alias { .. } => 0,
    }
}

impl Stage<'_> {
    /// The first access of a run that is out of bounds.
    fn fault(&mut self, scenario: &Scenario) -> Option<OutOfBounds> {
        let function = self.program.functions.get(self.entry.0 as usize)?;
        // A launch costs something too, and large buffers more, so that rehearsals end soon whatever they find.
        let elements = scenario.params.iter().map(n_elements);
        let cost = elements.fold(1_000u64, |cost, len| cost.saturating_add(len / 64));
        self.steps_left = self.steps_left.checked_sub(cost)?;
        let (launch, _) = prepare::build(scenario, function, self.entry, self.limits).ok()?;
        let program = Arc::clone(self.program);
        let mut machine = Machine::new(program, &launch, *self.limits).ok()?;
        machine.run(MAX_STEPS.min(self.steps_left));
        self.steps_left = self.steps_left.saturating_sub(machine.position());
        let fault = machine.fault().filter(|_| self.steps_left > 0)?.clone();
        let access = fault.access.clone();
        let access = access.filter(|_| fault.kind == FaultKind::OutOfBounds)?;
        Some(OutOfBounds { fault, access })
    }

    /// The scenario with the guess changed that the access left.
    fn grown(&mut self, scenario: &Scenario, found: &OutOfBounds) -> Option<Scenario> {
        let place = &found.access.place;
        let end = u64::try_from(place.byte_offset).ok()? + u64::from(found.access.width_bytes);
        let mut better = scenario.clone();
        match &place.region {
            Region::Buffer { name, .. } => {
                let guesses = self.guessed.leaves(&mut better.params).collect::<Vec<_>>();
                let mut buffers = guesses.into_iter().filter_map(|parameter| match parameter {
                    Parameter::Buffer(buffer) => Some(buffer),
                    _ => None,
                });
                let buffer = buffers.find(|buffer| buffer.name == *name)?;
                let width = ElementType::from_name(&buffer.ty)?.width_bytes() as u64;
                let len = end.div_ceil(width).checked_next_power_of_two()?;
                let grows = len > buffer.len && len <= MAX_BUFFER_BYTES / width;
                buffer.len = grows.then_some(len)?;
                Some(better)
            }
            Region::Shared if self.guessed.dynamic_shared => {
                let size = end.checked_next_power_of_two()?.max(256);
                let grows = size > scenario.dynamic_shared && size <= MAX_SHARED_BYTES;
                better.dynamic_shared = grows.then_some(size)?;
                Some(better)
            }
            Region::Nothing => {
                let ty = self.accessed_type(&found.fault)?;
                let address = found.access.address;
                self.with_other_number(scenario, found, |scalar| {
                    let distance = address.wrapping_sub(scalar.value);
                    let is_pointer = scalar.ty == "u64" && distance < REACH_BYTES;
                    is_pointer.then(|| guess::buffer(scalar.name.to_owned(), ty, 1, true, scenario))
                })
            }
            // An array of fixed size: the kernel was given too large a number.
            Region::Local | Region::Shared => self.with_other_number(scenario, found, |scalar| {
                (scalar.value > 1).then(|| Parameter::Scalar {
                    name: scalar.name.to_owned(),
                    ty: scalar.ty.to_owned(),
                    value: Literal::Integer((scalar.value / 2).into()),
                })
            }),
            _ => None,
        }
    }

    /// The scenario with one guessed number replaced; of several, the first one that carries the run further.
    fn with_other_number(
        &mut self,
        scenario: &Scenario,
        found: &OutOfBounds,
        other: impl Fn(&Scalar<'_>) -> Option<Parameter>,
    ) -> Option<Scenario> {
        for nth in 0.. {
            let mut better = scenario.clone();
            let guess = self.guessed.leaves(&mut better.params).nth(nth)?;
            let Some(parameter) = Scalar::of(guess).and_then(|scalar| other(&scalar)) else {
                continue;
            };
            *guess = parameter;
            let next = self.fault(&better);
            let is_further = next.is_none_or(|next| {
                next.fault.step > found.fault.step || next.access.address != found.access.address
            });
            if is_further {
                return Some(better);
            }
        }
        None
    }

    fn accessed_type(&self, fault: &Fault) -> Option<ScalarType> {
        let reader = Reader::at(self.program, fault.function, fault.instruction)?;
        Some(reader.access()?.ty)
    }
}
