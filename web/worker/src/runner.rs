//! Handler of requests for a run, which is independent of the browser: receives requests, executes slices of work, and returns responses.

use crate::background::Background;
use crate::document_cache::DocumentCache;
use crate::editor_requests::answer;
use crate::message_loop::RequestHandler;
use crate::protocol::{
    LaunchConfiguration, LaunchRejection, MoveTarget, PositionAfterMeasure, ProductAnswer, Request,
    RequestBody, Response, ResponseBody,
};
use warpgrid_view::analysis::mma_explanation;
use warpgrid_view::layouts::fragment::{FragmentRequest, every_operation, picture};
use warpgrid_view::layouts::tensor;
use warpgrid_view::model::{FrameRequest, GridRequest, RunStatus};
use warpgrid_view::scenario::{InitialRegister, MisalignedPolicy};
use warpgrid_view::session::stop_conditions::{Direction, StopCondition, StopSearch};
use warpgrid_view::{
    Document, NO_SUCH_KERNEL, Parameter, RequestError, Scenario, Session, SourceLanguage,
};

/// Maximum number of exit steps at the end of a run that are skipped, which suffices for one exit per warp of a few blocks.
const MAX_RETURNS: usize = 128;
/// Target duration of a slice in milliseconds, which is short enough to notice a stop request in time.
const SLICE_BUDGET_MS: f64 = 10.0;
/// Interval between progress messages in milliseconds.
const PROGRESS_MS: f64 = 120.0;
/// Time limit in milliseconds for running a new launch to its end. After this time, the run waits for the user.
const EXPLORE_MS: f64 = 1_200.0;
/// Maximum number of memories for which grids are sent without a request.
const MAX_UNASKED_GRIDS: usize = 16;
/// Number of rows in a grid that is sent without a request.
const UNASKED_ROWS: u32 = 18;

/// Session with its pending move, and the background work that is executed between moves.
#[derive(Default)]
pub struct SessionRunner {
    /// Cache of the last requested document.
    text: DocumentCache,
    session: Option<Session>,
    launch: u32,
    job: Option<PendingMove>,
    background: Background,
    /// Condition of the conditional run in progress.
    watch: Option<StopSearch>,
    /// Response that is sent in the next slice.
    next: Option<Response>,
    /// Number of steps per slice, which is adapted to the measured time.
    slice_steps: u64,
    look: FrameRequest,
}

/// A move that takes several slices.
#[derive(Clone, Copy, Debug)]
struct PendingMove {
    id: u32,
    goal: MoveTarget,
    /// Remaining number of stores of a [`MoveTarget::Stores`] move.
    stores_left: u32,
    started: f64,
    reported: f64,
}

impl RequestHandler for SessionRunner {
    fn is_busy(&self) -> bool {
        self.job.is_some() || self.next.is_some() || self.background.has_work()
    }

