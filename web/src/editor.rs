//! Rust bindings for the editor of `web/editor/editor.js`.

use crate::layout_explorer::layout_link;
use crate::protocol::{EditorRequest, EditorResponse, RaceMarker};
use crate::share::LinkField;
use crate::worker_client::RequestFn;
use gloo_events::EventListener;
use js_sys::{Array, Function, Promise, Uint32Array};
use std::collections::BTreeMap;
use warpgrid_view::layouts::inspector::InferredAccessLayout;
use warpgrid_view::model::{
    DiagnosticView, EditView, FixView, SemanticTokenKind, Severity, SourceRange,
};
use warpgrid_worker::traffic::CostMarker;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = warpgridEditor)]
    pub fn text() -> String;
    /// Returns a field of the link that contained the source, by name. For a link from a widget, `share` is the percentage of the source
    /// that is nearest to the view of the widget.
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = linkedField)]
    pub fn linked_fact(name: &str) -> Option<String>;
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = renderPanel)]
    fn fill_js(panel: &web_sys::Element, name: &str, facts: &Array);
    /// Opens the sharing panel and copies the link that it contains.
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = openSharePanel)]
    pub fn press_share();
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = connectShare)]
    fn connect_share(opened: &Function, failed: &Function, compiled: &Function);
    /// Replaces the source of the editor. The previous source is saved.
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = setText)]
    pub fn set_text(text: &str);
    /// Saves the result of a promise as a file with the given name. The result is text, bytes, an `Error`, or null if the worker has
    /// stopped. If the name ends in `.png`, the bytes of an SVG image are converted to PNG.
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = saveResult)]
    pub fn save_promised(name: &str, promise: &JsValue);
    #[wasm_bindgen(js_namespace = warpgridEditor)]
    pub fn attach(parent: &web_sys::Element);
    #[wasm_bindgen(js_namespace = warpgridEditor)]
    fn connect(
        classes: &Array,
        tokenize: &Function,
        change: &Function,
        line: &Function,
        header: &Function,
    );
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = setDiagnostics)]
    fn set_diagnostics_js(list: &Array);
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = applyEdits)]
    fn apply_edits_js(edits: &Array, is_header: bool);
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = applyInitialValue)]
    fn apply_start_js(edits: &Array);
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = setLineMarkers)]
    fn set_marks_js(done: u32, next: u32, faulted: u32, linked: &[u32]);
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = setCosts)]
    fn set_costs_js(costs: &Array);
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = setRaces)]
    fn set_races_js(races: &Array);
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = selectedLines)]
    fn chosen_lines_js() -> Option<Vec<u32>>;
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = setLayouts)]
    fn set_layouts_js(layouts: &Array);
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = connectBreakpoints)]
    fn connect_breaks(changed: &Function);
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = connectPin)]
    fn connect_pin(pinned: &Function);
    /// Registers the callbacks of the command palette: the first is called when the palette opens, the second receives the key of the
    /// selected reference page.
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = connectPalette)]
    fn connect_palette_js(opened: &Function, open_page: &Function);
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = setReferenceEntries)]
    fn set_reference_entries_js(entries: &Array);
    /// Opens the command palette.
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = openPalette)]
    pub fn open_palette();
    /// Creates the element that the tab “Analysis” of the bottom panel shows.
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = createAnalysisPanel)]
    pub fn create_analysis_panel() -> web_sys::Element;
    /// Opens the view of examples, tours and puzzles, which is loaded on demand.
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = openLearn)]
    pub fn open_learn();
    /// Checks whether the source is CUDA C++ with a kernel, which Compiler Explorer can compile.
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = isCuda)]
    pub fn is_cuda() -> bool;
    /// Shows the card that compiles CUDA C++ with Compiler Explorer, which is loaded on demand.
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = openCompiler)]
    pub fn open_compiler();
    /// Opens the card that shows a memory with a custom stride or layout.
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = openCustomLayout)]
    pub fn open_custom_layout(memory: &str, ty: &str);
    /// Opens the file picker for the initial contents of a buffer.
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = chooseFile)]
    pub fn choose_file(buffer: &str);
    /// Toggles a breakpoint at the line of the cursor.
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = toggleBreakpoint)]
    pub fn toggle_breakpoint();
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = clearBreakpoints)]
    pub fn clear_breaks();
    #[wasm_bindgen(js_namespace = warpgridEditor)]
    pub fn reveal(line: u32);
    #[wasm_bindgen(js_namespace = warpgridEditor)]
    fn select(line: u32, column: u32, end_line: u32, end_column: u32);
}

