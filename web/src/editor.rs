//! The editor of `web/editor/editor.js`, seen from Rust.

use crate::client::Ask;
use crate::matrix::layout_link;
use crate::protocol::{Answer, OrderMark, Question};
use crate::share::Fact;
use gloo_events::EventListener;
use js_sys::{Array, Function, Promise, Uint32Array};
use std::collections::BTreeMap;
use warpgrid_view::layouts::inspector::AccessLayout;
use warpgrid_view::model::{DiagnosticView, EditView, FixView, Severity, SourceRange, TokenClass};
use warpgrid_worker::traffic::LineMark;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = warpgridEditor)]
    pub fn text() -> String;
    /// What the link that brought the text says beside it, by the names of a link's fields; or the `share` of the source that is
    /// nearest to the view of the widget that the link is from, in per cent.
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = linkedFact)]
    pub fn linked_fact(name: &str) -> Option<String>;
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = fillPanel)]
    fn fill_js(panel: &web_sys::Element, name: &str, facts: &Array);
    /// Opens the panel with the link, which is copied then.
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = pressShare)]
    pub fn press_share();
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = connectShare)]
    fn connect_share(opened: &Function, failed: &Function, compiled: &Function);
    /// Puts another text into the place of the one that is there, which is kept.
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = setText)]
    pub fn set_text(text: &str);
    /// Saves what is promised under a name: text or bytes, an `Error`, or null. Bytes of a drawing become a picture under a name that ends in `.png`.
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = savePromised)]
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
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = applyStart)]
    fn apply_start_js(edits: &Array);
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = setMarks)]
    fn set_marks_js(done: u32, next: u32, faulted: u32, linked: &[u32]);
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = setCosts)]
    fn set_costs_js(costs: &Array);
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = setRaces)]
    fn set_races_js(races: &Array);
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = chosenLines)]
    fn chosen_lines_js() -> Option<Vec<u32>>;
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = setLayouts)]
    fn set_layouts_js(layouts: &Array);
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = connectBreaks)]
    fn connect_breaks(changed: &Function);
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = connectPin)]
    fn connect_pin(pinned: &Function);
    /// Opens examples, tours and puzzles, which are loaded then.
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = openLearn)]
    pub fn open_learn();
    /// Opens the card that shows a memory by a stride or a layout.
    #[wasm_bindgen(js_namespace = warpgridEditor)]
    pub fn arrange(memory: &str, ty: &str);
    /// Lets a person choose the file that a buffer starts with.
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = chooseFile)]
    pub fn choose_file(buffer: &str);
    /// Sets or removes a breakpoint at the line of the cursor.
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = toggleBreak)]
    pub fn toggle_break();
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = clearBreaks)]
    pub fn clear_breaks();
    #[wasm_bindgen(js_namespace = warpgridEditor)]
    pub fn reveal(line: u32);
    #[wasm_bindgen(js_namespace = warpgridEditor)]
    fn select(line: u32, column: u32, end_line: u32, end_column: u32);
}

/// Calls `mount` once the editor is there: it waits for the text that the browser keeps. When the editor's file does not
/// arrive, `index.html` says so.
pub fn when_there(mount: fn()) {
    let name = JsValue::from_str("warpgridEditor");
    match web_sys::window() {
        Some(window) if js_sys::Reflect::has(&js_sys::global(), &name) != Ok(true) => {
            EventListener::once(&window, "warpgrid-editor", move |_| mount()).forget();
        }
        _ => mount(),
    }
}

/// The panels that JavaScript fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    /// The lines that show the present text and step in a document.
    Embed,
    /// A link to what is seen.
    Share,
    /// What is watched, in the side of the page.
    Inspect,
    /// All of a long memory, beside its rows.
    Map,
    /// Cells of a memory that are too small for a text.
    Cells,
}

impl Panel {
    /// What JavaScript and styles call it.
    pub fn name(self) -> &'static str {
        match self {
            Panel::Embed => "embed",
            Panel::Share => "sharing",
            Panel::Inspect => "inspect",
            Panel::Map => "memory-map",
            Panel::Cells => "small-cells",
        }
    }
}

/// Fills a panel that is open with what the page shows.
pub fn fill(panel: Panel, place: &web_sys::Element, facts: &[Fact]) {
    let pair = |(name, value): &Fact| {
        JsValue::from(Array::of2(
            &JsValue::from_str(name),
            &JsValue::from_str(value),
        ))
    };
    fill_js(place, panel.name(), &facts.iter().map(pair).collect());
}

