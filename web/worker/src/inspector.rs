//! Watched values, comparisons of two steps, custom layouts, overviews of a buffer and JIT runs, in a dedicated worker. A request is a
//! string of NUL-separated fields: its number, its command, the launch, positions and arguments. The response is JSON. The session of the
//! last request remains open for the next request.

mod json;
#[cfg(feature = "translate")]
mod run;

use crate::analysis;
use crate::json::{response, text};
use crate::message_loop::Answered;
use crate::protocol::AnalysisRequest;
use crate::runner::launched;
use warpgrid_view::analysis::findings::{self, AnalysisLimits};
use warpgrid_view::analysis::run_timeline::chrome_trace::chrome_trace;
use warpgrid_view::analysis::schedules::{ExplorationLimits, ScheduleSearch};
use warpgrid_view::model::{FrameRequest, TimelineOptions};
use warpgrid_view::session::inspect::{HeatmapMode, HeatmapRequest, LayoutViewRequest};
use warpgrid_view::value::ElementType;
use warpgrid_view::{MemoryKey, Session};
use wasm_bindgen::JsValue;

/// Limits of the analysis that lists the findings. A longer run is incomplete, so that the page receives the response within a second.
const LIMITS: AnalysisLimits = AnalysisLimits {
    max_steps: 2_000_000,
    seeds: 4,
};

/// Step limit of the run whose timeline or traffic the page shows. The timeline of a longer run ends at this step.
const MAX_TIMELINE_STEPS: u64 = 2_000_000;

/// Number of steps of the exploration of schedules that one request executes.
const SCHEDULE_STEPS_AT_ONCE: u64 = 20_000;

/// Session of the last request, which remains open.
#[derive(Default)]
pub(crate) struct Inspector {
    open: Option<(AnalysisRequest, Session)>,
    /// Exploration of all schedules of a launch.
    schedules: Option<(AnalysisRequest, ScheduleSearch)>,
    #[cfg(feature = "translate")]
    run: run::Running,
}

/// Parsed request, which contains a launch and a command: `watch POSITION WARP EXPRESSIONS`, `moments POSITION POSITION`, `arrange POSITION
/// MEMORY-AND-TYPE LAYOUT`, `map POSITION MEMORY`, `sources POSITION`, `source-costs`, `findings`, `schedules ACTION`, `timeline FROM TO COLUMNS-AND-BLOCK`, `trace`, `shades POSITION MEMORY-TYPE-AND-SHADING FIRST-AND-END`, or a command of [`run`].
struct InspectorRequest<'a> {
    number: u32,
    what: &'a str,
    launch: AnalysisRequest,
    facts: [&'a str; 3],
}

impl Inspector {
    /// Returns the response to a request, or `None` if the text is not a request of this module. `sent` contains the partitions of a run
    /// that were transferred with the request.
    pub(crate) fn answer(&mut self, question: &str, sent: &[JsValue]) -> Option<Answered> {
        let asked = InspectorRequest::read(question)?;
        let number = asked.number.to_string();
        #[cfg(feature = "translate")]
        if let Some(said) = self.answer_of_run(&number, &asked, sent) {
            return Some(said);
        }
        let _ = sent;
        Some(response(&number, self.find(asked)).into())
    }

    #[cfg(feature = "translate")]
    fn answer_of_run(
        &mut self,
        number: &str,
        asked: &InspectorRequest<'_>,
        sent: &[JsValue],
    ) -> Option<Answered> {
        let question = run::Question::read(asked.what, asked.facts)?;
        let found = match self.session(asked.launch.clone()) {
            Err(reason) => Err(reason),
            Ok(_) => {
                let session = self.open.as_ref().map(|(_, session)| session);
                let found = session.map(|session| self.run.answer(&question, session, sent));
                found.unwrap_or_else(|| Err("no kernel is loaded".to_owned()))
            }
        };
        Some(match found {
            Ok(Answered { words, part }) => Answered {
                words: response(number, Ok(words)),
                part,
            },
            Err(reason) => response(number, Err(reason)).into(),
        })
    }

