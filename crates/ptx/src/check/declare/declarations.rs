//! Checks of declarations: types, vectors, arrays, alignments and scopes, according to the reference assembler 13.5. Each check reports
//! diagnostics, and returns whether the declaration is valid.

use crate::check::context::Context;
use crate::check::diagnostic_sink::DiagnosticSink;
use crate::check::names::lookup;
use crate::check::names::lookup::NameLookup;
use crate::diagnostics::declarations as diagnose;
use crate::diagnostics::rules::raise;
use crate::target_context::TargetContext;
use crate::tree::Tree;
use crate::tree::declaration::{
    Attribute, Declaration, DeclarationSpace, Declarator, DeclaredType, FunctionDirective,
    FunctionHeader, Linkage,
};
use warpgrid_isa::{Gate, ScalarType, Target, VectorWidth, Version};
use warpgrid_program::{Diagnostic, Span};

/// Scope of a declaration, which determines the rules for the declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeclarationScope {
    /// The declaration is at module scope.
    Module,
    /// The declaration is in the body of a function.
    Body,
    /// The declaration is in the parameter list of a function or kernel.
    Parameter(FunctionDirective),
    /// The declaration is in the parameter list of an `.extern` function, or of a call prototype within a function of this kind. Such a
    /// list declares no variables. The assembler checks the syntax of its declarations, but not the validity of the variables (assembler
    /// 13.5).
    Prototype(Option<FunctionDirective>),
}

/// Result of the checks of a declaration. The initial values of an invalid declaration are not evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Validity {
    Valid,
    Invalid,
}

/// Maximum alignment of a parameter in bytes.
const PARAMETER_ALIGNMENT: u64 = 128;

/// Required version and target for an array without size as the last parameter of a function (assembler 13.5).
const OPEN_ARRAY: Gate = Gate::ptx(6, 0).sm(30);

/// Required versions and features for the declaration of a variable of each type. The requirements for the use of a type in instructions
/// are in the instruction tables.
const GATES: &[(ScalarType, Version, &str)] = &[
    (ScalarType::B128, Version::new(8, 3), "sm_70"),
    (ScalarType::F16x2, Version::new(4, 2), "sm_53"),
];

/// Checks the declarations at one position of the source.
pub(crate) struct Declarations<'a, 'c> {
    pub(crate) context: Context<'a>,
    pub(crate) source: &'a str,
    pub(crate) tree: &'a Tree,
    module: &'a TargetContext,
    /// Names that are visible at the position of the declaration.
    pub(crate) names: &'c dyn NameLookup,
    reporter: &'c mut DiagnosticSink,
}

impl<'a, 'c> Declarations<'a, 'c> {
    pub(crate) fn new(
        context: Context<'a>,
        names: &'c dyn NameLookup,
        reporter: &'c mut DiagnosticSink,
    ) -> Declarations<'a, 'c> {
        Declarations {
            context,
            source: context.source,
            tree: context.tree,
            module: context.module,
            names,
            reporter,
        }
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.reporter.report(diagnostic);
    }

    /// Checks a declaration and all of its names.
    pub(crate) fn check(&mut self, declaration: &Declaration, place: DeclarationScope) -> Validity {
        let before = self.reporter.n_errors();
        if declaration.declarators.is_empty() {
            let is_scalar = matches!(declaration.scalar, DeclaredType::Scalar(_));
            if !is_scalar && place == DeclarationScope::Body {
                self.report(diagnose::texture_place(declaration.type_span));
            }
            return Validity::Invalid;
        }
        self.check_place(declaration, place);
        self.check_type(declaration, place);
        self.check_alignment(declaration, place);
        self.check_attributes(declaration);
        if declaration.linkage == Some(Linkage::Common) {
            self.check_gate(Gate::ptx(5, 0), declaration.linkage_span, "`.common`");
            if declaration.space != DeclarationSpace::Global {
                let (span, space) = (declaration.linkage_span, declaration.space_span);
                self.report(diagnose::common_space(span, space));
            }
            let is_number = matches!(declaration.scalar, DeclaredType::Scalar(_));
            if !is_number && self.declares_scalar(declaration) {
                self.report(diagnose::texture_place(declaration.type_span));
            }
        }
        let tree = self.tree;
        for declarator in tree.declarators_of(declaration) {
            self.check_shape(declaration, declarator, place);
            self.check_values(declaration, declarator, place);
        }
        match self.reporter.n_errors() == before {
            true => Validity::Valid,
            false => Validity::Invalid,
        }
    }

