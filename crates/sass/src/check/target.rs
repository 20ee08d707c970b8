//! Determines the architecture of a source, which a statement specifies explicitly, or which is inferred from the stores and other opcodes.

use super::store::StoreCheck;
use crate::listing::header_target;
use crate::lower::offsets_read;
use crate::syntax::{Statement, StatementKind, Tree};
use crate::target_abi::TargetAbi;
use warpgrid_isa::sass::{find_opcode, find_store};
use warpgrid_isa::{Target, TargetKind, TargetRequirement, target::TARGETS};
use warpgrid_program::Span;

/// Architectures for which the tables contain stores.
const FIRST: TargetRequirement = TargetRequirement::From(35);

/// Architecture specification, which applies to the following statements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TargetDirective {
    /// Span of the name of the architecture.
    pub(crate) span: Span,
    /// Specified architecture, or `None` if the tables do not contain the architecture.
    pub(crate) target: Option<&'static Target>,
}

/// Returns the architecture that a statement specifies: `.target sm_75`, `code for sm_75`, `arch = sm_75`, `.headerflags @"EF_CUDA_SM75"`.
/// `known` is the architecture that preceding statements specify.
pub(crate) fn stated(
    source: &str,
    statement: &Statement,
    known: Option<&Target>,
) -> Option<TargetDirective> {
    let value = match statement.kind {
        StatementKind::Directive { name, arguments } if name.text(source) == ".target" => arguments,
        StatementKind::Directive { name, arguments } if name.text(source) == ".headerflags" => {
            let target = header_target(arguments.text(source), known)?;
            return Some(TargetDirective {
                span: arguments,
                target: Some(target),
            });
        }
        StatementKind::Header { key, value } if matches!(key.text(source), "code" | "arch") => {
            value
        }
        StatementKind::Directive { .. }
        | StatementKind::Header { .. }
        | StatementKind::Instruction(_)
        | StatementKind::Label(_)
        | StatementKind::Encoding(_)
        | StatementKind::Unknown => return None,
    };
    let text = value.text(source);
    let length = text
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        .count();
    let span = Span::new(value.start, value.start + length as u32);
    let target = Target::from_name(span.text(source));
    Some(TargetDirective { span, target })
}

/// Returns the replacement for an architecture that is not in the tables: the nearest older target, or the oldest target with SASS tables.
pub(crate) fn nearest(name: &str) -> &'static Target {
    let digits: String = name.chars().filter(char::is_ascii_digit).collect();
    let found = digits.parse().ok().and_then(Target::nearest_below);
    found
        .filter(|target| FIRST.met_by(target))
        .unwrap_or_else(Target::default_target)
}

/// Returns the newest architecture that supports all stores of the source. Among these architectures, the other opcodes of the source and
/// the offset of the first parameter restrict the result, unless no architecture satisfies all restrictions.
pub(crate) fn inferred(source: &str, tree: &Tree) -> &'static Target {
    let mut left: Vec<&'static Target> = TARGETS
        .iter()
        .filter(|target| target.kind == TargetKind::Plain && FIRST.met_by(target))
        .collect();
    let mut ask = |gate: TargetRequirement| {
        if left.iter().any(|target| gate.met_by(target)) {
            left.retain(|target| gate.met_by(target));
        }
    };
    let mut others = Vec::new();
    for instruction in &tree.instructions {
        let opcode = instruction.opcode.text(source);
        match find_store(opcode) {
            Some(store) => {
                let check = StoreCheck::new(tree, source, instruction, store);
                check.gates().into_iter().for_each(&mut ask);
            }
            None => others.extend(find_opcode(opcode).map(|opcode| opcode.on)),
        }
    }
    others.into_iter().for_each(&mut ask);
    let starts = offsets_read(tree, source).filter(|at| TargetAbi::is_start_of_parameters(*at));
    if let Some(start) = starts.min() {
        let has_start = |target: &&Target| u64::from(TargetAbi::of(target).parameters) == start;
        if left.iter().any(&has_start) {
            left.retain(|target| has_start(target));
        }
    }
    left.last().copied().unwrap_or_else(Target::default_target)
}
