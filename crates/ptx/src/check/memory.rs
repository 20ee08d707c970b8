//! Loads, atomics and what loads and stores have in common.

use super::Checker;
use super::kind::{Kind, space};
use super::names::Binding;
use super::operand::{Site, Value, Values};
use super::plan::{Opcode, Plan};
use super::types::Fit;
use crate::diagnostics::check as diagnose;
use crate::tree::{Operand, OperandKind, Operands};
use warpgrid_isa::form::Bound;
use warpgrid_isa::{Meaning, ScalarType, Sem, StateSpace, VectorWidth};
use warpgrid_program::{
    Address, AddressBase, Diagnostic, FunctionKind, MemoryAccess, Operation, RegisterId, Source,
};

/// The memory access that the modifiers describe; its cache policy comes with the operands.
pub(crate) fn access(bound: &Bound) -> Option<MemoryAccess> {
    let sem = match bound.meaning("sem") {
        Some(Meaning::Sem(sem)) => sem,
        _ if bound.has("volatile") => Sem::Volatile,
        _ if bound.layout.form.does == warpgrid_isa::Does::Load => Sem::Weak,
        _ if bound.layout.form.does == warpgrid_isa::Does::Store => Sem::Weak,
        _ => Sem::Relaxed,
    };
    Some(MemoryAccess {
        space: space(bound),
        sem,
        scope: match bound.meaning("scope") {
            Some(Meaning::Scope(scope)) => Some(scope),
            _ => None,
        },
        mmio: bound.has("mmio"),
        ty: bound.scalar("type")?,
        cache: match bound.meaning("cop") {
            Some(Meaning::Cache(cache)) => Some(cache),
            _ => None,
        },
        evict_l1: match bound.meaning("level1::eviction_priority") {
            Some(Meaning::EvictL1(priority)) => Some(priority),
            _ => None,
        },
        evict_l2: match bound.meaning("level2::eviction_priority") {
            Some(Meaning::EvictL2(priority)) => Some(priority),
            _ => None,
        },
        cache_policy: None,
        non_coherent: bound.has("nc"),
    })
}

/// How many elements the vector modifier names.
pub(crate) fn n_elements(bound: &Bound) -> usize {
    match bound.meaning("vec") {
        Some(Meaning::Vector(width)) => width.n_elements(),
        _ => VectorWidth::Scalar.n_elements(),
    }
}

/// Rules of `ld` that need several modifiers.
pub(crate) fn judge(opcode: &Opcode<'_>, bound: &Bound) -> Vec<Diagnostic> {
    let strong = matches!(
        bound.meaning("sem"),
        Some(Meaning::Sem(Sem::Relaxed | Sem::Acquire))
    );
    match (bound.word("sem"), bound.word("scope")) {
        (Some(word), None) if strong => vec![diagnose::missing_scope(opcode, word)],
        (sem, Some(word)) if !strong && !bound.has("mmio") => {
            vec![diagnose::needless_scope(opcode, sem, word)]
        }
        _ => Vec::new(),
    }
}

impl<'a> Checker<'a> {
    /// `ld d, [a]{, cache-policy}`
    pub(crate) fn load(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        values: &Values,
        access: &MemoryAccess,
        n_elements: usize,
    ) -> Option<Operation> {
        let d = self.load_destinations(site, access.ty, n_elements);
        let [_, Value::Address(address), policy, ..] = *values else {
            return None;
        };
        Some(Operation::Load {
            access: self.placed(access, address, policy),
            address,
            d: self.checked_policy(site, plan, policy).and(d)?,
        })
    }

    /// A hint and a policy operand come together.
    pub(crate) fn checked_policy(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        policy: Value,
    ) -> Option<()> {
        let bound = plan.bound.as_ref()?;
        let hinted = bound.has("level::cache_hint");
        if hinted == (policy != Value::None) {
            return Some(());
        }
        let problem = diagnose::hint_and_policy(self.opcode(site), site.span, hinted);
        self.report(problem);
        None
    }

