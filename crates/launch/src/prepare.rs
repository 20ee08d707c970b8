//! Preparation of launches: matches the parameters of a scenario to the parameters of the kernel, converts the values
//! to bytes, and creates the machine.

use crate::annotations::Annotations;
use crate::diagnostics::{self, LaunchDiagnostic, value as why};
use crate::expect::bytes_of;
use crate::inference;
use crate::initial_registers;
use crate::pattern::Pattern;
use crate::scenario::{
    Buffer, BufferInitializer, ImageMemory, InitialRegister, Parameter, Scenario, StructField,
    TensorMap, TexelArray,
};
use crate::trial_run::{InferredFields, refine_by_trial_runs};
use crate::value::{ElementType, Literal};
use std::sync::Arc;
use warpgrid_emulator::{
    BufferContents, BufferIndex, BufferInit, DecodedLaunch, ImageInit, KernelArgument, Launch,
    Machine, MisalignedPolicy, MulticastInit, PointerRelocation, ResourceLimits, TENSOR_MAP_BYTES,
    WriterTracking,
};
use warpgrid_isa::TypeKind;
use warpgrid_program::{Function, FunctionId, Program, Variable, counted};

/// Launch that is ready to run.
pub struct PreparedLaunch {
    /// Complete scenario, in which annotations or inference determine all omitted fields.
    pub scenario: Scenario,
    /// Inferred values as `//@` lines.
    pub guesses: Vec<String>,
    /// Whether the first line of `guesses` is the launch line, which contains the grid, block and cluster size and the
    /// shared memory size.
    pub infers_launch: bool,
    /// Inferred integer parameters with their values: `n = 32`.
    pub inferred_scalars: Vec<String>,
    /// Buffers of the launch, ordered by their index in the machine.
    pub buffers: Vec<Buffer>,
    pub machine: Machine,
}

/// Completes a scenario from the `annotations` of its source and from the kernel, validates inferred values in trial runs, and creates the
/// machine. `mark` is the prefix of the lines in [`PreparedLaunch::guesses`]. The machine reuses the code `decoded` of an earlier machine of
/// the kernel.
pub fn prepare(
    scenario: Scenario,
    annotations: Annotations,
    program: &Arc<Program>,
    mark: &str,
    writers: WriterTracking,
    decoded: Option<&DecodedLaunch>,
) -> Result<PreparedLaunch, LaunchDiagnostic> {
    let (mut scenario, entry, guessed) = complete(scenario, annotations, program)?;
    let limits = limits(&scenario);
    let of_trials = refine_by_trial_runs(&mut scenario, &guessed, program, entry, &limits);
    let decoded = of_trials.as_ref().or(decoded);
    let (machine, buffers) = launch(&scenario, entry, program, writers, decoded)?;
    Ok(PreparedLaunch {
        infers_launch: guessed.launch_line(&scenario, mark).is_some(),
        guesses: guessed.lines(&scenario, mark),
        inferred_scalars: guessed.scalars(&scenario),
        scenario,
        buffers,
        machine,
    })
}

/// Creates the machine of a scenario that [`prepare`] has completed, at the start of its run. Reuses the code that was decoded for an
/// earlier machine.
pub fn rebuild_machine(
    scenario: Scenario,
    program: &Arc<Program>,
    writers: WriterTracking,
    decoded: &DecodedLaunch,
) -> Result<PreparedLaunch, LaunchDiagnostic> {
    let entry = find_entry(scenario.entry.as_deref(), program)?;
    let (machine, buffers) = launch(&scenario, entry, program, writers, Some(decoded))?;
    Ok(PreparedLaunch {
        guesses: Vec::new(),
        infers_launch: false,
        inferred_scalars: Vec::new(),
        scenario,
        buffers,
        machine,
    })
}

/// Returns the resource limits of the machine of a scenario.
fn limits(scenario: &Scenario) -> ResourceLimits {
    let most = ResourceLimits::default();
    ResourceLimits {
        max_resident_blocks: scenario.resident.unwrap_or(most.max_resident_blocks),
        ..most
    }
}

/// Creates the machine of a complete scenario, and its buffers.
fn launch(
    scenario: &Scenario,
    entry: FunctionId,
    program: &Arc<Program>,
    writers: WriterTracking,
    decoded: Option<&DecodedLaunch>,
) -> Result<(Machine, Vec<Buffer>), LaunchDiagnostic> {
    let limits = limits(scenario);
    let function = &program.functions[entry.0 as usize];
    let (mut launch, buffers) = build(scenario, program, entry, &limits)?;
    launch.writer_tracking = writers;
    launch.registers = initial_registers::resolve(&scenario.registers, &buffers, function)?;
    launch.misaligned = scenario.misaligned.unwrap_or_default();
    let machine = Machine::with_decoded(Arc::clone(program), &launch, limits, decoded)
        .map_err(|error| diagnostics::refused(&error, &scenario.params))?;
    Ok((machine, buffers))
}

/// Launch of the emulator, with the buffers and parameters of the scenario to which its memories and arguments correspond.
pub struct LaunchDescription<'s> {
    pub launch: Launch,
    /// Buffer for each memory of the launch.
    pub buffers: Vec<Buffer>,
    /// Parameter for each argument of the launch.
    pub parameters: Vec<&'s Parameter>,
}

