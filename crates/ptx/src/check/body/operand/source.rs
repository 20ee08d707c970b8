//! Source operands: registers, special registers, addresses as values, and literals.

use crate::check::body::checker::BodyChecker;
use crate::check::body::element::WARP_SZ;
use crate::check::body::lower::register as register_source;
use crate::check::body::operand::InstructionSite;
use crate::check::body::operand::name::special_text;
use crate::check::declare::calling_convention;
use crate::check::declare::kernels::KERNEL_ADDRESS;
use crate::check::names::binding::Binding;
use crate::check::resolved_opcodes::families::{ExtraOperandCheck, OperandGrammar};
use crate::diagnostics::check as diagnose;
use crate::diagnostics::declarations::{needs_convention, not_passed};
use crate::diagnostics::rules::special_gate;
use crate::diagnostics::store::sum_value;
use crate::tree::name::Name;
use crate::tree::operand::{Component, Operand, OperandKind};
use warpgrid_isa::{OperandClass, ScalarType, SpecialRegister, TypeMatch};
use warpgrid_program::{FunctionId, FunctionKind, RegisterId, Source, Span};

/// Notation of an address that is used as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AddressOperandSyntax {
    /// Name of a variable or function without an offset: `name`.
    Names,
    /// Sum of a name and a constant: `name+4`.
    Sums,
}

/// Sum of a name and a number, with the address notation that the instruction permits.
#[derive(Clone, Copy)]
struct SymbolWithOffset {
    name: Name,
    offset: i64,
    takes: AddressOperandSyntax,
}

