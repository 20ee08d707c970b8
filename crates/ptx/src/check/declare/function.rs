//! Checks of function declarations: headers, parameters and launch bounds.

use crate::check::declare::calling_convention;
use crate::check::declare::declaration_pass::DeclarationPass;
use crate::check::declare::directive;
use crate::check::declare::redeclaration;
use crate::check::names::binding::Binding;
use crate::check::names::module_names::Definition;
use crate::diagnostics::declarations as diagnose_declarations;
use crate::tree::Range;
use crate::tree::declaration::{
    Declaration, DeclarationSpace, Declarator, DeclaredType, FunctionDirective, FunctionHeader,
    Linkage,
};
use crate::tree::name::Name;
use crate::tree::operand::OperandKind;
use warpgrid_isa::StateSpace;
use warpgrid_program::{
    Function, FunctionId, FunctionKind, LaunchBounds, Parameter, Registers, Span, Variable,
    VariableId,
};

/// Variables and registers that the parameter lists of a function header declare.
#[derive(Debug, Default)]
struct ParameterLists {
    variables: Vec<Variable>,
    registers: Registers,
}

/// Whether a function header belongs to a definition or to a declaration without a body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HeaderKind {
    Prototype,
    Definition,
}

impl DeclarationPass<'_, '_> {
    /// Processes `.entry` or `.func` without a body.
    pub(crate) fn prototype(&mut self, index: u32) {
        let tree = self.context.tree;
        let Some(header) = tree.functions.get(index as usize) else {
            return;
        };
        if header.name.is_none() {
            return;
        }
        let function = self.function_id(header, index, HeaderKind::Prototype);
        self.declarations().check_parameters(header, None);
        if self.open.is_some() {
            self.declarations().refuse_textures(header);
        }
        directive::check_of_function(&self.context, header, self.reporter);
        let mut lists = ParameterLists::default();
        let returns = self.parameters(header.returns, header, &mut lists);
        let parameters = self.parameters(header.parameters, header, &mut lists);
        // Use the parameters of a prototype only if the function has not been defined, because the parameters of the definition take
        // precedence.
        if let Some(function) = self.declared.functions.get_mut(function.0 as usize)
            && !function.defined
        {
            function.returns = returns;
            function.parameters = parameters;
            function.variables = lists.variables;
            function.registers = lists.registers;
        }
    }

    /// Processes the header of a function with a body.
    pub(crate) fn defined_function(&mut self, index: u32) -> Option<FunctionId> {
        let header = self.context.tree.functions.get(index as usize)?;
        let id = self.function_id(header, index, HeaderKind::Definition);
        self.declarations().check_parameters(header, None);
        let mut lists = ParameterLists::default();
        let returns = self.parameters(header.returns, header, &mut lists);
        let parameters = self.parameters(header.parameters, header, &mut lists);
        directive::check_of_function(&self.context, header, self.reporter);
        let bounds = self.bounds(header);
        let function = self.declared.functions.get_mut(id.0 as usize)?;
        function.returns = returns;
        function.parameters = parameters;
        function.variables = lists.variables;
        function.registers = lists.registers;
        function.bounds = bounds;
        // With the target option `debug`, the assembler does not inline functions. Each function then uses the calling convention, whose
        // types must be checked.
        if self.context.module.is_debug
            && header.sort == FunctionDirective::Func
            && calling_convention::is_kept(self.context.module)
            && let Some(ty) = calling_convention::refused(self.context.source, function)
        {
            let reason = "under the target option `debug`, functions are not inlined, and all calls use the ABI calling convention";
            let span = header.name_span;
            let text = span.text(self.context.source);
            self.reporter
                .report(diagnose_declarations::not_passed(span, text, ty, reason));
        }
        Some(id)
    }

    /// Returns the id of the function that the header declares. Creates the function if its name is new.
    fn function_id(&mut self, header: &FunctionHeader, index: u32, kind: HeaderKind) -> FunctionId {
        let new = FunctionId(self.declared.functions.len() as u32);
        let defines = kind == HeaderKind::Definition;
        if defines && header.linkage == Some(Linkage::Extern) {
            let problem = diagnose_declarations::body_of_extern(header);
            self.reporter.report(problem);
        }
        let stamp = header
            .name
            .and_then(|name| self.declared.names.get(name, u32::MAX));
        if let Some(Definition {
            binding: Binding::Function(id),
            span,
        }) = stamp
            && let Some(known) = self.declared.functions.get(id.0 as usize)
            && (!known.defined || (self.open == Some(id) && !defines))
        {
            self.check_redeclaration(header, id, span);
            if defines && let Some(known) = self.declared.functions.get_mut(id.0 as usize) {
                known.defined = true;
                known.span = header.span;
            }
            return id;
        }
        let name = header.name.map(|name| self.context.name_text(name));
        let name = name.unwrap_or_default();
        if let Some(own) = header.name {
            self.stamp(own, Binding::Function(new), header.name_span);
        }
        self.heads.push(index);
        self.declared.functions.push(Function {
            name,
            kind: match header.sort {
                FunctionDirective::Entry => FunctionKind::Entry,
                FunctionDirective::Func => FunctionKind::Function,
            },
            defined: defines,
            parameters: Vec::new(),
            returns: Vec::new(),
            variables: Vec::new(),
            registers: Registers::default(),
            instructions: Vec::new(),
            operands: Vec::new(),
            labels: Vec::new(),
            results: Vec::new(),
            bounds: LaunchBounds::default(),
            machine: None,
            span: header.span,
        });
        new
    }

