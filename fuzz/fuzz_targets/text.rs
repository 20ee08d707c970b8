//! Any text: it is checked, coloured, formatted, and, where it is accepted, launched and stepped forward
//! and back, without a panic and without running away.
#![no_main]

use libfuzzer_sys::fuzz_target;
use warpgrid_view::{CheckOptions, Front, Scenario, Session, check, format};

fuzz_target!(|text: &str| {
    let report = check::check(text, &CheckOptions::default());
    for diagnostic in &report.diagnostics {
        assert!(diagnostic.range.line >= 1 && diagnostic.range.column >= 1);
    }
    let tokens = check::tokens(text, Front::Ptx);
    assert!(tokens.windows(2).all(|pair| pair[0].end <= pair[1].start));
    let formatted = format(text);
    assert_eq!(format(&formatted), formatted, "formatting twice changes nothing more");
    let scenario = Scenario { source: text.to_owned(), ..Scenario::default() };
    if let Ok(mut session) = Session::new(scenario) {
        session.run(200);
        let end = session.position();
        session.frame(&Default::default());
        session.back();
        session.seek(0);
        session.seek(end);
        assert_eq!(session.position(), end);
    }
});
