//! Parser of the text format of litmus tests. The text consists of thread bodies in PTX, and of `//@` lines that specify threads, locations
//! and observed values.
//!
//! ```text
//! //@ title Message passing
//! //@ location x: u32 = 0
//! //@ location flag: u32 = 0
//! //@ thread block=0
//! st.global.u32 [x], 1;
//! st.release.gpu.global.u32 [flag], 1;
//! //@ thread block=1
//! ld.acquire.gpu.global.u32 %r0, [flag];
//! ld.global.u32 %r1, [x];
//! //@ observe 1:%r0 1:%r1
//! //@ bad 1 0
//! ```

use crate::expression::tree::read_unsigned;
use crate::memory_model::litmus::location::location;
use crate::memory_model::litmus::test::{LitmusTest, LitmusThread};
use crate::memory_model::litmus::test_module::LitmusError;

/// Sample litmus test, which the editor of the page initially contains.
pub const SAMPLE: &str = "//@ title Message passing
//@ location x: u32 = 0
//@ location flag: u32 = 0
//@ thread block=0
st.global.u32 [x], 1;
st.global.u32 [flag], 1;
//@ thread block=1
ld.global.u32 %r0, [flag];
ld.global.u32 %r1, [x];
//@ observe 1:%r0 1:%r1
";

/// Parses the text of a litmus test.
pub fn read_text(text: &str) -> Result<LitmusTest, LitmusError> {
    let mut reader = LitmusParser::default();
    for (index, line) in text.lines().enumerate() {
        let number = index as u32 + 1;
        reader.line(line, number).map_err(|message| LitmusError {
            thread: None,
            line: Some(number),
            message,
        })?;
    }
    reader.finish()
}

#[derive(Default)]
struct LitmusParser {
    test: LitmusTest,
    /// Whether the test contains a `//@ launch` line.
    has_launch: bool,
}

impl LitmusParser {
    fn line(&mut self, line: &str, number: u32) -> Result<(), String> {
        let trimmed = line.trim();
        if let Some(fact) = trimmed.strip_prefix("//@") {
            return self.fact(fact.trim(), number);
        }
        if let Some(thread) = self.test.threads.last_mut() {
            thread.body.push(line.trim_end().to_owned());
            return Ok(());
        }
        self.head(trimmed)
    }

    /// Parses a line of the test before the first `//@ thread` line.
    fn head(&mut self, line: &str) -> Result<(), String> {
        if line.is_empty() || line.starts_with("//") {
            return Ok(());
        }
        if !self.test.functions.is_empty() || line.contains(".func") {
            self.test.functions.push(line.to_owned());
            return Ok(());
        }
        match line.split_once(char::is_whitespace) {
            Some((".version", version)) => self.test.ptx_version = Some(version.trim().to_owned()),
            Some((".target", target)) => self.test.target = Some(target.trim().to_owned()),
            Some((".address_size", _)) => {}
            _ => {
                return Err(format!(
                    "found `{line}` before the first thread, expected the annotation `//@ thread`"
                ));
            }
        }
        Ok(())
    }

    fn fact(&mut self, fact: &str, number: u32) -> Result<(), String> {
        let (word, rest) = fact.split_once(char::is_whitespace).unwrap_or((fact, ""));
        let rest = rest.trim();
        match word {
            "title" => self.test.name = rest.to_owned(),
            "about" => {}
            "launch" => self.launch(rest)?,
            "location" => self.test.locations.push(location(rest)?),
            "thread" => self.thread(rest, number)?,
            "observe" => {
                let names = rest.split([' ', ',']).filter(|name| !name.is_empty());
                self.test.observe.extend(names.map(str::to_owned));
            }
            "bad" => {
                let values = rest.split([' ', ',']).filter(|value| !value.is_empty());
                let values: Result<_, _> = values.map(number_of).collect();
                self.test.unwanted_outcomes.push(values?);
            }
            _ => {
                return Err(format!(
                    "found the annotation `{word}`, expected `title`, `about`, `launch`, `location`, `thread`, `observe` or `bad`"
                ));
            }
        }
        Ok(())
    }

    fn launch(&mut self, rest: &str) -> Result<(), String> {
        self.has_launch = true;
        self.test.grid = [1; 3];
        self.test.block = [32, 1, 1];
        self.test.cluster = [1; 3];
        for (name, value) in words(rest)? {
            match name {
                "grid" => self.test.grid = extents(value)?,
                "block" => self.test.block = extents(value)?,
                "cluster" => self.test.cluster = extents(value)?,
                _ => {
                    return Err(format!(
                        "found the launch option `{name}`, expected `grid`, `block` or `cluster`"
                    ));
                }
            }
        }
        Ok(())
    }

    fn thread(&mut self, rest: &str, number: u32) -> Result<(), String> {
        let mut thread = LitmusThread {
            block: self.test.threads.len() as u32,
            first_line: number + 1,
            ..LitmusThread::default()
        };
        for (name, value) in words(rest)? {
            let n = number_of(value)? as u32;
            match name {
                "block" => thread.block = n,
                "thread" => thread.thread = n,
                _ => {
                    return Err(format!(
                        "found the option `{name}` of a thread, expected `block` or `thread`"
                    ));
                }
            }
        }
        self.test.threads.push(thread);
        Ok(())
    }

    fn finish(mut self) -> Result<LitmusTest, LitmusError> {
        let fail = |message: &str| LitmusError {
            thread: None,
            line: None,
            message: message.to_owned(),
        };
        if self.test.threads.is_empty() {
            return Err(fail(
                "the litmus test has no thread: add `//@ thread block=0` before the instructions of a thread",
            ));
        }
        if self.test.observe.is_empty() {
            return Err(fail(
                "the litmus test observes no values: add an annotation such as `//@ observe 0:%r0 x[0]`",
            ));
        }
        if !self.has_launch {
            let threads = &self.test.threads;
            let blocks = threads.iter().map(|thread| thread.block).max().unwrap_or(0);
            let most = threads
                .iter()
                .map(|thread| thread.thread)
                .max()
                .unwrap_or(0);
            self.test.grid = [blocks.saturating_add(1), 1, 1];
            self.test.block = [most.saturating_add(1).next_multiple_of(32), 1, 1];
            self.test.cluster = [1; 3];
        }
        Ok(self.test)
    }
}

/// Parses a list of options in the form `name=value`.
fn words(rest: &str) -> Result<Vec<(&str, &str)>, String> {
    let words = rest.split_whitespace().map(|word| {
        word.split_once('=')
            .ok_or_else(|| format!("found `{word}`, expected `name=value`"))
    });
    words.collect()
}

/// Parses the sizes of up to three dimensions: `4`, `16x16`, `2x2x2`.
fn extents(value: &str) -> Result<[u32; 3], String> {
    let mut extents = [1; 3];
    let mut places = extents.iter_mut();
    for part in value.split('x') {
        let n = u32::try_from(number_of(part)?).ok();
        match (places.next(), n) {
            (Some(place), Some(n)) => *place = n,
            _ => {
                return Err(format!(
                    "found the extents `{value}`, expected extents such as `4` or `16x16x1`"
                ));
            }
        }
    }
    Ok(extents)
}

pub(crate) fn number_of(text: &str) -> Result<u64, String> {
    read_unsigned(text).ok_or_else(|| format!("found `{text}`, expected a number"))
}

/// Maximum number of elements in a location.
pub(crate) const MAX_ELEMENTS: usize = 4096;
