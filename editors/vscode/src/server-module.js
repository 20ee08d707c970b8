// The WebAssembly module of the language server. The extension reads the file, because a worker cannot resolve the file in every host.
import * as vscode from "vscode";

/** Returns the bytes of the WebAssembly module. */
export const readServerModule = (context) => vscode.workspace.fs.readFile(vscode.Uri.joinPath(context.extensionUri, "out", "server.wasm"));
