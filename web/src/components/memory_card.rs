//! Card of a memory, which contains its title, its properties, its view options, and its grid.

use super::accessible_grid::GridTable;
use super::grid_canvas::GridCanvas;
use super::js_slot::JsSlot;
use super::memory_export::{EXPORT_FORMATS, FileChoice, MemoryExport};
use super::pickers::Select;
use super::{Dispatch, FrameRef, dispatching};
use crate::editor::{self, JsPanelKind};
use crate::format;
use crate::grid_geometry::{GridGeometry, MINIMAP_WIDTH};
use crate::highlight::Highlights;
use crate::hooks::DeferUntil;
use crate::model::{Action, GridViewOptions, Overlay, ZoomStep};
use crate::theme::Palette;
use std::rc::Rc;
use warpgrid_view::MemoryKey;
use warpgrid_view::model::{GridRequest, MemoryGrid, MemoryView};
use warpgrid_view::value::ElementType;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlSelectElement};
use yew::prelude::*;

const COLUMNS: [u32; 7] = [1, 4, 8, 16, 32, 64, 128];
/// Value of the menu entry that opens the card for custom layouts.
const LAYOUT: &str = "layout";

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) frame: FrameRef,
    pub(crate) index: usize,
    pub(crate) choice: GridViewOptions,
    pub(crate) save_file: Callback<MemoryExport>,
    pub(crate) fill: Callback<(JsPanelKind, Element)>,
    /// Width in pixels that is available for the cells.
    pub(crate) available: f64,
    /// Number of rows that the grid shows before it scrolls.
    pub(crate) max_rows: u64,
    pub(crate) links: Rc<Highlights>,
    pub(crate) palette: Rc<Palette>,
    pub(crate) dispatch: Dispatch,
}

/// Focusable control of a card, by its position. The tab order contains only one of these controls, and arrow keys move the focus to the
/// other controls (roving tabindex).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FocusStop(u8);

impl FocusStop {
    const FOLD: FocusStop = FocusStop(0);
    const OVERLAYS: u8 = 1;
    const TYPE: FocusStop = FocusStop(4);
    const COLUMNS: FocusStop = FocusStop(5);
    const SIZES: u8 = 6;
    const TABLE: FocusStop = FocusStop(8);
    const SAVE: FocusStop = FocusStop(9);
    const CELLS: FocusStop = FocusStop(10);

    /// Returns the control to which a key moves the focus. In a menu, Up and Down select an entry instead, and in the cells, they move
    /// between rows.
    fn after(self, key: &str) -> Option<FocusStop> {
        let is_list = [FocusStop::TYPE, FocusStop::COLUMNS, FocusStop::SAVE].contains(&self);
        match (key, self) {
            ("ArrowUp", FocusStop::CELLS) => Some(FocusStop::FOLD),
            (_, FocusStop::CELLS) => None,
            ("ArrowRight", FocusStop(n)) => Some(FocusStop((n + 1).min(FocusStop::SAVE.0))),
            ("ArrowLeft", FocusStop(n)) => Some(FocusStop(n.saturating_sub(1))),
            ("Home", _) => Some(FocusStop::FOLD),
            ("End", _) => Some(FocusStop::SAVE),
            ("ArrowDown", _) if !is_list => Some(FocusStop::CELLS),
            _ => None,
        }
    }

    /// Returns the control that contains a DOM element.
    fn of(element: &Element) -> Option<FocusStop> {
        let holder = element.closest("[data-stop]").ok()??;
        holder
            .get_attribute("data-stop")?
            .parse()
            .ok()
            .map(FocusStop)
    }
}

/// Control of a card that is currently in the tab order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RovingTabindex(FocusStop);

impl RovingTabindex {
    /// Returns the focused control as the control in the tab order, if the card shows it.
    fn of(focused: Option<FocusStop>, choice: &GridViewOptions) -> RovingTabindex {
        RovingTabindex(match (focused, choice.folded) {
            (Some(stop), false) => stop,
            (Some(stop), true) if stop != FocusStop::CELLS => stop,
            (None, false) => FocusStop::CELLS,
            (_, true) => FocusStop::FOLD,
        })
    }

    /// Returns the `tabindex` attribute of a control.
    pub(crate) fn index(self, stop: FocusStop) -> &'static str {
        if self.0 == stop { "0" } else { "-1" }
    }

    /// Returns the state of a card without a toolbar.
    pub(crate) fn none() -> RovingTabindex {
        RovingTabindex(FocusStop::FOLD)
    }

    /// Returns the `tabindex` attribute of the cells.
    pub(crate) fn cells(self) -> &'static str {
        self.index(FocusStop::CELLS)
    }
}

