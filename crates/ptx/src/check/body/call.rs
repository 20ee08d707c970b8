//! Checks of calls: callee, arguments and results.

use crate::check::body::checker::BodyChecker;
use crate::check::body::lower::{register as register_source, source};
use crate::check::body::operand::InstructionSite;
use crate::check::declare::calling_convention;
use crate::check::declare::redeclaration::own_convention;
use crate::check::names::binding::Binding;
use crate::diagnostics::check as diagnose;
use crate::diagnostics::check::CallCounts;
use crate::diagnostics::declarations::needs_convention;
use crate::diagnostics::syntax::is_decimal_float;
use crate::tree::declaration::{
    DeclarationSpace, Declarator, DeclaredType, Directive, DirectiveKind, FunctionHeader,
};
use crate::tree::operand::{Operand, OperandKind, Operands};
use warpgrid_isa::{OperandClass, ScalarType, StateSpace, TargetRequirement, TypeKind, TypeMatch};
use warpgrid_program::{
    Callee, Function, FunctionId, FunctionKind, OperandValue, Parameter, RegisterId, Source, Span,
    Variable,
};

/// Functions that the driver provides, so that a module does not have to define them.
const SYSTEM: &[&str] = &[
    "vprintf",
    "malloc",
    "free",
    "__assertfail",
    "cudaDeviceSynchronize",
];

/// Device runtime function that newer targets do not support, unless the module defines the function before the reference (assembler 13.5:
/// "Unsupported Function 'cudaDeviceSynchronize' on arch 'sm_90' or higher").
const REMOVED: (&str, TargetRequirement) = ("cudaDeviceSynchronize", TargetRequirement::From(90));

/// Operands of a call instruction: results, callee, arguments, and table or prototype.
#[derive(Clone, Copy, Debug, Default)]
struct CallParts<'t> {
    returns: Option<Operands<'t>>,
    target: Option<&'t Operand>,
    arguments: Option<Operands<'t>>,
    table: Option<&'t Operand>,
}

/// Indices of the elements of a call among the elements of the body. The results start at index `first`, and the arguments start at index
/// `middle`.
struct CallElements {
    first: usize,
    middle: usize,
    /// Index of the first element and number of elements of each vector register in the call. All other values have one element.
    vectors: Vec<(usize, u8)>,
}

impl CallElements {
    /// Returns the number of elements of the value that starts at index `element`.
    fn n_elements_at(&self, element: usize) -> u8 {
        let vector = self.vectors.iter().find(|(first, _)| *first == element);
        vector.map_or(1, |(_, n)| *n)
    }

    /// Returns the index of the first element of each value, in order.
    fn values(&self, end: usize) -> impl Iterator<Item = usize> {
        let next = |element: &usize| Some(element + usize::from(self.n_elements_at(*element)));
        std::iter::successors(Some(self.first), next).take_while(move |element| *element < end)
    }
}

