//! Timelines of runs: states of warps, asynchronous operations, phases of barriers, data races and hangs. The directory `timelines` contains
//! the expected timeline of each kernel as text.

use expect_test::expect_file;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use warpgrid_view::analysis::run_timeline::chrome_trace::chrome_trace;
use warpgrid_view::model::{TimelineOptions, TimelineView};
use warpgrid_view::{Scenario, Session};

fn session(source: &str) -> Session {
    let scenario = Scenario {
        source: source.to_owned(),
        ..Scenario::default()
    };
    Session::new(scenario).unwrap_or_else(|error| panic!("{error:?}"))
}

fn example(name: &str) -> Session {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../public/examples")
        .join(name);
    session(&fs::read_to_string(path).expect("an example"))
}

/// Returns the timeline of the complete run.
fn recorded(session: &mut Session) -> TimelineView {
    session.run_for_timeline(1_000_000);
    session
        .timeline(TimelineOptions::default())
        .expect("a timeline")
}

/// Returns a timeline as text, one line per span, link and mark.
fn text(view: &TimelineView) -> String {
    let mut out = format!("{} steps, complete: {}\n", view.steps, view.is_complete);
    for track in &view.tracks {
        let _ = writeln!(
            out,
            "block {} {} ({})",
            track.block,
            track.name,
            track.kind.name()
        );
        for span in &track.spans {
            let to = span.to.map_or("never".to_owned(), |to| to.to_string());
            let line = span.line.map_or(String::new(), |line| format!(" @{line}"));
            let _ = writeln!(
                out,
                "  {}..{to} row {} {}: {}{line}",
                span.from,
                span.row,
                span.state.name(),
                span.text
            );
        }
    }
    let name = |track: u32| {
        format!(
            "{} of block {}",
            view.tracks[track as usize].name, view.tracks[track as usize].block
        )
    };
    for link in &view.links {
        let (from, to) = (link.from, link.to);
        let _ = writeln!(
            out,
            "{}: {} at {} -> {} at {}",
            link.kind.name(),
            name(from.track),
            from.step,
            name(to.track),
            to.step
        );
    }
    for mark in &view.marks {
        let line = mark.line.map_or(String::new(), |line| format!(" @{line}"));
        let _ = writeln!(
            out,
            "{}: {} at {}: {}{line}",
            mark.kind.name(),
            name(mark.at.track),
            mark.at.step,
            mark.text
        );
    }
    out
}

#[test]
fn timelines_of_examples_match_snapshots() {
    for name in [
        "copy-pipeline",
        "deadlock",
        "divergent-branches",
        "bulk-copy",
        "cluster-messages",
        "bug-cutlass-3117-before",
        "broken-mbarrier",
    ] {
        let view = recorded(&mut example(&format!("{name}.ptx")));
        expect_file![format!("./timelines/{name}.txt")].assert_eq(&text(&view));
    }
}

/// Kernel with `n` iterations of a loop with a barrier.
fn barrier_loop(n: u32) -> Session {
    session(&format!(
        ".version 8.0
.target sm_80
.address_size 64
//@ launch grid=2 block=64
.entry k()
{{
    .reg .u32 %r<2>;
    .reg .pred %p;
    mov.u32 %r1, 0;
LOOP:
    bar.sync 0;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p, %r1, {n};
    @%p bra LOOP;
    ret;
}}
"
    ))
}

#[test]
fn range_with_resolution_merges_short_spans() {
    let mut session = barrier_loop(1000);
    session.run_for_timeline(1_000_000);
    let options = TimelineOptions {
        columns: Some(100.0),
        ..TimelineOptions::default()
    };
    let view = session.timeline(options).expect("a timeline");
    for track in &view.tracks {
        assert!(
            (1..=101).contains(&track.spans.len()),
            "{}: {}",
            track.name,
            track.spans.len()
        );
    }
    let warp = &view.tracks[0].spans;
    let steps: u64 = warp
        .iter()
        .map(|span| span.to.expect("an end") - span.from)
        .sum();
    assert_eq!(steps, warp.last().and_then(|span| span.to).expect("an end"));
    let closer = TimelineOptions {
        from: Some(100.0),
        to: Some(120.0),
        block: Some(0.0),
        ..options
    };
    let view = session.timeline(closer).expect("a timeline");
    assert!(view.tracks.iter().all(|track| track.block == 0));
    assert!(
        view.tracks
            .iter()
            .flat_map(|track| &track.spans)
            .all(|span| span.n_merged == 1)
    );
    assert!(
        view.tracks
            .iter()
            .flat_map(|track| &track.spans)
            .all(|span| span.from <= 120 && span.to > Some(100))
    );
    assert_eq!(view.blocks, [0, 1]);
}

#[test]
fn timeline_covers_executed_steps() {
    let mut session = barrier_loop(100);
    session.run(50);
    let view = session
        .timeline(TimelineOptions::default())
        .expect("a timeline");
    assert_eq!((view.steps, view.is_complete), (50, false));
    session.run(u64::MAX);
    session.seek(10);
    let view = session
        .timeline(TimelineOptions::default())
        .expect("a timeline");
    assert_eq!(
        (Some(view.steps), view.is_complete),
        (session.length(), true)
    );
    assert_eq!(session.position(), 10);
}

#[test]
fn invalid_range_is_rejected() {
    let mut session = barrier_loop(2);
    session.run(u64::MAX);
    for (from, to) in [(5.0, 5.0), (-1.0, 3.0), (0.5, 3.0)] {
        let options = TimelineOptions {
            from: Some(from),
            to: Some(to),
            ..TimelineOptions::default()
        };
        let error = session.timeline(options).expect_err("an invalid range");
        assert!(error.message.contains("expected"), "{}", error.message);
    }
}

/// Checks the structure of a trace: each span, link and mark has its events, and each time is within the run.
#[test]
fn chrome_trace_is_well_formed() {
    for name in [
        "copy-pipeline",
        "deadlock",
        "cluster-messages",
        "bug-cutlass-3117-before",
    ] {
        let view = recorded(&mut example(&format!("{name}.ptx")));
        let trace: serde_json::Value = serde_json::from_str(&chrome_trace(&view)).expect("JSON");
        let events = trace["traceEvents"].as_array().expect("events");
        let phase = |phase: &str| events.iter().filter(|event| event["ph"] == phase).count();
        assert_eq!(phase("s"), phase("f"));
        assert_eq!(phase("s"), view.links.len());
        assert_eq!(phase("i"), view.marks.len());
        let n_spans: usize = view.tracks.iter().map(|track| track.spans.len()).sum();
        assert_eq!(phase("X"), n_spans);
        for event in events.iter().filter(|event| event["ph"] != "M") {
            assert!(
                event["ts"].as_u64().is_some_and(|time| time <= view.to),
                "{event}"
            );
        }
        assert_eq!(trace["otherData"]["steps"], view.steps);
    }
}
