//! Values into operations: one arm a kind.

use super::Checker;
use super::kind::{BarrierAction, BarrierForm, Kind};
use super::memory::source_of;
use super::operand::{Site, Value, Values};
use super::plan::{MAX_OPERANDS, Plan};
use super::types::Fit;
use crate::diagnostics::check as diagnose;

use warpgrid_isa::{BoolOp, Does, ScalarType};
use warpgrid_program::{Arithmetic, BarrierKind, Operation, RegisterId, Source};

impl<'a> Checker<'a> {
    /// The operation of an instruction; `None` when something was reported.
    pub(crate) fn lower(&mut self, site: &Site<'a>, plan: &'a Plan) -> Option<Operation> {
        if plan.bound.is_none() {
            return self.not_emulated(site, plan);
        }
        let mut values: Values = [Value::None; MAX_OPERANDS];
        if matches!(plan.kind, Kind::NotEmulated) && plan.does() == Some(Does::Store) {
            self.judge_store_operands(site, plan);
        }
        let ok = match plan.kind {
            // The operands of calls have a grammar of their own.
            Kind::Call { .. } => true,
            _ => self.resolve(site, plan, &mut values),
        };
        let operation = self.build(site, plan, &values);
        if ok { operation } else { None }
    }

    fn build(&mut self, site: &Site<'a>, plan: &'a Plan, values: &Values) -> Option<Operation> {
        let v = values;
        Some(match &plan.kind {
            Kind::Arithmetic { op, ty, mode } => Operation::Arithmetic {
                op: *op,
                ty: *ty,
                mode: *mode,
                d: self.written(site, v[0])?,
                sources: [source_of(v[1]), source_of(v[2]), source_of(v[3])],
            },
            Kind::Move { ty, n_elements } => return self.mov(site, plan, *ty, *n_elements),
            Kind::Load { access, n_elements } => {
                return self.load(site, plan, v, access, *n_elements);
            }
            Kind::Store { access } => return self.store(site, plan, Some(access)),
            Kind::SetPredicate {
                compare,
                ty,
                ftz,
                combine,
            } => {
                let (d, q) = pair(v[0])?;
                Operation::SetPredicate {
                    compare: *compare,
                    ty: *ty,
                    ftz: *ftz,
                    d,
                    q,
                    a: source_of(v[1]),
                    b: source_of(v[2]),
                    combine: combined(*combine, v[3]),
                }
            }
            Kind::Branch { uniform } => return self.branch(site, *uniform),
            Kind::Convert(conversion) => Operation::Convert {
                conversion: *conversion,
                d: self.written(site, v[0])?,
                a: source_of(v[1]),
            },
            Kind::ConvertAddress {
                space,
                to_space,
                width_bits,
            } => {
                self.address_source(site, plan, v[1])?;
                Operation::ConvertAddress {
                    space: self.own_space(*space),
                    to_space: *to_space,
                    width_bits: *width_bits,
                    d: self.written(site, v[0])?,
                    a: source_of(v[1]),
                }
            }
            Kind::Select(ty) => {
                // The opposite predicate picks the other value.
                let (predicate, negated) = negatable(v[3]);
                let (a, b) = if negated { (v[2], v[1]) } else { (v[1], v[2]) };
                Operation::Select {
                    ty: *ty,
                    d: self.written(site, v[0])?,
                    a: source_of(a),
                    b: source_of(b),
                    predicate,
                }
            }
            _ => return self.build_more(site, plan, v),
        })
    }

