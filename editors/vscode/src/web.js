// Entry point of the extension in a browser: vscode.dev, github.dev and other hosts of VS Code for the Web.
import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/browser";
import { activateExtension } from "./extension.js";
import { readServerModule } from "./server-module.js";

/** Starts the language server of the extension in a web worker. */
async function startWorker(context) {
  const worker = new Worker(vscode.Uri.joinPath(context.extensionUri, "out", "server.js").toString(true));
  worker.postMessage({ wasm: await readServerModule(context) });
  return worker;
}

const createClient = (context, options) => new LanguageClient("warpgrid", "Warpgrid", () => startWorker(context), options);

export const activate = (context) => activateExtension(context, createClient);
