//! Painting of a diagram when its display list or the palette changes. The visible text is painted immediately, and the remaining text in
//! the next task.

use crate::canvas::{paint_display_list, paint_offscreen_labels};
use crate::layout_explorer::DisplayList;
use crate::theme::Palette;
use gloo_timers::callback::Timeout;
use std::rc::Rc;
use web_sys::HtmlCanvasElement;
use yew::prelude::*;

/// Paints a display list on the canvas `node`.
#[hook]
pub(crate) fn use_diagram_canvas(node: &NodeRef, plan: &Rc<DisplayList>, palette: &Rc<Palette>) {
    let node = node.clone();
    use_effect_with((plan.clone(), palette.clone()), move |(plan, palette)| {
        let canvas = node.cast::<HtmlCanvasElement>();
        let rest = canvas.and_then(|canvas| {
            let sight = paint_display_list(&canvas, plan, palette)?;
            let (plan, palette) = (plan.clone(), palette.clone());
            let paint = move || paint_offscreen_labels(&canvas, &plan, &palette, sight);
            Some(Timeout::new(0, paint))
        });
        // If the display list is replaced, the remaining text of the old display list is not drawn.
        move || drop(rest)
    });
}
