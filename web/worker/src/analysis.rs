//! Analysis of a launch in a dedicated worker: executes the launch once more from its start, with detectors for data races, hangs and bank
//! conflicts. Input: the launch of the page. Output: the analysis, or nothing if the run is too long, and on request the source without
//! bank conflicts. Only the worker module that is loaded after the first grid contains this code, so that the first grid appears earlier.

use crate::background::is_small;
use crate::protocol::{AnalysisRequest, AnalysisResults, RaceMarker, ResponseBody};
use crate::runner::launched;
use warpgrid_view::layouts::inspector;
use warpgrid_view::layouts::inspector::{ConflictReport, InferredAccessLayout};
use warpgrid_view::memory_model::concurrency::{RaceConfidence, RaceLocation, RaceReport};
use warpgrid_view::{Scenario, Session, SourceLanguage};

/// Maximum number of steps of an analyzed run.
pub const MAX_STEPS: u64 = 100_000;

/// Maximum number of accesses with bank conflicts or excessive sectors that are explained.
const MAX_ACCESSES: usize = 8;
/// Maximum number of access layouts that are sent to the page.
const MAX_LAYOUTS: usize = 512;

/// Returns the analysis of a launch. Returns `None` if the launch is rejected, too large or too long.
pub(crate) fn answer(request: AnalysisRequest) -> Option<ResponseBody> {
    let seed = request.seed;
    let mut session = launched(scenario(request), seed).ok()?;
    if !is_small(&session) {
        return None;
    }
    let report = session.run_for_races(MAX_STEPS);
    if !session.is_finished() {
        return None;
    }
    Some(ResponseBody::Analysis(Box::new(AnalysisResults {
        marks: marks(&report, &session),
        report,
        hang: session.hang(),
        conflicts: conflicts(&mut session),
        layouts: layouts(&mut session),
    })))
}

/// Returns the byte ranges and source lines of data races and uninitialized reads.
fn marks(report: &RaceReport, session: &Session) -> Vec<RaceMarker> {
    let races = report.races.iter().map(|race| {
        let lines = [race.first.line, race.second.line];
        let is_quiet = race.same_value || race.confidence != RaceConfidence::Certain;
        let lines = lines.into_iter().flatten().collect();
        (&race.place, lines, ("data race", is_quiet))
    });
    let unwritten = report.unwritten.iter().map(|read| {
        let lines = read.reader.line.into_iter().collect();
        (&read.place, lines, ("uninitialized read", false))
    });
    let mark = |(place, lines, (title, is_quiet)): (&RaceLocation, Vec<u32>, (&str, bool))| {
        let (memory, start) = session.memory_of(place)?;
        Some(RaceMarker {
            memory,
            bytes: start..start + u64::from(place.bytes),
            lines,
            title: title.to_owned(),
            is_quiet,
        })
    };
    races.chain(unwritten).filter_map(mark).collect()
}

/// Returns the accesses with bank conflicts in descending order of their cost, and the buffers that they access. Excludes accesses whose
/// lanes modify the same word, as at an mbarrier: such lanes are serialized at every address, so that another layout does not help.
fn conflicts(session: &mut Session) -> ConflictReport {
    let mut report = session.conflicts();
    report.accesses.retain(|access| {
        let meets = access.collision.as_ref();
        access.conflicts > 0 && meets.is_none_or(|at| at.addresses[0] != at.addresses[1])
    });
    let touched: Vec<&str> = report
        .accesses
        .iter()
        .map(|access| &*access.buffer)
        .collect();
    report
        .buffers
        .retain(|buffer| touched.contains(&&*buffer.name));
    report
        .accesses
        .sort_by_key(|access| u64::MAX - access.conflicts);
    report.accesses.truncate(MAX_ACCESSES);
    report
        .sectors
        .sort_by_key(|access| u64::MAX - access.sectors.saturating_sub(access.ideal));
    report.sectors.truncate(MAX_ACCESSES);
    report
}

/// Returns the layouts of the accesses. The list is truncated for sources with thousands of accesses.
fn layouts(session: &mut Session) -> Vec<InferredAccessLayout> {
    let mut found = session.layouts();
    found.truncate(MAX_LAYOUTS);
    found
}

