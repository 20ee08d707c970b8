//! Functions for source texts: checks, editor assistance and reference pages. The front end of the source language provides the underlying
//! functions.

pub mod check;
pub(crate) mod document;
pub mod editor_assist;
#[cfg(feature = "paste")]
pub mod elementwise;
pub mod front_ends;
pub(crate) mod glossary;
pub mod language;
pub mod line_table;
pub mod reference;
