//! Searchable index of the reference, which contains every instruction form, diagnostic and term.

use warpgrid_view::source::reference::{CodePage, FormPage, ReferencePages, SlotDoc, TermDoc};

/// Page of the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReferenceTopic {
    /// List of search results.
    Start,
    /// An instruction form, by its index in the table.
    Form(usize),
    /// A diagnostic.
    Code(String),
    /// A term, by its index in the list.
    Term(usize),
}

impl ReferenceTopic {
    /// Returns the identifier of the page in the command palette: its kind, and its index or code.
    pub fn key(&self) -> String {
        match self {
            ReferenceTopic::Start => "start".into(),
            ReferenceTopic::Form(index) => format!("instruction {index}"),
            ReferenceTopic::Code(code) => format!("diagnostic {code}"),
            ReferenceTopic::Term(index) => format!("term {index}"),
        }
    }

    /// Parses the identifier that [`ReferenceTopic::key`] returns.
    pub fn from_key(key: &str) -> Option<ReferenceTopic> {
        match key.split_once(' ') {
            None => (key == "start").then_some(ReferenceTopic::Start),
            Some(("instruction", index)) => Some(ReferenceTopic::Form(index.parse().ok()?)),
            Some(("diagnostic", code)) => Some(ReferenceTopic::Code(code.to_owned())),
            Some(("term", index)) => Some(ReferenceTopic::Term(index.parse().ok()?)),
            Some(_) => None,
        }
    }
}

/// The reference index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferenceIndex {
    pub forms: Vec<FormPage>,
    pub codes: Vec<CodePage>,
    pub terms: Vec<TermDoc>,
    /// Title of each form in the list of results.
    titles: Vec<String>,
    /// Searched texts in lowercase: one for each form, followed by one for each diagnostic, followed by one for each term.
    texts: Vec<String>,
}

/// Result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchResult {
    pub subject: ReferenceTopic,
    pub title: String,
    pub help: String,
}

impl ReferenceIndex {
    /// Creates the index from the pages of [`crate::protocol::ResponseBody::Reference`].
    pub fn new(pages: ReferencePages) -> ReferenceIndex {
        let ReferencePages {
            forms,
            codes,
            terms,
        } = pages;
        let texts = forms
            .iter()
            .map(form_text)
            .chain(codes.iter().map(code_text))
            .chain(terms.iter().map(term_text));
        let texts = texts.map(|text| text.to_ascii_lowercase()).collect();
        ReferenceIndex {
            titles: titles(&forms),
            forms,
            codes,
            terms,
            texts,
        }
    }

    /// Returns the pages that contain every term of the query. Pages whose titles match the query come first.
    pub fn search(&self, query: &str) -> Vec<SearchResult> {
        let query = query.trim().to_ascii_lowercase();
        let words: Vec<&str> = query.split_whitespace().flat_map(query_terms).collect();
        let mut found: Vec<(u8, SearchResult)> = self
            .entries()
            .zip(&self.texts)
            .filter(|(_, text)| words.iter().all(|word| text.contains(word)))
            .map(|(entry, _)| (rank(&entry.title.to_ascii_lowercase(), &query), entry))
            .collect();
        found.sort_by_cached_key(|(rank, _)| u64::from(*rank));
        found.into_iter().map(|(_, entry)| entry).collect()
    }

    /// Returns the page of a diagnostic.
    pub fn code(&self, code: &str) -> Option<&CodePage> {
        self.codes.iter().find(|page| page.code == code)
    }

    fn entries(&self) -> impl Iterator<Item = SearchResult> {
        let forms = self
            .forms
            .iter()
            .enumerate()
            .map(|(index, form)| SearchResult {
                subject: ReferenceTopic::Form(index),
                title: self.titles[index].clone(),
                help: form.help.clone(),
            });
        let codes = self.codes.iter().map(|page| SearchResult {
            subject: ReferenceTopic::Code(page.code.clone()),
            title: page.code.clone(),
            help: page.title.clone(),
        });
        let terms = self
            .terms
            .iter()
            .enumerate()
            .map(|(index, term)| SearchResult {
                subject: ReferenceTopic::Term(index),
                title: term.name.clone(),
                help: term.help.clone(),
            });
        forms.chain(codes).chain(terms)
    }
}

fn leading_literals(form: &FormPage) -> impl Iterator<Item = &SlotDoc> {
    let slots = form.slots.iter();
    slots.take_while(|slot| slot.is_name())
}

