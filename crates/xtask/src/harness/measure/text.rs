//! Measures the throughput of parsing and checking.

use crate::measure::timing::best_of;
use crate::measure::{Inputs, Measurement};
use std::hint::black_box;
use warpgrid_view::{CheckOptions, SourceLanguage};

/// Number of modules in one run of [`batch`].
const ROUND: usize = 1000;

/// Measures the throughput of the lexer and the parser in MB of source per second.
pub(super) fn parse(inputs: &Inputs) -> Measurement {
    let source = inputs.read("large.ptx")?;
    let run = |_: &mut ()| {
        black_box(warpgrid_ptx::parse(black_box(&source)));
        Ok(())
    };
    Ok(source.len() as f64 / 1e6 / best_of(|| Ok::<_, String>(()), run)?)
}

/// Measures the throughput of parsing and checking in MB of source per second.
pub(super) fn check(inputs: &Inputs) -> Measurement {
    let source = inputs.read("large.ptx")?;
    Ok(source.len() as f64 / 1e6 / seconds_to_check(&source, &CheckOptions::default())?)
}

/// Measures the duration of parsing and checking a module of 10,000 lines, as after a keystroke, in milliseconds.
pub(super) fn recheck(inputs: &Inputs) -> Measurement {
    Ok(seconds_to_check(&inputs.read("lines.ptx")?, &CheckOptions::default())? * 1e3)
}

/// Measures the throughput of the SASS parser in MB of listing per second.
pub(super) fn parse_sass(inputs: &Inputs) -> Measurement {
    let source = inputs.read("large.sass")?;
    let run = |_: &mut ()| {
        black_box(warpgrid_sass::syntax::parse(black_box(&source)));
        Ok(())
    };
    Ok(source.len() as f64 / 1e6 / best_of(|| Ok::<_, String>(()), run)?)
}

/// Measures the throughput of parsing and checking SASS in MB of listing per second.
pub(super) fn check_sass(inputs: &Inputs) -> Measurement {
    let source = inputs.read("large.sass")?;
    let options = CheckOptions {
        language: SourceLanguage::Sass,
        ..CheckOptions::default()
    };
    Ok(source.len() as f64 / 1e6 / seconds_to_check(&source, &options)?)
}

/// Measures the throughput of the batch check of small modules in modules per second.
pub(super) fn batch(_: &Inputs) -> Measurement {
    let store = "st.global.v4.f32 [%rd1], {%f1, %f2, %f3, %f4};";
    let source = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n{{\n.reg .b64 %rd<2>; .reg .f32 %f<5>;\n{store}\nret;\n}}\n"
    );
    let options = CheckOptions::default();
    let round = |_: &mut ()| {
        for _ in 0..ROUND {
            black_box(warpgrid_view::check(black_box(&source), &options));
        }
        Ok(())
    };
    Ok(ROUND as f64 / best_of(|| Ok::<_, String>(()), round)?)
}

/// Measures the duration of a check of a valid source in seconds. Returns an error for a rejected source, since the check of such a source
/// ends early.
fn seconds_to_check(source: &str, options: &CheckOptions) -> Measurement {
    let run = |_: &mut ()| {
        let report = black_box(warpgrid_view::check(black_box(source), options));
        let error = report.diagnostics.iter().find(|_| !report.accept);
        error.map_or(Ok(()), |first| Err(format!("refused: {}", first.message)))
    };
    best_of(|| Ok(()), run)
}
