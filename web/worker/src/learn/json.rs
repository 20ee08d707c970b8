//! Serializes puzzles and tours as JSON.

use crate::json::{list, object, or_null, text, texts};
use warpgrid_view::learn::puzzle::{PuzzleView, Verdict};
use warpgrid_view::learn::tour::TourView;
use warpgrid_view::learn::{Inline, Prose};

fn prose(prose: &Prose) -> String {
    list(prose.iter().map(|pieces| list(pieces.iter().map(piece))))
}

fn piece(piece: &Inline) -> String {
    let (kind, value) = match piece {
        Inline::Text(words) => ("text", text(words)),
        Inline::Code(words) => ("code", text(words)),
        Inline::Strong(words) => ("strong", text(words)),
        Inline::Line(line) => ("line", line.to_string()),
        Inline::Fact(fact) => {
            let fields = [
                ("text", text(&fact.text)),
                ("pin", or_null(fact.pin.as_ref())),
            ];
            ("fact", object(&fields))
        }
    };
    object(&[(kind, value)])
}

pub(super) fn puzzle(view: &PuzzleView) -> String {
    object(&[
        ("title", text(&view.title)),
        ("chapter", text(&view.chapter)),
        ("prose", prose(&view.prose)),
        ("hints", prose(&view.hints)),
        ("ask", or_null(view.ask.as_ref())),
        ("moment", or_null(view.moment.as_ref())),
        ("choices", texts(&view.choices)),
        ("before", text(&view.before)),
        ("given", text(&view.placeholder)),
        ("after", text(&view.after)),
        ("limits", texts(&view.limits)),
        ("answer", text(&view.answer)),
        ("solution", text(&view.solution)),
    ])
}

pub(super) fn verdict(found: &Verdict) -> String {
    object(&[
        ("passed", found.passed.to_string()),
        ("sentence", text(&found.sentence)),
        ("source", text(&found.source)),
    ])
}

pub(super) fn tour(view: &TourView) -> String {
    let stops = view.stops.iter().map(|stop| {
        object(&[
            ("moment", text(&stop.moment)),
            ("position", stop.position.to_string()),
            ("prose", prose(&stop.prose)),
        ])
    });
    object(&[
        ("title", text(&view.title)),
        ("intro", prose(&view.intro)),
        ("stops", list(stops)),
        ("length", view.length.to_string()),
    ])
}