    /// Reports a name that is not declared.
    pub(crate) fn report_unknown(&mut self, span: Span) {
        let candidates = self.names.candidates();
        lookup::report_unknown(&self.context, &candidates, self.reporter, span);
    }

    /// Checks the parameters of a function or kernel.
    pub(crate) fn check_parameters(
        &mut self,
        header: &FunctionHeader,
        within: Option<FunctionDirective>,
    ) {
        let tree = self.tree;
        let place = match header.has_body {
            true => DeclarationScope::Parameter(header.sort),
            false => DeclarationScope::Prototype(within),
        };
        let mut sinks = 0;
        for list in [header.returns, header.parameters] {
            for declaration in list.of(&tree.declarations) {
                self.check_parameter_gate(declaration, header);
                self.check(declaration, place);
                self.check_parameter_name(declaration, header, within, &mut sinks);
            }
        }
        for attribute in header.attributes.of(&tree.attributes) {
            self.check_attribute_gate(attribute);
        }
        if header.sort == FunctionDirective::Func || !header.has_body {
            self.check_lists(header);
        }
    }

    /// Checks the number of results, and the arrays without size in the parameter lists of a function.
    fn check_lists(&mut self, header: &FunctionHeader) {
        let tree = self.tree;
        let is_open = |declaration: &&Declaration| {
            let mut names = tree.declarators_of(declaration).iter();
            let first = |name: &Declarator| tree.dimensions_of(name).first().copied();
            names.any(|name| first(name).is_some_and(|d| d.size.is_none_or(|n| n == 0)))
        };
        let returns = header.returns.of(&tree.declarations);
        if let Some(open) = returns.iter().find(is_open) {
            let message = "a function cannot return an array without size";
            self.report(diagnose::parameter_list(open.span, message));
        }
        let is_variable = |declaration: &&Declaration| declaration.space == DeclarationSpace::Param;
        if returns.len() > 1
            && let Some(variable) = returns.iter().find(is_variable)
        {
            let message = "a function returns one `.param` variable or several registers";
            self.report(diagnose::parameter_list(variable.span, message));
        }
        let parameters = header.parameters.of(&tree.declarations);
        for (index, open) in parameters.iter().enumerate().filter(|(_, p)| is_open(p)) {
            if header.sort == FunctionDirective::Entry {
                let message = "a kernel parameter cannot be an array without size";
                self.report(diagnose::parameter_list(open.span, message));
            }
            if index + 1 < parameters.len() {
                let message = "only the last parameter may be an array without size";
                self.report(diagnose::parameter_list(open.span, message));
            }
            if open.space != DeclarationSpace::Param {
                let message = "an array without size must be in `.param`";
                self.report(diagnose::parameter_list(open.span, message));
            }
            self.check_gate(OPEN_ARRAY, open.span, "an array parameter without size");
        }
    }

    /// Reports textures and surfaces among the parameters of a header that is neither at module scope nor the header of a kernel (assembler
    /// 13.5: "must be at module or entry parameter scope").
    pub(crate) fn refuse_textures(&mut self, header: &FunctionHeader) {
        for declaration in header.parameters.of(&self.tree.declarations) {
            if !matches!(declaration.scalar, DeclaredType::Scalar(_)) {
                self.report(diagnose::texture_place(declaration.type_span));
            }
        }
    }

