//! Questions that a layout diagram or an example answers. The source of the questions is `web/questions.txt`, which the website also uses.

/// Question, and the link to its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaqEntry {
    pub text: &'static str,
    pub link: &'static str,
}

const TABLE: &str = include_str!("../../questions.txt");

/// Returns all questions in the order of the file.
pub fn questions() -> impl Iterator<Item = FaqEntry> {
    TABLE.lines().filter_map(|line| {
        let mut parts = line.split(" | ").skip(1);
        Some(FaqEntry {
            text: parts.next()?,
            link: parts.next()?,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{EXAMPLES, linked_example};
    use crate::layout_explorer::read_link;
    use warpgrid_view::layouts::fragment::fragment;
    use warpgrid_view::layouts::inspector::picture;
    use warpgrid_view::layouts::tensor::{has_layout, layout};

    #[test]
    fn every_question_link_resolves() {
        for question in questions() {
            if let Some(id) = linked_example(question.link) {
                assert!(EXAMPLES.iter().any(|example| example.id == id), "{id}");
                continue;
            }
            if question.link.starts_with("#litmus=") {
                let link = crate::litmus::read_link(question.link).expect(question.text);
                assert_eq!(crate::litmus::write_link(&link.text), question.link);
                continue;
            }
            let choice = read_link(question.link).expect(question.text);
            assert_eq!(choice.unknown_parameters, [""; 0], "{}", question.text);
            let request = &choice.request;
            let refusal = match has_layout(&request.op) {
                true => layout(request).err(),
                false if picture::has_picture(&request.op) => picture::layout(request).err(),
                false => fragment(request).err(),
            };
            assert_eq!(refusal, None, "{}", question.text);
        }
        assert_eq!(questions().count(), TABLE.lines().count());
    }
}
