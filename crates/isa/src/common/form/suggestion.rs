//! "Did you mean" suggestions for misspelled words.

/// Returns the candidate nearest to `word` if the edit distance is small enough for a suggested fix. Among candidates with equal distances,
/// returns the first candidate.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest_of(word, &mut candidates.into_iter())
}

/// Non-generic implementation of [`nearest`], so that the compiler does not instantiate the code for each iterator type.
fn nearest_of<'a>(word: &str, candidates: &mut dyn Iterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > MAX_LENGTH {
        return None;
    }
    let limit = match word.chars().count() {
        0..=2 => 1,
        3..=5 => 2,
        _ => 3,
    };
    candidates
        .filter(|candidate| *candidate != word && candidate.len().abs_diff(word.len()) <= limit)
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= limit && *distance < candidate.len())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Maximum length of words for which a correction is suggested.
const MAX_LENGTH: usize = 64;

/// Returns the edit distance between two words: the number of insertions, deletions, replacements, and transpositions of adjacent
/// characters. This distance is the optimal string alignment distance, a restricted form of the Damerau–Levenshtein distance.
pub fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let at = |row: &[usize], j: usize| row.get(j).copied().unwrap_or(usize::MAX / 2);
            let mut cost = at(&last, j) + usize::from(x != y);
            cost = cost.min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                cost = cost.min(at(&before, j - 1) + 1);
            }
            row.push(cost);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(0)
}

/// Returns the PTX equivalent of a foreign keyword. See [`Dialect::meant`](crate::Dialect::meant).
pub fn meant(word: &str) -> Option<&'static str> {
    crate::PTX.meant(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_letter_counts_as_one_edit() {
        assert_eq!(distance("shred", "shared"), 1);
        assert_eq!(nearest("shred", ["global", "shared"]), Some("shared"));
    }

    #[test]
    fn transposed_letters_count_as_one_edit() {
        assert_eq!(distance("glboal", "global"), 1);
    }

    #[test]
    fn distant_names_are_not_suggested() {
        assert_eq!(nearest("xyzzy", ["global", "shared"]), None);
    }
}
