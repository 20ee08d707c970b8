//! Detection of the language of an asm block. Host sources also contain inline assembly for CPUs and for other GPUs, which an editor must
//! not check as PTX.

use crate::constraint::{AsmDialect, Constraint};
use crate::parsed_block::ParsedAsmBlock;
use warpgrid_isa::ScalarType;
use warpgrid_isa::form::{forms_of, is_known_word, layouts};

/// Language of the assembly in an asm block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AssemblyLanguage {
    /// At least one statement is PTX: its opcode has modifiers of PTX, or it is a declaration of PTX.
    Ptx,
    /// At least one statement, constraint or clobber is not valid in PTX, and no statement is PTX.
    Other,
    /// The block is empty, incomplete, or consists of opcodes that also exist on other processors, such as `ret`.
    Ambiguous,
}

/// Directives that start a declaration or a pragma in a function body of PTX. Other assemblers have no directives with these names, or
/// no directives with a dot after the name (`.global .u32`).
const DECLARATIONS: &[&str] = &[
    "reg", "local", "shared", "param", "const", "global", "pragma",
];

/// Words that only sources with device code contain.
const DEVICE_CODE_WORDS: &[&str] = &[
    "__device__",
    "__global__",
    "__CUDA_ARCH__",
    "__CUDACC__",
    "cuda",
    "CUDA",
    "nvptx",
    "triton",
    "cutlass",
    "ptx",
    "PTX",
];

/// Removes the asm blocks of other languages. An ambiguous block is PTX if another block of the source is PTX, or if the source contains
/// device code.
pub(crate) fn retain_ptx(source: &str, blocks: &mut Vec<ParsedAsmBlock>) {
    let languages: Vec<AssemblyLanguage> = blocks.iter().map(assembly_language).collect();
    let has_device_code = languages.contains(&AssemblyLanguage::Ptx)
        || languages.contains(&AssemblyLanguage::Ambiguous)
            && DEVICE_CODE_WORDS.iter().any(|word| source.contains(word));
    let mut languages = languages.into_iter();
    blocks.retain(|_| match languages.next() {
        Some(AssemblyLanguage::Ptx) => true,
        Some(AssemblyLanguage::Ambiguous) => has_device_code,
        Some(AssemblyLanguage::Other) | None => false,
    });
}

/// Returns the language of an asm block.
fn assembly_language(block: &ParsedAsmBlock) -> AssemblyLanguage {
    // ILGPU supports inline assembly only for CUDA.
    if block.dialect == AsmDialect::Ilgpu {
        return AssemblyLanguage::Ptx;
    }
    let text = without_comments(&block.template.text);
    let mut language = AssemblyLanguage::Ambiguous;
    for statement in text.split([';', '{', '}']) {
        match language_of_statement(statement) {
            AssemblyLanguage::Ptx => return AssemblyLanguage::Ptx,
            AssemblyLanguage::Other => language = AssemblyLanguage::Other,
            AssemblyLanguage::Ambiguous => {}
        }
    }
    match has_foreign_operands(block) {
        true => AssemblyLanguage::Other,
        false => language,
    }
}

/// Checks whether a constraint or a clobber of the block is not valid in PTX.
fn has_foreign_operands(block: &ParsedAsmBlock) -> bool {
    let is_foreign = |constraint: &str| {
        let is_matching = constraint.parse::<usize>().is_ok();
        !is_matching && Constraint::read(constraint, block.dialect).is_err()
    };
    let mut operands = block.operands.iter();
    let mut clobbers = block.clobbers.iter();
    operands.any(|operand| is_foreign(&operand.constraint))
        || clobbers.any(|(clobber, _)| clobber != "memory")
}

/// Returns the language of a statement, which its first words determine.
fn language_of_statement(statement: &str) -> AssemblyLanguage {
    let mut rest = statement.trim_start();
    // Skip a predicate (`@%p1`, `@!p`) and labels.
    if rest.starts_with('@') {
        rest = rest
            .find(char::is_whitespace)
            .map_or("", |end| &rest[end..]);
        rest = rest.trim_start();
    }
    while let Some((label, after)) = rest.split_once(':')
        && !label.is_empty()
        && label.chars().all(is_part_of_name)
        && !after.starts_with(':')
    {
        rest = after.trim_start();
    }
    let head = rest.split(char::is_whitespace).next().unwrap_or("");
    let mut words = head.split('.');
    let opcode = words.next().unwrap_or("");
    match opcode {
        "" if head.is_empty() => AssemblyLanguage::Ambiguous,
        "" => language_of_directive(rest),
        _ => language_of_instruction(opcode, &words.collect::<Vec<&str>>()),
    }
}

/// Returns the language of a statement that starts with a directive. Declarations of PTX contain a second directive (`.reg .b32`).
fn language_of_directive(statement: &str) -> AssemblyLanguage {
    let name: &str = statement[1..]
        .split(|c| !is_part_of_name(c))
        .next()
        .unwrap_or("");
    let after = statement[1 + name.len()..].trim_start();
    if DECLARATIONS.contains(&name) && (after.starts_with('.') || name == "pragma") {
        return AssemblyLanguage::Ptx;
    }
    let is_incomplete = DECLARATIONS.iter().any(|known| known.starts_with(name));
    match is_incomplete {
        true => AssemblyLanguage::Ambiguous,
        false => AssemblyLanguage::Other,
    }
}

