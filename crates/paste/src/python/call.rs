//! Parser of one call with assembly, such as `tl.inline_asm_elementwise`: its template, operands and clobbers. The first string is the
//! assembly, the second string is the constraints, and a list contains the inputs.

use super::strings::StringReader;
use crate::argument::{Argument, add_operands, arguments, outputs};
use crate::block::{Purity, Unresolved};
use crate::constraint::{AsmDialect, Constraint};
use crate::diagnostics as diagnose;
use crate::parsed_block::ParsedAsmBlock;
use crate::template::INLINE_PTX;
use crate::token_stream::{TokenKind, TokenStream};
use warpgrid_program::{MappedSource, Span};

/// Parses the call whose function name is the token at index `at`.
pub(super) fn read(strings: StringReader<'_>, at: usize, function: &str) -> Option<ParsedAsmBlock> {
    let pieces = strings.pieces;
    let word = pieces.tokens[at].span;
    let close = pieces.closing(at + 1).unwrap_or(pieces.tokens.len());
    let arguments = arguments(pieces, at + 2, close);
    let mut block = ParsedAsmBlock::new(function, word, AsmDialect::Llvm);
    let last = close.min(pieces.tokens.len() - 1);
    block.span = word.to(pieces.tokens[last].span);

    let named = |names: &[&str]| {
        let mut all = arguments.iter().copied();
        all.find(|argument| argument.name.is_some_and(|name| names.contains(&name)))
    };
    let mut texts = arguments
        .iter()
        .copied()
        .filter(|argument| argument.name.is_none() && value_of(strings, *argument).is_some())
        .peekable();
    let is_constraints = |argument: &Argument<'_>| {
        value_of(strings, *argument)
            .is_some_and(|(text, unknown)| is_constraint_list(&text.text, &unknown))
    };
    // If the assembly is an expression that the parser cannot evaluate, the first string is the list of constraints.
    let assembly = named(&["asm", "asm_string"])
        .or_else(|| texts.next_if(|argument| !is_constraints(argument)));
    let constraints = named(&["constraints", "constraint"]).or_else(|| texts.next());
    let Some(assembly) = assembly else {
        // If the assembly argument is an unresolved name, add this name to the block as an unresolved part.
        let mut positional = arguments.iter().filter(|argument| argument.name.is_none());
        let before_constraints =
            constraints.and_then(|own| positional.clone().rfind(|other| other.to < own.from));
        let unresolved = before_constraints.or_else(|| positional.next())?;
        block.unknown.push(Unresolved::assembly(
            pieces.source,
            pieces.tokens[unresolved.from].span,
        ));
        return Some(block);
    };
    block.template = read_value(strings, assembly, &mut block.unknown).unwrap_or_default();
    let is_inline_ptx = pieces.text(at) == "inline_ptx";
    if is_inline_ptx {
        block.template = with_named_operands(&block.template);
    }
    let inputs = named(&["args", "operands", "operands_"]).or_else(|| {
        arguments
            .iter()
            .copied()
            .find(|argument| pieces.is(argument.from, b'[') || is_tuple(pieces, *argument))
    });
    let inputs = inputs.map_or_else(Vec::new, |list| elements(pieces, list));
    if let Some(constraints) = constraints
        && let Some(text) = read_value(strings, constraints, &mut block.unknown)
    {
        add_operands(&text, &outputs(pieces, at), &inputs, &mut block);
    }
    if let Some(dialect) = named(&["asm_dialect"]) {
        let name = pieces.text(dialect.to - 1);
        if name.to_ascii_lowercase().ends_with("intel") || name == "1" {
            let found = diagnose::intel_dialect(dialect.span(pieces));
            block.diagnostics.push(found);
        }
    }
    // The operation `nvvm.inline_ptx` always has side effects.
    block.is_volatile = is_inline_ptx || is_volatile(pieces, &arguments);
    if pieces.text(at) == "inline_asm_elementwise" {
        let triton = Elementwise::read(pieces, &arguments);
        block.is_volatile |= triton.purity == Some(Purity::Impure);
        block.elementwise = Some(triton.purity.unwrap_or(Purity::Impure));
        triton.check(&mut block);
    }
    Some(block)
}