#[component]
pub(crate) fn MemoryCard(props: &Props) -> Html {
    let card = use_node_ref();
    let focused = use_state_eq(|| None::<FocusStop>);
    let onfocusin = {
        let focused = focused.clone();
        Callback::from(move |event: FocusEvent| {
            let element = event.target_dyn_into::<Element>();
            focused.set(element.as_ref().and_then(FocusStop::of));
        })
    };
    let onkeydown = {
        let card = card.clone();
        Callback::from(move |event: KeyboardEvent| move_focus(&card, &event).unwrap_or_default())
    };
    let Some(grid) = props.frame.grids.get(props.index) else {
        return Html::default();
    };
    let (choice, dispatch) = (&props.choice, &props.dispatch);
    let id = grid.memory.id.clone();
    let title = grid.memory.title.clone();
    let extents = extents_attribute(&grid.memory);
    let reachable = RovingTabindex::of(*focused, choice);
    html! {
        <section class="card memory" ref={card} aria-label={title.clone()} data-memory={id.to_string()} data-extents={extents} {onfocusin} {onkeydown}>
            <div class="head" role="toolbar" aria-label={format!("{title} toolbar: use the arrow keys to move between controls, and Down to move to the grid")}>
                <h2><button class="collapse-toggle" aria-expanded={(!choice.folded).to_string()} title={title.clone()}
                    data-stop={FocusStop::FOLD.0.to_string()} tabindex={reachable.index(FocusStop::FOLD)}
                    onclick={dispatching(dispatch, Action::ToggleFold(id.clone()))}>{ &title }</button></h2>
                <small title={facts(&grid.memory)}>{ facts(&grid.memory) }</small>
                <span class="controls">
                { overlays(&id, choice.overlay, reachable, dispatch) }
                { types(grid, choice, reachable, dispatch) }
                { columns(grid, choice, reachable, dispatch) }
                { sizes(&id, choice, reachable, dispatch) }
                <button class="icon small" aria-pressed={choice.table.to_string()} title="Show as a table"
                    data-stop={FocusStop::TABLE.0.to_string()} tabindex={reachable.index(FocusStop::TABLE)}
                    aria-label="Show as a table" onclick={dispatching(dispatch, Action::ToggleTable(id.clone()))}>
                    <svg viewBox="0 0 14 14" width="14" height="14" aria-hidden="true">
                        <path d="M1.5 2.5h11v9h-11zM1.5 5.5h11M1.5 8.5h11M5.5 2.5v9" fill="none" stroke="currentColor" />
                    </svg>
                </button>
                { files(grid, choice, reachable, &props.save_file) }
                </span>
            </div>
            if !choice.folded {
                <div class="rows" data-stop={FocusStop::CELLS.0.to_string()}>
                if !choice.table {
                    { cells(props, grid, reachable) }
                }
                <GridTable {reachable} frame={props.frame.clone()} index={props.index} shown={choice.table} />
                </div>
                if grid.total_rows > props.max_rows && !choice.table && choice.zoom.pixels().is_none() {
                    <small class="row-count">{ format!("{} of {} rows", format::count(props.max_rows), format::count(grid.total_rows)) }</small>
                }
            }
        </section>
    }
}

/// Renders the canvas with the cells, and the minimap of a long memory.
fn cells(props: &Props, grid: &MemoryGrid, reachable: RovingTabindex) -> Html {
    let (choice, dispatch) = (&props.choice, &props.dispatch);
    let map_width = match GridGeometry::has_map(grid.total_rows) {
        true => MINIMAP_WIDTH,
        false => 0.0,
    };
    html! {
        <>
            if choice.zoom.pixels().is_some() {
                <JsSlot panel={JsPanelKind::Cells} frame={props.frame.clone()} view_options={small_cells(grid, choice)} fill={props.fill.clone()} />
            } else {
                <GridCanvas {reachable} scroll_to_element={choice.scroll_to_element} frame={props.frame.clone()} available={props.available - map_width} max_rows={props.max_rows} index={props.index} overlay={choice.overlay}
                    zoom={choice.zoom} links={props.links.clone()} palette={props.palette.clone()} dispatch={dispatch.clone()} />
            }
            if map_width > 0.0 {
                <JsSlot panel={JsPanelKind::Map} frame={props.frame.clone()} follows={DeferUntil::NextFrame} fill={props.fill.clone()} />
            }
        </>
    }
}

