//! Fuzz target: arbitrary input parsed as PTX.
#![no_main]

use libfuzzer_sys::fuzz_target;
use warpgrid_view::Front;

fuzz_target!(|text: &str| warpgrid_fuzz::try_text(text, Front::Ptx));
