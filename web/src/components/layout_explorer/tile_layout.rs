//! Layout of a tensor instruction: its parameters, its rule, the matrix, and the memory or the registers that contain the elements.

use super::controls::{navigation, picker, set, set_operation};
use super::diagram::LayoutDiagram;
use super::export::{Export, export_buttons};
use crate::components::Dispatch;
use crate::components::step_summary::{capitalize, inline_code};
use crate::hooks::use_size;
use crate::layout_explorer::{
    DisplayList, LayoutExplorerState, LayoutFocus, LayoutQuery, location_display_list,
    location_title, matrix_display_list, row_and_column, write_link,
};
use crate::theme::Palette;
use std::rc::Rc;
use warpgrid_view::layouts::tensor::{LayoutParameter, LayoutPicture, LayoutView, RelatedLayout};
use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub(super) page: LayoutExplorerState,
    pub(super) picture: Rc<LayoutPicture>,
    pub(super) palette: Rc<Palette>,
    pub(super) export: Callback<Export>,
    pub(super) dispatch: Dispatch,
}

#[component]
pub(super) fn TileLayoutPanel(props: &Props) -> Html {
    let node = use_node_ref();
    let (width, _) = use_size(&node);
    let seen = (props.picture.clone(), width);
    // The diagrams are recomputed when the inputs change, but not when the pointer moves.
    let plans = use_memo(seen, |(picture, width)| {
        let view = picture.view.as_ref();
        let of_view =
            |plan: &dyn Fn(&LayoutView) -> DisplayList| Rc::new(view.map(plan).unwrap_or_default());
        let available = (width - 400.0).max(320.0);
        [
            of_view(&matrix_display_list),
            of_view(&|view| location_display_list(view, available)),
        ]
    });
    let picture = &props.picture;
    let [grid, place] = &*plans;
    let drawn = grid.clone();
    let plan = move || drawn.clone();
    html! {
        <section class="explorer tile-layout" ref={node} aria-label="Layout Explorer">
            <div class="explorer-side">
                { controls(props) }
                { for picture.view.as_ref().map(|view| facts(view, place)) }
            </div>
            <div class="explorer-main">
                { super::unknown_link_parameters(&props.page) }
                if let Some(view) = &picture.view {
                    <div class="explorer-toolbar">
                        <p class="step-summary layout-summary" aria-live="polite">{ sentence(&props.page, view) }</p>
                        <span class="spacer"></span>
                        { export_buttons(&picture.request, &props.export, &props.palette, plan) }
                    </div>
                    if view.rows > 0 {
                        <div class="explorer-diagrams">
                            if has_fields_before(view, place) {
                                { descriptor_card(view) }
                            }
                            { card(props, view, "Matrix", inline_code(&view.title), size_text(view), grid) }
                            { place_card(props, view, place) }
                        </div>
                    } else {
                        <section class="card" aria-label="Fields">
                            <h2>{ inline_code(&view.title) }</h2>
                            { fields(view) }
                            { ptx(view) }
                        </section>
                    }
                }
                if let Some(refusal) = &picture.refusal {
                    <p class="hint bad" role="status">{ inline_code(refusal) }</p>
                }
            </div>
        </section>
    }
}

/// Renders the fields of a descriptor with their notes.
fn descriptor_card(view: &LayoutView) -> Html {
    html! {
        <section class="card" aria-label="Descriptor">
            <h2>{ "Descriptor" }<small><code>{ view.descriptor.clone() }</code></small></h2>
            { fields(view) }
            { notes(first_notes(view)) }
            if view.mismatched_cells.is_empty() {
                { ptx(view) }
            }
        </section>
    }
}

/// Renders the controls: the operation and its parameters.
fn controls(props: &Props) -> Html {
    let picture = &props.picture;
    let (choice, dispatch) = (&props.page.choice, &props.dispatch);
    let stay = |event: SubmitEvent| event.prevent_default();
    let on_op = set(choice, dispatch, set_operation);
    html! {
        <form class="card explorer-controls" aria-label="Descriptor and tile layout" onsubmit={stay}>
            { navigation("Descriptor and tile layout", &props.page.choice, dispatch) }
            <div class="explorer-field full-width">{ picker("Operation", &picture.request.op, &picture.ops, on_op) }</div>
            { for picture.parameters.iter().map(|parameter| field(props, parameter)) }
            { for picture.replaced.iter().map(|text| html! { <p class="hint full-width">{ inline_code(text) }</p> }) }
        </form>
    }
}

