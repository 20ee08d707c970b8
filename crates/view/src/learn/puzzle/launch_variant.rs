//! Variants of the launch with which an answer is checked. The module takes the text of a variant, such as `x = 5, 6, 7`, `n = 3`, `x =
//! random 7`, or `launch grid=2 block=64`, and returns the source with a corresponding `//@` line.

use warpgrid_launch::Scenario;
use warpgrid_launch::annotations::Annotations;
use warpgrid_launch::scenario::Parameter;
use warpgrid_launch::value::ElementType;

/// Exclusive upper bound of `random` values for floating-point types. The bound is so small that sums of these values are exact.
const MAX_FLOAT: u64 = 200;

/// Change of a value or of the dimensions in the launch of a kernel, with which a puzzle checks an answer again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LaunchVariant {
    Launch(String),
    Value { name: String, value: String },
}

impl LaunchVariant {
    pub(crate) fn read(text: &str) -> Result<LaunchVariant, String> {
        if let Some(facts) = text.strip_prefix("launch ") {
            return Ok(LaunchVariant::Launch(facts.to_owned()));
        }
        let (name, value) = text.split_once('=').ok_or_else(|| {
            format!("found `also: {text}`, expected values such as `x = 1, 2` or a launch such as `launch block=64`")
        })?;
        Ok(LaunchVariant::Value {
            name: name.trim().to_owned(),
            value: value.trim().to_owned(),
        })
    }

    /// Formats the launch variant for the user.
    pub(crate) fn words(&self) -> String {
        match self {
            LaunchVariant::Launch(facts) => format!("launch {facts}"),
            LaunchVariant::Value { name, value } => format!("{name} = {value}"),
        }
    }

    /// Returns the source with the changed `//@` line. Returns an error if the source does not contain the `//@` line to change.
    pub(crate) fn apply(&self, source: &str) -> Result<String, String> {
        let mut is_found = false;
        let lines = source.lines().map(|line| {
            let stated = self.line(source, line);
            is_found |= stated.is_some();
            stated.unwrap_or_else(|| line.to_owned()) + "\n"
        });
        let text: String = lines.collect();
        match is_found {
            true => Ok(text),
            false => Err(format!(
                "no annotation of the kernel declares `{}`",
                self.words()
            )),
        }
    }

    fn line(&self, source: &str, line: &str) -> Option<String> {
        let fact = line.trim_start().strip_prefix("//@ ")?;
        match self {
            LaunchVariant::Launch(facts) => {
                fact.strip_prefix("launch ")?;
                Some(format!("//@ launch {facts}"))
            }
            LaunchVariant::Value { name, value } => {
                let rest = fact
                    .strip_prefix("buffer ")
                    .or(fact.strip_prefix("scalar "))?;
                let (own, _) = rest.split_once(':')?;
                let (head, _) = line.split_once('=').unwrap_or((line, ""));
                (own.trim() == name).then(|| {
                    let value = match value.strip_prefix("random ") {
                        Some(seed) => random(source, name, seed.parse().unwrap_or(1)),
                        None => value.clone(),
                    };
                    format!("{}= {value}", head.trim_end().to_owned() + " ")
                })
            }
        }
    }
}

/// Returns a random number for each element of a buffer. The sequence of numbers depends only on the seed.
fn random(source: &str, name: &str, seed: u64) -> String {
    let Scenario { params, .. } = Annotations::parse(source, "//").scenario;
    let buffer = params.iter().find_map(|parameter| match parameter {
        Parameter::Buffer(buffer) if buffer.name == name => Some(buffer),
        _ => None,
    });
    let most = buffer.map_or(1, |buffer| match ElementType::from_name(&buffer.ty) {
        Some(ty) if !buffer.ty.contains('f') => 1 << (ty.width_bytes() * 8 - 1).min(31),
        _ => MAX_FLOAT,
    });
    let n = buffer.map_or(0, |buffer| buffer.len);
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) % most
    };
    let values: Vec<String> = (0..n.min(65_536)).map(|_| next().to_string()).collect();
    values.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str =
        "//@ launch grid=1 block=4\n//@ buffer x: u32[3] = iota\n//@ scalar n: s32 = 1\nret;\n";

    fn applied(text: &str) -> Result<String, String> {
        LaunchVariant::read(text)?.apply(SOURCE)
    }

    #[test]
    fn variant_replaces_annotation_value() {
        assert_eq!(
            applied("n = 5"),
            Ok("//@ launch grid=1 block=4\n//@ buffer x: u32[3] = iota\n//@ scalar n: s32 = 5\nret;\n".to_owned())
        );
        assert!(
            applied("launch grid=2 block=8")
                .is_ok_and(|text| text.starts_with("//@ launch grid=2 block=8\n"))
        );
        let one = applied("x = random 1").expect("values");
        assert_eq!(applied("x = random 1"), Ok(one.clone()));
        assert_ne!(applied("x = random 2"), Ok(one.clone()));
        assert_eq!(
            one.lines().nth(1).map(|line| line.split(',').count()),
            Some(3)
        );
    }

    #[test]
    fn variant_of_undeclared_name_is_rejected() {
        assert!(applied("y = 5").is_err());
        assert!(applied("y").is_err());
    }
}