    /// Checks the state space and the name of a parameter. A kernel may have one parameter named `_`, a function may have none, and a call
    /// prototype may have any number.
    fn check_parameter_name(
        &mut self,
        declaration: &Declaration,
        header: &FunctionHeader,
        within: Option<FunctionDirective>,
        sinks: &mut usize,
    ) {
        use DeclarationSpace as S;
        let (is_legal, message) = match header.sort {
            FunctionDirective::Entry => (
                declaration.space == S::Param,
                "a kernel parameter must be in `.param`",
            ),
            FunctionDirective::Func => (
                matches!(declaration.space, S::Param | S::Reg),
                "a function parameter must be in `.param` or `.reg`",
            ),
        };
        if !is_legal {
            self.report(diagnose::parameter_list(declaration.space_span, message));
        }
        if header.sort == FunctionDirective::Func {
            if let Some(pointer) = declaration.pointer
                && within != Some(FunctionDirective::Entry)
            {
                let message = "`.ptr` is allowed for kernel parameters only";
                self.report(diagnose::parameter_list(pointer.span, message));
            }
            let is_number = matches!(declaration.scalar, DeclaredType::Scalar(_));
            let mut names = self.tree.declarators_of(declaration).iter();
            let is_single = names.any(|name| name.dimensions.is_empty());
            if header.has_body && !is_number && is_single {
                self.report(diagnose::texture_place(declaration.type_span));
            }
        }
        if header.name.is_none() {
            return;
        }
        let most = usize::from(header.sort == FunctionDirective::Entry);
        for declarator in self.tree.declarators_of(declaration) {
            *sinks += usize::from(declarator.name.is_none());
            if declarator.name.is_none() && *sinks > most {
                let message = "found `_`, expected a parameter name";
                self.report(diagnose::parameter_list(declarator.name_span, message));
            }
        }
    }

    fn check_parameter_gate(&mut self, declaration: &Declaration, header: &FunctionHeader) {
        if declaration.space != DeclarationSpace::Param {
            return;
        }
        let (what, gate) = match header.sort {
            FunctionDirective::Entry => ("the parameter list of a kernel", Gate::ptx(1, 4)),
            FunctionDirective::Func => ("a `.param` of a function", Gate::ptx(2, 0).sm(20)),
        };
        self.check_gate(gate, declaration.span, what);
    }

    fn check_place(&mut self, declaration: &Declaration, place: DeclarationScope) {
        let space = declaration.space_span;
        let word = space.text(self.source);
        match place {
            DeclarationScope::Body => {
                let (from, to) = (Version::new(1, 4), Version::new(2, 0));
                let version = self.module.version;
                if declaration.space == DeclarationSpace::Param && (from..to).contains(&version) {
                    self.report(diagnose::parameter_place(space, version));
                }
            }
            DeclarationScope::Module => {
                use DeclarationSpace as S;
                // PTX 3.0 introduced the calling convention. From this version on, registers and local variables must be declared in
                // functions.
                let is_old = self.module.version < Version::new(3, 0);
                let is_inner = match declaration.space {
                    S::Param => true,
                    S::Reg | S::Local => !is_old,
                    S::Const | S::Global | S::Shared | S::Tex => false,
                };
                if is_inner {
                    self.report(diagnose::module_space(space, word));
                }
            }
            DeclarationScope::Parameter(_) | DeclarationScope::Prototype(_) => {}
        }
        if declaration.space == DeclarationSpace::Tex {
            let version = self.module.version;
            if version >= Version::new(1, 5) {
                self.report(diagnose::tex_space(space, version));
            } else if place == DeclarationScope::Body {
                self.report(diagnose::texture_place(space));
            }
        }
    }

