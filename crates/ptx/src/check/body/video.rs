//! Operands of video instructions: registers with selected bytes and half words (PTX ISA, "Video Instructions"; assembler 13.5). The
//! lowering encodes the selectors as a number, and appends the number as an additional operand.

use crate::check::body::checker::BodyChecker;
use crate::check::body::lower::{destination, inserted, source};
use crate::check::body::operand::InstructionSite;
use crate::diagnostics::check as diagnose;
use crate::diagnostics::video as parts;
use crate::tree::name::Name;
use crate::tree::operand::{Component, Operand, OperandKind};
use warpgrid_isa::video_selectors::{SubwordSelector, SubwordSelectors};
use warpgrid_isa::{Flag, ScalarType, SimdWidth, TypeMatch, VideoOp};
use warpgrid_program::{OperandValue, RegisterId, Source};

/// Type of every operand of a video instruction, which is a 32-bit register.
const TY: ScalarType = ScalarType::U32;

/// Position of an operand in the table row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OperandPosition {
    Destination,
    Factor,
    Addend,
}

/// Properties of a video operand that determine its requirements: operation, number of lanes and operand position.
#[derive(Clone, Copy, Debug)]
struct OperandRequest {
    op: VideoOp,
    lanes: SimdWidth,
    place: OperandPosition,
}

/// Operand of a video instruction, with the bytes or half words that it selects.
struct VideoOperand {
    value: OperandValue,
    parts: Option<SubwordSelector>,
    negated: bool,
}

