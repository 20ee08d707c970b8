// Loads the code that initializes a buffer from a file (`web/inspector/buffer-import.js`) when a file is selected or dropped.
import { RULES, writeLink } from "./share-link.js";
import { chooseFiles, formatCount, loadModule } from "./util.js";

/** Opens the file picker for a buffer. */
export function chooseFile(page, name) {
  chooseFiles({ accept: ".npy,.bin,.raw,.dat" }, ([file]) => void importBuffer(page, file, name));
}

/** Checks whether a dropped file initializes a buffer. This is the case for a NumPy array, and for a binary file that is dropped on a
 *  memory. */
export const initializesBuffer = (file, memory) => /\.npy$/i.test(file.name) || (memory !== undefined && /\.(?:bin|raw|dat)$/i.test(file.name));

/** Initializes the named buffer, otherwise the buffer with the name of the file, otherwise the only buffer. `page` provides the source, the
 *  inferred annotations, and a function that changes the source. */
export async function importBuffer(page, file, name) {
  const quotedName = `“${file.name.slice(0, 60)}”`;
  try {
    const { bufferNames, initializedSource } = await loadModule("buffer-import.js");
    const current = { source: page.text(), inferredAnnotations: page.inferredAnnotations() };
    const buffers = bufferNames(`${current.source}\n${current.inferredAnnotations ?? ""}`);
    const stem = file.name.replace(/\.\w+$/, "");
    const target = name ?? buffers.find((candidate) => candidate === stem) ?? (buffers.length === 1 ? buffers[0] : undefined);
    if (buffers.length === 0) throw new Error("the launch has no buffers");
    if (target === undefined) throw new Error(`drop the file on a buffer, or rename the file to the name of one of the buffers: ${buffers.join(", ")}`);
    const { text } = await initializedSource(current, target, file);
    page.change(text);
    const link = await writeLink({ source: text }).catch(() => "");
    if (link.length > RULES.max_link_chars) page.failed(`The buffer “${target}” is initialized from ${quotedName}. A link to this kernel would have ${formatCount(link.length)} characters, but links of more than ${formatCount(RULES.max_link_chars)} characters are often truncated. To share the kernel, select Save file in the Share menu.`);
  } catch (error) {
    page.failed(`Cannot import ${quotedName}: ${error.message}.`);
  }
}
