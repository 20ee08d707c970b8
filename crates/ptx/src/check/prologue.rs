//! What a snippet starts with: values in its inferred registers that tell the lanes apart.

use super::Checker;
use super::names::Binding;
use super::snippet::Place;
use warpgrid_isa::{
    CompareOp, MulPart, Rounding, ScalarType, Sem, SpecialRegister, StateSpace, TypeKind,
};
use warpgrid_program::{
    Address, AddressBase, Arithmetic, ArithmeticMode, Conversion, Instruction, MemoryAccess,
    Operation, Parameter, RegisterId, Source, Span,
};

/// Places in inferred memory: one for each lane.
const N_LANES: u64 = 32;

/// Bytes of an inferred array that the lanes do not share out.
const SHARED_PLACE: u64 = 2048;

/// A predicate holds in the lanes below this one.
const N_HOLDING: u64 = 16;

impl<'a> Checker<'a> {
    fn before(&mut self, operation: Operation) {
        self.body.instructions.push(Instruction {
            guard: None,
            operation,
            span: Span::at(0),
        });
    }

    /// The register with the lane's number, made when it is first needed.
    fn lane(&mut self) -> RegisterId {
        if let Some(lane) = self.lane {
            return lane;
        }
        let lane = self
            .body
            .add_register("%inferred_lane".to_owned(), ScalarType::U32);
        self.before(Operation::Move {
            ty: ScalarType::U32,
            d: lane,
            a: Source::Special(SpecialRegister::Laneid),
        });
        self.lane = Some(lane);
        lane
    }

    /// Fills inferred registers: a scalar with the lane's number, component i of n with n times it plus i.
    pub(super) fn start_value(&mut self, binding: Binding, ty: ScalarType, n: u8) {
        let first = match binding {
            Binding::Register(register) => register,
            Binding::Vector { first, .. } => first,
            _ => return,
        };
        for component in 0..u32::from(n) {
            let d = RegisterId(first.0 + component);
            let number = self.counted(u64::from(n), u64::from(component));
            self.before(value_of(number, d, ty));
        }
    }

    /// A register with `lane * n + i`.
    fn counted(&mut self, n: u64, i: u64) -> RegisterId {
        let lane = self.lane();
        if n <= 1 {
            return lane;
        }
        let name = format!("%inferred_{n}_{i}");
        let d = self.body.add_register(name, ScalarType::U32);
        self.before(Operation::Arithmetic {
            op: Arithmetic::Mad(MulPart::Lo),
            ty: ScalarType::U32,
            mode: ArithmeticMode::default(),
            d,
            sources: [
                Source::Register(lane),
                Source::Immediate(n),
                Source::Immediate(i),
            ],
        });
        d
    }

    /// A pointer: to a buffer that is a parameter of the kernel, or to an array in the space, with a place for each
    /// lane (or one for all, when `bytes` is 0). Returns what the name stands for, and its declaration for people.
    pub(super) fn declare_pointer(&mut self, text: &str, place: Place) -> (Binding, String) {
        let bytes = place.bytes;
        // What lies before the address, in whole lines of 16 bytes, and after it.
        let before = place.offsets.0.unsigned_abs().next_multiple_of(16);
        let after = place.offsets.1.unsigned_abs().next_multiple_of(16);
        let array = match place.space {
            StateSpace::SharedCluster => StateSpace::Shared,
            StateSpace::ParamEntry => StateSpace::ParamFunc,
            space => space,
        };
        let size = match bytes {
            0 => SHARED_PLACE,
            _ => u64::from(bytes) * N_LANES,
        } + before
            + after;
        if array == StateSpace::ParamFunc {
            let size = u64::from(bytes) + after;
            let variable = self.inferred_variable(text, array, size);
            let line = format!("`.param .b8 {text}[{size}];`");
            return (Binding::Variable(variable), line);
        }
        let d = self.body.add_register(text.to_owned(), ScalarType::B64);
        let base = self
            .body
            .add_register(format!("{text}.base"), ScalarType::B64);
        let is_buffer = matches!(array, StateSpace::Generic | StateSpace::Global);
        if is_buffer {
            self.load_parameter(text, base);
        } else {
            let variable = self.inferred_variable(text, array, size);
            self.before(Operation::Move {
                ty: ScalarType::B64,
                d: base,
                a: Source::VariableAddress {
                    variable,
                    offset: 0,
                    generic: false,
                },
            });
        }
        if before > 0 {
            self.before(Operation::Arithmetic {
                op: Arithmetic::Add,
                ty: ScalarType::U64,
                mode: ArithmeticMode::default(),
                d: base,
                sources: [
                    Source::Register(base),
                    Source::Immediate(before),
                    Source::Immediate(0),
                ],
            });
        }
        // Local memory is each lane's own.
        let step = if array == StateSpace::Local { 0 } else { bytes };
        self.step_by_lane(d, base, step);
        let what = match is_buffer {
            true => format!("`.reg .b64 {text};` (a buffer"),
            false => format!("`.{} .b8 {text}[{size}];` (an array", array.name()),
        };
        let line = match step {
            0 => format!("{what}, the same place for every lane)"),
            _ => format!("{what}, {step} bytes a lane)"),
        };
        (Binding::Register(d), line)
    }

