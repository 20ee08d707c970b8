//! Names in scope: what a stem and its number stand for at this place of the text.
//!
//! The parser has split every name into an interned stem and a number, so that a lookup is one vector index. Scopes
//! nest by braces; leaving one undoes what it bound.

use crate::check::names::name_map::NameMap;
use crate::tree::{Name, Symbol};
use warpgrid_isa::{ScalarType, SpecialRegister};
use warpgrid_program::{FunctionId, RegisterId, Span, VariableId};

/// What a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binding {
    /// Nothing.
    None,
    Register(RegisterId),
    /// A vector register: `n` registers from this one on.
    Vector {
        first: RegisterId,
        n: u8,
    },
    /// Index of a group such as `%r<100>`: the register is made when it is first named.
    Group(u32),
    Special(SpecialRegister),
    Variable(VariableId),
    Function(FunctionId),
    /// Index into the labels of the function.
    Label(u32),
    /// A `.callprototype`, `.calltargets` or `.branchtargets`: index of the directive.
    Table(u32),
}

impl Binding {
    /// As a sentence calls it.
    pub(crate) const fn describe(self) -> &'static str {
        match self {
            Binding::None => "nothing",
            Binding::Register(_) | Binding::Group(_) => "a register",
            Binding::Vector { .. } => "a vector register",
            Binding::Special(_) => "a special register",
            Binding::Variable(_) => "a variable",
            Binding::Function(_) => "a function",
            Binding::Label(_) | Binding::Table(_) => "a label",
        }
    }
}

/// `%r<100>`
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub(crate) stem: Symbol,
    pub(crate) count: u32,
    pub(crate) ty: ScalarType,
    /// Components of each register; 1 for a scalar.
    pub(crate) n: u8,
    pub(crate) span: Span,
    depth: u32,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    binding: Binding,
    depth: u32,
    span: Span,
}

const FREE: Entry = Entry {
    binding: Binding::None,
    depth: 0,
    span: Span::at(0),
};

#[derive(Clone, Debug)]
struct Stem {
    plain: Entry,
    numbered: Vec<Entry>,
    groups: Vec<u32>,
    /// Scope depth of the innermost group; entries of outer scopes may be hidden by it.
    group_depth: u32,
    /// Whether some numbers are kept in the sparse map.
    has_sparse: bool,
}

/// The names in scope.
#[derive(Debug)]
pub(crate) struct Names {
    stems: Vec<Stem>,
    /// Entries with numbers too large for a vector.
    sparse: NameMap<Entry>,
    groups: Vec<Group>,
    undo: Vec<(Name, Entry)>,
    /// For each open scope: how long `undo` and `groups` were before it.
    scopes: Vec<(usize, usize)>,
    /// How many vector entries may still be made; keeps memory in proportion to the text.
    budget: usize,
}

impl Names {
    pub(crate) fn new(n_stems: usize, n_bytes: usize) -> Names {
        let stem = Stem {
            plain: FREE,
            numbered: Vec::new(),
            groups: Vec::new(),
            group_depth: 0,
            has_sparse: false,
        };
        Names {
            stems: vec![stem; n_stems],
            sparse: NameMap::default(),
            groups: Vec::new(),
            undo: Vec::new(),
            scopes: Vec::new(),
            budget: n_bytes / 2,
        }
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
        let stem = self.stems.get(name.stem.0 as usize)?;
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
        let stem = self.stems.get(name.stem.0 as usize)?;
        let number = name.number()?;
        let free = stem.numbered.get(number as usize)?.binding == Binding::None;
        let [group] = stem.groups.as_slice() else {
            return None;
        };
        let group = self.groups.get(*group as usize)?;
        (free && !stem.has_sparse && number < group.count).then_some(*group)
    }

    /// Binds a name that [`Names::only_group`] gave a group for.
    #[inline]
    pub(crate) fn bind_only_member(&mut self, name: Name, binding: Binding, group: Group) {
        let stem = self.stems.get_mut(name.stem.0 as usize);
        if let Some(place) = stem.and_then(|stem| stem.numbered.get_mut(name.number as usize)) {
            *place = Entry {
                binding,
                depth: group.depth,
                span: group.span,
            };
        }
    }

    /// A name that is not bound itself, or that a group of an inner scope hides.
    #[cold]
    fn get_hidden(&self, name: Name) -> Binding {
        let (entry, hidden) = self.visible(name);
        match hidden {
            Some(group) => Binding::Group(group),
            None => entry.binding,
        }
    }

    /// Where the name was declared.
    pub(crate) fn span(&self, name: Name) -> Option<Span> {
        let (entry, hidden) = self.visible(name);
        match hidden {
            Some(group) => self.group(group).map(|group| group.span),
            None => (entry.binding != Binding::None).then_some(entry.span),
        }
    }

    /// The entry of a name, and the group it belongs to instead, when the entry is free or of an outer scope.
    fn visible(&self, name: Name) -> (Entry, Option<u32>) {
        let entry = self.entry(name);
        let group_depth = self
            .stems
            .get(name.stem.0 as usize)
            .map_or(0, |s| s.group_depth);
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
        let depth = self.scopes.len() as u32;
        let old = self.entry(name);
        if old.binding != Binding::None && old.depth == depth {
            return Err(old.span);
        }
        if let Some(first) = self.group_clash(name) {
            return Err(first);
        }
        self.bind(name, binding, span);
        Ok(())
    }

    /// Where the innermost scope declares a group that has this name.
    pub(crate) fn group_clash(&self, name: Name) -> Option<Span> {
        let group = self.group(self.group_of(name)?)?;
        (group.depth == self.scopes.len() as u32).then_some(group.span)
    }