/// Returns the view options of the pixel grid, as in `cell=4 shows=lane type=f32 columns=16 fixed=1 total=64 reveal=5`. `fixed` is set if
/// the memory declares the number of columns or the user has selected it. `total` is the number of elements.
fn small_cells(grid: &MemoryGrid, choice: &GridViewOptions) -> String {
    let shows = match choice.overlay {
        Overlay::Value => "value",
        Overlay::Lane => "lane",
        Overlay::LastStep => "step",
    };
    let is_fixed = choice.columns.is_some() || grid.memory.shape.len() > 1;
    format!(
        "cell={} shows={shows} type={} columns={} fixed={} total={} reveal={}",
        choice.zoom.pixels().unwrap_or(1),
        choice.ty.map_or("", ElementType::name),
        grid.columns,
        u8::from(is_fixed),
        grid.memory
            .size_bytes
            .div_ceil(grid.ty.width_bytes().max(1) as u64),
        choice.scroll_to_element.unwrap_or(0),
    )
}

/// Moves the focus within a card in response to a key.
fn move_focus(card: &NodeRef, event: &KeyboardEvent) -> Option<()> {
    if event.ctrl_key() || event.meta_key() || event.alt_key() || event.default_prevented() {
        return None;
    }
    let from = event.target()?.dyn_into::<Element>().ok()?;
    // After a click, keys remain shortcuts of the transport controls, as in all other parts of the page.
    if !from.matches(":focus-visible").unwrap_or(false) {
        return None;
    }
    let FocusStop(to) = FocusStop::of(&from)?.after(&event.key())?;
    let card = card.cast::<Element>()?;
    let place = card.query_selector(&format!("[data-stop='{to}']")).ok()??;
    // The focusable element is a descendant of the cell container.
    let target = match place.query_selector("[tabindex]").ok()? {
        Some(inner) => inner,
        None => place,
    };
    event.prevent_default();
    target.dyn_into::<HtmlElement>().ok()?.focus().ok()
}

/// Returns the extents of a memory as an attribute, which other parts of the page read because they also show the memory.
pub(crate) fn extents_attribute(memory: &MemoryView) -> String {
    let extents: Vec<String> = memory.shape.iter().map(u64::to_string).collect();
    extents.join(" ")
}

/// Returns the state space, the type, the extents and the address of a memory as text.
pub(crate) fn facts(memory: &MemoryView) -> String {
    let extents = match memory.shape.is_empty() {
        true => format!("{} {}", memory.ty, format::bytes(memory.size_bytes)),
        false => {
            let extents: String = memory.shape.iter().map(|n| format!("[{n}]")).collect();
            format!("{} {extents}", memory.ty)
        }
    };
    format!("{} · {extents} · {}", memory.space.name(), memory.address)
}

