//! The help dialog: what the page shows, the keys, the limits.

use super::{Dispatch, say};
use crate::model::Action;
use crate::theme::lane_css;
use web_sys::HtmlDialogElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) open: bool,
    pub(crate) dispatch: Dispatch,
}

const KEYS: &[(&str, &str)] = &[
    ("→", "step to the next store"),
    ("←", "step back to the previous store"),
    ("Shift+→", "step one instruction"),
    ("Shift+←", "step back one instruction"),
    ("Space", "play or pause"),
    ("Home, End", "go to start, run to end"),
    ("Esc", "stop the run, or unpin"),
    (
        "Tab, arrows",
        "move to a grid and between its cells; Shift+↑ moves to the toolbar",
    ),
    ("+, -", "zoom the grid in or out; also Ctrl+scroll or pinch"),
    (
        "Ctrl+K",
        "open the command palette: commands, examples, values, addresses and elements such as out[5]",
    ),
    (
        "B, Shift+B",
        "run to the next or back to the previous breakpoint",
    ),
    ("S", "copy a link to the current view"),
    ("?", "open this help"),
    ("F9", "editor: toggle breakpoint at the cursor line"),
    ("Ctrl+Space", "editor: trigger completion"),
    (
        "Ctrl+I",
        "editor: show documentation for the symbol at the cursor",
    ),
    ("Shift+Alt+F", "editor: format source"),
];

#[component]
pub(crate) fn Help(props: &Props) -> Html {
    let dialog = use_node_ref();
    {
        let dialog = dialog.clone();
        use_effect_with(props.open, move |open| {
            if let Some(dialog) = dialog.cast::<HtmlDialogElement>() {
                match (*open, dialog.open()) {
                    (true, false) => drop(dialog.show_modal()),
                    (false, true) => dialog.close(),
                    _ => {}
                }
            }
        });
    }
    let close = say::<Event>(&props.dispatch, Action::SetHelp(false));
    let key = |(keys, what): &(&str, &str)| html! { <tr><th><kbd>{ *keys }</kbd></th><td>{ *what }</td></tr> };
    html! {
        <dialog ref={dialog} class="help" aria-labelledby="help-title" onclose={close}>
            // Before the text, so that the dialog opens at its beginning.
            <form method="dialog">
                <h2 id="help-title">{ "Help" }</h2>
                <button class="main">{ "Close" }</button>
            </form>
            { pictures() }
            <h3>{ "Keyboard shortcuts" }</h3>
            <p>{ "Shortcuts are available outside the editor and lists, except the last four, which apply to the editor. Ctrl+K is available everywhere." }</p>
            <table><tbody>{ for KEYS.iter().map(key) }</tbody></table>
            <h3>{ "Launch configuration" }</h3>
            <p>
                { "Comments that start with " }<code>{ "//@" }</code>{ " are annotations that configure the launch: " }
                <code>{ "//@ launch grid=2 block=64" }</code>{ ", one " }<code>{ "//@ buffer name: f32[16][16] = iota" }</code>
                { " or " }<code>{ "//@ scalar n: s32 = 200" }</code>
                { " for each parameter. Anything they omit is inferred and shown in the launch menu at the top." }
            </p>
            <h3>{ "Supported inputs" }</h3>
            <p>
                { "PTX, SASS listings, C++, Python, Julia and C# with inline assembly (select an asm block above the editor), and PTX with its ptxas log. \
                   Drop a cubin, fatbin, object file or executable on the page to list its contents and open the embedded PTX." }
            </p>
            <h3>{ "Limits" }</h3>
            <ul>
                <li>{ "Kernels run in an emulator in this page. Results are bit-exact with an H100, with few exceptions. \
                       Timing is not modelled." }</li>
                <li>{ "The scheduler is deterministic. Small launches are also run under other schedules, and a result that depends on the schedule \
                       is reported." }</li>
                <li>{ "After an edit the kernel runs for about one second and then pauses. Continue or stop it with the transport." }</li>
                <li>{ "Your kernels are saved in this browser. Open them from the list at the top." }</li>
                <li>{ "The page works offline after the first visit and can be installed as an app. Updates are offered and never applied automatically." }</li>
            </ul>
        </dialog>
    }
}

