//! Sizes of elements, and the colors of the theme.

use crate::model::ThemeChoice;
use crate::storage;
use crate::theme::Palette;
use gloo_events::EventListener;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{Element, ResizeObserver};
use yew::prelude::*;

/// Returns the inner size of an element and updates it on resize.
#[hook]
pub(crate) fn use_size(node: &NodeRef) -> (f64, f64) {
    let size = use_state_eq(|| (0.0, 0.0));
    {
        let (size, node) = (size.clone(), node.clone());
        use_effect_with((), move |()| {
            let observed = node.cast::<Element>().and_then(|element| {
                let measured = element.clone();
                let measure = Closure::<dyn Fn()>::new(move || {
                    size.set((
                        f64::from(measured.client_width()),
                        f64::from(measured.client_height()),
                    ));
                });
                let observer = ResizeObserver::new(measure.as_ref().unchecked_ref()).ok()?;
                observer.observe(&element);
                Some((observer, measure))
            });
            move || {
                if let Some((observer, measure)) = observed {
                    observer.disconnect();
                    drop(measure);
                }
            }
        });
    }
    *size
}

/// Applies and saves the theme, and returns its colors, which are read again when the system theme changes.
#[hook]
pub(crate) fn use_palette(theme: ThemeChoice) -> Rc<Palette> {
    let palette = use_state_eq(Rc::<Palette>::default);
    let system_changed = use_state(|| 0_u32);
    {
        let system_changed = system_changed.clone();
        use_effect_with((), move |()| {
            let query = web_sys::window()
                .and_then(|window| window.match_media("(prefers-color-scheme: dark)").ok()?);
            let count = std::cell::Cell::new(0);
            let listener = query.map(|query| {
                EventListener::new(&query, "change", move |_| {
                    count.set(count.get() + 1);
                    system_changed.set(count.get());
                })
            });
            move || drop(listener)
        });
    }
    {
        let palette = palette.clone();
        use_effect_with((theme, *system_changed), move |(theme, _)| {
            let name = match theme {
                ThemeChoice::System => "system",
                ThemeChoice::Light => "light",
                ThemeChoice::Dark => "dark",
            };
            let root = web_sys::window().and_then(|window| window.document()?.document_element());
            if let Some(root) = root {
                let _ = root.set_attribute("data-theme", name);
            }
            storage::set("theme", name);
            palette.set(Rc::new(Palette::read()));
        });
    }
    (*palette).clone()
}
