//! Reduction of a PTX source: removes and simplifies parts of the source as long as the caller confirms that the source still has a property,
//! such as a data race.
//!
//! The algorithm is delta debugging (Zeller and Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*, IEEE TSE 2002) over the
//! syntax tree: it removes chunks of parts, halves the size of the chunks down to one part, and repeats all passes until none of them changes
//! the source. The result is 1-minimal: the property is lost if any single remaining part is removed.

mod parts;
mod simplifications;

use crate::parser::parse;
use crate::tree::StatementKind;
use warpgrid_program::{Edit, Fix, Span};

/// Reduces a source while `has_property` returns true for the reduced source, and returns the result. The property of `source` itself is not
/// tested. `has_property` also receives sources that the checker rejects.
pub fn reduce(source: &str, has_property: &mut dyn FnMut(&str) -> bool) -> String {
    let mut reducer = Reducer {
        source: source.to_owned(),
        has_property,
    };
    while reducer.run_passes() {}
    reducer.source
}

/// Returns the source without its `//@` annotations.
pub fn without_annotations(source: &str) -> String {
    without(source, parts::annotations(source).iter())
}

/// Returns the number of instructions and labels in a source, which is the size of a test case.
pub fn count_statements(source: &str) -> usize {
    let tree = parse(source).tree;
    let statements = tree.statements.iter().filter(|statement| {
        matches!(
            statement.kind,
            StatementKind::Instruction(_) | StatementKind::Label(_)
        )
    });
    statements.count()
}

struct Reducer<'a> {
    source: String,
    has_property: &'a mut dyn FnMut(&str) -> bool,
}

impl Reducer<'_> {
    /// Runs all passes once. Returns whether a pass has changed the source.
    fn run_passes(&mut self) -> bool {
        let before = self.source.clone();
        self.remove(parts::comments);
        self.remove(parts::functions);
        self.remove(parts::blocks);
        self.remove(parts::statements);
        self.remove(parts::removable_annotations);
        self.simplify(simplifications::block_braces);
        self.simplify(simplifications::function_headers);
        self.simplify(simplifications::guards);
        self.simplify(simplifications::operands);
        self.simplify(simplifications::annotation_numbers);
        self.accept(without_blank_lines(&self.source));
        self.source != before
    }

    /// Replaces the source with a candidate if the candidate has the property.
    fn accept(&mut self, candidate: String) -> bool {
        if candidate == self.source {
            return false;
        }
        let is_accepted = (self.has_property)(&candidate);
        if is_accepted {
            self.source = candidate;
        }
        is_accepted
    }

    /// Removes as many of the parts that `parts` finds in the source as possible: first all parts, then chunks of half the size, down to
    /// single parts. Later parts are removed first, because they use the results of earlier parts.
    fn remove(&mut self, parts: fn(&str) -> Vec<Span>) {
        let source = self.source.clone();
        let mut kept = parts(&source);
        let mut removed: Vec<Span> = Vec::new();
        let mut size = kept.len();
        while size > 0 {
            let mut end = kept.len();
            while end > 0 {
                let start = end.saturating_sub(size);
                let chunk = &kept[start..end];
                let candidate = without(&source, removed.iter().chain(chunk));
                if self.accept(candidate) {
                    removed.extend(kept.drain(start..end));
                }
                end = start;
            }
            size = match size {
                1 => 0,
                size => size.min(kept.len()).div_ceil(2),
            };
        }
    }

    /// Applies each simplification that preserves the property. After an applied simplification, the list is computed again, so each
    /// simplification must make the source simpler by a measure that no other simplification of the pass increases.
    fn simplify(&mut self, simplifications: fn(&str) -> Vec<Vec<Edit>>) {
        let mut index = 0;
        while let Some(edits) = simplifications(&self.source).into_iter().nth(index) {
            let candidate = Fix::of(edits).apply(&self.source);
            if !self.accept(candidate) {
                index += 1;
            }
        }
    }
}

fn without_blank_lines(source: &str) -> String {
    let lines = source.split_inclusive('\n');
    lines.filter(|line| !line.trim().is_empty()).collect()
}

/// Returns the source without the given spans. A line that contains only blanks afterwards is also removed.
fn without<'s>(source: &str, spans: impl Iterator<Item = &'s Span>) -> String {
    let mut spans: Vec<&Span> = spans.collect();
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut text = String::with_capacity(source.len());
    let mut at = 0;
    for span in spans {
        let (start, end) = (span.start as usize, span.end as usize);
        // A part within a removed part is already removed.
        if start < at {
            at = at.max(end);
            continue;
        }
        text.push_str(source.get(at..start).unwrap_or(""));
        at = end;
        let line = text.rfind('\n').map_or(0, |newline| newline + 1);
        let rest = source.get(at..).unwrap_or("");
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let is_line_blank = text[line..].chars().all(|c| c == ' ' || c == '\t');
        if is_line_blank && rest[blanks..].starts_with('\n') {
            text.truncate(line);
            at += blanks + 1;
        }
    }
    text.push_str(source.get(at..).unwrap_or(""));
    text
}