    fn build_more(&mut self, site: &Site<'a>, plan: &'a Plan, v: &Values) -> Option<Operation> {
        Some(match &plan.kind {
            Kind::Lop3 => {
                let Value::Source(Source::Immediate(table)) = v[4] else {
                    if let Some((operand, _)) = site.operand(4) {
                        let problem = diagnose::literal_expected(self.opcode(site), operand.span);
                        self.report(problem);
                    }
                    return None;
                };
                Operation::Arithmetic {
                    op: Arithmetic::Lop3(table as u8),
                    ty: ScalarType::B32,
                    mode: Default::default(),
                    d: self.written(site, v[0])?,
                    sources: [source_of(v[1]), source_of(v[2]), source_of(v[3])],
                }
            }
            Kind::Bfi(ty) => Operation::BitFieldInsert {
                ty: *ty,
                d: self.written(site, v[0])?,
                a: source_of(v[1]),
                b: source_of(v[2]),
                position: source_of(v[3]),
                length: source_of(v[4]),
            },
            Kind::Carry { op, ty, carry } => Operation::Carry {
                op: *op,
                ty: *ty,
                carry: *carry,
                d: self.written(site, v[0])?,
                sources: [source_of(v[1]), source_of(v[2]), source_of(v[3])],
            },
            Kind::PredicateLogic(op) => {
                return self.predicate_logic(site, *op, v);
            }
            Kind::ConvertPacked(conversion) => Operation::ConvertPacked {
                conversion: *conversion,
                d: self.written(site, v[0])?,
                a: source_of(v[1]),
                b: source_of(v[2]),
            },
            Kind::IsSpace(space) => Operation::IsSpace {
                space: self.own_space(*space),
                d: self.written(site, v[0])?,
                a: source_of(v[1]),
            },
            Kind::Set {
                compare,
                to,
                ty,
                ftz,
                combine,
            } => Operation::Set {
                compare: *compare,
                to: *to,
                ty: *ty,
                ftz: *ftz,
                d: self.written(site, v[0])?,
                a: source_of(v[1]),
                b: source_of(v[2]),
                combine: combined(*combine, v[3]),
            },
            Kind::TestFloat { test, ty } => Operation::TestFloat {
                test: *test,
                ty: *ty,
                d: self.written(site, v[0])?,
                a: source_of(v[1]),
            },
            Kind::SelectSign { ty, sign_ty, ftz } => Operation::SelectSign {
                ty: *ty,
                sign_ty: *sign_ty,
                ftz: *ftz,
                d: self.written(site, v[0])?,
                a: source_of(v[1]),
                b: source_of(v[2]),
                c: source_of(v[3]),
            },
            Kind::StoreAsync => return self.store_async(site, plan),
            Kind::WmmaStore => return self.wmma_store(site, plan),
            Kind::Atomic { .. } => return self.atomic(site, plan, v),
            Kind::CreatePolicy => Operation::CreatePolicy {
                d: self.written(site, v[0])?,
            },
            Kind::Hint(_) => Operation::Hint,
            _ => return self.build_control(site, plan, v),
        })
    }

    fn build_control(&mut self, site: &Site<'a>, plan: &'a Plan, v: &Values) -> Option<Operation> {
        Some(match &plan.kind {
            Kind::BranchIndexed => return self.branch_indexed(site, plan),
            Kind::Call { uniform } => return self.call(site, plan, *uniform),
            Kind::Return => Operation::Return,
            Kind::Exit => Operation::Exit,
            Kind::Trap => Operation::Trap,
            Kind::Breakpoint => Operation::Breakpoint,
            Kind::Barrier(form) => return self.barrier(site, plan, *form, v),
            Kind::WarpBarrier => Operation::WarpBarrier {
                mask: source_of(v[0]),
            },
            Kind::Fence => Operation::Fence,
            Kind::Shuffle { mode, sync } => {
                let (d, predicate) = pair(v[0])?;
                Operation::Shuffle {
                    mode: *mode,
                    d,
                    predicate,
                    a: source_of(v[1]),
                    b: source_of(v[2]),
                    c: source_of(v[3]),
                    mask: sync.then(|| source_of(v[4])),
                }
            }
            Kind::Vote { mode, sync } => {
                let (a, negated) = negatable(v[1]);
                Operation::Vote {
                    mode: *mode,
                    d: self.written(site, v[0])?,
                    a,
                    negated,
                    mask: sync.then(|| source_of(v[2])),
                }
            }
            Kind::Match { all, ty } => {
                let (d, predicate) = match v[0] {
                    Value::Pair(d, predicate) => (d, predicate),
                    other => (Some(self.written(site, other)?), None),
                };
                Operation::Match {
                    all: *all,
                    ty: *ty,
                    d,
                    predicate,
                    a: source_of(v[1]),
                    mask: source_of(v[2]),
                }
            }
            Kind::ActiveMask => Operation::ActiveMask {
                d: self.written(site, v[0])?,
            },
            Kind::WarpReduce { op, ty } => Operation::WarpReduce {
                op: *op,
                ty: *ty,
                d: self.written(site, v[0])?,
                a: source_of(v[1]),
                mask: source_of(v[2]),
            },
            Kind::Elect => {
                let (d, predicate) = pair(v[0])?;
                Operation::Elect {
                    d,
                    predicate: predicate?,
                    mask: source_of(v[1]),
                }
            }
            Kind::Yield => Operation::Yield,
            _ => return self.not_emulated(site, plan),
        })
    }

    /// An instruction that is checked as far as its names go.
    fn not_emulated(&mut self, site: &Site<'a>, plan: &'a Plan) -> Option<Operation> {
        let mut ok = true;
        if plan.bound.is_none() {
            for operand in site.instruction.operands.of(&self.tree.operands) {
                ok &= self.names_known(operand);
            }
        }
        ok.then(|| Operation::NotEmulated {
            opcode: self.opcode(site).to_owned(),
        })
    }

    /// A written register; the sink is refused.
    fn written(&mut self, site: &Site<'a>, value: Value) -> Option<RegisterId> {
        match value {
            Value::Destination(register) => Some(register),
            Value::Sink => {
                let span = site.operand(0).map_or(site.span, |(o, _)| o.span);
                self.report(diagnose::sink_not_allowed(self.opcode(site), span));
                None
            }
            _ => None,
        }
    }

