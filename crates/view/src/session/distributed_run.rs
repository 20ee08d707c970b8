//! A translated run to the end whose blocks other hosts may take, such as workers of a page: each has a session of the same launch. In: the shares
//! of others, once they have run; out: the session at its end, or why the interpreter must run it.

use crate::session::Session;
use crate::session::translated::Translated;
use std::ops::Range;
use std::time::Duration;
use warpgrid_emulator::plain::Plain;
use warpgrid_translate::{AnyPart, Ended, Engine, Limits, Memory, Part, Parted, Refusal, shares};

/// Bytes a second of memory that are filled, sent and merged.
const BYTES_A_SECOND: f64 = 5e8;

/// When blocks are left to others.
#[derive(Clone, Copy, Debug)]
pub struct Sharing {
    /// Hosts, with the one that begins.
    pub n_hosts: u64,
    /// How long the run goes on alone before.
    pub alone: Duration,
    /// What other hosts take before their first block: they start, open the launch and translate it.
    pub start: Duration,
}

impl Sharing {
    /// For workers that are yet to be started.
    pub fn among(n_hosts: u64) -> Sharing {
        Sharing {
            n_hosts,
            alone: Duration::from_millis(100),
            start: Duration::from_millis(250),
        }
    }
}

/// A run, as one of its hosts has it.
pub struct SharedRun<E: Engine> {
    /// The launch at its start.
    session: Session,
    parted: Parted<E>,
    limits: Limits,
    part: Option<Part<E::Instance>>,
    /// Ranges of memory that all parts note.
    noted: Vec<u32>,
    ended: Option<Ended<E::Instance>>,
}

impl<E: Engine> SharedRun<E> {
    /// Translates the launch of a session at its start.
    pub fn new(session: Session, engine: &E, limits: Limits) -> Result<SharedRun<E>, Untranslated> {
        let parted = match session.plain() {
            Some(plain) => Parted::new(engine, plain),
            None => Err(Refusal::Launch),
        };
        match parted {
            Ok(parted) => Ok(SharedRun {
                session,
                parted,
                limits,
                part: None,
                noted: Vec::new(),
                ended: None,
            }),
            Err(why) => Err(Untranslated::of(&session, &why)),
        }
    }

    /// Begins in the host that will have the end, alone. Where the end is far, blocks are left to others: their shares.
    /// None where the run is over.
    pub fn begin(&mut self, engine: &E, sharing: Sharing) -> Result<Vec<Range<u64>>, Untranslated> {
        let found = self.try_to_begin(engine, sharing);
        found.map_err(|why| Untranslated::of(&self.session, &why))
    }

    fn try_to_begin(&mut self, engine: &E, sharing: Sharing) -> Result<Vec<Range<u64>>, Refusal> {
        let plain = plain_of(&self.session)?;
        let n_hosts = sharing.n_hosts.min(self.parted.most_parts(plain));
        let mut part = self.parted.part(engine, 0..plain.n_blocks())?;
        let rest = (n_hosts > 1).then_some(sharing.alone);
        let mut took;
        loop {
            let started = E::now();
            let limits = self.limits;
            self.parted.run_part(plain, limits, rest, &mut part);
            took = E::now().saturating_sub(started);
            match self.parted.more_to_note(plain, &self.noted, &[&part])? {
                Some(more) => self.noted = more,
                None => break,
            }
            self.parted.begin_again(plain, &self.noted, &mut part);
        }
        let left = part.left();
        let n_bytes = self.parted.n_bytes() * n_hosts.saturating_sub(1);
        let start = sharing.start.as_secs_f64() + n_bytes as f64 / BYTES_A_SECOND;
        let n_others = blocks_of_others(&left, took, start, n_hosts);
        let others = left.end - n_others..left.end;
        part.leave(others.start);
        self.part = Some(part);
        if others.is_empty() {
            self.run_own(None)?;
            while !self.try_to_join(&[])? {
                self.run_own(None)?;
            }
            return Ok(Vec::new());
        }
        self.limits = self.limits.of_part(n_hosts);
        Ok(shares(others, n_hosts - 1).collect())
    }

    /// Runs blocks of the own part, with a rest before the first that begins after `rest`; true when all have run.
    pub fn go_on(&mut self, rest: Option<Duration>) -> Result<bool, Untranslated> {
        let ran = self.run_own(rest);
        ran.map_err(|why| Untranslated::of(&self.session, &why))
    }

    fn run_own(&mut self, rest: Option<Duration>) -> Result<bool, Refusal> {
        let plain = plain_of(&self.session)?;
        let part = self.part.as_mut().ok_or(Refusal::Launch)?;
        self.parted.run_part(plain, self.limits, rest, part);
        Ok(part.left().is_empty())
    }

