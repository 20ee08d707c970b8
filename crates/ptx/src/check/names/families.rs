//! Families in the scopes of one body: `x<3>` is a name of its own beside `x`, `x0` and `x3`, and a scope has it once
//! (assembler 13.5). In: families in the order of the text; out: the place of the first one of a name.

use crate::check::names::name_map::NameMap;
use crate::tree::name::Name;
use warpgrid_program::Span;

/// The families of the scopes that are open.
#[derive(Debug, Default)]
pub(crate) struct Families {
    names: NameMap<Family>,
    /// What each name stood for before, in the order of declarations.
    undo: Vec<(Name, Family)>,
}

/// Where a family is declared.
#[derive(Clone, Copy, Debug)]
struct Family {
    span: Span,
    /// Of the scope that declares it; 0 where none does.
    depth: u32,
}

impl Families {
    /// Declares a family in the scope at `depth`. When this very scope has it already, its place comes back and nothing
    /// changes.
    pub(crate) fn declare(&mut self, name: Name, depth: u32, span: Span) -> Result<(), Span> {
        let none = Family {
            span: Span::at(0),
            depth: 0,
        };
        let family = self.names.get_or_insert(name, none);
        if family.depth == depth {
            return Err(family.span);
        }
        self.undo.push((name, *family));
        *family = Family { span, depth };
        Ok(())
    }

    /// Forgets the families of all scopes deeper than `depth`.
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