impl<'a> BodyChecker<'a, '_> {
    /// Checks `call (returns), target, (arguments){, prototype or targets}`. The source may omit the lists of results and arguments.
    pub(crate) fn call(&mut self, site: &InstructionSite<'a>) -> Option<()> {
        let parts = parts(site);
        let Some(target) = parts.target else {
            self.report(diagnose::call_target(site.span));
            return None;
        };
        let first = self.body.elements.len();
        let mut vectors = Vec::new();
        let returned = self.call_values(site, parts.returns, &mut vectors);
        let middle = self.body.elements.len();
        let returns = self.body.list_from(first);
        let given = self.call_values(site, parts.arguments, &mut vectors);
        let elements = CallElements {
            first,
            middle,
            vectors,
        };
        let arguments = self.body.list_from(middle);
        let callee = self.call_target(site, target, parts.table)?;
        returned?;
        given?;
        // Record the results even if the arguments are invalid, so that reads of the results after the call cause no further errors.
        self.note_returned(&elements);
        match &callee {
            Callee::Direct(function) => {
                self.check_table(parts.table)?;
                if let Some(declared) = self.declared.function(*function)
                    && !declared.defined
                {
                    self.expect_convention(target, "a call to another module")?;
                }
                self.match_signature(site, *function, &elements)?;
            }
            Callee::Indirect { .. } => {
                self.expect_convention(target, "an indirect call")?;
                self.match_table(site, parts.table, &elements)?;
            }
            Callee::System(_) => {
                self.expect_convention(target, "a call to another module")?;
                self.check_table(parts.table)?;
            }
        }
        // Convert the results of the call to destination operands.
        for element in self.body.elements.iter_mut().take(middle).skip(first) {
            element.value = match element.value {
                OperandValue::Source(Source::Register(run), _) => {
                    OperandValue::Destination(Some(run))
                }
                OperandValue::Source(Source::Sink, _) => OperandValue::Destination(None),
                _ => continue,
            };
        }
        self.body.push(returns, target.span);
        self.body.push(OperandValue::Callee(callee), target.span);
        self.body.push(arguments, target.span);
        Some(())
    }

    /// Reports a call that requires the calling convention if the module has disabled the calling convention.
    fn expect_convention(&mut self, target: &Operand, what: &str) -> Option<()> {
        if !calling_convention::is_turned_off(self.module) {
            return Some(());
        }
        self.report(needs_convention(target.span, what));
        None
    }

    /// Records the parameters of the body that receive results of the call.
    fn note_returned(&mut self, elements: &CallElements) {
        let returned = elements.first..elements.middle;
        let returned = self.body.elements.get(returned).unwrap_or(&[]);
        for element in returned {
            if let OperandValue::Source(Source::VariableAddress { variable, .. }, _) = element.value
            {
                self.body.returned.push(variable);
            }
        }
    }

    fn call_values(
        &mut self,
        site: &InstructionSite<'a>,
        list: Option<Operands<'a>>,
        vectors: &mut Vec<(usize, u8)>,
    ) -> Option<()> {
        let mut ok = true;
        for (operand, _) in list.into_iter().flatten() {
            // The name of a vector register denotes all of its components.
            if let OperandKind::Name(name) = operand.kind
                && let Binding::Vector { first, n } = self.binding(name, operand.span)
            {
                vectors.push((self.body.elements.len(), n));
                for index in 0..u32::from(n) {
                    let value = source(register_source(RegisterId(first.0 + index)));
                    self.body.push_element(value, operand.span);
                }
                continue;
            }
            match self.call_value(site, operand) {
                Some(value) => self.body.push_element(source(value), operand.span),
                None => ok = false,
            }
        }
        ok.then_some(())
    }

    fn call_value(&mut self, site: &InstructionSite<'a>, operand: &Operand) -> Option<Source> {
        let OperandKind::Name(name) = operand.kind else {
            return match operand.kind {
                OperandKind::Sink => Some(Source::Sink),
                OperandKind::Single(bits) => Some(Source::Immediate(bits.into())),
                _ => self.source(site, operand, ScalarType::B64, TypeMatch::Exact),
            };
        };
        match self.binding(name, operand.span) {
            Binding::Register(register) => Some(register_source(register)),
            Binding::Variable(variable) => {
                let space = self.space_of(variable);
                if !matches!(space, StateSpace::ParamFunc | StateSpace::ParamEntry) {
                    let problem = diagnose::call_argument_space(operand.span, space);
                    self.report(problem);
                    return None;
                }
                if self.is_own_parameter(variable) {
                    let text = operand.span.text(self.source);
                    self.report(diagnose::own_parameter(operand.span, text));
                    return None;
                }
                Some(Source::VariableAddress {
                    variable,
                    offset: 0,
                    generic: false,
                })
            }
            Binding::None => {
                self.unknown(operand.span);
                None
            }
            other => {
                let found = other.describe();
                let problem = diagnose::expected_register(operand.span, found);
                self.report(problem);
                None
            }
        }
    }

    fn call_target(
        &mut self,
        site: &InstructionSite<'a>,
        target: &Operand,
        table: Option<&Operand>,
    ) -> Option<Callee> {
        let OperandKind::Name(name) = target.kind else {
            self.report(diagnose::call_target(target.span));
            return None;
        };
        match self.binding(name, target.span) {
            Binding::Function(function) => {
                let callee = self.declared.function(function)?;
                if callee.kind == FunctionKind::Entry {
                    self.report(diagnose::call_of_kernel(target.span, &callee.name));
                    return None;
                }
                self.expect_available(function, target.span)?;
                Some(self.direct(function))
            }
            Binding::Register(register) => {
                let ty = self.body.type_of(register);
                let is_address = ty.is_integer() && matches!(ty.width_bits(), 32 | 64);
                if !is_address || ty == ScalarType::F16x2 {
                    let problem = diagnose::type_mismatch(target.span, ty, ScalarType::U64);
                    self.report(problem);
                    return None;
                }
                let candidates = self.candidates(site, table)?;
                Some(Callee::Indirect {
                    register,
                    candidates,
                })
            }
            Binding::None => {
                self.unknown(target.span);
                None
            }
            _ => {
                self.report(diagnose::call_target(target.span));
                None
            }
        }
    }

    /// Reports a call of a function that the device runtime of the target does not support, unless a preceding part of the source defines
    /// the function.
    pub(crate) fn expect_available(&mut self, function: FunctionId, span: Span) -> Option<()> {
        let (removed, targets) = REMOVED;
        let name = &self.declared.function(function)?.name;
        if name != removed || !targets.met_by(self.module.target) {
            return Some(());
        }
        let mut headers = self.tree.functions.iter();
        let is_defined = headers.any(|header| {
            header.has_body
                && header.span.start < span.start
                && header.name_span.text(self.source) == removed
        });
        if is_defined {
            return Some(());
        }
        self.report(diagnose::removed_function(span, removed));
        None
    }

    fn direct(&self, function: FunctionId) -> Callee {
        match self.declared.function(function) {
            Some(f) if !f.defined && SYSTEM.contains(&f.name.as_str()) => {
                Callee::System(f.name.clone())
            }
            _ => Callee::Direct(function),
        }
    }

    /// Returns the possible callees of an indirect call.
    fn candidates(
        &mut self,
        site: &InstructionSite<'a>,
        table: Option<&Operand>,
    ) -> Option<Vec<FunctionId>> {
        let Some(table) = table else {
            self.report(diagnose::call_prototype(site.span));
            return None;
        };
        let directive = self.called_table(table)?;
        let tree = self.tree;
        if let Some(header) = directive.prototype.checked_sub(1) {
            let header = tree.functions.get(header as usize)?;
            return Some(self.functions_like(header));
        }
        Some(self.functions_of(directive))
    }

    /// Reports a prototype or table after the arguments of a direct call, because only indirect calls have a prototype or table.
    fn check_table(&mut self, table: Option<&Operand>) -> Option<()> {
        let Some(table) = table else {
            return Some(());
        };
        self.report(diagnose::needless_table(table.span));
        None
    }

    /// Returns the `.calltargets` table or the prototype of an indirect call.
    fn called_table(&mut self, operand: &Operand) -> Option<&'a Directive> {
        let directive = self.table(operand)?;
        if directive.kind == DirectiveKind::BranchTargets {
            self.report(diagnose::call_target(operand.span));
            return None;
        }
        Some(directive)
    }

    /// Returns the table or prototype with this name if its declaration precedes its use. Reports an error otherwise.
    pub(crate) fn table(&mut self, operand: &Operand) -> Option<&'a Directive> {
        let binding = match operand.kind {
            OperandKind::Name(name) => self.names.get(name),
            _ => Binding::None,
        };
        if let Binding::Table(index) = binding
            && let Some(directive) = self.tree.directives.get(index as usize)
            && directive.span.start < operand.span.start
        {
            return Some(directive);
        }
        let text = operand.span.text(self.source);
        self.report(diagnose::unknown_label(text, operand.span, None));
        None
    }

    /// Compares the results and arguments of an indirect call with its prototype, or with the functions in its `.calltargets` table.
    fn match_table(
        &mut self,
        site: &InstructionSite<'a>,
        table: Option<&Operand>,
        elements: &CallElements,
    ) -> Option<()> {
        let table = table?;
        let directive = self.table(table)?;
        let header = directive.prototype.checked_sub(1);
        let header = header.and_then(|header| self.tree.functions.get(header as usize));
        let Some(header) = header else {
            for function in self.functions_of(directive) {
                self.match_signature(site, function, elements)?;
            }
            self.expect_common_convention(directive);
            return Some(());
        };
        let name = table.span.text(self.source);
        let counts = CallCounts {
            returns: header.returns.len(),
            arguments: header.parameters.len(),
        };
        let (mut variables, mut formals) = (Vec::new(), Vec::new());
        for list in [header.returns, header.parameters] {
            for declaration in list.of(&self.tree.declarations) {
                let declarator = self.tree.declarators_of(declaration).first()?;
                let variable = self.check_declaration(|checks| {
                    checks.variable(declaration, declarator, StateSpace::ParamFunc)
                });
                match (variable, declaration.scalar) {
                    (Some(variable), _) => {
                        formals.push(None);
                        variables.push(variable);
                    }
                    (None, DeclaredType::Scalar(ty)) => {
                        let n = declaration.vector.map_or(1, |vector| vector.n_elements());
                        formals.push(Some(register_formal(declarator, ty, n as u8)));
                    }
                    // No value can be passed to a texture or sampler parameter.
                    (None, _) => return self.match_counts(site, name, counts, &[], elements),
                }
            }
        }
        let mut variables = variables.iter();
        let formals = formals.into_iter();
        let formals: Vec<FormalParameter<'_>> = formals
            .filter_map(|register| {
                register.or_else(|| variables.next().map(FormalParameter::Variable))
            })
            .collect();
        self.match_formals(site, name, counts, &formals, elements)
    }

    /// Checks `.calltargets f, g`. The listed functions must be declared before the directive.
    pub(crate) fn call_table(&mut self, directive: &Directive) {
        let tree = self.tree;
        for (argument, _) in tree.arguments_of(directive) {
            let OperandKind::Name(name) = argument.kind else {
                continue;
            };
            match self.names.get(name) {
                Binding::Function(_) => {}
                Binding::None => self.unknown(argument.span),
                _ => self.report(diagnose::call_target(argument.span)),
            }
        }
    }

    /// Reports functions with `.abi_preserve` in a `.calltargets` list: an indirect call uses the calling convention that is common to all
    /// functions, but a function with `.abi_preserve` requires a different convention (assembler 13.5: "ABI mismatch").
    fn expect_common_convention(&mut self, directive: &Directive) {
        let (context, tree) = (self.context(), self.tree);
        for (argument, _) in tree.arguments_of(directive) {
            let OperandKind::Name(name) = argument.kind else {
                continue;
            };
            let mut headers = tree.functions.iter();
            let convention = headers.find_map(|header| match header.name == Some(name) {
                true => own_convention(&context, header),
                false => None,
            });
            if let Some(word) = convention {
                let text = argument.span.text(self.source);
                self.report(diagnose::call_convention(argument.span, text, word));
            }
        }
    }

    /// Returns the functions of a `.calltargets` directive.
    fn functions_of(&self, directive: &Directive) -> Vec<FunctionId> {
        let arguments = self.tree.arguments_of(directive);
        arguments
            .filter_map(|(argument, _)| match argument.kind {
                OperandKind::Name(name) => match self.names.get(name) {
                    Binding::Function(function) => Some(function),
                    _ => None,
                },
                _ => None,
            })
            .collect()
    }

    /// Returns the functions that have the same number of results and the same number of parameters as a prototype.
    fn functions_like(&self, prototype: &FunctionHeader) -> Vec<FunctionId> {
        let counts = (prototype.returns.len(), prototype.parameters.len());
        let fits = |f: &Function| {
            f.kind == FunctionKind::Function
                && f.defined
                && (f.returns.len(), f.parameters.len()) == counts
        };
        let functions = self.declared.functions.iter().enumerate();
        functions
            .filter(|(_, function)| fits(function))
            .map(|(index, _)| FunctionId(index as u32))
            .collect()
    }

    /// Compares the results and arguments of a call with the header of the called function.
    fn match_signature(
        &mut self,
        site: &InstructionSite<'a>,
        function: FunctionId,
        elements: &CallElements,
    ) -> Option<()> {
        let declared = self.declared;
        let callee = declared.function(function)?;
        let declarators = self.register_declarators(callee);
        let mut declarators = declarators.iter();
        let returns = formals(callee, &callee.returns, &mut declarators);
        let arguments = formals(callee, &callee.parameters, &mut declarators);
        let counts = CallCounts {
            returns: returns.len(),
            arguments: arguments.len(),
        };
        let formals = [returns, arguments].concat();
        self.match_formals(site, &callee.name, counts, &formals, elements)
    }

    /// Returns the declarators of the register results and parameters of a function without a body. Functions with a body need no
    /// declarators, because they have no register arrays.
    fn register_declarators(&self, callee: &Function) -> Vec<&'a Declarator> {
        if callee.defined {
            return Vec::new();
        }
        let is_named = |header: &&FunctionHeader| {
            let name = header.name_span.text(self.source);
            name == callee.name
        };
        let Some(header) = self.tree.functions.iter().find(is_named) else {
            return Vec::new();
        };
        let lists = [header.returns, header.parameters].into_iter();
        let declarations = lists.flat_map(|list| list.of(&self.tree.declarations));
        let registers = declarations.filter(|one| one.space == DeclarationSpace::Reg);
        registers
            .flat_map(|one| self.tree.declarators_of(one))
            .collect()
    }

    /// Reports an error if the number of results or arguments of a call differs from the callee.
    fn match_counts(
        &mut self,
        site: &InstructionSite<'a>,
        name: &str,
        counts: CallCounts,
        formals: &[FormalParameter<'_>],
        elements: &CallElements,
    ) -> Option<()> {
        let values = elements.values(self.body.elements.len());
        let is_result = |value: &usize| *value < elements.middle;
        let (returns, arguments): (Vec<usize>, Vec<usize>) = values.partition(is_result);
        let found = CallCounts {
            returns: returns.len(),
            arguments: arguments.len(),
        };
        if found != counts {
            let missing = match formals.get(counts.returns + found.arguments) {
                Some(FormalParameter::Variable(variable)) if found.returns == counts.returns => {
                    Some((variable.name.as_str(), variable.span))
                }
                _ => None,
            };
            let problem = diagnose::call_counts(site.span, name, found, counts, missing);
            self.report(problem);
            return None;
        }
        Some(())
    }

    /// Compares the elements of a call with the results and parameters of its callee.
    fn match_formals<'f>(
        &mut self,
        site: &InstructionSite<'a>,
        name: &str,
        counts: CallCounts,
        formals: &[FormalParameter<'f>],
        elements: &CallElements,
    ) -> Option<()> {
        self.match_counts(site, name, counts, formals, elements)?;
        let has_convention = calling_convention::is_kept(self.module);
        let mut has_one_shape = true;
        for (index, (value, formal)) in elements
            .values(self.body.elements.len())
            .zip(formals.iter().copied())
            .enumerate()
        {
            let element = self.body.elements.get(value)?;
            let n = elements.n_elements_at(value);
            let is_passed = !has_convention || self.is_passed(formal);
            let is_misplaced_sink = index >= counts.returns
                && matches!(element.value, OperandValue::Source(Source::Sink, _));
            if !is_passed || is_misplaced_sink || !self.argument_fits(element, n, formal) {
                let problem = diagnose::call_argument(site.span, name, index, counts.returns);
                self.report(problem);
                return None;
            }
            has_one_shape &= self.has_shape(element, n, formal);
        }
        if !has_one_shape {
            // The call is legal and converts the value between a vector and its elements, but the program representation has no such
            // conversion.
            self.body.is_representable = false;
        }
        Some(())
    }

    /// Returns whether a value has the same number of elements and the same element width as a parameter.
    fn has_shape(
        &self,
        value: &warpgrid_program::Operand,
        n: u8,
        formal: FormalParameter<'_>,
    ) -> bool {
        let FormalParameter::Vector(ty, wanted) = formal else {
            return n == 1;
        };
        let width = match &value.value {
            OperandValue::Source(Source::Register(run), _) => {
                self.body.type_of(run.first).width_bits()
            }
            OperandValue::Source(Source::Sink, _) => return false,
            _ => 0,
        };
        n == wanted && width == ty.width_bits()
    }

    /// Returns whether the calling convention can pass a parameter of this type.
    fn is_passed(&self, formal: FormalParameter<'_>) -> bool {
        match formal {
            FormalParameter::Register(ty) | FormalParameter::Registers(ty) => {
                calling_convention::passes(ty)
            }
            FormalParameter::Vector(..) => true,
            FormalParameter::Variable(variable) => {
                calling_convention::passes_variable(self.source, variable)
            }
        }
    }

    /// Returns whether an argument has the type of a parameter, or whether a result has the type of a return parameter.
    fn argument_fits(
        &self,
        argument: &warpgrid_program::Operand,
        n_elements: u8,
        formal: FormalParameter<'_>,
    ) -> bool {
        let ty = match formal {
            FormalParameter::Register(ty) | FormalParameter::Registers(ty) => Some(ty),
            FormalParameter::Vector(ty, n) => vector_type(ty, n),
            FormalParameter::Variable(variable) => Some(variable.ty),
        };
        let Some(ty) = ty else {
            return false;
        };
        match &argument.value {
            OperandValue::Source(Source::VariableAddress { variable, .. }, _) => {
                let found = self.variable(*variable);
                match formal {
                    FormalParameter::Variable(wanted) => {
                        found.is_none_or(|v| self.variable_fits_formal(v, wanted))
                    }
                    FormalParameter::Register(_) | FormalParameter::Vector(..) => {
                        found.is_none_or(|v| self.variable_fits_register(v, ty))
                    }
                    FormalParameter::Registers(_) => false,
                }
            }
            OperandValue::Source(Source::Register(run), _) => {
                let found = vector_type(self.body.type_of(run.first), n_elements);
                found.is_some_and(|found| passes_as(ty, found)) && self.is_scalar(formal)
            }
            OperandValue::Source(Source::Immediate(_), _) => {
                let literal = literal_class(argument.span.text(self.source));
                let is_vector = matches!(formal, FormalParameter::Vector(..));
                let fits = match (ty.kind(), literal) {
                    (TypeKind::Bits, _) if is_vector => {
                        ty == ScalarType::B64 && literal != OperandClass::Single
                    }
                    (TypeKind::Bits, _) => true,
                    // `.f16x2` accepts a 32-bit literal (assembler 13.5).
                    _ if ty == ScalarType::F16x2 => literal == OperandClass::Single,
                    (TypeKind::Float, literal) => literal.is_float(),
                    (_, literal) => ty.accepts(literal, TypeMatch::Exact),
                };
                fits && self.is_scalar(formal)
            }
            _ => true,
        }
    }

    /// Returns whether a variable of the body matches a parameter in memory: the variable and the parameter must have the same element
    /// type, array size and alignment. An array without size accepts all arrays of the same element type or of bytes.
    fn variable_fits_formal(&self, found: &Variable, wanted: &Variable) -> bool {
        let is_alike = wanted.ty.accepts_register(found.ty, TypeMatch::Exact);
        let is_array = self.is_declared_array(found);
        if found.align_bytes != wanted.align_bytes || is_array != self.is_declared_array(wanted) {
            return false;
        }
        match wanted.dynamic {
            true => is_alike || found.ty == ScalarType::B8,
            false => is_alike && found.size_bytes == wanted.size_bytes,
        }
    }

    /// Returns whether a variable of the body can be passed to a register parameter: the variable must have the type and alignment of the
    /// parameter, and must not be an array.
    fn variable_fits_register(&self, found: &Variable, ty: ScalarType) -> bool {
        found.align_bytes == ty.width_bytes()
            && ty.accepts_register(found.ty, TypeMatch::Exact)
            && !self.is_declared_array(found)
    }

    fn is_scalar(&self, formal: FormalParameter<'_>) -> bool {
        match formal {
            FormalParameter::Variable(variable) => !self.is_declared_array(variable),
            FormalParameter::Register(_) | FormalParameter::Vector(..) => true,
            FormalParameter::Registers(_) => false,
        }
    }

    /// Returns whether a variable is declared as an array, possibly with a single element.
    fn is_declared_array(&self, variable: &Variable) -> bool {
        calling_convention::is_declared_array(self.source, variable)
    }
}

