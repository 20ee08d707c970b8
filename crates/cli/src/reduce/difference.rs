//! `warpgrid reduce --while differs`: reduces a PTX source while its results differ from the results of the code that an assembler generates.

use super::{DifferenceOptions, Reduction};
use warpgrid_differential::assemble::{AssemblyOptions, DEFAULT_PTX_VERSION, Form};
use warpgrid_differential::difference::{
    AssemblyDifference, DifferenceOutcome, DifferenceTest, PreservedDifference,
};
use warpgrid_differential::files::{TempDir, write};
use warpgrid_view::analysis::findings::AnalysisLimits;
use warpgrid_view::analysis::reduction::{ReductionProgress, reduce_while};
use warpgrid_view::{CheckOptions, Scenario, check};

/// Reduces the source of a scenario. The error is a message for the user.
pub(super) fn reduce(
    options: &DifferenceOptions,
    scenario: &Scenario,
    limits: AnalysisLimits,
    observe: &mut dyn FnMut(ReductionProgress<'_>) -> bool,
) -> Result<Reduction, String> {
    let tools = options.assembler.find()?;
    let checked = check(&scenario.source, &CheckOptions::of_scenario(scenario));
    let target = options.target.clone();
    let target = target.or(checked.target).or(checked.assumed_target);
    let target = target.ok_or("the source states no target: specify it with `--target`")?;
    let folder = TempDir::new("reduce")?;
    let test = DifferenceTest {
        build: AssemblyOptions {
            target,
            level: options.level,
            ptx_version: DEFAULT_PTX_VERSION,
            debug: false,
            form: Form::Encodings,
        },
        file: folder.file(0),
        max_steps: limits.max_steps,
        tools: &tools,
    };
    let difference = difference_of(&test, scenario)?;
    let mut preserved = PreservedDifference::new(&test, &difference);
    let reduced = reduce_while(scenario, limits, observe, &mut |scenario| {
        preserved.holds(scenario)
    });
    if let Some(error) = preserved.into_error() {
        return Err(error);
    }
    let reduced = reduced.map_err(|error| error.message)?;
    let scenario = Scenario {
        source: reduced.source.clone(),
        ..scenario.clone()
    };
    let difference = difference_of(&test, &scenario)?;
    if let Some(path) = &options.listing {
        write(path, &difference.listing)?;
    }
    Ok(Reduction {
        message: message_of(&difference, &tools.release, &test.build),
        source: reduced,
        finding: None,
    })
}

/// Returns the difference of a scenario. The error states the reason for which the scenario has none.
fn difference_of(
    test: &DifferenceTest<'_>,
    scenario: &Scenario,
) -> Result<AssemblyDifference, String> {
    let release = &test.tools.release;
    match test.run(scenario)? {
        DifferenceOutcome::Differs(difference) => Ok(*difference),
        DifferenceOutcome::Equal => Err(format!(
            "the code of ptxas {release} with `{}` has the results of the PTX",
            test.build.arguments().join(" ")
        )),
        DifferenceOutcome::NotComparable(reason) => {
            Err(format!("PTX and SASS are not comparable: {reason}"))
        }
        DifferenceOutcome::Rejected(messages) => {
            Err(format!("ptxas {release} rejects the source: {messages}"))
        }
        DifferenceOutcome::Failed(reason) => Err(format!("ptxas {release} fails: {reason}")),
    }
}

/// Returns the sentence that describes a difference.
fn message_of(difference: &AssemblyDifference, release: &str, build: &AssemblyOptions) -> String {
    let arguments = build.arguments().join(" ");
    let of_code = format!("the code of ptxas {release} with `{arguments}`");
    match difference.report.differences.first() {
        Some(found) => format!(
            "{}[{}] is {} in the PTX and {} in {of_code}",
            found.memory, found.index, found.sides[0].value, found.sides[1].value
        ),
        None => format!("{of_code} has other results than the PTX"),
    }
}
