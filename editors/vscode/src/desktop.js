// Entry point of the extension in Node: VS Code on the desktop, in remote workspaces and in containers.
import { Worker } from "node:worker_threads";
import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";
import { PortMessageReader, PortMessageWriter } from "vscode-jsonrpc/node";
import { activateExtension } from "./extension.js";
import { readServerModule } from "./server-module.js";

/** Starts the language server of the extension in a worker thread. */
async function startWorker(context) {
  const worker = new Worker(vscode.Uri.joinPath(context.extensionUri, "out", "server.js").fsPath);
  worker.postMessage({ wasm: await readServerModule(context) });
  return { reader: new PortMessageReader(worker), writer: new PortMessageWriter(worker), detached: false };
}

function createClient(context, options) {
  const settings = vscode.workspace.getConfiguration("warpgrid");
  const serverOptions = settings.get("server") === "native" && vscode.workspace.isTrusted
    ? { command: settings.get("serverPath"), args: ["lsp"] }
    : () => startWorker(context);
  return new LanguageClient("warpgrid", "Warpgrid", serverOptions, options);
}

export const activate = (context) => activateExtension(context, createClient);
