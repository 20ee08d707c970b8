//! Litmus tests in a worker. The search is executed in slices, and another request cancels it. Input: the text of a litmus test. Output:
//! the outcomes that the memory model allows, or the weakest fixes with the fixed texts. Only the worker module that is loaded later
//! contains this code.

use crate::analysis::{MAX_STEPS, scenario};
use crate::protocol::{LitmusAnswer, LitmusRequest};
use crate::runner::launched;
use warpgrid_view::memory_model::litmus::{
    ExplorationTask, LitmusError, LitmusTest, RepairTask, apply, bad_outcomes, read_text,
    write_text,
};

/// Target duration of a slice of the search, in milliseconds.
const SLICE_BUDGET_MS: f64 = 8.0;
/// Number of candidate executions, or of sets of changes, that are examined between two reads of the clock.
const CANDIDATES_AT_ONCE: u64 = 200;
const TRIES_AT_ONCE: u64 = 1;

/// Search for outcomes or fixes that is in progress.
pub(crate) enum Search {
    Outcomes(Box<ExplorationTask>),
    Repairs {
        search: Box<RepairTask>,
        text: String,
    },
}

/// Result of starting a request: a search, or an immediate response.
pub(crate) enum Started {
    Search(Search),
    Answer(LitmusAnswer),
    Nothing,
}

/// Starts the search for a request. Returns the response immediately if the request requires no search.
pub(crate) fn start(request: LitmusRequest) -> Result<Started, LitmusError> {
    match request {
        LitmusRequest::Cut(launch, cut) => {
            let seed = launch.seed;
            let mut session = launched(scenario(*launch), seed).map_err(|refusal| LitmusError {
                message: refusal.message,
                ..LitmusError::default()
            })?;
            let test = session.litmus_test(&cut, MAX_STEPS)?;
            Ok(Started::Answer(LitmusAnswer::ExtractedTest(write_text(
                &test,
            ))))
        }
        LitmusRequest::Stop => Ok(Started::Nothing),
        LitmusRequest::Explore(text) => {
            let search = ExplorationTask::new(read_text(&text)?)?;
            Ok(Started::Search(Search::Outcomes(Box::new(search))))
        }
        LitmusRequest::Repair { text, bad } => {
            let test = read_text(&text)?;
            let bad = match bad {
                Some(bad) => vec![bad],
                None => bad_of(&test)?,
            };
            let search = Box::new(RepairTask::new(test, bad)?);
            Ok(Started::Search(Search::Repairs { search, text }))
        }
    }
}

fn bad_of(test: &LitmusTest) -> Result<Vec<Vec<u64>>, LitmusError> {
    let view = warpgrid_view::memory_model::litmus::explore(test)?;
    Ok(bad_outcomes(test, &view))
}

impl Search {
    /// Executes one slice of the search. Returns a result once the search is finished.
    pub(crate) fn work(&mut self, clock: impl Fn() -> f64) -> Option<Result<(), LitmusError>> {
        let begun = clock();
        loop {
            let done = match self {
                Search::Outcomes(search) => search.advance(CANDIDATES_AT_ONCE),
                Search::Repairs { search, .. } => search.advance(TRIES_AT_ONCE),
            };
            match done {
                Ok(true) => return Some(Ok(())),
                Ok(false) if clock() - begun >= SLICE_BUDGET_MS => return None,
                Ok(false) => {}
                Err(error) => return Some(Err(error)),
            }
        }
    }

    pub(crate) fn finish(self) -> LitmusAnswer {
        match self {
            Search::Outcomes(search) => LitmusAnswer::Outcomes(Box::new(search.finish())),
            Search::Repairs { search, text } => {
                let repairs = search.finish();
                let texts = repairs.repairs.iter().map(|repair| apply(&text, repair));
                LitmusAnswer::Repairs {
                    texts: texts.collect(),
                    repairs,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpgrid_view::memory_model::litmus::SAMPLE;

    fn answer(request: LitmusRequest) -> LitmusAnswer {
        let mut search = match start(request) {
            Ok(Started::Search(search)) => search,
            Ok(Started::Answer(answer)) => return answer,
            Ok(Started::Nothing) => panic!("nothing is asked"),
            Err(error) => return LitmusAnswer::Failed(error),
        };
        while search.work(|| 0.0).is_none() {}
        search.finish()
    }

    #[test]
    fn outcomes_and_repairs_are_computed_incrementally() {
        let found = answer(LitmusRequest::Explore(SAMPLE.into()));
        assert!(
            matches!(found, LitmusAnswer::Outcomes(view) if view.outcomes.as_ref().is_some_and(|all| all.len() == 4))
        );
        let found = answer(LitmusRequest::Repair {
            text: SAMPLE.into(),
            bad: None,
        });
        assert!(matches!(found, LitmusAnswer::Repairs { texts, .. } if texts.len() == 5));
    }

    #[test]
    fn kernel_lines_are_extracted_as_litmus_test() {
        use crate::protocol::AnalysisRequest;
        use warpgrid_view::memory_model::litmus::ExtractionRequest;
        let source = "//@ launch grid=2 block=32\n//@ buffer p: u32[32] = 0\n\
            .reg .b32 %w;\nmov.u32 %w, %ctaid.x;\nst.global.u32 [p], %w;\n";
        let launch = |source: &str| {
            Box::new(AnalysisRequest {
                source: source.to_owned(),
                ..AnalysisRequest::default()
            })
        };
        let cut = |lines| ExtractionRequest {
            lines,
            ..ExtractionRequest::default()
        };
        let found = answer(LitmusRequest::Cut(launch(source), cut([4, 5])));
        let LitmusAnswer::ExtractedTest(text) = found else {
            panic!("no question: {found:?}")
        };
        let found = answer(LitmusRequest::Explore(text.clone()));
        assert!(
            matches!(found, LitmusAnswer::Outcomes(view) if view.race),
            "{text}"
        );
        let refused = answer(LitmusRequest::Cut(launch(source), cut([1, 2])));
        assert!(matches!(refused, LitmusAnswer::Failed(_)));
    }
}
