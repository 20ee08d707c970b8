//! Tests of the PTX front end. All tests form one executable, so that the libraries are linked only once.

mod support;

mod assist;
mod check;
mod check_codes;
mod codes;
mod collectives;
mod corpus;
mod edit;
mod format;
mod gates;
mod lowering;
mod performance;
mod programs;
mod properties;
mod reduce;
mod registers;
mod rows;
mod scopes;
mod stores;
mod syntax;
mod tokens;
mod verdicts;
