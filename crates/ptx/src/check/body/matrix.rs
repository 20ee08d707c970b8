//! Checks the operands of matrix instructions, and lowers them.

use crate::check::body::address::{AddressConstraint, DiagnosticStyle};
use crate::check::body::checker::BodyChecker;
use crate::check::body::list_type::{Class, describe};
use crate::check::body::lower::source;
use crate::check::body::matrix_fragment::MmaInstruction;
use crate::check::body::operand::InstructionSite;
use crate::check::body::values::ValueError;
use crate::check::names::binding::Binding;
use crate::diagnostics::matrix as diagnose;
use crate::tree::operand::{Operand, OperandKind, Operands};
use warpgrid_isa::fragment::{MatrixOperand, last_selector, operand_registers};
use warpgrid_isa::{MatrixLayout, MatrixOp, Modifiers, OperandAccess, ScalarType};
use warpgrid_program::{OperandValue, Source};

/// Kind of operand of a matrix instruction, which selects the operand check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MatrixOperandKind {
    Fragment(MatrixOperand, OperandAccess),
    Address,
    Stride,
    /// Sparsity metadata: positions of the nonzero elements of a sparse matrix.
    Metadata,
    Selector,
    /// Scale factors of a block-scaled matrix.
    Scale,
    /// Byte selector and thread selector of the scale factors of a block-scaled matrix.
    Places(MatrixOperand),
}

const LOADED_A: MatrixOperandKind =
    MatrixOperandKind::Fragment(MatrixOperand::A, OperandAccess::Written);
const LOADED_B: MatrixOperandKind =
    MatrixOperandKind::Fragment(MatrixOperand::B, OperandAccess::Written);
const LOADED_C: MatrixOperandKind =
    MatrixOperandKind::Fragment(MatrixOperand::C, OperandAccess::Written);
const STORED: MatrixOperandKind =
    MatrixOperandKind::Fragment(MatrixOperand::D, OperandAccess::Read);
const A: MatrixOperandKind = MatrixOperandKind::Fragment(MatrixOperand::A, OperandAccess::Read);
const B: MatrixOperandKind = MatrixOperandKind::Fragment(MatrixOperand::B, OperandAccess::Read);
const C: MatrixOperandKind = MatrixOperandKind::Fragment(MatrixOperand::C, OperandAccess::Read);
const D: MatrixOperandKind = MatrixOperandKind::Fragment(MatrixOperand::D, OperandAccess::Written);

/// Returns the kinds of the operands of a matrix instruction, in the order of the table row.
#[rustfmt::skip]
const fn parts(op: MatrixOp) -> &'static [MatrixOperandKind] {
    use MatrixOperandKind::{Address, Metadata, Places, Scale, Selector, Stride};
    match op {
        MatrixOp::WmmaLoadA => &[LOADED_A, Address, Stride],
        MatrixOp::WmmaLoadB => &[LOADED_B, Address, Stride],
        MatrixOp::WmmaLoadC => &[LOADED_C, Address, Stride],
        MatrixOp::WmmaStore => &[Address, STORED, Stride],
        MatrixOp::WmmaMma | MatrixOp::Mma => &[D, A, B, C],
        MatrixOp::MmaBlockScaled => &[D, A, B, C, Scale, Places(MatrixOperand::A), Scale, Places(MatrixOperand::B)],
        MatrixOp::MmaSparse => &[D, A, B, C, Metadata, Selector],
        MatrixOp::MmaSparseBlockScaled => {
            &[D, A, B, C, Metadata, Selector, Scale, Places(MatrixOperand::A), Scale, Places(MatrixOperand::B)]
        }
        MatrixOp::Ldmatrix => &[D, Address],
        MatrixOp::Stmatrix => &[Address, STORED],
    }
}