    fn receive(&mut self, request: Request, clock: impl Fn() -> f64) -> Vec<Response> {
        let Request { id, launch, body } = request;
        let body = match body {
            RequestBody::Check {
                revision,
                source,
                options,
            } => ResponseBody::Checked {
                revision,
                report: self.text.with(&source, &options, Document::check),
            },
            RequestBody::Fragments {
                request,
                base_bytes,
                beside,
            } => {
                if let Some(picture) = tensor::picture(&request, every_operation().collect()) {
                    let body = ResponseBody::Layout(Box::new(picture));
                    return vec![Response::new(id, launch, body)];
                }
                let other = beside.map(|target| FragmentRequest {
                    target,
                    ..request.clone()
                });
                let requests = std::iter::once(request).chain(other);
                let pictures = requests.filter_map(|request| picture(&request, base_bytes));
                ResponseBody::Fragments(pictures.collect())
            }
            RequestBody::Product(request) => ResponseBody::Product(Box::new(ProductAnswer {
                view: mma_explanation::product(&request),
                choices: mma_explanation::choices(&request.target),
                targets: mma_explanation::targets(),
            })),
            // The message loop fetches the reference file, because the worker module does not contain the reference pages.
            RequestBody::Reference => return Vec::new(),
            // The worker module that is loaded later handles these requests.
            RequestBody::Beside(_)
            | RequestBody::Analyze(_)
            | RequestBody::RewriteBankConflicts(_)
            | RequestBody::Litmus(_)
            | RequestBody::File(_) => {
                return Vec::new();
            }
            RequestBody::Editor(question) => {
                ResponseBody::Answer(answer(&question, &mut self.text, self.session.as_mut()))
            }
            RequestBody::Launch {
                source,
                target,
                ptx_version,
                entry,
                seed,
                goal,
                look,
            } => {
                self.launch = launch;
                self.look = look;
                let scenario = Scenario {
                    front: SourceLanguage::of_source(&source),
                    source,
                    target,
                    ptx_version,
                    entry,
                    ..Scenario::default()
                };
                self.launch(id, scenario, seed, goal, clock())
            }
            // This match arm must precede the check of the launch number, because the request contains the number of the next launch, which
            // another worker executes.
            RequestBody::ReleaseSession => {
                (self.job, self.session, self.watch, self.next) = (None, None, None, None);
                self.background = Background::default();
                return Vec::new();
            }
            // The page would drop a response that belongs to an older launch.
            _ if launch != self.launch => return Vec::new(),
            RequestBody::Move { goal, look } => {
                if let MoveTarget::CompleteOperation(_) = goal {
                    self.background.forget_history();
                }
                self.look = look;
                if counts_from_here(goal) {
                    self.run_pending_slice(&clock);
                }
                self.begin(id, goal, clock());
                return Vec::new();
            }
            RequestBody::Until {
                until,
                direction,
                look,
            } => {
                self.look = look;
                return self.go_until(id, &until, direction, clock());
            }
            RequestBody::RefreshFrame(look) => {
                self.look = look;
                return self.frame(id).into_iter().collect();
            }
            RequestBody::Stop => {
                self.give_up();
                return self.frame(id).into_iter().collect();
            }
            RequestBody::CountTraffic => {
                self.background.count_all();
                return Vec::new();
            }
            RequestBody::EditInitialValue { place, value } => match &self.session {
                Some(session) => ResponseBody::EditInitialValue(session.edit_start(&place, &value)),
                None => return Vec::new(),
            },
            RequestBody::Find { text, after } => match &self.session {
                Some(session) => ResponseBody::Found(session.find(&text, after.as_ref())),
                None => return Vec::new(),
            },
            RequestBody::History(place) => {
                if let Some(session) = &mut self.session {
                    self.background.look_for(&place, session);
                }
                return Vec::new();
            }
            RequestBody::Writers(steps) => {
                return self.writers(id, &steps, clock).into_iter().collect();
            }
        };
        vec![Response::new(id, launch, body)]
    }

    /// Executes one slice of the pending move. Returns a frame when the move is complete, and progress messages at intervals.
    fn run_slice(&mut self, clock: impl Fn() -> f64) -> Option<Response> {
        if let Some(next) = self.next.take() {
            return Some(next);
        }
        let Some(mut job) = self.job else {
            let session = self.session.as_mut()?;
            let body = self.background.work(session, clock)?;
            return Some(self.response(0, body));
        };
        let mut done = self.run_pending_move(&mut job, &clock);
        let now = clock();
        let session = self.session.as_mut()?;
        if let (false, MoveTarget::MeasureLength(place)) = (done, job.goal)
            && now - job.started > EXPLORE_MS
        {
            go_to_first_store(session, place);
            done = true;
        }
        if done {
            self.job = None;
            self.background.plan_background_work(session);
            let reached = self.watch.take().map(|watch| session.reached(&watch));
            let frame = self.frame(job.id);
            return match reached {
                Some(reached) => {
                    self.next = frame;
                    Some(self.response(job.id, ResponseBody::Until(Ok(reached))))
                }
                None => frame,
            };
        }
        let is_due = now - job.reported > PROGRESS_MS;
        if is_due {
            job.reported = now;
        }
        self.job = Some(job);
        let position = self.session.as_ref()?.position();
        is_due.then(|| self.response(job.id, ResponseBody::Progress { position }))
    }
}

