//! Rendering of Layout Explorer diagrams. The boxes of a diagram are drawn once, and the highlights are drawn on a second canvas above the
//! boxes.

use super::{empty, outline, rounded};
use crate::grid_geometry::Rect;
use crate::layout_explorer::{CellBox, DisplayList, Raster};
use crate::theme::Palette;
use wasm_bindgen::{Clamped, JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData, Window};

const LABEL_FONT: &str = "600 11px";
const DETAIL_FONT: &str = "9px";
const SMALL_FONT: &str = "9.5px";
const HEAD_FONT: &str = "10px";
/// Maximum width and height of a canvas in device pixels. Browsers reject much larger canvases.
const MAX_CANVAS: f64 = 16_000.0;
/// Number of boxes from which on boxes have square corners, and the text of boxes outside of the viewport is drawn later.
const SIMPLE_BOX_THRESHOLD: usize = 2_048;
/// Opacity of a box that is shown only for comparison.
const FAINT: f64 = 0.28;
/// Device pixels per CSS pixel in an exported image.
const FILE_RATIO: f64 = 2.0;

/// Draws all boxes with their text at the resolution of the screen. For diagrams with many boxes, draws only the text of visible boxes and
/// returns the visible area of the canvas. [`paint_offscreen_labels`] draws the remaining text.
pub fn paint_display_list(
    canvas: &HtmlCanvasElement,
    plan: &DisplayList,
    palette: &Palette,
) -> Option<Rect> {
    let window = web_sys::window()?;
    let sight = (plan.marks.len() > SIMPLE_BOX_THRESHOLD)
        .then(|| visible_rect(canvas, &window))
        .flatten();
    draw(canvas, plan, palette, window.device_pixel_ratio(), |mark| {
        sight.is_none_or(|sight| sight.intersects(mark.rect))
    });
    sight
}

/// Draws the text of the boxes that are outside of the area `sight`.
pub fn paint_offscreen_labels(
    canvas: &HtmlCanvasElement,
    plan: &DisplayList,
    palette: &Palette,
    sight: Rect,
) {
    let context = canvas.get_context("2d").ok().flatten();
    if let Some(Ok(context)) = context.map(JsCast::dyn_into) {
        labels(&context, plan, palette, |mark| !sight.intersects(mark.rect));
    }
}

/// Returns the part of a canvas that is within the viewport.
fn visible_rect(canvas: &HtmlCanvasElement, window: &Window) -> Option<Rect> {
    let place = canvas.get_bounding_client_rect();
    Some(Rect {
        x: -place.left(),
        y: -place.top(),
        width: window.inner_width().ok()?.as_f64()?,
        height: window.inner_height().ok()?.as_f64()?,
    })
}

