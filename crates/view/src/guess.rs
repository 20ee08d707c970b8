//! guess
