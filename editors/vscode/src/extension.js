// The extension, independently of its host: starts the language client and registers the commands.
import * as vscode from "vscode";
import { hasInlineAssembly, isXml } from "./content.js";
import { openPlayground } from "./playground.js";
import { selectTarget } from "./target.js";

/** Languages of PTX and SASS documents, with the language identifiers of the language server. VS Code reserves `sass` for style sheets. */
const SERVER_LANGUAGES = { ptx: "ptx", "cuda-sass": "sass" };
/** Languages with PTX in strings. */
const HOST_LANGUAGES = ["cuda-cpp", "cpp", "c", "python", "rust", "julia"];

/** Activates the extension. `createClient` creates the language client of the host. */
export async function activateExtension(context, createClient) {
  let client = null;

  async function start() {
    client = createClient(context, clientOptions());
    client.registerFeature(ownCommands);
    await client.start();
  }

  async function restart() {
    await client?.dispose();
    await start();
  }

  /** Starts the language server for the first document that the server supports. */
  async function open(document) {
    if (document.languageId === "ptx" && isXml(document.getText())) await releaseXml(document);
    else if (!client && isSupported(document)) await start();
  }

  /** Runs a kernel of a document. The playground supports only PTX documents, and the language server runs all other kernels. */
  async function run(uri, kernel) {
    const document = await findDocument(uri);
    if (document?.languageId === "ptx") openPlayground(context, document);
    else if (document) await vscode.commands.executeCommand("warpgrid.server.run", document.uri.toString(), kernel);
  }

  /** Checks a document for a target, or all documents for the target that the user selects. */
  const checkOnTarget = (uri, target) => (target ? vscode.commands.executeCommand("warpgrid.server.checkOnTarget", uri, target) : selectTarget());

  const command = (name, handler) => vscode.commands.registerCommand(`warpgrid.${name}`, handler);
  context.subscriptions.push(
    command("run", run),
    command("openPlayground", run),
    command("checkOnTarget", checkOnTarget),
    command("restart", restart),
    vscode.workspace.onDidOpenTextDocument(open),
    vscode.workspace.onDidChangeConfiguration((event) => {
      const restarts = ["warpgrid.server", "warpgrid.serverPath"].some((setting) => event.affectsConfiguration(setting));
      if (client && restarts) void restart();
    }),
    { dispose: () => client?.dispose() },
  );
  for (const document of vscode.workspace.textDocuments) await open(document);
}

const isSupported = (document) =>
  document.languageId in SERVER_LANGUAGES || (HOST_LANGUAGES.includes(document.languageId) && hasInlineAssembly(document.getText()));

/** Returns the document of a code lens (the URI as text), of a menu (the URI), or of the active editor. */
const findDocument = async (uri) =>
  uri ? vscode.workspace.openTextDocument(typeof uri === "string" ? vscode.Uri.parse(uri) : uri) : vscode.window.activeTextEditor?.document;

/** Assigns another language to an XML document, because PreTeXt documents also have the file extension `.ptx`. */
async function releaseXml(document) {
  const languages = await vscode.languages.getLanguages();
  await vscode.languages.setTextDocumentLanguage(document, languages.includes("pretext") ? "pretext" : "xml");
}

/** Client capability: the code lenses of the server contain the commands of the extension. */
const ownCommands = {
  fillClientCapabilities: (capabilities) => { capabilities.experimental = { ...capabilities.experimental, warpgrid: { commands: true } }; },
  initialize: () => {},
  getState: () => ({ kind: "static" }),
  clear: () => {},
};

/** Returns the document with the language identifier of the language server. */
const serverDocument = (document) =>
  Object.create(document, { languageId: { value: SERVER_LANGUAGES[document.languageId] ?? document.languageId } });

const clientOptions = () => ({
  documentSelector: [...Object.keys(SERVER_LANGUAGES), ...HOST_LANGUAGES].map((language) => ({ language })),
  middleware: { didOpen: (document, next) => next(serverDocument(document)) },
});
