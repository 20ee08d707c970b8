//! Lowering of a listing part to a module: functions become kernels, and sections become variables.

use super::body::{
    FunctionBuilder, LoweredInstruction, LoweredOperand, OpcodeTable, id_of, predicate_name,
};
use super::instruction_cursor::{InstructionCursor, Unsupported, as_register};
use super::linked_functions::{LinkedFunctions, SystemFunction, read_reference};
use super::parameters::read_parameters;
use super::{LoweringContext, control, lower_one, undetermined, uniform};
use crate::check::target::inferred;
use crate::listing::{
    self, AddressedInstruction, ArchUnit, FunctionCode, KernelInfo, Section, Symbol, line_table,
};
use crate::syntax::{Instruction, OperandKind, RegisterFile, RegisterNumber, Tree, parse};
use crate::target_abi::TargetAbi;
use std::collections::HashMap;
use warpgrid_isa::{Modifiers, Operation, ScalarType, StateSpace, Target, Version};
use warpgrid_program::{
    AddressBase, Function, FunctionKind, Guard, LaunchBounds, Module, OperandValue, Parameter,
    RegisterId, Registers, Relocation, RelocationTarget, SassKernelInfo, Source, Span, Variable,
};

/// Instruction that the lowering does not support, with the reason and the span of the unsupported modifier or operand. Diagnostics report
/// it.
pub(crate) struct UnsupportedInstruction {
    pub(crate) mnemonic: String,
    pub(crate) what: String,
    pub(crate) span: Span,
}

/// Result of lowering a part of a listing: the module, and the instructions that are unsupported or depend on undetermined literals.
pub(crate) struct LoweredUnit {
    pub(crate) module: Module,
    pub(crate) not_run: Vec<UnsupportedInstruction>,
    /// NaN literals whose bits the listing does not contain.
    pub(crate) undetermined_literals: Vec<Span>,
}

/// Lowers the functions of a listing part for a target.
pub(crate) fn lower(
    tree: &Tree,
    source: &str,
    part: &ArchUnit,
    target: &'static Target,
    version: Version,
) -> LoweredUnit {
    let library = LinkedFunctions::of(tree, source, part);
    let mut lowering = Lowering {
        library: &library,
        tree,
        source,
        part,
        target,
        actions: OpcodeTable::default(),
        not_run: Vec::new(),
        undetermined_literals: Vec::new(),
        variables: Vec::new(),
        banks: Vec::new(),
    };
    lowering.add_variables();
    let kernels = part
        .functions
        .iter()
        .filter(|text| !library.has(&text.name));
    let functions = kernels
        .map(|text| lowering.function(&library.linked(tree, source, text)))
        .collect();
    LoweredUnit {
        module: Module {
            version,
            target,
            address_bits: 64,
            variables: lowering.variables,
            functions,
            opcodes: lowering.actions.list,
            line_table: line_table::build(tree, source),
        },
        not_run: lowering.not_run,
        undetermined_literals: lowering.undetermined_literals,
    }
}

/// Returns whether all instructions of a source without functions are supported.
pub(super) fn is_lowered(source: &str) -> bool {
    let tree = parse(source);
    let listing = listing::read(&tree, source);
    listing.parts.iter().all(|part| {
        let lowered = lower(
            &tree,
            source,
            part,
            inferred(source, &tree),
            Version::NEWEST,
        );
        lowered.not_run.is_empty()
    })
}

struct Lowering<'a> {
    tree: &'a Tree,
    source: &'a str,
    part: &'a ArchUnit,
    /// Device functions in other sections, which are linked to the kernels that call them.
    library: &'a LinkedFunctions,
    target: &'static Target,
    actions: OpcodeTable,
    not_run: Vec<UnsupportedInstruction>,
    undetermined_literals: Vec<Span>,
    variables: Vec<Variable>,
    /// Constant banks: name of the kernel (`None` for all kernels), number of the bank, and index of the variable with its contents.
    banks: Vec<(Option<String>, u8, u32)>,
}

