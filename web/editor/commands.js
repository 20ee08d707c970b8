// Commands without a visible control, and the shortcut Ctrl+K of the command palette, which loads when it is opened.

/** Registered commands, in the form of the commands of controls (`web/editor/command-palette.js`). */
export const registeredCommands = [];
export const registerCommands = (list) => registeredCommands.push(...list);

/** Opens the command palette. Rejects if the module of the command palette cannot be loaded. */
export async function openPalette() {
  const palette = await import("./command-palette.js");
  palette.openPalette();
}

addEventListener("keydown", (event) => {
  const isShortcut = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "k";
  if (!isShortcut) return;
  event.preventDefault();
  event.stopPropagation();
  const openDialog = document.querySelector("dialog.palette");
  if (openDialog) openDialog.close();
  // Another open dialog handles its own keys.
  else if (!document.querySelector("dialog[open]")) globalThis.warpgridEditor.openPalette();
}, { capture: true });
