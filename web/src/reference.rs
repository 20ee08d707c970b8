//! The reference as the page lists it: every form and every diagnostic of the core, searchable.

use warpgrid_view::reference::{CodePage, FormPage};

/// A page of the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// No page yet: the list.
    Start,
    /// A form, by its place in the table.
    Form(usize),
    /// A diagnostic.
    Code(String),
}

/// Everything that can be looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Library {
    pub forms: Vec<FormPage>,
    pub codes: Vec<CodePage>,
    /// What is searched, in lower case: one text a form, then one a code.
    texts: Vec<String>,
}

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub subject: Subject,
    pub title: String,
    pub help: String,
}

impl Library {
    /// The core's tables, as [`crate::protocol::ResponseBody::Reference`] brings them.
    pub fn new(forms: Vec<FormPage>, codes: Vec<CodePage>) -> Library {
        let texts = forms
            .iter()
            .map(form_text)
            .chain(codes.iter().map(code_text));
        let texts = texts.map(|text| text.to_lowercase()).collect();
        Library {
            forms,
            codes,
            texts,
        }
    }

    /// The pages that hold every word of the query, best first: those that are called so, then the others.
    pub fn search(&self, query: &str) -> Vec<Entry> {
        let query = query.trim().to_lowercase();
        let words: Vec<&str> = query.split_whitespace().flat_map(parts).collect();
        let mut found: Vec<(u8, Entry)> = self
            .entries()
            .zip(&self.texts)
            .filter(|(_, text)| words.iter().all(|word| text.contains(word)))
            .map(|(entry, _)| (rank(&entry.title.to_lowercase(), &query), entry))
            .collect();
        found.sort_by_key(|(rank, _)| *rank);
        found.into_iter().map(|(_, entry)| entry).collect()
    }

    /// The page of a diagnostic.
    pub fn code(&self, code: &str) -> Option<&CodePage> {
        self.codes.iter().find(|page| page.code == code)
    }

    fn entries(&self) -> impl Iterator<Item = Entry> {
        let forms = self.forms.iter().enumerate().map(|(index, form)| Entry {
            subject: Subject::Form(index),
            title: form_title(form),
            help: form.help.clone(),
        });
        let codes = self.codes.iter().map(|page| Entry {
            subject: Subject::Code(page.code.clone()),
            title: page.code.clone(),
            help: page.title.clone(),
        });
        forms.chain(codes)
    }
}

/// The opcode with the words that this form always begins with: `wmma.store.d.sync`.
pub fn form_title(form: &FormPage) -> String {
    let literals = form
        .slots
        .iter()
        .take_while(|slot| slot.required && slot.values.is_empty());
    literals.fold(form.opcode.clone(), |title, slot| title + "." + &slot.name)
}

/// An instruction as it is written, in its opcode and its modifiers; another word is one part.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    let is_instruction = word.starts_with(|first: char| first.is_ascii_alphabetic());
    let mut rest = Some(word);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        // The point begins a modifier.
        let end = text
            .char_indices()
            .skip(1)
            .find(|(_, c)| *c == '.' && is_instruction);
        let (part, later) = text.split_at(end.map_or(text.len(), |(at, _)| at));
        rest = Some(later).filter(|later| !later.is_empty());
        Some(part)
    })
}

fn rank(title: &str, query: &str) -> u8 {
    let opcode = query.split('.').next().unwrap_or(query);
    match query {
        "" => 0,
        _ if title == query => 0,
        _ if title.starts_with(query) => 1,
        _ if title.contains(query) => 2,
        // The form of the instruction that was typed.
        _ if title.split('.').next() == Some(opcode) => 3,
        _ => 4,
    }
}

fn form_text(form: &FormPage) -> String {
    let mut text = format!("{} {} {}", form_title(form), form.syntax, form.help);
    for value in form.slots.iter().flat_map(|slot| &slot.values) {
        text += &format!(" .{}", value.text);
    }
    text
}

fn code_text(page: &CodePage) -> String {
    format!("{} {} {}", page.code, page.title, page.explanation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpgrid_view::reference::{codes, forms};

    fn library() -> Library {
        Library::new(forms(), codes())
    }

    fn first(query: &str) -> Option<String> {
        let found = library().search(query);
        found.first().map(|entry| entry.title.clone())
    }

    #[test]
    fn what_is_called_so_comes_first() {
        assert_eq!(first("st.async").as_deref(), Some("st.async"));
        assert_eq!(first("WMMA.store").as_deref(), Some("wmma.store.d.sync"));
        assert_eq!(first("st").as_deref(), Some("st"));
        assert_eq!(first("no such thing"), None);
    }

    #[test]
    fn an_instruction_is_found_as_it_is_written() {
        assert_eq!(first("st.global.v8.f32").as_deref(), Some("st"));
        assert_eq!(first("st.async.weak").as_deref(), Some("st.async"));
        assert_eq!(first("st.globl"), None);
    }

    #[test]
    fn an_empty_query_lists_everything() {
        let library = library();
        let n_pages = library.forms.len() + library.codes.len();
        assert_eq!(library.search(" ").len(), n_pages);
    }

    #[test]
    fn every_code_is_found_by_its_name() {
        let library = library();
        for page in &library.codes {
            let found = library.search(&page.code);
            assert_eq!(found.first().map(|entry| &entry.title), Some(&page.code));
            assert!(library.code(&page.code).is_some());
        }
    }
}
