// Script of the webview: displays each text that the extension sends.

let playground = null;
let currentText = null;

/** Creates the playground, which displays the end of the run. */
function create(text) {
  playground = document.createElement("warpgrid-playground");
  for (const [name, value] of [["view", "split"], ["step", "end"], ["readonly", ""]]) playground.setAttribute(name, value);
  playground.textContent = text;
  document.body.append(playground);
}

addEventListener("message", ({ data: { text, target } }) => {
  if (!playground) create(text);
  else if (text !== currentText) playground.text = text;
  currentText = text;
  if (target) playground.setAttribute("target", target);
  else playground.removeAttribute("target");
});
acquireVsCodeApi().postMessage({ ready: true });
