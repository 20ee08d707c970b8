//! A launch from its set-up to its end: who steps next, what stops it, who is told.

pub(crate) mod check_launch;
pub(crate) mod event;
pub(crate) mod fault;
pub(crate) mod inspect;
pub(crate) mod launch;
pub(crate) mod machine;
pub(crate) mod observe;
pub(crate) mod schedule;
pub(crate) mod views;
