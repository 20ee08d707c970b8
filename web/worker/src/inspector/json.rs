//! JSON serialization of the inspector's responses, such as watched values and step comparisons.

use crate::json::{list, object, or_null, text, texts};
use crate::traffic::{Level, cost_marker};
use warpgrid_view::analysis::findings::{AnalysisReport, Finding, KernelAnalysis};
use warpgrid_view::analysis::schedules::{ScheduleProgress, ScheduleReport};
use warpgrid_view::diagnostics::EMPTY;
use warpgrid_view::model::{FixView, TimelinePoint, TimelineSpan, TimelineView, TrafficView};
use warpgrid_view::model::{GridCell, WriteAge};
use warpgrid_view::session::inspect::{
    CellChange, Heatmap, LayoutMemoryView, MemoryChange, Minimap, RegisterChange, StateDiff,
    WatchedValue,
};
use warpgrid_view::source::line_table::{LineTableView, SourcePosition};

pub(super) fn watched(found: &[WatchedValue]) -> String {
    list(found.iter().map(value))
}

fn value(found: &WatchedValue) -> String {
    let mut fields = Vec::new();
    match &found.values {
        Ok(values) => {
            let values = values.iter().map(|value| or_null(value.as_ref()));
            fields.push(("values", list(values)));
        }
        Err(reason) => fields.push(("why", text(reason))),
    }
    if let Some((block, warp)) = found.warp {
        fields.push(("block", block.to_string()));
        fields.push(("warp", warp.to_string()));
    }
    object(&fields)
}

pub(super) fn moments(found: &StateDiff) -> String {
    let positions = found.positions.iter().map(u64::to_string);
    object(&[
        ("positions", list(positions)),
        ("memories", list(found.memories.iter().map(memory))),
        ("registers", list(found.registers.iter().map(register))),
        ("moreRegisters", found.n_more_registers.to_string()),
        (
            "firstWarps",
            found
                .n_first_warps
                .map_or("null".to_owned(), |n| n.to_string()),
        ),
    ])
}

fn memory(change: &MemoryChange) -> String {
    object(&[
        ("memory", text(&change.memory.to_string())),
        ("title", text(&change.title)),
        ("cells", list(change.cells.iter().map(cell))),
        ("n", change.n_cells.to_string()),
    ])
}

fn cell(change: &CellChange) -> String {
    let mut fields = vec![
        ("index", change.index.to_string()),
        ("name", text(&change.name)),
        (
            "values",
            list(change.values.iter().map(|value| text(value))),
        ),
    ];
    if let Some(writer) = &change.writer {
        fields.push(("position", writer.position.to_string()));
        fields.push(("lane", writer.lane.to_string()));
        fields.push(("line", writer.line.to_string()));
    }
    object(&fields)
}

fn register(change: &RegisterChange) -> String {
    object(&[
        ("name", text(&change.name)),
        ("block", change.block.to_string()),
        ("warp", change.warp.to_string()),
        ("lanes", text(&change.lane_words())),
        (
            "values",
            list(change.values.iter().map(|value| text(value))),
        ),
    ])
}

pub(super) fn arranged(found: &LayoutMemoryView) -> String {
    let cells = found.cells.iter().map(|(index, cell)| match cell {
        Some(cell) => arranged_cell(*index, cell),
        None => list([index.to_string()].into_iter()),
    });
    let [rows, columns] = found.shown.map(|n| n.to_string());
    object(&[
        ("title", text(&found.title)),
        ("type", text(found.ty.name())),
        ("layout", text(&found.layout)),
        ("rows", found.rows.to_string()),
        ("columns", found.columns.to_string()),
        ("shownRows", rows),
        ("shownColumns", columns),
        ("twice", found.n_aliased.to_string()),
        ("cells", list(cells)),
    ])
}

/// Serializes a cell as `[index, text, lane or null, "now", "before" or "never"]`, followed by `true` if several lanes conflict.
fn arranged_cell(index: i64, cell: &GridCell) -> String {
    let when = match cell.written {
        WriteAge::Now => "now",
        WriteAge::Before => "before",
        WriteAge::Never => "never",
    };
    let lane = cell.lane.map_or("null".to_owned(), |lane| lane.to_string());
    let mut parts = vec![index.to_string(), text(&cell.text), lane, text(when)];
    parts.extend(cell.has_conflict.then(|| "true".to_owned()));
    list(parts.into_iter())
}

