//! `st.async`: what its operands must be. In: a judged opcode and its operands; out: the operation.
//!
//! The number of operands decides more than the modifiers do: with an mbarrier the assembler takes wide types and
//! vectors, without one narrow types too. With an mbarrier, generic addressing stands for `.shared::cluster`.

use super::elements::{Class, Element, NoValue, fits_alone, fits_in_braces, merge};
use super::memory::n_elements;
use super::names::Binding;
use super::operand::Site;
use super::plan::{Opcode, Plan};
use super::strict_address::{Narrowest, NoPlace, Place};
use super::types::truncated;
use super::{Checker, Module, kind, rules};
use crate::diagnostics::store_async as diagnose;
use crate::tree::{Operand, OperandKind};
use warpgrid_isa::form::{Bound, Origin};
use warpgrid_isa::{Completion, Meaning, ScalarType, Scope, Sem, StateSpace, TypeKind};
use warpgrid_program::{Diagnostic, MemoryAccess, Operation, Source, Span};

/// What the words of the opcode are short of, apart from the rows' own rules.
pub(crate) fn judge(opcode: &Opcode<'_>, bound: &Bound, module: &Module) -> Vec<Diagnostic> {
    let mut problems = rules::judge_width(opcode, bound, module);
    if bound.word("async") == Some(0) && !opcode.is_joined(1) {
        problems.push(diagnose::async_place(opcode.span, opcode.dotted_span(0)));
    }
    problems.extend(beyond_manual(opcode, bound));
    problems
}

fn beyond_manual(opcode: &Opcode<'_>, bound: &Bound) -> Option<Diagnostic> {
    if matches!(bound.layout.form.gate.origin, Origin::Assembler(_)) {
        let what = "`st.async` without completion mechanism";
        return Some(diagnose::beyond_manual(opcode.modifier_span(0), what));
    }
    bound.slots.iter().flatten().find_map(|binding| {
        let value = binding.value?;
        if matches!(value.meaning, Meaning::Type(ty) if ty.width_bits() < 32) {
            // Whether that is legal at all depends on the operands.
            return None;
        }
        let what = format!("`.{}` in this form", value.text);
        matches!(value.gate.origin, Origin::Assembler(_))
            .then(|| diagnose::beyond_manual(opcode.modifier_span(binding.word), &what))
    })
}

/// The facts of one instruction that its operands are compared with.
struct Wanted {
    ty: ScalarType,
    /// Release order goes through code of the assembler's own library, which takes no sums.
    is_release: bool,
    /// Elements of the vector; 1 without a vector width.
    n: usize,
    has_barrier: bool,
}

impl<'a> Checker<'a> {
    /// `st.async [a], b{, [mbar]}`
    pub(crate) fn store_async(&mut self, site: &Site<'a>, plan: &'a Plan) -> Option<Operation> {
        let bound = plan.bound.as_ref()?;
        let space = kind::space(bound);
        let has_barrier = site.operand(2).is_some();
        let forms = self.async_form(site, bound, space);
        let address = self.async_place(site, 0, space, Narrowest::Bits32);
        let barrier = match has_barrier {
            false => Some(None),
            true => self
                .async_place(site, 2, space, narrowest_barrier(space))
                .map(Some),
        };
        let ty = bound.scalar("type")?;
        let wanted = Wanted {
            ty,
            is_release: bound.has("sem"),
            n: n_elements(bound),
            has_barrier,
        };
        let sources = self.async_sources(site, &wanted);
        let (address, barrier, sources) = (address?, barrier?, sources?);
        forms?;
        let (Place::At(address), None | Some(Place::At(_)), Some(sources)) =
            (address, barrier, sources)
        else {
            return Some(Operation::NotEmulated {
                opcode: self.opcode(site).to_owned(),
            });
        };
        Some(Operation::StoreAsync {
            access: access(bound, space, ty),
            address,
            sources,
            completion: completion(bound),
            barrier: barrier.and_then(|place| match place {
                Place::At(address) => Some(address),
                Place::Special => None,
            }),
        })
    }

