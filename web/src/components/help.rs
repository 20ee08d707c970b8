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
            <p>{ "The last four shortcuts apply to the editor. All other shortcuts are available outside the editor and lists. Ctrl+K is available everywhere." }</p>
            <table><tbody>{ for KEYS.iter().map(key) }</tbody></table>
            <h3>{ "Launch configuration" }</h3>
            <p>
                { "Comments that start with " }<code>{ "//@" }</code>{ " are annotations that configure the launch: " }
                <code>{ "//@ launch grid=2 block=64" }</code>{ ", and one " }<code>{ "//@ buffer name: f32[16][16] = iota" }</code>
                { " or " }<code>{ "//@ scalar n: s32 = 200" }</code>
                { " for each parameter. Parameters without an annotation are inferred and shown in the launch menu at the top." }
            </p>
            <h3>{ "Supported inputs" }</h3>
            <p>
                { "The editor accepts PTX, SASS listings, C++, Python, Julia and C# with inline assembly, and PTX with its ptxas log. Select an asm block above the editor. \
                   Drop a cubin, fatbin, object file or executable on the page to list its contents and open the embedded PTX." }
            </p>
            <h3>{ "Limits" }</h3>
            <ul>
                <li>{ "Kernels run in an emulator in this page. Results are identical to those of an H100, bit for bit, with few exceptions. \
                       The emulator does not model timing." }</li>
                <li>{ "The scheduler is deterministic. Small launches also run with other schedules, and the page reports results that depend on the schedule." }</li>
                <li>{ "After an edit, the kernel runs for about one second and then pauses. The transport controls continue or stop the run." }</li>
                <li>{ "Your kernels are saved in this browser. Open a saved kernel from the list at the top." }</li>
                <li>{ "The page works offline after the first visit and can be installed as an app. The page never installs an update without your confirmation." }</li>
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
                { "The colour of a cell identifies the lane that wrote the cell last. Each group of four lanes has one hue, from light to dark. \
                   Select “lane” to show lane numbers." }
            </li>
            <li>{ "A dark outline marks cells that the last step wrote. Faint cells have their initial value, and a dot is zero. Hatched cells have conflicting writes by several \
                   lanes of one store. A dashed outline marks a pending asynchronous write, which completes in a later step." }</li>
            <li>{ "Coloured lanes are active, underlined lanes are predicated off, and outlined lanes are inactive (on a divergent path). Striped lanes wait, \
                   struck-through lanes have exited, and red lanes have faulted." }</li>
            <li>{ "The block map shows which blocks have finished, run, wait or have not started. Click a block to select it." }</li>
            <li>{ "The mark ×4 next to a line means that its accesses need four times the ideal number of sectors (global memory) or wavefronts (shared memory). \
                   “Memory traffic” shows the totals." }</li>
            <li>{ "“Bank conflicts” shows a shared-memory access with one column per bank and one row per wavefront. The numbers are lanes. “Apply conflict-free \
                   rewrite” changes the shared-memory layout, runs both versions and compares their results." }</li>
            <li>{ "“Data races” reports pairs of accesses that are unordered under the PTX memory model, the missing synchronization and the weakest fix. Dimmed entries \
                   follow from the model or the manual, but code without the fence often works in practice. For a hang, the card shows the waiting threads, the missing event and \
                   the responsible line. Runs of up to 100,000 steps are analysed. A red corner marks racing cells. A red ◆ marks racing lines and uninitialized reads." }</li>
            <li>{ "“Mbarriers” shows each mbarrier as a ring. The filled part shows completed arrivals, and the number is the phase parity. Blocks of a cluster are shown side by side." }</li>
            <li>{ "Tensor memory is a grid of 128 lanes (rows) by 512 columns of 32 bits. The colour of a cell identifies the lane that issued the writing operation." }</li>
            <li>{ "The card of a tensor copy (TMA) shows the box within the tensor, and the 16-byte chunks in shared memory with their coordinates. Hatched chunks are out of bounds. \
                   Cells that belong to a tile of a tensor copy or MMA are underlined. The colour of the line identifies the matrix in the card." }</li>
            <li>{ "Thin vertical lines separate the 32-byte sectors of global memory." }</li>
            <li>{ "Cells that are too small for text are coloured by value, lane or step, as selected in the toolbar. Click such a cell to show its value. Long buffers have a minimap. Click or drag in the minimap to scroll." }</li>
            <li>{ "“Layouts” shows the lane, register and memory address of each matrix element for wmma, mma, ldmatrix and stmatrix, \
                   and the register, shared-memory and tensor-memory layouts of wgmma and tcgen05. The view “Layouts” requires no kernel, and its URL can be shared. \
                   “Tensor Core arithmetic” shows bit by bit how a Tensor Core accumulates one result." }</li>
            <li>{ "In “Layouts”, operations that end in “tile” show the tile that a shared-memory descriptor addresses, step by step, or the result of a tensor copy. \
                   With an intended descriptor (“meant”), the view marks elements that differ. “layout” draws a CuTe or Triton layout, and “chain” checks whether the output \
                   layout of one instruction matches the input layout of the next instruction. “Common questions” links to prepared diagrams." }</li>
            <li>{ "“Inferred layouts” lists the simplest layout that matches the addresses of each access, or the first mismatch. Hover over a line to show its inferred layout. \
                   “Uncoalesced accesses” estimates the savings of another lane mapping or a wider vector access." }</li>
            <li>{ "“Compare” runs a second version of the kernel, usually its SASS, with the same launch configuration, steps through the stores of both versions together, and marks differing cells. \
                   Each store also shows its equivalent in the other language and, for SASS, the scheduling control bits." }</li>
            <li>{ "“Litmus tests” enumerates all outcomes that the PTX memory model allows for a few threads, including outcomes that are not sequentially consistent. The view draws an \
                   execution for each allowed outcome, names the axiom that forbids each other outcome, and finds the weakest fixes that allow only sequentially consistent outcomes. The URL can be \
                   shared. Select “Litmus test” at a data race, or select lines of a kernel and then “Litmus tests”, to extract a test from the kernel." }</li>
            <li>{ "“Share” copies a link to the source at the current step, including pins. Drop a PTX file, a SASS file or a file written by “Save file” on the page to open the file." }</li>
            <li>{ "“Export” saves a buffer as an SVG or PNG image, a CSV table or a NumPy array. “Export” also saves the run up to the current step as an animated SVG." }</li>
            <li>{ "Click a cell to list all stores that wrote the cell. Click a step in the list to go to this step. “Initial value” edits the //@ annotation of the buffer. \
                   The launch menu edits parameters." }</li>
            <li>{ "“Run until” runs forward or back to a breakpoint, to the next change of the selected cell, or to the next match of a condition such as “lane 3: %r5 == 7”. \
                   The prefix may also be “warp 1 lane 0:” or “thread 37:”. A condition without a prefix applies to any lane. Operators are ==, !=, <, <=, > and >=. Values are numbers, \
                   hexadecimal bits, nan and inf. Click a line number to toggle a breakpoint. Press Esc to stop the run." }</li>
            <li>{ "“Learn” contains examples, guided tours and puzzles." }</li>
            <li>{ "Hover over a cell, lane, register or source line to highlight all related items. Click to pin the highlight." }</li>
        </ul>
    }
}