fn pictures() -> Html {
    let swatch = |lane: u8| html! { <i style={format!("background: {}", lane_css(lane))}></i> };
    html! {
        <ul>
            <li>
                <span class="swatches" aria-hidden="true">{ for (0..32).map(swatch) }</span>
                { "Cells are coloured by the lane that last wrote them: one hue per group of four lanes, light to dark. \
                   Select “lane” to show lane numbers." }
            </li>
            <li>{ "Dark outline: written by the last step. Faint: never written, shows the initial value (a dot is zero). Hatched: conflicting writes by several \
                   lanes of one store. Dashed outline: an asynchronous write is pending and completes in a later step." }</li>
            <li>{ "Lanes: coloured = active, underlined = predicated off, outlined = inactive (divergent path), striped = waiting, \
                   struck through = exited, red = faulted." }</li>
            <li>{ "The block map shows finished, running, waiting and not yet started blocks; click a block to select it." }</li>
            <li>{ "×4 next to a line: its accesses need four times the ideal number of sectors (global memory) or wavefronts (shared memory). \
                   “Memory traffic” shows the totals." }</li>
            <li>{ "“Bank conflicts” shows a shared-memory access with one column per bank and one row per wavefront; the number is the lane. “Apply conflict-free \
                   rewrite” changes the shared-memory layout, runs both versions and compares their results." }</li>
            <li>{ "“Data races” reports pairs of accesses that are unordered under the PTX memory model, the missing synchronization and the weakest fix. Dimmed entries \
                   follow from the model or the manual, but code that omits the fence often works in practice. For a hang, the waiting threads, the missing event and \
                   the responsible line are shown. Runs of up to 100,000 steps are analysed. A red corner marks racing cells, a red ◆ racing lines and uninitialized reads." }</li>
            <li>{ "“Mbarriers” are drawn as rings: the filled part shows completed arrivals, the number is the phase parity. Blocks of a cluster are shown side by side." }</li>
            <li>{ "Tensor memory is a grid of 128 lanes (rows) by 512 columns of 32 bits. Cells are coloured by the lane that issued the writing operation." }</li>
            <li>{ "A tensor copy (TMA) is drawn as its box within the tensor and as 16-byte chunks in shared memory with their coordinates; hatched chunks are out of bounds. \
                   A line below cells marks the tiles that a tensor copy or MMA reads or writes, in the colours of its card." }</li>
            <li>{ "Thin vertical lines separate the 32-byte sectors of global memory." }</li>
            <li>{ "Cells too small for text are coloured by value, lane or step, as selected in the toolbar; click one to show its value. Long buffers have a minimap: click or drag to scroll." }</li>
            <li>{ "“Layouts” shows the lane, register and memory address of each matrix element for wmma, mma, ldmatrix and stmatrix, \
                   and the register, shared-memory and tensor-memory layouts of wgmma and tcgen05. No kernel is required; the URL can be shared. \
                   “Tensor Core arithmetic” shows bit by bit how a Tensor Core accumulates one result." }</li>
            <li>{ "In “Layouts”, operations that end in “tile” show the tile that a shared-memory descriptor addresses, step by step, or the result of a tensor copy; \
                   with an intended descriptor (“meant”), elements that differ are marked. “layout” draws a CuTe or Triton layout, and “chain” checks whether the output \
                   layout of one instruction matches the input layout of the next. “Common questions” links to prepared diagrams." }</li>
            <li>{ "“Inferred layouts” lists the simplest layout that matches the addresses of each access, or the first mismatch; it is also shown when hovering over the line. \
                   “Uncoalesced accesses” estimates the savings of another lane mapping or a wider vector access." }</li>
            <li>{ "“Compare” runs a second version of the kernel, usually its SASS, with the same launch configuration and steps both store by store; differing cells are \
                   marked. Each store also shows its equivalent in the other language and, for SASS, the scheduling control bits." }</li>
            <li>{ "“Litmus tests” enumerates all outcomes that the PTX memory model allows for a few threads, including those that are not sequentially consistent. It draws an \
                   execution for each outcome, names the axiom that forbids the others, and finds the weakest fixes that allow only sequentially consistent outcomes. The URL can be \
                   shared. Select “Litmus test” at a data race, or select lines of a kernel and then “Litmus tests”, to extract a test from the kernel." }</li>
            <li>{ "“Share” copies a link to the source at the current step, including pins. Drop a file on the page to open it: PTX, SASS or a file written by “Save file”." }</li>
            <li>{ "“Export” saves a buffer as an SVG or PNG image, a CSV table or a NumPy array, or the run so far as an animated SVG." }</li>
            <li>{ "Click a cell to list all stores that wrote it; click a step to go to it. “Run until” runs forward or back to the next match of a condition such as \
                   “lane 3: %r5 == 7” (also “warp 1 lane 0:”, “thread 37:”, or no prefix for any lane; operators ==, !=, <, <=, >, >=; a number, hexadecimal bits, nan or inf), to a \
                   breakpoint, or to the next change of the selected cell. “Initial value” edits the //@ annotation of the buffer; parameters are edited in the launch menu. \
                   Click a line number to toggle a breakpoint. Press Esc to stop the run." }</li>
            <li>{ "“Learn” contains examples, guided tours and puzzles." }</li>
            <li>{ "Hover over a cell, lane, register or source line to highlight everything related to it. Click to pin the highlight." }</li>
        </ul>
    }
}
