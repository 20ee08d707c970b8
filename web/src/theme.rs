//! Colors of the page. The values are defined in `style.css`, and a page that embeds a widget can override them. This module reads the
//! colors by name, and computes the color of a lane from its hue and lightness.

use web_sys::CssStyleDeclaration;

/// Returns the color of a lane as a CSS expression. The group of four lanes determines the hue, and the position in the group determines
/// the lightness.
pub fn lane_css(lane: u8) -> String {
    format!(
        "oklch(var(--lane-l{}) var(--lane-c) var(--lane-h{}))",
        lane & 3,
        (lane >> 2) & 7
    )
}

/// Returns the color of a tile of a step.
pub fn tile_css(tile: u8) -> String {
    format!("oklch({TILE_LIGHT} var(--lane-h{}))", tile & 7)
}

/// Lightness and chroma of tile colors, which are the same in both themes.
const TILE_LIGHT: &str = ".62 .19";

/// Colors for drawing on a canvas, which are read once per theme.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Palette {
    pub lanes: Vec<String>,
    pub tiles: Vec<String>,
    pub lane_ink: String,
    pub empty: String,
    pub faint: String,
    pub now: String,
    pub link: String,
    pub bad: String,
    pub sector: String,
    pub accent: String,
    pub mono: String,
}

impl Palette {
    /// Reads the current theme from the document.
    pub fn read() -> Palette {
        let style = web_sys::window().and_then(|window| {
            let root = window.document()?.document_element()?;
            window.get_computed_style(&root).ok()?
        });
        let Some(style) = style else {
            return Palette::default();
        };
        Palette {
            lanes: (0..32).map(|lane| lane_value(&style, lane)).collect(),
            tiles: (0..8)
                .map(|tile| {
                    let hue = variable(&style, &format!("--lane-h{tile}"));
                    format!("oklch({TILE_LIGHT} {hue})")
                })
                .collect(),
            lane_ink: variable(&style, "--lane-ink"),
            empty: variable(&style, "--cell-empty"),
            faint: variable(&style, "--ink3"),
            now: variable(&style, "--now"),
            link: variable(&style, "--link"),
            bad: variable(&style, "--bad"),
            sector: variable(&style, "--line2"),
            accent: variable(&style, "--accent"),
            mono: variable(&style, "--mono"),
        }
    }

    /// Returns the color of a lane.
    pub fn lane(&self, lane: u8) -> &str {
        self.lanes
            .get(usize::from(lane & 31))
            .map_or("", String::as_str)
    }
}

fn lane_value(style: &CssStyleDeclaration, lane: u8) -> String {
    format!(
        "oklch({} {} {})",
        variable(style, &format!("--lane-l{}", lane & 3)),
        variable(style, "--lane-c"),
        variable(style, &format!("--lane-h{}", lane >> 2)),
    )
}

fn variable(style: &CssStyleDeclaration, name: &str) -> String {
    let value = style.get_property_value(name).unwrap_or_default();
    value.trim().to_owned()
}