/// Returns the source without bank conflicts, after verifying that both sources produce the same results.
pub(crate) fn cure(request: AnalysisRequest) -> ResponseBody {
    let seed = request.seed;
    let scenario = Scenario {
        seed,
        ..scenario(request)
    };
    ResponseBody::ConflictRewrite(
        inspector::cure(&scenario, MAX_STEPS).map_err(|failure| failure.message),
    )
}

pub(crate) fn scenario(request: AnalysisRequest) -> Scenario {
    Scenario {
        front: SourceLanguage::of_source(&request.source),
        source: request.source,
        target: request.target,
        ptx_version: request.ptx_version,
        entry: request.entry,
        ..Scenario::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{RequestBody, Response, WorkerKind, decode, encode};

    fn request(source: &str) -> AnalysisRequest {
        AnalysisRequest {
            source: source.to_owned(),
            ..AnalysisRequest::default()
        }
    }

    #[test]
    fn race_report_round_trips_through_encoding() {
        let source = "//@ launch grid=1 block=64\n//@ buffer p: u32[32] = 0\n\
            .reg .b32 %w;\nmov.u32 %w, %warpid;\nst.global.u32 [p], %w;\n";
        let body = answer(request(source)).expect("an answer");
        let response = Response::new(1, 1, body);
        assert_eq!(decode(&encode(&response)), Some(response.clone()));
        let ResponseBody::Analysis(found) = response.body else {
            panic!("the answer is about something else")
        };
        assert_eq!(found.report.races[0].first.line, Some(5));
        let mark = &found.marks[0];
        assert_eq!(
            (mark.memory.to_string(), mark.bytes.clone()),
            ("p".into(), 0..4)
        );
        assert_eq!(mark.lines, [5, 5]);
        assert_eq!(found.hang, None);
    }

    #[test]
    fn bank_conflict_is_explained_and_removed() {
        let source = "//@ launch grid=1 block=32\n.version 8.8\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n\
            .reg .b32 %l, %a;\n.shared .align 4 .u32 tile[1024];\nmov.u32 %l, %tid.x;\nmov.u32 %a, tile;\n\
            mad.lo.u32 %a, %l, 128, %a;\nst.shared.u32 [%a], %l;\nret;\n}\n";
        let Some(ResponseBody::Analysis(found)) = answer(request(source)) else {
            panic!("no answer")
        };
        let access = &found.conflicts.accesses[0];
        assert_eq!((access.line, access.wavefronts, access.ideal), (12, 32, 1));
        assert!(!found.conflicts.buffers[0].proposals.is_empty());
        let body = cure(request(source));
        let response = Response::new(1, 1, body);
        assert_eq!(decode(&encode(&response)), Some(response.clone()));
        let ResponseBody::ConflictRewrite(Ok(cured)) = response.body else {
            panic!("it is not cured")
        };
        assert_eq!((cured.before, cured.after), (31, 0));
        assert!(matches!(
            cure(request("ret;")),
            ResponseBody::ConflictRewrite(Err(_))
        ));
    }

    #[test]
    fn mbarrier_arrivals_are_not_reported_as_conflicts() {
        let source = "//@ launch grid=1 block=32\n.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n\
            .reg .b32 %l, %a;\n.reg .pred %p;\n.shared .align 8 .b64 bar;\nmov.u32 %l, %tid.x;\nmov.u32 %a, bar;\n\
            setp.eq.u32 %p, %l, 0;\n@%p mbarrier.init.shared::cta.b64 [%a], 32;\nbar.sync 0;\n\
            mbarrier.arrive.shared::cta.b64 _, [%a];\nret;\n}\n";
        let Some(ResponseBody::Analysis(found)) = answer(request(source)) else {
            panic!("no answer")
        };
        assert_eq!(found.conflicts.accesses, []);
        assert_eq!(found.conflicts.buffers, []);
    }

    #[test]
    fn rejected_source_and_endless_run_have_no_analysis() {
        assert_eq!(answer(request("st.shred [p], 1;")), None);
        let endless = "//@ launch grid=1 block=32\n//@ buffer p: u32[32] = 0\nL:\nadd.u32 %r1, %r1, 1;\nst.global.u32 [p], %r1;\nbra L;\n";
        assert_eq!(answer(request(endless)), None);
    }

    #[test]
    fn analysis_is_handled_by_extended_worker() {
        let body = RequestBody::Analyze(Box::new(request("ret;")));
        assert_eq!(body.core(), Some(WorkerKind::Extended));
    }
}