    fn check_type(&mut self, declaration: &Declaration, place: DeclarationScope) {
        let span = declaration.type_span;
        let is_made = !matches!(place, DeclarationScope::Prototype(_));
        // Assembler 13.5 checks the scope of samplers only for declarations with a name that is not an array.
        let is_single = self.declares_scalar(declaration);
        if declaration.scalar == DeclaredType::SamplerRef
            && is_made
            && is_single
            && !self.module.has_samplers
        {
            self.report(diagnose::sampler(span));
        }
        let ty = match declaration.scalar {
            DeclaredType::Scalar(ty) => ty,
            DeclaredType::Missing => return,
            DeclaredType::TexRef | DeclaredType::SamplerRef | DeclaredType::SurfRef => {
                let outside = declaration.space == DeclarationSpace::Global;
                let is_misplaced = match place {
                    DeclarationScope::Body
                    | DeclarationScope::Prototype(Some(FunctionDirective::Func)) => true,
                    DeclarationScope::Module => !outside && is_single,
                    DeclarationScope::Parameter(_) | DeclarationScope::Prototype(_) => false,
                };
                if is_misplaced {
                    self.report(diagnose::texture_place(span));
                }
                if declaration.vector.is_some() {
                    self.report(diagnose::vector_of_handles(declaration.vector_span, span));
                }
                return;
            }
        };
        if self.is_gated(ty, declaration) && (is_made || ty == ScalarType::F16x2) {
            self.check_type_gate(ty, span);
        }
        let n = declaration.vector.map_or(1, VectorWidth::n_elements) as u32;
        if ty == ScalarType::Pred {
            self.check_predicate(declaration, place);
        } else if n > 1 && (n * ty.width_bits() > 128 || n > 4) {
            let bits = n * ty.width_bits();
            self.report(diagnose::vector_size(declaration.vector_span, span, bits));
        }
    }

    /// Returns whether a declaration declares at least one name that is not an array.
    fn declares_scalar(&self, declaration: &Declaration) -> bool {
        let mut names = self.tree.declarators_of(declaration).iter();
        names.any(|name| name.dimensions.is_empty())
    }

    /// Returns whether the assembler checks the version and target requirements of the type in a declaration. The assembler does not check
    /// vectors of `.f16x2` and arrays of `.b128`.
    fn is_gated(&self, ty: ScalarType, declaration: &Declaration) -> bool {
        match ty {
            ScalarType::F16x2 => declaration.vector.is_none(),
            ScalarType::B128 => self.declares_scalar(declaration),
            _ => true,
        }
    }

    fn check_type_gate(&mut self, ty: ScalarType, span: Span) {
        let Some((_, since, target)) = GATES.iter().find(|(gated, ..)| *gated == ty) else {
            return;
        };
        let subject = format!("type `.{ty}`");
        let sm = Target::from_name(target).map_or(0, |target| target.sm);
        self.check_gate(Gate::ptx(since.major, since.minor).sm(sm), span, &subject);
    }

    /// Checks the required version and target of a construct.
    pub(crate) fn check_gate(&mut self, gate: Gate, span: Span, what: &str) {
        let needs = self.module.lacking(gate);
        let fix = raise(self.module, &needs);
        let mut problems = Vec::new();
        if let Some(since) = needs.version {
            let version = self.module.version;
            problems.push(diagnose::type_version(span, what, since, version));
        }
        if needs.target.is_some() {
            let found = self.module.target.name;
            problems.push(diagnose::type_target(span, what, &needs, found));
        }
        for mut problem in problems {
            problem.fixes.extend(fix.clone());
            self.report(problem);
        }
    }

    /// Reports a predicate that is not a scalar register. In a prototype, this function reports only vectors and arrays. In all other
    /// declarations, `check_shape` reports arrays of registers.
    fn check_predicate(&mut self, declaration: &Declaration, place: DeclarationScope) {
        let span = declaration.type_span;
        let is_prototype = matches!(place, DeclarationScope::Prototype(_));
        let is_array = is_prototype && !self.declares_scalar(declaration);
        let has_one_element = declaration
            .vector
            .is_none_or(|vector| vector.n_elements() == 1);
        if is_prototype && has_one_element && !is_array {
            return;
        }
        if declaration.vector.is_some() {
            let clash = declaration.vector_span;
            self.report(diagnose::predicate(span, clash, "a vector"));
        } else if declaration.space != DeclarationSpace::Reg || is_array {
            let clash = declaration.space_span;
            self.report(diagnose::predicate(span, clash, "a variable in memory"));
        }
    }

    fn check_alignment(&mut self, declaration: &Declaration, place: DeclarationScope) {
        let pointer = declaration.pointer.and_then(|pointer| pointer.alignment);
        for alignment in declaration.alignment.into_iter().chain(pointer) {
            if !alignment.bytes.is_power_of_two() {
                self.report(diagnose::alignment(alignment.span, alignment.bytes));
            }
        }
        let Some(alignment) = declaration.alignment else {
            return;
        };
        if declaration.space == DeclarationSpace::Param
            && !matches!(
                place,
                DeclarationScope::Parameter(FunctionDirective::Entry)
                    | DeclarationScope::Prototype(_)
            )
            && alignment.bytes > PARAMETER_ALIGNMENT
        {
            self.report(diagnose::parameter_alignment(
                alignment.span,
                alignment.bytes,
            ));
        }
    }

