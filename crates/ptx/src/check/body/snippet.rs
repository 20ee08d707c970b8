//! Snippets: instructions without a surrounding module, as in manuals.
//!
//! The snippet becomes the body of a kernel. The checker declares undeclared names according to their uses, and initializes them with
//! values that differ between lanes: a register contains the lane index, and a pointer refers to a location of the lane in a buffer, a
//! shared array or a local array. One diagnostic lists all inferred declarations.

use crate::check::body::checker::BodyChecker;
use crate::check::body::inference::memory_use::memory_of;
use crate::check::body::inference::{InferredDeclaration, infer, register_type};
use crate::check::body::unit_initial_value::{InitialValue, n_threads};
use crate::check::names::binding::Binding;
use crate::diagnostics::check as diagnose;
use crate::tree::name::Name;
use crate::tree::{SourceKind, StatementKind};
use warpgrid_isa::{ScalarType, StateSpace};
use warpgrid_program::{Span, Variable, VariableId};

impl<'a> BodyChecker<'a, '_> {
    /// Opens the implicit kernel, and adds the inferred declarations.
    pub(crate) fn snippet_start(&mut self) {
        self.names.open();
        self.snippet.n_threads = n_threads(self.tree, self.plans);
        let (inferred, local_bytes) = infer(&self.context(), self.plans);
        let mut lines = Vec::new();
        if local_bytes > 0 {
            // The first variable in local memory has the address 0.
            self.inferred_variable("local", StateSpace::Local, local_bytes);
            lines.push(format!("`.local .b8 local[{local_bytes}];` (at address 0)"));
        }
        for (name, inferred) in inferred.iter() {
            self.declare_inferred(name, inferred, &mut lines);
        }
        // Open a separate scope for the declarations of the snippet, so that they hide the inferred declarations.
        self.names.open();
        self.snippet.depth = self.names.depth();
        self.declare_labels(0);
        let first = self.tree.statements.iter().find_map(|s| match s.kind {
            StatementKind::Instruction(_) => Some(s.span),
            _ => None,
        });
        if let (Some(span), false) = (first, lines.is_empty()) {
            self.report(diagnose::inferred(Span::at(span.start), &lines.join(" ")));
        }
    }

    /// Opens a scope for a repeated declaration if the current position is the top level of a snippet, and returns whether it has opened
    /// the scope. A separate scope is necessary because manuals combine several examples in one listing, which may declare the same name.
    pub(crate) fn reopen_snippet(&mut self) -> bool {
        let is_top =
            self.tree.kind == SourceKind::Snippet && self.names.depth() == self.snippet.depth;
        if is_top {
            self.names.open();
            self.snippet.depth += 1;
        }
        is_top
    }

    /// Declares one inferred name, and appends its declarations in PTX syntax to `lines`.
    fn declare_inferred(
        &mut self,
        name: Name,
        inferred: &InferredDeclaration,
        lines: &mut Vec<String>,
    ) {
        let text = self.context().name_text(name);
        let given = self.context().given_type(&text);
        let is_value = inferred.value.is_some() && !inferred.is_moving_pointer();
        if is_value {
            self.declare_value(name, inferred, lines);
        }
        if is_value && inferred.written {
            return;
        }
        let is_one_thing = !is_value && inferred.pointers.len() == 1;
        for (index, place) in inferred.pointers.iter().enumerate() {
            let memory = memory_of(place.space);
            // If the snippet uses a name as a pointer to several memories, create a separate pointer for each memory, such as `addr` and
            // `addr.global`.
            let (binding, line) = match index {
                0 => self.declare_pointer(&text, *place, given),
                _ => self.declare_pointer(&format!("{text}.{}", memory.name()), *place, given),
            };
            match given {
                // The source declares the type of the register, and only the memory is inferred.
                Some(_) => {
                    let (_, rest) = line.split_once("` ").unwrap_or(("", ""));
                    lines.push(format!("`{text}` {rest}"));
                }
                None => lines.push(line),
            }
            match is_one_thing {
                true => self.names.bind(name, binding, Span::at(0)),
                false => {
                    let places = self.snippet.pointers.get_or_insert(name, Vec::new());
                    places.push((memory, binding));
                }
            }
        }
    }

    /// Declares a name that the snippet uses as a value, and sets its initial value.
    fn declare_value(
        &mut self,
        name: Name,
        inferred: &InferredDeclaration,
        lines: &mut Vec<String>,
    ) {
        let Some((ty, n)) = inferred.value else {
            return;
        };
        let text = self.context().name_text(name);
        let given = self.context().given_type(&text);
        let (ty, n) = match (given, !inferred.pointers.is_empty() && inferred.written) {
            (Some(given), _) => (given, 1),
            (None, true) => (ScalarType::B64, n),
            (None, false) => (register_type(ty), n),
        };
        let binding = self.add_register(&text, ty, n);
        self.names.bind(name, binding, Span::at(0));
        let start = inferred.start.filter(|_| inferred.read_first);
        let external = self.context().external_value(&text);
        match (start, binding) {
            // The launch determines the initial value of the register.
            _ if inferred.read_first && self.context().is_stated(&text) => {}
            (_, Binding::Register(register))
                if inferred.read_first
                    && let Some(value) = external =>
            {
                self.start_of_unit(&text, register, InitialValue::Number(value.bits));
                let number = external_number(value.bits, ty);
                lines.push(format!("`{text}` = {number} (from `{}`)", value.text));
            }
            (Some(start), Binding::Register(register)) => {
                self.start_of_unit(&text, register, start);
            }
            _ if inferred.read_first => self.start_value(binding, ty, n),
            _ => {}
        }
        match n {
            // List no declaration, because the code around the snippet already declares the register.
            _ if given.is_some() => {}
            1 if let Some(what) = start.and_then(InitialValue::described) => {
                lines.push(format!("`.reg .{ty} {text};` ({what})"));
            }
            1 => self.add_line(name, ty, lines),
            n => lines.push(format!("`.reg .v{n} .{ty} {text};`")),
        }
    }

    /// Appends the declaration of a register, or extends the preceding declaration if the number of the register follows the number of its
    /// last name, as in `%f0` to `%f31`.
    fn add_line(&self, name: Name, ty: ScalarType, lines: &mut Vec<String>) {
        let text = self.context().name_text(name);
        let before = name.number().and_then(|number| number.checked_sub(1));
        if let (Some(before), Some(last)) = (before, lines.last_mut()) {
            let before = self.context().name_text(Name {
                number: before,
                ..name
            });
            let alone = format!("`.reg .{ty} {before};`");
            if *last == alone {
                *last = format!("`.reg .{ty} {before}, {text};`");
                return;
            }
            let head = format!("`.reg .{ty} ");
            let tail = format!("{before};`");
            let listed = last
                .strip_prefix(&head)
                .and_then(|rest| rest.strip_suffix(&tail));
            if let Some(listed) = listed {
                // Abbreviate three or more consecutive names to the notation `a0, …, a2`.
                let first = listed.split(", ").next().unwrap_or_default();
                *last = format!("{head}{first}, …, {text};`");
                return;
            }
        }
        lines.push(format!("`.reg .{ty} {text};`"));
    }

    /// Returns the binding of a name as an address in a state space, if the snippet uses the name both as an address and as a value, or as
    /// an address in several memories.
    #[cold]
    pub(crate) fn snippet_pointer(&self, name: Name, space: StateSpace) -> Option<Binding> {
        let places = self.snippet.pointers.get(name)?;
        let memory = memory_of(space);
        let own = places.iter().find(|(of, _)| *of == memory);
        own.or(places.first()).map(|(_, binding)| *binding)
    }

    /// Declares a variable of the implicit kernel with the given state space and size.
    pub(crate) fn inferred_variable(
        &mut self,
        name: &str,
        space: StateSpace,
        size_bytes: u64,
    ) -> VariableId {
        let variable = Variable {
            name: name.to_owned(),
            space,
            ty: ScalarType::B8,
            size_bytes,
            align_bytes: 128,
            dynamic: false,
            has_linkage: false,
            init: Vec::new(),
            relocations: Vec::new(),
            span: Span::at(0),
        };
        if matches!(space, StateSpace::Global | StateSpace::Const) {
            let id = self.made.next_variable();
            self.made.variables.push(variable);
            return id;
        }
        let id = self.next_variable();
        self.body.variables.push(variable);
        id
    }
}

/// Formats the initial value of a register of type `ty`.
fn external_number(bits: u64, ty: ScalarType) -> String {
    match ty {
        ScalarType::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        ScalarType::F64 => format!("{:?}", f64::from_bits(bits)),
        _ => bits.to_string(),
    }
}