    fn find(&mut self, asked: InspectorRequest<'_>) -> Result<String, String> {
        if asked.what == "findings" {
            // An analysis opens a separate session for each kernel, so the open session remains unchanged.
            let scenario = analysis::scenario(asked.launch);
            let report = findings::analyze(&scenario, LIMITS);
            return Ok(json::analysis(&report, &scenario.source));
        }
        if asked.what == "schedules" {
            return self.explore_schedules(asked);
        }
        let needs_timeline = matches!(asked.what, "timeline" | "trace");
        let session = self.session(asked.launch)?;
        if needs_timeline && !session.has_timeline() {
            session.run_for_timeline(MAX_TIMELINE_STEPS);
        }
        let [first, second, third] = asked.facts;
        match asked.what {
            "watch" => {
                let expressions: Vec<&str> = third.lines().collect();
                let found = session.evaluate(number(first)?, &expressions, warp(second))?;
                Ok(json::watched(&found))
            }
            "arrange" => {
                let (memory, ty) = second.split_once('\n').unwrap_or((second, ""));
                let asked = LayoutViewRequest {
                    memory: MemoryKey::from(memory),
                    ty: ElementType::from_name(ty),
                    layout: third,
                };
                let found = session.arranged(number(first)?, &asked)?;
                Ok(json::arranged(&found))
            }
            "map" => {
                let found = session.minimap(number(first)?, &MemoryKey::from(second))?;
                Ok(json::minimap(&found))
            }
            "shades" => {
                let found = session.shades(number(first)?, &shade_request(second, third)?)?;
                Ok(json::shades(&found))
            }
            "timeline" => {
                let timeline = session.timeline(timeline_range(first, second, third)?);
                Ok(json::timeline(&timeline.map_err(|error| error.message)?))
            }
            "trace" => {
                let timeline = session.timeline(TimelineOptions::default());
                Ok(text(&chrome_trace(
                    &timeline.map_err(|error| error.message)?,
                )))
            }
            "source-costs" => {
                session.run_counted(MAX_TIMELINE_STEPS);
                session.count_traffic(u64::MAX);
                Ok(json::source_costs(&session.traffic()))
            }
            "sources" => {
                session.seek(number(first)?);
                let line = session.frame(&FrameRequest::default()).last;
                let line = line.map(|step| step.range.line);
                Ok(json::source_view(line, &session.line_table()))
            }
            _ => {
                let found = session.moments([number(first)?, number(second)?])?;
                Ok(json::moments(&found))
            }
        }
    }

    /// Continues the exploration of all schedules, or starts it for the fact `start`. The fact `stop` ends the exploration.
    fn explore_schedules(&mut self, asked: InspectorRequest<'_>) -> Result<String, String> {
        let [action, _, _] = asked.facts;
        let source = asked.launch.source.clone();
        if action == "start" {
            let session = self.session(asked.launch.clone())?;
            let search = ScheduleSearch::new(session, ExplorationLimits::default());
            self.schedules = Some((asked.launch, search.map_err(|error| error.message)?));
        } else if self
            .schedules
            .as_ref()
            .is_none_or(|(own, _)| *own != asked.launch)
        {
            return Err("the launch has changed: start the exploration again".to_owned());
        }
        let Some((_, search)) = &mut self.schedules else {
            return Err("no exploration is in progress".to_owned());
        };
        if action == "stop" {
            search.stop();
        }
        let is_complete = search.advance(SCHEDULE_STEPS_AT_ONCE);
        let report = is_complete.then(|| search.report()).transpose();
        let report = report.map_err(|error| error.message)?;
        let progress = search.progress();
        if is_complete {
            self.schedules = None;
        }
        Ok(json::schedules(progress, report.as_ref(), &source))
    }

    fn session(&mut self, launch: AnalysisRequest) -> Result<&mut Session, String> {
        if self.open.as_ref().is_none_or(|(own, _)| *own != launch) {
            // The previous session and run are dropped first in order to free their memory.
            self.open = None;
            #[cfg(feature = "translate")]
            self.run.close();
            let scenario = analysis::scenario(launch.clone());
            let session = launched(scenario, launch.seed).map_err(|reason| reason.message)?;
            self.open = Some((launch, session));
        }
        let session = self.open.as_mut().map(|(_, session)| session);
        session.ok_or_else(|| "no kernel is loaded".to_owned())
    }
}

