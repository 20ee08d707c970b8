//! Timeline in the Trace Event Format of Chrome, which Perfetto and `chrome://tracing` open. One step is one microsecond.
//!
//! Each block is a process, whose number is the linear index of the block plus 1, because Perfetto reserves process 0. Each row of a track is a
//! thread of this process. Spans are complete events (`X`), links are flow events (`s`, `f`), and marks are instant events (`i`).

use crate::json::json_string;
use crate::model::timeline::{
    MarkKind, SpanState, TimelinePoint, TimelineSpan, TimelineTrack, TimelineView,
};

/// Returns a timeline as the JSON object of a trace. Spans that never end extend to the end of the recorded steps.
pub fn chrome_trace(timeline: &TimelineView) -> String {
    let mut trace = TraceWriter {
        json: String::from("{\"traceEvents\":[\n"),
        first_threads: first_threads(&timeline.tracks),
        timeline,
    };
    for block in &timeline.blocks {
        let name = json_string(&format!("block {block}"));
        trace.event(&format!(
            "\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"args\":{{\"name\":{name}}}",
            process_id(*block)
        ));
    }
    for (track, index) in timeline.tracks.iter().zip(0..) {
        trace.track(track, index);
    }
    for (link, id) in timeline.links.iter().zip(1..) {
        let name = json_string(link.kind.name());
        let [from, to] = [&link.from, &link.to].map(|point| trace.place(point));
        trace.event(&format!(
            "\"ph\":\"s\",\"cat\":\"link\",\"name\":{name},\"id\":{id},{from}"
        ));
        trace.event(&format!(
            "\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"link\",\"name\":{name},\"id\":{id},{to}"
        ));
    }
    for mark in &timeline.marks {
        let name = match mark.kind {
            MarkKind::Arrival => mark.text.clone(),
            kind => format!("{}: {}", kind.name(), mark.text),
        };
        let line = line_argument(mark.line);
        trace.event(&format!(
            "\"ph\":\"i\",\"s\":\"t\",\"cat\":{},\"name\":{},{},\"args\":{{\"step\":{}{line}}}",
            json_string(mark.kind.name()),
            json_string(&name),
            trace.place(&mark.at),
            mark.at.step
        ));
    }
    let mut json = trace.json;
    json.truncate(json.trim_end_matches([',', '\n']).len());
    json.push_str(&format!(
        "\n],\"displayTimeUnit\":\"ms\",\"otherData\":{{\"unit\":\"1 us = 1 step\",\"steps\":{},\"complete\":{}}}}}\n",
        timeline.steps, timeline.is_complete
    ));
    json
}

/// Returns the process of a block.
const fn process_id(block: u64) -> u64 {
    block + 1
}

/// Returns the thread of the first row of each track.
fn first_threads(tracks: &[TimelineTrack]) -> Vec<u32> {
    let mut next = 1;
    let threads = tracks.iter().map(|track| {
        let first = next;
        next += track.n_rows;
        first
    });
    threads.collect()
}

fn line_argument(line: Option<u32>) -> String {
    line.map_or(String::new(), |line| format!(",\"line\":{line}"))
}

struct TraceWriter<'a> {
    timeline: &'a TimelineView,
    json: String,
    first_threads: Vec<u32>,
}

impl TraceWriter<'_> {
    fn event(&mut self, fields: &str) {
        self.json.push('{');
        self.json.push_str(fields);
        self.json.push_str("},\n");
    }

    /// Returns the process and thread fields of a row of a track.
    fn thread(&self, track: u32, row: u32) -> String {
        let block = self
            .timeline
            .tracks
            .get(track as usize)
            .map_or(0, |track| track.block);
        let first = self.first_threads.get(track as usize).copied().unwrap_or(0);
        format!("\"pid\":{},\"tid\":{}", process_id(block), first + row)
    }

    /// Returns the process, thread and time fields of a point.
    fn place(&self, point: &TimelinePoint) -> String {
        // A flow event binds to the span that contains its time, so it must not be at the exclusive end of the last span.
        let time = point.step.min(self.timeline.to.saturating_sub(1));
        format!("{},\"ts\":{time}", self.thread(point.track, point.row))
    }

    fn track(&mut self, track: &TimelineTrack, index: u32) {
        for row in 0..track.n_rows {
            let thread = self.thread(index, row);
            let name = match row {
                0 => track.name.clone(),
                _ => format!("{} ({})", track.name, row + 1),
            };
            self.event(&format!(
                "\"ph\":\"M\",\"name\":\"thread_name\",{thread},\"args\":{{\"name\":{}}}",
                json_string(&name)
            ));
            let order = self.first_threads.get(index as usize).copied().unwrap_or(0) + row;
            self.event(&format!(
                "\"ph\":\"M\",\"name\":\"thread_sort_index\",{thread},\"args\":{{\"sort_index\":{order}}}"
            ));
        }
        for span in &track.spans {
            self.span(span, index);
        }
    }

    fn span(&mut self, span: &TimelineSpan, track: u32) {
        let to = span.to.unwrap_or(self.timeline.to).max(span.from);
        let name = match span.state {
            SpanState::Running | SpanState::Diverged => span.state.name(),
            SpanState::Waiting | SpanState::InFlight | SpanState::Phase => &span.text,
        };
        let mut arguments = format!("\"description\":{}", json_string(&span.text));
        arguments += &line_argument(span.line);
        if let Some(source) = span.source.first() {
            arguments += &format!(",\"source\":{}", json_string(&source.short()));
        }
        if span.to.is_none() {
            arguments += ",\"ends\":false";
        }
        self.event(&format!(
            "\"ph\":\"X\",\"cat\":{},\"name\":{},{},\"ts\":{},\"dur\":{},\"args\":{{{arguments}}}",
            json_string(span.state.name()),
            json_string(name),
            self.thread(track, span.row),
            span.from,
            to - span.from
        ));
    }
}