    /// Binds a name, whatever it stood for before.
    pub(crate) fn bind(&mut self, name: Name, binding: Binding, span: Span) {
        let depth = self.scopes.len() as u32;
        let old = self.put(
            name,
            Entry {
                binding,
                depth,
                span,
            },
        );
        if !self.scopes.is_empty() {
            self.undo.push((name, old));
        }
    }

    /// Binds a register of a group that is named for the first time. It belongs to the scope of the group, which may
    /// lie outside of the innermost one.
    pub(crate) fn bind_member(&mut self, name: Name, binding: Binding, group: Group) {
        let entry = Entry {
            binding,
            depth: group.depth,
            span: group.span,
        };
        let old = self.put(name, entry);
        // A member that takes a free place goes with its group.
        let goes_with_group = old.binding == Binding::None && !self.is_sparse(name);
        if !self.scopes.is_empty() && !goes_with_group {
            self.undo.push((name, old));
        }
    }

    fn is_sparse(&self, name: Name) -> bool {
        let stem = self.stems.get(name.stem.0 as usize);
        stem.is_none_or(|stem| stem.has_sparse)
    }

    /// Binds a name of the machine: it outlives every scope.
    pub(crate) fn bind_forever(&mut self, name: Name, binding: Binding) {
        self.put(name, Entry { binding, ..FREE });
    }

    /// Declares `stem<count>` in the innermost scope.
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
        let Some(entry) = self.stems.get_mut(stem.0 as usize) else {
            return Ok(());
        };
        let clash = entry.groups.iter().rev().find_map(|g| {
            let group = self.groups.get(*g as usize)?;
            (group.depth == depth).then_some(group.span)
        });
        if let Some(span) = clash {
            return Err(span);
        }
        entry.groups.push(index);
        entry.group_depth = depth;
        let room = (count as usize).min(self.budget);
        let more = room.saturating_sub(entry.numbered.capacity());
        self.budget -= more;
        entry
            .numbered
            .reserve_exact(room.saturating_sub(entry.numbered.len()));
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
        let mut outlive = Vec::new();
        while self.undo.len() > n_undo {
            let Some((name, before)) = self.undo.pop() else {
                break;
            };
            let now = self.entry(name);
            if now.binding != Binding::None && now.depth <= depth {
                outlive.push((name, before));
            } else {
                self.put(name, before);
            }
        }
        if depth > 0 {
            self.undo.append(&mut outlive);
        }
        while self.groups.len() > n_groups {
            if let Some(group) = self.groups.pop()
                && let Some(stem) = self.stems.get_mut(group.stem.0 as usize)
            {
                stem.groups.pop();
                let members = stem.numbered.iter_mut().take(group.count as usize);
                for member in members.filter(|member| member.depth == group.depth) {
                    *member = FREE;
                }
                let outer = stem
                    .groups
                    .last()
                    .and_then(|g| self.groups.get(*g as usize));
                stem.group_depth = outer.map_or(0, |g| g.depth);
            }
        }
    }

    /// Every name that means something, with a stem index; in stem order. Groups give their stem only.
    pub(crate) fn in_scope(&self) -> impl Iterator<Item = Name> + '_ {
        self.stems.iter().enumerate().flat_map(|(index, stem)| {
            let stem_of = Symbol(index as u32);
            let plain = (stem.plain.binding != Binding::None).then_some(Name::NO_NUMBER);
            let numbered = stem.numbered.iter().enumerate();
            let numbers = numbered
                .filter(|(_, e)| e.binding != Binding::None)
                .map(|(n, _)| n as u32);
            plain.into_iter().chain(numbers).map(move |number| Name {
                stem: stem_of,
                number,
            })
        })
    }

    fn group_of(&self, name: Name) -> Option<u32> {
        let number = name.number()?;
        let stem = self.stems.get(name.stem.0 as usize)?;
        let fits = |g: &&u32| {
            self.groups
                .get(**g as usize)
                .is_some_and(|g| number < g.count)
        };
        stem.groups.iter().rev().find(fits).copied()
    }

    #[inline]
    fn entry(&self, name: Name) -> Entry {
        let Some(stem) = self.stems.get(name.stem.0 as usize) else {
            return FREE;
        };
        if name.number == Name::NO_NUMBER {
            return stem.plain;
        }
        match stem.numbered.get(name.number as usize) {
            Some(entry) if entry.binding != Binding::None || !stem.has_sparse => *entry,
            None if !stem.has_sparse => FREE,
            _ => self.sparse.get(name).copied().unwrap_or(FREE),
        }
    }

    /// Sets an entry; returns the one it replaces.
    fn put(&mut self, name: Name, entry: Entry) -> Entry {
        let Some(stem) = self.stems.get_mut(name.stem.0 as usize) else {
            return FREE;
        };
        if name.number == Name::NO_NUMBER {
            return std::mem::replace(&mut stem.plain, entry);
        }
        let number = name.number as usize;
        if stem.has_sparse && self.sparse.get(name).is_some() {
            return std::mem::replace(self.sparse.get_or_insert(name, FREE), entry);
        }
        if number >= stem.numbered.len() {
            // Reserved for a group, or close to what is there.
            let reserved = number < stem.numbered.capacity();
            let more = (number + 1).saturating_sub(stem.numbered.capacity());
            let near = number <= 2 * stem.numbered.len() + 8 && more <= self.budget;
            if !reserved && !near {
                stem.has_sparse = true;
                return std::mem::replace(self.sparse.get_or_insert(name, FREE), entry);
            }
            self.budget -= more.min(self.budget);
            if stem.numbered.capacity() == 0 {
                stem.numbered.reserve_exact((number + 1).max(8));
            }
            stem.numbered.resize(number + 1, FREE);
        }
        match stem.numbered.get_mut(number) {
            Some(place) => std::mem::replace(place, entry),
            None => FREE,
        }
    }
}