/// Outlines the highlighted boxes and the focused box.
pub fn paint_highlights(
    canvas: &HtmlCanvasElement,
    plan: &DisplayList,
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

/// Renders the diagram as a PNG image and returns its data URL.
pub fn png(plan: &DisplayList, palette: &Palette) -> Option<String> {
    let document = web_sys::window()?.document()?;
    let canvas = document.create_element("canvas").ok()?;
    let canvas = canvas.dyn_into::<HtmlCanvasElement>().ok()?;
    draw(&canvas, plan, palette, FILE_RATIO, |_| true);
    canvas.to_data_url().ok()
}

/// Reduces a pixel ratio so that the whole diagram fits into a canvas.
fn bounded(plan: &DisplayList, ratio: f64) -> f64 {
    ratio.min(MAX_CANVAS / plan.width.max(plan.height).max(1.0))
}

fn draw(
    canvas: &HtmlCanvasElement,
    plan: &DisplayList,
    palette: &Palette,
    ratio: f64,
    has_text: impl Fn(&CellBox) -> bool,
) {
    let Some(context) = empty(canvas, plan.width, plan.height, bounded(plan, ratio)) else {
        return;
    };
    match plan.raster {
        // Browsers without image data support draw single boxes instead.
        Some(raster) if image(&context, plan, raster, palette).is_ok() => {}
        _ => {
            fill(&context, plan, palette);
            hatch_all(&context, plan, palette);
        }
    }
    labels(&context, plan, palette, has_text);
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

/// Draws the text of boxes. All texts with the same font are drawn together, because changing the font takes longer than drawing a text.
fn labels(
    context: &CanvasRenderingContext2d,
    plan: &DisplayList,
    palette: &Palette,
    has_text: impl Fn(&CellBox) -> bool,
) {
    context.set_fill_style_str(&palette.lane_ink);
    let has_details = plan.marks.iter().any(|mark| !mark.detail.is_empty());
    let (font, lift) = if has_details {
        (LABEL_FONT, 5.0)
    } else {
        (SMALL_FONT, -0.5)
    };
    let marks = || plan.marks.iter().filter(|mark| has_text(mark));
    let labels = marks().map(|mark| (mark.rect, &mark.label));
    texts(context, palette, font, -lift, labels);
    let details = marks().map(|mark| (mark.rect, &mark.detail));
    texts(context, palette, DETAIL_FONT, 7.0, details);
}

/// Fills all boxes. All boxes with the same color are filled together, because changing the color takes longer than filling a box. Boxes of
/// large diagrams have square corners.
fn fill(context: &CanvasRenderingContext2d, plan: &DisplayList, palette: &Palette) {
    let is_small = plan.marks.len() > SIMPLE_BOX_THRESHOLD;
    for colour in 0..64u8 {
        let (lane, is_faint) = (colour & 31, colour > 31);
        let own = |mark: &&CellBox| mark.lane & 31 == lane && mark.is_dimmed == is_faint;
        let mut marks = plan.marks.iter().filter(own).peekable();
        if marks.peek().is_none() {
            continue;
        }
        context.set_fill_style_str(palette.lane(lane));
        context.set_global_alpha(if is_faint { FAINT } else { 1.0 });
        for CellBox { rect, .. } in marks {
            if is_small {
                context.fill_rect(rect.x, rect.y, rect.width, rect.height);
            } else {
                rounded(context, *rect, 0.0);
                context.fill();
            }
        }
    }
    context.set_global_alpha(1.0);
}

/// Returns the colors of the lanes and of errors as RGBA bytes. The browser converts the CSS colors.
fn colours(palette: &Palette) -> Result<Vec<[u8; 4]>, JsValue> {
    let n = palette.lanes.len();
    let context = canvas_of(n + 1, 1)?;
    for (at, colour) in palette.lanes.iter().chain([&palette.bad]).enumerate() {
        context.set_fill_style_str(colour);
        context.fill_rect(at as f64, 0.0, 1.0, 1.0);
    }
    let bytes = context
        .get_image_data(0.0, 0.0, (n + 1) as f64, 1.0)?
        .data();
    let (colours, _) = bytes.as_chunks::<4>();
    Ok(colours.to_vec())
}

/// Creates a canvas outside of the document.
fn canvas_of(width: usize, height: usize) -> Result<CanvasRenderingContext2d, JsValue> {
    let document = web_sys::window().and_then(|window| window.document());
    let canvas = document.ok_or(JsValue::NULL)?.create_element("canvas")?;
    let canvas: HtmlCanvasElement = canvas.dyn_into().map_err(JsValue::from)?;
    canvas.set_width(width as u32);
    canvas.set_height(height as u32);
    let context = canvas.get_context("2d")?.ok_or(JsValue::NULL)?;
    context.dyn_into().map_err(JsValue::from)
}

/// Draws boxes that are arranged in rows and columns as one image with two by two pixels per box. Two of the four pixels are red if the box
/// is hatched.
fn image(
    context: &CanvasRenderingContext2d,
    plan: &DisplayList,
    raster: Raster,
    palette: &Palette,
) -> Result<(), JsValue> {
    const SIDE: usize = 2;
    let Raster {
        rows,
        columns,
        rect,
    } = raster;
    let colours = colours(palette)?;
    let [wrong] = colours.last_chunk().copied().unwrap_or([[0; 4]]);
    let (width, height) = (columns * SIDE, rows * SIDE);
    let mut bytes = vec![0; width * height * 4];
    let (pixels, _) = bytes.as_chunks_mut::<4>();
    for mark in &plan.marks {
        let (row, column) = (mark.cell / columns.max(1), mark.cell % columns.max(1));
        let mut own = colours
            .get(usize::from(mark.lane & 31))
            .copied()
            .unwrap_or_default();
        if mark.is_dimmed {
            own[3] = (f64::from(own[3]) * FAINT) as u8;
        }
        for part in 0..SIDE * SIDE {
            let (down, along) = (part / SIDE, part % SIDE);
            let at = (row * SIDE + down) * width + column * SIDE + along;
            let is_red = mark.is_hatched && down + along == 1;
            if let Some(pixel) = pixels.get_mut(at) {
                *pixel = if is_red { wrong } else { own };
            }
        }
    }
    let small = canvas_of(width, height)?;
    let data = ImageData::new_with_u8_clamped_array(Clamped(&bytes), width as u32)?;
    small.put_image_data(&data, 0.0, 0.0)?;
    let canvas = small.canvas().ok_or(JsValue::NULL)?;
    context.set_image_smoothing_enabled(false);
    context.draw_image_with_html_canvas_element_and_dw_and_dh(
        &canvas,
        rect.x,
        rect.y,
        rect.width,
        rect.height,
    )
}

/// Draws diagonal strokes over all hatched boxes as a single path, because separate paths take longer.
fn hatch_all(context: &CanvasRenderingContext2d, plan: &DisplayList, palette: &Palette) {
    const APART: f64 = 6.0;
    context.begin_path();
    for Rect {
        x,
        y,
        width,
        height,
    } in plan
        .marks
        .iter()
        .filter(|mark| mark.is_hatched)
        .map(|mark| mark.rect)
    {
        let mut from = x - height;
        while from < x + width {
            // The stroke rises to the right, and is clipped to the box.
            let (left, right) = (from.max(x), (from + height).min(x + width));
            context.move_to(left, y + height - (left - from));
            context.line_to(right, y + height - (right - from));
            from += APART;
        }
    }
    context.set_stroke_style_str(&palette.bad);
    context.set_line_width(1.5);
    context.stroke();
}

/// Draws one text per box, `dy` pixels below the center of the box.
fn texts<'a>(
    context: &CanvasRenderingContext2d,
    palette: &Palette,
    font: &str,
    dy: f64,
    texts: impl Iterator<Item = (Rect, &'a String)>,
) {
    context.set_font(&format!("{font} {}", palette.mono));
    for (rect, text) in texts {
        if !text.is_empty() {
            let (x, y) = (rect.x + rect.width / 2.0, rect.y + rect.height / 2.0 + dy);
            let _ = context.fill_text_with_max_width(text, x, y, rect.width - 1.0);
        }
    }
}