/// Type of a formal parameter or result of a function.
#[derive(Clone, Copy, Debug)]
enum FormalParameter<'f> {
    Variable(&'f Variable),
    Register(ScalarType),
    /// Vector register with this number of elements.
    Vector(ScalarType, u8),
    /// Array of registers, to which no value can be passed (assembler 13.5).
    Registers(ScalarType),
}

/// Returns the formal parameter for a register declaration: scalar, vector or array.
const fn register_formal(
    declarator: &Declarator,
    ty: ScalarType,
    n: u8,
) -> FormalParameter<'static> {
    match (declarator.dimensions.len(), n) {
        (0, 1) => FormalParameter::Register(ty),
        (0, _) => FormalParameter::Vector(ty, n),
        _ => FormalParameter::Registers(ty),
    }
}

/// Returns the formal results or parameters of a function. Combines the components of a vector register, which are separate parameters with
/// names such as `name.x`.
fn formals<'f>(
    callee: &'f Function,
    parameters: &[Parameter],
    declarators: &mut std::slice::Iter<'_, &Declarator>,
) -> Vec<FormalParameter<'f>> {
    let component = |parameter: &Parameter| match parameter {
        Parameter::Register(register) => calling_convention::component(callee, *register),
        Parameter::Variable(_) => None,
    };
    let mut formals = Vec::with_capacity(parameters.len());
    let mut rest = parameters;
    while let Some((first, others)) = rest.split_first() {
        rest = others;
        match first {
            Parameter::Variable(index) => {
                let variable = callee.variables.get(*index as usize);
                formals.extend(variable.map(FormalParameter::Variable));
            }
            Parameter::Register(register) => {
                let Some(declared) = callee.registers.get(register.0 as usize) else {
                    continue;
                };
                let is_further =
                    |other: &&Parameter| component(other).is_some_and(|name| name != "x");
                let n_further = match component(first) {
                    Some("x") => others.iter().take_while(is_further).count(),
                    _ => 0,
                };
                rest = others.get(n_further..).unwrap_or(&[]);
                let n = n_further as u8 + 1;
                formals.push(match (declarators.next(), n) {
                    (Some(declarator), _) => register_formal(declarator, declared.ty, n),
                    (None, 1) => FormalParameter::Register(declared.ty),
                    (None, _) => FormalParameter::Vector(declared.ty, n),
                });
            }
        }
    }
    formals
}

