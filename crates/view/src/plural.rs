//! Counts in texts: a number and a noun go in, the phrase comes out.

/// Returns the number with the noun in singular or plural: `1 store`, `2 stores`. The plural of the noun must end in `s`.
pub fn plural(n: impl Into<u64>, noun: &str) -> String {
    match n.into() {
        1 => format!("1 {noun}"),
        n => format!("{n} {noun}s"),
    }
}
