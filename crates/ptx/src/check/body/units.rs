//! Operands of units beside the lanes: texture units, tensor memory, copies of tensors, groups of devices (assembler 13.5).
//! In: an operand and what its row says of it; out: its value. None of these runs, so that where a list is only compared,
//! its value is absent.

mod lists;
mod places;

use crate::check::body::checker::BodyChecker;
use crate::check::body::lower::source;
use crate::check::body::operand::Site;
use crate::check::body::values::Element;
use crate::check::names::binding::Binding;
use crate::check::plans::plan::Plan;
use crate::diagnostics::check as diagnose;
use crate::diagnostics::rules::special_gate;
use crate::tree::{DeclaredType, Operand, OperandKind, Operands};
use lists::Specials;
use warpgrid_isa::form::{Gate, UnitOperand};
use warpgrid_isa::target::TargetGate::{Family, OneOf, Only};
use warpgrid_isa::{Fit, Flag, Modifiers, Role, ScalarType, SlotName, StateSpace};
use warpgrid_program::{OperandValue, Source};

impl<'a> BodyChecker<'a, '_> {
    /// The value of an operand; `None` when something was reported. Rare, and large: within the operands of every
    /// instruction it would make them slower to read.
    #[cold]
    pub(super) fn unit_operand(
        &mut self,
        (site, plan): (&Site<'a>, &'a Plan),
        (what, role): (UnitOperand, Role),
        operand: &Operand,
        children: Operands<'a>,
    ) -> Option<OperandValue> {
        use UnitOperand as U;
        let bound = plan.bound.as_ref()?;
        match what {
            U::Register(slot) => {
                let ty = bound.scalar(slot)?;
                let register = self.written(site, operand, ty, Fit::Exact)?;
                match register {
                    Some(register) => Some(source(crate::check::body::lower::register(register))),
                    None => {
                        self.report_sink(site, operand);
                        None
                    }
                }
            }
            U::Alignment => {
                let is_power = matches!(operand.kind, OperandKind::Integer { value, .. } if is_alignment(value));
                self.expect_that(is_power, operand, "a power of two")
            }
            U::Columns => match operand.kind {
                OperandKind::Integer { value, .. } => {
                    let is_right = value.is_power_of_two() && (32..=512).contains(&value);
                    self.expect_that(is_right, operand, "a power of two from 32 to 512")
                }
                _ => self.plain_word(site, plan, operand),
            },
            U::Word => self.plain_word(site, plan, operand),
            U::Level => {
                let mut values = children;
                match (operand.kind, values.next()) {
                    (OperandKind::Vector { .. }, Some((first, _)))
                        if matches!(children.count(), 1 | 2 | 4) =>
                    {
                        self.plain_word(site, plan, first)
                    }
                    _ => self.plain_word(site, plan, operand),
                }
            }
            U::SparseScale => {
                let mut operands = site.operands;
                let has_lanes =
                    operands.any(|(other, _)| matches!(other.kind, OperandKind::Vector { .. }));
                let is_right = matches!(operand.kind, OperandKind::Integer { .. }) && !has_lanes;
                self.expect_that(
                    is_right,
                    operand,
                    "a number, and no lanes that are left out",
                )
            }
            U::Packed => self.whole_bits(site, plan, operand, children),
            U::Values(slot) => {
                let ty = bound.scalar(slot)?;
                self.values(site, plan, (operand, children), ty, role)
            }
            U::Bytes => match operand.kind {
                OperandKind::Integer { value, .. } => {
                    let is_right = value.is_multiple_of(16) && value < 1 << 20;
                    self.expect_that(is_right, operand, "a multiple of 16 below 1048576")
                }
                _ => self.plain_word(site, plan, operand),
            },
            U::Mask => match operand.kind {
                OperandKind::Integer { value, .. } => {
                    let fits = value <= u64::from(u16::MAX);
                    self.expect_that(fits, operand, "a number of 16 bits")
                }
                _ => {
                    let value = self.source(site, plan, operand, ScalarType::U16, Fit::Exact)?;
                    Some(source(value))
                }
            },
            U::AddressOrName(space) => {
                let is_right = match operand.kind {
                    OperandKind::Name(name) => match self.binding(name, operand.span) {
                        Binding::Register(_) => true,
                        Binding::Variable(variable) => {
                            space.takes_variable(self.space_of(variable))
                        }
                        _ => false,
                    },
                    OperandKind::Single(_) | OperandKind::Double(_) => true,
                    _ => {
                        let address = self.address_in(site, plan, operand, space)?;
                        return Some(OperandValue::Address(address));
                    }
                };
                self.expect_that(is_right, operand, "an address in brackets")
            }
            U::TensorPlace => self.tensor_place(plan, (operand, children)),
            U::ImageOffsets => {
                let n = match bound.text(SlotName::LoadMode) {
                    Some("im2col") => places::dimensions(plan).saturating_sub(2),
                    _ => 2,
                };
                self.alike((operand, children), n, ScalarType::U16, Fit::Exact)
            }
            U::Words => {
                let n = words(bound.text(SlotName::Shape)?, bound.text(SlotName::Count)?);
                self.words((operand, children), n, (role, Specials::Refused))
            }
            U::Reduced => match operand.kind {
                OperandKind::Vector { .. } => {
                    self.words((operand, children), 1, (role, Specials::Refused))
                }
                _ => {
                    let is_word = self.is_register(operand, |ty| {
                        ty.width_bits() == 32 && ty != ScalarType::Pred
                    });
                    self.expect_that(is_word, operand, "a register of 32 bits")
                }
            },
            // Where all operands are there, a predicate passes for the lanes.
            U::Lanes if !matches!(operand.kind, OperandKind::Vector { .. }) => {
                match self.is_predicate(operand) {
                    true => self.predicate(site, operand),
                    false => self.expect_that(false, operand, "registers in braces"),
                }
            }
            U::Lanes => {
                let n = match bound.text(SlotName::Group) {
                    Some("cta_group::2") => 8,
                    _ => 4,
                };
                self.words((operand, children), n, (role, Specials::Taken))
            }
            U::Texture => {
                let asks_sampler = match bound.text(SlotName::Query) {
                    Some("force_unnormalized_coords") => true,
                    Some(query) if self.module.has_samplers => {
                        query.starts_with("addr_mode") || query == "filter_mode"
                    }
                    _ => false,
                };
                let kind = match asks_sampler {
                    true => DeclaredType::SamplerRef,
                    false => DeclaredType::TexRef,
                };
                self.reference(operand, kind)
            }
            U::Surface => self.reference(operand, DeclaredType::SurfRef),
            U::SurfacePlace => {
                self.surface_place((operand, children), bound.text(SlotName::Geometry))
            }
            U::Texels => {
                let ty = plan.modifiers.ty?;
                self.texels((site, plan), (operand, children), ty, role)
            }
            U::Descriptor => self.descriptor(site, plan, operand),
            U::SumScale => {
                if !self.module.meets(SCALED_INPUT) {
                    let what = "a scale of the sum";
                    let problem = special_gate(what, operand.span, SCALED_INPUT, self.module);
                    self.report(problem);
                    return None;
                }
                let is_right =
                    matches!(operand.kind, OperandKind::Integer { value, .. } if value <= 15);
                self.expect_that(is_right, operand, "a number from 0 to 15")
            }
            U::Factor => match operand.kind {
                _ if plan.modifiers.has(Flag::AShift)
                    && !matches!(operand.kind, OperandKind::Address { .. }) =>
                {
                    self.expect_that(
                        false,
                        operand,
                        "a matrix in tensor memory, since it is shifted",
                    )
                }
                OperandKind::Address { .. } | OperandKind::AbsoluteAddress { .. } => {
                    let address = self.address_in(site, plan, operand, StateSpace::Generic)?;
                    Some(OperandValue::Address(address))
                }
                _ => self.descriptor(site, plan, operand),
            },
            U::Sums => {
                let (n, ty) = sums(&plan.modifiers)?;
                let fit = match ty {
                    ScalarType::S32 => Fit::Integer,
                    _ => Fit::Exact,
                };
                self.fragment((operand, children), n, (ty, fit), role)
            }
            U::WarpgroupFactor => {
                let list = self.is_list(operand);
                let has_both = site.operands.count() == plan.n_most;
                if list == has_both && plan.n_most != plan.n_least {
                    let expected = match list {
                        true => "a descriptor where both factors may be transposed",
                        false => "registers where only the second factor may be transposed",
                    };
                    return self.expect_that(false, operand, expected);
                }
                if !list {
                    return self.descriptor(site, plan, operand);
                }
                let ty = match plan.modifiers.a_type? {
                    ScalarType::F16 | ScalarType::Bf16 => ScalarType::F16x2,
                    ty if ty.is_float() => ScalarType::Tf32,
                    _ => ScalarType::B32,
                };
                self.fragment(
                    (operand, children),
                    FACTOR_REGISTERS,
                    (ty, Fit::Exact),
                    role,
                )
            }
            U::Condition => match operand.kind {
                OperandKind::Integer { value, .. } => {
                    self.expect_that(value <= 1, operand, "0, 1 or a predicate")
                }
                _ => self.predicate(site, operand),
            },
            U::Metadata => self.metadata(site, plan, operand, children),
            U::NumberUpTo(most) => {
                let is_right =
                    matches!(operand.kind, OperandKind::Integer { value, .. } if value <= most);
                self.expect_that(is_right, operand, "a smaller number")
            }
            U::Constant => {
                let is_number = matches!(operand.kind, OperandKind::Integer { .. });
                self.expect_that(is_number, operand, "a number")
            }
            U::Sign => {
                let is_sign = matches!(operand.kind, OperandKind::Integer { value, .. } if matches!(value as i64, 1 | -1));
                self.expect_that(is_sign, operand, "1 or -1")
            }
        }
    }

    /// Reports what was expected where the condition does not hold.
    fn expect_that(
        &mut self,
        holds: bool,
        operand: &Operand,
        expected: &str,
    ) -> Option<OperandValue> {
        if holds {
            return Some(match operand.kind {
                OperandKind::Integer { value, .. } => source(Source::Immediate(value)),
                _ => OperandValue::Absent,
            });
        }
        if operand.kind != OperandKind::Error {
            let found = diagnose::describe(operand.kind);
            self.report(diagnose::unit_operand(operand.span, found, expected));
        }
        None
    }

    /// Whether the operand is the name of a register of such a type.
    fn is_register(&mut self, operand: &Operand, fits: impl Fn(ScalarType) -> bool) -> bool {
        let OperandKind::Name(name) = operand.kind else {
            return false;
        };
        match self.binding(name, operand.span) {
            Binding::Register(register) => fits(self.body.type_of(register)),
            _ => false,
        }
    }

    /// A 32-bit integer that is no pair of halves.
    fn plain_word(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        operand: &Operand,
    ) -> Option<OperandValue> {
        let value = self.source(site, plan, operand, ScalarType::U32, Fit::Integer)?;
        Some(source(value))
    }

    /// The descriptor of a matrix: 64 bits.
    fn descriptor(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        operand: &Operand,
    ) -> Option<OperandValue> {
        if let OperandKind::Sum { name, .. } = operand.kind
            && matches!(self.binding(name, operand.span), Binding::Variable(_))
        {
            return self.expect_that(false, operand, "a register of 64 bits");
        }
        let value = self.source(site, plan, operand, ScalarType::U64, Fit::Exact)?;
        Some(source(value))
    }

    /// The values of a list, or nothing where one of them is none, which is reported.
    fn elements(&mut self, children: Operands<'a>, expected: &str) -> Option<Vec<Element>> {
        let mut elements = Vec::new();
        for (child, _) in children {
            match self.value(child) {
                Ok(element) => elements.push(element),
                Err(_) => {
                    self.expect_that(false, child, expected)?;
                }
            }
        }
        Some(elements)
    }

    /// Whether an operand is a list, in braces or as a vector register.
    fn is_list(&mut self, operand: &Operand) -> bool {
        match operand.kind {
            OperandKind::Vector { .. } => true,
            OperandKind::Name(name) => {
                matches!(self.binding(name, operand.span), Binding::Vector { .. })
            }
            _ => false,
        }
    }
}

/// Since when the sum of a product in tensor memory may be divided.
const SCALED_INPUT: Gate =
    Gate::ptx(8, 6).on(OneOf(&[Family(100), Only(100), Only(103), Only(107)]));

/// Registers of a factor of a product of four warps.
const FACTOR_REGISTERS: usize = 4;

/// Registers that hold the sums of a product of four warps, and their type.
fn sums(modifiers: &Modifiers) -> Option<(usize, ScalarType)> {
    let columns = usize::from(modifiers.shape?.columns);
    Some(match modifiers.d_type? {
        ScalarType::F16 => (columns / 4, ScalarType::F16x2),
        ty => (columns / 2, ty),
    })
}

/// Whether an alignment is one: a power of two that a signed number of 64 bits holds.
fn is_alignment(value: u64) -> bool {
    value.is_power_of_two()
}

/// Registers that an access to tensor memory takes.
fn words(shape: &str, count: &str) -> usize {
    let each = match shape {
        "16x128b" => 2,
        "16x256b" => 4,
        _ => 1,
    };
    let n: usize = count.trim_start_matches('x').parse().unwrap_or(1);
    each * n
}
