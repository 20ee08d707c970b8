//! Checks matrix fragments: brace-enclosed lists of registers that contain a part of a matrix in each lane.

use crate::check::body::checker::BodyChecker;
use crate::check::body::list_type::{Class, ElementMismatch, describe, merge};
use crate::check::body::lower::source;
use crate::check::body::values::{ValueError, ValueOperand};
use crate::diagnostics::MismatchedProperty;
use crate::diagnostics::matrix as diagnose;
use crate::tree::operand::{Operand, OperandKind, Operands};
use warpgrid_isa::fragment::{MatrixOperand, OperandRegisters};
use warpgrid_isa::{MatrixOp, Modifiers, ScalarType, Target};
use warpgrid_program::{OperandValue, Source, Span};

/// Matrix instruction that accesses a fragment, with its modifiers and the matrix to which the fragment belongs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MmaInstruction<'p> {
    pub(crate) op: MatrixOp,
    pub(crate) modifiers: &'p Modifiers,
    pub(crate) matrix: MatrixOperand,
}

impl<'a> BodyChecker<'a, '_> {
    /// Checks the source registers of a fragment.
    pub(crate) fn read_fragment(
        &mut self,
        product: MmaInstruction<'_>,
        operand: &Operand,
        children: Operands<'a>,
        registers: OperandRegisters,
    ) -> Option<OperandValue> {
        let items = self.fragment_items(operand, children, registers)?;
        let count = items.len();
        let mut elements = Vec::with_capacity(count);
        for item in items {
            match item {
                Ok(element) => elements.push(element),
                Err((_, ValueError::Reported)) => {}
                Err((span, reason)) => self.report(diagnose::no_register(span, reason.describe())),
            }
        }
        self.check_count(operand.span, count, registers)?;
        if elements.len() != count {
            return None;
        }
        self.fit_fragment(product, operand.span, &elements, registers.ty)?;
        let first = self.body.elements.len();
        for element in &elements {
            let value = source(element.source_as(register_type(registers.ty)));
            self.body.push_element(value, element.span);
        }
        Some(self.body.list_from(first))
    }

    /// Checks the destination registers of a fragment. A sink `_` may replace a register.
    pub(crate) fn written_fragment(
        &mut self,
        product: MmaInstruction<'_>,
        operand: &Operand,
        children: Operands<'a>,
        registers: OperandRegisters,
    ) -> Option<OperandValue> {
        let items = self.fragment_items(operand, children, registers)?;
        let count = items.len();
        let mut elements = Vec::with_capacity(count);
        let mut written = Vec::with_capacity(count);
        for item in items {
            match item {
                Ok(element) => match element.source {
                    Source::Register(run) => {
                        written.push((Some(run), element.span));
                        elements.push(element);
                    }
                    // The assembler accepts special registers in a destination fragment, but the manual does not define a write to a
                    // special register.
                    Source::Special(_) => {
                        self.not_said();
                        written.push((None, element.span));
                        elements.push(element);
                    }
                    _ => self.report(diagnose::no_register(
                        element.span,
                        &describe(element.class),
                    )),
                },
                Err((span, ValueError::Sink)) if self.is_unpacked_without_sink(product) => {
                    self.report(diagnose::no_register(span, ValueError::Sink.describe()));
                }
                Err((span, ValueError::Sink)) => written.push((None, span)),
                Err((_, ValueError::Reported)) => {}
                Err((span, reason)) => self.report(diagnose::no_register(span, reason.describe())),
            }
        }
        self.check_count(operand.span, count, registers)?;
        if written.len() != count {
            return None;
        }
        if elements.is_empty() {
            self.report(diagnose::only_sinks(operand.span));
            return None;
        }
        self.fit_fragment(product, operand.span, &elements, registers.ty)?;
        let first = self.body.elements.len();
        for (run, span) in written {
            self.body.push_element(OperandValue::Destination(run), span);
        }
        Some(self.body.list_from(first))
    }

    /// Returns the elements of a fragment in braces.
    fn fragment_items(
        &mut self,
        operand: &Operand,
        children: Operands<'a>,
        registers: OperandRegisters,
    ) -> Option<Vec<Result<ValueOperand, (Span, ValueError)>>> {
        match operand.kind {
            OperandKind::Error => None,
            OperandKind::Vector { .. } => self.list(operand, children),
            _ => {
                self.report(diagnose::no_fragment(operand.span, registers.n));
                None
            }
        }
    }

    fn check_count(&mut self, span: Span, count: usize, registers: OperandRegisters) -> Option<()> {
        let expected = match registers.n {
            Some(n) => n,
            // If the table specifies no number of registers, a list may contain one, two or four registers.
            None if count.is_power_of_two() && count <= 4 => count,
            None => 4,
        };
        if count == expected {
            return Some(());
        }
        let reason = match registers.ty {
            ScalarType::F16 => {
                "the shape and the type determine the number of registers, with two `.f16` elements per register"
            }
            _ => "the shape and the type determine the number of registers",
        };
        self.report(diagnose::fragment_size(span, count, expected, reason));
        None
    }

    fn fit_fragment(
        &mut self,
        product: MmaInstruction<'_>,
        list: Span,
        elements: &[ValueOperand],
        ty: ScalarType,
    ) -> Option<()> {
        if let Some(odd) = elements.iter().find(|e| self.is_lost(product, e)) {
            let found = match (odd.is_special(), odd.class) {
                (true, _) => "a special register".to_owned(),
                (false, class) => describe(class),
            };
            self.report(diagnose::fragment_type(odd.span, &found, ty, expected(ty)));
            return None;
        }
        let problem = match merged(product.op, elements) {
            Err(clash) => {
                let place = |index: usize| elements.get(index).map_or(list, |e| e.span);
                diagnose::fragment_clash(
                    place(clash.index.saturating_sub(1)),
                    place(clash.index),
                    clash.mismatch,
                )
            }
            Ok(class) => {
                let fits = takes(product, ty, class);
                let odd = elements.iter().find(|element| match fits {
                    true => product.op == MatrixOp::WmmaStore && !moves(ty, element),
                    false => !takes(product, ty, element.class),
                });
                let odd = match (fits, odd) {
                    (true, None) => return Some(()),
                    (_, Some(odd)) => odd,
                    (false, None) => elements.first()?,
                };
                let found = match odd.is_special() {
                    true => "a special register".to_owned(),
                    false => describe(odd.class),
                };
                diagnose::fragment_type(odd.span, &found, ty, expected(ty))
            }
        };
        self.report(problem);
        None
    }

    /// Returns whether the assembler fails with an internal error for a value of this kind. These errors occur for an MMA that the target
    /// does not support in hardware, because the assembler replaces this MMA by calls or by several instructions (assembler 13.5).
    fn is_lost(&self, product: MmaInstruction<'_>, element: &ValueOperand) -> bool {
        let is_special = element.is_special();
        let Some(factor) = product.modifiers.a_type else {
            return false;
        };
        match product.op {
            MatrixOp::WmmaMma => {
                let is_factor = matches!(product.matrix, MatrixOperand::A | MatrixOperand::B);
                factor.is_integer() && is_factor && element.class == Class::Integer
            }
            MatrixOp::Mma => {
                let is_small = factor.is_integer() && factor.width_bits() < 8;
                is_small && (is_special || element.class == Class::Predicate)
                    || is_unpacked(product) && element.class == Class::Double
            }
            MatrixOp::MmaSparse | MatrixOp::MmaSparseBlockScaled => {
                is_special && element.span.text(self.source).contains('.')
            }
            MatrixOp::WmmaLoadA
            | MatrixOp::WmmaLoadB
            | MatrixOp::WmmaLoadC
            | MatrixOp::WmmaStore
            | MatrixOp::MmaBlockScaled
            | MatrixOp::Ldmatrix
            | MatrixOp::Stmatrix => false,
        }
    }

    /// Returns whether a target replaces an MMA by several instructions, of which an addition does not accept a sink as its destination
    /// (assembler 13.5).
    fn is_unpacked_without_sink(&self, product: MmaInstruction<'_>) -> bool {
        is_unpacked(product) && !has_byte_float_mma(self.module.target)
    }
}

