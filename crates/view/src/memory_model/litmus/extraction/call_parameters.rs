//! Handling of calls in the lines of an extracted test. The module takes a kernel and the selected lines, and returns the source of the
//! called functions, and the selected lines with registers instead of call parameters. The replacement is necessary because litmus tests do
//! not support call parameters.

use crate::memory_model::litmus::extraction::access_watch::LineSelection;
use crate::memory_model::litmus::extraction::thread_body::{Statement, chosen};
use crate::memory_model::litmus::test_module::{LitmusError, fail};
use crate::session::Session;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use warpgrid_isa::StateSpace;
use warpgrid_program::{
    Address, AddressBase, Callee, Function, FunctionId, OperandValue, Program, SemanticTokenKind,
    Source, Span, Variable, VariableId,
};

/// Returns the functions that the given instructions call, directly or through other functions.
pub(crate) fn called_from(
    session: &Session,
    function: FunctionId,
    instructions: Range<u32>,
) -> BTreeSet<FunctionId> {
    let functions = &session.program.functions;
    let mut found = BTreeSet::new();
    let range = instructions.start as usize..instructions.end as usize;
    let mut open = vec![(function, range)];
    while let Some((caller, range)) = open.pop() {
        let Some(caller) = functions.get(caller.0 as usize) else {
            continue;
        };
        let within = caller.instructions.get(range).unwrap_or(&[]).iter();
        let operands = within.flat_map(|instruction| caller.operands_of(instruction.operands));
        for operand in operands {
            if let OperandValue::Callee(Callee::Direct(id)) = &operand.value
                && found.insert(*id)
            {
                let callee = functions.get(id.0 as usize);
                open.push((*id, 0..callee.map_or(0, |callee| callee.instructions.len())));
            }
        }
    }
    found
}

/// Returns the source of all functions that the selected lines call. The error names a function that has no body.
pub(crate) fn texts(session: &Session, lines: &LineSelection) -> Result<Vec<String>, LitmusError> {
    let functions = &session.program.functions;
    let kernel = functions.get(lines.function.0 as usize);
    let callers = lines.called.iter();
    let callers = callers.filter_map(|id| functions.get(id.0 as usize));
    let own = kernel.map_or(&[][..], |kernel| {
        let range = lines.instructions.start as usize..lines.instructions.end as usize;
        kernel.instructions.get(range).unwrap_or(&[])
    });
    let all = kernel.into_iter().map(|kernel| (kernel, own));
    for (caller, instructions) in all.chain(callers.map(|f| (f, f.instructions.as_slice()))) {
        for instruction in instructions {
            for operand in caller.operands_of(instruction.operands) {
                let what = match &operand.value {
                    OperandValue::Callee(Callee::System(name)) => format!("`{name}`"),
                    OperandValue::Callee(Callee::Indirect { .. }) => {
                        "a function through a register".to_owned()
                    }
                    OperandValue::Callee(Callee::Direct(id)) => {
                        let callee = functions.get(id.0 as usize);
                        match callee.filter(|callee| !callee.defined) {
                            Some(callee) => format!("`{}`", callee.name),
                            None => continue,
                        }
                    }
                    _ => continue,
                };
                return fail(format!(
                    "the selected lines call {what}, but the module does not contain the body of this function: select lines without the call"
                ));
            }
        }
    }
    let texts = lines.called.iter().filter_map(|id| {
        let function = functions.get(id.0 as usize)?;
        Some(text_of(session, function))
    });
    Ok(texts.flatten().collect())
}

/// Returns the source lines of a function. The lines contain no comments.
fn text_of(session: &Session, function: &Function) -> Vec<String> {
    let source = session.places.source();
    let mut text = String::new();
    let mut at = function.span.start;
    for token in session.language.front_end.tokens(source) {
        let is_in = at <= token.span.start && token.span.end <= function.span.end;
        if is_in && token.class == SemanticTokenKind::Comment {
            text.push_str(Span::new(at, token.span.start).text(source));
            at = token.span.end;
        }
    }
    text.push_str(Span::new(at, function.span.end).text(source));
    let lines = text.lines().map(|line| line.trim_end().to_owned());
    lines.filter(|line| !line.is_empty()).collect()
}

