//! What puzzles, tours and pictures answer, as JSON: plain data goes in, text comes out. Written by hand, since a library for it weighs 40 KB of the core.

use std::fmt::Write;
use warpgrid_view::learn::puzzle::{PuzzleView, Verdict};
use warpgrid_view::learn::tour::TourView;
use warpgrid_view::learn::{Piece, Prose};

/// A text in quotation marks.
pub(super) fn text(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 2);
    out.push('"');
    for c in value.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            // Writing to a string cannot fail.
            c if u32::from(c) < 0x20 => drop(write!(out, "\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn or_null(value: Option<&String>) -> String {
    value.map_or("null".to_owned(), |value| text(value))
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

fn texts(values: &[String]) -> String {
    list(values.iter().map(|value| text(value)))
}

/// Names with values that are JSON already.
fn object(fields: &[(&str, String)]) -> String {
    let fields = fields
        .iter()
        .map(|(name, value)| format!("\"{name}\":{value}"));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

fn prose(prose: &Prose) -> String {
    list(prose.iter().map(|pieces| list(pieces.iter().map(piece))))
}

fn piece(piece: &Piece) -> String {
    let (kind, value) = match piece {
        Piece::Text(words) => ("text", text(words)),
        Piece::Code(words) => ("code", text(words)),
        Piece::Strong(words) => ("strong", text(words)),
        Piece::Line(line) => ("line", line.to_string()),
        Piece::Fact(fact) => {
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
        ("given", text(&view.given)),
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

/// An answer with the number of its question: what was found, or why nothing was.
pub(super) fn response(id: &str, found: Result<String, String>) -> String {
    let field = match found {
        Ok(found) => ("found", found),
        Err(why) => ("error", text(&why)),
    };
    object(&[("id", id.to_owned()), field])
}