/// Calls `mount` when the editor is ready and has restored the source from the browser storage. If the editor script fails to load,
/// `index.html` reports the failure.
pub fn on_editor_ready(mount: fn()) {
    let name = JsValue::from_str("warpgridEditor");
    match web_sys::window() {
        Some(window) if js_sys::Reflect::has(&js_sys::global(), &name) != Ok(true) => {
            EventListener::once(&window, "warpgrid-editor", move |_| mount()).forget();
        }
        _ => mount(),
    }
}

/// Panels whose content is rendered in JavaScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsPanelKind {
    /// Code that embeds the current source and step in another page.
    Embed,
    /// A link to the current view.
    Share,
    /// The watch panel in the side column.
    Inspect,
    /// The minimap of a long memory beside its rows.
    Map,
    /// The pixel grid of a memory whose cells are too small for text.
    Cells,
    /// The buttons of the transport that open the list of findings and the timeline.
    BottomPanel,
}

impl JsPanelKind {
    /// Returns the name of the panel in JavaScript and style sheets.
    pub fn name(self) -> &'static str {
        match self {
            JsPanelKind::Embed => "embed",
            JsPanelKind::Share => "sharing",
            JsPanelKind::Inspect => "inspect",
            JsPanelKind::Map => "minimap",
            JsPanelKind::Cells => "pixel-grid",
            JsPanelKind::BottomPanel => "panel-buttons",
        }
    }
}

/// Renders the contents of an open panel, which shows the given named values.
pub fn render_js_panel(panel: JsPanelKind, place: &web_sys::Element, facts: &[LinkField]) {
    let pair = |(name, value): &LinkField| {
        JsValue::from(Array::of2(
            &JsValue::from_str(name),
            &JsValue::from_str(value),
        ))
    };
    fill_js(place, panel.name(), &facts.iter().map(pair).collect());
}

/// Registers callbacks for the lifetime of the page. `opened` receives the text of an opened file, which includes its view state. `failed`
/// receives the reason why a link or a file cannot be opened. `compiled` receives the name and the bytes of a binary file.
pub fn on_file_opened(
    opened: impl Fn(String) + 'static,
    failed: impl Fn(String) + 'static,
    compiled: impl Fn(String, Vec<u8>) + 'static,
) {
    let opened = Closure::<dyn Fn(String)>::new(opened);
    let failed = Closure::<dyn Fn(String)>::new(failed);
    let compiled = Closure::<dyn Fn(String, Vec<u8>)>::new(compiled);
    connect_share(
        opened.as_ref().unchecked_ref(),
        failed.as_ref().unchecked_ref(),
        compiled.as_ref().unchecked_ref(),
    );
    opened.forget();
    failed.forget();
    compiled.forget();
}

/// Reference page in the command palette.
pub struct PaletteEntry {
    pub key: String,
    pub title: String,
    pub help: String,
}

/// Registers callbacks for the lifetime of the page. `opened` is called when the command palette opens, and `open_page` receives the key of
/// the selected reference page.
pub fn connect_palette(opened: impl Fn() + 'static, open_page: impl Fn(String) + 'static) {
    let opened = Closure::<dyn Fn()>::new(opened);
    let open_page = Closure::<dyn Fn(String)>::new(open_page);
    connect_palette_js(
        opened.as_ref().unchecked_ref(),
        open_page.as_ref().unchecked_ref(),
    );
    opened.forget();
    open_page.forget();
}