    /// What depends on whether there is an mbarrier.
    fn async_form(&mut self, site: &Site<'a>, bound: &Bound, space: StateSpace) -> Option<()> {
        let mut ok = true;
        let mut report = |checker: &mut Self, problem| {
            checker.report(problem);
            ok = false;
        };
        let word = |slot| {
            bound
                .word(slot)
                .map(|word| self.tree.word_span(site.instruction, word + 1))
        };
        let (vector, type_word, scope, space_word) =
            (word("vec"), word("type"), word("scope"), word("ss"));
        let ty = bound.scalar("type");
        let Some((barrier, _)) = site.operand(2) else {
            if let (Some(_), Some(at)) = (completion(bound), type_word) {
                let what = "the completion mechanism without an mbarrier operand";
                self.report(diagnose::beyond_manual(at, what));
            }
            if let Some(at) = vector {
                report(self, diagnose::vector_without_barrier(at));
            }
            if let (Some(ScalarType::B128), Some(at)) = (ty, type_word) {
                report(self, diagnose::quad_without_barrier(at));
            }
            return ok.then_some(());
        };
        let removed = match site.operand(1) {
            Some((source, _)) => Span::new(source.span.end, barrier.span.end),
            None => barrier.span,
        };
        let is_device = matches!(
            bound.meaning("scope"),
            Some(Meaning::Scope(Scope::Gpu | Scope::Sys))
        );
        if space == StateSpace::Global || (space == StateSpace::Generic && is_device) {
            let because = match space {
                StateSpace::Global => space_word,
                _ => scope,
            };
            let because = because.unwrap_or(barrier.span);
            report(
                self,
                diagnose::barrier_with_global(barrier.span, removed, because),
            );
        } else if space == StateSpace::Generic && completion(bound).is_none() {
            let at = type_word
                .or(vector)
                .map_or(barrier.span.start, |w| w.start - 1);
            let at = vector.map_or(at, |w| w.start - 1);
            report(self, diagnose::barrier_without_mechanism(barrier.span, at));
        }
        if let (Some(ty), Some(at)) = (ty, type_word)
            && ty.width_bits() < 32
        {
            report(self, diagnose::narrow_with_barrier(ty, at, barrier.span));
        }
        ok.then_some(())
    }

    fn async_place(
        &mut self,
        site: &Site<'a>,
        index: usize,
        space: StateSpace,
        narrowest: Narrowest,
    ) -> Option<Place> {
        let (operand, _) = site.operand(index)?;
        let problem = match self.strict_address(operand, space, narrowest) {
            Ok(place) => return Some(place),
            Err(NoPlace::Reported) => return None,
            Err(NoPlace::NoAddress(span, found)) => {
                let problem = diagnose::no_address(span, found);
                match self.bracketed(operand) {
                    Some(text) => problem.fix(format!("write `{text}`"), span, text),
                    None => problem,
                }
            }
            Err(NoPlace::Type(span, ty)) => diagnose::address_type(span, ty),
            Err(NoPlace::Space(span, found, declared)) => {
                diagnose::address_space(span, found, space, declared)
            }
            Err(NoPlace::Constant(span)) => diagnose::constant_address(span),
        };
        self.report(problem);
        None
    }

    /// The elements to store; `Some(None)` for what is legal but cannot be run.
    fn async_sources(&mut self, site: &Site<'a>, wanted: &Wanted) -> Option<Option<Vec<Source>>> {
        let (operand, children) = site.operand(1)?;
        let Some(items) = self.list(site, operand, children) else {
            return self.async_single(site, operand, wanted);
        };
        if !wanted.has_barrier {
            if wanted.n == 1 {
                self.report(diagnose::no_value(operand.span, "a list"));
            }
            return None;
        }
        let mut elements = Vec::with_capacity(items.len());
        let mut ok = true;
        for item in items {
            match item {
                Ok(element) => elements.push(element),
                Err((span, why)) => {
                    ok = false;
                    self.report_no_value(span, why);
                }
            }
        }
        let count = match wanted.n {
            1 => matches!(elements.len(), 1 | 2 | 4),
            n => elements.len() == n,
        };
        if ok && !count {
            let expected = match wanted.n {
                1 => "one".to_owned(),
                n => n.to_string(),
            };
            self.report(diagnose::element_count(
                operand.span,
                elements.len(),
                &expected,
            ));
            return None;
        }
        if !ok {
            return None;
        }
        self.fit_list(operand, &elements, wanted)
    }

    fn fit_list(
        &mut self,
        operand: &Operand,
        elements: &[Element],
        wanted: &Wanted,
    ) -> Option<Option<Vec<Source>>> {
        let class = match merge(elements) {
            Ok(class) => class,
            Err(clash) => {
                let first = clash
                    .index
                    .checked_sub(1)
                    .and_then(|i| elements.get(i))
                    .map_or(operand.span, |e| e.span);
                let second = elements.get(clash.index).map_or(operand.span, |e| e.span);
                self.report(diagnose::element_clash(first, second, clash.width));
                return None;
            }
        };
        let ty = wanted.ty;
        let fits = match wanted.n {
            // A list where one value is wanted: untyped bits take it packed.
            1 if ty == ScalarType::B128 => false,
            1 if ty.kind() == TypeKind::Bits => packs(class, elements.len(), ty),
            _ => ty != ScalarType::B128 && fits_in_braces(class, ty),
        };
        if !fits {
            let odd = elements
                .iter()
                .find(|e| !fits_in_braces(e.class, ty))
                .or(elements.first())?;
            self.report_source(*odd, ty);
            return None;
        }
        if wanted.n == 1 && elements.len() > 1 {
            return Some(None);
        }
        Some(elements.iter().map(|e| converted(*e, ty)).collect())
    }