impl SessionRunner {
    /// Replaces the session and starts the move to `goal`.
    fn launch(
        &mut self,
        id: u32,
        scenario: Scenario,
        seed: Option<u64>,
        goal: MoveTarget,
        now: f64,
    ) -> ResponseBody {
        (self.job, self.watch, self.next) = (None, None, None);
        self.background = Background::default();
        // The previous session is dropped first in order to free its memory for the new session.
        self.session = None;
        match launched(scenario, seed) {
            Ok(session) => {
                let facts = launch_facts(&session);
                self.session = Some(session);
                self.begin(id, goal, now);
                ResponseBody::Launched(facts)
            }
            Err(error) => ResponseBody::LaunchFailed(LaunchRejection {
                code: error.code,
                message: error.message,
                diagnostics: error.diagnostics,
            }),
        }
    }

    /// Returns the stores directly before each position, for at least one position and until the slice is over.
    fn writers(&mut self, id: u32, steps: &[u64], clock: impl Fn() -> f64) -> Option<Response> {
        let session = self.session.as_mut()?;
        let begun = clock();
        let mut known = Vec::new();
        for step in steps {
            known.push((*step, session.events(step.saturating_sub(1), *step)));
            if clock() - begun > SLICE_BUDGET_MS {
                break;
            }
        }
        Some(self.response(id, ResponseBody::Writers(known)))
    }

    /// Starts a conditional run, or returns an error in its condition.
    fn go_until(
        &mut self,
        id: u32,
        until: &StopCondition,
        direction: Direction,
        now: f64,
    ) -> Vec<Response> {
        let Some(session) = self.session.as_mut() else {
            return Vec::new();
        };
        match session.watch(until, direction) {
            Ok(watch) => {
                self.begin(id, MoveTarget::StopCondition, now);
                self.watch = Some(watch);
                Vec::new()
            }
            Err(reason) => vec![self.response(id, ResponseBody::Until(Err(reason)))],
        }
    }

    /// Cancels the pending move. If a backward search is canceled, the position at which it started is restored.
    fn give_up(&mut self) {
        self.job = None;
        let watch = self.watch.take();
        let searched = watch.filter(|watch| watch.direction() == Direction::Reverse);
        if let (Some(watch), Some(session)) = (searched, self.session.as_mut()) {
            session.seek(watch.from());
        }
    }

    /// Executes the pending move for the duration of a slice. Returns `true` when the goal is reached.
    fn run_pending_move(&mut self, job: &mut PendingMove, clock: impl Fn() -> f64) -> bool {
        let Some(session) = self.session.as_mut() else {
            return true;
        };
        let begun = clock();
        let mut done = false;
        while !done && clock() - begun < SLICE_BUDGET_MS {
            let before = clock();
            done = advance(session, job, &mut self.watch, self.slice_steps);
            self.slice_steps = next_slice_steps(self.slice_steps, clock() - before);
        }
        done
    }

    /// Executes one slice of the pending move before a relative move, so that each of several rapid key presses takes effect.
    fn run_pending_slice(&mut self, clock: impl Fn() -> f64) {
        if let Some(mut job) = self.job.filter(|_| self.watch.is_none()) {
            self.run_pending_move(&mut job, clock);
        }
    }

    fn begin(&mut self, id: u32, goal: MoveTarget, now: f64) {
        self.give_up();
        self.slice_steps = self.slice_steps.max(1_000);
        self.job = Some(PendingMove {
            id,
            goal,
            stores_left: match goal {
                MoveTarget::Stores(n) => n,
                _ => 0,
            },
            started: now,
            reported: now,
        });
    }

