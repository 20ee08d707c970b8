//! Names in the scopes of one body: what a stem and its number stand for at this place of the text.
//!
//! The parser has split every name into an interned stem and a number, so that a lookup is one vector index. Scopes
//! nest by braces; leaving one undoes what it bound. What no scope has, the module may have declared before the body.

use crate::check::names::binding::{Binding, Group};
use crate::check::names::families::Families;
use crate::check::names::module_names::ModuleNames;
use crate::check::names::table::{Entry, FREE, Table};
use crate::tree::Tree;
use crate::tree::name::{Name, Symbol};
use warpgrid_isa::ScalarType;
use warpgrid_program::Span;

/// The names in scope.
#[derive(Debug)]
pub(crate) struct Scopes<'d> {
    module: &'d ModuleNames,
    /// Where the body starts: names of the module are known that are declared before it.
    at: u32,
    table: Table,
    groups: Vec<Group>,
    families: Families,
    undo: Vec<(Name, Entry)>,
    /// For each open scope: how long `undo` and `groups` were before it.
    scopes: Vec<(usize, usize)>,
}

impl<'d> Scopes<'d> {
    /// No scope is open. `n_bytes` is the size of the text, which bounds the memory.
    pub(crate) fn new(module: &'d ModuleNames, tree: &Tree, n_bytes: usize) -> Scopes<'d> {
        Scopes {
            module,
            at: 0,
            table: Table::new(tree.symbols.len(), n_bytes),
            groups: Vec::new(),
            families: Families::default(),
            undo: Vec::new(),
            scopes: Vec::new(),
        }
    }

    /// The scopes of another body, which starts at byte `at`: nothing of this one is left but its room.
    pub(crate) fn renew(mut self, at: u32) -> Scopes<'d> {
        while self.depth() > 0 {
            self.close();
        }
        self.at = at;
        self
    }

    /// From here on the names are known that the module declares before byte `at`: those of functions that a body declares.
    pub(crate) fn reach(&mut self, at: u32) {
        self.at = self.at.max(at);
    }

    /// What the name means.
    #[inline]
    pub(crate) fn get(&self, name: Name) -> Binding {
        match self.bound(name) {
            Some(binding) => binding,
            None => self.get_hidden(name),
        }
    }

    /// What the name means, if it is what nearly every name is: a member of the innermost group that was named
    /// before, or a plain name where there is no group.
    #[inline]
    pub(crate) fn bound(&self, name: Name) -> Option<Binding> {
        let stem = self.table.stem(name.stem)?;
        let entry = match name.number() {
            Some(number) => stem.numbered.get(number as usize)?,
            None => &stem.plain,
        };
        let is_bound = entry.binding != Binding::None && entry.depth >= stem.group_depth;
        is_bound.then_some(entry.binding)
    }

    /// The group that makes this name, where that is plain: nothing has the name yet, and no group hides another.
    #[inline]
    pub(crate) fn only_group(&self, name: Name) -> Option<Group> {
        let stem = self.table.stem(name.stem)?;
        let number = name.number()?;
        let free = stem.numbered.get(number as usize)?.binding == Binding::None;
        let [group] = stem.groups.as_slice() else {
            return None;
        };
        let group = self.groups.get(*group as usize)?;
        (free && !stem.has_sparse && number < group.count).then_some(*group)
    }

    /// Binds a name that [`Scopes::only_group`] gave a group for.
    #[inline]
    pub(crate) fn bind_only_member(&mut self, name: Name, binding: Binding, group: Group) {
        let stem = self.table.stem_mut(name.stem);
        if let Some(place) = stem.and_then(|stem| stem.numbered.get_mut(name.number as usize)) {
            *place = Entry {
                binding,
                depth: group.depth,
                span: group.span,
            };
        }
    }

    /// A name that is not bound itself, or that a group of an inner scope hides, or that the module declares.
    #[cold]
    fn get_hidden(&self, name: Name) -> Binding {
        let (entry, hidden) = self.visible(name);
        match hidden {
            Some(group) => Binding::Group(group),
            None if entry.binding == Binding::None => {
                let stamp = self.module.get(name, self.at);
                stamp.map_or(Binding::None, |stamp| stamp.binding)
            }
            None => entry.binding,
        }
    }

    /// Where the name was declared.
    pub(crate) fn span(&self, name: Name) -> Option<Span> {
        let (entry, hidden) = self.visible(name);
        match hidden {
            Some(group) => self.group(group).map(|group| group.span),
            None if entry.binding == Binding::None => {
                self.module.get(name, self.at).map(|stamp| stamp.span)
            }
            None => Some(entry.span),
        }
    }

    /// The entry of a name, and the group it belongs to instead, when the entry is free or of an outer scope.
    fn visible(&self, name: Name) -> (Entry, Option<u32>) {
        let entry = self.table.entry(name);
        let stem = self.table.stem(name.stem);
        let group_depth = stem.map_or(0, |stem| stem.group_depth);
        if entry.binding != Binding::None && entry.depth >= group_depth {
            return (entry, None);
        }
        let group = self.group_of(name).filter(|index| {
            let depth = self.group(*index).map_or(0, |g| g.depth);
            entry.binding == Binding::None || entry.depth < depth
        });
        (entry, group)
    }

    pub(crate) fn group(&self, index: u32) -> Option<Group> {
        self.groups.get(index as usize).copied()
    }

    /// Binds a name in the innermost scope. When this very scope has the name already, the place where it was
    /// declared comes back and nothing changes.
    pub(crate) fn declare(&mut self, name: Name, binding: Binding, span: Span) -> Result<(), Span> {
        if let Some(first) = self.clash(name) {
            return Err(first);
        }
        self.bind(name, binding, span);
        Ok(())
    }