    /// `d = base + lane * step`
    fn step_by_lane(&mut self, d: RegisterId, base: RegisterId, step: u32) {
        let lane = self.lane();
        self.before(Operation::Arithmetic {
            op: Arithmetic::Mad(MulPart::Wide),
            ty: ScalarType::U32,
            mode: ArithmeticMode::default(),
            d,
            sources: [
                Source::Register(lane),
                Source::Immediate(step.into()),
                Source::Register(base),
            ],
        });
    }

    fn load_parameter(&mut self, text: &str, d: RegisterId) {
        let variable = self.inferred_variable(text, StateSpace::ParamEntry, 8);
        if let warpgrid_program::VariableId::Function(index) = variable {
            if let Some(variable) = self.body.variables.get_mut(index as usize) {
                variable.ty = ScalarType::U64;
                variable.align_bytes = 8;
            }
            if let Some(function) = self.program.functions.first_mut() {
                function.parameters.push(Parameter::Variable(index));
            }
        }
        self.before(Operation::Load {
            access: MemoryAccess {
                space: StateSpace::ParamEntry,
                sem: Sem::Weak,
                scope: None,
                mmio: false,
                ty: ScalarType::U64,
                cache: None,
                evict_l1: None,
                evict_l2: None,
                cache_policy: None,
                non_coherent: false,
            },
            address: Address {
                base: AddressBase::Variable(variable),
                offset: 0,
            },
            d: vec![Some(d)],
        });
    }
}

/// `d = number`, as a value of the type.
fn value_of(number: RegisterId, d: RegisterId, ty: ScalarType) -> Operation {
    let a = Source::Register(number);
    if ty == ScalarType::Pred {
        return Operation::SetPredicate {
            compare: CompareOp::Lt,
            ty: ScalarType::U32,
            ftz: false,
            d: Some(d),
            q: None,
            a,
            b: Source::Immediate(N_HOLDING),
            combine: None,
        };
    }
    let to = match (ty.kind(), ty.width_bits()) {
        (TypeKind::Float, _) => ty,
        (_, 16) => ScalarType::U16,
        (_, 64) => ScalarType::U64,
        (_, 128) => {
            return Operation::Pack {
                ty: ScalarType::B128,
                d,
                elements: vec![
                    a,
                    Source::Immediate(0),
                    Source::Immediate(0),
                    Source::Immediate(0),
                ],
            };
        }
        _ => ScalarType::U32,
    };
    if to == ScalarType::U32 {
        return Operation::Move { ty: to, d, a };
    }
    let rounding = (to.kind() == TypeKind::Float).then_some(Rounding::Rn);
    Operation::Convert {
        conversion: Conversion {
            to,
            from: ScalarType::U32,
            mode: ArithmeticMode {
                rounding,
                ..ArithmeticMode::default()
            },
        },
        d,
        a,
    }
}