/// Targets that execute an MMA of 8-bit floating-point types as one instruction (assembler 13.5).
fn has_byte_float_mma(target: &Target) -> bool {
    target.sm == 89 || target.family == 120
}

/// Returns whether the instruction is an MMA of 8-bit floating-point types that the assembler replaces by several instructions.
fn is_unpacked(product: MmaInstruction<'_>) -> bool {
    let is_byte = matches!(
        product.modifiers.a_type,
        Some(ScalarType::E4m3 | ScalarType::E5m2)
    );
    is_byte && product.modifiers.kind.is_none()
}

/// Returns the common class of the elements of a list. A predicate is compatible with adjacent untyped bits, except in `wmma.store`
/// (assembler 13.5).
fn merged(op: MatrixOp, elements: &[ValueOperand]) -> Result<Class, ElementMismatch> {
    if op == MatrixOp::WmmaStore || elements.iter().all(|e| e.class != Class::Predicate) {
        return merge(elements);
    }
    for (index, pair) in elements.windows(2).enumerate() {
        let [a, b] = pair else { continue };
        let passes = |class| matches!(class, Class::Predicate | Class::Bits(32));
        let has_predicate = a.class == Class::Predicate || b.class == Class::Predicate;
        if has_predicate && !(passes(a.class) && passes(b.class)) {
            let (index, mismatch) = (index + 1, MismatchedProperty::Type);
            return Err(ElementMismatch { index, mismatch });
        }
    }
    let mut elements = elements.to_vec();
    for element in &mut elements {
        if element.class == Class::Predicate {
            element.class = Class::Bits(32);
        }
    }
    merge(&elements)
}

