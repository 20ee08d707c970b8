//! Puzzles, tours and thumbnails in a worker. A request is a string of NUL-separated fields: its number, its command and its arguments. The
//! response is JSON. The messages are strings, because the learning pages are JavaScript that is loaded on demand. Only the worker module
//! that is loaded later handles them.

mod json;

use crate::json::{response, text};
use warpgrid_view::learn::puzzle::Puzzle;
use warpgrid_view::learn::thumbnail;
use warpgrid_view::learn::tour::Tour;

/// Returns the response to a request, or `None` if the text is not a request of this module.
pub(crate) fn answer(question: &str) -> Option<String> {
    let parts: Vec<&str> = question.splitn(4, '\0').collect();
    let number: u32 = parts.first()?.parse().ok()?;
    let found = find(parts.get(1..)?)?;
    Some(response(&number.to_string(), found))
}

/// Handles the commands `puzzle FILE`, `check FILE ANSWER`, `tour FILE SOURCE` and `picture SOURCE`.
fn find(parts: &[&str]) -> Option<Result<String, String>> {
    let read = Puzzle::read;
    Some(match *parts {
        ["puzzle", file] => read(file).map(|puzzle| json::puzzle(&puzzle.view())),
        ["check", file, answer] => read(file).map(|puzzle| json::verdict(&puzzle.check(answer))),
        ["tour", file, source] => Tour::read(file)
            .and_then(|tour| tour.verify_stops(source))
            .map(|view| json::tour(&view)),
        ["picture", source] => thumbnail(source).map(|svg| text(&svg)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::answer;
    use serde_json::Value;

    const KERNEL: &str =
        "//@ launch grid=1 block=1\n//@ buffer p: u32[2] = 0\nst.global.u32 [p], 7;\n";

    fn found(parts: &[&str]) -> Value {
        let said = answer(&parts.join("\0")).expect("an answer");
        serde_json::from_str(&said).unwrap_or_else(|reason| panic!("{reason}: {said}"))
    }

    #[test]
    fn requests_return_json_responses() {
        let picture = found(&["4", "picture", KERNEL]);
        assert_eq!(picture["id"], 4);
        assert!(
            picture["found"]
                .as_str()
                .is_some_and(|svg| svg.starts_with("<svg "))
        );
        assert!(found(&["3", "picture", "st.shred [p], 1;"])["error"].is_string());
        let puzzle = format!(
            "---\ntitle: \"T\"\nchapter: C\nhint: a `b`\nask: p[0]\nanswer: 7\n---\nSay **it**.\n\n~~~ptx\n{KERNEL}~~~\n"
        );
        let view = found(&["5", "puzzle", &puzzle]);
        assert_eq!(view["found"]["title"], "\"T\"");
        assert_eq!(view["found"]["prose"][0][1]["strong"], "it");
        assert_eq!(view["found"]["before"], KERNEL);
        let verdict = found(&["6", "check", &puzzle, "8"]);
        assert_eq!(verdict["found"]["passed"], false);
        let tour = "---\ntitle: T\n---\nSee [line 3].\n\n## line 3\n{{p[0] = 7}}\n";
        let view = found(&["7", "tour", tour, KERNEL]);
        assert_eq!(view["found"]["stops"][0]["position"], 1);
        assert_eq!(
            view["found"]["stops"][0]["prose"][0][0]["fact"]["pin"],
            "cell 0 of p"
        );
        assert_eq!(view["found"]["intro"][0][1]["line"], 3);
    }

    #[test]
    fn malformed_requests_have_no_response() {
        for text in ["", "1", "1\0sing", "x\0puzzle\0a", "1\0check\0a"] {
            assert_eq!(answer(text), None, "{text:?}");
        }
    }
}
