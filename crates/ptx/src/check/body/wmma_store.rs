//! `wmma.store`: what its operands must be. In: a checked opcode and its operands; out: the operation.

use crate::check::body::address::{AddressRule, Words};
use crate::check::body::checker::BodyChecker;
use crate::check::body::lower::source;
use crate::check::body::merge::{Class, describe, merge};
use crate::check::body::operand::Site;
use crate::check::body::values::{Element, NoValue};
use crate::check::names::binding::Binding;
use crate::check::plans::plan::Plan;
use crate::check::plans::wmma_store::Fragment;

use crate::diagnostics::wmma_store as diagnose;
use crate::tree::OperandKind;
use warpgrid_isa::{MatrixLayout, MatrixShape, ScalarType};
use warpgrid_program::{OperandValue, Source, Span};

impl<'a> BodyChecker<'a, '_> {
    /// `wmma.store.d [p], r{, stride}`
    pub(crate) fn wmma_store(&mut self, site: &Site<'a>, plan: &'a Plan) -> Option<()> {
        let counted = self.count_operands(site, plan);
        let start = self.body.operands.len();
        let (place, _) = site.operand(0)?;
        let rule = AddressRule {
            addressing: plan.addressing,
            space: plan.space(),
            takes_any_space: false,
            words: Words::Strict(&diagnose::ADDRESS),
        };
        let address = self.checked_address(site, place, &rule);
        let fragment = Fragment::of(&plan.modifiers);
        let sources = fragment.and_then(|fragment| self.fragment(site, fragment));
        let stride = match site.operand(2) {
            None => Some(None),
            Some(_) => self.stride(site).map(Some),
        };
        let (address, fragment, sources, stride) = (address?, fragment?, sources?, stride?);
        let layout = plan.modifiers.layout?;
        self.check_stride(site, fragment, layout, stride);
        self.body.push(OperandValue::Address(address), place.span);
        self.body.push(sources, place.span);
        if let (Some(stride), Some((operand, _))) = (stride, site.operand(2)) {
            self.body.push(source(stride), operand.span);
        }
        counted?;
        self.fill_operands(site, plan, start);
        Some(())
    }

    fn fragment(&mut self, site: &Site<'a>, fragment: Fragment) -> Option<OperandValue> {
        let (operand, children) = site.operand(1)?;
        let n = fragment.n_registers();
        if operand.kind == OperandKind::Error {
            return None;
        }
        if !matches!(operand.kind, OperandKind::Vector { .. }) {
            self.report(diagnose::no_fragment(operand.span, n));
            return None;
        }
        let items = self.list(operand, children)?;
        let count = items.len();
        let mut elements = Vec::with_capacity(count);
        for item in items {
            match item {
                Ok(element) => elements.push(element),
                Err((_, NoValue::Reported)) => {}
                Err((span, why)) => self.report(diagnose::no_register(span, why.describe())),
            }
        }
        if count != n {
            let why = self.count_reason(fragment);
            self.report(diagnose::fragment_size(operand.span, count, n, &why));
            return None;
        }
        if elements.len() != count {
            return None;
        }
        self.fit_fragment(operand.span, &elements, fragment)?;
        let first = self.body.elements.len();
        for element in &elements {
            let value = source(element.source_as(register_type(fragment.ty)));
            self.body.push_element(value, element.span);
        }
        Some(self.body.list_from(first))
    }

    fn count_reason(&self, fragment: Fragment) -> String {
        let MatrixShape { rows, columns, .. } = fragment.shape;
        let packed = match fragment.ty {
            ScalarType::F16 => ", two halves to a register",
            _ => "",
        };
        format!("{rows} by {columns} elements over 32 lanes{packed}")
    }

    fn fit_fragment(&mut self, list: Span, elements: &[Element], fragment: Fragment) -> Option<()> {
        let problem = match merge(elements) {
            Err(clash) => {
                let place = |index: usize| elements.get(index).map_or(list, |e| e.span);
                diagnose::fragment_clash(
                    place(clash.index.saturating_sub(1)),
                    place(clash.index),
                    clash.width,
                )
            }
            Ok(class) => {
                let fits = fragment.takes(class);
                let odd = elements.iter().find(|element| match fits {
                    true => !fragment.takes_element(element.class, element.is_special()),
                    false => !fragment.takes(element.class),
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
                diagnose::fragment_type(odd.span, &found, fragment.ty, fragment.expected())
            }
        };
        self.report(problem);
        None
    }

    /// The stride between rows or columns, in elements.
    fn stride(&mut self, site: &Site<'a>) -> Option<Source> {
        let (operand, _) = site.operand(2)?;
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
                    let found = format!("a sum with a `.{ty}` register");
                    self.report(diagnose::stride_type(operand.span, &found));
                    None
                }
                binding => {
                    self.report(diagnose::beyond_manual(
                        operand.span,
                        "a sum with a register",
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
            Ok(element) => match element.class {
                Class::Bits(32) | Class::Unsigned(32) | Class::Signed(32) | Class::Integer => {
                    return Some(element.source_as(ScalarType::U32));
                }
                class => describe(class),
            },
            Err(NoValue::Reported) => return None,
            Err(why) => why.describe().to_owned(),
        };
        self.report(diagnose::stride_type(operand.span, &found));
        None
    }

    /// A constant stride that the manual excludes, though the assembler does not look at it.
    fn check_stride(
        &mut self,
        site: &Site<'a>,
        fragment: Fragment,
        layout: MatrixLayout,
        stride: Option<Source>,
    ) {
        let (Some(Source::Immediate(stride)), Some((operand, _))) = (stride, site.operand(2))
        else {
            return;
        };
        let MatrixShape { rows, columns, .. } = fragment.shape;
        let (least, line) = match layout {
            MatrixLayout::Row => (columns, "row"),
            MatrixLayout::Col => (rows, "column"),
        };
        let bytes = stride.saturating_mul(fragment.ty.width_bytes().into());
        let problem = if stride < least.into() {
            format!(
                "a stride of {stride} makes lines overlap: a {line} has {least} elements, and less is undefined"
            )
        } else if !bytes.is_multiple_of(16) {
            format!("a stride of {stride} elements puts lines off their 16-byte alignment")
        } else {
            return;
        };
        self.report(diagnose::stride_value(operand.span, &problem));
    }
}

/// The type of the registers of a fragment: halves are packed two to a register.
fn register_type(ty: ScalarType) -> ScalarType {
    match ty {
        ScalarType::F16 => ScalarType::B32,
        ty => ty,
    }
}

/// Whether a register of this type can be a stride.
fn is_stride(ty: ScalarType) -> bool {
    ty.is_integer() && ty.width_bits() == 32
}
