//! Builder of a summary sentence, which consists of phrases.

use crate::model::{Phrase, PhraseLink};
use crate::session::memory_id::MemoryKey;

/// Builder of a sentence from phrases.
#[derive(Debug, Default)]
pub(super) struct Sentence(pub(super) Vec<Phrase>);

impl Sentence {
    pub(super) fn plain(self, text: impl Into<String>) -> Sentence {
        self.phrase(text, false, None)
    }

    pub(super) fn strong(self, text: impl Into<String>) -> Sentence {
        self.phrase(text, true, None)
    }

    /// Appends a name to the sentence, with a link to the object that has this name.
    pub(super) fn link(self, text: impl Into<String>, link: PhraseLink) -> Sentence {
        self.phrase(text, false, Some(link))
    }

    /// Appends the names of memories to the sentence, with links to the memories: `a and b`.
    pub(super) fn memories(self, ids: &[MemoryKey]) -> Sentence {
        ids.iter().enumerate().fold(self, |sentence, (index, id)| {
            let sentence = match index {
                0 => sentence,
                index if index + 1 == ids.len() => sentence.plain(" and "),
                _ => sentence.plain(", "),
            };
            sentence.link(memory_name(id), PhraseLink::Memory(id.clone()))
        })
    }

    fn phrase(
        mut self,
        text: impl Into<String>,
        strong: bool,
        link: Option<PhraseLink>,
    ) -> Sentence {
        self.0.push(Phrase {
            text: text.into(),
            strong,
            link,
        });
        self
    }
}

/// Returns the name of a memory in sentences.
pub(super) fn memory_name(id: &MemoryKey) -> String {
    match id {
        MemoryKey::Shared(block) => format!("the shared memory of block {block}"),
        MemoryKey::Tensor(block) => format!("the tensor memory of block {block}"),
        MemoryKey::Buffer(name) | MemoryKey::Variable(name) => format!("`{name}`"),
    }
}