/// Describes the launch of a scenario that [`prepare`] has completed.
pub fn describe<'s>(
    scenario: &'s Scenario,
    program: &Program,
) -> Result<LaunchDescription<'s>, LaunchDiagnostic> {
    let entry = find_entry(scenario.entry.as_deref(), program)?;
    let (launch, buffers) = build(scenario, program, entry, &limits(scenario))?;
    let function = &program.functions[entry.0 as usize];
    Ok(LaunchDescription {
        launch,
        buffers,
        parameters: arguments_of(scenario, program, function),
    })
}

/// Returns the parameters of a scenario that are arguments of its kernel, in the order of the arguments.
fn arguments_of<'s>(
    scenario: &'s Scenario,
    program: &Program,
    function: &Function,
) -> Vec<&'s Parameter> {
    let n_declared = declared(function, &scenario.params).len();
    let is_argument = |parameter: &&Parameter| variable_of(parameter, function, program).is_none();
    // The tensor of a tensor map and the buffers of a multimem address are not necessarily arguments of the kernel.
    let is_beyond = |place: usize, parameter: &Parameter| {
        place >= n_declared && is_named(parameter.name(), &scenario.params)
    };
    let parameters = scenario.params.iter().filter(is_argument).enumerate();
    let own = parameters.filter(|(place, parameter)| !is_beyond(*place, parameter));
    own.map(|(_, parameter)| parameter).collect()
}

/// Default block size: one warp.
pub const DEFAULT_BLOCK: [u32; 3] = [32, 1, 1];

/// Completes the omitted fields of the scenario, first from `annotations` and then by inference from the kernel. Returns the scenario, the
/// kernel, and the inferred fields.
fn complete(
    mut scenario: Scenario,
    annotations: Annotations,
    program: &Program,
) -> Result<(Scenario, FunctionId, InferredFields), LaunchDiagnostic> {
    let stated = !scenario.params.is_empty();
    add_annotations(&mut scenario, annotations);
    let entry = find_entry(scenario.entry.as_deref(), program)?;
    let function = &program.functions[entry.0 as usize];
    let (registers, params) = register_values(std::mem::take(&mut scenario.params), function)?;
    scenario.registers.extend(registers);
    scenario.params = match stated {
        true => in_order(params, function),
        false => params,
    };
    let mut guessed = InferredFields {
        grid: scenario.grid.is_none(),
        block: scenario.block.is_none() && function.bounds.required_threads.is_none(),
        ..InferredFields::default()
    };
    if scenario.block.is_none() {
        scenario.block = Some(inference::block(function, program));
    }
    scenario.cluster = scenario.cluster.or(function.bounds.required_cluster);
    if scenario.cluster.is_none() && guessed.grid {
        scenario.cluster = inference::cluster(program, function);
        guessed.cluster = scenario.cluster.is_some();
    }
    if guessed.grid {
        // The default grid is the smallest grid that consists of whole clusters.
        scenario.grid = Some(scenario.cluster.unwrap_or([1; 3]));
    }
    if !stated {
        guess_parameters(&mut scenario, &mut guessed, program, entry);
    }
    let machine = function.machine.as_ref();
    if machine.is_some_and(|machine| machine.is_bare) {
        start_loose(&mut scenario, &mut guessed, program, function);
    }
    override_scalars(&mut scenario, &mut guessed)?;
    scenario.entry = Some(function.name.clone());
    Ok((scenario, entry, guessed))
}

/// Completes omitted fields of the scenario from annotations.
fn add_annotations(scenario: &mut Scenario, annotations: Annotations) {
    let facts = annotations.scenario;
    if scenario.name.is_empty() {
        scenario.name = annotations.title.unwrap_or_default();
    }
    scenario.entry = scenario.entry.take().or(facts.entry);
    scenario.grid = scenario.grid.or(facts.grid);
    scenario.block = scenario.block.or(facts.block);
    scenario.cluster = scenario.cluster.or(facts.cluster);
    scenario.dynamic_shared = scenario.dynamic_shared.max(facts.dynamic_shared);
    scenario.seed = scenario.seed.or(facts.seed);
    scenario.schedule = scenario.schedule.take().or(facts.schedule);
    if scenario.registers.is_empty() {
        scenario.registers = facts.registers;
    }
    scenario.resident = scenario.resident.or(facts.resident);
    scenario.misaligned = scenario.misaligned.or(facts.misaligned);
    if scenario.params.is_empty() {
        scenario.params = facts.params;
    }
    if scenario.arrays.is_empty() {
        scenario.arrays = facts.arrays;
    }
    if scenario.sources.is_empty() {
        scenario.sources = facts.sources;
    }
}

