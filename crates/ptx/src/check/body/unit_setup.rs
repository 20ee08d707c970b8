//! Instructions that initialize the registers of a snippet: descriptors, tensor memory addresses, lane indices and tiles.

use crate::check::body::checker::BodyChecker;
use crate::check::body::function_builder::SyntheticInstruction;
use crate::check::body::iota_data::counting_below;
use crate::check::body::lower::{destination, register, source};
use crate::check::body::unit_initial_value::{
    InitialValue, LANES_OF_WARP, LEADING_BYTES, MAX_COUNTED, STRIDE_BYTES, TILE_BYTES,
};
use warpgrid_isa::tensor_layout::{MatrixDescriptor, SwizzleMode};
use warpgrid_isa::{
    ArithmeticOp, MoveOp, MulPart, Operation, ScalarType, SpecialRegister, StateSpace,
};
use warpgrid_program::{OperandValue, RegisterId, Source};

impl<'a> BodyChecker<'a, '_> {
    /// Emits instructions that assign an initial value for a specialized unit to an inferred register.
    pub(crate) fn start_of_unit(&mut self, text: &str, d: RegisterId, start: InitialValue) {
        let bits = match self.body.type_of(d).width_bits() {
            64 => ScalarType::B64,
            16 => ScalarType::B16,
            _ => ScalarType::B32,
        };
        match start {
            InitialValue::Number(number) => self.set(d, bits, source(Source::Immediate(number))),
            InitialValue::LaneTimes(number) => {
                let lane = self.lane();
                let operands = vec![
                    destination(d),
                    source(register(lane)),
                    source(Source::Immediate(number)),
                    source(Source::Immediate(0)),
                ];
                let operation = Operation::Arithmetic(ArithmeticOp::Mad);
                let product =
                    SyntheticInstruction::new(operation, "mad.lo", ScalarType::U32, operands);
                self.insert_before(product.part(MulPart::Lo));
            }
            InitialValue::WarpLanes => {
                self.set(d, bits, source(Source::Special(SpecialRegister::Warpid)));
                self.combine(ArithmeticOp::Shl, "shl", d, bits, LANES_OF_WARP);
            }
            InitialValue::Tile(tile) => {
                let variable =
                    self.inferred_variable(&format!("{text}.tile"), StateSpace::Shared, TILE_BYTES);
                if let Some(variable) = self.body.variables.last_mut() {
                    variable.init = counting_below(MAX_COUNTED, tile.ty, TILE_BYTES);
                }
                let address = Source::VariableAddress {
                    variable,
                    offset: 0,
                    generic: false,
                };
                self.set(d, bits, source(address));
                self.combine(ArithmeticOp::Shr, "shr", d, bits, 4);
                let descriptor = MatrixDescriptor {
                    start: 0,
                    leading_bytes: LEADING_BYTES,
                    stride_bytes: STRIDE_BYTES,
                    base_offset: 0,
                    swizzle: SwizzleMode::None,
                };
                if let Some(fields) = descriptor.encode(tile.kind) {
                    self.combine(ArithmeticOp::Or, "or", d, bits, fields);
                }
            }
        }
    }

    pub(crate) fn set(&mut self, d: RegisterId, ty: ScalarType, value: OperandValue) {
        let operands = vec![destination(d), value];
        self.insert_before(SyntheticInstruction::new(
            Operation::Move(MoveOp::Mov),
            "mov",
            ty,
            operands,
        ));
    }

    /// Inserts `d = d op number`.
    pub(crate) fn combine(
        &mut self,
        op: ArithmeticOp,
        opcode: &str,
        d: RegisterId,
        ty: ScalarType,
        number: u64,
    ) {
        let operands = vec![
            destination(d),
            source(register(d)),
            source(Source::Immediate(number)),
        ];
        self.insert_before(SyntheticInstruction::new(
            Operation::Arithmetic(op),
            opcode,
            ty,
            operands,
        ));
    }
}
