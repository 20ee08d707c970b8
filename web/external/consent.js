// Consent of the user to requests to external hosts. A consent applies to one host. It is kept until the page is closed, or in the local
// storage of the browser if the user selects this option. Links and files never contain a consent.
import { createElement, renderInlineCode } from "../dom.js";

const STORAGE_KEY = "warpgrid.permitted-hosts";

/** Hosts that are permitted until the page is closed. */
const sessionHosts = new Set();

function rememberedHosts() {
  try {
    const hosts = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "[]");
    return Array.isArray(hosts) ? hosts.filter((host) => typeof host === "string") : [];
  } catch { return []; }
}
function saveHosts(hosts) {
  try { localStorage.setItem(STORAGE_KEY, JSON.stringify(hosts)); } catch { /* the consent applies until the page is closed */ }
}

/** Checks whether the user has permitted requests to a host. */
export const isPermitted = (host) => sessionHosts.has(host) || rememberedHosts().includes(host);

/** Returns the permitted hosts as pairs of the host and whether the browser stores the consent. */
export function permittedHosts() {
  const remembered = rememberedHosts();
  return [...new Set([...remembered, ...sessionHosts])].sort().map((host) => ({ host, isRemembered: remembered.includes(host) }));
}

function permit(host, isRemembered) {
  sessionHosts.add(host);
  if (isRemembered) saveHosts([...new Set([...rememberedHosts(), host])]);
}

/** Withdraws the consent for a host. */
export function withdraw(host) {
  sessionHosts.delete(host);
  saveHosts(rememberedHosts().filter((other) => other !== host));
}

/** Opens a modal dialog with a heading and contents. `onClose` is called once the dialog is closed. */
export function showDialog(title, contents, onClose) {
  const previousFocus = document.activeElement;
  const dialog = createElement("dialog", { class: "external-dialog", "aria-label": title }, createElement("h2", {}, title), ...contents);
  dialog.addEventListener("close", () => {
    dialog.remove();
    onClose?.();
    if (document.activeElement === document.body) previousFocus?.focus?.();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Requests the consent for a request to a host, unless the user has permitted the host before. `title` is the action, `lines` describe the
 *  transmitted data, `privacyUrl` is the privacy policy of the host, and `action` is the label of the button. Resolves to whether the
 *  request is permitted. */
export function requestConsent({ host, title, lines, privacyUrl, action }) {
  if (isPermitted(host)) return Promise.resolve(true);
  return new Promise((resolve) => {
    let isGranted = false;
    const remember = createElement("input", { type: "checkbox" });
    const accept = createElement("button", { type: "button", class: "action-button main", onclick: () => { isGranted = true; permit(host, remember.checked); dialog.close(); } }, action);
    const cancel = createElement("button", { type: "button", class: "action-button", onclick: () => dialog.close() }, "Cancel");
    const privacy = privacyUrl ? createElement("p", {}, createElement("a", { href: privacyUrl, target: "_blank", rel: "noopener noreferrer" }, `Privacy policy of ${host}`)) : null;
    const dialog = showDialog(title, [
      ...lines.map((line) => createElement("p", {}, ...renderInlineCode(line))), privacy,
      createElement("label", {}, remember, `Always permit requests to ${host} in this browser`),
      createElement("p", { class: "muted" }, "To withdraw the permission, select “External site permissions” in the command palette (Ctrl+K)."),
      createElement("div", { class: "fixes" }, accept, cancel),
    ].filter(Boolean), () => resolve(isGranted));
    accept.focus();
  });
}

/** Opens the dialog that lists and withdraws permissions. */
export function showPermissions() {
  const list = createElement("ul", { class: "external-hosts" });
  const render = () => {
    const hosts = permittedHosts();
    list.replaceChildren(...hosts.map(({ host, isRemembered }) => createElement("li", {}, createElement("code", {}, host),
      createElement("small", {}, isRemembered ? "always" : "until the page is closed"), createElement("span", { class: "spacer" }),
      createElement("button", { type: "button", class: "action-button", "aria-label": `Withdraw permission for ${host}`, onclick: () => { withdraw(host); render(); } }, "Withdraw"))));
    if (hosts.length === 0) list.replaceChildren(createElement("li", {}, "No external site is permitted."));
  };
  render();
  const dialog = showDialog("External site permissions", [
    createElement("p", {}, "The page contacts these sites without a further question. Without a permission, the page asks before each request."),
    list,
    createElement("div", { class: "fixes" }, createElement("button", { type: "button", class: "action-button main", onclick: () => dialog.close() }, "Close")),
  ]);
}