/// Infers the parameters that neither the scenario nor annotations specify.
fn guess_parameters(
    scenario: &mut Scenario,
    guessed: &mut InferredFields,
    program: &Program,
    entry: FunctionId,
) {
    let function = &program.functions[entry.0 as usize];
    let inference::InferredParameters {
        parameters: guesses,
        mut arrays,
        mut buffers,
    } = match declared(function, &scenario.params).is_empty() {
        true => inference::InferredParameters::default(),
        false => inference::parameters(scenario, program, entry),
    };
    let (references, stated): (Vec<_>, Vec<_>) = std::mem::take(&mut scenario.params)
        .into_iter()
        .partition(|parameter| variable_of(parameter, function, program).is_some());
    let stated = gather_members(stated, function);
    (scenario.params, guessed.parameters) = arrange(stated, function, guesses);
    // The arrays of inferred handles and the tensors of inferred tensor maps are also inferred.
    let guesses = scenario.params.iter().zip(&guessed.parameters);
    let own = guesses.filter_map(|(p, is_guessed)| is_guessed.then_some(p));
    let own: Vec<&Parameter> = own.collect();
    let named: Vec<&str> = own.iter().filter_map(|p| p.array()).collect();
    arrays.retain(|array| named.contains(&array.name.as_str()));
    scenario.arrays.extend(arrays);
    let tensors = own.iter().filter_map(|p| match p {
        Parameter::Tensormap(map) => Some(Parameter::Buffer(inference::tensor_of(map))),
        _ => None,
    });
    let tensors: Vec<Parameter> = tensors.collect();
    let devices = own.iter().filter_map(|p| match p {
        Parameter::Multimem { buffers, .. } => Some(buffers),
        _ => None,
    });
    let devices: Vec<&String> = devices.flatten().collect();
    buffers.retain(|buffer| devices.iter().any(|name| *name == buffer.name()));
    scenario.params.extend(tensors);
    scenario.params.extend(buffers);
    guessed.parameters.resize(scenario.params.len(), true);
    guessed
        .parameters
        .resize(scenario.params.len() + references.len(), false);
    scenario.params.extend(references);
    guessed.dynamic_shared = scenario.dynamic_shared == 0 && guessed.parameters.contains(&true);
}

/// Infers the registers and buffers that a SASS snippet reads.
fn start_loose(
    scenario: &mut Scenario,
    guessed: &mut InferredFields,
    program: &Program,
    function: &Function,
) {
    // In listings of complete kernels, a misaligned address causes a fault, as on a GPU. SASS snippets follow the SASS reference instead,
    // according to which the hardware rounds an address down to a multiple of the access size.
    guessed.misaligned = scenario.misaligned.is_none();
    scenario.misaligned = scenario.misaligned.or(Some(MisalignedPolicy::Force));
    let start = inference::loose_start(program, function, scenario);
    guessed.parameters.resize(scenario.params.len(), false);
    for buffer in start.buffers {
        // An annotation of the source may already specify the buffer to which the register pair points.
        let mut names = scenario.params.iter().map(Parameter::name);
        if !names.any(|name| name == buffer.name()) {
            scenario.params.push(buffer);
            guessed.parameters.push(true);
        }
    }
    scenario.registers.extend(start.registers.iter().cloned());
    guessed.registers = start.registers;
}

/// Converts scalar parameters whose name is a register to initial register values, because the operands of inline assembly are registers of
/// the snippet. Returns the remaining parameters.
fn register_values(
    params: Vec<Parameter>,
    function: &Function,
) -> Result<(Vec<InitialRegister>, Vec<Parameter>), LaunchDiagnostic> {
    let is_variable = |name: &str| kernel_variables(function).any(|variable| variable.name == name);
    let is_register = |name: &str| function.registers.names().any(|own| own == name);
    let (mut registers, mut rest) = (Vec::new(), Vec::new());
    for parameter in params {
        match parameter {
            Parameter::Scalar { name, ty, value } if !is_variable(&name) && is_register(&name) => {
                let bits = element(&name, &ty)?
                    .encode(&value)
                    .map_err(|reason| diagnostics::argument_not_in_type(&name, &reason))?;
                let value = Literal::Text(format!("{:#x}", bits as u64));
                registers.push(InitialRegister { name, value });
            }
            other => rest.push(other),
        }
    }
    Ok((registers, rest))
}

/// Replaces the values of scalar parameters by the values in [`Scenario::overrides`], and marks these parameters as specified.
fn override_scalars(
    scenario: &mut Scenario,
    guessed: &mut InferredFields,
) -> Result<(), LaunchDiagnostic> {
    for (name, literal) in std::mem::take(&mut scenario.overrides) {
        let mut scalars: Vec<String> = Vec::new();
        let mut is_found = false;
        for (place, parameter) in scenario.params.iter_mut().enumerate() {
            let is_structure = matches!(parameter, Parameter::Struct { .. });
            let members = match parameter {
                Parameter::Struct { fields, .. } => fields
                    .iter_mut()
                    .map(|field| &mut field.parameter)
                    .collect(),
                other => vec![other],
            };
            for member in members {
                let Parameter::Scalar {
                    name: own,
                    ty,
                    value,
                } = member
                else {
                    continue;
                };
                scalars.push(own.clone());
                if *own != name {
                    continue;
                }
                element(own, ty)?
                    .encode(&literal)
                    .map_err(|problem| diagnostics::override_not_in_type(&name, &problem))?;
                *value = literal.clone();
                is_found = true;
                if let Some(guess) = guessed.parameters.get_mut(place)
                    && !is_structure
                {
                    *guess = false;
                }
            }
        }
        if !is_found {
            return Err(diagnostics::no_such_scalar(&name, &scalars));
        }
    }
    Ok(())
}

/// Returns the kernel with this name, or the first kernel.
pub(crate) fn find_entry(
    name: Option<&str>,
    program: &Program,
) -> Result<FunctionId, LaunchDiagnostic> {
    let mut entries = program.entries();
    let Some(name) = name else {
        let first = entries.next().map(|(id, _)| id);
        return first.ok_or_else(diagnostics::no_kernel);
    };
    let found = entries.find(|(_, function)| function.name == name);
    found.map(|(id, _)| id).ok_or_else(|| {
        let kernels: Vec<&str> = program.entries().map(|(_, f)| f.name.as_str()).collect();
        diagnostics::no_such_kernel(name, &kernels)
    })
}