/// Returns the title of each form in the list of results. The titles of forms with the same opcode contain their modifiers.
fn titles(forms: &[FormPage]) -> Vec<String> {
    let plain: Vec<String> = forms.iter().map(|form| form.title.clone()).collect();
    let title = |index: usize| {
        let same = |other: &usize| *other != index && plain[*other] == plain[index];
        let mut others: Vec<&FormPage> = (0..forms.len()).filter(same).map(|i| &forms[i]).collect();
        let mut title = plain[index].clone();
        let n_literals = leading_literals(&forms[index]).count();
        let slots = forms[index].slots.iter().skip(n_literals);
        for slot in slots.filter(|slot| slot.required) {
            let differs = |other: &&FormPage| !other.slots.iter().any(|own| is_like(own, slot));
            if others.iter().any(differs) {
                title += &format!(".{}", words_of(slot));
                others.retain(|other| !differs(other));
            }
            if others.is_empty() {
                break;
            }
        }
        title
    };
    (0..forms.len()).map(title).collect()
}

/// Checks whether two slots accept the same modifiers.
fn is_like(a: &SlotDoc, b: &SlotDoc) -> bool {
    let texts = |slot: &SlotDoc| -> Vec<String> {
        slot.values.iter().map(|value| value.text.clone()).collect()
    };
    a.required == b.required && a.name == b.name && texts(a) == texts(b)
}

/// Returns the modifiers of a slot as `hi/lo`. For many modifiers, returns only the first one, as in `u16…`.
fn words_of(slot: &SlotDoc) -> String {
    match slot.values.as_slice() {
        [] => slot.name.clone(),
        [one] => one.text.clone(),
        [one, two] => format!("{}/{}", one.text, two.text),
        [one, ..] => format!("{}…", one.text),
    }
}

/// Splits the word of a query into the opcode and the modifiers of an instruction. Other words are returned unchanged.
fn query_terms(word: &str) -> impl Iterator<Item = &str> {
    let is_instruction = word.starts_with(|first: char| first.is_ascii_alphabetic());
    let mut rest = Some(word);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        // A modifier starts with a dot.
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
        // The user has typed the opcode of the form that the page describes.
        _ if title.split('.').next() == Some(opcode) => 3,
        _ => 4,
    }
}

fn form_text(form: &FormPage) -> String {
    let mut text = format!("{} {} {}", form.title, form.syntax, form.help);
    for value in form.slots.iter().flat_map(|slot| &slot.values) {
        for word in std::iter::once(&value.text).chain(&value.members) {
            text += &format!(" .{word}");
        }
    }
    text
}

fn code_text(page: &CodePage) -> String {
    format!("{} {} {}", page.code, page.title, page.explanation)
}

fn term_text(page: &TermDoc) -> String {
    format!("{} {} {}", page.name, page.aliases.join(" "), page.help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use warpgrid_view::source::reference::pages;

    fn library() -> ReferenceIndex {
        ReferenceIndex::new(pages())
    }

    fn first(query: &str) -> Option<String> {
        let found = library().search(query);
        found.first().map(|entry| entry.title.clone())
    }

    #[test]
    fn title_matches_rank_first() {
        assert!(first("st.async").is_some_and(|title| title.starts_with("st.async.")));
        assert!(first("WMMA.store").is_some_and(|title| title.starts_with("wmma.store.d.sync")));
        assert_eq!(first("st").as_deref(), Some("st"));
        assert_eq!(first("no such thing"), None);
    }

    #[test]
    fn search_finds_instruction_with_modifiers() {
        assert_eq!(first("st.global.v8.f32").as_deref(), Some("st"));
        assert!(first("st.async.weak").is_some_and(|title| title.starts_with("st.async.")));
        assert_eq!(first("st.globl"), None);
    }

    #[test]
    fn search_finds_registers_and_terms() {
        assert_eq!(first("%tid").as_deref(), Some("%tid.x to %tid.z"));
        assert_eq!(first("%tid.x").as_deref(), Some("%tid.x to %tid.z"));
        assert_eq!(first("bank").as_deref(), Some("bank"));
        assert_eq!(first("misaligned").as_deref(), Some("misaligned"));
    }

    #[test]
    fn forms_of_same_opcode_have_distinguishing_titles() {
        let titles = |query: &str| -> Vec<String> {
            let found = library().search(query).into_iter();
            let named =
                found.filter(|e| e.title == query || e.title.starts_with(&format!("{query}.")));
            named.map(|entry| entry.title).collect()
        };
        assert_eq!(
            titles("mul"),
            [
                "mul.hi/lo",
                "mul.wide",
                "mul.f32",
                "mul.f64",
                "mul.f32x2",
                "mul.f16/f16x2",
                "mul.bf16/bf16x2"
            ]
        );
        let of_mad: BTreeSet<String> = titles("mad").into_iter().collect();
        assert_eq!(of_mad.len(), titles("mad").len());
    }

    #[test]
    fn empty_query_lists_all_pages() {
        let library = library();
        let n_pages = library.forms.len() + library.codes.len() + library.terms.len();
        assert_eq!(library.search(" ").len(), n_pages);
    }

    #[test]
    fn search_finds_every_diagnostic_code() {
        let library = library();
        for page in &library.codes {
            let found = library.search(&page.code);
            assert_eq!(found.first().map(|entry| &entry.title), Some(&page.code));
            assert!(library.code(&page.code).is_some());
        }
    }
}
