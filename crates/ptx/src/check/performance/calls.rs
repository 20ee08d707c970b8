//! Call graph of a module: the functions that are reachable from a kernel, and the callee of each call.

use warpgrid_program::{
    Callee, Function, FunctionId, FunctionKind, Instruction, Module, OperandValue, Source,
    reachable,
};

/// Callee of a call, as far as the assembler can determine it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CallKind {
    /// Function with a body in this module that does not call itself.
    Known(FunctionId),
    Recursive(FunctionId),
    /// Function that this module declares and another module defines.
    External(FunctionId),
    /// Function that is called through a register.
    Indirect,
    /// Function that the driver provides.
    System(String),
}

/// Call graph of a module: the references of each function to other functions.
pub(crate) struct Calls<'m> {
    module: &'m Module,
    /// For each function, the functions that it calls by name.
    called: Vec<Vec<FunctionId>>,
    /// For each function, the functions that it calls by name or whose address it takes.
    named: Vec<Vec<FunctionId>>,
}

impl Calls<'_> {
    pub(crate) fn of(module: &Module) -> Calls<'_> {
        let mut called = Vec::with_capacity(module.functions.len());
        let mut named = Vec::with_capacity(module.functions.len());
        for function in &module.functions {
            let mut direct = Vec::new();
            let mut all = Vec::new();
            for operand in &function.operands {
                match operand.value {
                    OperandValue::Callee(Callee::Direct(id)) => {
                        direct.push(id);
                        all.push(id);
                    }
                    OperandValue::Source(Source::FunctionAddress(id), _) => all.push(id),
                    _ => {}
                }
            }
            called.push(direct);
            named.push(all);
        }
        Calls {
            module,
            called,
            named,
        }
    }

    /// Returns the function `from` and all defined functions that are reachable from `from` through calls or addresses, without duplicates.
    pub(crate) fn reached(&self, from: FunctionId) -> Vec<FunctionId> {
        closure(&self.named, from)
            .into_iter()
            .filter(|id| self.function(*id).is_some_and(|function| function.defined))
            .collect()
    }

    pub(crate) fn function(&self, id: FunctionId) -> Option<&Function> {
        self.module.functions.get(id.0 as usize)
    }

    /// Returns the callee of a call, or `None` for other instructions.
    pub(crate) fn kind(&self, function: &Function, instruction: &Instruction) -> Option<CallKind> {
        let operands = function.operands_of(instruction.operands);
        operands.iter().find_map(|operand| match &operand.value {
            OperandValue::Callee(Callee::Direct(id)) => Some(match self.function(*id) {
                Some(callee) if !callee.defined => CallKind::External(*id),
                _ if self.is_recursive(*id) => CallKind::Recursive(*id),
                _ => CallKind::Known(*id),
            }),
            OperandValue::Callee(Callee::Indirect { .. }) => Some(CallKind::Indirect),
            OperandValue::Callee(Callee::System(name)) => Some(CallKind::System(name.clone())),
            _ => None,
        })
    }

    /// Returns a noun phrase for a callee.
    pub(crate) fn describe(&self, kind: &CallKind) -> String {
        let name = |id: &FunctionId| self.function(*id).map_or("", |f| f.name.as_str());
        match kind {
            CallKind::Known(id) => format!("`{}`", name(id)),
            CallKind::Recursive(id) => format!("the recursive function `{}`", name(id)),
            CallKind::External(id) => format!("the external function `{}`", name(id)),
            CallKind::Indirect => "a function whose address is in a register".to_owned(),
            CallKind::System(name) => format!("`{name}`"),
        }
    }

    /// Returns the kernels that the module defines.
    pub(crate) fn kernels(&self) -> impl Iterator<Item = (FunctionId, &Function)> {
        let all = (0..).map(FunctionId).zip(&self.module.functions);
        all.filter(|(_, function)| function.kind == FunctionKind::Entry && function.defined)
    }

    fn is_recursive(&self, id: FunctionId) -> bool {
        let callees = self.called.get(id.0 as usize).into_iter().flatten();
        let mut reached = callees.map(|callee| closure(&self.called, *callee));
        reached.any(|reached| reached.contains(&id))
    }
}

/// Returns `from` and all functions that are reachable from `from` in the graph.
fn closure(edges: &[Vec<FunctionId>], from: FunctionId) -> Vec<FunctionId> {
    let is_reached = reachable(edges.len(), from.0 as usize, |index| {
        let next = edges.get(index).into_iter().flatten();
        next.map(|id| id.0 as usize)
    });
    let all = (0..).map(FunctionId).zip(is_reached);
    all.filter_map(|(id, is_reached)| is_reached.then_some(id))
        .collect()
}
