//! expect