impl Lowering<'_> {
    /// Adds variables for the sections that contain constants and variables of the module.
    fn add_variables(&mut self) {
        for section in &self.part.sections {
            let section = &*self.library.with_relocations_applied(section);
            if let Some(rest) = section.name.strip_prefix(".nv.constant") {
                let (number, kernel) = match rest.split_once('.') {
                    Some((number, kernel)) => (number, Some(kernel.to_owned())),
                    None => (rest, None),
                };
                // Bank 0 has no variable, because the launch provides its contents.
                if let Some(number) = number.parse().ok().filter(|number| *number != 0) {
                    let index = self.variables.len() as u32;
                    self.variables.push(whole(section, StateSpace::Const));
                    self.banks.push((kernel, number, index));
                }
            } else if section.name == ".nv.global" || section.name == ".nv.global.init" {
                let objects = section.symbols.iter().filter(|symbol| symbol.is_object);
                for symbol in objects {
                    self.variables.push(object(section, symbol));
                }
            }
        }
        self.add_relocations();
    }

    /// Adds a relocation for each address of a variable in the contents of another variable.
    fn add_relocations(&mut self) {
        let names: HashMap<&str, u32> = self
            .variables
            .iter()
            .enumerate()
            .map(|(index, variable)| (variable.name.as_str(), index as u32))
            .collect();
        let mut found: Vec<(usize, Relocation)> = Vec::new();
        for section in &self.part.sections {
            for item in &section.references {
                let Some((name, addend)) = read_reference(&item.text) else {
                    continue;
                };
                let Some(target) = names.get(name) else {
                    continue;
                };
                let owner = self
                    .variables
                    .iter()
                    .enumerate()
                    .find_map(|(index, variable)| {
                        if variable.name == section.name {
                            return Some((index, item.byte_offset));
                        }
                        let symbol = section.symbols.iter().find(|s| s.name == variable.name)?;
                        let offset = item.byte_offset.checked_sub(symbol.byte_offset)?;
                        (offset < variable.size_bytes).then_some((index, offset))
                    });
                if let Some((index, byte_offset)) = owner {
                    let relocation = Relocation {
                        byte_offset,
                        width_bytes: item.width_bytes,
                        target: RelocationTarget::Variable(*target),
                        addend,
                        generic: true,
                    };
                    found.push((index, relocation));
                }
            }
        }
        for (index, relocation) in found {
            self.variables[index].relocations.push(relocation);
        }
    }

    fn function(&mut self, text: &FunctionCode) -> Function {
        let info = KernelInfo::of(self.part, &text.name);
        let environment = TargetAbi::of(self.target);
        let n_not_run = self.not_run.len();
        let n_literals = self.undetermined_literals.len();
        let (mut body, undetermined) = self.body(text, Vec::new());
        if !undetermined.is_empty() {
            self.not_run.truncate(n_not_run);
            self.undetermined_literals.truncate(n_literals);
            (body, _) = self.body(text, undetermined);
        }
        let machine = self.machine_code(text, &info, &environment, &mut body);
        place_labels(&mut body, &machine);
        let registers = body.number_registers();
        let undetermined = body.tags.iter().map(|(id, _)| predicate_name(*id));
        let undetermined: Vec<String> = undetermined.collect();
        let results = match machine.is_bare {
            true => registers_of_machine(&registers, &undetermined),
            false => Vec::new(),
        };
        let mut variables = self.parameters(text, &info, machine.parameter_start);
        let parameters = (0..variables.len() as u32)
            .map(Parameter::Variable)
            .collect();
        self.add_memories(text, &info, &environment, &mut variables);
        Function {
            name: match text.name.is_empty() {
                true => "main".to_owned(),
                false => text.name.clone(),
            },
            kind: FunctionKind::Entry,
            defined: true,
            parameters,
            returns: Vec::new(),
            variables,
            registers,
            results,
            instructions: body.instructions,
            operands: body.operands,
            labels: labels(text, &machine),
            bounds: LaunchBounds {
                required_threads: info.required_threads,
                max_threads: info.max_threads,
                ..LaunchBounds::default()
            },
            machine: Some(Box::new(machine)),
            span: text.span,
        }
    }

    /// Returns the parameters of a kernel as variables. If the listing contains no attributes, the parameters are inferred from the
    /// accesses to constant bank 0.
    fn parameters(&self, text: &FunctionCode, info: &KernelInfo, start: u32) -> Vec<Variable> {
        let parameters = match &info.parameters {
            Some(parameters) => parameters.clone(),
            None => read_parameters(self.tree, self.source, text, start),
        };
        let variables = parameters.iter().map(|info| Variable {
            name: format!("param_{}", info.ordinal),
            align_bytes: alignment(start.wrapping_add(info.byte_offset), info.size_bytes),
            ..reserved(StateSpace::ParamEntry, info.size_bytes.into(), text.span)
        });
        variables.collect()
    }

    /// Returns the properties of a function that exist only in SASS code.
    fn machine_code(
        &self,
        text: &FunctionCode,
        info: &KernelInfo,
        environment: &TargetAbi,
        body: &mut FunctionBuilder,
    ) -> SassKernelInfo {
        SassKernelInfo {
            addresses: std::mem::take(&mut body.addresses),
            not_run: std::mem::take(&mut body.not_run),
            parameter_start: info.parameter_start.unwrap_or(environment.parameters),
            has_unknown_parameters: info.parameters.is_none(),
            open_shared: !self.has_data_sections()
                && self
                    .part
                    .section(&format!(".nv.shared.{}", text.name))
                    .is_none(),
            is_bare: text.name.is_empty(),
            reserved_shared_bytes: match text.name.is_empty() {
                true => 0,
                false => environment.reserved_shared_bytes,
            },
            cta_pair_mbarrier_offset: environment.pair_barrier.filter(|_| !text.name.is_empty()),
            launch_constants: environment.facts(),
            banks: self
                .banks
                .iter()
                .filter(|(kernel, _, _)| kernel.as_ref().is_none_or(|name| *name == text.name))
                .map(|(_, number, variable)| (*number, *variable))
                .collect(),
        }
    }

    /// Lowers the instructions of a function, and returns the predicates to which they write undetermined values. `undetermined` contains
    /// these predicates for the whole function, because in a loop, the instruction that reads a predicate may precede the instruction that
    /// writes it in the source.
    fn body(
        &mut self,
        text: &FunctionCode,
        undetermined: Vec<RegisterId>,
    ) -> (FunctionBuilder, Vec<RegisterId>) {
        let mut body = FunctionBuilder::default();
        body.may_diverge = uniform::may_diverge(self.tree, self.source, text);
        undetermined::tags(&mut body, undetermined);
        let mut left = Vec::new();
        for placed in &text.instructions {
            let Some(instruction) = self.tree.instructions.get(placed.index as usize) else {
                continue;
            };
            left.extend(self.instruction(text, &mut body, instruction, placed));
        }
        for (name, address) in &text.system {
            let Some(function) = SystemFunction::of_name(name) else {
                continue;
            };
            let steps = control::system_function(function, text.span);
            body.add(&mut self.actions, steps, None, name, text.span, *address);
        }
        (body, left)
    }

    /// Lowers one instruction. An unsupported instruction becomes an operation of the program that stops execution when a warp reaches it.
    /// Returns the predicates to which the instruction writes undetermined values.
    fn instruction(
        &mut self,
        text: &FunctionCode,
        body: &mut FunctionBuilder,
        instruction: &Instruction,
        placed: &AddressedInstruction,
    ) -> Vec<RegisterId> {
        let address = placed.address;
        let mut words =
            InstructionCursor::new(self.tree, self.source, instruction, placed.encoding);
        let opcode = words.mnemonic();
        // A guard whose predicate has no register is the constant `PT`.
        let guard = instruction.guard.and_then(|guard| {
            let predicate = id_of(guard.predicate)?;
            let negated = guard.negated;
            Some(Guard { predicate, negated })
        });
        let never = guard.is_none() && instruction.guard.is_some_and(|guard| guard.negated);
        let mut context = LoweringContext {
            text,
            target: self.target,
            variables: &self.variables,
            body,
            address,
            guard,
        };
        let steps = lower_one(&mut context, &mut words).and_then(|steps| {
            match self.bank_that_is_missing(text, &steps) {
                Some((bank, span)) => Err(Unsupported {
                    what: format!(
                        "constant bank {bank}, which is not in the listing (run `nvdisasm` without `-c`)"
                    ),
                    span,
                }),
                None => Ok(steps),
            }
        });
        let undetermined = context.body.undetermined.clone();
        let steps = match steps {
            Ok(_) if never => vec![nothing()],
            Ok(mut steps) => {
                let start = context.body.instructions.len();
                let stops = undetermined::tag(&mut context, &mut steps, instruction.span);
                let stops = stops.into_iter();
                body.not_run
                    .extend(stops.map(|(place, reason)| ((start + place) as u32, reason)));
                if body.may_diverge {
                    uniform::broadcast(&mut steps, guard, instruction.span);
                }
                steps
            }
            Err(unknown) => self.not_executable(body, opcode, unknown),
        };
        if let Some(literal) = words.undetermined_literal() {
            self.undetermined_literals.push(literal);
        }
        body.undetermined.clear();
        let span = instruction.span;
        body.add(&mut self.actions, steps, guard, opcode, span, address);
        undetermined
    }

    /// Records an unsupported instruction, and returns the operations that represent it.
    fn not_executable(
        &mut self,
        body: &mut FunctionBuilder,
        opcode: &str,
        unknown: Unsupported,
    ) -> Vec<LoweredInstruction> {
        let Unsupported { what, span } = unknown;
        let index = body.instructions.len() as u32;
        body.not_run.push((index, what.clone()));
        self.not_run.push(UnsupportedInstruction {
            mnemonic: opcode.to_owned(),
            what,
            span,
        });
        vec![super::step(
            Operation::Unknown,
            Modifiers::default(),
            Vec::new(),
        )]
    }

    /// Returns the number of a constant bank that the operations read although no section of the source contains it. For example,
    /// `cuobjdump -sass` and `nvdisasm -c` do not print constant banks. Bank 0 is excluded, because the launch provides its contents.
    fn bank_that_is_missing(
        &self,
        text: &FunctionCode,
        steps: &[LoweredInstruction],
    ) -> Option<(u8, Span)> {
        let has = |bank: u8| {
            let mut banks = self.banks.iter();
            bank == 0
                || banks.any(|(kernel, number, _)| {
                    *number == bank && kernel.as_ref().is_none_or(|name| *name == text.name)
                })
        };
        let read = |value: &OperandValue| match value {
            OperandValue::Source(Source::Constant { bank, .. }, _) => Some(*bank),
            OperandValue::Address(address) => match address.base {
                AddressBase::Bank { bank, .. } => Some(bank),
                _ => None,
            },
            _ => None,
        };
        let mut operands = steps
            .iter()
            .flat_map(|step| &step.args)
            .flat_map(LoweredOperand::all);
        operands.find_map(|(value, span)| {
            let bank = read(value).filter(|bank| !has(*bank))?;
            Some((bank, span))
        })
    }

    /// Returns whether the listing includes data sections. `nvdisasm -plr` and `nvdisasm -lrm` omit `.nv.shared` and other data sections,
    /// but not `.nv.info` and the call graph, which is a section of every file.
    fn has_data_sections(&self) -> bool {
        let mut sections = self.part.sections.iter();
        sections.any(|section| section.name == ".nv.callgraph" || section.name == ".debug_frame")
    }

    /// Adds variables for the shared and local memory of a kernel.
    fn add_memories(
        &self,
        text: &FunctionCode,
        info: &KernelInfo,
        environment: &TargetAbi,
        variables: &mut Vec<Variable>,
    ) {
        let section = self.part.section(&format!(".nv.shared.{}", text.name));
        let uses = self.uses(text);
        if let Some(section) = section {
            let size = section.bytes.len() as u64;
            variables.push(Variable {
                name: section.name.clone(),
                align_bytes: section.align_bytes.max(16),
                ..reserved(StateSpace::Shared, size, section.span)
            });
        } else if uses.shared {
            // Assume the maximum size that a kernel may declare if the source has no data sections, because a source without data sections
            // does not specify the size of shared memory.
            let own = match self.has_data_sections() {
                true => 0,
                false => self.target.limits.static_shared_bytes,
            };
            let size = environment.reserved_shared_bytes + own;
            let most = self.target.limits.shared_bytes;
            if size > 0 {
                variables.push(Variable {
                    name: "shared".to_owned(),
                    ..reserved(StateSpace::Shared, size.min(most), text.span)
                });
            }
        }
        let may_recur = info.is_recursive || (info.parameters.is_none() && uses.calls);
        let least = if may_recur { RECURSIVE_FRAME } else { 0 };
        let known = info.stack_bytes.unwrap_or(0).max(uses.stack_bytes);
        let stack = if known > 0 { known.max(least) } else { 0 };
        if stack > 0 {
            variables.push(Variable {
                name: "stack".to_owned(),
                ..reserved(
                    StateSpace::Local,
                    u64::from(stack).next_multiple_of(16),
                    text.span,
                )
            });
        }
    }

    /// Returns which memories the instructions of a kernel use.
    fn uses(&self, text: &FunctionCode) -> MemoryUse {
        let mut uses = MemoryUse::default();
        let mut frames = 0u32;
        for placed in &text.instructions {
            let Some(instruction) = self.tree.instructions.get(placed.index as usize) else {
                continue;
            };
            let opcode = instruction.opcode.text(self.source);
            uses.shared |= matches!(
                opcode,
                "LDS"
                    | "STS"
                    | "ATOMS"
                    | "LDSM"
                    | "STSM"
                    | "LD"
                    | "ST"
                    | "ATOM"
                    | "LDGSTS"
                    | "SYNCS"
                    | "STAS"
            );
            uses.local |= matches!(opcode, "LDL" | "STL");
            uses.calls |= opcode == "CALL";
            frames = frames.saturating_add(self.frame_bytes(instruction));
        }
        if uses.local || frames > 0 {
            let least = if text.name.is_empty() {
                LOOSE_FRAME
            } else {
                MIN_FRAME
            };
            uses.stack_bytes = frames.clamp(least, MAX_FRAME);
        }
        uses
    }

    /// Returns the number of bytes by which an instruction such as `IADD3 R1, R1, -0x28, RZ` decrements the stack pointer.
    fn frame_bytes(&self, instruction: &Instruction) -> u32 {
        let operands = self.tree.operands(instruction);
        let first = operands.first();
        let register = first.and_then(|operand| as_register(&operand.value));
        let is_stack_pointer = register.is_some_and(|register| {
            register.file == RegisterFile::General && register.number == RegisterNumber::Number(1)
        });
        if !is_stack_pointer {
            return 0;
        }
        let amounts = operands.iter().filter_map(|operand| match operand.value {
            OperandKind::Integer(value) if operand.signs.negated => Some(value as u32),
            // This operand occurs in `VIADD R1, R1, 0xffffffd8`.
            OperandKind::Integer(value) if value >> 31 == 1 => Some((value as u32).wrapping_neg()),
            _ => None,
        });
        amounts.max().unwrap_or(0)
    }
}

