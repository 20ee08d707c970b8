//! Effects of the page: the worker, the editor, timers, the keyboard and the theme. Hooks observe the model and dispatch actions.

mod assist;
mod deferred;
mod diagram_canvas;
mod editor;
mod keys;
mod light_dismiss;
mod palette_entries;
mod persisted_step;
mod share;
mod size;
mod timing;
mod url_fragment;
mod worker;

pub(crate) use assist::use_assist;
pub(crate) use deferred::{DeferUntil, use_deferred};
pub(crate) use diagram_canvas::use_diagram_canvas;
pub(crate) use editor::{use_editor, use_texts};
pub(crate) use keys::use_keys;
pub(crate) use light_dismiss::use_light_dismiss;
pub(crate) use palette_entries::use_palette_entries;
pub(crate) use persisted_step::use_persisted_step;
pub(crate) use share::use_share;
pub(crate) use size::{use_palette, use_size};
pub(crate) use timing::{use_check, use_delayed_stale, use_playback};
pub(crate) use url_fragment::use_url_fragment;
pub(crate) use worker::use_worker;