    /// Compares the header of a function with its first declaration.
    fn check_redeclaration(&mut self, header: &FunctionHeader, id: FunctionId, first: Span) {
        let Some(head) = self.head(id) else { return };
        if let Some(what) = redeclaration::function_difference(&self.context, head, header) {
            let span = header.name_span;
            let text = span.text(self.context.source);
            let problem = diagnose_declarations::redeclared(text, span, first, what);
            self.reporter.report(problem);
        }
    }

    /// Declares the parameters or the results of a function header.
    fn parameters(
        &mut self,
        range: Range,
        header: &FunctionHeader,
        lists: &mut ParameterLists,
    ) -> Vec<Parameter> {
        let tree = self.context.tree;
        let space = match header.sort {
            FunctionDirective::Entry => StateSpace::ParamEntry,
            FunctionDirective::Func => StateSpace::ParamFunc,
        };
        let mut parameters = Vec::with_capacity(range.len());
        for declaration in range.of(&tree.declarations) {
            for declarator in tree.declarators_of(declaration) {
                if declaration.space == DeclarationSpace::Reg {
                    let DeclaredType::Scalar(ty) = declaration.scalar else {
                        continue;
                    };
                    let name = declarator.name.map(|name| self.context.name_text(name));
                    let name = name.unwrap_or_default();
                    let n = declaration.vector.map_or(1, |v| v.n_elements());
                    for component in COMPONENTS.iter().take(n) {
                        let register = match n {
                            1 => lists.registers.add(&name, ty),
                            _ => {
                                let text = format_args!("{name}.{component}");
                                lists.registers.add_formatted(text, ty)
                            }
                        };
                        parameters.push(Parameter::Register(register));
                    }
                    continue;
                }
                self.note_handle(declaration, declarator);
                let mut checks = self.declarations();
                if let Some(variable) = checks.variable(declaration, declarator, space) {
                    parameters.push(Parameter::Variable(lists.variables.len() as u32));
                    lists.variables.push(variable);
                }
            }
        }
        parameters
    }

    fn bounds(&self, header: &FunctionHeader) -> LaunchBounds {
        let mut bounds = LaunchBounds::default();
        for directive in header.directives.of(&self.context.tree.directives) {
            let mut extents = [1u32; 3];
            let arguments = self.context.tree.arguments_of(directive);
            for (extent, (operand, _)) in extents.iter_mut().zip(arguments) {
                if let OperandKind::Integer { value, .. } = operand.kind {
                    *extent = u32::try_from(value).unwrap_or(u32::MAX);
                }
            }
            match directive.word.text(self.context.source) {
                ".reqntid" => bounds.required_threads = Some(extents),
                ".maxntid" => bounds.max_threads = Some(extents),
                ".reqnctapercluster" => bounds.required_cluster = Some(extents),
                ".maxclusterrank" => bounds.max_cluster_blocks = Some(extents[0]),
                ".minnctapersm" => bounds.min_blocks_per_multiprocessor = Some(extents[0]),
                ".maxnreg" => bounds.max_registers = Some(extents[0]),
                _ => {}
            }
        }
        bounds
    }
}

/// Component names of a vector register. Each component of a vector register is a separate parameter.
const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// Calls `declare` for each named parameter or result of a header, with its name, its binding in the body, and its span.
pub(crate) fn parameter_names<'t>(
    declarations: &'t [Declaration],
    declarators: impl Fn(&'t Declaration) -> &'t [Declarator],
    function: &Function,
    parameters: &[Parameter],
    mut declare: impl FnMut(Name, Binding, Span),
) {
    let mut rest = parameters.iter();
    let all = declarations.iter().flat_map(|declaration| {
        let n = declaration.vector.map_or(1, |v| v.n_elements());
        declarators(declaration).iter().map(move |each| (each, n))
    });
    for (declarator, n) in all {
        let binding = match rest.as_slice().first() {
            Some(Parameter::Register(first)) if n > 1 => {
                rest = rest.as_slice().get(n - 1..).unwrap_or(&[]).iter();
                Binding::Vector {
                    first: *first,
                    n: n as u8,
                }
            }
            Some(Parameter::Register(register)) => Binding::Register(*register),
            // The variables of the function include only parameters with valid declarations, so compare the spans.
            Some(Parameter::Variable(index))
                if function.variables.get(*index as usize).map(|v| v.span)
                    == Some(declarator.span) =>
            {
                Binding::Variable(VariableId::Function(*index))
            }
            Some(Parameter::Variable(_)) => continue,
            None => return,
        };
        rest.next();
        if let Some(name) = declarator.name {
            declare(name, binding, declarator.name_span);
        }
    }
}
