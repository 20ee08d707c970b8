//! Parser for the prose of puzzles and tours, which converts paragraphs of Markdown to inline elements. Hosts display these elements, and
//! therefore need no Markdown parser.
//!
//! The supported syntax is `` `code` ``, `**strong**`, `[line 18]` for a line of the kernel, and `{{out[3] = 7}}` for a fact that must
//! hold.

use crate::learn::quantity::Quantity;

/// Inline element of a paragraph in a puzzle or tour: text, code, a line of the kernel or a fact.
#[derive(Clone, Debug, PartialEq)]
pub enum Inline {
    Text(String),
    Code(String),
    Strong(String),
    /// Line of the kernel, starting at 1.
    Line(u32),
    /// Fact that holds at the position of the run that the paragraph describes.
    Fact(Assertion),
}

/// Fact about a run in the text of a tour or puzzle. The tests verify that it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Assertion {
    /// Text of the fact in the notation of the source file: `out[3] = 7`.
    pub text: String,
    /// Location that the page highlights, in the notation of links: `cell 3 of out`.
    pub pin: Option<String>,
    pub quantity: Quantity,
    pub answer: String,
}

/// Prose as a list of paragraphs, each of which is a list of inline elements.
pub type Prose = Vec<Vec<Inline>>;

/// Opening and closing delimiters of inline elements.
const MARKS: [(&str, &str); 4] = [("`", "`"), ("**", "**"), ("[line ", "]"), ("{{", "}}")];

/// Parses the paragraphs of a text. The error message describes the first invalid fact.
pub(crate) fn read(text: &str) -> Result<Prose, String> {
    let paragraphs = text.split("\n\n").map(str::trim);
    let paragraphs = paragraphs.filter(|paragraph| !paragraph.is_empty());
    paragraphs.map(read_paragraph).collect()
}

pub(crate) fn read_paragraph(text: &str) -> Result<Vec<Inline>, String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut pieces = Vec::new();
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let found = MARKS
            .iter()
            .filter_map(|(open, close)| {
                let at = rest.find(open)?;
                let inner = rest.get(at + open.len()..)?;
                let end = inner.find(close)?;
                Some((
                    at,
                    *open,
                    inner.get(..end)?,
                    inner.get(end + close.len()..)?,
                ))
            })
            .min_by_key(|(at, ..)| *at);
        let Some((at, open, inner, after)) = found else {
            break;
        };
        if at > 0 {
            pieces.push(Inline::Text(rest.get(..at).unwrap_or("").to_owned()));
        }
        pieces.push(piece(open, inner)?);
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(Inline::Text(rest.to_owned()));
    }
    Ok(pieces)
}

fn piece(open: &str, inner: &str) -> Result<Inline, String> {
    match open {
        "`" => Ok(Inline::Code(inner.to_owned())),
        "**" => Ok(Inline::Strong(inner.to_owned())),
        "{{" => fact(inner).map(Inline::Fact),
        _ => {
            let line = inner.parse().ok().filter(|line| *line > 0);
            let line = line.ok_or_else(|| format!("found `[line {inner}]`, expected a number"))?;
            Ok(Inline::Line(line))
        }
    }
}

fn fact(text: &str) -> Result<Assertion, String> {
    let (quantity, answer) = text
        .split_once(" = ")
        .ok_or_else(|| format!("found `{text}`, expected `quantity = value`"))?;
    let quantity = Quantity::read(quantity)?;
    Ok(Assertion {
        text: text.to_owned(),
        pin: quantity.pin(),
        quantity,
        answer: answer.trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_parses_into_inline_elements() {
        let prose =
            read("The `st` of **all** lanes,\nsee [line 3].\n\n{{out[1] = 7}}").expect("prose");
        assert_eq!(prose.len(), 2);
        assert_eq!(
            prose[0],
            [
                Inline::Text("The ".into()),
                Inline::Code("st".into()),
                Inline::Text(" of ".into()),
                Inline::Strong("all".into()),
                Inline::Text(" lanes, see ".into()),
                Inline::Line(3),
                Inline::Text(".".into()),
            ]
        );
        assert!(
            matches!(&prose[1][..], [Inline::Fact(fact)] if fact.pin.as_deref() == Some("cell 1 of out"))
        );
    }

    #[test]
    fn fact_without_valid_quantity_is_rejected() {
        assert!(read("{{out}}").is_err());
        assert!(read("{{the moon = 7}}").is_err());
        assert_eq!(read("a ` and ** alone").map(|prose| prose[0].len()), Ok(1));
    }
}
