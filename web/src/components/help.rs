//! The help dialog: the parts of the page, the keyboard shortcuts and the limits.

use super::{Dispatch, dispatching};
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
    ("Home, End", "go to the start (Home), run to the end (End)"),
    ("Esc", "stop the run, or unpin"),
    (
        "Tab, arrows",
        "move to a grid, and between the cells of the grid; Shift+↑ moves to the toolbar of the grid",
    ),
    (
        "+, -",
        "zoom the grid in or out (also with Ctrl+scroll or a pinch gesture)",
    ),
    (
        "Ctrl+K",
        "open the command palette, which finds commands, examples, values, addresses and elements such as out[5]",
    ),
    (
        "B, Shift+B",
        "run to the next breakpoint (B), or back to the previous breakpoint (Shift+B)",
    ),
    (
        "F8, Shift+F8",
        "show the next finding (F8) or the previous finding (Shift+F8)",
    ),
    ("S", "copy a link to the current view"),
    ("?", "open this help"),
    (
        "F9",
        "in the editor: toggle a breakpoint at the cursor line",
    ),
    ("Ctrl+Space", "in the editor: trigger completion"),
    (
        "Ctrl+I",
        "in the editor: show the documentation of the symbol at the cursor",
    ),
    ("Shift+Alt+F", "in the editor: format the source"),
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
    let close = dispatching::<Event>(&props.dispatch, Action::SetHelp(false));
    let key = |(keys, what): &(&str, &str)| html! { <tr><th><kbd>{ *keys }</kbd></th><td>{ *what }</td></tr> };
    html! {
        <dialog ref={dialog} class="help" aria-labelledby="help-title" onclose={close}>
            // The form precedes the text in the dialog, so that the dialog opens at the start of the text.
            <form method="dialog">
                <h2 id="help-title">{ "Help" }</h2>
                <button class="main">{ "Close" }</button>
            </form>
            { pictures() }
            <h3>{ "Keyboard shortcuts" }</h3>
            <p>{ "The last four shortcuts in this table apply to the editor. The other shortcuts apply outside of the editor and of lists. Only Ctrl+K and F8 work everywhere." }</p>
            <table><tbody>{ for KEYS.iter().map(key) }</tbody></table>
            <h3>{ "Launch configuration" }</h3>
            <p>
                { "Comments that start with " }<code>{ "//@" }</code>{ " are annotations that configure the launch: " }
                <code>{ "//@ launch grid=2 block=64" }</code>{ " for the launch, and one " }<code>{ "//@ buffer name: f32[16][16] = iota" }</code>
                { " or " }<code>{ "//@ scalar n: s32 = 200" }</code>
                { " for each parameter. The page infers parameters without an annotation, and shows these parameters in the launch menu at the top." }
            </p>
            <h3>{ "Supported inputs" }</h3>
            <p>
                { "The editor accepts PTX, SASS listings, C++, Python, Julia and C# with inline assembly, and PTX together with a ptxas log. If a source has several asm blocks, select an asm block above the editor. \
                   Drop a cubin, fatbin, object file or executable on the page to list the code objects in the file and open the embedded PTX." }
            </p>
            <p>
                { "To compile CUDA C++ with Compiler Explorer, paste the source and select “Compile with Compiler Explorer”. To open a file on GitHub, a gist or a Compiler Explorer link, paste the link in place of the source, \
                   or select “Open link” in the command palette (Ctrl+K). The page asks before it contacts another site. To withdraw a permission, select “External site permissions” in the command palette." }
            </p>
            <p>
                { "“Learn” contains runnable examples, tours and puzzles. The chapter “Compiler bugs” contains miscompiles of ptxas: “wrong” and “right” compare a listing with its PTX, and stop at the first store that differs." }
            </p>
            <h3>{ "Limits" }</h3>
            <ul>
                <li>{ "Kernels run in an emulator in this page. With few exceptions, the results are bit-exact with the results of an H100. \
                       The emulator does not model timing." }</li>
                <li>{ "The scheduler is deterministic. The page also runs small launches with other schedules, and reports results that depend on the schedule." }</li>
                <li>{ "After an edit, the kernel runs for about one second and then pauses. Use the transport controls to continue or stop the run." }</li>
                <li>{ "The page saves your kernels in this browser. Open a saved kernel from the list at the top of the page." }</li>
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
                   Select “lane” in the toolbar of a grid to show lane numbers." }
            </li>
            <li>{ "A dark outline marks cells that the last step wrote. Faint cells still have their initial value, and a dot represents the value zero. Hatched cells were written with different values by several \
                   lanes of one store. A dashed outline marks a pending asynchronous write, which completes in a later step." }</li>
            <li>{ "In the lane display of a warp, coloured lanes are active, underlined lanes are predicated off, and outlined lanes are inactive (on a divergent path). Striped lanes wait, \
                   struck-through lanes have exited, and red lanes have faulted." }</li>
            <li>{ "The block map shows whether each block has not started, is running, is waiting or has finished. Click a block to select the block." }</li>
            <li>{ "The stage shows the memories that the current step writes as grids. Other memories that do not fit are thumbnails above the grids. Click a thumbnail to show the memory as a grid. \
                   If a kernel has no memory, the stage shows the registers that the step wrote." }</li>
            <li>{ "The inspector beside the stage has two tabs: “Threads” with blocks, barriers, lanes, registers and conditional runs, and “Watch” with watch expressions, the comparison of two steps, \
                   custom layouts, memory overviews and JIT runs." }</li>
            <li>{ "The mark ×4 next to a source line means that the accesses of the line need four times the ideal number of sectors (global memory) or wavefronts (shared memory). \
                   The card “Memory traffic” shows the totals of the run." }</li>
            <li>{ "“Analysis” in the transport shows the results for the whole run in detail. The card “Bank conflicts” shows a shared-memory access with one column per bank and one row per wavefront. The number in a cell is the accessing lane. “Apply conflict-free \
                   rewrite” changes the shared-memory layout, runs both versions of the kernel, and compares the results." }</li>
            <li>{ "The card “Data races” reports pairs of accesses that are unordered in the PTX memory model, with the missing synchronization and the weakest fix. A dimmed entry \
                   violates a rule of the memory model or of the manual, but code without the required fence often works in practice. If the kernel hangs, the card shows the waiting threads, the missing event and \
                   the line with the root cause. The page analyses runs of up to 100,000 steps. A red corner marks a cell with a data race. A red ◆ marks a source line with a data race or an uninitialized read." }</li>
            <li>{ "“Findings” in the transport lists everything that is known about all kernels of the source, with lines and fixes. “Timeline” shows the run over its steps: running, waiting and \
                   diverged warps, asynchronous operations in flight, and the phases of barriers and mbarriers. A dashed red edge marks a state that never ends. Click in the timeline to go to a step." }</li>
            <li>{ "The card “Mbarriers” shows each mbarrier as a ring. The filled part of a ring shows the completed arrivals, and the number is the phase parity. The card shows the blocks of a cluster side by side." }</li>
            <li>{ "Tensor memory is shown as a grid of 128 lanes (rows) by 512 columns of 32 bits. The colour of a cell identifies the lane that issued the last operation that wrote the cell." }</li>
            <li>{ "The card of a tensor copy (TMA) shows the position of the box in the tensor, and the 16-byte chunks in shared memory with their coordinates. Hatched chunks are out of bounds. \
                   In the memory grids, cells that belong to a tile of a tensor copy or of an MMA are underlined. The colour of the underline identifies the matrix in the card." }</li>
            <li>{ "In a grid of global memory, thin vertical lines separate the 32-byte sectors." }</li>
            <li>{ "Cells that are too small for text are coloured by value, lane or step, as selected in the toolbar of the grid. Click such a cell to show its value. A long buffer has a minimap. Click or drag in the minimap to scroll." }</li>
            <li>{ "“Layouts” shows the lane, register and memory address of each matrix element for wmma, mma, ldmatrix and stmatrix, \
                   and shows the register, shared-memory and tensor-memory layouts of wgmma and tcgen05. The view “Layouts” requires no kernel, and you can share the URL of the view. \
                   The view “Tensor Core arithmetic” shows bit by bit how a Tensor Core accumulates one result." }</li>
            <li>{ "In the view “Layouts”, operations whose names end in “tile” show the tile that a shared-memory descriptor addresses, step by step, or the result of a tensor copy. \
                   If you specify an intended descriptor (“meant”), the view marks the elements that differ. The operation “layout” draws a CuTe or Triton layout, and the operation “chain” checks whether the output \
                   layout of one instruction matches the input layout of the next instruction. The list “Common questions” contains links to prepared diagrams." }</li>
            <li>{ "The card “Inferred layouts” shows for each access the simplest layout that matches the accessed addresses, or the first mismatch. Hover over a source line to show its inferred layout. \
                   The card “Uncoalesced accesses” estimates how many sectors another lane mapping or a wider vector access would save." }</li>
            <li>{ "“Compare” runs a second version of the kernel, usually its SASS, with the same launch configuration. The view steps through the stores of both versions together, and marks cells that differ. \
                   If the results differ, the view names the first instruction of each version that computed another value, with both registers and both values. The verdict “not comparable here” states why a difference proves nothing, for example because a listing lacks data. \
                   For each store, the view shows the equivalent instruction in the other language and, for SASS, the scheduling control bits." }</li>
            <li>{ "“Memory model” enumerates all outcomes that the PTX memory model allows for a litmus test of a few threads, including outcomes that are not sequentially consistent. The view draws an \
                   execution for each allowed outcome, names the axiom that forbids each other outcome, and finds the weakest fixes that allow only sequentially consistent outcomes. You can share the URL of the view. \
                   To extract a litmus test from a kernel, select “Litmus test” at a data race, or select lines of the kernel and then “Memory model”." }</li>
            <li>{ "The buttons “Back” and “Forward” of the browser return to previous views and examples. “Share” copies a link to the source at the current step, including pinned cells. As long as the source is an unmodified example or linked file, “Share” also offers a short link to the source. \
                   To open a PTX file, a SASS file or a file that “Save file” has written, drop the file on the page." }</li>
            <li>{ "“Export” saves a buffer as an SVG or PNG image, a CSV table or a NumPy array. “Export” also saves the run up to the current step as an animated SVG." }</li>
            <li>{ "Click a cell to list all stores that wrote the cell. Click a step in the list to go to this step. Use “Initial value” to edit the //@ annotation of the buffer. \
                   Use the launch menu to edit the kernel parameters." }</li>
            <li>{ "“Run until” runs forward or back to a breakpoint, to the next change of the selected cell, or to the next match of a condition such as “lane 3: %r5 == 7”. \
                   The prefix of a condition may also be “warp 1 lane 0:” or “thread 37:”. A condition without a prefix is met if any lane meets the condition. The comparison operators are ==, !=, <, <=, > and >=. A value is a number, \
                   hexadecimal bits, nan or inf. A watch expression such as “tile[4][0] == 1” is also a condition. Click a line number to toggle a breakpoint. Press Esc to stop the run." }</li>
            <li>{ "The view “Learn” contains examples, guided tours and puzzles." }</li>
            <li>{ "Hover over a cell, lane, register or source line to highlight all related items. Click to pin the highlight." }</li>
        </ul>
    }
}
