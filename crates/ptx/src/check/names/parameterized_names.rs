//! Names of register groups in the scopes of one body: `x<3>` declares a name that is distinct from `x`, `x0` and `x3`, and that
//! is unique within a scope (assembler 13.5).

use crate::check::names::name_map::NameMap;
use crate::tree::name::Name;
use warpgrid_program::Span;

/// Names of the register groups in the open scopes of a body, with an undo log for closing scopes.
#[derive(Debug, Default)]
pub(crate) struct ParameterizedNames {
    names: NameMap<ParameterizedName>,
    /// Previous declaration of each redeclared name, in the order of declarations. Closing a scope restores these declarations.
    undo: Vec<(Name, ParameterizedName)>,
}

/// Declaration of a group name.
#[derive(Clone, Copy, Debug)]
struct ParameterizedName {
    span: Span,
    /// Nesting depth of the declaring scope, or 0 for an undeclared name.
    depth: u32,
}

impl ParameterizedNames {
    /// Declares a group name in the scope at `depth`. If the same scope already declares the name, returns the span of that
    /// declaration and changes nothing.
    pub(crate) fn declare(&mut self, name: Name, depth: u32, span: Span) -> Result<(), Span> {
        let none = ParameterizedName {
            span: Span::at(0),
            depth: 0,
        };
        let family = self.names.get_or_insert(name, none);
        if family.depth == depth {
            return Err(family.span);
        }
        self.undo.push((name, *family));
        *family = ParameterizedName { span, depth };
        Ok(())
    }

    /// Removes the group names of all scopes deeper than `depth`.
    pub(crate) fn close(&mut self, depth: u32) {
        while let Some((name, before)) = self.undo.pop() {
            let family = self.names.get_or_insert(name, before);
            if family.depth <= depth {
                self.undo.push((name, before));
                return;
            }
            *family = before;
        }
    }
}
