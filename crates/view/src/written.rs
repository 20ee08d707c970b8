//! An instruction as it is written: its text goes in, its opcode and the names in it come out. The front end's tokens say
//! which is which.

use crate::language::Language;
use warpgrid_program::TokenClass;

/// The opcode with its modifiers, without guard and operands: `st.global.u32`.
pub(crate) fn opcode(language: Language, instruction: &str) -> String {
    let tokens = language.front_end.tokens(instruction);
    let mut tokens = tokens
        .iter()
        .skip_while(|token| token.class != TokenClass::Opcode);
    let Some(first) = tokens.next() else {
        return String::new();
    };
    let is_word = |class| matches!(class, TokenClass::Modifier | TokenClass::Type);
    // Words of the opcode touch each other.
    let end = tokens.fold((first.span.end, true), |(end, joined), token| {
        let joined = joined && token.span.start == end && is_word(token.class);
        (if joined { token.span.end } else { end }, joined)
    });
    let text = instruction.get(first.span.start as usize..end.0 as usize);
    text.unwrap_or_default().to_owned()
}

/// The names in an instruction that may be registers, in text order.
pub(crate) fn names(language: Language, instruction: &str) -> Vec<String> {
    let tokens = language.front_end.tokens(instruction).into_iter();
    let names =
        tokens.filter(|token| matches!(token.class, TokenClass::Register | TokenClass::Name));
    names
        .map(|token| token.span.text(instruction).to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpgrid_launch::Front;

    #[test]
    fn an_opcode_ends_before_its_operands() {
        let ptx = Language::from(Front::Ptx);
        let text = "@!%p1 st.global.L1::evict_last.v2.f32 [%rd1+8], {%f1, q};";
        assert_eq!(opcode(ptx, text), "st.global.L1::evict_last.v2.f32");
        assert_eq!(names(ptx, text), ["%p1", "%rd1", "%f1", "q"]);
        assert_eq!(opcode(ptx, "ret;"), "ret");
    }
}
