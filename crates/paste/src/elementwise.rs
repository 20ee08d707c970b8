//! Kernels that apply inline assembly to each element of arrays, with the semantics of `tl.inline_asm_elementwise` of Triton.
//!
//! The module takes an assembly template, LLVM constraints and the element sizes of the arrays. The result is an [`AsmBlock`] whose operands
//! are registers, and the PTX source of a kernel in which each thread loads the input operands, executes the assembly and stores the output
//! operands.

use crate::argument::add_operands;
use crate::block::{AsmBlock, AsmOperand};
use crate::constraint::{AsmDialect, ConstraintAccess, OperandKind};
use crate::parsed_block::ParsedAsmBlock;
use std::fmt::Write;
use warpgrid_isa::{ScalarType, TypeKind};
use warpgrid_program::{MappedSource, Span, counted};

/// Assembly and arrays of an elementwise kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ElementwiseAssembly {
    /// Template in which `$0` is the first operand.
    pub assembly: String,
    /// LLVM constraints of the outputs and then of the inputs: `=h,f,f`.
    pub constraints: String,
    /// Element sizes of the input arrays in bytes.
    pub input_bytes: Vec<u32>,
    /// Element sizes of the output arrays in bytes. If the list is empty, each output operand is an array of the size of its register.
    pub output_bytes: Vec<u32>,
    /// Number of adjacent elements that one execution of the assembly processes.
    pub pack: u32,
}

/// Kernel that executes assembly for each element of its arrays.
#[derive(Clone, Debug, PartialEq)]
pub struct ElementwiseKernel {
    /// Assembly with its operands. The spans refer to [`ElementwiseAssembly::text`].
    pub block: AsmBlock,
    pub outputs: Vec<ElementwiseArray>,
    pub inputs: Vec<ElementwiseArray>,
}

/// Array of an [`ElementwiseKernel`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementwiseArray {
    /// Type of the registers that contain the elements.
    pub ty: ScalarType,
    /// Size of the elements that one thread processes.
    pub bytes_per_thread: u32,
    /// Operands of the assembly that contain these elements.
    registers: Vec<usize>,
}

/// Name of the kernel in the source of [`ElementwiseKernel::module`].
pub const ELEMENTWISE_KERNEL: &str = "elementwise";

/// Prefix of the names that the source declares.
const PREFIX: &str = "elementwise_";

impl ElementwiseAssembly {
    /// Returns the text to which the spans of the kernel refer: the template, followed by a line with the constraints.
    pub fn text(&self) -> String {
        format!("{}\n{}", self.assembly, self.constraints)
    }

    /// Parses the operands and assigns them to the arrays. Returns a message if the operands do not match the arrays.
    pub fn kernel(&self) -> Result<ElementwiseKernel, String> {
        if !self.pack.is_power_of_two() || self.pack > MAX_PACK {
            return Err(format!(
                "found `pack` {}, expected a power of two up to {MAX_PACK}",
                self.pack
            ));
        }
        let block = self.block();
        let outputs = indices(&block.operands, |role| role.is_written());
        let inputs = indices(&block.operands, |role| !role.is_written());
        let of_registers: Vec<u32>;
        let output_bytes = match self.output_bytes.is_empty() {
            true => {
                let registers = outputs.iter().map(|index| &block.operands[*index]);
                let bytes = registers.map(|operand| register(operand).map(ScalarType::width_bytes));
                of_registers = bytes.collect::<Result<_, _>>()?;
                &of_registers
            }
            false => &self.output_bytes,
        };
        let pack = match self.output_bytes.is_empty() {
            true => 1,
            false => self.pack,
        };
        Ok(ElementwiseKernel {
            outputs: arrays("output", &block.operands, &outputs, output_bytes, pack)?,
            inputs: arrays(
                "input",
                &block.operands,
                &inputs,
                &self.input_bytes,
                self.pack,
            )?,
            block,
        })
    }

    fn block(&self) -> AsmBlock {
        let template_end = self.assembly.len() as u32;
        let mut block = ParsedAsmBlock::new(
            ELEMENTWISE_KERNEL,
            Span::new(0, template_end),
            AsmDialect::Llvm,
        );
        block.template.copy(&self.assembly, 0);
        let mut constraints = MappedSource::default();
        constraints.copy(&self.constraints, template_end + 1);
        add_operands(&constraints, &[], &[], &mut block);
        block.resolve_operands(ELEMENTWISE_KERNEL.to_owned(), &[])
    }
}

/// Maximum number of elements that one execution of the assembly processes.
const MAX_PACK: u32 = 16;

/// Returns the indices of the operands whose direction meets a condition.
fn indices(operands: &[AsmOperand], accepts: fn(ConstraintAccess) -> bool) -> Vec<usize> {
    let all = operands.iter().enumerate();
    let own = all.filter(|(_, operand)| accepts(operand.role));
    own.map(|(index, _)| index).collect()
}