/// Minimum stack size in bytes that the lowering assumes if the source does not specify the stack size. The next constant is the maximum.
const MIN_FRAME: u32 = 1024;
const MAX_FRAME: u32 = 256 << 10;

/// Returns the registers that a listing can name. The result excludes hidden registers and registers with undetermined values.
fn registers_of_machine(registers: &Registers, undetermined: &[String]) -> Vec<RegisterId> {
    let ids = (0..registers.len() as u32).map(RegisterId);
    ids.filter(|id| {
        let name = registers.name(*id);
        SassKernelInfo::has_register(name) && undetermined.iter().all(|other| other != name)
    })
    .collect()
}

/// Size in bytes of local memory for instructions without a surrounding listing. Such instructions may access arbitrary addresses.
const LOOSE_FRAME: u32 = 16 << 10;

/// Stack size of recursive functions in bytes, sufficient for the frames of a few hundred calls.
const RECURSIVE_FRAME: u32 = 32 << 10;

#[derive(Default)]
struct MemoryUse {
    shared: bool,
    local: bool,
    calls: bool,
    stack_bytes: u32,
}

fn nothing() -> LoweredInstruction {
    let fence = Operation::Sync(warpgrid_isa::SyncOp::Fence);
    super::step(fence, Modifiers::default(), Vec::<LoweredOperand>::new())
}