/// Returns whether registers with the common class `class` can contain fragment elements of type `ty` (assembler 13.5).
fn takes(product: MmaInstruction<'_>, ty: ScalarType, class: Class) -> bool {
    let MmaInstruction { op, modifiers, .. } = product;
    match (ty, class) {
        (_, Class::Open) => true,
        (ScalarType::F16, _) => matches!(class, Class::Bits(32) | Class::Halves),
        (ScalarType::F32, _) => {
            matches!(class, Class::Bits(32) | Class::Float(32) | Class::Single)
        }
        (ScalarType::S32, _) => matches!(
            class,
            Class::Bits(32) | Class::Unsigned(32) | Class::Signed(32) | Class::Integer
        ),
        (ScalarType::F64, Class::Unsigned(64) | Class::Signed(64) | Class::Integer) => {
            op != MatrixOp::WmmaStore
        }
        (ScalarType::F64, _) => matches!(
            class,
            Class::Bits(64) | Class::Float(64) | Class::Double | Class::Single
        ),
        // The assembler treats all other types as untyped 32-bit registers.
        (_, Class::Float(32)) => {
            let is_narrow = modifiers.a_type.is_some_and(|ty| ty.width_bits() <= 8);
            op == MatrixOp::MmaSparse || op == MatrixOp::Mma && is_narrow
        }
        _ => matches!(
            class,
            Class::Bits(32) | Class::Unsigned(32) | Class::Signed(32)
        ),
    }
}

/// Returns whether a value is valid as an element of the fragment of `wmma.store`. The caller has already validated the list that contains
/// the value as a whole.
fn moves(ty: ScalarType, element: &ValueOperand) -> bool {
    match (ty, element.class) {
        _ if element.is_special() => false,
        (ScalarType::F64, Class::Unsigned(_) | Class::Signed(_) | Class::Integer) => false,
        (ScalarType::F64, _) => true,
        (_, class) => class != Class::Double,
    }
}

fn expected(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::F16 => "a `.b32` or `.f16x2` register",
        ScalarType::F32 => "a `.f32` or `.b32` register",
        ScalarType::S32 => "a `.s32`, `.u32` or `.b32` register",
        ScalarType::F64 => "a `.f64` or `.b64` register",
        _ => "a `.b32` register",
    }
}

/// Returns the type of the registers of a fragment. Narrower elements are packed into these registers.
const fn register_type(ty: ScalarType) -> ScalarType {
    match ty {
        ScalarType::F64 | ScalarType::F32 => ty,
        _ => ScalarType::B32,
    }
}
