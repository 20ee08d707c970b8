//! Scenarios and inferred launches, tested through the crate `view`. All tests are in one binary, so that the emulator is linked only once.

mod inferred_launches;
mod inferred_parameters;
mod scenarios;
