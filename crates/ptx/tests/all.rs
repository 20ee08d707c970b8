//! PTX text, read and checked. One program holds every test of this room, so that the core is linked once.

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
mod registers;
mod rows;
mod scopes;
mod stores;
mod syntax;
mod tokens;
mod verdicts;