    /// The access with its operands' facts: a variable decides what a general space means.
    pub(crate) fn placed(
        &self,
        access: &MemoryAccess,
        address: Address,
        policy: Value,
    ) -> MemoryAccess {
        let mut access = access.clone();
        let general = matches!(
            access.space,
            StateSpace::Generic | StateSpace::ParamFunc | StateSpace::ParamEntry
        );
        match address.base {
            AddressBase::Variable(variable) if general => access.space = self.space_of(variable),
            AddressBase::Register(_) => access.space = self.own_space(access.space),
            _ => {}
        }
        if let Value::Source(source) = policy {
            access.cache_policy = Some(source);
        }
        access
    }

    /// What `.param` means here: a kernel has no other parameters than its own.
    pub(crate) fn own_space(&self, space: StateSpace) -> StateSpace {
        let function = self.body.function;
        let function = function.and_then(|f| self.program.functions.get(f.0 as usize));
        let in_kernel = function.is_some_and(|f| f.kind == FunctionKind::Entry);
        match space {
            StateSpace::ParamFunc if in_kernel => StateSpace::ParamEntry,
            space => space,
        }
    }

    fn load_destinations(
        &mut self,
        site: &Site<'a>,
        ty: ScalarType,
        n_elements: usize,
    ) -> Option<Vec<Option<RegisterId>>> {
        let (operand, children) = site.operand(0)?;
        // `{%r1}` is as good as `%r1` (assembler 13.5; Triton writes so).
        let braced = matches!(operand.kind, OperandKind::Vector { .. });
        if n_elements == 1 && !braced {
            return match self.destination(site, operand, ty, Fit::Wider)? {
                Value::Destination(register) => Some(vec![Some(register)]),
                _ => {
                    self.report(diagnose::sink_not_allowed(self.opcode(site), operand.span));
                    None
                }
            };
        }
        self.vector_registers(site, operand, children, ty, n_elements)
    }

    /// The registers of `{a, b}` or of a vector register, as destinations.
    pub(crate) fn vector_registers(
        &mut self,
        site: &Site<'a>,
        operand: &Operand,
        children: Operands<'a>,
        ty: ScalarType,
        n_elements: usize,
    ) -> Option<Vec<Option<RegisterId>>> {
        let mut registers = Vec::with_capacity(n_elements);
        let mut ok = true;
        match operand.kind {
            OperandKind::Vector { .. } => {
                for (child, _) in children {
                    match self.destination(site, child, ty, Fit::Wider) {
                        Some(Value::Destination(register)) => registers.push(Some(register)),
                        Some(_) => registers.push(None),
                        None => {
                            ok = false;
                            registers.push(None);
                        }
                    }
                }
            }
            OperandKind::Name(name) => match self.binding(name, operand.span) {
                Binding::Vector { first, n } => {
                    registers.extend((0..u32::from(n)).map(|i| Some(RegisterId(first.0 + i))));
                }
                Binding::None => {
                    self.unknown(operand.span);
                    return None;
                }
                _ => {}
            },
            OperandKind::Error => return None,
            _ => {}
        }
        if registers.len() != n_elements {
            let problem =
                diagnose::vector_size(self.opcode(site), operand.span, registers.len(), n_elements);
            self.report(problem);
            return None;
        }
        ok.then_some(registers)
    }

    /// `atom d, [a], b{, c}` and `red [a], b`.
    pub(crate) fn atomic(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        values: &Values,
    ) -> Option<Operation> {
        let Kind::Atomic {
            op,
            ref access,
            returns,
        } = plan.kind
        else {
            return None;
        };
        let [first, second, third, fourth, fifth, ..] = *values;
        let (d, address, rest) = match returns {
            true => (first, second, [third, fourth, fifth]),
            false => (Value::Sink, first, [second, third, fourth]),
        };
        let Value::Address(address) = address else {
            return None;
        };
        let [Value::Source(b), c, policy] = rest else {
            return None;
        };
        let compare = op == warpgrid_program::AtomicOp::CompareExchange;
        let (c, policy) = match (compare, c) {
            (true, Value::Source(c)) => (Some(c), policy),
            _ => (None, c),
        };
        self.checked_policy(site, plan, policy)?;
        Some(Operation::Atomic {
            op,
            access: self.placed(access, address, policy),
            address,
            d: match d {
                Value::Destination(register) => Some(register),
                _ => None,
            },
            b,
            c,
        })
    }
}

/// The source in a value, or zero.
pub(crate) fn source_of(value: Value) -> Source {
    match value {
        Value::Source(source) => source,
        Value::Predicate { source, .. } => source,
        _ => Source::Immediate(0),
    }
}
