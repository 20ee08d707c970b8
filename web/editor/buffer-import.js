// Loads the code that initializes a buffer from a file when a file is selected or dropped (`web/inspector/buffer-import.js`).
import { make } from "./embed.js";
import { RULES, writeLink } from "./share-link.js";
import { grouped, loadBesideCore } from "./util.js";

/** Opens the file picker for a buffer. */
export function chooseFile(page, name) {
  const chosen = make("input", { type: "file", accept: ".npy,.bin,.raw,.dat", onchange: () => void fillFrom(page, chosen.files[0], name) });
  chosen.click();
}

/** Checks whether a dropped file initializes a buffer: a NumPy array does, and so does a binary file that is dropped on a memory. */
export const isFilling = (file, memory) => /\.npy$/i.test(file.name) || (memory !== undefined && /\.(?:bin|raw|dat)$/i.test(file.name));

/** Initializes the named buffer, or else the buffer with the name of the file, or else the only one. `page` provides the source, the
 *  inferred annotations, and a function that changes the source. */
export async function fillFrom(page, file, name) {
  const called = `“${file.name.slice(0, 60)}”`;
  try {
    const { buffersOf, filled } = await loadBesideCore("buffer-import.js");
    const before = { source: page.text(), guessed: page.guessed() };
    const buffers = buffersOf(`${before.source}\n${before.guessed ?? ""}`);
    const stem = file.name.replace(/\.\w+$/, "");
    const meant = name ?? buffers.find((own) => own === stem) ?? (buffers.length === 1 ? buffers[0] : undefined);
    if (buffers.length === 0) throw new Error("the launch has no buffers");
    if (meant === undefined) throw new Error(`drop the file on a buffer, or rename the file to the name of one of the buffers: ${buffers.join(", ")}`);
    const { text } = await filled(before, meant, file);
    page.change(text);
    const link = await writeLink({ source: text }).catch(() => "");
    if (link.length > RULES.max_link_chars) page.failed(`The buffer “${meant}” is initialized from ${called}. A link to this kernel would have ${grouped(link.length)} characters, but links of more than ${grouped(RULES.max_link_chars)} characters are often truncated. To share the kernel, select Save file in the Share menu.`);
  } catch (error) {
    page.failed(`Cannot import ${called}: ${error.message}.`);
  }
}