/// Returns the register type of an operand.
fn register(operand: &AsmOperand) -> Result<ScalarType, String> {
    match operand.kind {
        OperandKind::Register(ty) if ty != ScalarType::Pred => Ok(ty),
        OperandKind::Register(_) | OperandKind::Constant | OperandKind::Text => Err(format!(
            "found the constraint `{}`, expected the constraint of a register, such as `r`",
            operand.constraint
        )),
    }
}

/// Assigns the operands `own` to arrays with the given element sizes. An array with more bytes per thread than a register occupies several
/// consecutive operands.
fn arrays(
    direction: &str,
    operands: &[AsmOperand],
    own: &[usize],
    element_bytes: &[u32],
    pack: u32,
) -> Result<Vec<ElementwiseArray>, String> {
    let mut rest = own;
    let mut arrays = Vec::new();
    for (number, bytes) in element_bytes.iter().enumerate() {
        let mismatch = || {
            let expected = counted(element_bytes.len() as u64, &format!("{direction} array"));
            let found = counted(own.len() as u64, &format!("{direction} constraint"));
            format!("found {found} for {expected} with {pack} elements per execution")
        };
        let first = *rest.first().ok_or_else(mismatch)?;
        let ty = register(&operands[first])?;
        let width = ty.width_bytes();
        let total = bytes.saturating_mul(pack);
        let n_registers = (total / width).max(1) as usize;
        let is_partial =
            total < width && (ty.kind() == TypeKind::Float || !total.is_power_of_two());
        if total == 0 || is_partial || total > width && total % width != 0 {
            return Err(format!(
                "{direction} array {number} has {} per execution, but a register of the constraint `{}` has {}",
                counted(total, "byte"),
                operands[first].constraint,
                counted(width, "byte"),
            ));
        }
        let registers = rest.get(..n_registers).ok_or_else(mismatch)?;
        for index in registers {
            if register(&operands[*index])? != ty {
                return Err(mismatch());
            }
        }
        arrays.push(ElementwiseArray {
            ty,
            bytes_per_thread: total,
            registers: registers.to_vec(),
        });
        rest = &rest[n_registers..];
    }
    match rest.is_empty() {
        true => Ok(arrays),
        false => {
            let expected = counted(element_bytes.len() as u64, &format!("{direction} array"));
            let found = counted(own.len() as u64, &format!("{direction} constraint"));
            Err(format!("found {found} for {expected}"))
        }
    }
}