/// Replaces the instruction addresses in label operands by instruction indices.
fn place_labels(body: &mut FunctionBuilder, machine: &SassKernelInfo) {
    for operand in &mut body.operands {
        if let OperandValue::Label(label) = &mut operand.value {
            *label = machine
                .instruction_at(u64::from(*label))
                .unwrap_or(u32::MAX);
        }
    }
}

fn labels(text: &FunctionCode, machine: &SassKernelInfo) -> Vec<(u32, String)> {
    let labels = text.labels.iter();
    let mut labels: Vec<(u32, String)> = labels
        .filter_map(|(name, address)| Some((machine.instruction_at(*address)?, name.clone())))
        .collect();
    labels.sort_by_cached_key(|(at, _)| u64::from(*at));
    labels
}

/// Maximum alignment of a parameter, in bytes.
const MAX_PARAMETER_ALIGNMENT: u32 = 128;

/// Returns the alignment of a parameter: the largest power of two, up to the alignment of a tensor map, that divides both the offset of the
/// parameter in its bank and its size.
fn alignment(place: u32, size: u32) -> u32 {
    1 << (place | size | MAX_PARAMETER_ALIGNMENT).trailing_zeros()
}

/// Creates an uninitialized variable.
fn reserved(space: StateSpace, size_bytes: u64, span: Span) -> Variable {
    Variable {
        name: String::new(),
        space,
        ty: ScalarType::B8,
        size_bytes,
        align_bytes: 16,
        dynamic: false,
        has_linkage: false,
        init: Vec::new(),
        relocations: Vec::new(),
        span,
    }
}

/// Creates a variable for a complete section.
fn whole(section: &Section, space: StateSpace) -> Variable {
    Variable {
        name: section.name.clone(),
        align_bytes: section.align_bytes,
        init: section.bytes.clone(),
        ..reserved(space, section.bytes.len() as u64, section.span)
    }
}

/// Creates a variable for an object of a section.
fn object(section: &Section, symbol: &Symbol) -> Variable {
    let size = section.size_of(symbol);
    let start = symbol.byte_offset as usize;
    let bytes = section
        .bytes
        .get(start..start + size as usize)
        .unwrap_or(&[]);
    let is_zero = bytes.iter().all(|byte| *byte == 0);
    Variable {
        name: symbol.name.clone(),
        align_bytes: section.align_bytes.max(16),
        init: if is_zero { Vec::new() } else { bytes.to_vec() },
        ..reserved(StateSpace::Global, size, section.span)
    }
}
