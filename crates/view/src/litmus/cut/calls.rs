//! Calls in the lines of a question. In: a kernel, and the chosen lines; out: the functions that they call, with their texts, and the lines with
//! parameters as registers, which is what a test has of them.

use super::body::{Statement, chosen};
use super::watch::Lines;
use crate::litmus::functions::moved;
use crate::litmus::module::{LitmusError, fail};
use crate::session::Session;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use warpgrid_isa::StateSpace;
use warpgrid_program::{Callee, Function, FunctionId, OperandValue, Variable};

/// The functions that instructions call, and those that these call.
pub(super) fn called_from(
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

/// The texts of all that the lines call; says what has none.
pub(super) fn texts(session: &Session, lines: &Lines) -> Result<Vec<String>, LitmusError> {
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

/// The lines of a function, without comments.
fn text_of(session: &Session, function: &Function) -> Vec<String> {
    let lines = session.text_at(function.span).lines().map(|line| {
        let words = line.split("//").next().unwrap_or("");
        words.trim_end().to_owned()
    });
    lines.filter(|line| !line.is_empty()).collect()
}

/// The parameters of calls in the lines: registers of a question.
pub(super) struct Parameters<'a> {
    /// By the place of its declaration: the parameter, and the name that it has in the question.
    by_place: BTreeMap<u32, (&'a Variable, String)>,
}

impl<'a> Parameters<'a> {
    pub(super) fn of(function: &'a Function, lines: &Lines) -> Result<Parameters<'a>, LitmusError> {
        let mut parameters = Parameters {
            by_place: BTreeMap::new(),
        };
        if lines.called.is_empty() {
            return Ok(parameters);
        }
        let last = chosen(function, lines).next_back();
        let last = last.map_or(0, |instruction| instruction.span.end);
        let all = function.variables.iter();
        // Of one name, the latest before a statement is what it names.
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

    /// Declarations of the registers.
    pub(super) fn declarations(&self) -> Vec<String> {
        let of_one = |(variable, name): &(&Variable, String)| {
            format!(".reg .b{} {name};", 8 * variable.size_bytes)
        };
        let lines: BTreeSet<String> = self.by_place.values().map(of_one).collect();
        lines.into_iter().collect()
    }

    /// A statement that names parameters, with their registers; none where it names none.
    pub(super) fn moved(&self, function: &Function, statement: &Statement) -> Option<String> {
        let instruction = function.instructions.get(statement.index as usize)?;
        let start = instruction.span.start;
        let mut is_any = false;
        let in_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.');
        let mut text = String::new();
        let mut rest = statement.text.as_str();
        while !rest.is_empty() {
            let end = rest.find(|c| !in_word(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            let before = self.by_place.range(..start).rev();
            let named = before.map(|(_, found)| found).find(|(v, _)| v.name == word);
            match named {
                Some((_, name)) => {
                    is_any = true;
                    text.push_str(name);
                }
                None => text.push_str(word),
            }
            let end = after.find(in_word).unwrap_or(after.len());
            let (between, after) = after.split_at(end);
            text.push_str(between);
            rest = after;
        }
        is_any.then(|| moved(&text).unwrap_or(text))
    }
}
