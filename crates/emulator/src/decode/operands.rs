//! Decoder of operands by position. Each function takes the index of an operand in the syntax of the instruction, and
//! returns slots. An operand of an unexpected kind results in an error that contains the operand index.

use crate::code::decoded_op::DecodedOp;
use crate::code::{PredicateOperand, RegisterBank, RegisterOperand};
use crate::contract::launch::MisalignedPolicy;
use crate::decode::{DecodeError, DecodeResult, Decoder, bank_of};
use crate::semantics::registers::OperandSlot;
use crate::state::memory_layout::VariableLocation;
use warpgrid_isa::{ScalarType, SpecialRegister, StateSpace};
use warpgrid_program::{
    Address, AddressBase, Callee, FunctionKind, Operand, OperandList, OperandValue, RegisterId,
    RegisterTuple, Source, SourceModifiers, VariableId,
};

/// Decoded address: the slot of the base, whether the base has 64 bits, and the constant offset.
pub(crate) type BaseAddress = (OperandSlot, bool, i64);

impl<'a> Decoder<'a> {
    /// Returns the operand at a position. Positions beyond the operands of the instruction are absent operands.
    pub(crate) fn operand(&self, index: usize) -> &'a OperandValue {
        self.operands
            .get(index)
            .map_or(&OperandValue::Absent, |operand| &operand.value)
    }

    /// Checks whether the operand at this position is absent.
    pub(crate) fn is_absent(&self, index: usize) -> bool {
        *self.operand(index) == OperandValue::Absent
    }

    /// Returns the slot of a constant that is not an operand in the source.
    pub(crate) fn number(&mut self, value: u64, bits: u32) -> RegisterOperand {
        RegisterOperand {
            slot: self.constant(value, bits),
            bank: bank_of(bits),
            bits,
        }
    }

    /// Returns the index of an operand of the instruction among the operands of the function.
    pub(crate) fn operand_index(&self, index: usize) -> u32 {
        self.first_operand + index as u32
    }

    fn unexpected(&self, index: usize, expected: &str) -> DecodeError {
        let found = match self.operand(index) {
            OperandValue::Absent => "no operand",
            OperandValue::Destination(_) => "a destination",
            OperandValue::Pair(..) => "a pair of destinations",
            OperandValue::Source(..) => "a source",
            OperandValue::Predicate { .. } => "a predicate",
            OperandValue::Address(_) => "an address",
            OperandValue::List(_) => "a list",
            OperandValue::Label(_) => "a label",
            OperandValue::Callee(_) => "a function",
        };
        DecodeError::internal(format!(
            "operand {index}: found {found}, expected {expected}"
        ))
    }

    /// Decodes a destination register, or the sink `_`. The register determines the bank of the returned operand.
    pub(crate) fn destination(&mut self, index: usize) -> DecodeResult<RegisterOperand> {
        match self.operand(index) {
            OperandValue::Destination(None) => Ok(RegisterOperand::SINK),
            OperandValue::Destination(Some(run)) => self.written(*run),
            _ => Err(self.unexpected(index, "a destination")),
        }
    }

    /// Decodes a destination in the register bank of the given width. If the destination register is in another bank,
    /// an operation after the instruction copies the value to the register.
    pub(crate) fn target(&mut self, index: usize, bits: u32) -> DecodeResult<OperandSlot> {
        let element = self.destination(index)?;
        if !element.slot.is_some() || element.bank == bank_of(bits) {
            return Ok(element.slot);
        }
        let a = self.hidden(bits);
        let elements = self.pack(vec![element]);
        let element_bits = bits as u8;
        self.after.push(DecodedOp::Unpack {
            a,
            elements,
            element_bits,
        });
        Ok(a.slot)
    }

    /// Decodes a destination, and a destination predicate after it. The destination and the predicate are optional.
    pub(crate) fn pair(
        &mut self,
        index: usize,
        bits: u32,
    ) -> DecodeResult<(OperandSlot, OperandSlot)> {
        match self.operand(index) {
            OperandValue::Pair(run, predicate) => {
                let d = match run {
                    Some(run) => {
                        let element = self.written(*run)?;
                        self.in_bank(element, bits, index)?
                    }
                    None => OperandSlot::NONE,
                };
                let p = match predicate {
                    Some(id) => {
                        let element = self.register(*id)?;
                        self.in_bank(element, 1, index)?
                    }
                    None => OperandSlot::NONE,
                };
                Ok((d, p))
            }
            OperandValue::Destination(_) => Ok((self.target(index, bits)?, OperandSlot::NONE)),
            _ => Err(self.unexpected(index, "one or two destinations")),
        }
    }

    fn in_bank(
        &self,
        element: RegisterOperand,
        bits: u32,
        index: usize,
    ) -> DecodeResult<OperandSlot> {
        if !element.slot.is_some() || element.bank == bank_of(bits) {
            return Ok(element.slot);
        }
        let element_bits = element.bits;
        Err(DecodeError::internal(format!(
            "operand {index}: found {element_bits} bits, expected {bits}"
        )))
    }

    /// Decodes a source in the register bank of the given width. If the source register is in another bank, an
    /// operation before the instruction copies its low bits.
    pub(crate) fn source(&mut self, index: usize, bits: u32) -> DecodeResult<OperandSlot> {
        let element = self.element(index, bits)?;
        if !element.slot.is_some() || element.bank == bank_of(bits) {
            return Ok(element.slot);
        }
        let d = self.hidden(bits);
        let elements = self.pack(vec![element]);
        let element_bits = bits as u8;
        self.before.push(DecodedOp::Pack {
            d,
            elements,
            element_bits,
        });
        Ok(d.slot)
    }

    /// Decodes an optional source.
    pub(crate) fn source_or_none(&mut self, index: usize, bits: u32) -> DecodeResult<OperandSlot> {
        match self.operand(index) {
            OperandValue::Absent => Ok(OperandSlot::NONE),
            _ => self.source(index, bits),
        }
    }

    /// Decodes a source. A source register determines the register bank. All other sources have the given width.
    pub(crate) fn element(&mut self, index: usize, bits: u32) -> DecodeResult<RegisterOperand> {
        match self.operand(index) {
            OperandValue::Source(source, modifiers) => self.read(*source, *modifiers, bits),
            OperandValue::Predicate {
                source,
                negated: false,
            } => self.read(*source, SourceModifiers::NONE, bits),
            _ => Err(self.unexpected(index, "a source")),
        }
    }

    /// Decodes a predicate operand that is optionally negated.
    pub(crate) fn predicate(&mut self, index: usize) -> DecodeResult<PredicateOperand> {
        let (source, negated) = match self.operand(index) {
            OperandValue::Predicate { source, negated } => (*source, *negated),
            OperandValue::Source(source, modifiers) => (*source, modifiers.invert),
            _ => return Err(self.unexpected(index, "a predicate")),
        };
        let element = self.read(source, SourceModifiers::NONE, 1)?;
        let slot = self.in_bank(element, 1, index)?;
        Ok(PredicateOperand { slot, negated })
    }

    /// Decodes a predicate or an immediate condition. Returns `None` if the condition is always true.
    pub(crate) fn condition(&mut self, index: usize) -> DecodeResult<Option<PredicateOperand>> {
        match self.operand(index) {
            OperandValue::Source(Source::Immediate(0), _) => Ok(Some(PredicateOperand {
                slot: self.constant(0, 1),
                negated: false,
            })),
            OperandValue::Source(Source::Immediate(_), _) | OperandValue::Absent => Ok(None),
            _ => self.predicate(index).map(Some),
        }
    }

    /// Decodes the coordinates of a texture or surface operand. The first element and addresses of variables have 64
    /// bits, and the coordinates have 32 bits.
    pub(crate) fn place(&mut self, index: usize) -> DecodeResult<Vec<RegisterOperand>> {
        let (_, operands) = self.list(index);
        let mut elements = Vec::with_capacity(operands.len());
        for (at, operand) in operands.iter().enumerate() {
            let OperandValue::Source(source, modifiers) = &operand.value else {
                return Err(self.unexpected(index, "an address with coordinates"));
            };
            let is_variable = matches!(source, Source::VariableAddress { .. });
            let bits = if at == 0 || is_variable { 64 } else { 32 };
            elements.push(self.read_as(*source, *modifiers, bits, ScalarType::B32)?);
        }
        Ok(elements)
    }

    /// Returns the value of an immediate.
    pub(crate) fn immediate(&self, index: usize) -> DecodeResult<u64> {
        match self.operand(index) {
            OperandValue::Source(Source::Immediate(value), _) => Ok(*value),
            _ => Err(self.unexpected(index, "a literal")),
        }
    }

    /// Returns the address operand at this position.
    pub(crate) fn address_operand(&self, index: usize) -> DecodeResult<&'a Address> {
        match self.operand(index) {
            OperandValue::Address(address) => Ok(address),
            _ => Err(self.unexpected(index, "an address")),
        }
    }

    pub(crate) fn label(&self, index: usize) -> DecodeResult<u32> {
        match self.operand(index) {
            OperandValue::Label(label) => Ok(*label),
            _ => Err(self.unexpected(index, "a label")),
        }
    }

    pub(crate) fn callee(&self, index: usize) -> DecodeResult<&'a Callee> {
        match self.operand(index) {
            OperandValue::Callee(callee) => Ok(callee),
            _ => Err(self.unexpected(index, "a function")),
        }
    }

    /// Returns the elements of a vector operand. An operand without braces is a vector with one element.
    pub(crate) fn list(&self, index: usize) -> (OperandList, &'a [Operand]) {
        let list = match self.operand(index) {
            OperandValue::List(list) => *list,
            _ => OperandList {
                start: self.operand_index(index),
                n: 1,
            },
        };
        (list, self.function.operands_of(list))
    }

    /// Decodes the destinations of a vector operand, with their indices among the operands of the function.
    pub(crate) fn destinations(
        &mut self,
        index: usize,
    ) -> DecodeResult<(Vec<RegisterOperand>, Vec<u32>)> {
        let (list, operands) = self.list(index);
        let mut elements = Vec::with_capacity(operands.len());
        for operand in operands {
            elements.push(match &operand.value {
                OperandValue::Destination(None) => RegisterOperand::SINK,
                OperandValue::Destination(Some(run)) => self.written(*run)?,
                // Decode elements that cannot be written as sinks, because the assembler ignores them.
                OperandValue::Source(..) => RegisterOperand::SINK,
                _ => return Err(self.unexpected(index, "destinations")),
            });
        }
        Ok((elements, (list.start..list.start + list.n).collect()))
    }

    /// Decodes the sources of a vector operand, with their indices among the operands of the function.
    pub(crate) fn sources(
        &mut self,
        index: usize,
        bits: u32,
    ) -> DecodeResult<(Vec<RegisterOperand>, Vec<u32>)> {
        let (list, operands) = self.list(index);
        let mut elements = Vec::with_capacity(operands.len());
        for operand in operands {
            elements.push(match &operand.value {
                OperandValue::Source(source, modifiers) => self.read(*source, *modifiers, bits)?,
                _ => return Err(self.unexpected(index, "sources")),
            });
        }
        Ok((elements, (list.start..list.start + list.n).collect()))
    }

    /// Decodes consecutive destination registers that the instruction writes as one value. An operation after the
    /// instruction unpacks the value.
    pub(crate) fn written(&mut self, run: RegisterTuple) -> DecodeResult<RegisterOperand> {
        if run.n == 1 {
            return self.register(run.first);
        }
        let (elements, bits) = self.run(run)?;
        let packed = self.hidden(bits);
        let element_bits = (bits / u32::from(run.n)) as u8;
        let elements = self.pack(elements);
        self.after.push(DecodedOp::Unpack {
            a: packed,
            elements,
            element_bits,
        });
        Ok(packed)
    }

    /// Returns the consecutive registers of a tuple, and their total width.
    fn run(&self, run: RegisterTuple) -> DecodeResult<(Vec<RegisterOperand>, u32)> {
        let elements = run
            .registers()
            .map(|id| self.register(id))
            .collect::<DecodeResult<Vec<_>>>()?;
        let bits = elements.iter().map(|element| element.bits).sum();
        Ok((elements, bits))
    }

    /// Decodes a source. If the instruction cannot read the source directly, an operation before the instruction
    /// computes the source into a hidden register.
    pub(crate) fn read(
        &mut self,
        source: Source,
        modifiers: SourceModifiers,
        bits: u32,
    ) -> DecodeResult<RegisterOperand> {
        let ty = self.modifiers.source_type().unwrap_or(ScalarType::B32);
        self.read_as(source, modifiers, bits, ty)
    }

    /// Decodes a source of the given type. An operation before the instruction may compute the source into a hidden
    /// register.
    pub(crate) fn read_as(
        &mut self,
        source: Source,
        modifiers: SourceModifiers,
        bits: u32,
        ty: ScalarType,
    ) -> DecodeResult<RegisterOperand> {
        let element = self.unmodified(source, bits)?;
        if modifiers == SourceModifiers::NONE {
            return Ok(element);
        }
        let d = self.hidden(element.bits);
        self.before.push(DecodedOp::Modify {
            modifiers,
            ty,
            d,
            a: element,
        });
        Ok(d)
    }

    fn unmodified(&mut self, source: Source, bits: u32) -> DecodeResult<RegisterOperand> {
        let value = match source {
            Source::Register(run) if run.n == 1 => return self.register(run.first),
            Source::Register(run) => return self.read_run(run),
            Source::Sink => return Ok(RegisterOperand::SINK),
            Source::Immediate(value) => value,
            Source::Special(special) => return Ok(self.special(special, bits)),
            Source::FunctionAddress(id) => self.layout.function_address(id),
            Source::RegisterOffset { register, offset } => {
                let a = self.register(register)?;
                let d = self.hidden(a.bits);
                let addend = offset as u64;
                self.before.push(DecodedOp::Offset { d, a, addend });
                return Ok(d);
            }
            Source::Constant { bank, byte_offset } => {
                self.layout.bank_value(bank, byte_offset.into(), bits)
            }
            Source::Launch(fact) => self.layout.launch_fact(fact).into(),
            Source::VariableAddress {
                variable,
                offset,
                generic,
            } => match self.variable(variable)? {
                (VariableLocation::Fixed(address), space) => {
                    let address = address.wrapping_add_signed(offset);
                    if generic {
                        self.layout.generic(space, address)
                    } else {
                        address
                    }
                }
                (VariableLocation::Frame(start), _) => {
                    let addend = u64::from(start).wrapping_add_signed(offset);
                    let window = if generic { self.layout.map.local } else { 0 };
                    let slot = self.frame_address(addend.wrapping_add(window), bank_of(bits));
                    return Ok(RegisterOperand {
                        slot,
                        bank: bank_of(bits),
                        bits,
                    });
                }
            },
        };
        Ok(RegisterOperand {
            slot: self.constant(value, bits),
            bank: bank_of(bits),
            bits,
        })
    }

    /// Decodes consecutive source registers that the instruction reads as one value. An operation before the
    /// instruction packs the value.
    fn read_run(&mut self, run: RegisterTuple) -> DecodeResult<RegisterOperand> {
        let (elements, bits) = self.run(run)?;
        let d = self.hidden(bits);
        let element_bits = (bits / u32::from(run.n.max(1))) as u8;
        let elements = self.pack(elements);
        self.before.push(DecodedOp::Pack {
            d,
            elements,
            element_bits,
        });
        Ok(d)
    }

    /// Decodes an address to its base slot, the width of the base, and the constant offset.
    pub(crate) fn address(&mut self, address: &Address) -> DecodeResult<BaseAddress> {
        if address.scale_log2 != 0 || address.uniform.is_some() {
            return self.address_sum(address);
        }
        Ok(match address.base {
            AddressBase::Register(run) => {
                let element = self.read(Source::Register(run), SourceModifiers::NONE, 64)?;
                match element.bank {
                    RegisterBank::B32 => (element.slot, false, address.offset),
                    RegisterBank::B64 => (element.slot, true, address.offset),
                    RegisterBank::B128 | RegisterBank::Predicate => {
                        return Err(DecodeError::internal(
                            "an address with a different width".to_owned(),
                        ));
                    }
                }
            }
            AddressBase::None => (self.constant(address.offset as u64, 64), true, 0),
            AddressBase::Bank { bank, index } => {
                let start = self.layout.bank_address(bank);
                let start = start.wrapping_add_signed(address.offset);
                let Some(run) = index else {
                    return Ok((self.constant(start, 64), true, 0));
                };
                let index = self.read(Source::Register(run), SourceModifiers::NONE, 32)?;
                let sum = self.hidden(64);
                let uniform = self.number(start, 64);
                self.before.push(DecodedOp::AddressSum {
                    d: sum,
                    base: index,
                    scale: 0,
                    uniform,
                });
                (sum.slot, true, 0)
            }
            AddressBase::Variable(id) => match self.variable(id)? {
                (VariableLocation::Fixed(start), _) => {
                    let start = start.wrapping_add_signed(address.offset);
                    (self.constant(start, 64), true, 0)
                }
                (VariableLocation::Frame(start), _) => (
                    self.frame_address(u64::from(start), RegisterBank::B64),
                    true,
                    address.offset,
                ),
            },
        })
    }

    /// Aligns an address to the access size if the launch specifies [`MisalignedPolicy::Force`].
    pub(crate) fn aligned(&mut self, (slot, wide, offset): BaseAddress, bytes: u32) -> BaseAddress {
        if self.layout.misaligned == MisalignedPolicy::Fault || !bytes.is_power_of_two() {
            return (slot, wide, offset);
        }
        let bits = if wide { 64 } else { 32 };
        let a = RegisterOperand {
            slot,
            bank: bank_of(bits),
            bits,
        };
        let d = self.hidden(bits);
        let addend = offset as u64;
        self.before.push(DecodedOp::Offset { d, a, addend });
        self.before.push(DecodedOp::AlignDown { d, a: d, bytes });
        (d.slot, wide, 0)
    }

    /// Extends a 32-bit address of constant memory or of the kernel parameters by the upper 32 bits that are common to all addresses of the
    /// state space.
    pub(crate) fn with_upper_bits(
        &mut self,
        space: StateSpace,
        (slot, wide, offset): BaseAddress,
    ) -> BaseAddress {
        let window = self.layout.upper_bits(space);
        if wide || window == 0 {
            return (slot, wide, offset);
        }
        let base = RegisterOperand {
            slot,
            bank: bank_of(32),
            bits: 32,
        };
        let (d, uniform) = (self.hidden(64), self.number(window, 64));
        self.before.push(DecodedOp::AddressSum {
            d,
            base,
            scale: 0,
            uniform,
        });
        (d.slot, true, offset)
    }

    /// Decodes the address `base * scale + uniform`, which an operation before the instruction computes.
    fn address_sum(&mut self, address: &Address) -> DecodeResult<BaseAddress> {
        let plain = Address {
            scale_log2: 0,
            uniform: None,
            ..*address
        };
        let (slot, wide, offset) = self.address(&plain)?;
        let bits = if wide { 64 } else { 32 };
        let base = RegisterOperand {
            slot,
            bank: bank_of(bits),
            bits,
        };
        let uniform = match address.uniform {
            Some(run) => self.read(Source::Register(run), SourceModifiers::NONE, 64)?,
            None => RegisterOperand::SINK,
        };
        // Ignore an absolute address for the address width, because it has no base register.
        let wide_base = wide && address.base != AddressBase::None;
        let wide = wide_base || uniform.bits > 32;
        let d = self.hidden(if wide { 64 } else { 32 });
        let scale = address.scale_log2;
        self.before.push(DecodedOp::AddressSum {
            d,
            base,
            scale,
            uniform,
        });
        Ok((d.slot, wide, offset))
    }

    /// Returns the state space of an access: the state space of its variable if the instruction does not specify a
    /// state space, and kernel parameters for `.param` in a kernel (PTX ISA, "Parameter State Space").
    pub(crate) fn refined(
        &self,
        named: StateSpace,
        variable: Option<VariableId>,
    ) -> DecodeResult<StateSpace> {
        let open = matches!(
            named,
            StateSpace::Generic | StateSpace::ParamEntry | StateSpace::ParamFunc
        );
        if let (Some(variable), true) = (variable, open) {
            return Ok(self.variable(variable)?.1);
        }
        Ok(match (named, self.function.kind) {
            (StateSpace::ParamFunc, FunctionKind::Entry) => StateSpace::ParamEntry,
            _ => named,
        })
    }

    fn special(&mut self, special: SpecialRegister, bits: u32) -> RegisterOperand {
        self.reads_clock |= special.is_clock();
        let list = if bits > 32 {
            &mut self.code.specials64
        } else {
            &mut self.code.specials32
        };
        // Search linearly, which is sufficient for a few dozen special registers.
        let known = list.iter().position(|known| *known == special);
        let index = known.unwrap_or_else(|| {
            list.push(special);
            list.len() - 1
        });
        let slot = OperandSlot::special(index as u32);
        let bits = if bits > 32 { 64 } else { 32 };
        RegisterOperand {
            slot,
            bank: bank_of(bits),
            bits,
        }
    }

    /// Returns the slot and the bank of a register.
    pub(crate) fn register(&self, id: RegisterId) -> DecodeResult<RegisterOperand> {
        self.code
            .functions
            .get(self.index)
            .and_then(|f| f.registers.get(id.0 as usize))
            .copied()
            .ok_or_else(|| DecodeError::internal(format!("register {} is not declared", id.0)))
    }
}