/// Purity, packing and result size of a `tl.inline_asm_elementwise` call (Triton, `ElementwiseInlineAsmOp`), for the diagnostics about its
/// operands.
struct Elementwise {
    purity: Option<Purity>,
    /// Number of elements that one execution of the assembly processes.
    pack: Option<(u32, Span)>,
    /// Element size of the results in bits, if all results have the same size.
    result_bits: Option<u32>,
}

impl Elementwise {
    fn read(pieces: TokenStream<'_>, arguments: &[Argument<'_>]) -> Elementwise {
        // `inline_asm_elementwise(asm, constraints, args, dtype, is_pure, pack)`
        let parameter = |name: &str, position: usize| {
            let named = arguments.iter().find(|found| found.name == Some(name));
            named.or_else(|| {
                let found = arguments.get(position)?;
                let is_positional = arguments[..=position].iter().all(|own| own.name.is_none());
                is_positional.then_some(found)
            })
        };
        let purity = parameter("is_pure", 4).and_then(|found| match pieces.text(found.from) {
            "True" => Some(Purity::Pure),
            "False" => Some(Purity::Impure),
            _ => None,
        });
        let pack = parameter("pack", 5).filter(|found| found.to == found.from + 1);
        let pack = pack.and_then(|found| {
            let number = pieces.text(found.from).parse().ok()?;
            Some((number, pieces.tokens[found.from].span))
        });
        let dtype = parameter("dtype", 3);
        let widths = dtype.map_or_else(Vec::new, |found| {
            let words = (found.from..found.to).map(|at| pieces.text(at));
            words.filter_map(element_bits).collect::<Vec<u32>>()
        });
        let first = widths.first().copied();
        Elementwise {
            purity,
            pack,
            result_bits: first.filter(|first| widths.iter().all(|width| width == first)),
        }
    }

    /// Adds the diagnostics about the `pack` argument to a block.
    fn check(&self, block: &mut ParsedAsmBlock) {
        let Some((pack, place)) = self.pack else {
            return;
        };
        if !pack.is_power_of_two() {
            block.diagnostics.push(diagnose::uneven_pack(pack, place));
        }
        for operand in &block.operands {
            let letter = operand.constraint.trim_start_matches(['=', '+', '&']);
            let is_output = letter.len() < operand.constraint.len();
            // An operand is packed if its elements together need a 32-bit register. For example, two 8-bit elements need only 16 bits, but
            // two 16-bit elements or four 8-bit elements need 32 bits.
            let is_packed = match self.result_bits.filter(|_| is_output) {
                Some(bits) => bits < 32 && bits.saturating_mul(pack) >= 32,
                None => pack >= 4,
            };
            if letter == "h" && is_packed {
                let found = diagnose::packed_operand(&operand.constraint, pack, operand.place);
                block.diagnostics.push(found.label(place, "declared here"));
            }
        }
    }
}

/// Returns the size in bits of a Triton element type, such as `float16`, `int8` or `float8e4nv`. Returns `None` for other words.
fn element_bits(word: &str) -> Option<u32> {
    let kinds = ["float", "bfloat", "int", "uint", "fp", "bf"];
    let mut rest = kinds.iter().filter_map(|kind| word.strip_prefix(kind));
    let rest = rest.find(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))?;
    let end = rest.find(|c: char| !c.is_ascii_digit());
    rest[..end.unwrap_or(rest.len())].parse().ok()
}

/// Checks whether a string is a list of LLVM constraints, such as `=r,r,~{memory}`. Unresolved parts of the string can be any constraints.
fn is_constraint_list(text: &str, unknown: &[Unresolved]) -> bool {
    let is_constraint = |part: &str| {
        let part = part.trim();
        let is_matching = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        is_matching
            || part.starts_with("~{")
            || (part.is_empty() && !unknown.is_empty())
            || Constraint::read(part, AsmDialect::Llvm).is_ok()
    };
    !text.trim().is_empty() && text.split(',').all(is_constraint)
}