/// Serializes each part of a minimap as `[elements written, lane, element, whether the current step wrote the part]`.
pub(super) fn minimap(found: &Minimap) -> String {
    let parts = found.parts.iter().map(|part| {
        let mut facts = vec![part.n_written.to_string()];
        if let Some((lane, index)) = part.latest {
            facts.extend([lane.to_string(), index.to_string(), part.is_now.to_string()]);
        }
        list(facts.into_iter())
    });
    object(&[
        ("title", text(&found.title)),
        ("n", found.n_elements.to_string()),
        ("part", found.part.to_string()),
        ("parts", list(parts)),
    ])
}

/// Characters that encode the shades: the base64 alphabet, followed by a character for elements that no step wrote and a character for
/// unknown values. The page reads the same file.
const LETTERS: &str = include_str!("shade_alphabet.json");

/// Serializes one character per element, the labels of the lowest and the highest shade, and the start and end of each range that the
/// current step wrote.
pub(super) fn shades(found: &Heatmap) -> String {
    let letters_of = LETTERS.trim().trim_matches('"').as_bytes();
    let letter = |shade: &u8| letters_of.get(usize::from(*shade)).copied();
    let letter = |shade| char::from(letter(shade).unwrap_or(b'?'));
    let letters: String = found.shades.iter().map(letter).collect();
    let ends = found.ends.iter().flatten().map(|end| text(end));
    let now = found.now.iter();
    let now = now.map(|run| list([run.start.to_string(), run.end.to_string()].into_iter()));
    object(&[
        ("first", found.first.to_string()),
        ("shades", text(&letters)),
        ("ends", list(ends)),
        ("now", list(now)),
    ])
}

/// Serializes a timeline. A span is `[from, to or null, row, state, text, line or null, source position or null]`.
pub(super) fn timeline(view: &TimelineView) -> String {
    let tracks = view.tracks.iter().map(|track| {
        object(&[
            ("kind", text(track.kind.name())),
            ("block", track.block.to_string()),
            ("name", text(&track.name)),
            ("rows", track.n_rows.to_string()),
            ("spans", list(track.spans.iter().map(timeline_span))),
        ])
    });
    let links = view.links.iter().map(|link| {
        object(&[
            ("kind", text(link.kind.name())),
            ("from", timeline_point(&link.from)),
            ("to", timeline_point(&link.to)),
        ])
    });
    let marks = view.marks.iter().map(|mark| {
        object(&[
            ("kind", text(mark.kind.name())),
            ("at", timeline_point(&mark.at)),
            ("text", text(&mark.text)),
            ("line", number_or_null(mark.line)),
        ])
    });
    object(&[
        ("from", view.from.to_string()),
        ("to", view.to.to_string()),
        ("steps", view.steps.to_string()),
        ("isComplete", view.is_complete.to_string()),
        ("blocks", list(view.blocks.iter().map(u64::to_string))),
        ("tracks", list(tracks)),
        ("omittedTracks", view.n_omitted_tracks.to_string()),
        ("links", list(links)),
        ("omittedLinks", view.n_omitted_links.to_string()),
        ("marks", list(marks)),
    ])
}

fn timeline_span(span: &TimelineSpan) -> String {
    let to = span.to.map_or("null".to_owned(), |to| to.to_string());
    let source = span.source.first().map(SourcePosition::short);
    let fields = [
        span.from.to_string(),
        to,
        span.row.to_string(),
        text(span.state.name()),
        text(&span.text),
        number_or_null(span.line),
        or_null(source.as_ref()),
    ];
    list(fields.into_iter())
}

/// Serializes a point as `[track, row, step]`.
fn timeline_point(point: &TimelinePoint) -> String {
    let numbers = [
        point.track.to_string(),
        point.row.to_string(),
        point.step.to_string(),
    ];
    list(numbers.into_iter())
}

fn number_or_null(number: Option<u32>) -> String {
    number.map_or("null".to_owned(), |number| number.to_string())
}

/// Serializes a line table, with the line of the last step.
pub(super) fn source_view(line: Option<u32>, table: &LineTableView) -> String {
    let files = table.files.iter().map(|file| {
        object(&[
            ("name", text(&file.name)),
            ("text", or_null(file.text.as_ref())),
            ("lastLine", file.last_line.to_string()),
        ])
    });
    let lines = table.lines.iter().map(|mapped| {
        object(&[
            ("line", mapped.line.to_string()),
            ("endLine", mapped.end_line.to_string()),
            ("frames", list(mapped.frames.iter().map(position))),
        ])
    });
    object(&[
        ("line", number_or_null(line)),
        ("files", list(files)),
        ("lines", list(lines)),
        ("unused", texts(&table.unused)),
    ])
}

