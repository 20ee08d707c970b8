//! Scopes of one body: determine the binding of a name at the current position.
//!
//! The parser has split every name into an interned stem and a number, so that a lookup is one vector index. Braces nest scopes, and an
//! undo log restores the bindings when a scope is closed. A name that no scope declares may be declared by the module before the body.

use crate::check::names::binding::{Binding, RegisterGroup};
use crate::check::names::module_names::ModuleNames;
use crate::check::names::parameterized_names::ParameterizedNames;
use crate::check::names::table::{BindingEntry, BindingTable, FREE};
use crate::tree::Tree;
use crate::tree::name::{Name, Symbol};
use warpgrid_isa::ScalarType;
use warpgrid_program::Span;

/// Names that are in scope at the current position of a body.
#[derive(Debug)]
pub(crate) struct Scopes<'d> {
    module: &'d ModuleNames,
    /// Start offset of the body. Module-scope names that are declared before this offset are visible.
    at: u32,
    table: BindingTable,
    groups: Vec<RegisterGroup>,
    families: ParameterizedNames,
    undo: Vec<(Name, BindingEntry)>,
    /// Lengths of `undo` and `groups` at the start of each open scope.
    scopes: Vec<(usize, usize)>,
}

impl<'d> Scopes<'d> {
    /// Creates an empty state without open scopes. `n_bytes` is the size of the source in bytes, which bounds the memory consumption.
    pub(crate) fn new(module: &'d ModuleNames, tree: &Tree, n_bytes: usize) -> Scopes<'d> {
        Scopes {
            module,
            at: 0,
            table: BindingTable::new(tree.symbols.len(), n_bytes),
            groups: Vec::new(),
            families: ParameterizedNames::default(),
            undo: Vec::new(),
            scopes: Vec::new(),
        }
    }

    /// Resets the scopes for another body that starts at byte `at`, and keeps the allocated memory.
    pub(crate) fn renew(mut self, at: u32) -> Scopes<'d> {
        while self.depth() > 0 {
            self.close();
        }
        self.at = at;
        self
    }

    /// Makes the module-scope names that are declared before byte `at` visible, such as functions that the body declares.
    pub(crate) fn reach(&mut self, at: u32) {
        self.at = self.at.max(at);
    }

    /// Returns the binding of a name at the current position.
    #[inline]
    pub(crate) fn get(&self, name: Name) -> Binding {
        match self.bound(name) {
            Some(binding) => binding,
            None => self.get_hidden(name),
        }
    }

    /// Fast path for nearly all names: returns the binding of a name that no group hides, because the name is not a member of a group, or
    /// is a previously used member of the innermost group.
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

    /// Fast path: returns the register group that declares `name` if the name is unbound and exactly one group has its stem.
    #[inline]
    pub(crate) fn unique_group(&self, name: Name) -> Option<RegisterGroup> {
        let stem = self.table.stem(name.stem)?;
        let number = name.number()?;
        let free = stem.numbered.get(number as usize)?.binding == Binding::None;
        let [group] = stem.groups.as_slice() else {
            return None;
        };
        let group = self.groups.get(*group as usize)?;
        (free && !stem.has_sparse && number < group.count).then_some(*group)
    }

    /// Binds a name for which [`Scopes::unique_group`] has returned a group.
    #[inline]
    pub(crate) fn bind_only_member(&mut self, name: Name, binding: Binding, group: RegisterGroup) {
        let stem = self.table.stem_mut(name.stem);
        if let Some(place) = stem.and_then(|stem| stem.numbered.get_mut(name.number as usize)) {
            *place = BindingEntry {
                binding,
                depth: group.depth,
                span: group.span,
            };
        }
    }

    /// Slow path: returns the binding of an unbound name, of a name that a group of an inner scope hides, or of a module-scope name.
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

    /// Returns the span of the declaration of a name.
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

    /// Returns the binding entry of a name. If the entry is free or belongs to an outer scope, also returns the index of a register group
    /// of an inner scope that declares the name.
    fn visible(&self, name: Name) -> (BindingEntry, Option<u32>) {
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

    pub(crate) fn group(&self, index: u32) -> Option<RegisterGroup> {
        self.groups.get(index as usize).copied()
    }

    /// Declares a name in the innermost scope. If the same scope already declares the name, returns the span of that declaration
    /// and changes nothing.
    pub(crate) fn declare(&mut self, name: Name, binding: Binding, span: Span) -> Result<(), Span> {
        if let Some(first) = self.clash(name) {
            return Err(first);
        }
        self.bind(name, binding, span);
        Ok(())
    }

    /// Returns the span of the declaration of a name in the innermost scope.
    pub(crate) fn clash(&self, name: Name) -> Option<Span> {
        let depth = self.scopes.len() as u32;
        let old = self.table.entry(name);
        if old.binding != Binding::None && old.depth == depth {
            return Some(old.span);
        }
        self.group_clash(name)
    }

    /// Returns the span of the register group in the innermost scope that declares this name.
    pub(crate) fn group_clash(&self, name: Name) -> Option<Span> {
        let group = self.group(self.group_of(name)?)?;
        (group.depth == self.scopes.len() as u32).then_some(group.span)
    }

    /// Binds a name in the innermost scope, and replaces its previous binding.
    pub(crate) fn bind(&mut self, name: Name, binding: Binding, span: Span) {
        let depth = self.scopes.len() as u32;
        let entry = BindingEntry {
            binding,
            depth,
            span,
        };
        let old = self.table.put(name, entry);
        self.undo.push((name, old));
    }

    /// Binds a name to a register of a group at the first occurrence of the name. The register belongs to the scope of the group, which may
    /// be an outer scope.
    pub(crate) fn bind_member(&mut self, name: Name, binding: Binding, group: RegisterGroup) {
        let entry = BindingEntry {
            binding,
            depth: group.depth,
            span: group.span,
        };
        let old = self.table.put(name, entry);
        // Record no undo entry for a previously free name, because closing the scope of the group frees all members of the group.
        let stem = self.table.stem(name.stem);
        let is_sparse = stem.is_none_or(|stem| stem.has_sparse);
        if old.binding != Binding::None || is_sparse {
            self.undo.push((name, old));
        }
    }

    /// Binds a name in the whole body, independently of the open scopes.
    pub(crate) fn bind_outside(&mut self, name: Name, binding: Binding) {
        let old = self.table.put(name, BindingEntry { binding, ..FREE });
        self.undo.push((name, old));
    }

    /// Declares the name of a register group (the name before `<`) in the innermost scope.
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
        let is_own = |member: &&BindingEntry| {
            member.binding != Binding::None && member.depth == depth && !is_place(member.binding)
        };
        let members = entry
            .numbered
            .get(..entry.numbered.len().min(count as usize));
        // If the first name of the group is already declared in this scope, assembler 13.5 does not check the other names of the group.
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
        self.groups.push(RegisterGroup {
            stem,
            count,
            ty,
            n,
            span,
            depth,
        });
        Ok(())
    }

    /// Returns the number of open scopes.
    pub(crate) fn depth(&self) -> usize {
        self.scopes.len()
    }

    /// Opens a scope inside the innermost scope.
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

    /// Unbinds the names of the members of a group that has been removed from the list of groups.
    fn forget(&mut self, group: RegisterGroup) {
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

    /// Returns all names that are bound at the current position. The result contains a member of a group only if the member occurs in the
    /// body.
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
