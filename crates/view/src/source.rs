//! Source text: checks, editor assistance and reference pages, by the front end of the source language.

pub mod check;
pub(crate) mod document;
pub mod editor_assist;
pub mod front_ends;
pub(crate) mod glossary;
pub mod language;
pub mod line_table;
pub mod reference;