fn overlays(
    id: &MemoryKey,
    present: Overlay,
    reachable: RovingTabindex,
    dispatch: &Dispatch,
) -> Html {
    let names = [
        (Overlay::Value, "value"),
        (Overlay::Lane, "lane"),
        (Overlay::LastStep, "step"),
    ];
    let button = |(number, (overlay, name)): (u8, (Overlay, &'static str))| {
        let stop = FocusStop(FocusStop::OVERLAYS + number);
        let onclick = dispatching(dispatch, Action::SetOverlay(id.clone(), overlay));
        html! {
            <button aria-pressed={(overlay == present).to_string()} data-stop={stop.0.to_string()}
                tabindex={reachable.index(stop)} {onclick}>{ name }</button>
        }
    };
    html! { <span class="segmented-control" role="group" aria-label="Cell contents">{ for (0..).zip(names).map(button) }</span> }
}

fn types(
    grid: &MemoryGrid,
    choice: &GridViewOptions,
    reachable: RovingTabindex,
    dispatch: &Dispatch,
) -> Html {
    let (dispatch, id) = (dispatch.clone(), grid.memory.id.clone());
    let on_choice = Callback::from(move |name: String| {
        let ty = ElementType::from_name(&name);
        dispatch.dispatch(Action::SetType(id.clone(), ty));
    });
    let label = |ty: ElementType| match ty.is_bits() {
        true => format!("hex {}", ty.width_bytes() * 8),
        false => ty.name().to_owned(),
    };
    let option = |(name, ty): &(&'static str, ElementType)| {
        html! { <option value={*name}>{ label(*ty) }</option> }
    };
    let chosen = choice.ty.map_or("", ElementType::name);
    html! {
        <Select label="Element type" class="mini" stop={FocusStop::TYPE.0.to_string()} tabindex={reachable.index(FocusStop::TYPE)}
            value={chosen} {on_choice}>
            <option value="">{ label(grid.memory.ty) }</option>
            { for ElementType::ALL.iter().filter(|(_, ty)| *ty != grid.memory.ty).map(option) }
        </Select>
    }
}

fn columns(
    grid: &MemoryGrid,
    choice: &GridViewOptions,
    reachable: RovingTabindex,
    dispatch: &Dispatch,
) -> Html {
    let (dispatch, id) = (dispatch.clone(), grid.memory.id.clone());
    let ty = choice.ty.map_or("", ElementType::name);
    let on_choice = Callback::from(move |n: String| match &*n {
        LAYOUT => editor::open_custom_layout(&id.to_string(), ty),
        _ => dispatch.dispatch(Action::SetColumns(id.clone(), n.parse().ok())),
    });
    let option = |n: u32| {
        html! { <option value={n.to_string()}>{ format!("× {n}") }</option> }
    };
    let natural = match choice.columns {
        None => format!("× {}", grid.columns),
        Some(_) => "× auto".into(),
    };
    html! {
        <Select label="Columns" class="mini" action={LAYOUT} stop={FocusStop::COLUMNS.0.to_string()} tabindex={reachable.index(FocusStop::COLUMNS)} value={choice.columns.map(|n| n.to_string()).unwrap_or_default()} {on_choice}>
            <option value="">{ natural }</option>
            { for COLUMNS.into_iter().filter(|n| choice.columns.is_some() || *n != grid.columns).map(option) }
            <option value={LAYOUT}>{ "Custom layout…" }</option>
        </Select>
    }
}

/// Renders two buttons that change the zoom level.
fn sizes(
    id: &MemoryKey,
    choice: &GridViewOptions,
    reachable: RovingTabindex,
    dispatch: &Dispatch,
) -> Html {
    let steps = [
        (ZoomStep::Out, "−", "Zoom out (−, Ctrl+scroll)"),
        (ZoomStep::In, "+", "Zoom in (+, Ctrl+scroll)"),
    ];
    let button = |(number, (step, sign, title)): (u8, (ZoomStep, &'static str, &'static str))| {
        let stop = FocusStop(FocusStop::SIZES + number);
        let onclick = dispatching(dispatch, Action::Zoom(id.clone(), step, None));
        let is_last = choice.zoom.after(step) == choice.zoom;
        html! {
            <button data-stop={stop.0.to_string()} tabindex={reachable.index(stop)} {title} aria-label={title} aria-disabled={is_last.to_string()}
                {onclick}>{ sign }</button>
        }
    };
    html! { <span class="segmented-control sizes" role="group" aria-label="Zoom">{ for (0..).zip(steps).map(button) }</span> }
}

/// Renders the menu of export formats. After a selection, the menu shows its title again.
fn files(
    grid: &MemoryGrid,
    choice: &GridViewOptions,
    reachable: RovingTabindex,
    save_file: &Callback<MemoryExport>,
) -> Html {
    let request = GridRequest {
        memory: grid.memory.id.clone(),
        ty: choice.ty,
        columns: choice.columns,
        first_row: grid.first_row,
        n_rows: None,
    };
    let save_file = save_file.clone();
    let onchange = Callback::from(move |event: Event| {
        if let Some(list) = event.target_dyn_into::<HtmlSelectElement>() {
            let (request, ending) = (request.clone(), list.value());
            list.set_value("");
            save_file.emit(MemoryExport { request, ending });
        }
    });
    let option =
        |file: &FileChoice| html! { <option value={file.ending()}>{ file.label }</option> };
    html! {
        <select class="mini save" aria-label="Export" title="Export" data-stop={FocusStop::SAVE.0.to_string()}
            tabindex={reachable.index(FocusStop::SAVE)} {onchange}>
            <option value="" selected=true>{ "Export" }</option>
            { for EXPORT_FORMATS.iter().map(option) }
        </select>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrow_keys_move_focus_along_toolbar_and_to_cells() {
        assert_eq!(FocusStop::FOLD.after("ArrowRight"), Some(FocusStop(1)));
        assert_eq!(FocusStop::FOLD.after("ArrowLeft"), Some(FocusStop::FOLD));
        assert_eq!(FocusStop::TABLE.after("ArrowRight"), Some(FocusStop::SAVE));
        assert_eq!(FocusStop::SAVE.after("ArrowRight"), Some(FocusStop::SAVE));
        assert_eq!(FocusStop::TABLE.after("Home"), Some(FocusStop::FOLD));
        assert_eq!(FocusStop::FOLD.after("ArrowDown"), Some(FocusStop::CELLS));
        assert_eq!(FocusStop::CELLS.after("ArrowUp"), Some(FocusStop::FOLD));
        // Up and Down do not leave a menu, because the menu handles these keys itself.
        assert_eq!(FocusStop::TYPE.after("ArrowDown"), None);
        assert_eq!(
            FocusStop::TYPE.after("ArrowRight"),
            Some(FocusStop::COLUMNS)
        );
        assert_eq!(FocusStop::CELLS.after("ArrowRight"), None);
    }
}
