//! Formatting of the memory traffic of a run for the page: the cost of each access, its ideal cost, and the ratio of both. The worker
//! formats the numbers, so that the WebAssembly module of the page remains small.

use crate::count::{count, plural};
use serde::{Deserialize, Serialize};
use warpgrid_view::model::{BankTraffic, SectorTraffic, Traffic, TrafficView};

/// Maximum number of source lines that are listed.
const MAX_LISTED: usize = 24;

/// Formatted memory traffic of the executed steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrafficWords {
    /// Number of steps whose traffic was counted.
    pub steps: u64,
    pub bars: Vec<Bar>,
    pub rows: Vec<Row>,
    /// Number of source lines that are not listed.
    pub n_more: u32,
    /// Cost markers for the gutter of the editor.
    pub marks: Vec<CostMarker>,
}

/// Total traffic to a state space, which is shown as a bar.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    pub name: String,
    /// Percentage of the traffic that is necessary.
    pub share: f32,
    pub strong: String,
    pub facts: String,
}

/// Traffic of a source line to a state space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    pub line: u32,
    pub opcode: String,
    pub requests: String,
    pub each: String,
    pub least: String,
    pub title: String,
    pub level: Level,
}

/// Formats the traffic of a run.
pub fn words(traffic: &TrafficView) -> TrafficWords {
    let total = &traffic.total;
    let bars = [
        sectors_bar("Global", &total.global),
        sectors_bar("Local", &total.local),
        banks_bar(&total.shared),
    ];
    let of_line = |line: &warpgrid_view::model::LineTraffic| {
        let (number, opcode) = (line.line, line.opcode.clone());
        let costs = costs(&line.traffic).into_iter();
        costs.map(move |cost| Row {
            line: number,
            opcode: opcode.clone(),
            requests: count(cost.requests),
            each: cost.each(),
            least: cost.least_each(),
            title: cost.words(),
            level: cost.level(),
        })
    };
    let mut rows: Vec<Row> = traffic.lines.iter().flat_map(of_line).collect();
    let n_more = rows.len().saturating_sub(MAX_LISTED) as u32;
    rows.truncate(MAX_LISTED);
    TrafficWords {
        steps: traffic.steps,
        bars: bars.into_iter().flatten().collect(),
        rows,
        n_more,
        marks: line_marks(traffic),
    }
}

fn sectors_bar(name: &str, traffic: &SectorTraffic) -> Option<Bar> {
    let moved = traffic.bytes + traffic.bytes_wasted;
    (moved > 0).then(|| Bar {
        name: name.to_owned(),
        share: share(traffic.bytes, moved),
        strong: format!("{} of {} bytes used", count(traffic.bytes), count(moved)),
        facts: format!(
            "{}, {} ideal; {}",
            plural(traffic.sectors, "sector"),
            count(traffic.sectors_ideal),
            plural(traffic.lines, "cache line"),
        ),
    })
}

fn banks_bar(traffic: &BankTraffic) -> Option<Bar> {
    (traffic.wavefronts > 0).then(|| Bar {
        name: "Shared".to_owned(),
        share: share(traffic.wavefronts_ideal, traffic.wavefronts),
        strong: match traffic.bank_conflicts {
            0 => "no bank conflicts".to_owned(),
            n => plural(n, "bank conflict"),
        },
        facts: format!(
            "{}, {} ideal",
            plural(traffic.wavefronts, "wavefront"),
            count(traffic.wavefronts_ideal)
        ),
    })
}

fn share(least: u64, all: u64) -> f32 {
    (100.0 * least as f64 / all.max(1) as f64) as f32
}

/// Ratio of actual to ideal cost from which on a line is marked as expensive.
const FAR: u64 = 4;

/// Cost of the accesses of a source line to a state space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cost {
    requests: u64,
    spent: u64,
    least: u64,
    of: Counted,
}

/// Unit in which a cost is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counted {
    GlobalSectors,
    LocalSectors,
    Wavefronts,
}

/// Rating of a cost in relation to the ideal cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Level {
    Ideal,
    More,
    Far,
}

impl Level {
    /// Returns the CSS class of the rating.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Ideal => "ideal",
            Level::More => "excessive",
            Level::Far => "severe",
        }
    }
}

/// Cost marker of a source line in the gutter of the editor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CostMarker {
    pub line: u32,
    /// Ratio of actual to ideal cost, as in `×8`.
    pub text: String,
    pub title: String,
    pub level: Level,
}

/// Returns the costs of a source line, with one cost for each state space that the line accesses.
fn costs(traffic: &Traffic) -> Vec<Cost> {
    let Traffic {
        global,
        local,
        shared,
        ..
    } = traffic;
    let sectors = |of, found: &SectorTraffic| Cost {
        requests: found.requests,
        spent: found.sectors,
        least: found.sectors_ideal,
        of,
    };
    let all = [
        sectors(Counted::GlobalSectors, global),
        sectors(Counted::LocalSectors, local),
        Cost {
            requests: shared.requests,
            spent: shared.wavefronts,
            least: shared.wavefronts_ideal,
            of: Counted::Wavefronts,
        },
    ];
    all.into_iter().filter(|cost| cost.spent > 0).collect()
}

