//! Scenarios and inferred launches, run through the facade `view`. One program contains all tests, so that the emulator is linked once.

mod guesses;
mod open_parameters;
mod scenarios;
