//! Fuzz harness for both languages: checks, tokenizes, formats and hovers over the input and, if it is accepted, runs it forward and
//! backward. Fails on a panic or an invariant violation.

use warpgrid_view::{CheckOptions, Front, Language, Scenario, Session};
use warpgrid_view::source::check;

/// Runs every front-end and session entry point on `text`.
pub fn try_text(text: &str, front: Front) {
    let options = CheckOptions { front, ..CheckOptions::default() };
    let report = check::check(text, &options);
    for diagnostic in &report.diagnostics {
        assert!(diagnostic.range().line >= 1 && diagnostic.range().column >= 1);
    }
    let tokens = check::tokens(text, front);
    assert!(tokens.windows(2).all(|pair| pair[0].end <= pair[1].start));
    let language = Language::from(front);
    let formatted = language.format(text);
    assert_eq!(language.format(&formatted), formatted, "formatting twice changes nothing more");
    let middle = text.len() as u32 / 2;
    let document = language.open(text, &options);
    document.hover(middle);
    document.complete(middle);
    document.signature(middle);
    let scenario = Scenario { source: text.to_owned(), front, ..Scenario::default() };
    if let Ok(mut session) = Session::new(scenario) {
        session.run(200);
        let end = session.position();
        session.frame(&Default::default());
        session.back();
        session.seek(0);
        session.seek(end);
        assert_eq!(session.position(), end);
    }
}