/// Moves structure members that are specified separately, such as `dims+8`, into structure parameters. A structure with an unknown name is
/// matched by position.
fn gather_members(stated: Vec<Parameter>, function: &Function) -> Vec<Parameter> {
    let mut gathered: Vec<Parameter> = Vec::new();
    let declared = declared(function, &stated);
    for parameter in stated {
        let member = parameter
            .name()
            .rsplit_once('+')
            .and_then(|(name, offset)| Some((name.to_owned(), offset.parse::<u64>().ok()?)));
        let Some((structure, offset)) = member else {
            gathered.push(parameter);
            continue;
        };
        let field = StructField { offset, parameter };
        let existing = gathered.iter_mut().find_map(|other| match other {
            Parameter::Struct { name, fields, .. } if *name == structure => Some(fields),
            _ => None,
        });
        if let Some(fields) = existing {
            fields.push(field);
            continue;
        }
        let named = declared.iter().find(|variable| variable.name == structure);
        let variable = named.or_else(|| declared.get(gathered.len()));
        gathered.push(match variable {
            Some(variable) => Parameter::Struct {
                name: structure,
                size: variable.size_bytes,
                align: variable.align_bytes.into(),
                fields: vec![field],
            },
            None => field.parameter,
        });
    }
    gathered
}

/// Arranges the specified parameters in the order of the kernel, by name if the kernel declares all names, and otherwise by position. Adds
/// inferred parameters for the missing parameters. The second result marks the inferred parameters.
fn arrange(
    stated: Vec<Parameter>,
    function: &Function,
    guesses: Vec<Parameter>,
) -> (Vec<Parameter>, Vec<bool>) {
    let names: Vec<&str> = kernel_variables(function)
        .map(|variable| variable.name.as_str())
        .collect();
    // The tensor of a tensor map and the buffers of a multimem address may be buffers that are not kernel parameters.
    let is_known = |name: &str| names.contains(&name) || is_named(name, &stated);
    let by_name = stated.iter().all(|parameter| is_known(parameter.name()));
    // If the scenario contains more parameters than the kernel, the excess parameters are buffers to which other parameters refer.
    let has_excess = stated.len() > names.len();
    let is_positional =
        |name: &str| !has_excess || names.contains(&name) || !is_named(name, &stated);
    let positions: Vec<usize> = (0..stated.len())
        .filter(|index| is_positional(stated[*index].name()))
        .collect();
    let mut stated: Vec<Option<Parameter>> = stated.into_iter().map(Some).collect();
    let mut arranged = Vec::new();
    let mut guessed = Vec::new();
    for (place, guess) in guesses.into_iter().enumerate() {
        let found = if by_name {
            stated.iter_mut().find(|p| {
                p.as_ref()
                    .is_some_and(|p| Some(&p.name()) == names.get(place))
            })
        } else {
            let index = positions.get(place);
            index.and_then(|index| stated.get_mut(*index))
        };
        let found = found.and_then(Option::take);
        guessed.push(found.is_none());
        arranged.push(found.unwrap_or(guess));
    }
    // Excess parameters are not removed, so that the launch error reports the expected number of parameters.
    arranged.extend(stated.into_iter().flatten());
    guessed.resize(arranged.len(), false);
    (arranged, guessed)
}

/// Sorts the parameters of a scenario in the order of the kernel if the scenario specifies each kernel parameter by name. Parameters that
/// the kernel does not declare are last.
fn in_order(mut parameters: Vec<Parameter>, function: &Function) -> Vec<Parameter> {
    let place = |parameter: &Parameter| {
        let mut names = kernel_variables(function).map(|variable| &variable.name);
        names.position(|name| name == parameter.name())
    };
    let is_stated = |variable: &Variable| {
        let mut stated = parameters.iter();
        stated.any(|parameter| parameter.name() == variable.name)
    };
    if kernel_variables(function).all(is_stated) {
        parameters.sort_by_key(|parameter| place(parameter).unwrap_or(usize::MAX));
    }
    parameters
}

/// Returns a note for each scalar whose kind in the scenario differs from the kernel declaration: an integer for a floating-point
/// parameter, or a floating-point number for an integer parameter. The launch passes the bits of such a scalar without conversion.
pub fn kinds_that_differ(scenario: &Scenario, program: &Program) -> Vec<String> {
    let Ok(entry) = find_entry(scenario.entry.as_deref(), program) else {
        return Vec::new();
    };
    let function = &program.functions[entry.0 as usize];
    let arguments = arguments_of(scenario, program, function).into_iter();
    let pairs = arguments.zip(declared(function, &scenario.params));
    let notes = pairs.filter_map(|(argument, variable)| {
        let Parameter::Scalar { name, ty, .. } = argument else {
            return None;
        };
        let stated = ElementType::from_name(ty)?;
        let is_float = match variable.ty.kind() {
            TypeKind::Float => true,
            TypeKind::Signed | TypeKind::Unsigned => false,
            TypeKind::Bits | TypeKind::Predicate => return None,
        };
        let differs = !stated.is_bits() && stated.is_float() != is_float;
        differs.then(|| {
            format!(
                "the parameter `{name}` has the type `.{}`, but the annotation specifies a value of type `{ty}`, so the kernel receives the bits of the `{ty}` value without conversion",
                variable.ty.name()
            )
        })
    });
    notes.collect()
}

