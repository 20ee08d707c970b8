//! Dispatches opened files, and links and files that could not be opened.

use crate::components::State;
use crate::editor;
use crate::model::{Action, FileAction};
use crate::share::SharedView;
use yew::prelude::*;

/// Registers the callbacks of the editor for the lifetime of the page.
#[hook]
pub(crate) fn use_share(state: &UseReducerHandle<State>) {
    let dispatch = state.dispatcher();
    use_effect_with((), move |()| {
        let (on_failed, on_compiled) = (dispatch.clone(), dispatch.clone());
        editor::on_file_opened(
            move |text| {
                let linked = SharedView::read(&editor::linked_fact);
                dispatch.dispatch(Action::OpenShared(text.into(), Box::new(linked)));
            },
            move |reason| on_failed.dispatch(Action::OpenFailed(reason)),
            move |name, bytes| {
                let open = FileAction::Open(name.into(), bytes.into());
                on_compiled.dispatch(Action::File(open));
            },
        );
    });
}