    /// Runs a share for the host that has begun the run: all of these blocks, with these ranges noted.
    pub fn run_share(
        &mut self,
        engine: &E,
        blocks: Range<u64>,
        noted: &[u32],
    ) -> Result<&Part<E::Instance>, Untranslated> {
        match self.try_share(engine, blocks, noted) {
            Ok(part) => Ok(self.part.insert(part)),
            Err(why) => Err(Untranslated::of(&self.session, &why)),
        }
    }

    fn try_share(
        &mut self,
        engine: &E,
        blocks: Range<u64>,
        noted: &[u32],
    ) -> Result<Part<E::Instance>, Refusal> {
        let plain = plain_of(&self.session)?;
        let before = self.part.take().filter(|part| *part.blocks() == blocks);
        let mut part = match before {
            Some(part) => part,
            None => self.parted.part(engine, blocks)?,
        };
        self.parted.begin_again(plain, noted, &mut part);
        self.parted.run_part(plain, self.limits, None, &mut part);
        Ok(part)
    }

    /// Makes one of all parts; true where that is the end. Else all must run again with the ranges of [`SharedRun::noted`]: the own part is at its start.
    pub fn join<M: Memory>(&mut self, others: &[Part<M>]) -> Result<bool, Untranslated> {
        let others: Vec<&AnyPart<'_>> = others.iter().map(|part| part as _).collect();
        let found = self.try_to_join(&others);
        found.map_err(|why| Untranslated::of(&self.session, &why))
    }

    fn try_to_join(&mut self, others: &[&AnyPart<'_>]) -> Result<bool, Refusal> {
        let plain = plain_of(&self.session)?;
        let mut own = self.part.take().ok_or(Refusal::Launch)?;
        let mut parts: Vec<&AnyPart<'_>> = vec![&own];
        parts.extend(others);
        if let Some(more) = self.parted.more_to_note(plain, &self.noted, &parts)? {
            self.noted = more;
            self.parted.begin_again(plain, &self.noted, &mut own);
            self.part = Some(own);
            return Ok(false);
        }
        self.ended = Some(self.parted.end(plain, self.limits, own, others)?);
        Ok(true)
    }

    /// How far the run may go.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The ranges of memory that all parts note.
    pub fn noted(&self) -> &[u32] {
        &self.noted
    }

    /// The session at its end, after [`SharedRun::join`] has found it.
    pub fn finish(mut self) -> Result<(Session, Translated), Untranslated> {
        let took = match &self.ended {
            Some(ended) => self.session.take_end(ended),
            None => Err(Refusal::Launch),
        };
        match took {
            Ok(took) => Ok((self.session, took)),
            Err(why) => Err(Untranslated::of(&self.session, &why)),
        }
    }
}

/// Why the interpreter must run a launch, as a part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untranslated(pub String);

impl Untranslated {
    fn of(session: &Session, why: &Refusal) -> Untranslated {
        Untranslated(session.why_interpreted(why))
    }
}

fn plain_of(session: &Session) -> Result<Plain<'_>, Refusal> {
    session.plain().ok_or(Refusal::Launch)
}

/// How many of the blocks that are left others should run, which begin after `start` seconds: all that ran so far took `took`, and `n_hosts` share the
/// rest. None where the end comes sooner without them.
fn blocks_of_others(left: &Range<u64>, took: Duration, start: f64, n_hosts: u64) -> u64 {
    let n_left = left.end.saturating_sub(left.start) as f64;
    if n_hosts < 2 || n_left == 0.0 || left.start == 0 {
        return 0;
    }
    let a_block = took.as_secs_f64() / left.start as f64;
    if n_left * a_block < 2.0 * start {
        return 0;
    }
    // Until they begin this host goes on.
    let each = (n_left - start / a_block.max(f64::MIN_POSITIVE)) / n_hosts as f64;
    (each.max(0.0) * (n_hosts - 1) as f64) as u64
}

#[cfg(test)]
mod tests {
    use super::blocks_of_others;
    use std::time::Duration;

    #[test]
    fn blocks_are_left_to_others_where_all_end_sooner_so() {
        let tenth = Duration::from_millis(100);
        // 10 blocks took 0.1 s: 990 more take 9.9 s alone.
        let others = |n_left: u64, start, n_hosts| {
            blocks_of_others(&(10..10 + n_left), tenth, start, n_hosts)
        };
        assert_eq!(others(990, 0.25, 1), 0);
        assert_eq!(others(0, 0.25, 4), 0);
        // 25 blocks run before others begin; a quarter of the rest for each.
        assert_eq!(others(990, 0.25, 4), 723);
        assert_eq!(others(49, 0.25, 4), 0);
        assert_eq!(others(51, 0.25, 2), 13);
    }
}
