//! Painting the plans of the matrix view: the boxes once, what is lit above them.

use super::{empty, hatch, outline, rounded};
use crate::layout::Rect;
use crate::matrix::{Mark, Plan};
use crate::theme::Palette;
use std::collections::BTreeMap;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

const LABEL_FONT: &str = "600 11px";
const DETAIL_FONT: &str = "9px";
const SMALL_FONT: &str = "9.5px";
const HEAD_FONT: &str = "10px";
/// Browsers refuse canvases that are much wider or higher, in device pixels.
const MAX_CANVAS: f64 = 16_000.0;
/// Boxes from which on all of them have corners.
const MANY_BOXES: usize = 8_192;
/// How opaque a box is that is there to compare.
const FAINT: f64 = 0.28;
/// Device pixels per CSS pixel of a file.
const FILE_RATIO: f64 = 2.0;

/// Draws all boxes, sharp on any screen.
pub fn paint_plan(canvas: &HtmlCanvasElement, plan: &Plan, palette: &Palette) {
    let ratio = web_sys::window().map_or(1.0, |window| window.device_pixel_ratio());
    draw(canvas, plan, palette, ratio);
}

/// Outlines the boxes whose cells are lit, and the one in focus.
pub fn paint_lit(
    canvas: &HtmlCanvasElement,
    plan: &Plan,
    palette: &Palette,
    is_lit: impl Fn(usize) -> bool,
    focus: Option<usize>,
) {
    let ratio = web_sys::window().map_or(1.0, |window| window.device_pixel_ratio());
    let Some(context) = empty(canvas, plan.width, plan.height, bounded(plan, ratio)) else {
        return;
    };
    for mark in &plan.marks {
        if Some(mark.cell) == focus {
            outline(&context, mark.rect, &palette.now, 3.0);
        } else if is_lit(mark.cell) {
            outline(&context, mark.rect, &palette.link, 2.2);
        }
    }
}

/// The plan as the address of a PNG image.
pub fn png(plan: &Plan, palette: &Palette) -> Option<String> {
    let document = web_sys::window()?.document()?;
    let canvas = document.create_element("canvas").ok()?;
    let canvas = canvas.dyn_into::<HtmlCanvasElement>().ok()?;
    draw(&canvas, plan, palette, FILE_RATIO);
    canvas.to_data_url().ok()
}

/// A ratio with which the plan fits a canvas.
fn bounded(plan: &Plan, ratio: f64) -> f64 {
    ratio.min(MAX_CANVAS / plan.width.max(plan.height).max(1.0))
}

fn draw(canvas: &HtmlCanvasElement, plan: &Plan, palette: &Palette, ratio: f64) {
    let Some(context) = empty(canvas, plan.width, plan.height, bounded(plan, ratio)) else {
        return;
    };
    fill(&context, plan, palette);
    for mark in plan.marks.iter().filter(|mark| mark.overlaps) {
        hatch(&context, palette, mark.rect);
    }
    // A change of font costs more than a text, so all texts of one font are drawn together.
    context.set_fill_style_str(&palette.lane_ink);
    let has_details = plan.marks.iter().any(|mark| !mark.detail.is_empty());
    let (font, lift) = if has_details {
        (LABEL_FONT, 5.0)
    } else {
        (SMALL_FONT, -0.5)
    };
    texts(&context, palette, font, plan, |mark| (&mark.label, -lift));
    texts(&context, palette, DETAIL_FONT, plan, |mark| {
        (&mark.detail, 7.0)
    });
    context.set_fill_style_str(&palette.sector);
    for rule in &plan.rules {
        context.fill_rect(rule.x, rule.y, rule.width, rule.height);
    }
    context.set_font(&format!("{HEAD_FONT} {}", palette.mono));
    context.set_fill_style_str(&palette.faint);
    for (text, x, y) in &plan.heads {
        let _ = context.fill_text(text, *x, *y);
    }
}

/// Fills all boxes. A change of colour costs more than a box, so all boxes of one colour are filled together; small ones have corners.
fn fill(context: &CanvasRenderingContext2d, plan: &Plan, palette: &Palette) {
    let mut by_colour: BTreeMap<(u8, bool), Vec<Rect>> = BTreeMap::new();
    for mark in &plan.marks {
        let colour = (mark.lane & 31, mark.faint);
        by_colour.entry(colour).or_default().push(mark.rect);
    }
    let is_small = plan.marks.len() > MANY_BOXES;
    for ((lane, is_faint), rects) in by_colour {
        context.set_fill_style_str(palette.lane(lane));
        context.set_global_alpha(if is_faint { FAINT } else { 1.0 });
        for rect in rects {
            if is_small {
                context.fill_rect(rect.x, rect.y, rect.width, rect.height);
            } else {
                rounded(context, rect, 0.0);
                context.fill();
            }
        }
    }
    context.set_global_alpha(1.0);
}

/// Writes one text of every box, `dy` pixels below its middle.
fn texts<'a>(
    context: &CanvasRenderingContext2d,
    palette: &Palette,
    font: &str,
    plan: &'a Plan,
    text: impl Fn(&'a Mark) -> (&'a String, f64),
) {
    context.set_font(&format!("{font} {}", palette.mono));
    for mark in &plan.marks {
        let (text, dy) = text(mark);
        if !text.is_empty() {
            let (x, y) = (
                mark.rect.x + mark.rect.width / 2.0,
                mark.rect.y + mark.rect.height / 2.0 + dy,
            );
            let _ = context.fill_text_with_max_width(text, x, y, mark.rect.width - 1.0);
        }
    }
}