    fn check_attributes(&mut self, declaration: &Declaration) {
        let tree = self.tree;
        let mut names = tree.declarators_of(declaration).iter();
        // The assembler checks the state space of `.managed` for single names, but not for groups such as `x<4>` (assembler
        // 13.5).
        let is_group = !names.any(|name| name.count.is_none());
        for attribute in declaration.attributes.of(&tree.attributes) {
            let word = attribute.word.text(self.source);
            let is_asked = !is_group || word != ".managed";
            if is_asked && declaration.space != DeclarationSpace::Global {
                let space = declaration.space_span;
                self.report(diagnose::attribute(attribute.span, word, space));
                continue;
            }
            self.check_attribute_gate(attribute);
        }
    }

    /// Checks the required version and target of an attribute.
    fn check_attribute_gate(&mut self, attribute: &Attribute) {
        let word = attribute.word.text(self.source);
        let gate = match word {
            ".unified" => Gate::ptx(8, 0).sm(90),
            _ => Gate::ptx(4, 0).sm(30),
        };
        self.check_gate(gate, attribute.span, &format!("attribute `{word}`"));
    }

    fn check_shape(
        &mut self,
        declaration: &Declaration,
        declarator: &Declarator,
        place: DeclarationScope,
    ) {
        if matches!(place, DeclarationScope::Prototype(_)) {
            return;
        }
        let dimensions = self.tree.dimensions_of(declarator);
        let span = dimensions
            .first()
            .zip(dimensions.last())
            .map(|(first, last)| first.span.to(last.span));
        match declaration.space {
            DeclarationSpace::Reg => {
                if let Some(span) = span {
                    let size = match dimensions {
                        [only] => only.size,
                        _ => None,
                    };
                    self.report(diagnose::register_array(declarator.name_span, span, size));
                }
                return;
            }
            DeclarationSpace::Param if dimensions.is_empty() => {
                self.check_scalar_parameter(declaration, declarator);
            }
            _ => {}
        }
        let Some(span) = span else { return };
        if matches!(
            declaration.scalar,
            DeclaredType::Scalar(ScalarType::Pred) | DeclaredType::Missing
        ) {
            return;
        }
        let open_first = dimensions
            .first()
            .is_some_and(|d| d.size.is_none_or(|n| n == 0));
        let given = open_first && self.has_values(declarator);
        let may_be_open = match place {
            DeclarationScope::Module => declaration.linkage == Some(Linkage::Extern),
            DeclarationScope::Parameter(sort) => sort == FunctionDirective::Func,
            DeclarationScope::Body | DeclarationScope::Prototype(_) => false,
        };
        let open_inner = dimensions
            .iter()
            .skip(1)
            .any(|d| d.size.is_none_or(|n| n == 0));
        if open_inner || (open_first && !given && !may_be_open) {
            let name = declarator.name_span.text(self.source);
            self.report(diagnose::incomplete(span, name));
        }
    }

    fn check_scalar_parameter(&mut self, declaration: &Declaration, declarator: &Declarator) {
        let DeclaredType::Scalar(ty) = declaration.scalar else {
            return;
        };
        let n = declaration.vector.map_or(1, VectorWidth::n_elements) as u32;
        let subject = match n {
            1 if ty == ScalarType::F16x2 => "a single `.f16x2`",
            1 => return,
            _ => "a vector",
        };
        let start = match n {
            1 => declaration.type_span,
            _ => declaration.vector_span,
        };
        let place = start.to(declaration.type_span);
        let bytes = n * ty.width_bytes();
        // Offer the fix only for a declaration with one name and without an explicit alignment.
        let alone = declaration.alignment.is_none() && declaration.declarators.len() == 1;
        let name = alone.then_some(declarator.name_span);
        self.report(diagnose::parameter_type(place, subject, bytes, name));
    }
}