    fn frame(&mut self, id: u32) -> Option<Response> {
        let session = self.session.as_mut()?;
        let mut frame = session.frame(&self.look);
        let mut n_grids = frame.grids.len();
        let shown = frame
            .memories
            .iter()
            .filter(|memory| frame.shows(&memory.id));
        let shown: Vec<_> = shown.cloned().collect();
        for memory in &shown {
            let is_requested = frame.grids.iter().any(|grid| grid.memory.id == memory.id);
            if is_requested {
                continue;
            }
            // A memory to which the step stored is always sent with a grid.
            let mut stores = frame.store.iter();
            let is_written = stores.any(|store| store.memories.contains(&memory.id));
            if !is_written && (n_grids >= MAX_UNASKED_GRIDS || !memory.is_named) {
                continue;
            }
            let request = GridRequest {
                memory: memory.id.clone(),
                ty: None,
                columns: frame.columns_of(&memory.id),
                first_row: 0,
                n_rows: Some(UNASKED_ROWS),
            };
            if let Some(grid) = session.grid(&request) {
                frame.grids.push(grid);
                n_grids += 1;
            }
        }
        Some(self.response(id, ResponseBody::Frame(Box::new(frame))))
    }

    fn response(&self, id: u32, body: ResponseBody) -> Response {
        Response::new(id, self.launch, body)
    }
}

/// Checks whether the target of a move is relative to the current position.
fn counts_from_here(goal: MoveTarget) -> bool {
    matches!(
        goal,
        MoveTarget::Stores(_)
            | MoveTarget::StepForward
            | MoveTarget::StepBack
            | MoveTarget::StoreBack
    )
}

/// Executes at most `max_steps` steps. Returns `true` when the goal is reached.
fn advance(
    session: &mut Session,
    job: &mut PendingMove,
    watch: &mut Option<StopSearch>,
    max_steps: u64,
) -> bool {
    match job.goal {
        MoveTarget::StopCondition => match watch {
            Some(watch) => session.continue_until(watch, max_steps),
            None => true,
        },
        MoveTarget::Start => {
            session.seek(0);
            true
        }
        MoveTarget::StepForward => {
            session.step();
            true
        }
        MoveTarget::StepBack => {
            session.step_back();
            true
        }
        MoveTarget::StoreBack => {
            session.back_to_store();
            true
        }
        MoveTarget::End => session.run(max_steps),
        MoveTarget::Position(position) => {
            let current = session.position();
            if position <= current {
                session.seek(position);
                return true;
            }
            session.seek_within(position, max_steps) || session.is_finished()
        }
        MoveTarget::Block(block) => session.go_to_block(block, max_steps),
        MoveTarget::CompleteOperation(id) => {
            session.complete_operation(id);
            true
        }
        MoveTarget::Stores(_) => {
            if session.run_to_next_store(max_steps) {
                job.stores_left = job.stores_left.saturating_sub(1);
            }
            job.stores_left == 0 || session.is_finished()
        }
        MoveTarget::MeasureLength(place) => {
            let over = session.run(max_steps);
            if over {
                go_from_end(session, place);
            }
            over
        }
    }
}

/// Moves the run back from its end to the requested position. For a fraction of the stores, a faulted run remains at its fault.
fn go_from_end(session: &mut Session, place: PositionAfterMeasure) {
    let share = match place {
        PositionAfterMeasure::End => return,
        PositionAfterMeasure::Position(position) => return session.seek(position),
        PositionAfterMeasure::StoreFraction(share) => share,
    };
    let frame = session.frame(&FrameRequest::default());
    let n_ticks = frame.store_steps.len();
    if frame.status == RunStatus::Faulted {
        return;
    }
    if n_ticks == 0 {
        go_before_returns(session);
        return;
    }
    let index = (share.max(0.0) * n_ticks as f32) as usize;
    if let Some(step) = frame.store_steps.get(index.min(n_ticks - 1)) {
        session.seek(*step);
    }
}

/// Moves the run back to its first store if its end was not reached in time, so that the position does not depend on the clock.
fn go_to_first_store(session: &mut Session, place: PositionAfterMeasure) {
    let first = session.store_steps().first().copied();
    if let (PositionAfterMeasure::StoreFraction(_), Some(step)) = (place, first) {
        session.seek(step);
    }
}

/// Moves a run without stores back over the exits at its end, because the steps before the exits are more informative.
fn go_before_returns(session: &mut Session) {
    for _ in 0..MAX_RETURNS {
        let position = session.position();
        if position <= 1 || !session.is_after_return() {
            return;
        }
        session.seek(position - 1);
    }
}