/// Call parameters in the selected lines, with the registers that replace these parameters in the extracted test.
pub(crate) struct CallParameters<'a> {
    /// Parameters and the names of their registers in the extracted test, indexed by the position of the parameter declaration.
    by_place: BTreeMap<u32, (&'a Variable, String)>,
}

impl<'a> CallParameters<'a> {
    pub(crate) fn of(
        function: &'a Function,
        lines: &LineSelection,
    ) -> Result<CallParameters<'a>, LitmusError> {
        let mut parameters = CallParameters {
            by_place: BTreeMap::new(),
        };
        if lines.called.is_empty() {
            return Ok(parameters);
        }
        let last = chosen(function, lines).next_back();
        let last = last.map_or(0, |instruction| instruction.span.end);
        let all = function.variables.iter();
        // Later declarations replace earlier declarations, because a name in a statement refers to its latest declaration before the
        // statement.
        let all = all.filter(|v| v.space == StateSpace::ParamFunc && v.span.start <= last);
        let mut names: BTreeMap<String, (u64, u32)> = BTreeMap::new();
        for variable in all {
            let at = variable.span.start;
            if variable.size_bytes > 8 {
                return fail(format!(
                    "the selected lines pass the parameter `{}` of {} bytes to a function: select lines whose calls pass only values of at most 64 bits",
                    variable.name, variable.size_bytes
                ));
            }
            let shape = (variable.size_bytes, variable.ty.width_bits());
            let mut name = variable.name.clone();
            while names.get(&name).is_some_and(|known| *known != shape) {
                name.push('_');
            }
            names.insert(name.clone(), shape);
            parameters.by_place.insert(at, (variable, name));
        }
        Ok(parameters)
    }

    /// Returns the declarations of the registers that replace parameters.
    pub(crate) fn declarations(&self) -> Vec<String> {
        let of_one = |(variable, name): &(&Variable, String)| {
            format!(".reg .b{} {name};", 8 * variable.size_bytes)
        };
        let lines: BTreeSet<String> = self.by_place.values().map(of_one).collect();
        lines.into_iter().collect()
    }

    /// Returns a statement in which registers replace call parameters, or `None` if the statement contains no call parameter.
    pub(crate) fn moved(
        &self,
        program: &Program,
        function: &Function,
        statement: &Statement,
    ) -> Option<String> {
        let instruction = function.instructions.get(statement.index as usize)?;
        let action = program.opcode(instruction)?;
        let operands = function.operands_of(instruction.operands);
        let addressed = operands.iter().find_map(|operand| match operand.value {
            OperandValue::Address(Address {
                base: AddressBase::Variable(variable),
                offset: 0,
                ..
            }) => Some((self.name(function, variable)?, operand.span)),
            _ => None,
        });
        if let Some((name, span)) = addressed {
            let address = statement.syntax.operand_at(span)?;
            let mut moved = statement.syntax.with_operand(address, name.to_owned())?;
            let width = action.modifiers.ty?.width_bits();
            moved.words = vec!["mov".to_owned(), format!("b{width}")];
            return Some(moved.to_string());
        }
        let mut named = Vec::new();
        for operand in operands {
            let elements = match operand.value {
                OperandValue::List(list) => function.operands_of(list),
                _ => std::slice::from_ref(operand),
            };
            named.extend(elements.iter().filter_map(|element| match element.value {
                OperandValue::Source(Source::VariableAddress { variable, .. }, _) => {
                    Some((element.span, self.name(function, variable)?))
                }
                _ => None,
            }));
        }
        let mut changed = statement.syntax.clone();
        for (span, name) in named.iter().rev() {
            let index = changed.operand_at(*span)?;
            let operand = changed.operands.get_mut(index)?;
            let start = span.start - operand.span.start;
            let end = span.end - operand.span.start;
            operand
                .text
                .replace_range(start as usize..end as usize, name);
        }
        (!named.is_empty()).then(|| changed.to_string())
    }

    /// Returns the name of the register that replaces a call parameter.
    fn name(&self, function: &Function, variable: VariableId) -> Option<&str> {
        let VariableId::Function(index) = variable else {
            return None;
        };
        let variable = function.variables.get(index as usize)?;
        let (_, name) = self.by_place.get(&variable.span.start)?;
        Some(name)
    }
}
