//! What is found out by running a session on, once more, or beside another one. In: a [`Session`](crate::Session); out: plain data of
//! [`model`](crate::model). An analysis costs a run nothing until it is asked for.

pub mod beside;
mod causes;
pub(crate) mod difference;
pub mod history;
pub mod seeds;
mod traffic;
mod uninitialized;
