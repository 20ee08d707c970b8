//! Last phase of the checker: combines the declarations and the checked bodies into one module of the program.

use crate::check::body::checker::Body;
use crate::check::body::module_additions::ModuleAdditions;
use crate::check::declare::{ModuleDeclarations, kernels, memory};
use crate::check::diagnostic_sink::DiagnosticSink;
use crate::target_context::TargetContext;
use warpgrid_program::{LineTable, Module as Unsealed, OpcodeInfo};

/// Combines the declarations and the checked bodies, which the earlier phases produce, into a [`Module`](warpgrid_program::Module).
pub(crate) fn assemble(
    module: &TargetContext,
    declared: ModuleDeclarations,
    bodies: Vec<Body>,
    mut actions: Vec<OpcodeInfo>,
    made: ModuleAdditions,
    line_table: LineTable,
    reporter: &mut DiagnosticSink,
) -> Unsealed {
    let ModuleDeclarations {
        mut functions,
        mut variables,
        ..
    } = declared;
    for body in bodies {
        let Some(function) = functions.get_mut(body.function.0 as usize) else {
            continue;
        };
        function.parameters.extend(body.parameters);
        if body.is_of_one_thread {
            function.bounds.required_threads = Some([1, 1, 1]);
        }
        function.variables.extend(body.variables);
        function.registers = body.registers;
        function.results = body.results;
        function.instructions = body.instructions;
        function.operands = body.operands;
        function.labels = body.labels;
        function.span = function.span.to(body.end);
    }
    actions.extend(made.actions);
    variables.extend(made.variables);
    let problems = kernels::check_shared(module, &functions, &variables);
    let problems = problems.into_iter();
    let addresses = kernels::check_addresses(module, &functions, &variables);
    problems
        .chain(addresses)
        .for_each(|problem| reporter.report(problem));
    let problem = memory::check_const(variables.iter(), module.target);
    problem
        .into_iter()
        .for_each(|problem| reporter.report(problem));
    Unsealed {
        opcodes: actions,
        version: module.version,
        target: module.target,
        address_bits: module.address_bits,
        variables,
        functions,
        line_table,
    }
}
