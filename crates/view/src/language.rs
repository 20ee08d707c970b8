//! A language as hosts hold it: a front end goes in; checks, help for the editor, the reference and sessions come out, in
//! the screen's words.

use crate::front_ends::front_end;
use warpgrid_launch::Front;
use warpgrid_program::FrontEnd;

/// A language of sources. The calls of this room about a text are its methods; free functions such as
/// [`check`](crate::check()) take the language from their options.
#[derive(Clone, Copy)]
pub struct Language {
    pub(crate) front_end: &'static dyn FrontEnd,
}

impl Language {
    /// The language of a front end.
    pub const fn new(front_end: &'static dyn FrontEnd) -> Language {
        Language { front_end }
    }

    /// Formats a source: the same tokens and comments, one statement per line. Lines end as the first one does.
    pub fn format(self, source: &str) -> String {
        let formatted = self.front_end.format(source);
        let first_end = source.find('\n').unwrap_or(0);
        if source[..first_end].ends_with('\r') {
            // The formatter may leave a line as it is, with its end.
            return formatted.replace("\r\n", "\n").replace('\n', "\r\n");
        }
        formatted
    }

    /// What starts a line of launch facts: `//@`.
    pub(crate) fn fact_mark(self) -> String {
        format!("{}@", self.front_end.line_comment())
    }
}

impl From<Front> for Language {
    fn from(front: Front) -> Language {
        Language::new(front_end(front))
    }
}

impl std::fmt::Debug for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Language").finish_non_exhaustive()
    }
}