/// Calls `opened` with the text of a file that was opened and says how it is shown, `failed` with the reason why a link or a file is
/// not opened, and `compiled` with the name and the bytes of a file that is no text; for the life of the page.
pub fn listen_to_share(
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

/// The marks beside the lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// The line of the step just done, and of the one to come; 0 for none.
    pub done: u32,
    pub next: u32,
    pub faulted: u32,
    pub linked: Vec<u32>,
}

/// Calls `change` for each change of the text, with whether it takes the place of another text, and `line` for the line under the pointer (0 when it leaves),
/// `header` when a fix changes the version or the target that the text states, and asks for
/// the tokens of the text; for the life of the page.
pub fn listen(
    ask: Ask,
    change: impl Fn(String, bool) + 'static,
    line: impl Fn(u32) + 'static,
    header: impl Fn() + 'static,
) {
    let tokenize = Closure::<dyn Fn(String) -> Promise>::new(move |source: String| {
        ask(Question::Tokens { source }, |answer| match answer {
            Answer::Tokens(triples) => Uint32Array::from(&triples[..]).into(),
            _ => JsValue::NULL,
        })
    });
    let change = Closure::<dyn Fn(String, bool)>::new(change);
    let line = Closure::<dyn Fn(u32)>::new(line);
    let header = Closure::<dyn Fn()>::new(header);
    let classes = TokenClass::ALL
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

/// Calls `changed` with the lines that have breakpoints, now and whenever they are others; for the life of the page.
pub fn listen_to_breaks(changed: impl Fn(Vec<u32>) + 'static) {
    let changed = Closure::<dyn Fn(Vec<u32>)>::new(changed);
    connect_breaks(changed.as_ref().unchecked_ref());
    changed.forget();
}

/// Calls `pinned` with what a tour points at, in the words of a link, or with `find` and what is looked for; for the life of the page.
pub fn listen_to_pins(pinned: impl Fn(String) + 'static) {
    let pinned = Closure::<dyn Fn(String)>::new(pinned);
    connect_pin(pinned.as_ref().unchecked_ref());
    pinned.forget();
}

/// Underlines what is wrong; each fix is a button in the tooltip.
pub fn set_diagnostics(diagnostics: &[DiagnosticView]) {
    let list: Array = diagnostics.iter().map(diagnostic).collect();
    set_diagnostics_js(&list);
}

fn diagnostic(diagnostic: &DiagnosticView) -> JsValue {
    // CodeMirror's own names.
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

/// Applies a fix as one change that can be undone.
pub fn apply(fix: &FixView) {
    apply_edits_js(&edits(&fix.edits), fix.is_header);
}

/// Applies a change of what the launch starts with, as one that can be undone; the focus stays where it is.
pub fn apply_start(changes: &[EditView]) {
    apply_start_js(&edits(changes));
}

/// Inserts lines at the start of the text and shows them.
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

/// Marks lines.
pub fn set_marks(marks: &Marks) {
    set_marks_js(marks.done, marks.next, marks.faulted, &marks.linked);
}

/// Shows beside the lines what their accesses cost.
pub fn set_costs(marks: &[LineMark]) {
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

/// Marks the lines of races, and of reads of what nothing has written; several at one line are one mark.
pub fn set_races(marks: &[OrderMark]) {
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
        let level = if is_quiet { "more" } else { "far" };
        JsValue::from(Array::of3(
            &line.into(),
            &JsValue::from_str(&title),
            &JsValue::from_str(level),
        ))
    });
    set_races_js(&said.collect());
}

/// The lines that are selected, where they are several.
pub fn chosen_lines() -> Option<[u32; 2]> {
    chosen_lines_js()?.try_into().ok()
}

/// Says under the pointer which layout the addresses of a line have.
pub fn set_layouts(layouts: &[AccessLayout]) {
    let said = layouts.iter().map(|found| {
        let link = found.layout.as_deref().map(layout_link);
        JsValue::from(Array::of4(
            &found.line.into(),
            &JsValue::from_str(&found.opcode),
            &JsValue::from_str(&found.text),
            &link.map_or(JsValue::NULL, |link| JsValue::from_str(&link)),
        ))
    });
    set_layouts_js(&said.collect());
}

/// Goes to a line.
pub fn go_to_line(line: u32) {
    select(line, 1, line, 1);
}

/// Puts the selection on a range and the focus into the editor.
pub fn go_to(range: SourceRange) {
    select(range.line, range.column, range.end_line, range.end_column);
}