/// Renders a parameter as a menu, or as a text field if it can be any number or shape.
fn field(props: &Props, parameter: &LayoutParameter) -> Html {
    let name = parameter.name.clone();
    let on_value = set(
        &props.page.choice,
        &props.dispatch,
        move |choice: &mut LayoutQuery, value: String| {
            let request = &mut choice.request;
            match name.as_str() {
                "shape" => request.shape = value,
                "type" => request.ty = value,
                _ => {
                    request.with.insert(name.clone(), value);
                }
            }
        },
    );
    let label = capitalize(&parameter.name.replace('_', " "));
    if parameter.name == "step" {
        return slider(parameter, label, on_value);
    }
    if !parameter.choices.is_empty() {
        return html! {
            <div class="explorer-field" title={parameter.about.clone()}>
                { picker(label, &parameter.value, &parameter.choices, on_value) }
            </div>
        };
    }
    let onchange = Callback::from(move |event: Event| {
        let text = event.target_unchecked_into::<HtmlInputElement>().value();
        on_value.emit(text.trim().to_owned());
    });
    let is_long = [
        "expression",
        "first",
        "then",
        "descriptor",
        "meant",
        "meant_idesc",
    ]
    .contains(&parameter.name.as_str());
    html! {
        <label class={classes!("explorer-field", is_long.then_some("full-width"))} title={parameter.about.clone()}><span>{ label.clone() }</span>
            <input class="pill" type="text" spellcheck="false" aria-label={label} placeholder="none" value={parameter.value.clone()} {onchange} />
        </label>
    }
}

/// Renders a parameter with an ordered list of numbers as a slider. The first position of the slider selects all numbers.
fn slider(parameter: &LayoutParameter, label: String, on_value: Callback<String>) -> Html {
    let choices = parameter.choices.clone();
    let most = choices.len().saturating_sub(1);
    let at = choices.iter().position(|choice| *choice == parameter.value);
    let oninput = Callback::from(move |event: InputEvent| {
        let at: usize = event
            .target_unchecked_into::<HtmlInputElement>()
            .value()
            .parse()
            .unwrap_or(0);
        on_value.emit(choices.get(at).cloned().unwrap_or_default());
    });
    html! {
        <label class="explorer-field" title={parameter.about.clone()}><span>{ format!("{label}: {}", parameter.value) }</span>
            <input type="range" aria-label={label} aria-valuetext={parameter.value.clone()} min="0" max={most.to_string()} value={at.unwrap_or(0).to_string()} {oninput} />
        </label>
    }
}

/// Checks whether the descriptor fields are shown before the grid. This is the case if the grid shows the memory itself, which leaves space
/// for the fields.
fn has_fields_before(view: &LayoutView, place: &DisplayList) -> bool {
    place.marks.is_empty() && view.rows > 0 && !view.fields.is_empty()
}

/// Renders the PTX code that constructs the descriptor.
fn ptx(view: &LayoutView) -> Html {
    if view.ptx.is_empty() {
        return Html::default();
    }
    html! { <pre class="layout-ptx" tabindex="0" role="group" aria-label="PTX code for the descriptor">{ view.ptx.join("\n") }</pre> }
}

