//! Rewrite of a PTX source for a layout change. The rewrite inserts address arithmetic before each access to a buffer, and adjusts the size
//! in the declaration of the buffer. Its result is a set of text edits.

use crate::layouts::inspector::access_recorder::RecordedAccess;
use crate::layouts::inspector::bank_conflict_fix::FixTarget;
use crate::layouts::inspector::layout_change::{LayoutChange, XorSwizzle, spread_mask};
use crate::session::Session;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use warpgrid_isa::StateSpace;
use warpgrid_launch::instruction_summary::InstructionView;
use warpgrid_program::syntax::InstructionSyntax;
use warpgrid_program::{AddressBase, Edit, Fix, FunctionId, OperandValue, Span, Variable};

/// Edits of a source text: replacement texts, indexed by the source span that each text replaces.
#[derive(Debug, Default)]
pub(crate) struct TextEdits(BTreeMap<Span, String>);

impl TextEdits {
    fn replace(&mut self, span: Span, text: String) {
        self.0.insert(span, text);
    }
}

/// Applies edits to a source, and returns the resulting source.
pub(crate) fn rewritten(source: &str, edits: TextEdits) -> String {
    let edits = edits.0.into_iter();
    let edits = edits.map(|(span, text)| Edit { span, text });
    Fix::of(edits.collect()).apply(source)
}

/// Names of the registers that the rewrite adds. The names are unlikely to occur in programs.
const ADDRESS: &str = "%lens_address";
const OFFSET: &str = "%lens_offset";
const OTHER: &str = "%lens_other";

/// PTX instructions that apply a layout change to a shared-memory address, which the rewrite inserts before an access.
pub(crate) struct AddressRewrite {
    lines: Vec<String>,
}

/// Width of the addresses in the inserted instructions, and of the registers that contain these addresses.
struct AddressWidth {
    bits: u32,
}

/// Returns the instructions that apply an XOR swizzle to the address.
fn xor_lines(xor: &XorSwizzle, bits: u32) -> Vec<String> {
    let mask = ((1u64 << xor.bits) - 1) << xor.base;
    let masked = |register: &str, shift: u32| {
        [
            format!("shr.u{bits} {register}, {ADDRESS}, {shift};"),
            format!("and.b{bits} {register}, {register}, {mask};"),
        ]
    };
    let mut lines = Vec::from(masked(OTHER, xor.shift));
    if xor.second != 0 {
        let second = "%lens_second";
        lines.extend(masked(second, xor.second));
        lines.push(format!("xor.b{bits} {OTHER}, {OTHER}, {second};"));
    }
    lines.push(format!("xor.b{bits} {ADDRESS}, {ADDRESS}, {OTHER};"));
    lines
}

impl AddressRewrite {
    pub(crate) fn of(change: LayoutChange, target: &FixTarget<'_>) -> AddressRewrite {
        AddressRewrite::with(change, target, &AddressWidth { bits: 32 }, 0)
    }