    /// Predicates that the machine reads directly: a negated one is turned by the operation that has room for it.
    fn plain_predicate(&mut self, site: &Site<'a>, value: Value) -> Option<Source> {
        match value {
            Value::Predicate {
                source,
                negated: false,
            } => Some(source),
            Value::Predicate {
                source: Source::Register(register),
                negated: true,
            } => Some(Source::Register(self.negated(site, register))),
            Value::Source(source) => Some(source),
            _ => None,
        }
    }

    /// A register that holds the opposite of a predicate, computed right before.
    fn negated(&mut self, site: &Site<'a>, register: RegisterId) -> RegisterId {
        let name = match self.body.registers.get(register.0 as usize) {
            Some(register) => format!("!{}", register.name),
            None => String::new(),
        };
        let d = self.body.add_register(name, ScalarType::Pred);
        self.body.instructions.push(warpgrid_program::Instruction {
            guard: None,
            operation: Operation::PredicateLogic {
                op: warpgrid_program::PredicateOp::Not,
                d,
                a: Source::Register(register),
                b: Source::Immediate(0),
            },
            span: site.span,
        });
        d
    }

    fn predicate_logic(
        &mut self,
        site: &Site<'a>,
        op: warpgrid_program::PredicateOp,
        v: &Values,
    ) -> Option<Operation> {
        let d = self.written(site, v[0])?;
        let a = self.plain_predicate(site, v[1])?;
        let b = match v[2] {
            Value::None => Source::Immediate(0),
            value => self.plain_predicate(site, value)?,
        };
        Some(Operation::PredicateLogic { op, d, a, b })
    }

    fn address_source(&mut self, site: &Site<'a>, plan: &'a Plan, value: Value) -> Option<()> {
        let Value::Source(Source::VariableAddress { variable, .. }) = value else {
            return Some(());
        };
        let (have, want) = (self.space_of(variable), plan.kind.space());
        if plan.kind.takes_space(have) {
            return Some(());
        }
        let span = site.operand(1).map_or(site.span, |(o, _)| o.span);
        self.report(diagnose::space_mismatch(
            self.opcode(site),
            span,
            have,
            want,
        ));
        None
    }

    fn barrier(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        form: BarrierForm,
        v: &Values,
    ) -> Option<Operation> {
        let optional = |value: Value| match value {
            Value::Source(source) => Some(source),
            _ => None,
        };
        let (kind, id, threads) = match form.action {
            BarrierAction::Sync => (BarrierKind::Sync, v[0], v[1]),
            BarrierAction::Arrive => (BarrierKind::Arrive, v[0], v[1]),
            BarrierAction::Reduce(op) => {
                let (threads, predicate) = self.reduced(site, plan)?;
                let (source, negated) = negatable(predicate);
                let Source::Register(predicate) = source else {
                    return None;
                };
                let kind = BarrierKind::Reduce {
                    op,
                    d: self.written(site, v[0])?,
                    predicate,
                    negated,
                };
                (kind, v[1], threads)
            }
        };
        if let (Value::Source(Source::Immediate(id)), Some((operand, _))) = (
            id,
            site.operand(usize::from(matches!(kind, BarrierKind::Reduce { .. }))),
        ) && id > 15
        {
            self.report(diagnose::barrier_number(operand.span, id));
            return None;
        }
        let place = usize::from(matches!(kind, BarrierKind::Reduce { .. })) + 1;
        if let (Value::Source(Source::Immediate(threads)), Some((operand, _))) =
            (threads, site.operand(place))
            && threads % 32 != 0
        {
            self.report(diagnose::barrier_threads(operand.span, threads));
            return None;
        }
        Some(Operation::Barrier {
            kind,
            id: source_of(id),
            threads: optional(threads),
            aligned: form.aligned,
        })
    }

    /// The end of `d, a{, b}, {!}c`: how many threads, and the predicate.
    fn reduced(&mut self, site: &Site<'a>, plan: &'a Plan) -> Option<(Value, Value)> {
        let (third, _) = site.operand(2)?;
        let Some((fourth, _)) = site.operand(3) else {
            return Some((Value::None, self.predicate(site, third)?));
        };
        let threads = self.source(site, plan, third, ScalarType::U32, Fit::Exact);
        let predicate = self.predicate(site, fourth);
        Some((Value::Source(threads?), predicate?))
    }
}

fn pair(value: Value) -> Option<(Option<RegisterId>, Option<RegisterId>)> {
    match value {
        Value::Pair(first, second) => Some((first, second)),
        Value::Destination(register) => Some((Some(register), None)),
        _ => None,
    }
}

fn negatable(value: Value) -> (Source, bool) {
    match value {
        Value::Predicate { source, negated } => (source, negated),
        other => (source_of(other), false),
    }
}

fn combined(op: Option<BoolOp>, value: Value) -> Option<(BoolOp, Source, bool)> {
    let (source, negated) = negatable(value);
    op.map(|op| (op, source, negated))
}
