//! Declarations: registers, groups of registers, and variables of every space.

use crate::check::Checker;
use crate::check::declare::declarations::Place;
use crate::check::names::scopes::Binding;
use crate::diagnostics::check as diagnose;
use crate::tree::{Declaration, DeclarationSpace, Declarator, DeclaredType, Linkage, Name};
use warpgrid_isa::{ScalarType, StateSpace};
use warpgrid_program::{Span, Variable, VariableId};

impl<'a> Checker<'a> {
    /// A declaration statement.
    pub(crate) fn declaration(&mut self, index: u32) {
        let tree = self.tree;
        let Some(declaration) = tree.declarations.get(index as usize) else {
            return;
        };
        let place = match self.body.function {
            Some(_) => Place::Body,
            None => Place::Module,
        };
        self.is_sound = self.check_declaration(declaration, place);
        for declarator in tree.declarators_of(declaration) {
            match declaration.space {
                DeclarationSpace::Reg => self.declare_register(declaration, declarator),
                _ => self.declare_variable(declaration, declarator),
            }
        }
    }

    fn declare_register(&mut self, declaration: &Declaration, declarator: &Declarator) {
        let (Some(name), DeclaredType::Scalar(ty)) = (declarator.name, declaration.scalar) else {
            return;
        };
        let n = declaration.vector.map_or(1, |v| v.n_elements()) as u8;
        let span = declarator.name_span;
        let mut clash = self.declare_register_as(name, declarator.count, (ty, n), span);
        if clash.is_err() && self.reopen_snippet() {
            clash = self.declare_register_as(name, declarator.count, (ty, n), span);
        }
        if let Err(first) = clash {
            let text = span.text(self.source);
            self.report(diagnose::duplicate(text, span, first));
        }
    }

    fn declare_register_as(
        &mut self,
        name: Name,
        count: Option<u32>,
        (ty, n): (ScalarType, u8),
        span: Span,
    ) -> Result<(), Span> {
        match count {
            Some(count) => self.declare_registers(name, count, ty, n, span),
            None => {
                // `x<4>` declares `x03` too; the group must come first for that (assembler 13.5).
                let same = self.without_zeros(name);
                if let Some(first) = same.and_then(|name| self.names.group_clash(name)) {
                    return Err(first);
                }
                let text = self.name_text(name);
                let binding = self.add_register(&text, ty, n);
                self.names.declare(name, binding, span)
            }
        }
    }

    /// `name<count>`. When the name ends in a number, that number belongs to the stem of the group (`%r1<3>` declares
    /// `%r10` to `%r12`), and few are written so: each register is declared on its own.
    fn declare_registers(
        &mut self,
        name: Name,
        count: u32,
        ty: ScalarType,
        n: u8,
        span: Span,
    ) -> Result<(), Span> {
        if name.number().is_none() {
            return self.names.declare_group(name.stem, count, ty, n, span);
        }
        let stem = self.name_text(name);
        for number in 0..count.min(MAX_SINGLE) {
            let text = format!("{stem}{number}");
            if let Some(name) = self.tree.symbols.find_name(self.source, &text) {
                let binding = self.add_register(&text, ty, n);
                self.names.declare(name, binding, span)?;
            }
        }
        Ok(())
    }

    fn declare_variable(&mut self, declaration: &Declaration, declarator: &Declarator) {
        let Some(name) = declarator.name else {
            return;
        };
        let Some(variable) = self.variable(declaration, declarator, StateSpace::ParamFunc) else {
            return;
        };
        match declarator.count {
            None => self.place_variable(declaration, declarator, name, variable),
            Some(count) => self.declare_variables(declaration, declarator, (count, variable)),
        }
    }

    /// `name<count>` declares a variable for each number; those that the text never names are left out.
    fn declare_variables(
        &mut self,
        declaration: &Declaration,
        declarator: &Declarator,
        (count, variable): (u32, Variable),
    ) {
        let stem = variable.name.clone();
        for number in 0..count.min(MAX_SINGLE) {
            let text = format!("{stem}{number}");
            if let Some(name) = self.tree.symbols.find_name(self.source, &text) {
                let variable = Variable {
                    name: text,
                    ..variable.clone()
                };
                self.place_variable(declaration, declarator, name, variable);
            }
        }
    }