impl<'a> BodyChecker<'a, '_> {
    /// Checks a source operand.
    pub(crate) fn source(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        ty: ScalarType,
        fit: TypeMatch,
    ) -> Option<Source> {
        match operand.kind {
            // In an operand `a|_`, the sink `_` replaces the second register. The assembler accepts the sink even if the operand
            // has no second value (assembler 13.5).
            OperandKind::Name(name)
            | OperandKind::Pair {
                first: Some(name),
                second: None,
            } => self.named_source(site, operand.span, name, ty, fit),
            OperandKind::Integer { value, .. } => self.integer(operand.span, value, ty),
            OperandKind::Single(bits) => self.single(operand.span, bits, ty),
            OperandKind::Double(bits) => self.double(operand.span, bits, ty),
            OperandKind::Component { name, component } => {
                self.component_source(site, operand.span, name, component, ty, fit)
            }
            OperandKind::Indexed { .. } | OperandKind::IndexedBy { .. } => {
                self.element_source(site, operand, ty, fit)
            }
            OperandKind::Sum { name, offset } => {
                let sum = SymbolWithOffset {
                    name,
                    offset,
                    takes: AddressOperandSyntax::Sums,
                };
                self.sum(site, operand.span, sum, ty, fit)
            }
            OperandKind::Error => None,
            _ => {
                let found = diagnose::describe(operand.kind);
                self.report(diagnose::expected_value(operand.span, ty, found));
                None
            }
        }
    }

    /// Returns the address of an array element. Only moves and address conversions accept array elements as operands (assembler 13.5).
    #[cold]
    fn element_source(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        ty: ScalarType,
        fit: TypeMatch,
    ) -> Option<Source> {
        let (OperandKind::Indexed { name, .. } | OperandKind::IndexedBy { name, .. }) =
            operand.kind
        else {
            return None;
        };
        if !site.plan.takes_element {
            let found = "an array element";
            self.report(diagnose::expected_register(operand.span, found));
            return None;
        }
        let element = self.array_element(operand)?;
        let offset = element.constant_offset_bytes();
        let sum = SymbolWithOffset {
            name,
            offset: offset.unwrap_or(0),
            takes: AddressOperandSyntax::Sums,
        };
        let address = self.sum(site, operand.span, sum, ty, fit)?;
        if offset.is_some() {
            return Some(address);
        }
        match ty.width_bits() {
            bits @ (32 | 64) => {
                let array = Source::VariableAddress {
                    variable: element.variable,
                    offset: 0,
                    generic: false,
                };
                let address = self.element_address(&element, bits, array)?;
                Some(register_source(address))
            }
            _ => self.not_said(),
        }
    }

    /// Returns the source of an operand whose type the assembler does not check. The function reports only undeclared names.
    pub(crate) fn loose_source(&mut self, operand: &Operand) -> Option<Source> {
        match operand.kind {
            OperandKind::Integer { value, .. } => Some(Source::Immediate(value)),
            OperandKind::Single(bits) => Some(Source::Immediate(bits.into())),
            OperandKind::Double(bits) => Some(Source::Immediate(bits)),
            OperandKind::Name(name) => match self.binding(name, operand.span) {
                Binding::Register(register) => Some(register_source(register)),
                Binding::None => {
                    self.unknown(operand.span);
                    None
                }
                _ => self.not_said(),
            },
            OperandKind::Error => None,
            _ => self.not_said(),
        }
    }

    /// Records that the program representation cannot express the instruction, although the instruction is legal. Execution stops at this
    /// instruction.
    #[cold]
    pub(crate) fn not_said(&mut self) -> Option<Source> {
        self.body.is_representable = false;
        Some(Source::Sink)
    }

    fn named_source(
        &mut self,
        site: &InstructionSite<'a>,
        span: Span,
        name: Name,
        ty: ScalarType,
        fit: TypeMatch,
    ) -> Option<Source> {
        match self.binding(name, span) {
            Binding::Register(register) => {
                self.fit(span, register, ty, fit)?;
                Some(register_source(register))
            }
            Binding::Special(special) => self.special(site, span, special, ty, fit),
            Binding::Function(_) if fit == TypeMatch::Integer => {
                self.report(diagnose::expected_register(span, "a function"));
                None
            }
            Binding::Variable(_) | Binding::Function(_) => {
                let sum = SymbolWithOffset {
                    name,
                    offset: 0,
                    takes: AddressOperandSyntax::Names,
                };
                self.sum(site, span, sum, ty, fit)
            }
            Binding::None if span.text(self.source) == WARP_SZ => self.integer(span, 32, ty),
            Binding::None => {
                self.unknown(span);
                None
            }
            Binding::Vector { .. } => {
                self.report(diagnose::vector_not_allowed(self.opcode(site), span));
                None
            }
            _ => {
                self.report(diagnose::expected_value(span, ty, "a label"));
                None
            }
        }
    }

    fn special(
        &mut self,
        site: &InstructionSite<'a>,
        span: Span,
        special: SpecialRegister,
        ty: ScalarType,
        fit: TypeMatch,
    ) -> Option<Source> {
        // Only conversions between integer types accept special registers.
        let types = [site.plan.modifiers.d_type, site.plan.modifiers.a_type];
        let has_float = types.into_iter().flatten().any(ScalarType::is_float);
        if !site.plan.takes_special || has_float {
            self.report(diagnose::special_not_allowed(self.opcode(site), span));
            return None;
        }
        let have = match special.width_bits() {
            64 => ScalarType::U64,
            _ => ScalarType::U32,
        };
        let is_taken = match fit {
            // Conversions also accept wider special registers.
            TypeMatch::Wider => ty.accepts_register(have, fit),
            _ => special.fits(ty),
        };
        if !is_taken {
            self.report(diagnose::type_mismatch(span, have, ty));
            return None;
        }
        if ty == ScalarType::Pred {
            let (predicate, computed) = self.special_predicate(special);
            self.body.preceding.extend(computed);
            return Some(register_source(predicate));
        }
        Some(Source::Special(special))
    }

    fn component_source(
        &mut self,
        site: &InstructionSite<'a>,
        span: Span,
        name: Name,
        component: Component,
        ty: ScalarType,
        fit: TypeMatch,
    ) -> Option<Source> {
        if self.names.get(name) == Binding::None {
            let text = special_text(&self.context(), name, component);
            if let Some(special) = SpecialRegister::from_name(&text) {
                self.check_special(special, span);
                return self.special(site, span, special, ty, fit);
            }
        }
        let register = self.component(name, component, span)?;
        self.fit(span, register, ty, fit)?;
        Some(register_source(register))
    }

    /// Returns the source of a sum of a variable or function name and an offset. Every integer operand accepts a sum or the name of a
    /// function. Only moves and address conversions accept the name of a variable without an offset (assembler 13.5).
    fn sum(
        &mut self,
        site: &InstructionSite<'a>,
        span: Span,
        sum: SymbolWithOffset,
        ty: ScalarType,
        fit: TypeMatch,
    ) -> Option<Source> {
        let SymbolWithOffset {
            name,
            offset,
            takes,
        } = sum;
        let plan = site.plan;
        // For 64-bit divisions, the assembler calls library functions, which accept only registers and numbers.
        let is_call = plan.grammar == OperandGrammar::Row(ExtraOperandCheck::LongDivision);
        let takes_sums = takes == AddressOperandSyntax::Sums && ty != ScalarType::Pred && !is_call;
        let problem = match self.binding(name, span) {
            Binding::Variable(_)
                if ty.is_float() || matches!(ty, ScalarType::U16x2 | ScalarType::S16x2) =>
            {
                diagnose::address_of_type(self.opcode(site), span, ty)
            }
            Binding::Register(register) if takes_sums => {
                return self.register_sum(span, register, offset, ty, fit);
            }
            // Only operands with [`TypeMatch::Integer`], such as counts and shift amounts, restrict the width of special registers
            // (assembler 13.5).
            Binding::Special(special)
                if takes_sums
                    && (fit != TypeMatch::Integer || special.width_bits() == ty.width_bits()) =>
            {
                return self.not_said();
            }
            _ if ty == ScalarType::Pred => diagnose::address_of_type(self.opcode(site), span, ty),
            Binding::Variable(variable) if self.is_call_parameter(variable) => {
                diagnose::address_of_argument(span)
            }
            Binding::Variable(_) if plan.refuses_address || is_call => {
                diagnose::expected_register(span, "a variable")
            }
            Binding::Variable(variable)
                if plan.takes_address || takes == AddressOperandSyntax::Sums =>
            {
                return Some(Source::VariableAddress {
                    variable,
                    offset,
                    generic: false,
                });
            }
            Binding::Variable(_) => diagnose::expected_register(span, "a variable"),
            Binding::Function(function) if takes == AddressOperandSyntax::Names => {
                return self.function_address(span, function);
            }
            Binding::None => {
                self.unknown(span);
                return None;
            }
            _ => diagnose::expected_value(span, ty, "an expression with a name"),
        };
        self.report(problem);
        None
    }

    /// Returns the address of a function. Reports the address if the calling convention or the PTX version forbids it.
    fn function_address(&mut self, span: Span, function: FunctionId) -> Option<Source> {
        let callee = self.declared.function(function);
        let is_kernel = callee.is_some_and(|callee| callee.kind == FunctionKind::Entry);
        if is_kernel && !self.module.meets(KERNEL_ADDRESS) {
            let subject = "the address of a kernel";
            self.report(special_gate(subject, span, KERNEL_ADDRESS, self.module));
            return None;
        }
        let refused = callee.and_then(|callee| calling_convention::refused(self.source, callee));
        if let Some(ty) = refused
            && !is_kernel
            && calling_convention::is_kept(self.module)
        {
            let text = span.text(self.source);
            let reason = "a function whose address is taken uses the calling convention";
            self.report(not_passed(span, text, ty, reason));
            return None;
        }
        self.expect_available(function, span)?;
        if calling_convention::is_turned_off(self.module) {
            self.report(needs_convention(span, "the address of a function"));
            return None;
        }
        Some(Source::FunctionAddress(function))
    }

    /// Returns the source of the sum of a register and a constant. Contrary to the manual, the assembler accepts this sum in place of any
    /// value. The assembler checks only the kind of the register, or the exact type if the operand requires a 32-bit register (assembler
    /// 13.5).
    fn register_sum(
        &mut self,
        span: Span,
        register: RegisterId,
        offset: i64,
        ty: ScalarType,
        fit: TypeMatch,
    ) -> Option<Source> {
        let have = self.body.type_of(register);
        match fit {
            TypeMatch::Integer => self.fit(span, register, ty, fit)?,
            _ if ty.accepts(OperandClass::of(have), TypeMatch::StoredSum) => {}
            _ => {
                self.report(diagnose::type_mismatch(span, have, ty));
                return None;
            }
        }
        self.report(sum_value(span));
        // The semantics of sums with floating-point registers, or with registers of a different width, have not been measured.
        let is_plain = |ty: ScalarType| ty.is_integer() && !ty.is_packed_integer();
        match is_plain(have) && is_plain(ty) && have.width_bits() == ty.width_bits() {
            true => Some(Source::RegisterOffset { register, offset }),
            false => self.not_said(),
        }
    }

    fn integer(&mut self, span: Span, value: u64, ty: ScalarType) -> Option<Source> {
        if ty == ScalarType::Pred {
            return Some(Source::Immediate(u64::from(value != 0)));
        }
        if !ty.accepts(OperandClass::Integer, TypeMatch::Exact) {
            self.report(diagnose::literal_type(span, "an integer", ty, self.source));
            return None;
        }
        Some(Source::Immediate(ty.truncate(value)))
    }

    fn single(&mut self, span: Span, bits: u32, ty: ScalarType) -> Option<Source> {
        if !ty.accepts(OperandClass::Single, TypeMatch::Exact) {
            let problem = diagnose::literal_type(span, "a single", ty, self.source);
            self.report(problem);
            return None;
        }
        Some(Source::Immediate(match ty {
            // Convert an `f32` literal to `f64`, which is exact (assembler 13.5).
            ScalarType::F64 => f64::from(f32::from_bits(bits)).to_bits(),
            _ => bits.into(),
        }))
    }

    fn double(&mut self, span: Span, bits: u64, ty: ScalarType) -> Option<Source> {
        if !ty.accepts(OperandClass::Double, TypeMatch::Exact) {
            let problem = diagnose::literal_type(span, "a double", ty, self.source);
            self.report(problem);
            return None;
        }
        Some(Source::Immediate(match ty {
            ScalarType::F32 => u64::from((f64::from_bits(bits) as f32).to_bits()),
            _ => bits,
        }))
    }
}
