//! List of the code objects in a compiled file. Each entry opens its code object as a source.

use super::{Dispatch, dispatching};
use crate::format::bytes;
use crate::model::{Action, FileAction, OpenedFile};
use warpgrid_view::compiled_file::{ProgramKernel, ProgramLanguage, ProgramView};
use yew::prelude::*;

/// Renders the list of code objects if a file is open.
pub(crate) fn code_object_list(file: Option<&OpenedFile>, dispatch: &Dispatch) -> Html {
    let Some(file) = file else {
        return Html::default();
    };
    let close = dispatching::<MouseEvent>(dispatch, Action::File(FileAction::Close));
    let kind = file.view.as_ref().map_or("reading…", |view| &*view.kind);
    let is_machine = |own: &ProgramView| own.language == ProgramLanguage::MachineCode;
    html! {
        <section class="code-objects" aria-label="Embedded code objects">
            <h2>
                { &*file.name }<small>{ format!(" {kind}") }</small>
                <button class="icon small" title="Close" aria-label="Close" onclick={close}>{ "×" }</button>
            </h2>
            if let Some(view) = &file.view {
                <ol>{ for view.programs.iter().enumerate().map(|(index, own)| program(index, own, dispatch)) }</ol>
                { for view.notes.iter().map(|note| html! { <p class="muted">{ note }</p> }) }
                if view.programs.iter().any(is_machine) {
                    <p class="muted">
                        { "To run SASS, paste the output of " }<code>{ format!("cuobjdump -sass {}", file.name) }</code>{ "." }
                    </p>
                }
            }
        </section>
    }
}

fn program(index: usize, program: &ProgramView, dispatch: &Dispatch) -> Html {
    let open = dispatching::<MouseEvent>(dispatch, Action::File(FileAction::Choose(index)));
    let target = program.target.as_deref().unwrap_or("unknown target");
    let packed = program
        .packed
        .as_ref()
        .map_or(String::new(), |how| format!(", {how}"));
    html! {
        <li>
            <button class="action-button" onclick={open}>{ format!("{} for {target}", program.language.name()) }</button>
            <small>{ format!(" {}{packed}", bytes(program.bytes.into())) }</small>
            <ul>{ for program.kernels.iter().map(kernel) }</ul>
        </li>
    }
}

fn kernel(kernel: &ProgramKernel) -> Html {
    html! {
        <li><code>{ &kernel.name }</code><small>{ format!(" {}", kernel.facts.join(", ")) }</small></li>
    }
}
