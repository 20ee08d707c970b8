//! Effects: the worker, the editor, timers, the keyboard and the theme. The hooks observe the model and dispatch actions.

mod address;
mod assist;
mod closing;
mod editor;
mod keys;
mod paint;
mod rest;
mod share;
mod size;
mod step;
mod timing;
mod worker;

pub(crate) use address::use_address;
pub(crate) use assist::use_assist;
pub(crate) use closing::use_closing;
pub(crate) use editor::{use_editor, use_texts};
pub(crate) use keys::use_keys;
pub(crate) use paint::use_painted;
pub(crate) use rest::{Follows, use_followed};
pub(crate) use share::use_share;
pub(crate) use size::{use_palette, use_size};
pub(crate) use step::use_step_of_tab;
pub(crate) use timing::{use_check, use_outdated, use_playback};
pub(crate) use worker::use_worker;
