// HTML of the webview with the playground.

/** Returns the HTML. The widget starts its worker from a blob, and the worker loads its files from the directory of the extension. `source`
 *  is the origin of these files in the Content-Security-Policy, and `fileUrl` returns the URL of a file. */
export function playgroundPage({ nonce, source, fileUrl }) {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' ${source} 'wasm-unsafe-eval'`,
    `style-src ${source} 'unsafe-inline'`,
    "worker-src blob:",
    `connect-src ${source}`,
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta http-equiv="Content-Security-Policy" content="${policy}">
  <title>Playground</title>
</head>
<body>
  <script type="module" nonce="${nonce}" src="${fileUrl("warpgrid-widget.js")}"></script>
  <script type="module" nonce="${nonce}" src="${fileUrl("playground-page.js")}"></script>
</body>
</html>`;
}