/// Returns the kernel parameters to which the specified parameters are matched. If the source declares no parameters, returns the
/// parameters that are inferred from the instructions, provided that the specified names match. If the names do not match, the launch
/// contains only the specified parameters.
fn declared<'a>(function: &'a Function, stated: &[Parameter]) -> Vec<&'a Variable> {
    let machine = function.machine.as_ref();
    let is_open = machine.is_some_and(|machine| machine.has_unknown_parameters);
    let is_known = |parameter: &Parameter| {
        let name = parameter.name();
        let whole = name.split_once('+').map_or(name, |(whole, _)| whole);
        kernel_variables(function).any(|variable| variable.name == whole)
    };
    match is_open && !stated.iter().all(is_known) {
        true => Vec::new(),
        false => kernel_variables(function).collect(),
    }
}

/// Returns the module variable to which a texture or surface is bound, which is the variable with the same name. Returns `None` if the
/// kernel has a parameter with this name.
fn variable_of<'p>(
    parameter: &Parameter,
    function: &Function,
    program: &'p Program,
) -> Option<&'p str> {
    let name = match parameter {
        Parameter::Texture(texture) => &texture.name,
        Parameter::Surface(surface) => &surface.name,
        Parameter::Buffer(_)
        | Parameter::Scalar { .. }
        | Parameter::Struct { .. }
        | Parameter::Alias { .. }
        | Parameter::Tensormap(_)
        | Parameter::Multimem { .. } => return None,
    };
    if kernel_variables(function).any(|variable| variable.name == *name) {
        return None;
    }
    let mut all = program.variables.iter();
    let found = all.find(|variable| variable.name == *name && variable.size_bytes == 8)?;
    Some(&found.name)
}

/// Returns the variables that represent the kernel parameters.
pub fn kernel_variables(function: &Function) -> impl Iterator<Item = &Variable> {
    function
        .parameters
        .iter()
        .filter_map(|parameter| match parameter {
            warpgrid_program::Parameter::Variable(index) => function.variables.get(*index as usize),
            warpgrid_program::Parameter::Register(_) => None,
        })
}

/// Builds the launch of a complete scenario.
pub(crate) fn build(
    scenario: &Scenario,
    program: &Program,
    entry: FunctionId,
    limits: &ResourceLimits,
) -> Result<(Launch, Vec<Buffer>), LaunchDiagnostic> {
    let function = &program.functions[entry.0 as usize];
    let mut builder = MachineBuilder {
        buffers: Vec::new(),
        inits: Vec::new(),
        images: Vec::new(),
        multicasts: Vec::new(),
        max_bytes: limits.max_memory_bytes,
    };
    collect_buffers(&scenario.params, &mut builder)?;
    builder.point_to_buffers()?;
    builder.add_maps(&scenario.params)?;
    builder.add_multicasts(&scenario.params)?;
    for array in &scenario.arrays {
        let buffer = array.buffer();
        builder.add(&buffer.map_err(|reason| diagnostics::array(&array.name, &reason))?)?;
    }
    for parameter in &scenario.params {
        let variable = variable_of(parameter, function, program);
        builder.add_images(parameter, &scenario.arrays, variable)?;
    }
    let declared = declared(function, &scenario.params).into_iter();
    let widths: Vec<u64> = declared.map(|variable| variable.size_bytes).collect();
    let mut arguments = Vec::new();
    for (place, parameter) in arguments_of(scenario, program, function)
        .into_iter()
        .enumerate()
    {
        arguments.push(builder.argument(parameter, widths.get(place).copied())?);
    }
    let launch = Launch {
        entry,
        grid: scenario.grid.unwrap_or([1; 3]),
        block: scenario.block.unwrap_or(DEFAULT_BLOCK),
        cluster: scenario.cluster.unwrap_or([1; 3]),
        dynamic_shared_bytes: scenario.dynamic_shared,
        buffers: builder.inits,
        images: builder.images,
        multicasts: builder.multicasts,
        arguments,
        seed: scenario.seed.unwrap_or(0),
        schedule: scenario.schedule.clone().unwrap_or_default().turns,
        writer_tracking: WriterTracking::Off,
        registers: Vec::new(),
        misaligned: MisalignedPolicy::Fault,
    };
    Ok((launch, builder.buffers))
}

/// Checks whether a tensor map or a multimem address in `parameters` refers to the buffer with this name.
fn is_named(name: &str, parameters: &[Parameter]) -> bool {
    parameters.iter().any(|parameter| match parameter {
        Parameter::Tensormap(map) => map.buffer == name,
        Parameter::Multimem { buffers, .. } => buffers.iter().any(|buffer| buffer == name),
        Parameter::Buffer(_)
        | Parameter::Scalar { .. }
        | Parameter::Struct { .. }
        | Parameter::Alias { .. }
        | Parameter::Texture(_)
        | Parameter::Surface(_) => false,
    })
}

struct MachineBuilder {
    buffers: Vec<Buffer>,
    inits: Vec<BufferInit>,
    images: Vec<ImageInit>,
    multicasts: Vec<MulticastInit>,
    max_bytes: u64,
}

