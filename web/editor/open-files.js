// Reads files that the user drops on the page or selects: sources, files that contain a view, and compiled files.
import { readFile, RULES } from "./share-link.js";
import { formatCount } from "./util.js";

/** Maximum size of a source in bytes. */
const MAX_SOURCE_BYTES = RULES.max_bytes;

/** Maximum size of a compiled file in bytes, because the file is copied between threads. The command-line tool reads larger files. */
const MAX_COMPILED_BYTES = 64e6;

/** Checks whether a file is a compiled file by its magic number: ELF, or a fatbin. Other files that contain NUL bytes are also inspected,
 *  because executables contain fatbins. */
const isCompilerOutput = (bytes) => [[0x7f, 0x45, 0x4c, 0x46], [0x50, 0xed, 0x55, 0xba]].some((magic) => magic.every((byte, index) => bytes[index] === byte));

/** Returns the contents of a file: `{ text }` for a source, `{ shared }` if the file contains a view, or `{ name, compiled }` for a
 *  compiled file. Throws an error message if the file cannot be opened. */
export async function readDroppedFiles(files) {
  if (files.length !== 1) throw new Error(`Cannot open ${files.length} files at once. Drop a single file.`);
  const [file] = files;
  const name = `“${file.name.length > 60 ? `${file.name.slice(0, 60)}…` : file.name}”`;
  const magicBytes = new Uint8Array(await file.slice(0, 4).arrayBuffer().catch(() => new ArrayBuffer(0)));
  if (isCompilerOutput(magicBytes)) {
    if (file.size > MAX_COMPILED_BYTES) throw new Error(`Cannot open ${name}: the file has ${formatCount(Math.ceil(file.size / 1e6))} MB, but the limit is ${MAX_COMPILED_BYTES / 1e6} MB. Use \`warpgrid check --list FILE\` for larger files.`);
    return { name: file.name.slice(0, 60), compiled: new Uint8Array(await file.arrayBuffer()) };
  }
  if (file.size > MAX_SOURCE_BYTES) throw new Error(`Cannot open ${name}: the file has ${formatCount(Math.ceil(file.size / 1e6))} MB, but the limit for source files is ${MAX_SOURCE_BYTES / 1e6} MB.`);
  const bytes = await file.arrayBuffer().catch((error) => { throw new Error(`Cannot open ${name}: ${error.message}`); });
  const text = new TextDecoder().decode(bytes);
  // Comments in another encoding are accepted. Bytes that do not occur in any text file are rejected.
  const invalidCount = text.match(/[\0\ufffd]/g)?.length ?? 0;
  if (text.includes("\0") || invalidCount * 50 > text.length) throw new Error(`Cannot open ${name}: the file is not valid UTF-8.`);
  return parseFile(file.name, text);
}

/** Returns the contents of a text file: `{ text }` for a source, or `{ shared }` if the file contains a view. */
export function parseFile(name, text) {
  const isJson = /\.json$/i.test(name) || /^\s*\{\s*"warpgrid"/.test(text);
  return isJson ? { shared: readFile(text) } : { text };
}

/** Opens files that are dropped on any part of the page. */
export function listenToDrops(openFiles) {
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
  const setDragOver = (isOver) => document.documentElement.classList.toggle("drag-over", isOver);
  addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    setDragOver(true);
  }, true);
  addEventListener("dragleave", (event) => { if (event.relatedTarget === null) setDragOver(false); }, true);
  addEventListener("drop", (event) => {
    setDragOver(false);
    if (!hasFiles(event)) return;
    event.preventDefault();
    event.stopPropagation();
    void openFiles([...event.dataTransfer.files], event.target.closest?.("[data-memory]")?.dataset.memory);
  }, true);
}