    /// Returns the instructions that apply a layout change to an address. `aligned` is the alignment of the buffer declaration in bytes.
    /// The bits of an address below this alignment equal the corresponding bits of the offset within the buffer.
    fn with(
        change: LayoutChange,
        target: &FixTarget<'_>,
        width: &AddressWidth,
        aligned: u64,
    ) -> AddressRewrite {
        let bits = width.bits;
        // Convert the address to its offset within the buffer.
        let to_offset = [
            format!("mov.u{bits} {OFFSET}, {};", target.named.name),
            format!("sub.u{bits} {ADDRESS}, {ADDRESS}, {OFFSET};"),
        ];
        let to_address = [format!("add.u{bits} {ADDRESS}, {ADDRESS}, {OFFSET};")];
        let lines = match change {
            LayoutChange::Pad {
                row_bytes,
                pad_bytes,
            } => {
                let row = row_bytes.trailing_zeros();
                vec![
                    format!("mov.u{bits} {OFFSET}, {};", target.named.name),
                    format!("sub.u{bits} {OFFSET}, {ADDRESS}, {OFFSET};"),
                    format!("shr.u{bits} {OFFSET}, {OFFSET}, {row};"),
                    format!("mad.lo.u{bits} {ADDRESS}, {OFFSET}, {pad_bytes}, {ADDRESS};"),
                ]
            }
            LayoutChange::Xor(xor) if xor.end_bit() < 32 && aligned >= 1 << xor.end_bit() => {
                xor_lines(&xor, bits)
            }
            LayoutChange::Xor(xor) => {
                [&to_offset[..], &xor_lines(&xor, bits), &to_address].concat()
            }
            LayoutChange::BroadcastXor {
                bits: n,
                base,
                source,
            } => {
                let mask = spread_mask(n, base);
                let spread = [
                    format!("shr.u{bits} {OTHER}, {ADDRESS}, {source};"),
                    format!("and.b{bits} {OTHER}, {OTHER}, 1;"),
                    format!("mul.lo.u{bits} {OTHER}, {OTHER}, {mask};"),
                    format!("xor.b{bits} {ADDRESS}, {ADDRESS}, {OTHER};"),
                ];
                [&to_offset[..], &spread, &to_address].concat()
            }
            LayoutChange::TransposeUnits {
                row_bytes,
                unit_bytes,
                n_rows,
            } => {
                let (row, unit) = (row_bytes.trailing_zeros(), unit_bytes.trailing_zeros());
                let column = n_rows * unit_bytes;
                let exchange = [
                    format!("shr.u{bits} {OTHER}, {ADDRESS}, {row};"),
                    format!("mad.lo.u{bits} {OFFSET}, {OTHER}, {unit_bytes}, {OFFSET};"),
                    format!("and.b{bits} {OTHER}, {ADDRESS}, {};", unit_bytes - 1),
                    format!("add.u{bits} {OFFSET}, {OFFSET}, {OTHER};"),
                    format!("and.b{bits} {ADDRESS}, {ADDRESS}, {};", row_bytes - 1),
                    format!("shr.u{bits} {ADDRESS}, {ADDRESS}, {unit};"),
                    format!("mad.lo.u{bits} {ADDRESS}, {ADDRESS}, {column}, {OFFSET};"),
                ];
                [&to_offset[..], &exchange].concat()
            }
        };
        AddressRewrite { lines }
    }

    pub(crate) fn n_instructions(&self) -> u32 {
        self.lines.len() as u32 + 1
    }
}

impl Session {
    /// Adds the text edits that apply a layout change to a buffer. The error is the reason why the source cannot be rewritten.
    pub(crate) fn rewrite(
        &self,
        target: &FixTarget<'_>,
        change: LayoutChange,
        edits: &mut TextEdits,
    ) -> Result<(), String> {
        if self.is_part() {
            return Err(
                "the instructions are in an asm block, and the rewrite does not modify source code of other languages".to_owned(),
            );
        }
        let document = self.document();
        if change.more_bytes(target.size) > 0 {
            let name = &target.named.name;
            let variable = self.declaration(name);
            let variable = variable
                .ok_or_else(|| format!("the array `{name}` has no separate declaration"))?;
            let span = document
                .dimensions(variable.span, name)
                .ok_or_else(|| format!("the declaration of `{name}` specifies no size"))?;
            let element = u64::from(variable.ty.width_bits() / 8).max(1);
            let size = change.size(target.size).div_ceil(element);
            edits.replace(span, format!("[{size}]"));
        }
        let instructions = self.instruction_syntax();
        for found in &target.accesses {
            let (span, text) = self.changed(found, target, change, &instructions)?;
            edits.replace(span, text);
        }
        Ok(())
    }

    fn declaration(&self, name: &str) -> Option<&Variable> {
        let of_functions = self
            .program
            .functions
            .iter()
            .flat_map(|function| &function.variables);
        let mut all = self.program.variables.iter().chain(of_functions);
        all.find(|variable| variable.space == StateSpace::Shared && variable.name == name)
    }