    /// Where the innermost scope declares a name.
    pub(crate) fn clash(&self, name: Name) -> Option<Span> {
        let depth = self.scopes.len() as u32;
        let old = self.table.entry(name);
        if old.binding != Binding::None && old.depth == depth {
            return Some(old.span);
        }
        self.group_clash(name)
    }

    /// Where the innermost scope declares a group that has this name.
    pub(crate) fn group_clash(&self, name: Name) -> Option<Span> {
        let group = self.group(self.group_of(name)?)?;
        (group.depth == self.scopes.len() as u32).then_some(group.span)
    }

    /// Binds a name, whatever it stood for before.
    pub(crate) fn bind(&mut self, name: Name, binding: Binding, span: Span) {
        let depth = self.scopes.len() as u32;
        let entry = Entry {
            binding,
            depth,
            span,
        };
        let old = self.table.put(name, entry);
        self.undo.push((name, old));
    }

    /// Binds a register of a group that is named for the first time. It belongs to the scope of the group, which may
    /// lie outside of the innermost one.
    pub(crate) fn bind_member(&mut self, name: Name, binding: Binding, group: Group) {
        let entry = Entry {
            binding,
            depth: group.depth,
            span: group.span,
        };
        let old = self.table.put(name, entry);
        // A member that takes a free place goes with its group.
        let stem = self.table.stem(name.stem);
        let is_sparse = stem.is_none_or(|stem| stem.has_sparse);
        if old.binding != Binding::None || is_sparse {
            self.undo.push((name, old));
        }
    }

    /// Binds a name in all of the body, outside of its scopes.
    pub(crate) fn bind_outside(&mut self, name: Name, binding: Binding) {
        let old = self.table.put(name, Entry { binding, ..FREE });
        self.undo.push((name, old));
    }

    /// Declares a family under the name before its `<`, in the innermost scope.
    pub(crate) fn declare_family(&mut self, name: Name, span: Span) -> Result<(), Span> {
        self.families.declare(name, self.scopes.len() as u32, span)
    }

    /// Declares the registers `stem<count>` in the innermost scope.
    pub(crate) fn declare_group(
        &mut self,
        stem: Symbol,
        count: u32,
        ty: ScalarType,
        n: u8,
        span: Span,
    ) -> Result<(), Span> {
        let depth = self.scopes.len() as u32;
        let index = self.groups.len() as u32;
        let Some(entry) = self.table.stem_mut(stem) else {
            return Ok(());
        };
        let is_place = |binding| matches!(binding, Binding::Label(_) | Binding::Table(_));
        let is_own = |member: &&Entry| {
            member.binding != Binding::None && member.depth == depth && !is_place(member.binding)
        };
        let members = entry
            .numbered
            .get(..entry.numbered.len().min(count as usize));
        // Where the first name of the group is there already, the assembler (13.5) looks at no other.
        let own = match members.unwrap_or(&[]) {
            [first, ..] if is_own(&first) => None,
            members => members.iter().find(is_own),
        };
        if let Some(member) = own {
            return Err(member.span);
        }
        entry.groups.push(index);
        entry.group_depth = depth;
        self.table.reserve(stem, count as usize);
        self.groups.push(Group {
            stem,
            count,
            ty,
            n,
            span,
            depth,
        });
        Ok(())
    }

    /// How many scopes are open.
    pub(crate) fn depth(&self) -> usize {
        self.scopes.len()
    }

    /// Opens a scope.
    pub(crate) fn open(&mut self) {
        self.scopes.push((self.undo.len(), self.groups.len()));
    }

    /// Closes the innermost scope.
    pub(crate) fn close(&mut self) {
        let Some((n_undo, n_groups)) = self.scopes.pop() else {
            return;
        };
        let depth = self.scopes.len() as u32;
        self.families.close(depth);
        let mut outlive = Vec::new();
        while self.undo.len() > n_undo {
            let Some((name, before)) = self.undo.pop() else {
                break;
            };
            let now = self.table.entry(name);
            if depth > 0 && now.binding != Binding::None && now.depth <= depth {
                outlive.push((name, before));
            } else {
                self.table.put(name, before);
            }
        }
        self.undo.append(&mut outlive);
        while self.groups.len() > n_groups {
            if let Some(group) = self.groups.pop() {
                self.forget(group);
            }
        }
    }

    /// Frees the members of a group that has just left the list.
    fn forget(&mut self, group: Group) {
        let Some(stem) = self.table.stem_mut(group.stem) else {
            return;
        };
        stem.groups.pop();
        let members = stem.numbered.iter_mut().take(group.count as usize);
        for member in members.filter(|member| member.depth == group.depth) {
            *member = FREE;
        }
        let outer = stem.groups.last();
        let outer = outer.and_then(|g| self.groups.get(*g as usize));
        stem.group_depth = outer.map_or(0, |g| g.depth);
    }

    /// Every name that means something; groups only where a register of them is named.
    pub(crate) fn in_scope(&self) -> impl Iterator<Item = Name> + '_ {
        self.table.bound_names().chain(self.module.before(self.at))
    }

    fn group_of(&self, name: Name) -> Option<u32> {
        let number = name.number()?;
        let stem = self.table.stem(name.stem)?;
        let fits = |g: &&u32| {
            self.groups
                .get(**g as usize)
                .is_some_and(|g| number < g.count)
        };
        stem.groups.iter().rev().find(fits).copied()
    }
}