/// Replaces the operands of the MLIR operation `nvvm.inline_ptx` by names: `{$r0}` (read), `{$w0}` (written), `{$rw0}`. The names are
/// undeclared, because the types of the operands are not part of the call. The checker infers the types from the instructions.
fn with_named_operands(template: &MappedSource) -> MappedSource {
    let text = &template.text;
    let mut named = MappedSource::default();
    let mut done = 0;
    while let Some(found) = text[done..].find("{$") {
        let at = done + found;
        let inside = &text[at + 2..];
        let end = inside.find(|c: char| !c.is_ascii_alphanumeric());
        let name = &inside[..end.unwrap_or(inside.len())];
        let access = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_operand = ["r", "w", "rw"].contains(&access) && access.len() < name.len();
        let close = at + 2 + name.len();
        if is_operand && text[close..].starts_with('}') {
            named.append(template, Span::new(done as u32, at as u32));
            let place = Span::new(at as u32, close as u32 + 1);
            named.stand_in(&format!("{INLINE_PTX}{name}"), template.map.span(place));
            done = close + 1;
        } else {
            named.append(template, Span::new(done as u32, at as u32 + 2));
            done = at + 2;
        }
    }
    named.append(template, Span::new(done as u32, text.len() as u32));
    named
}

/// Returns the string value of an argument. Adds unresolved parts of the string, or the whole argument if it is unresolved, to `unknown`.
fn read_value(
    strings: StringReader<'_>,
    argument: Argument<'_>,
    unknown: &mut Vec<Unresolved>,
) -> Option<MappedSource> {
    let Some((text, mut missing)) = value_of(strings, argument) else {
        let span = strings.pieces.tokens[argument.from].span;
        unknown.push(Unresolved::assembly(strings.pieces.source, span));
        return None;
    };
    unknown.append(&mut missing);
    Some(text)
}

/// Returns the string value of an argument: string literals with or without parentheses, or a name to which the source assigns strings.
fn value_of(
    strings: StringReader<'_>,
    argument: Argument<'_>,
) -> Option<(MappedSource, Vec<Unresolved>)> {
    let pieces = strings.pieces;
    let (mut from, mut to) = (argument.from, argument.to);
    while pieces.is(from, b'(') && to > from + 1 && pieces.closing(from) == Some(to - 1) {
        (from, to) = (from + 1, to - 1);
    }
    if strings.end(from) == to && to > from {
        return Some(strings.read(from, to));
    }
    if to != from + 1 || pieces.kind(from) != Some(TokenKind::Word) {
        return None;
    }
    let name = pieces.text(from);
    let is_set = |at: &usize| {
        pieces.text(*at) == name && pieces.is(at + 1, b'=') && strings.end(at + 2) > at + 2
    };
    let set = (0..pieces.tokens.len())
        .rev()
        .filter(|at| *at < from)
        .find(is_set)?;
    Some(strings.read(set + 2, strings.end(set + 2)))
}

/// Checks whether an argument is a tuple, which consists of parentheses with a comma at the outermost level.
fn is_tuple(pieces: TokenStream<'_>, argument: Argument<'_>) -> bool {
    let (from, to) = (argument.from, argument.to);
    if !pieces.is(from, b'(') || pieces.closing(from) != Some(to - 1) {
        return false;
    }
    arguments(pieces, from + 1, to - 1).len() > 1 || pieces.is(to - 2, b',')
}

/// Returns the source text of each element of a list.
fn elements(pieces: TokenStream<'_>, list: Argument<'_>) -> Vec<String> {
    let is_list = pieces.is(list.from, b'[') || pieces.is(list.from, b'(');
    let (from, to) = match is_list {
        true => (list.from + 1, list.to.saturating_sub(1)),
        false => return Vec::new(),
    };
    let all = arguments(pieces, from, to).into_iter();
    all.map(|argument| argument.span(pieces).text(pieces.source).to_owned())
        .collect()
}

/// Checks whether the call declares side effects.
fn is_volatile(pieces: TokenStream<'_>, arguments: &[Argument<'_>]) -> bool {
    let has_argument = |name: &str, value: &str| {
        let mut all = arguments.iter();
        all.any(|argument| argument.name == Some(name) && pieces.text(argument.from) == value)
    };
    has_argument("is_pure", "False")
        || has_argument("has_side_effects", "True")
        || has_argument("side_effect", "True")
        || has_argument("side_effects", "True")
}