fn language_of_instruction(opcode: &str, modifiers: &[&str]) -> AssemblyLanguage {
    let is_known = forms_of(opcode).next().is_some();
    let n_types = modifiers
        .iter()
        .filter(|word| is_numbered_type(word))
        .count();
    // The vector instructions of 32-bit Arm have the same opcodes as the video instructions of PTX, but fewer types: `vadd.s32 q0, q1, q2`
    // and `vadd.s32.s32.s32 d, a, b`.
    let is_arm_vector = opcode.starts_with('v') && opcode != "vote" && n_types < 3;
    let has_modifier = modifiers.iter().any(|word| is_known_word(word));
    if is_known && has_modifier && !is_arm_vector {
        return AssemblyLanguage::Ptx;
    }
    // A misspelled opcode with the type of an operand.
    if !is_known && n_types > 0 && !opcode.starts_with('v') && resembles_opcode(opcode) {
        return AssemblyLanguage::Ptx;
    }
    let is_prefix = || layouts().iter().any(|form| form.opcode.starts_with(opcode));
    match is_known && !is_arm_vector || modifiers.is_empty() && is_prefix() {
        true => AssemblyLanguage::Ambiguous,
        false => AssemblyLanguage::Other,
    }
}

/// Checks whether a word is a type with its size, such as `u32`.
fn is_numbered_type(word: &str) -> bool {
    word.ends_with(|last: char| last.is_ascii_digit()) && ScalarType::from_name(word).is_some()
}

/// Checks whether a PTX opcode consists of the same letters in another order, or differs in at most one letter.
fn resembles_opcode(word: &str) -> bool {
    layouts()
        .iter()
        .any(|form| differs_slightly(word, form.opcode))
}

/// Checks whether two words differ by one inserted, deleted or replaced character, or by two exchanged adjacent characters.
fn differs_slightly(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let same_start = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[same_start..], &other[same_start..]);
    let same_end = one
        .iter()
        .rev()
        .zip(other.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let (one, other) = (
        &one[..one.len() - same_end],
        &other[..other.len() - same_end],
    );
    match (one, other) {
        ([a, b], [c, d]) => a == d && b == c,
        _ => one.len() <= 1 && other.len() <= 1,
    }
}

fn is_part_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%')
}

/// Returns the text without its comments. A line comment of another assembler can contain a semicolon, so that `#` is not a comment here.
fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        kept.push_str(&rest[..at]);
        let comment = &rest[at..];
        let end = match comment.as_bytes().get(1) {
            Some(b'/') => comment.find('\n'),
            Some(b'*') => comment.find("*/").map(|end| end + 2),
            _ => Some(1),
        };
        rest = end.map_or("", |end| &comment[end..]);
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_of_statements_is_detected() {
        for (statement, language) in [
            ("", AssemblyLanguage::Ambiguous),
            ("mov.u32 %0, 1", AssemblyLanguage::Ptx),
            ("@!p st.global.u32 [%0], 1", AssemblyLanguage::Ptx),
            ("LAB_WAIT: bra.uni DONE", AssemblyLanguage::Ptx),
            (
                "cp.async.bulk.tensor.2d.shared::cluster.global [%0]",
                AssemblyLanguage::Ptx,
            ),
            (".reg .pred p", AssemblyLanguage::Ptx),
            ("st.gobal.u32 [%0], 1", AssemblyLanguage::Ptx),
            ("mvo.u32 %0, 1", AssemblyLanguage::Ptx),
            ("vadd.s32.s32.s32 %0, %1, %2", AssemblyLanguage::Ptx),
            ("ad", AssemblyLanguage::Ambiguous),
            ("ret", AssemblyLanguage::Ambiguous),
            ("mov %0, %1", AssemblyLanguage::Ambiguous),
            // x86-64, Arm, RISC-V, LoongArch, AMD GPUs, directives and symbol names.
            ("rdtsc", AssemblyLanguage::Other),
            ("movl %1, %0", AssemblyLanguage::Other),
            ("vadd.f32 q0, q1, q2", AssemblyLanguage::Other),
            ("vmax.s32 q0, q1, q2", AssemblyLanguage::Other),
            ("mrs %0, cntvct_el0", AssemblyLanguage::Other),
            ("amoadd.w.aq %0, %1, (%2)", AssemblyLanguage::Other),
            ("s_waitcnt vmcnt(1)", AssemblyLanguage::Other),
            ("v_add_f32 %0, %1, %2", AssemblyLanguage::Other),
            (".align 64", AssemblyLanguage::Other),
            (".pushsection .text", AssemblyLanguage::Other),
            (".global main", AssemblyLanguage::Ambiguous),
            ("llvm.amdgcn.is.shared", AssemblyLanguage::Other),
        ] {
            assert_eq!(language_of_statement(statement), language, "{statement}");
        }
    }
}