impl<'a> BodyChecker<'a, '_> {
    /// Checks and lowers the operands of a video instruction.
    pub(crate) fn video(
        &mut self,
        site: &InstructionSite<'a>,
        op: VideoOp,
        lanes: SimdWidth,
    ) -> Option<()> {
        let start = self.body.operands.len();
        self.count_operands(site)?;
        let second = site.plan.modifiers.reduce.is_some() && lanes == SimdWidth::One;
        let (n, n_most) = (site.operands.count(), site.plan.max_operands);
        if second && n < n_most {
            self.report_count(site, n, n_most..=n_most);
            return None;
        }
        let mut selection = SubwordSelectors::default();
        let mut ok = true;
        for (index, (operand, _)) in site.operands.enumerate() {
            let place = match index {
                0 => OperandPosition::Destination,
                1 | 2 => OperandPosition::Factor,
                _ => OperandPosition::Addend,
            };
            let request = OperandRequest { op, lanes, place };
            let Some(read) = self.video_operand(site, operand, request) else {
                ok = false;
                continue;
            };
            match index {
                0 => selection.d = read.parts,
                1 => selection.a = read.parts,
                2 => selection.b = read.parts,
                _ => {}
            }
            match place {
                OperandPosition::Addend => selection.negate_addend |= read.negated,
                OperandPosition::Destination | OperandPosition::Factor => {
                    selection.negate_product ^= read.negated
                }
            }
            self.check_part(site, operand, request, read.parts)?;
            if read.negated && site.plan.modifiers.has(Flag::PlusOne) {
                let opcode = self.opcode(site);
                self.report(parts::negation_and_one(opcode, operand.span));
                ok = false;
            }
            self.body.push(read.value, operand.span);
        }
        if !ok {
            return None;
        }
        if selection.negate_product && selection.negate_addend {
            let opcode = self.opcode(site);
            self.report(parts::negations(opcode, site.span));
            return None;
        }
        self.fill_operands(site, start);
        let number = source(Source::Immediate(selection.to_bits()));
        self.body.operands.push(inserted(number));
        Some(())
    }

    fn video_operand(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        OperandRequest { op, lanes, place }: OperandRequest,
    ) -> Option<VideoOperand> {
        let (value, negated) = match operand.kind {
            OperandKind::Component {
                name,
                component: Component::Byte(_) | Component::Half(_),
            } => {
                let register = self.video_register(site, operand, name)?;
                (of_register(register, place), false)
            }
            OperandKind::Minus(name)
                if op == VideoOp::Mad && place != OperandPosition::Destination =>
            {
                let register = self.video_register(site, operand, name)?;
                (of_register(register, place), true)
            }
            _ if place == OperandPosition::Destination => {
                match self.written(site, operand, TY, TypeMatch::Exact)? {
                    Some(register) => (destination(register), false),
                    None => {
                        self.report_sink(site, operand);
                        return None;
                    }
                }
            }
            _ => {
                let value = self.source(site, operand, TY, TypeMatch::Exact)?;
                if let Some(found) = refused_source(value, lanes, place) {
                    self.report(diagnose::expected_register(operand.span, found));
                    return None;
                }
                (source(value), false)
            }
        };
        let parts = match operand.kind {
            OperandKind::Component { .. } | OperandKind::Minus(_) => {
                let text = operand.span.text(self.source);
                text.rsplit_once('.')
                    .and_then(|(_, part)| SubwordSelector::read(part.trim()))
            }
            _ => None,
        };
        Some(VideoOperand {
            value,
            parts,
            negated,
        })
    }

    fn video_register(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        name: Name,
    ) -> Option<RegisterId> {
        let register = self.register(site, name, operand.span)?;
        self.fit(operand.span, register, TY, TypeMatch::Exact)?;
        Some(register)
    }

    /// Checks whether the instruction permits the selector `found` for an operand, and returns the encoded selector.
    fn check_part(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        OperandRequest { op, lanes, place }: OperandRequest,
        found: Option<SubwordSelector>,
    ) -> Option<()> {
        let Some(found) = found else { return Some(()) };
        let opcode = self.opcode(site);
        let n = lanes.count();
        let digits = found.digits();
        let text = operand.span.text(self.source);
        let written = text.rsplit_once('.').map_or("", |(_, part)| part.trim());
        let wrong = |expected| parts::wrong_parts(opcode, operand.span, written, expected);
        let is_falling = digits.windows(2).all(|pair| pair.first() > pair.last());
        let most = digits.iter().max().map_or(0, |digit| usize::from(*digit));
        let problem = match (lanes, place) {
            (_, OperandPosition::Addend) => Some(parts::part_of_addend(opcode, operand.span)),
            (SimdWidth::One, OperandPosition::Destination) if op == VideoOp::Mad => {
                Some(wrong("a whole register"))
            }
            (SimdWidth::One, OperandPosition::Destination)
                if site.plan.modifiers.reduce.is_some() =>
            {
                Some(parts::part_and_operation(opcode, operand.span))
            }
            (SimdWidth::One, OperandPosition::Destination)
                if site.operands.count() < site.plan.max_operands =>
            {
                Some(parts::part_without_rest(opcode, operand.span))
            }
            (SimdWidth::One, _) => {
                let n_parts = if found.bytes { 4 } else { 2 };
                (digits.len() != 1 || most >= n_parts)
                    .then(|| wrong("a selector of one byte or half word, such as `.b0` or `.h1`"))
            }
            (SimdWidth::Two | SimdWidth::Four, OperandPosition::Destination) => {
                let is_own = found.bytes == (lanes == SimdWidth::Four);
                (!is_own || !is_falling || most >= n)
                    .then(|| wrong("a selector that lists parts of the result in descending order"))
            }
            (SimdWidth::Two | SimdWidth::Four, OperandPosition::Factor) => {
                let is_own = found.bytes == (lanes == SimdWidth::Four);
                (!is_own || digits.len() != n || most >= 2 * n)
                    .then(|| wrong("a selector with one part of a source for each result"))
            }
        };
        match problem {
            Some(problem) => {
                self.report(problem);
                None
            }
            None => Some(()),
        }
    }
}

/// Returns a noun for a source if the video instruction rejects it, or `None` if the instruction accepts the source.
fn refused_source(value: Source, lanes: SimdWidth, place: OperandPosition) -> Option<&'static str> {
    let takes_sums = lanes == SimdWidth::One && place == OperandPosition::Addend;
    match value {
        Source::Immediate(_) if lanes != SimdWidth::One => Some("a number"),
        Source::VariableAddress { .. } if !takes_sums => Some("the address of a variable"),
        Source::FunctionAddress(_) => Some("a function"),
        Source::RegisterOffset { .. } if !takes_sums => Some("an address expression"),
        _ => None,
    }
}

fn of_register(register: RegisterId, place: OperandPosition) -> OperandValue {
    match place {
        OperandPosition::Destination => destination(register),
        OperandPosition::Factor | OperandPosition::Addend => {
            source(crate::check::body::lower::register(register))
        }
    }
}
