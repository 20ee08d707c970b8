// The editor: CodeMirror, mounted into an element of the page.
import { EditorView } from "@codemirror/view";
import { EditorState } from "@codemirror/state";

/** Mounts an editor with a text; returns the view. */
export function mountEditor(parent, text) {
  return new EditorView({ parent, state: EditorState.create({ doc: text }) });
}

window.warpgridEditor = { mountEditor };