/// Returns the parameter type that corresponds to a vector register: untyped bits with the total width of the vector. For 32 bits, the type
/// is `.f16x2`, because `.f16x2` also matches predicates (assembler 13.5, all pairs of types and shapes).
const fn vector_type(ty: ScalarType, n: u8) -> Option<ScalarType> {
    if n == 1 {
        return Some(ty);
    }
    match ty.width_bits() * n as u32 {
        16 => Some(ScalarType::B16),
        32 => Some(ScalarType::F16x2),
        64 => Some(ScalarType::B64),
        128 => Some(ScalarType::B128),
        _ => None,
    }
}

/// Returns whether a value of type `found` can be passed to a parameter of type `wanted`. `.f16x2` is compatible with untyped bits and with
/// predicates (assembler 13.5).
fn passes_as(wanted: ScalarType, found: ScalarType) -> bool {
    use ScalarType::{B32, F16x2, Pred};
    match (wanted, found) {
        (Pred, F16x2) | (F16x2, Pred) => true,
        (F16x2, found) => B32.accepts_register(found, TypeMatch::Exact),
        (wanted, F16x2) => wanted.accepts_register(B32, TypeMatch::Exact),
        (wanted, found) => wanted.accepts_register(found, TypeMatch::Exact),
    }
}

/// Returns the operand class of a literal, which its spelling determines.
fn literal_class(text: &str) -> OperandClass {
    let starts = |prefix: [&str; 2]| prefix.iter().any(|prefix| text.starts_with(prefix));
    if starts(["0f", "0F"]) {
        OperandClass::Single
    } else if starts(["0d", "0D"]) || is_decimal_float(text) {
        OperandClass::Double
    } else {
        OperandClass::Integer
    }
}

fn parts<'t>(site: &InstructionSite<'t>) -> CallParts<'t> {
    let mut parts = CallParts::default();
    for (operand, children) in site.operands {
        match operand.kind {
            OperandKind::Group { .. } if parts.target.is_none() => parts.returns = Some(children),
            OperandKind::Group { .. } => parts.arguments = Some(children),
            _ if parts.target.is_none() => parts.target = Some(operand),
            _ => parts.table = Some(operand),
        }
    }
    parts
}