fn collect_buffers(
    parameters: &[Parameter],
    builder: &mut MachineBuilder,
) -> Result<(), LaunchDiagnostic> {
    for parameter in parameters {
        match parameter {
            Parameter::Buffer(buffer) => builder.add(buffer)?,
            Parameter::Struct { fields, .. } => {
                for field in fields {
                    if let Parameter::Struct { name, .. } = &field.parameter {
                        return Err(diagnostics::nested_structure(name));
                    }
                    collect_buffers(std::slice::from_ref(&field.parameter), builder)?;
                }
            }
            Parameter::Scalar { .. }
            | Parameter::Alias { .. }
            | Parameter::Tensormap(_)
            | Parameter::Texture(_)
            | Parameter::Surface(_)
            | Parameter::Multimem { .. } => {}
        }
    }
    Ok(())
}

impl MachineBuilder {
    fn add(&mut self, buffer: &Buffer) -> Result<(), LaunchDiagnostic> {
        let ty = element(&buffer.name, &buffer.ty)?;
        let size = buffer
            .len
            .checked_mul(ty.width_bytes() as u64)
            .filter(|size| *size <= self.max_bytes);
        let Some(size) = size else {
            let bytes = u128::from(buffer.len) * ty.width_bytes() as u128;
            return Err(diagnostics::buffer_too_large(
                &buffer.name,
                bytes,
                self.max_bytes,
            ));
        };
        let mut extents = buffer.shape.iter();
        let in_shape = extents.try_fold(1u64, |n, extent| n.checked_mul(*extent));
        if !buffer.shape.is_empty() && in_shape != Some(buffer.len) {
            return Err(diagnostics::other_shape(buffer));
        }
        let fail = |reason: String| diagnostics::initial_values(&buffer.name, &reason);
        let contents = match &buffer.init {
            BufferInitializer::Bytes(bytes) => {
                if bytes.len() as u64 != size {
                    let found = counted(bytes.len() as u64, "byte");
                    return Err(fail(format!(
                        "found {found}, but the buffer has {}",
                        counted(size, "byte")
                    )));
                }
                BufferContents::Shared(Arc::clone(bytes))
            }
            BufferInitializer::List(values) if values.is_empty() => BufferContents::Zeroed(size),
            BufferInitializer::List(values)
                if values.iter().any(|value| pointee(value).is_some()) =>
            {
                // Addresses of buffers are initially zero. `point_to_buffers` inserts the addresses when all buffers are known.
                let zero = |value: &Literal| match pointee(value) {
                    Some(_) => Literal::Integer(0),
                    None => value.clone(),
                };
                let values: Vec<_> = values.iter().map(zero).collect();
                BufferContents::Bytes(bytes_of(ty, &values, buffer.len).map_err(fail)?)
            }
            BufferInitializer::List(values) => {
                BufferContents::Bytes(bytes_of(ty, values, buffer.len).map_err(fail)?)
            }
            BufferInitializer::Fill(value) if pointee(value).is_some() => BufferContents::Fill {
                size_bytes: size,
                pattern: vec![0; ty.width_bytes()],
            },
            BufferInitializer::Fill(value) => {
                if let Literal::Text(text) = value
                    && let Some(pattern) = Pattern::read(text).map_err(fail)?
                {
                    let bytes = pattern.bytes(ty, buffer.len).map_err(fail)?;
                    return self.add_contents(buffer, BufferContents::Bytes(bytes));
                }
                let bits = ty.encode(value).map_err(fail)?;
                BufferContents::Fill {
                    size_bytes: size,
                    pattern: bits.to_le_bytes()[..ty.width_bytes()].to_vec(),
                }
            }
        };
        self.add_contents(buffer, contents)
    }

    fn add_contents(
        &mut self,
        buffer: &Buffer,
        contents: BufferContents,
    ) -> Result<(), LaunchDiagnostic> {
        if self.buffers.iter().any(|other| other.name == buffer.name) {
            return Err(diagnostics::given_twice(&buffer.name));
        }
        self.inits.push(BufferInit {
            name: buffer.name.clone(),
            contents,
            align_bytes: 256,
            pointers: Vec::new(),
        });
        self.buffers.push(buffer.clone());
        Ok(())
    }

    /// Adds the memory of the tensor maps that are passed by address.
    fn add_maps(&mut self, parameters: &[Parameter]) -> Result<(), LaunchDiagnostic> {
        for parameter in parameters {
            match parameter {
                Parameter::Tensormap(map) if map.is_pointer() => {
                    let object = self.map_object(map)?;
                    self.inits.push(BufferInit {
                        name: map.name.clone(),
                        contents: BufferContents::Bytes(object.bytes),
                        align_bytes: 128,
                        pointers: object.pointers,
                    });
                    self.buffers.push(Buffer {
                        name: map.name.clone(),
                        ty: "u8".to_owned(),
                        len: TENSOR_MAP_BYTES as u64,
                        ..Buffer::default()
                    });
                }
                Parameter::Struct { fields, .. } => {
                    for field in fields {
                        self.add_maps(std::slice::from_ref(&field.parameter))?;
                    }
                }
                Parameter::Tensormap(_)
                | Parameter::Texture(_)
                | Parameter::Surface(_)
                | Parameter::Buffer(_)
                | Parameter::Scalar { .. }
                | Parameter::Alias { .. }
                | Parameter::Multimem { .. } => {}
            }
        }
        Ok(())
    }

