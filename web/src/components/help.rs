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
    ("→", "to the next store"),
    ("←", "to the previous store"),
    ("Shift →", "one instruction forward"),
    ("Shift ←", "one instruction back"),
    ("Space", "play and pause"),
    ("Home, End", "to the start, run to the end"),
    ("Escape", "stop a run; else release what is pinned"),
    (
        "Tab, arrows",
        "to a memory and over its cells; Shift ↑: to its view options",
    ),
    (
        "+, -",
        "at a memory: larger and smaller cells, from the full value to a pixel; also Ctrl and the wheel, or two fingers",
    ),
    (
        "Ctrl K",
        "find anything that the page can do, by its name, or a value, an address or `out[5]` in memory; also in the editor",
    ),
    (
        "B, Shift B",
        "on to the next breakpoint, back to the one before",
    ),
    ("S", "copy a link to what you see"),
    ("?", "this help"),
    (
        "F9",
        "in the editor: set or remove a breakpoint at the line",
    ),
    ("Ctrl Space", "in the editor: what can be written here"),
    ("Ctrl I", "in the editor: what the word at the cursor means"),
    ("Shift Alt F", "in the editor: format the text"),
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
                <h2 id="help-title">{ "What you see" }</h2>
                <button class="main">{ "Close" }</button>
            </form>
            { pictures() }
            <h3>{ "Keys" }</h3>
            <p>{ "They work everywhere except in the editor and in lists; the last four are for the editor." }</p>
            <table><tbody>{ for KEYS.iter().map(key) }</tbody></table>
            <h3>{ "The launch" }</h3>
            <p>
                { "Comments that start with " }<code>{ "//@" }</code>{ " state how the kernel is launched: " }
                <code>{ "//@ launch grid=2 block=64" }</code>{ ", one " }<code>{ "//@ buffer name: f32[16][16] = iota" }</code>
                { " or " }<code>{ "//@ scalar n: s32 = 200" }</code>
                { " for each parameter. What they leave open is guessed, and shown under the launch button at the top." }
            </p>
            <h3>{ "What can be pasted and dropped" }</h3>
            <p>
                { "PTX, machine code as a listing, C++, Python, Julia and C# with inline assembly (each block is chosen in a list above the text), and PTX with the log \
                   of its assembler. A cubin, a fatbin, an object or a program that is dropped on the page is listed; its PTX opens as a text." }
            </p>
            <h3>{ "Limits" }</h3>
            <ul>
                <li>{ "Everything runs in this page, on an emulator. Results are those of an H100 bit for bit, with few exceptions. \
                       Time is not modelled." }</li>
                <li>{ "Where the hardware leaves an order open, one order is chosen, always the same. Small launches are also tried in \
                       other orders, and the page says when the result depends on the order." }</li>
                <li>{ "After a change a kernel runs for about a second and then waits until you let it go on. Stop ends it at any time." }</li>
                <li>{ "Your own texts are kept in this browser, one by one: choose them in the list at the top." }</li>
                <li>{ "After the first visit the page needs no network, and the browser's menu installs it as an application. A newer version is \
                       offered, and waits until you ask for it." }</li>
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
                { "A cell has the colour of the lane that wrote it last: one hue for each group of four lanes, from light to dark. \
                   Switch to “lane” to see the number in the cell." }
            </li>
            <li>{ "A cell with a dark outline was written by the last step. Faint cells were never written: they show \
                   the contents from before the launch; a dot is a zero. Diagonal strokes mean that several lanes wrote different values to the same bytes at once. A broken outline \
                   means that a store is in flight: it lands later, in a step of its own." }</li>
            <li>{ "Lanes: coloured ones take part in the step, underlined ones are left out of it by its guard, outlined ones are on another path, \
                   striped ones wait, those struck through have returned, red ones stopped the launch." }</li>
            <li>{ "The map of blocks shows which are done, running, waiting or not yet started; click a block to go to where it runs." }</li>
            <li>{ "Beside a line that accesses memory, ×4 means that it costs four times the possible minimum, in sectors of global memory or in passes over \
                   the banks of shared memory. “Traffic” adds them up." }</li>
            <li>{ "“Bank conflicts” draws an access to shared memory pass by pass: a column is a bank, a row a pass, a number the lane. “Rewrite the text without them” \
                   changes where the bytes lie, runs both texts, and says whether they leave the same." }</li>
            <li>{ "“Data races” names two accesses that the memory model of PTX does not order, what is missing between them, and the weakest repair. Quiet ones follow from the \
                   axioms or the manual, though much code leaves the fence out. A launch that never ends says who waits, what is missing, and which line is at fault. \
                   Both are looked for in runs of up to 100,000 steps. Cells where accesses race have a red corner, their lines a red ◆; so has a read of what nothing has written." }</li>
            <li>{ "An mbarrier is shown as a ring: the filled part is the arrivals so far, the number is the parity of the phase. The blocks of a cluster lie side by side." }</li>
            <li>{ "Tensor memory is a grid of 128 lanes (rows) by 512 columns of 32 bits. A cell has the colour of the lane that started the operation which wrote it." }</li>
            <li>{ "A tensor copy is drawn as the box over its tensor and as pieces of 16 bytes in shared memory, with their coordinates; hatched pieces are outside of the tensor. \
                   A line below cells marks the tiles that a copy or a product reads or writes, in the colour that the card gives them." }</li>
            <li>{ "Thin vertical lines separate the sectors of global memory." }</li>
            <li>{ "Cells too small for a text have the colour of their value, of the lane or of the step that wrote them, as chosen above; a press shows the value. Beside the rows of a long memory is a map of all of it: press or drag it to go there." }</li>
            <li>{ "“Matrices” shows which lane and register holds which element of a matrix, for wmma, mma, ldmatrix and stmatrix, \
                   and where the element lies in memory; for wgmma and tcgen05 where elements lie in registers, shared memory and tensor memory. It needs no kernel, and its address can be shared. “Products” there shows how a \
                   tensor core computes one sum, bit by bit." }</li>
            <li>{ "Operations of “Matrices” that end in `tile` show what a descriptor of shared memory makes hardware read, step by step, or what a tensor copy leaves; what was \
                   “meant” marks the elements that are read instead. `layout` draws a layout that is written as CuTe or Triton does; `chain` says whether one instruction leaves what \
                   the next one expects. The list of questions there leads to their pictures." }</li>
            <li>{ "“Layouts” says for each access of a run the simplest layout that explains its addresses, or where it breaks; pointing at its line says it, too. “Sectors moved in \
                   vain” says what an order of lanes or a wider vector would save." }</li>
            <li>{ "“Beside” runs a second text of the same kernel with the same launch, usually machine code beside PTX: store by store, with the \
                   memory of both in one grid and different cells marked. Below the sentence of a store is how the other language writes it; \
                   for machine code also what its encoding says about scheduling." }</li>
            <li>{ "“Outcomes” lists every outcome that the memory model of PTX allows for a few threads, those that no interleaving reaches among them, draws an execution of \
                   each, says which axiom forbids the others, and finds the weakest changes that leave only what interleavings reach. Its address can be shared. “Every outcome” at a race \
                   asks it of its lines and threads; select lines of a kernel and press “Outcomes” to ask it of those." }</li>
            <li>{ "“Share” copies a link that opens this text at this step, with what is pinned. A file dropped on the page is opened: PTX, machine code, \
                   or what “Save file” wrote." }</li>
            <li>{ "“save” at a memory keeps it as a drawing, a picture, a table or an array for NumPy, or the run so far as a drawing that moves." }</li>
            <li>{ "A cell that is pressed tells every store that wrote it; a press on a step goes there. “Run until” goes on, or back, until a lane meets a condition such as \
                   “lane 3: %r5 == 7” (also “warp 1 lane 0:”, “thread 37:” or no place for any lane; ==, !=, <, <=, >, >=; a number, hexadecimal bits, nan, inf), until a breakpoint \
                   comes next, or until the pressed cell changes. “At the launch” changes what the buffer starts with: the //@ line of the text. Parameters are changed under the launch button. Press a line number for a breakpoint. Escape stops it." }</li>
            <li>{ "“Learn” has examples with pictures, guided tours and puzzles." }</li>
            <li>{ "Point at a cell, a lane, a register or a line of the text, and everything that belongs to it lights up. A click pins it." }</li>
        </ul>
    }
}
