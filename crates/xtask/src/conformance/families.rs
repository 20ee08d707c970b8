//! Which families of verdicts the table of instructions models. In: the rows' syntax lines; out: the families.

use std::collections::BTreeSet;

/// The families among `names` that some row of the table describes.
///
/// A family is named for an opcode (`cp.async.bulk`). A row describes the family with the most words that all
/// stand in the row's opcode, in order: a row of `red.async` says nothing about `red`.
pub(super) fn modelled<'a>(names: &BTreeSet<&'a str>) -> BTreeSet<&'a str> {
    let mut modelled: BTreeSet<&str> = names
        .iter()
        .copied()
        .filter(|name| name.starts_with("dir.") || *name == "unknown")
        .collect();
    for layout in warpgrid_isa::form::layouts() {
        let row = required_words(layout.form.syntax);
        let described = names
            .iter()
            .filter(|name| is_part(&opcode_of(name), &row))
            .max_by_key(|name| opcode_of(name).len());
        let Some(described) = described else { continue };
        let opcode = opcode_of(described);
        modelled.extend(names.iter().filter(|name| opcode_of(name) == opcode));
    }
    modelled
}

/// The words of a family's opcode; what only tells cases of one opcode apart is left out.
fn opcode_of(family: &str) -> Vec<&str> {
    match family {
        "ld.global.nc" => vec!["ld"],
        // The second word is one of a set.
        "suld.b" => vec!["suld"],
        "sust.b" | "sust.p" => vec!["sust"],
        "sured.b" | "sured.p" => vec!["sured"],
        "tcgen05.fence" => vec!["tcgen05", "fence::before_thread_sync"],
        "tcgen05.wait" => vec!["tcgen05", "wait::ld"],
        _ => family
            .split('.')
            .filter(|word| *word != "special")
            .collect(),
    }
}

/// The words of a syntax line's opcode that always stand.
fn required_words(syntax: &str) -> Vec<String> {
    let opcode = syntax.split_whitespace().next().unwrap_or("");
    let mut kept = String::new();
    let mut depth = 0_u32;
    for letter in opcode.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 => kept.push(letter),
            _ => {}
        }
    }
    kept.split('.').map(str::to_owned).collect()
}

/// Whether `words` stand in `row` in their order, the first one first.
fn is_part(words: &[&str], row: &[String]) -> bool {
    let mut rest = row.iter();
    words.first().copied() == row.first().map(String::as_str)
        && words.iter().all(|word| rest.any(|other| other == word))
}

#[cfg(test)]
mod tests {
    use super::{is_part, required_words};

    #[test]
    fn optional_words_name_no_family() {
        let row = required_words("bar{.cta}.red.op.type d, a{, b}, c");
        assert!(is_part(&["bar", "red"], &row));
        assert!(!is_part(&["bar", "cta"], &row));
        assert!(!is_part(
            &["red", "async"],
            &required_words("red{.sem}.op.type")
        ));
    }
}