    /// Adds the multimem addresses to the launch.
    fn add_multicasts(&mut self, parameters: &[Parameter]) -> Result<(), LaunchDiagnostic> {
        for parameter in parameters {
            match parameter {
                Parameter::Multimem { name, buffers } => {
                    let members = buffers.iter().map(|buffer| self.index_of(buffer));
                    self.multicasts.push(MulticastInit {
                        name: name.clone(),
                        members: members.collect::<Result<_, LaunchDiagnostic>>()?,
                    });
                }
                Parameter::Struct { fields, .. } => {
                    for field in fields {
                        self.add_multicasts(std::slice::from_ref(&field.parameter))?;
                    }
                }
                Parameter::Tensormap(_)
                | Parameter::Texture(_)
                | Parameter::Surface(_)
                | Parameter::Buffer(_)
                | Parameter::Scalar { .. }
                | Parameter::Alias { .. } => {}
            }
        }
        Ok(())
    }

    /// Adds the texture or surface of a parameter to the launch.
    fn add_images(
        &mut self,
        parameter: &Parameter,
        arrays: &[TexelArray],
        variable: Option<&str>,
    ) -> Result<(), LaunchDiagnostic> {
        let find = |name: &str| self.index_of(name).ok();
        let memory = ImageMemory {
            arrays,
            find: &find,
        };
        let (kind, name, image) = match parameter {
            Parameter::Texture(texture) => ("texture", &texture.name, texture.image(&memory)),
            Parameter::Surface(surface) => ("surface", &surface.name, surface.image(&memory)),
            Parameter::Struct { fields, .. } => {
                for field in fields {
                    self.add_images(&field.parameter, arrays, None)?;
                }
                return Ok(());
            }
            Parameter::Buffer(_)
            | Parameter::Scalar { .. }
            | Parameter::Alias { .. }
            | Parameter::Tensormap(_)
            | Parameter::Multimem { .. } => return Ok(()),
        };
        let wrong = |reason: &str| diagnostics::image(kind, name, reason);
        let mut image = image.map_err(|reason| wrong(&reason))?;
        let held = self.inits.get(image.buffer.0 as usize);
        let held = held.map_or(0, |init| init.contents.size_bytes());
        let end = image.byte_offset.saturating_add(image.size_bytes());
        if end > held {
            return Err(wrong(&format!(
                "the image requires {}, but the buffer has only {}",
                counted(end, "byte"),
                counted(held, "byte")
            )));
        }
        image.variable = variable.map(str::to_owned);
        if self.images.iter().any(|other| other.name == *name) {
            return Err(diagnostics::given_twice(name));
        }
        self.images.push(image);
        Ok(())
    }

    /// Returns the argument for a texture or surface handle.
    fn image_handle(&self, name: &str) -> KernelArgument {
        let index = self.images.iter().position(|image| image.name == name);
        let handle = index.map_or(0, ImageInit::handle);
        KernelArgument {
            bytes: handle.to_le_bytes().to_vec(),
            align_bytes: 8,
            pointers: Vec::new(),
        }
    }

    /// Returns the tensor map object of a parameter as an argument. The object starts with the address of the tensor.
    fn map_object(&self, map: &TensorMap) -> Result<KernelArgument, LaunchDiagnostic> {
        let object = map.object();
        let object = object.map_err(|reason| diagnostics::tensor_map(&map.name, &reason))?;
        let patch = PointerRelocation {
            byte_offset: 0,
            buffer: self.index_of(&map.buffer)?,
            addend: map.byte_offset as i64,
        };
        Ok(KernelArgument {
            bytes: object.encode().to_vec(),
            align_bytes: 64,
            pointers: vec![patch],
        })
    }

    /// Returns the argument for the address of a buffer.
    fn pointer(&self, name: &str, width: Option<u64>) -> Result<KernelArgument, LaunchDiagnostic> {
        let index = self.index_of(name)?;
        let patch = PointerRelocation {
            byte_offset: 0,
            buffer: index,
            addend: self.start_of(index)?,
        };
        let width = width.filter(|width| *width == 4).unwrap_or(8);
        Ok(KernelArgument {
            bytes: vec![0; width as usize],
            align_bytes: width,
            pointers: vec![patch],
        })
    }

    /// Records the locations in buffers that contain addresses of other buffers. Must be called after all buffers have been added.
    fn point_to_buffers(&mut self) -> Result<(), LaunchDiagnostic> {
        for place in 0..self.buffers.len() {
            let pointers = self.pointers_in(&self.buffers[place])?;
            self.inits[place].pointers = pointers;
        }
        Ok(())
    }

    fn pointers_in(&self, buffer: &Buffer) -> Result<Vec<PointerRelocation>, LaunchDiagnostic> {
        let width = element(&buffer.name, &buffer.ty)?.width_bytes();
        let values = match &buffer.init {
            BufferInitializer::List(values) => values.as_slice(),
            BufferInitializer::Fill(value) => std::slice::from_ref(value),
            BufferInitializer::Bytes(_) => &[],
        };
        let mut pointers = Vec::new();
        for (index, value) in values.iter().enumerate() {
            let Some(text) = pointee(value) else {
                continue;
            };
            if width != 8 {
                let reason = why::not_an_address(&buffer.ty);
                return Err(diagnostics::initial_values(&buffer.name, &reason));
            }
            let (name, addend) = self.split_pointee(text);
            pointers.push(PointerRelocation {
                byte_offset: (index * width) as u32,
                buffer: self.index_of(name)?,
                addend,
            });
        }
        Ok(pointers)
    }

