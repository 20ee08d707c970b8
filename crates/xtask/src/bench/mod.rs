//! bench
pub(crate) fn run(_: &mut crate::arguments::Arguments) -> crate::shell::Result<bool> {
    Ok(true)
}