    /// Formats an access in a separate PTX scope, preceded by the address arithmetic of the layout change.
    fn changed(
        &self,
        found: &RecordedAccess,
        target: &FixTarget<'_>,
        change: LayoutChange,
        instructions: &BTreeMap<u32, InstructionSyntax>,
    ) -> Result<(Span, String), String> {
        let line = self.line_of(found);
        let reader = self.reader(FunctionId(found.function), found.instruction);
        let reader = reader.ok_or_else(|| format!("line {line} is outside of the source"))?;
        let span = reader.instruction.span;
        let is_generic = self.is_generic_access(found);
        let operand = address_of(reader)
            .ok_or_else(|| format!("the address operand in line {line} cannot be parsed"))?;
        let changed = instructions.get(&span.start).and_then(|syntax| {
            let index = syntax.operand_at(operand.at)?;
            syntax.with_operand(index, format!("[{ADDRESS}]"))
        });
        let changed = changed
            .ok_or_else(|| format!("line {line} contains no address operand in brackets"))?;
        let aligned = self
            .declaration(&target.named.name)
            .map_or(0, |variable| u64::from(variable.align_bytes));
        let width = AddressWidth {
            bits: if is_generic { 64 } else { operand.bits },
        };
        let rewrite = AddressRewrite::with(change, target, &width, aligned);
        let bits = width.bits;
        let mut block =
            format!("{{\n    .reg .b{bits} {ADDRESS}, {OFFSET}, {OTHER}, %lens_second;\n");
        let mut line = |text: &str| {
            // Ignore the result, because formatting into a `String` cannot fail.
            let _ = writeln!(block, "    {text}");
        };
        match operand.base {
            Some(base) => line(&format!(
                "add.s{bits} {ADDRESS}, {base}, {};",
                operand.offset
            )),
            None => line(&format!(
                "mov.u{bits} {ADDRESS}, {}+{};",
                target.named.name, operand.offset
            )),
        }
        if is_generic {
            line(&format!("cvta.to.shared.u{bits} {ADDRESS}, {ADDRESS};"));
        }
        rewrite.lines.iter().for_each(|text| line(text));
        if is_generic {
            line(&format!("cvta.shared.u{bits} {ADDRESS}, {ADDRESS};"));
        }
        line(&changed.to_string());
        block.push_str("    }");
        Ok((span, block))
    }

    /// Checks whether the instruction of an access specifies no state space.
    pub(crate) fn is_generic_access(&self, found: &RecordedAccess) -> bool {
        let reader = self.reader(FunctionId(found.function), found.instruction);
        let access = reader.and_then(InstructionView::access);
        access.is_some_and(|access| access.space == StateSpace::Generic)
    }
}

/// Parts of the first address operand of an instruction, which the rewrite replaces.
struct AddressOperand {
    at: Span,
    /// Base register of the address, or `None` if the base of the address is a variable.
    base: Option<String>,
    offset: i64,
    bits: u32,
}

fn address_of(reader: InstructionView<'_>) -> Option<AddressOperand> {
    let operands = reader.function.operands_of(reader.instruction.operands);
    operands.iter().find_map(|operand| {
        let OperandValue::Address(address) = &operand.value else {
            return None;
        };
        let (base, bits) = match address.base {
            AddressBase::Register(run) => {
                let register = run.registers().next()?;
                let registers = &reader.function.registers;
                let name = registers.name(register).to_owned();
                (
                    Some(name),
                    registers.get(register.0 as usize)?.ty.width_bits(),
                )
            }
            AddressBase::Variable(_) => (None, 32),
            AddressBase::Bank { .. } | AddressBase::None => return None,
        };
        Some(AddressOperand {
            at: operand.span,
            base,
            offset: address.offset,
            bits,
        })
    })
}