    fn place_variable(
        &mut self,
        declaration: &Declaration,
        declarator: &Declarator,
        name: Name,
        variable: Variable,
    ) {
        let in_module = self.body.function.is_none()
            || matches!(
                declaration.space,
                DeclarationSpace::Global | DeclarationSpace::Const
            );
        let span = declarator.name_span;
        if in_module && self.completes_extern(name, &variable, declaration) {
            return;
        }
        let id = match in_module {
            true => VariableId::Module(self.program.variables.len() as u32),
            false => VariableId::Function(self.body.variables.len() as u32),
        };
        if let Err(first) = self.names.declare(name, Binding::Variable(id), span) {
            let text = self.name_text(name);
            self.report(diagnose::duplicate(&text, span, first));
            return;
        }
        match in_module {
            true => self.program.variables.push(variable),
            false => self.body.variables.push(variable),
        }
    }

    /// An `.extern` variable may be declared again, and be defined later.
    fn completes_extern(
        &mut self,
        name: Name,
        variable: &Variable,
        declaration: &Declaration,
    ) -> bool {
        let Binding::Variable(VariableId::Module(index)) = self.names.get(name) else {
            return false;
        };
        let Some(known) = self.program.variables.get_mut(index as usize) else {
            return false;
        };
        if self.externs.binary_search(&index).is_err()
            && declaration.linkage != Some(Linkage::Extern)
        {
            return false;
        }
        if declaration.linkage != Some(Linkage::Extern) {
            *known = variable.clone();
        }
        true
    }

    /// The variable that a declarator describes; `param` is what `.param` means here.
    pub(crate) fn variable(
        &mut self,
        declaration: &Declaration,
        declarator: &Declarator,
        param: StateSpace,
    ) -> Option<Variable> {
        let space = match declaration.space {
            DeclarationSpace::Const => StateSpace::Const,
            DeclarationSpace::Global => StateSpace::Global,
            DeclarationSpace::Local => StateSpace::Local,
            DeclarationSpace::Shared => StateSpace::Shared,
            DeclarationSpace::Param => param,
            DeclarationSpace::Reg | DeclarationSpace::Tex => return None,
        };
        let ty = match declaration.scalar {
            DeclaredType::Scalar(ty) => ty,
            // References to textures and surfaces are opaque handles.
            DeclaredType::TexRef | DeclaredType::SamplerRef | DeclaredType::SurfRef => {
                ScalarType::B64
            }
            DeclaredType::Missing => return None,
        };
        let n_elements = declaration.vector.map_or(1, |v| v.n_elements()) as u32;
        let element_bytes = ty.width_bytes() * n_elements;
        let size = self.size(declarator, element_bytes);
        let Some((size_bytes, dynamic)) = size else {
            self.report(diagnose::variable_too_large(declarator.name_span));
            return None;
        };
        let align = declaration.alignment.map_or(0, |a| a.bytes);
        let mut variable = Variable {
            name: declarator
                .name
                .map(|n| self.name_text(n))
                .unwrap_or_default(),
            space,
            ty,
            size_bytes,
            align_bytes: u32::try_from(align).unwrap_or(0).max(element_bytes.max(1)),
            dynamic,
            init: Vec::new(),
            relocations: Vec::new(),
            span: declarator.span,
        };
        if self.is_sound {
            self.initialize(&mut variable, declarator, element_bytes);
        }
        if self.body.function.is_none() && declaration.linkage == Some(Linkage::Extern) {
            self.externs.push(self.program.variables.len() as u32);
        }
        Some(variable)
    }

    /// Size in bytes, and whether the launch gives it. `None` when it does not fit.
    fn size(&self, declarator: &Declarator, element_bytes: u32) -> Option<(u64, bool)> {
        let dimensions = self.tree.dimensions_of(declarator);
        let mut n: u64 = 1;
        let mut open = false;
        for dimension in dimensions {
            match dimension.size {
                Some(size) => n = n.checked_mul(size)?,
                None => open = true,
            }
        }
        let mut size = n.checked_mul(u64::from(element_bytes))?;
        if size > MAX_BYTES {
            return None;
        }
        let initialized = !declarator.initializer.is_empty();
        if open && !initialized {
            return Some((0, true));
        }
        if open {
            // `[]` with an initialiser: as many as there are values at the top.
            let n_top = self.top_values(declarator);
            size = size.checked_mul(n_top)?;
        }
        Some((size, false))
    }
}

/// The largest variable: 2^40 bytes.
const MAX_BYTES: u64 = 1 << 40;

/// The most registers of a group whose stem ends in a digit.
const MAX_SINGLE: u32 = 1 << 12;