/// Returns the number of steps of the next slice, computed from the duration of the last slice.
fn next_slice_steps(steps: u64, took_ms: f64) -> u64 {
    let factor = if took_ms <= 0.0 {
        4.0
    } else {
        (SLICE_BUDGET_MS / 2.0 / took_ms).clamp(0.25, 4.0)
    };
    ((steps as f64 * factor) as u64).clamp(64, 50_000_000)
}

/// Opens a session with the requested kernel and seed. If the requested kernel does not exist, opens the default kernel of the source.
pub(crate) fn launched(scenario: Scenario, seed: Option<u64>) -> Result<Session, RequestError> {
    with_kernel(Scenario {
        seed: seed.or(scenario.seed),
        ..scenario
    })
}

fn with_kernel(scenario: Scenario) -> Result<Session, RequestError> {
    let own = Scenario {
        entry: None,
        ..scenario.clone()
    };
    let is_asked = scenario.entry.is_some();
    match Session::new(scenario) {
        Err(error) if is_asked && error.code == NO_SUCH_KERNEL => Session::new(own),
        done => done,
    }
}

fn launch_facts(session: &Session) -> LaunchConfiguration {
    let scenario = session.scenario();
    LaunchConfiguration {
        entry: scenario.entry.clone(),
        grid: scenario.grid.unwrap_or([1; 3]),
        block: scenario.block.unwrap_or([1; 3]),
        cluster: scenario.cluster.unwrap_or([1; 3]),
        dynamic_shared: scenario.dynamic_shared,
        seed: scenario.seed.unwrap_or(0),
        params: scenario.params.iter().map(parameter_text).collect(),
        registers: scenario.registers.iter().map(register_text).collect(),
        truncates_misaligned_addresses: scenario.misaligned == Some(MisalignedPolicy::Force),
        guesses: session.inferred_annotations().to_vec(),
        kernels: session.kernels(),
    }
}

fn register_text(register: &InitialRegister) -> String {
    format!("{} = {}", register.name, register.value)
}

