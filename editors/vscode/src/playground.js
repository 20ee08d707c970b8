// The playground of a document in a webview. The playground displays the current text of the document after each edit.
import * as vscode from "vscode";
import { playgroundPage } from "./playground-html.js";

/** Panels by the URI of their document. */
const panels = new Map();

/** Opens the playground of a document. */
export function openPlayground(context, document) {
  const key = document.uri.toString();
  const existing = panels.get(key);
  if (existing) {
    existing.reveal();
    return;
  }
  const media = vscode.Uri.joinPath(context.extensionUri, "out", "playground");
  const title = `Playground: ${vscode.workspace.asRelativePath(document.uri)}`;
  const panel = vscode.window.createWebviewPanel("warpgrid.playground", title, vscode.ViewColumn.Beside, {
    enableScripts: true,
    retainContextWhenHidden: true,
    localResourceRoots: [media],
  });
  panels.set(key, panel);
  const send = () => panel.webview.postMessage({ text: document.getText(), target: vscode.workspace.getConfiguration("warpgrid").get("target") });
  const subscriptions = [
    // The page requests the text, since messages before the start of its script are lost.
    panel.webview.onDidReceiveMessage(send),
    vscode.workspace.onDidChangeTextDocument((event) => event.document === document && send()),
    vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("warpgrid.target") && send()),
  ];
  panel.onDidDispose(() => {
    panels.delete(key);
    subscriptions.forEach((subscription) => subscription.dispose());
  });
  panel.webview.html = playgroundPage({
    nonce: createNonce(),
    source: panel.webview.cspSource,
    fileUrl: (name) => panel.webview.asWebviewUri(vscode.Uri.joinPath(media, name)),
  });
}

const createNonce = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
