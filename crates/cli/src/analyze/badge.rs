//! Badge for a README: an SVG image with the verdict of an analysis.

use warpgrid_view::analysis::findings::Verdict;

/// Width of the label `warpgrid` in pixels.
const LABEL_WIDTH: u32 = 62;
/// Width of a character of the verdict in pixels, in Verdana at 11 pixels.
const CHARACTER_WIDTH: u32 = 7;

/// Formats the badge.
pub(super) fn svg(verdict: Verdict) -> String {
    let name = verdict.name();
    let color = match verdict {
        Verdict::Clean => "#2da44e",
        Verdict::Findings => "#bf8700",
        Verdict::Incomplete => "#6e7781",
        Verdict::Error => "#cf222e",
    };
    let verdict_width = name.len() as u32 * CHARACTER_WIDTH + 12;
    let width = LABEL_WIDTH + verdict_width;
    let label_center = LABEL_WIDTH / 2;
    let verdict_center = LABEL_WIDTH + verdict_width / 2;
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="warpgrid: {name}">
<title>warpgrid: {name}</title>
<clipPath id="r"><rect width="{width}" height="20" rx="3"/></clipPath>
<g clip-path="url(#r)"><rect width="{LABEL_WIDTH}" height="20" fill="#424a53"/><rect x="{LABEL_WIDTH}" width="{verdict_width}" height="20" fill="{color}"/></g>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11"><text x="{label_center}" y="14">warpgrid</text><text x="{verdict_center}" y="14">{name}</text></g>
</svg>
"##
    )
}