    /// Splits the target of an address into the name of the buffer and the byte offset. The function first searches for a buffer with the
    /// complete text as its name, because the name of a structure member also ends with `+` and a number.
    fn split_pointee<'t>(&self, text: &'t str) -> (&'t str, i64) {
        let is_buffer = |name: &str| self.buffers.iter().any(|buffer| buffer.name == name);
        let split = text.rsplit_once('+').filter(|_| !is_buffer(text));
        let split = split.and_then(|(name, bytes)| Some((name.trim(), bytes.trim().parse().ok()?)));
        split.unwrap_or((text, 0))
    }

    fn index_of(&self, name: &str) -> Result<BufferIndex, LaunchDiagnostic> {
        let index = self.buffers.iter().position(|buffer| buffer.name == name);
        index
            .map(|index| BufferIndex(index as u32))
            .ok_or_else(|| diagnostics::no_buffer_to_point_to(name))
    }

    /// Returns the argument for a multimem address.
    fn multicast(&self, name: &str) -> Result<KernelArgument, LaunchDiagnostic> {
        let place = self.multicasts.iter().position(|one| one.name == name);
        let place = place.ok_or_else(|| diagnostics::no_buffer_to_point_to(name))?;
        Ok(KernelArgument {
            bytes: MulticastInit::address(place).to_le_bytes().to_vec(),
            align_bytes: 8,
            pointers: Vec::new(),
        })
    }

    /// Returns the byte offset of the start element of a buffer, whose address the kernel receives.
    fn start_of(&self, index: BufferIndex) -> Result<i64, LaunchDiagnostic> {
        let Some(buffer) = self.buffers.get(index.0 as usize) else {
            return Ok(0);
        };
        if buffer.start > buffer.len {
            return Err(diagnostics::start_outside(buffer.start, buffer.len));
        }
        let width = element(&buffer.name, &buffer.ty)?.width_bytes() as u64;
        Ok(buffer.start.saturating_mul(width) as i64)
    }

    /// Returns the argument for a parameter. `width` is the width in bytes that the kernel declares for the parameter.
    fn argument(
        &self,
        parameter: &Parameter,
        width: Option<u64>,
    ) -> Result<KernelArgument, LaunchDiagnostic> {
        match parameter {
            Parameter::Buffer(Buffer { name, .. }) | Parameter::Alias { of: name, .. } => {
                self.pointer(name, width)
            }
            Parameter::Tensormap(map) => match map.is_pointer() {
                true => self.pointer(&map.name, width),
                false => self.map_object(map),
            },
            Parameter::Texture(texture) => Ok(self.image_handle(&texture.name)),
            Parameter::Surface(surface) => Ok(self.image_handle(&surface.name)),
            Parameter::Multimem { name, .. } => self.multicast(name),
            Parameter::Scalar { name, ty, value } => {
                let ty = element(name, ty)?;
                let bits = ty
                    .encode(value)
                    .map_err(|reason| diagnostics::argument_not_in_type(name, &reason))?;
                let mut bytes = bits.to_le_bytes()[..ty.width_bytes()].to_vec();
                // A compiler may declare a parameter that is wider than the scalar, but never a narrower parameter.
                if let Some(width) =
                    width.filter(|width| (*width as usize) > bytes.len() && *width <= 16)
                {
                    bytes.resize(width as usize, 0);
                }
                Ok(KernelArgument {
                    align_bytes: bytes.len() as u64,
                    bytes,
                    pointers: Vec::new(),
                })
            }
            Parameter::Struct {
                name,
                size,
                align,
                fields,
            } => self.structure(name, *size, *align, fields),
        }
    }

    fn structure(
        &self,
        name: &str,
        size: u64,
        align: u64,
        fields: &[StructField],
    ) -> Result<KernelArgument, LaunchDiagnostic> {
        if size > 1 << 16 {
            return Err(diagnostics::structure_too_large(name, size));
        }
        if align != 0 && !align.is_power_of_two() {
            return Err(diagnostics::odd_alignment(name, align));
        }
        let mut argument = KernelArgument {
            bytes: vec![0; size as usize],
            align_bytes: align,
            pointers: Vec::new(),
        };
        for field in fields {
            let part = self.argument(&field.parameter, None)?;
            let start = field.offset as usize;
            let Some(place) = start
                .checked_add(part.bytes.len())
                .and_then(|end| argument.bytes.get_mut(start..end))
            else {
                return Err(diagnostics::field_outside(
                    field.parameter.name(),
                    name,
                    size,
                ));
            };
            place.copy_from_slice(&part.bytes);
            let patches = part.pointers.into_iter().map(|patch| PointerRelocation {
                byte_offset: patch.byte_offset + start as u32,
                ..patch
            });
            argument.pointers.extend(patches);
        }
        Ok(argument)
    }
}

/// Returns the target of an address such as `&out+16`.
fn pointee(value: &Literal) -> Option<&str> {
    match value {
        Literal::Text(text) => text.strip_prefix('&').map(str::trim),
        Literal::Integer(_) | Literal::Float(_) => None,
    }
}

fn element(name: &str, ty: &str) -> Result<ElementType, LaunchDiagnostic> {
    ElementType::from_name(ty).ok_or_else(|| diagnostics::unknown_type_of(name, ty))
}