    fn async_single(
        &mut self,
        site: &Site<'a>,
        operand: &Operand,
        wanted: &Wanted,
    ) -> Option<Option<Vec<Source>>> {
        if operand.kind == OperandKind::Sink {
            // The parser has told.
            return None;
        }
        if let OperandKind::Sum { name, .. } = operand.kind {
            return self.async_sum(operand, self.name_span(operand, name), wanted);
        }
        if let OperandKind::Name(name) = operand.kind
            && let Binding::Function(_) = self.binding(name, operand.span)
            && (!wanted.is_release || wanted.ty.width_bits() == 16)
        {
            self.report(diagnose::beyond_manual(
                operand.span,
                "the name of a function",
            ));
            return Some(None);
        }
        let element = match self.element(site, operand) {
            Ok(element) if element.is_special() => {
                self.report(diagnose::no_value(operand.span, "a special register"));
                return None;
            }
            Ok(element) => element,
            Err(why) => {
                self.report_no_value(operand.span, why);
                return None;
            }
        };
        let is_register = element.class.width().is_some();
        let quad = wanted.ty == ScalarType::B128 && !is_register;
        if !fits_alone(element.class, wanted.ty) || (quad && element.class != Class::Integer) {
            self.report_source(element, wanted.ty);
            return None;
        }
        if wanted.n > 1 {
            self.report(diagnose::one_value_for_vector(operand.span));
            return Some(None);
        }
        Some(converted(element, wanted.ty).map(|source| vec![source]))
    }

    /// `variable+4`: the assembler takes the address as an integer. A register plus a constant it takes too.
    fn async_sum(
        &mut self,
        operand: &Operand,
        span: Span,
        wanted: &Wanted,
    ) -> Option<Option<Vec<Source>>> {
        let OperandKind::Sum { name, offset } = operand.kind else {
            return None;
        };
        let binding = self.binding(name, span);
        let ty = wanted.ty;
        let problem = match binding {
            Binding::None => {
                self.unknown(span);
                return None;
            }
            _ if wanted.is_release && ty.width_bits() != 16 => {
                diagnose::no_value(operand.span, "a sum with a name")
            }
            Binding::Variable(variable) if ty.is_integer() => {
                return Some(Some(vec![Source::VariableAddress {
                    variable,
                    offset,
                    generic: false,
                }]));
            }
            Binding::Variable(_) => {
                diagnose::source_type(operand.span, "the address of a variable", ty, None)
            }
            _ => {
                self.report(diagnose::beyond_manual(
                    operand.span,
                    "a sum with a register",
                ));
                return Some(None);
            }
        };
        self.report(problem);
        None
    }

    fn report_no_value(&mut self, span: Span, why: NoValue) {
        if why != NoValue::Reported {
            self.report(diagnose::no_value(span, why.describe()));
        }
    }

    fn report_source(&mut self, element: Element, ty: ScalarType) {
        let found = element.class.describe();
        let mut problem = diagnose::source_type(element.span, &found, ty, None);
        let text = element.span.text(self.source);
        if element.class == Class::Integer
            && ty.is_float()
            && text.bytes().all(|b| b.is_ascii_digit())
        {
            problem = problem.fix(
                format!("write `{text}.0`"),
                element.span,
                format!("{text}.0"),
            );
        }
        self.report(problem);
    }
}

/// An mbarrier in shared memory is found by an offset, however narrow; a generic address needs its width.
fn narrowest_barrier(space: StateSpace) -> Narrowest {
    match space {
        StateSpace::Shared | StateSpace::SharedCluster => Narrowest::Bits8,
        _ => Narrowest::Bits32,
    }
}

fn packs(class: Class, count: usize, ty: ScalarType) -> bool {
    let width = match class {
        Class::Integer | Class::Open => return true,
        Class::Single => 32,
        Class::Double => 64,
        Class::Predicate => return false,
        class => class.width().unwrap_or(0),
    };
    width as usize * count == ty.width_bits() as usize
}

/// The source in the bits of the type; `None` for 128-bit constants, which no operation holds.
fn converted(element: Element, ty: ScalarType) -> Option<Source> {
    let Source::Immediate(bits) = element.source else {
        return Some(element.source);
    };
    let bits = match (element.class, ty) {
        (_, ScalarType::B128) => return None,
        (Class::Single, ScalarType::F64) => f64::from(f32::from_bits(bits as u32)).to_bits(),
        (Class::Double, ScalarType::F32) => u64::from((f64::from_bits(bits) as f32).to_bits()),
        _ => truncated(bits, ty),
    };
    Some(Source::Immediate(bits))
}

fn completion(bound: &Bound) -> Option<Completion> {
    match bound.meaning("completion_mechanism")? {
        Meaning::Completion(completion) => Some(completion),
        _ => None,
    }
}

fn access(bound: &Bound, space: StateSpace, ty: ScalarType) -> MemoryAccess {
    MemoryAccess {
        space,
        sem: match bound.has("sem") {
            true => Sem::Release,
            false => Sem::Weak,
        },
        scope: match bound.meaning("scope") {
            Some(Meaning::Scope(scope)) => Some(scope),
            _ => None,
        },
        mmio: bound.has("mmio"),
        ty,
        cache: None,
        evict_l1: None,
        evict_l2: None,
        cache_policy: None,
        non_coherent: false,
    }
}