impl<'a> BodyChecker<'a, '_> {
    /// Checks and lowers the operands of a matrix instruction.
    pub(crate) fn matrix(&mut self, op: MatrixOp, site: &InstructionSite<'a>) -> Option<()> {
        let counted = self.count_operands(site);
        let start = self.body.operands.len();
        let mut is_right = counted.is_some();
        let operands = site.operands;
        for (part, (operand, children)) in parts(op).iter().zip(operands) {
            match self.matrix_part(op, *part, site, operand, children) {
                Some(value) => self.body.push(value, operand.span),
                None => is_right = false,
            }
        }
        if !is_right {
            return None;
        }
        self.check_stride(op, site, start);
        self.fill_operands(site, start);
        Some(())
    }

    fn matrix_part(
        &mut self,
        op: MatrixOp,
        part: MatrixOperandKind,
        site: &InstructionSite<'a>,
        operand: &Operand,
        children: Operands<'a>,
    ) -> Option<OperandValue> {
        match part {
            MatrixOperandKind::Fragment(matrix, role) => {
                let registers = operand_registers(op, &site.plan.modifiers, matrix)?;
                let product = MmaInstruction {
                    op,
                    modifiers: &site.plan.modifiers,
                    matrix,
                };
                match role {
                    OperandAccess::Read => {
                        self.read_fragment(product, operand, children, registers)
                    }
                    OperandAccess::Written => {
                        self.written_fragment(product, operand, children, registers)
                    }
                }
            }
            MatrixOperandKind::Address => {
                let rule = AddressConstraint {
                    addressing: site.plan.addressing,
                    space: site.plan.space(),
                    takes_any_space: false,
                    words: DiagnosticStyle::Strict(&diagnose::ADDRESS),
                };
                let address = self.checked_address(site, operand, &rule)?;
                Some(OperandValue::Address(address))
            }
            MatrixOperandKind::Stride => self.stride(operand).map(source),
            MatrixOperandKind::Metadata => self.data_register(operand, children, part),
            MatrixOperandKind::Scale => self.data_register(operand, children, part),
            MatrixOperandKind::Selector => self.selector(operand, &site.plan.modifiers),
            MatrixOperandKind::Places(matrix) => {
                self.places(operand, children, matrix, &site.plan.modifiers)
            }
        }
    }

    /// Checks a 32-bit register or a single-precision constant. If the operand is a brace list, the instruction uses only the first
    /// element.
    fn data_register(
        &mut self,
        operand: &Operand,
        children: Operands<'a>,
        part: MatrixOperandKind,
    ) -> Option<OperandValue> {
        let subject = match part {
            MatrixOperandKind::Metadata => "metadata",
            _ => "scales",
        };
        let mut children = children;
        let operand = match operand.kind {
            OperandKind::Vector { .. } => children.next().map_or(operand, |(first, _)| first),
            _ => operand,
        };
        if let OperandKind::Sum { name, offset } = operand.kind
            && let Binding::Variable(variable) = self.binding(name, operand.span)
        {
            return Some(source(Source::VariableAddress {
                variable,
                offset,
                generic: false,
            }));
        }
        let found = match self.value(operand) {
            Ok(element) if element.is_special() => "a special register".to_owned(),
            Ok(element) => match element.class {
                Class::Predicate if part == MatrixOperandKind::Scale => {
                    return Some(source(element.source));
                }
                Class::Bits(32)
                | Class::Unsigned(32)
                | Class::Signed(32)
                | Class::Float(32)
                | Class::Single => return Some(source(element.source)),
                class => describe(class),
            },
            Err(ValueError::Reported) => return None,
            Err(reason) => reason.describe().to_owned(),
        };
        self.report(diagnose::data(operand.span, &found, subject));
        None
    }

    /// Checks the sparsity selector, a literal that selects the lanes that provide the sparsity metadata.
    fn selector(&mut self, operand: &Operand, modifiers: &Modifiers) -> Option<OperandValue> {
        let OperandKind::Integer { value, .. } = operand.kind else {
            if operand.kind != OperandKind::Error {
                self.report(diagnose::selector_literal(operand.span));
            }
            return None;
        };
        let most = last_selector(modifiers)?;
        if value > most {
            self.report(diagnose::selector(operand.span, value, most));
            return None;
        }
        Some(source(Source::Immediate(value)))
    }

    /// Checks the selectors of a scale factor, `{byte, lane}`, which are two 16-bit values. Literal selectors have a limited range
    /// (assembler 13.5).
    fn places(
        &mut self,
        operand: &Operand,
        children: Operands<'a>,
        matrix: MatrixOperand,
        modifiers: &Modifiers,
    ) -> Option<OperandValue> {
        if !matches!(operand.kind, OperandKind::Vector { .. }) {
            if operand.kind != OperandKind::Error {
                self.report(diagnose::places(operand.span));
            }
            return None;
        }
        let (bytes, allowed): (&[u64], &str) = match modifiers.factors_per_line() {
            4 => (&[0], "0"),
            2 => (&[0, 2], "0 or 2"),
            _ => (&[0, 1, 2, 3], "0, 1, 2 or 3"),
        };
        let lanes: (&[u64], &str) = match matrix {
            MatrixOperand::A => (&[0, 1], "0 or 1"),
            MatrixOperand::B | MatrixOperand::C | MatrixOperand::D => {
                (&[0, 1, 2, 3], "0, 1, 2 or 3")
            }
        };
        let ranges = [(bytes, allowed, "byte ID"), (lanes.0, lanes.1, "thread ID")];
        let first = self.body.elements.len();
        let (mut n, mut is_right) = (0, true);
        for (index, (child, _)) in children.enumerate() {
            n += 1;
            let Some((range, allowed, what)) = ranges.get(index) else {
                continue;
            };
            match self.value(child) {
                Ok(element) => match (element.class, element.source) {
                    (Class::Integer, Source::Immediate(value)) if !range.contains(&value) => {
                        self.report(diagnose::place(child.span, value, what, allowed));
                        is_right = false;
                    }
                    (Class::Bits(16) | Class::Unsigned(16) | Class::Signed(16), _)
                    | (Class::Integer, _) => {
                        self.body.push_element(source(element.source), child.span);
                    }
                    _ => {
                        self.report(diagnose::places(child.span));
                        is_right = false;
                    }
                },
                Err(ValueError::Reported) => is_right = false,
                Err(_) => {
                    self.report(diagnose::places(child.span));
                    is_right = false;
                }
            }
        }
        if n != 2 && is_right {
            self.report(diagnose::places(operand.span));
        }
        (n == 2 && is_right).then(|| self.body.list_from(first))
    }

    /// Checks the stride operand, the distance between rows or columns in elements, and returns its source.
    fn stride(&mut self, operand: &Operand) -> Option<Source> {
        if let OperandKind::Sum { name, offset } = operand.kind {
            let span = self.name_span(operand, name);
            return match self.binding(name, span) {
                Binding::Variable(variable) => Some(Source::VariableAddress {
                    variable,
                    offset,
                    generic: false,
                }),
                Binding::None => {
                    self.unknown(span);
                    None
                }
                Binding::Register(register) if !is_stride(self.body.type_of(register)) => {
                    let ty = self.body.type_of(register);
                    let found = format!("a `.{ty}` register plus a constant");
                    self.report(diagnose::stride_type(operand.span, &found));
                    None
                }
                binding => {
                    self.report(diagnose::beyond_manual(
                        operand.span,
                        "a register plus a constant",
                    ));
                    match binding {
                        Binding::Register(register) => {
                            Some(Source::RegisterOffset { register, offset })
                        }
                        _ => self.not_said(),
                    }
                }
            };
        }
        let found = match self.value(operand) {
            Ok(element) if element.is_special() => "a special register".to_owned(),
            Ok(element) => match (element.class, element.source) {
                (Class::Integer, Source::Immediate(bits)) => {
                    return Some(Source::Immediate(bits & u64::from(u32::MAX)));
                }
                (Class::Bits(32) | Class::Unsigned(32) | Class::Signed(32), source) => {
                    return Some(source);
                }
                (class, _) => describe(class),
            },
            Err(ValueError::Reported) => return None,
            Err(reason) => reason.describe().to_owned(),
        };
        self.report(diagnose::stride_type(operand.span, &found));
        None
    }

    /// Reports a constant stride that is invalid according to the PTX ISA manual. The assembler does not check strides.
    fn check_stride(&mut self, op: MatrixOp, site: &InstructionSite<'a>, start: usize) {
        let place = parts(op)
            .iter()
            .position(|part| *part == MatrixOperandKind::Stride);
        let fragment = parts(op).iter().find_map(|part| match part {
            MatrixOperandKind::Fragment(matrix, _) => Some(*matrix),
            _ => None,
        });
        let (Some(place), Some(matrix), Some(layout)) =
            (place, fragment, site.plan.modifiers.layout)
        else {
            return;
        };
        let Some((operand, _)) = site.operand(place) else {
            return;
        };
        let Some(OperandValue::Source(Source::Immediate(stride), _)) = self
            .body
            .operands
            .get(start + place)
            .map(|o| o.value.clone())
        else {
            return;
        };
        let (Some(shape), Some(ty)) = (site.plan.modifiers.shape, site.plan.modifiers.ty) else {
            return;
        };
        let shape = warpgrid_isa::fragment::Shape::new(shape.rows, shape.columns, shape.depth);
        let (rows, columns) = shape.size(matrix);
        let (least, line) = match layout {
            MatrixLayout::Row => (columns, "row"),
            MatrixLayout::Col => (rows, "column"),
        };
        let bits = stride.saturating_mul(ty.width_bits().into());
        let problem = if stride < least.into() {
            format!(
                "a stride of {stride} elements is less than the length of a {line} ({least} elements), so the behaviour is undefined"
            )
        } else if !bits.is_multiple_of(128) {
            format!("a stride of {stride} elements violates the 16-byte alignment of each {line}")
        } else {
            return;
        };
        self.report(diagnose::stride_value(operand.span, &problem));
    }
}

/// Returns whether a register of this type can be a stride.
fn is_stride(ty: ScalarType) -> bool {
    ty.is_integer() && ty.width_bits() == 32
}
