//! Finds the byte range of a value in a `//@` line, for a given fact and name.

use super::AnnotationText;
use std::ops::Range;

/// Location of the value of a fact in its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnnotationValue {
    /// Byte range of the value in the line. If the line specifies no value, the range is empty and at the end of the
    /// line.
    pub place: Range<usize>,
    /// Whether an equals sign precedes the value.
    pub is_written: bool,
}

/// Returns the location of the value that a line specifies for the fact with this name, or `None` if the line specifies
/// another fact. Each line that specifies a fact starts with `mark`.
pub fn stated_value(line: &str, mark: &str, fact: &str, name: &str) -> Option<AnnotationValue> {
    let text = line.trim_start().strip_prefix(mark)?;
    let (word, rest) = AnnotationText::new(text, line.len() - text.len()).split_word();
    let (head, value) = rest.split_init();
    let named = head.split_once(':').map_or(head, |(named, _)| named);
    let end = line.trim_end().len();
    (word.text == fact && named.text == name).then(|| AnnotationValue {
        place: value.map_or(end, |value| value.start.min(end))..end,
        is_written: value.is_some(),
    })
}

#[cfg(test)]
mod tests {
    use super::stated_value;

    #[test]
    fn annotation_value_is_located_by_kind_and_name() {
        let value = |line: &str, fact, name| {
            let found = stated_value(line, "//@", fact, name)?;
            Some((line[found.place].to_owned(), found.is_written))
        };
        let some = |text: &str, is_written| Some((text.to_owned(), is_written));
        assert_eq!(
            value("//@ buffer x: f32[4] = 1, 2 ", "buffer", "x"),
            some("1, 2", true)
        );
        assert_eq!(
            value("  //@buffer x:f32[4]", "buffer", "x"),
            some("", false)
        );
        assert_eq!(
            value("//@ buffer x: f32[4] =", "buffer", "x"),
            some("", true)
        );
        assert_eq!(
            value("//@ register %r1 = 7", "register", "%r1"),
            some("7", true)
        );
        assert_eq!(value("//@ buffer xy: f32[4] = 1", "buffer", "x"), None);
        assert_eq!(value("// buffer x: f32[4] = 1", "buffer", "x"), None);
    }
}
