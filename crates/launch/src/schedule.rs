//! Textual form of a schedule, which fixes the first steps of a run: `0.1:35,a2,0.0:4`. A turn `block.warp:n` executes `n` steps of a
//! warp, and a turn `a2` executes one step of the asynchronous operation 2 in the order of issue. `block` is the linear index of the block.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt::{self, Write};
use std::str::FromStr;
use std::sync::Arc;
use warpgrid_emulator::{Agent, AsyncOperationId, ScheduledTurn};

/// Maximum number of turns of a schedule.
pub const MAX_TURNS: usize = 1 << 16;

/// Turns with which a run starts. After the last turn, the scheduler selects warps and operations by its seed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    pub turns: Arc<[ScheduledTurn]>,
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, turn) in self.turns.iter().enumerate() {
            if index > 0 {
                f.write_char(',')?;
            }
            match turn.agent {
                Agent::Warp { block, warp } => write!(f, "{block}.{warp}")?,
                Agent::InFlight(AsyncOperationId(id)) => write!(f, "a{id}")?,
            }
            if turn.n_steps != 1 {
                write!(f, ":{}", turn.n_steps)?;
            }
        }
        Ok(())
    }
}

impl FromStr for Schedule {
    type Err = String;

    fn from_str(text: &str) -> Result<Schedule, String> {
        let n_turns = text.split(',').take(MAX_TURNS + 1).count();
        if n_turns > MAX_TURNS {
            return Err(format!(
                "the schedule has more than {MAX_TURNS} turns, expected at most {MAX_TURNS}"
            ));
        }
        let turns = text.split(',').map(|turn| {
            parse_turn(turn.trim()).ok_or_else(|| {
                format!("found the turn `{turn}`, expected a turn such as `0.1:35` or `a2`")
            })
        });
        Ok(Schedule {
            turns: turns.collect::<Result<_, _>>()?,
        })
    }
}

fn parse_turn(text: &str) -> Option<ScheduledTurn> {
    let (agent, n_steps) = match text.split_once(':') {
        Some((agent, n_steps)) => (agent, n_steps.parse().ok()?),
        None => (text, 1),
    };
    let agent = match agent.strip_prefix('a') {
        Some(id) => Agent::InFlight(AsyncOperationId(id.parse().ok()?)),
        None => {
            let (block, warp) = agent.split_once('.')?;
            Agent::Warp {
                block: block.parse().ok()?,
                warp: warp.parse().ok()?,
            }
        }
    };
    (n_steps > 0).then_some(ScheduledTurn { agent, n_steps })
}

impl Serialize for Schedule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Schedule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Schedule, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedule_equals_parsed_text() {
        let text = "0.1:35,a2,3.0:4,a7:2";
        let schedule: Schedule = text.parse().unwrap();
        assert_eq!(schedule.turns.len(), 4);
        assert_eq!(schedule.to_string(), text);
    }

    #[test]
    fn invalid_turns_are_rejected() {
        for text in [
            "",
            "0",
            "0.1:0",
            "0.1:x",
            "a",
            "0.1,,0.2",
            "-1.0",
            "0.1:4294967296",
        ] {
            assert!(text.parse::<Schedule>().is_err(), "{text}");
        }
        let long = vec!["0.0"; MAX_TURNS + 1].join(",");
        assert!(long.parse::<Schedule>().is_err());
    }
}