impl ElementwiseKernel {
    /// Returns the PTX source of the kernel. Its parameters are the addresses of the outputs, the addresses of the inputs, and the number of
    /// executions of the assembly as a 64-bit integer.
    pub fn module(&self, version: &str, target: &str) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_module(&mut text, version, target);
        text
    }

    fn write_module(&self, out: &mut String, version: &str, target: &str) -> std::fmt::Result {
        writeln!(
            out,
            ".version {version}\n.target {target}\n.address_size 64\n"
        )?;
        writeln!(out, ".visible .entry {ELEMENTWISE_KERNEL}(")?;
        for (direction, arrays) in [("output", &self.outputs), ("input", &self.inputs)] {
            for number in 0..arrays.len() {
                writeln!(out, "  .param .u64 {PREFIX}{direction}{number},")?;
            }
        }
        writeln!(out, "  .param .u64 {PREFIX}count\n)\n{{")?;
        writeln!(out, "  .reg .pred %{PREFIX}is_outside;")?;
        writeln!(out, "  .reg .b32 %{PREFIX}word<3>;")?;
        writeln!(
            out,
            "  .reg .b64 %{PREFIX}index, %{PREFIX}count, %{PREFIX}address;"
        )?;
        for operand in &self.block.operands {
            if let OperandKind::Register(ty) = operand.kind {
                writeln!(
                    out,
                    "  .reg .{} {};",
                    register_type(ty).name(),
                    operand.name
                )?;
            }
        }
        for (register, special) in ["%ctaid.x", "%ntid.x", "%tid.x"].iter().enumerate() {
            writeln!(out, "  mov.u32 %{PREFIX}word{register}, {special};")?;
        }
        writeln!(
            out,
            "  mul.wide.u32 %{PREFIX}index, %{PREFIX}word0, %{PREFIX}word1;"
        )?;
        writeln!(out, "  cvt.u64.u32 %{PREFIX}count, %{PREFIX}word2;")?;
        writeln!(
            out,
            "  add.s64 %{PREFIX}index, %{PREFIX}index, %{PREFIX}count;"
        )?;
        writeln!(out, "  ld.param.u64 %{PREFIX}count, [{PREFIX}count];")?;
        writeln!(
            out,
            "  setp.ge.u64 %{PREFIX}is_outside, %{PREFIX}index, %{PREFIX}count;"
        )?;
        writeln!(out, "  @%{PREFIX}is_outside bra ${PREFIX}end;")?;
        for (number, array) in self.inputs.iter().enumerate() {
            self.write_accesses(out, "input", number, array)?;
        }
        self.write_tied_operands(out)?;
        writeln!(out, "  {{\n{}\n  }}", self.block.snippet.text)?;
        for (number, array) in self.outputs.iter().enumerate() {
            self.write_accesses(out, "output", number, array)?;
        }
        writeln!(out, "${PREFIX}end:\n  ret;\n}}")
    }

    /// Writes the loads of an input array, or the stores of an output array.
    fn write_accesses(
        &self,
        out: &mut String,
        direction: &str,
        number: usize,
        array: &ElementwiseArray,
    ) -> std::fmt::Result {
        let ElementwiseArray {
            ty,
            bytes_per_thread,
            registers,
        } = array;
        let access_bytes = ty.width_bytes().min(*bytes_per_thread);
        let ty = match access_bytes == ty.width_bytes() {
            true => register_type(*ty).name().to_owned(),
            false => format!("u{}", access_bytes * 8),
        };
        writeln!(
            out,
            "  ld.param.u64 %{PREFIX}address, [{PREFIX}{direction}{number}];"
        )?;
        writeln!(
            out,
            "  mad.lo.s64 %{PREFIX}address, %{PREFIX}index, {bytes_per_thread}, %{PREFIX}address;"
        )?;
        for (place, index) in registers.iter().enumerate() {
            let name = &self.block.operands[*index].name;
            let offset = place as u32 * access_bytes;
            match direction {
                "input" => writeln!(out, "  ld.global.{ty} {name}, [%{PREFIX}address+{offset}];")?,
                _ => writeln!(out, "  st.global.{ty} [%{PREFIX}address+{offset}], {name};")?,
            }
        }
        Ok(())
    }

    /// Copies each input operand whose constraint is the number of an output operand to this output operand.
    fn write_tied_operands(&self, out: &mut String) -> std::fmt::Result {
        for operand in &self.block.operands {
            let other = operand.constraint.parse::<usize>().ok();
            let other = other.and_then(|number| self.block.operands.get(number));
            if let (Some(other), OperandKind::Register(ty)) = (other, operand.kind) {
                let bits = ty.width_bytes() * 8;
                writeln!(out, "  mov.b{bits} {}, {};", other.name, operand.name)?;
            }
        }
        Ok(())
    }
}

/// Returns the type with which the kernel declares a register. Integer registers have untyped bit types, so that `h` also accepts `.f16`.
fn register_type(ty: ScalarType) -> ScalarType {
    match ty.kind() {
        TypeKind::Unsigned => ty.to_bits(),
        TypeKind::Bits | TypeKind::Signed | TypeKind::Float | TypeKind::Predicate => ty,
    }
}

#[cfg(test)]
mod tests {
    use super::ElementwiseAssembly;

    fn assembly(constraints: &str, input_bytes: &[u32], pack: u32) -> ElementwiseAssembly {
        ElementwiseAssembly {
            assembly: "add.u32 $0, $1, $1;".to_owned(),
            constraints: constraints.to_owned(),
            input_bytes: input_bytes.to_vec(),
            output_bytes: Vec::new(),
            pack,
        }
    }

    #[test]
    fn kernel_loads_and_stores_operands() {
        let kernel = assembly("=r,r", &[4], 1).kernel().expect("a kernel");
        let text = kernel.module("8.8", "sm_90");
        for line in ["ld.global.b32 ", "st.global.b32 ", "add.u32 "] {
            assert!(text.contains(line), "{text}");
        }
    }

    #[test]
    fn packed_elements_share_a_register() {
        let kernel = assembly("=r,r", &[1], 4).kernel().expect("a kernel");
        assert_eq!(kernel.inputs[0].bytes_per_thread, 4);
        let kernel = assembly("=r,r,r", &[4], 2).kernel().expect("a kernel");
        assert_eq!(kernel.inputs[0].registers.len(), 2);
    }

    #[test]
    fn operands_that_do_not_match_arrays_are_rejected() {
        for (constraints, input_bytes, pack) in [
            ("=r,r", &[4, 4][..], 1),
            ("=r,r,r", &[4], 1),
            ("=r,f", &[2], 1),
            ("=r,n", &[4], 1),
            ("=r,r", &[4], 3),
        ] {
            let kernel = assembly(constraints, input_bytes, pack).kernel();
            assert!(kernel.is_err(), "{constraints}");
        }
    }
}