/// Serializes the cost marker of each source line whose cost exceeds the ideal cost as `[file, line, text, title, level]`.
pub(super) fn source_costs(view: &TrafficView) -> String {
    let markers = view.sources.iter().filter_map(|source| {
        let marker = cost_marker(source.line, &source.traffic)?;
        (marker.level != Level::Ideal).then_some((&source.file, marker))
    });
    list(markers.map(|(file, marker)| {
        let fields = [
            text(file),
            marker.line.to_string(),
            text(&marker.text),
            text(&marker.title),
            text(marker.level.name()),
        ];
        list(fields.into_iter())
    }))
}

fn position(position: &SourcePosition) -> String {
    object(&[
        ("file", text(&position.file)),
        ("line", position.line.to_string()),
        ("function", or_null(position.function.as_ref())),
    ])
}

/// Serializes the findings of a source and of its kernels.
pub(super) fn analysis(report: &AnalysisReport, source: &str) -> String {
    // A source without instructions is not an error of the user.
    let is_empty = report
        .diagnostics
        .iter()
        .any(|diagnostic| diagnostic.code.as_deref() == Some(EMPTY));
    object(&[
        ("verdict", text(report.verdict.name())),
        ("isEmpty", is_empty.to_string()),
        ("diagnostics", findings(&report.diagnostics, source)),
        (
            "kernels",
            list(report.kernels.iter().map(|found| kernel(found, source))),
        ),
    ])
}

fn kernel(kernel: &KernelAnalysis, source: &str) -> String {
    object(&[
        ("kernel", text(&kernel.kernel)),
        ("verdict", text(kernel.verdict.name())),
        ("target", text(&kernel.target)),
        ("launch", text(&kernel.launch)),
        ("inferred", texts(&kernel.inferred)),
        ("steps", kernel.steps.to_string()),
        ("seeds", kernel.seeds.to_string()),
        ("notCovered", texts(&kernel.not_covered)),
        ("findings", findings(&kernel.findings, source)),
    ])
}

fn findings(all: &[Finding], source: &str) -> String {
    list(all.iter().map(|found| finding(found, source)))
}

/// Serializes the state of the exploration of all schedules: `{ done, pending, report }`. `report` is null while the exploration is in
/// progress.
pub(super) fn schedules(
    progress: ScheduleProgress,
    report: Option<&ScheduleReport>,
    source: &str,
) -> String {
    let report = report.map(|report| {
        let witness = report.witness.as_ref();
        object(&[
            ("verdict", text(report.verdict.text())),
            ("hasWitness", witness.is_some().to_string()),
            ("summary", text(&report.summary())),
            ("notCovered", texts(&report.not_covered)),
            (
                "play",
                witness.map_or("null".to_owned(), |witness| fix_json(&witness.play, source)),
            ),
        ])
    });
    object(&[
        ("done", progress.done.to_string()),
        ("pending", progress.pending.to_string()),
        ("report", report.unwrap_or_else(|| "null".to_owned())),
    ])
}

fn finding(finding: &Finding, source: &str) -> String {
    let lines = finding.lines.iter().map(u32::to_string);
    let fix = finding.fix.as_ref();
    object(&[
        ("kind", text(finding.kind.name())),
        ("severity", text(finding.severity.name())),
        ("code", or_null(finding.code.as_ref())),
        ("lines", list(lines)),
        ("source", list(finding.source.iter().map(position))),
        ("message", text(&finding.message)),
        ("details", texts(&finding.details)),
        ("occurrences", finding.occurrences.to_string()),
        ("isInferred", finding.depends_on_inferred_launch.to_string()),
        (
            "fix",
            fix.map_or("null".to_owned(), |fix| fix_json(fix, source)),
        ),
    ])
}

/// Serializes a fix. Each edit is `[[line, column, end line, end column], text]`, as the editor expects. Each changed line is `[sign, line,
/// text]`, with the sign `+` for an inserted line and `−` for a removed line.
fn fix_json(fix: &FixView, source: &str) -> String {
    let changed = fix.changed_lines(source).into_iter().map(|changed| {
        let sign = if changed.is_inserted { "+" } else { "−" };
        list([text(sign), changed.line.to_string(), text(&changed.text)].into_iter())
    });
    let edits = fix.edits.iter().map(|edit| {
        let range = [edit.line, edit.column, edit.end_line, edit.end_column];
        let range = list(range.iter().map(u32::to_string));
        list([range, text(&edit.text)].into_iter())
    });
    object(&[
        ("title", text(&fix.title)),
        ("isHeader", fix.is_header.to_string()),
        ("edits", list(edits)),
        ("changedLines", list(changed)),
    ])
}
