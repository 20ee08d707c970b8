//! Puzzles, tours and small pictures in a worker: a question as JSON goes in; its answer as JSON comes out. The part of the page where people learn is
//! JavaScript that is loaded when it is opened, so these questions cross as text. Only the core that is loaded later has them.

use serde::{Deserialize, Serialize};
use warpgrid_view::learn::puzzle::{Puzzle, PuzzleView, Verdict};
use warpgrid_view::learn::thumbnail;
use warpgrid_view::learn::tour::{Tour, TourView};

/// What is asked, with a number that the answer repeats.
#[derive(Debug, Deserialize)]
struct Request {
    id: u32,
    #[serde(flatten)]
    body: Question,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase")]
enum Question {
    /// What a person sees of a puzzle, given its file.
    Puzzle { text: String },
    /// Whether an answer is right.
    Check { text: String, answer: String },
    /// A tour through an example.
    Tour { text: String, source: String },
    /// What a text stores.
    Picture { source: String },
}

#[derive(Serialize)]
struct Response {
    id: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<Found>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Found {
    Puzzle(Box<PuzzleView>),
    Verdict(Verdict),
    Tour(TourView),
    Picture(String),
}

/// The answer; `None` for what is no question.
pub(crate) fn answer(text: &str) -> Option<String> {
    let Request { id, body } = serde_json::from_str(text).ok()?;
    let (found, error) = match find(body) {
        Ok(found) => (Some(found), None),
        Err(why) => (None, Some(why)),
    };
    serde_json::to_string(&Response { id, found, error }).ok()
}

fn find(question: Question) -> Result<Found, String> {
    Ok(match question {
        Question::Puzzle { text } => Found::Puzzle(Box::new(Puzzle::read(&text)?.view())),
        Question::Check { text, answer } => Found::Verdict(Puzzle::read(&text)?.check(&answer)),
        Question::Tour { text, source } => Found::Tour(Tour::read(&text)?.follow(&source)?),
        Question::Picture { source } => Found::Picture(thumbnail(&source)?),
    })
}

#[cfg(test)]
mod tests {
    use super::answer;

    #[test]
    fn questions_have_answers_as_text() {
        let found = answer(r#"{"id":3,"ask":"picture","source":"st.shred [p], 1;"}"#);
        assert!(found.is_some_and(|found| found.starts_with(r#"{"id":3,"error":"#)));
        let found = answer(
            r#"{"id":4,"ask":"picture","source":"//@ launch grid=1 block=1\n//@ buffer p: u32[2] = 0\nst.global.u32 [p], 7;\n"}"#,
        );
        assert!(found.is_some_and(|found| found.starts_with(r#"{"id":4,"found":"<svg "#)));
        let found = answer(r#"{"id":5,"ask":"puzzle","text":"none"}"#);
        assert!(found.is_some_and(|found| found.contains("error")));
        assert_eq!(answer("{}"), None);
    }
}