/// Renders the rule, the source of the rule, and the descriptor fields unless they are shown before the grid.
fn facts(view: &LayoutView, place: &DisplayList) -> Html {
    let has_fields = !has_fields_before(view, place);
    let certainty = match view.confidence.as_str() {
        "high" => String::new(),
        sure => format!(" (confidence: {sure})"),
    };
    html! {
        <section class="card layout-facts" aria-label="Facts">
            <h2>{ "Rule" }</h2>
            <p class="layout-rule"><code>{ view.rule.replace('`', "") }</code></p>
            if !view.letters.is_empty() {
                <p class="hint">{ &view.letters }</p>
            }
            <table class="property-table"><tbody>
                <tr><th scope="row">{ "source" }</th><td>{ format!("{}{certainty}", view.origin) }</td></tr>
                if let Some(descriptor) = &view.descriptor {
                    <tr><th scope="row">{ "descriptor" }</th><td><code>{ descriptor }</code></td></tr>
                }
            </tbody></table>
            { for view.related.iter().map(|related| html! {
                <p><a class="link" href={link_of(related)}>{ inline_code(&related.title) }</a></p>
            }) }
            { notes(if has_fields || view.rows == 0 { &view.notes } else { view.notes.get(first_notes(view).len()..).unwrap_or_default() }) }
            if has_fields && !view.fields.is_empty() && view.rows > 0 {
                { fields(view) }
            }
            if view.rows > 0 && (has_fields || !view.mismatched_cells.is_empty()) {
                { ptx(view) }
            }
        </section>
    }
}

/// Returns the notes that are shown beside the descriptor fields. If the descriptor is invalid, only the first notes are returned, so that
/// the elements that the descriptor addresses remain visible.
fn first_notes(view: &LayoutView) -> &[String] {
    const MAX: usize = 3;
    match view.mismatched_cells.is_empty() {
        true => &view.notes,
        false => view.notes.get(..MAX).unwrap_or(&view.notes),
    }
}

/// Renders notes, and warnings about likely mistakes.
fn notes(notes: &[String]) -> Html {
    html! { <div class="layout-notes">{ for notes.iter().map(|note| html! { <p class="hint">{ inline_code(note) }</p> }) }</div> }
}

fn link_of(related: &RelatedLayout) -> String {
    write_link(&LayoutQuery {
        request: related.request.clone(),
        ..LayoutQuery::default()
    })
}

fn fields(view: &LayoutView) -> Html {
    let row = |field: &warpgrid_view::layouts::tensor::DescriptorField| {
        let [low, high] = field.bits;
        let bits = if low == high {
            low.to_string()
        } else {
            format!("{low}–{high}")
        };
        html! {
            <tr><th scope="row">{ bits }</th><td>{ &field.name }</td><td>{ &field.meaning }<small>{ format!(" ({})", field.value) }</small></td></tr>
        }
    };
    html! {
        <div class="layout-fields"><table>
            <caption class="visually-hidden">{ "Fields of the descriptor" }</caption>
            <thead><tr><th scope="col">{ "bits" }</th><th scope="col">{ "field" }</th><th scope="col">{ "meaning" }</th></tr></thead>
            <tbody>{ for view.fields.iter().map(row) }</tbody>
        </table></div>
    }
}

/// Describes the focused element in a sentence.
fn sentence(page: &LayoutExplorerState, view: &LayoutView) -> String {
    let Some(LayoutFocus::Cell { cell, .. }) = page.focus() else {
        return match view.rows {
            0 => "Select modifiers or enter the bits of a descriptor.".to_owned(),
            _ => "Hover over a cell to highlight the element in the diagram and in memory."
                .to_owned(),
        };
    };
    let (row, column) = row_and_column(view, cell);
    view.describe(row, column).unwrap_or_default()
}

fn size_text(view: &LayoutView) -> String {
    format!(
        "{} × {}: {} by {}",
        view.rows, view.columns, view.row_name, view.column_name
    )
}

fn place_card(props: &Props, view: &LayoutView, plan: &Rc<DisplayList>) -> Html {
    if plan.marks.is_empty() {
        return Html::default();
    }
    let (title, about) = location_title(view);
    card(props, view, title, title.into(), about.to_owned(), plan)
}

fn card(
    props: &Props,
    view: &LayoutView,
    name: &'static str,
    title: Html,
    about: String,
    plan: &Rc<DisplayList>,
) -> Html {
    html! {
        <section class="card explorer-card" aria-label={name}>
            <h2>{ title }<small>{ about }</small></h2>
            <LayoutDiagram {name} index={0} plan={plan.clone()} columns={(view.columns as usize).max(1)}
                page={props.page.clone()} palette={props.palette.clone()} dispatch={props.dispatch.clone()} />
        </section>
    }
}