/// Returns the cost marker of each source line, which shows the worst cost of the line.
fn line_marks(traffic: &TrafficView) -> Vec<CostMarker> {
    let lines = traffic.lines.iter();
    lines
        .filter_map(|line| cost_marker(line.line, &line.traffic))
        .collect()
}

/// Returns the cost marker of a line with the worst cost of the line, or `None` if the line accesses no memory.
pub(crate) fn cost_marker(line: u32, traffic: &Traffic) -> Option<CostMarker> {
    let costs = costs(traffic);
    let worst = costs
        .iter()
        .max_by(|a, b| a.factor().total_cmp(&b.factor()))?;
    Some(CostMarker {
        line,
        text: format!("×{}", short(worst.factor())),
        title: costs.iter().map(Cost::words).collect::<Vec<_>>().join("\n"),
        level: worst.level(),
    })
}

impl Cost {
    fn factor(&self) -> f64 {
        self.spent as f64 / self.least.max(1) as f64
    }

    fn level(&self) -> Level {
        match self.spent {
            spent if spent <= self.least => Level::Ideal,
            spent if spent < FAR * self.least => Level::More,
            _ => Level::Far,
        }
    }

    /// Formats the average cost of one access, as in `32 sectors`.
    fn each(&self) -> String {
        let word = match self.of {
            Counted::GlobalSectors | Counted::LocalSectors => "sector",
            Counted::Wavefronts => "wavefront",
        };
        let plural = if self.spent == self.requests { "" } else { "s" };
        format!("{} {word}{plural}", self.average(self.spent))
    }

    fn least_each(&self) -> String {
        self.average(self.least)
    }

    fn average(&self, n: u64) -> String {
        short(n as f64 / self.requests.max(1) as f64)
    }

    /// Formats the total costs with the corresponding Nsight Compute metrics.
    fn words(&self) -> String {
        let (unit, space, name) = match self.of {
            Counted::GlobalSectors => ("sector", "global", "L2 Theoretical Sectors Global"),
            Counted::LocalSectors => ("sector", "local", "L2 Theoretical Sectors Local"),
            Counted::Wavefronts => ("wavefront", "shared", "L1 Wavefronts Shared"),
        };
        let accesses = match self.requests {
            1 => "1 access".to_owned(),
            n => format!("{} accesses", count(n)),
        };
        format!(
            "{accesses}: {} of {space} memory, {} ideal (Nsight Compute: {name}, {name} Ideal)",
            plural(self.spent, unit),
            count(self.least)
        )
    }
}

/// Formats a number with at most one decimal digit, without a trailing `.0`.
fn short(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpgrid_view::model::LineTraffic;

    /// Each pair contains the actual and the ideal cost.
    fn line(global: [u64; 2], shared: [u64; 2]) -> LineTraffic {
        LineTraffic {
            line: 7,
            source: Vec::new(),
            opcode: "st.u32".into(),
            traffic: Traffic {
                requests: 2,
                lanes: 64,
                global: SectorTraffic {
                    requests: 2,
                    sectors: global[0],
                    sectors_ideal: global[1],
                    ..SectorTraffic::default()
                },
                shared: BankTraffic {
                    requests: 2,
                    wavefronts: shared[0],
                    wavefronts_ideal: shared[1],
                    ..BankTraffic::default()
                },
                ..Traffic::default()
            },
        }
    }

    fn marks(lines: Vec<LineTraffic>) -> Vec<(String, Level)> {
        let view = TrafficView {
            lines,
            ..TrafficView::default()
        };
        let marks = line_marks(&view).into_iter();
        marks.map(|mark| (mark.text, mark.level)).collect()
    }

    #[test]
    fn line_mark_shows_worst_cost_ratio() {
        let found = marks(vec![
            line([8, 8], [0, 0]),
            line([10, 8], [0, 0]),
            line([8, 8], [64, 2]),
            line([0, 0], [0, 0]),
        ]);
        let expected = [
            ("×1", Level::Ideal),
            ("×1.2", Level::More),
            ("×32", Level::Far),
        ];
        let expected = expected.map(|(text, level)| (text.to_owned(), level));
        assert_eq!(found, expected);
    }

    #[test]
    fn costs_are_reported_per_access() {
        let costs = costs(&line([64, 8], [5, 2]).traffic);
        let each: Vec<_> = costs.iter().map(|c| (c.each(), c.least_each())).collect();
        let expected = [("32 sectors", "4"), ("2.5 wavefronts", "1")];
        assert_eq!(each, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }
}