/// Adds the reference pages to the command palette.
pub fn set_reference_entries(entries: impl Iterator<Item = PaletteEntry>) {
    let entry = |entry: PaletteEntry| {
        JsValue::from(Array::of3(
            &entry.key.into(),
            &entry.title.into(),
            &entry.help.into(),
        ))
    };
    set_reference_entries_js(&entries.map(entry).collect());
}

/// Markers of source lines in the gutter of the editor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditorMarkers {
    /// Line of the last step. 0 if there is no such line.
    pub done: u32,
    /// Line of the next step. 0 if there is no such line.
    pub next: u32,
    pub faulted: u32,
    pub linked: Vec<u32>,
}

/// Registers callbacks for the lifetime of the page, and provides syntax tokens. `change` receives each change of the source, and whether
/// the change replaces the source by a different source. `line` receives the line under the pointer, or 0 when the pointer leaves the
/// editor. `header` is called when a fix changes the version or the target in the source.
pub fn listen(
    ask: RequestFn,
    change: impl Fn(String, bool) + 'static,
    line: impl Fn(u32) + 'static,
    header: impl Fn() + 'static,
) {
    let tokenize = Closure::<dyn Fn(String) -> Promise>::new(move |source: String| {
        ask(EditorRequest::Tokens { source }, |answer| match answer {
            EditorResponse::Tokens(triples) => Uint32Array::from(&triples[..]).into(),
            _ => JsValue::NULL,
        })
    });
    let change = Closure::<dyn Fn(String, bool)>::new(change);
    let line = Closure::<dyn Fn(u32)>::new(line);
    let header = Closure::<dyn Fn()>::new(header);
    let classes = SemanticTokenKind::ALL
        .iter()
        .map(|class| JsValue::from_str(class.name()));
    connect(
        &classes.collect(),
        tokenize.as_ref().unchecked_ref(),
        change.as_ref().unchecked_ref(),
        line.as_ref().unchecked_ref(),
        header.as_ref().unchecked_ref(),
    );
    tokenize.forget();
    change.forget();
    line.forget();
    header.forget();
}

/// Calls `changed` with the lines that have breakpoints, immediately and after each change, for the lifetime of the page.
pub fn on_breakpoints_changed(changed: impl Fn(Vec<u32>) + 'static) {
    let changed = Closure::<dyn Fn(Vec<u32>)>::new(changed);
    connect_breaks(changed.as_ref().unchecked_ref());
    changed.forget();
}

/// Calls `pinned` for the lifetime of the page when a tour pins a target. The argument is the target in the spelling of links, or `find`
/// with a search text.
pub fn on_pin_requested(pinned: impl Fn(String) + 'static) {
    let pinned = Closure::<dyn Fn(String)>::new(pinned);
    connect_pin(pinned.as_ref().unchecked_ref());
    pinned.forget();
}

/// Underlines the diagnostics in the editor. The tooltip of a diagnostic contains a button for each fix.
pub fn set_diagnostics(diagnostics: &[DiagnosticView]) {
    let list: Array = diagnostics.iter().map(diagnostic).collect();
    set_diagnostics_js(&list);
}

fn diagnostic(diagnostic: &DiagnosticView) -> JsValue {
    // The severities have the names that CodeMirror uses.
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "info",
    };
    let message = match &diagnostic.help {
        Some(help) => format!("{}\n{help}", diagnostic.message),
        None => diagnostic.message.clone(),
    };
    let fixes: Array = diagnostic
        .fixes()
        .map(|fix| {
            JsValue::from(Array::of3(
                &JsValue::from_str(&fix.title),
                &edits(&fix.edits),
                &fix.is_header.into(),
            ))
        })
        .collect();
    Array::of4(
        &JsValue::from_str(severity),
        &JsValue::from_str(&message.replace('`', "")),
        &range(diagnostic.range()),
        &fixes,
    )
    .into()
}

fn edits(edits: &[EditView]) -> Array {
    edits
        .iter()
        .map(|edit| {
            JsValue::from(Array::of2(
                &range(edit.range()),
                &JsValue::from_str(&edit.text),
            ))
        })
        .collect()
}

