//! Converts declarators to variables of any state space, with size and alignment.

use crate::check::declare::declarations::Declarations;
use crate::diagnostics::check as diagnose;
use crate::tree::declaration::{Declaration, DeclarationSpace, Declarator, DeclaredType};
use warpgrid_isa::{ScalarType, StateSpace};
use warpgrid_program::Variable;

impl Declarations<'_, '_> {
    /// Returns the variable of a declarator without its initial values. `param` is the state space that `.param` denotes in this scope.
    pub(crate) fn variable(
        &mut self,
        declaration: &Declaration,
        declarator: &Declarator,
        param: StateSpace,
    ) -> Option<Variable> {
        let space = match declaration.space {
            DeclarationSpace::Const => StateSpace::Const,
            // A `.tex` variable of PTX 1.4 is a handle, like `.texref`.
            DeclarationSpace::Global | DeclarationSpace::Tex => StateSpace::Global,
            DeclarationSpace::Local => StateSpace::Local,
            DeclarationSpace::Shared => StateSpace::Shared,
            DeclarationSpace::Param => param,
            DeclarationSpace::Reg => return None,
        };
        let ty = match declaration.scalar {
            DeclaredType::Scalar(_) if declaration.space == DeclarationSpace::Tex => {
                ScalarType::B64
            }
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
        let name = declarator.name;
        Some(Variable {
            name: name.map(|n| self.context.name_text(n)).unwrap_or_default(),
            space,
            ty,
            size_bytes,
            align_bytes: u32::try_from(align).unwrap_or(0).max(element_bytes.max(1)),
            dynamic,
            has_linkage: declaration.linkage.is_some(),
            init: Vec::new(),
            relocations: Vec::new(),
            span: declarator.span,
        })
    }

    /// Returns the size of a variable in bytes, and whether the launch determines this size. Returns `None` if the size exceeds the
    /// maximum.
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
            // An array `[]` with an initializer has as many elements as the initializer has values at its top level.
            let n_top = self.top_values(declarator);
            size = size.checked_mul(n_top)?;
        }
        Some((size, false))
    }
}

/// Maximum size of a variable: 2^40 bytes.
const MAX_BYTES: u64 = 1 << 40;
