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

pub(crate) use address::use_url_fragment;
pub(crate) use assist::use_assist;
pub(crate) use closing::use_light_dismiss;
pub(crate) use editor::{use_editor, use_texts};
pub(crate) use keys::use_keys;
pub(crate) use paint::use_diagram_canvas;
pub(crate) use rest::{DeferUntil, use_deferred};
pub(crate) use share::use_share;
pub(crate) use size::{use_palette, use_size};
pub(crate) use step::use_persisted_step;
pub(crate) use timing::{use_check, use_delayed_stale, use_playback};
pub(crate) use worker::use_worker;