impl<'a> InspectorRequest<'a> {
    /// Parses the fields `number, what, target, version, kernel, seed, three facts, text`. Fields without a value are empty strings.
    fn read(question: &'a str) -> Option<InspectorRequest<'a>> {
        let parts: Vec<&str> = question.splitn(10, '\0').collect();
        let [number, what, target, version, entry, seed, a, b, c, source] = parts[..] else {
            return None;
        };
        let stated = |word: &str| (!word.is_empty()).then(|| word.to_owned());
        matches!(
            what,
            "watch"
                | "sources"
                | "findings"
                | "schedules"
                | "source-costs"
                | "timeline"
                | "trace"
                | "moments"
                | "arrange"
                | "map"
                | "shades"
                | "run"
                | "go-on"
                | "join"
                | "share"
        )
        .then_some(InspectorRequest {
            number: number.parse().ok()?,
            what,
            launch: AnalysisRequest {
                source: source.to_owned(),
                target: stated(target),
                ptx_version: stated(version),
                entry: stated(entry),
                seed: seed.parse().ok(),
            },
            facts: [a, b, c],
        })
    }
}

fn number(text: &str) -> Result<u64, String> {
    let number = text.parse();
    number.map_err(|_| format!("found `{text}`, expected a step number or an element index"))
}

/// Parses a range of a timeline: its first step, its end or an empty string for the end of the run, and its number of columns and an
/// optional block.
fn timeline_range(from: &str, to: &str, columns: &str) -> Result<TimelineOptions, String> {
    let (columns, block) = columns.split_once(' ').unwrap_or((columns, ""));
    let optional = |text: &str| match text {
        "" => Ok(None),
        text => number(text).map(|number| Some(number as f64)),
    };
    Ok(TimelineOptions {
        from: optional(from)?,
        to: optional(to)?,
        columns: optional(columns)?,
        block: optional(block)?,
    })
}

/// Parses the memory, the optional element type and the shading of a heatmap, and the first element and the end of its range.
fn shade_request(what: &str, elements: &str) -> Result<HeatmapRequest, String> {
    let what: Vec<&str> = what.split('\n').collect();
    let [memory, ty, shading] = what[..] else {
        return Err("expected a buffer, an element type and a shading".to_owned());
    };
    let (first, end) = elements.split_once(' ').unwrap_or((elements, ""));
    Ok(HeatmapRequest {
        memory: MemoryKey::from(memory),
        ty: ElementType::from_name(ty),
        shading: match shading {
            "lane" => HeatmapMode::Lane,
            "step" => HeatmapMode::Step,
            _ => HeatmapMode::Value,
        },
        elements: number(first)?..number(end)?,
    })
}

/// Parses a warp in the notation of links, as in `1 of block 3`.
fn warp(words: &str) -> Option<(u64, u32)> {
    let (warp, block) = words.split_once(" of block ")?;
    Some((block.parse().ok()?, warp.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::Inspector;
    use serde_json::Value;

    const KERNEL: &str = "//@ launch grid=1 block=32\n//@ buffer p: u32[32] = 0\n.reg .b32 %r;\nmov.u32 %r, %laneid;\nst.global.u32 [p], 7;\n";

    fn found(inspect: &mut Inspector, parts: [&str; 8]) -> Value {
        let [what, target, version, entry, seed, a, b, c] = parts;
        let question = ["5", what, target, version, entry, seed, a, b, c, KERNEL].join("\0");
        let said = inspect.answer(&question, &[]).expect("an answer").words;
        serde_json::from_str(&said).unwrap_or_else(|reason| panic!("{reason}: {said}"))
    }

    #[test]
    fn exploration_of_schedules_ends_with_verdict_or_witness() {
        let explore = |source: &str| {
            let mut inspector = Inspector::default();
            let mut ask = |action: &str| {
                let question = ["5", "schedules", "", "", "", "", action, "", "", source];
                let answered = inspector.answer(&question.join("\0"), &[]);
                let words = answered.expect("a response").words;
                let said: Value = serde_json::from_str(&words).expect("JSON");
                said["found"].clone()
            };
            let mut found = ask("start");
            while found["report"].is_null() {
                found = ask("continue");
            }
            found["report"].clone()
        };
        assert_eq!(explore(KERNEL)["verdict"], "clean in every schedule");
        let report = explore(&KERNEL.replace("block=32", "block=64"));
        assert_eq!(report["hasWitness"], true, "{report}");
        let line = report["play"]["edits"][0][1].as_str().expect("a line");
        assert!(
            line.starts_with("//@ launch grid=1 block=64 schedule="),
            "{line}"
        );
    }

    #[test]
    fn inspector_requests_return_json() {
        let mut inspect = Inspector::default();
        let watch = ["watch", "", "", "", "", "9", "", "p[0]\n%r\np[99]"];
        let said = found(&mut inspect, watch);
        assert_eq!(said["id"], 5);
        assert_eq!(said["found"][0]["values"][0], "7");
        assert_eq!(said["found"][1]["values"][31], "31");
        assert_eq!(said["found"][1]["warp"], 0);
        assert!(said["found"][2]["why"].is_string());
        let said = found(&mut inspect, ["moments", "", "", "", "", "9", "0", ""]);
        let cell = &said["found"]["memories"][0]["cells"][0];
        assert_eq!((&cell["name"], &cell["line"]), (&"p[0]".into(), &5.into()));
        let registers = said["found"]["registers"].as_array().expect("a list");
        assert!(registers.iter().any(|register| register["name"] == "%r"));
        let said = found(&mut inspect, ["moments", "", "", "", "", "x", "0", ""]);
        assert!(said["error"].is_string());
        let arrange = ["arrange", "", "", "", "", "9", "p\nu16", "(2,3):(2,1)"];
        let said = found(&mut inspect, arrange);
        assert_eq!(said["found"]["columns"], 3);
        assert_eq!(
            said["found"]["cells"][0],
            serde_json::json!([0, "7", 0, "before"])
        );
        assert_eq!(
            said["found"]["cells"][3],
            serde_json::json!([2, "7", 1, "before"])
        );
        let said = found(&mut inspect, ["map", "", "", "", "", "9", "p", ""]);
        assert_eq!(
            said["found"]["parts"][1],
            serde_json::json!([1, 1, 1, false])
        );
        let shades = ["shades", "", "", "", "", "9", "p\nu16\nvalue", "0 4"];
        let said = found(&mut inspect, shades);
        assert_eq!(said["found"]["shades"], "_A_A");
        assert_eq!(said["found"]["ends"], serde_json::json!(["0", "7"]));
        let shades = ["shades", "", "", "", "", "9", "p\nu16\nlane", "0 99"];
        let said = found(&mut inspect, shades);
        assert_eq!(
            said["found"]["shades"].as_str().map(|text| &text[60..]),
            Some("eeff")
        );
        let said = found(&mut inspect, ["sources", "", "", "", "", "2", "", ""]);
        assert_eq!(said["found"]["line"], 5);
        assert_eq!(said["found"]["files"], serde_json::json!([]));
        let said = found(&mut inspect, ["source-costs", "", "", "", "", "", "", ""]);
        assert_eq!(said["found"], serde_json::json!([]));
        let said = found(&mut inspect, ["findings", "", "", "", "", "", "", ""]);
        // All lanes store the same value, which is no race.
        assert_eq!(said["found"]["verdict"], "clean");
        assert_eq!(said["found"]["kernels"][0]["seeds"], 4);
        let timeline = ["timeline", "", "", "", "", "", "", "100"];
        let said = found(&mut inspect, timeline);
        assert_eq!(said["found"]["steps"], 3);
        assert_eq!(said["found"]["tracks"][0]["name"], "warp 0");
        assert_eq!(said["found"]["tracks"][0]["spans"][0][3], "running");
        let said = found(&mut inspect, ["trace", "", "", "", "", "", "", ""]);
        let trace = said["found"].as_str().unwrap_or_default();
        assert!(trace.starts_with("{\"traceEvents\""), "{trace}");
        assert!(inspect.answer("1\0watch\0", &[]).is_none());
    }
}