fn range(range: SourceRange) -> JsValue {
    let SourceRange {
        line,
        column,
        end_line,
        end_column,
    } = range;
    Array::of4(
        &line.into(),
        &column.into(),
        &end_line.into(),
        &end_column.into(),
    )
    .into()
}

/// Applies a fix as one undoable change.
pub fn apply(fix: &FixView) {
    apply_edits_js(&edits(&fix.edits), fix.is_header);
}

/// Applies a change of an initial value as one undoable change. The keyboard focus does not move to the editor.
pub fn apply_start(changes: &[EditView]) {
    apply_start_js(&edits(changes));
}

/// Inserts lines at the start of the source and scrolls to them.
pub fn insert_lines(lines: &[String]) {
    let start = SourceRange {
        line: 1,
        column: 1,
        end_line: 1,
        end_column: 1,
    };
    let edit = EditView {
        line: start.line,
        column: start.column,
        end_line: start.end_line,
        end_column: start.end_column,
        text: lines.iter().map(|line| format!("{line}\n")).collect(),
    };
    apply_edits_js(&edits(std::slice::from_ref(&edit)), false);
    go_to(start);
}

/// Sets the line markers in the gutter of the editor.
pub fn set_editor_markers(marks: &EditorMarkers) {
    set_marks_js(marks.done, marks.next, marks.faulted, &marks.linked);
}

/// Shows the cost of the accesses of each line in the gutter.
pub fn set_cost_markers(marks: &[CostMarker]) {
    let costs = marks.iter().map(|mark| {
        JsValue::from(Array::of4(
            &mark.line.into(),
            &JsValue::from_str(&mark.text),
            &JsValue::from_str(&mark.title),
            &JsValue::from_str(mark.level.name()),
        ))
    });
    set_costs_js(&costs.collect());
}

/// Marks the lines of data races and uninitialized reads. Several findings on the same line share one marker.
pub fn set_race_markers(marks: &[RaceMarker]) {
    let mut lines: BTreeMap<u32, (String, bool)> = BTreeMap::new();
    for mark in marks {
        for line in &mark.lines {
            let others = mark.lines.iter().filter(|other| *other != line);
            let others: Vec<String> = others.map(|other| format!(" with line {other}")).collect();
            let title = format!("{}{}", mark.title, others.concat());
            let (known, is_quiet) = lines.entry(*line).or_insert_with(|| (String::new(), true));
            if !known.contains(&title) {
                let separator = if known.is_empty() { "" } else { "\n" };
                known.push_str(separator);
                known.push_str(&title);
            }
            *is_quiet &= mark.is_quiet;
        }
    }
    let said = lines.into_iter().map(|(line, (title, is_quiet))| {
        let level = if is_quiet { "excessive" } else { "severe" };
        JsValue::from(Array::of3(
            &line.into(),
            &JsValue::from_str(&title),
            &JsValue::from_str(level),
        ))
    });
    set_races_js(&said.collect());
}

/// Returns the first and the last selected line if the selection spans several lines.
pub fn selected_lines() -> Option<[u32; 2]> {
    chosen_lines_js()?.try_into().ok()
}

/// Sets the address layouts that the hover tooltips of lines show.
pub fn set_layouts(layouts: &[InferredAccessLayout]) {
    let entries = layouts.iter().map(|found| {
        let link = found.layout.as_deref().map(layout_link);
        JsValue::from(Array::of4(
            &found.line.into(),
            &JsValue::from_str(&found.opcode),
            &JsValue::from_str(&found.text),
            &link.map_or(JsValue::NULL, |link| JsValue::from_str(&link)),
        ))
    });
    set_layouts_js(&entries.collect());
}

/// Moves the editor cursor to a line.
pub fn go_to_line(line: u32) {
    select(line, 1, line, 1);
}

/// Selects a range of the source and focuses the editor.
pub fn go_to(range: SourceRange) {
    select(range.line, range.column, range.end_line, range.end_column);
}
