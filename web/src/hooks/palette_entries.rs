//! Lists the reference pages in the command palette. The pages are requested when the palette is opened for the first time.

use crate::components::State;
use crate::editor::{self, PaletteEntry};
use crate::model::Action;
use crate::reference::ReferenceTopic;
use yew::prelude::*;

/// Connects the command palette for the lifetime of the page.
#[hook]
pub(crate) fn use_palette_entries(state: &UseReducerHandle<State>) {
    let dispatch = state.dispatcher();
    use_effect_with((), move |()| {
        let on_opened = dispatch.clone();
        editor::connect_palette(
            move || on_opened.dispatch(Action::LoadReference),
            move |key| {
                if let Some(topic) = ReferenceTopic::from_key(&key) {
                    dispatch.dispatch(Action::SetReference(Some(topic)));
                }
            },
        );
    });
    use_effect_with(state.library.clone(), |library| {
        let Some(library) = library else { return };
        let pages = library.search("");
        let entries = pages.into_iter().map(|page| PaletteEntry {
            key: page.subject.key(),
            title: page.title,
            help: page.help,
        });
        editor::set_reference_entries(entries);
    });
}
