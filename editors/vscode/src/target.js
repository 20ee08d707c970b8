// Selection of the target for which the language server checks documents.
import * as vscode from "vscode";
import TARGETS from "./targets.json";

/** Changes the setting `warpgrid.target` to the target that the user selects. */
export async function selectTarget() {
  const settings = vscode.workspace.getConfiguration("warpgrid");
  const ofSource = { label: "Target of the source", description: "The directive `.target`" };
  const items = [ofSource, ...TARGETS.map((label) => ({ label }))];
  const selected = await vscode.window.showQuickPick(items, { placeHolder: "Target of the check" });
  if (!selected) return;
  const scope = vscode.workspace.workspaceFolders ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await settings.update("target", selected === ofSource ? undefined : selected.label, scope);
}