fn parameter_text(parameter: &Parameter) -> String {
    match parameter {
        Parameter::Buffer(buffer) if buffer.shape.len() > 1 => {
            let extents: String = buffer.shape.iter().map(|n| format!("[{n}]")).collect();
            format!("{}: {}{extents}", buffer.name, buffer.ty)
        }
        Parameter::Buffer(buffer) => format!("{}: {}[{}]", buffer.name, buffer.ty, buffer.len),
        Parameter::Scalar { name, ty, value } => {
            format!("{name}: {ty} = {value}")
        }
        Parameter::Struct { name, size, .. } => format!("{name}: {size} bytes"),
        Parameter::Alias { name, of } => format!("{name}: alias of {of}"),
        Parameter::Tensormap(map) => format!("{}: tensor map of {}", map.name, map.buffer),
        Parameter::Texture(texture) => format!("{}: texture", texture.name),
        Parameter::Surface(surface) => format!("{}: surface", surface.name),
        Parameter::Multimem { name, buffers } => {
            format!("{name}: address of {}", buffers.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{EditorRequest, EditorResponse, decode, encode};
    use warpgrid_view::CheckOptions;
    use warpgrid_view::analysis::cell_history::CellLocation;
    use warpgrid_view::value::ElementType;

    fn request(id: u32, launch: u32, body: RequestBody) -> Request {
        Request { id, launch, body }
    }

    fn launch(source: &str) -> RequestBody {
        RequestBody::Launch {
            source: source.to_owned(),
            target: None,
            ptx_version: None,
            entry: None,
            seed: None,
            goal: MoveTarget::End,
            look: FrameRequest::default(),
        }
    }

    fn receive(runner: &mut SessionRunner, body: RequestBody) -> Vec<Response> {
        let responses = runner.receive(request(1, 1, body), || 0.0);
        for response in &responses {
            assert_eq!(decode(&encode(response)).as_ref(), Some(response));
        }
        responses
    }

    #[test]
    fn launch_produces_frame_with_round_trip_encoding() {
        let mut runner = SessionRunner::default();
        let source = "//@ launch grid=1 block=32\n//@ buffer p: u32[32] = 0\n\
            st.global.u32 [p], 7;\n";
        let launched = receive(&mut runner, launch(source));
        assert!(matches!(
            launched[..],
            [Response {
                body: ResponseBody::Launched(_),
                ..
            }]
        ));
        let frame =
            std::iter::from_fn(|| Some(runner.run_slice(|| 0.0))).find_map(|response| response);
        let frame = frame.expect("a run of a few steps ends");
        assert!(matches!(&frame.body, ResponseBody::Frame(frame) if frame.stores_done == 1));
        assert_eq!(decode(&encode(&frame)), Some(frame));
    }

    #[test]
    fn consecutive_moves_are_all_applied() {
        let mut runner = SessionRunner::default();
        let source = "//@ launch grid=1 block=32\n//@ buffer p: u32[32] = 0\n\
            st.global.u32 [p], 7;\nst.global.u32 [p], 8;\nst.global.u32 [p], 9;\n";
        receive(&mut runner, launch(source));
        while runner.is_busy() {
            runner.run_slice(|| 0.0);
        }
        for goal in [
            MoveTarget::Start,
            MoveTarget::Stores(1),
            MoveTarget::Stores(1),
            MoveTarget::StoreBack,
        ] {
            let look = FrameRequest::default();
            receive(&mut runner, RequestBody::Move { goal, look });
        }
        let frame =
            std::iter::from_fn(|| Some(runner.run_slice(|| 0.0))).find_map(|response| response);
        let ResponseBody::Frame(frame) = frame.expect("moves end").body else {
            panic!("expected a frame");
        };
        assert_eq!(frame.stores_done, 1);
    }

    #[test]
    fn idle_session_counts_traffic_and_explores_schedules() {
        let mut runner = SessionRunner::default();
        let source = "//@ launch grid=1 block=64\n//@ buffer p: u32[32] = 0\n\
            .reg .b32 %w;\nmov.u32 %w, %warpid;\nst.global.u32 [p], %w;\n";
        receive(&mut runner, launch(source));
        let mut bodies = Vec::new();
        while runner.is_busy() {
            bodies.extend(runner.run_slice(|| 0.0).map(|response| response.body));
        }
        let [
            ResponseBody::Frame(_),
            ResponseBody::Traffic(traffic),
            ResponseBody::ScheduleReport(orders),
        ] = &bodies[..]
        else {
            panic!("{bodies:?}")
        };
        let marks: Vec<_> = traffic.marks.iter().map(|m| (m.line, &*m.text)).collect();
        assert_eq!(marks, [(5, "×1")]);
        assert_eq!(orders.ends.len(), 2);
        // Launches another schedule by its seed.
        let seed = orders.ends[1].seeds[0];
        let mut body = launch(source);
        if let RequestBody::Launch { seed: place, .. } = &mut body {
            *place = Some(seed);
        }
        let responses = receive(&mut runner, body);
        assert!(
            matches!(&responses[..], [Response { body: ResponseBody::Launched(facts), .. }] if facts.seed == seed)
        );
    }

    #[test]
    fn requested_kernel_is_launched_if_present() {
        let kernel = |name: &str| format!(".visible .entry {name}() {{ ret; }}\n");
        let header = ".version 8.0\n.target sm_80\n.address_size 64\n";
        let source = format!("{header}{}{}", kernel("one"), kernel("two"));
        let mut runner = SessionRunner::default();
        for (asked, launched) in [("two", "two"), ("three", "one")] {
            let mut body = launch(&source);
            if let RequestBody::Launch { entry, .. } = &mut body {
                *entry = Some(asked.to_owned());
            }
            let responses = receive(&mut runner, body);
            let [
                Response {
                    body: ResponseBody::Launched(facts),
                    ..
                },
            ] = &responses[..]
            else {
                panic!("{responses:?}")
            };
            assert_eq!(facts.entry.as_deref(), Some(launched));
            assert_eq!(facts.kernels, ["one", "two"]);
        }
    }

    #[test]
    fn check_response_has_request_revision() {
        let checked = receive(
            &mut SessionRunner::default(),
            RequestBody::Check {
                revision: 4,
                source: "st.shred.u32 [p], 7;".into(),
                options: CheckOptions::default(),
            },
        );
        let [
            Response {
                body:
                    ResponseBody::Checked {
                        revision: 4,
                        report,
                    },
                ..
            },
        ] = &checked[..]
        else {
            panic!("{checked:?}")
        };
        assert!(!report.accept && !report.diagnostics.is_empty());
    }

    #[test]
    fn editor_requests_work_without_launch() {
        let mut runner = SessionRunner::default();
        let source = String::from("st.global.u32 [p], 7;");
        let ask = RequestBody::Editor(EditorRequest::Hover {
            source,
            options: CheckOptions::default(),
            at: 4,
        });
        let answers = receive(&mut runner, ask);
        assert!(
            matches!(&answers[..], [Response { body: ResponseBody::Answer(EditorResponse::Hover(Some(found))), .. }]
                if found.title == ".global")
        );
    }

    #[test]
    fn requests_for_older_launch_are_dropped() {
        let mut runner = SessionRunner::default();
        runner.receive(request(1, 2, launch("")), || 0.0);
        let old = RequestBody::Move {
            goal: MoveTarget::End,
            look: FrameRequest::default(),
        };
        assert_eq!(runner.receive(request(2, 1, old), || 0.0), vec![]);
    }

    #[test]
    fn release_session_drops_session_and_stops_work() {
        let mut runner = SessionRunner::default();
        runner.receive(request(1, 1, launch("st.global.u32 [p], 7;")), || 0.0);
        assert!(runner.session.is_some() && runner.is_busy());
        assert_eq!(
            runner.receive(request(2, 2, RequestBody::ReleaseSession), || 0.0),
            vec![]
        );
        assert!(runner.session.is_none() && !runner.is_busy());
    }

    #[test]
    fn run_until_breakpoint_reports_result_before_frame() {
        let mut runner = SessionRunner::default();
        let source = "//@ launch grid=1 block=32\n//@ buffer p: u32[32] = 0\n\
            st.global.u32 [p], 7;\nst.global.u32 [p], 8;\n";
        receive(&mut runner, launch(source));
        while runner.is_busy() {
            runner.run_slice(|| 0.0);
        }
        let mut go = |line: u32, direction: Direction| {
            let until = StopCondition::LineReached(vec![line]);
            let look = FrameRequest::default();
            let mut said = receive(
                &mut runner,
                RequestBody::Until {
                    until,
                    direction,
                    look,
                },
            );
            while runner.is_busy() {
                said.extend(runner.run_slice(|| 0.0));
            }
            said.into_iter()
                .map(|said| said.body)
                .filter(|body| matches!(body, ResponseBody::Until(_) | ResponseBody::Frame(_)))
                .collect::<Vec<_>>()
        };
        let found = go(4, Direction::Reverse);
        assert!(
            matches!(&found[..], [ResponseBody::Until(Ok(reached)), ResponseBody::Frame(frame)]
                if reached.is_reached && frame.position == reached.position && frame.stores_done == 1),
            "{found:?}"
        );
        assert!(matches!(
            &go(9, Direction::Forward)[..],
            [ResponseBody::Until(Err(_))]
        ));
        // The write history is computed in the background.
        let place = CellLocation {
            memory: "p".into(),
            offset: 0,
            n_bytes: 4,
            ty: ElementType::U32,
        };
        receive(&mut runner, RequestBody::History(place));
        let found =
            std::iter::from_fn(|| Some(runner.run_slice(|| 0.0))).find_map(|response| response);
        assert!(
            matches!(found.map(|found| found.body), Some(ResponseBody::History(found)) if found.n_before + found.n_after == 2)
        );
    }

    #[test]
    fn slice_steps_adapt_to_elapsed_time() {
        assert_eq!(next_slice_steps(1_000, 0.0), 4_000);
        assert_eq!(next_slice_steps(1_000, 5.0), 1_000);
        assert_eq!(next_slice_steps(1_000, 50.0), 250);
        assert_eq!(next_slice_steps(64, 1e6), 64);
    }
}
