// Guided tours: text beside the page that is synchronized with the steps of a run. Provides the list of tours, and the active tour, which
// opens its example, moves to stops, follows the run when the user steps, and points at lines and cells.
import { sendRequest, fetchExample } from "./worker-client.js";
import { createElement, renderParagraphs } from "../dom.js";
import { copyLinkButton } from "./copy-link.js";
import { lazyThumbnail } from "./lazy-thumbnails.js";
import { headerField } from "./lesson-header.js";
import { currentStep, seekTo, isPlaybackReady } from "./playback.js";

const findExample = (lessons, id) => lessons.chapters.flatMap(({ examples }) => examples).find((entry) => entry.id === id);

export function toursView({ lessons, tour }) {
  const cards = lessons.tours.map(([id, text]) => {
    const entry = findExample(lessons, id);
    const open = createElement("button", { type: "button", class: "learn-open", onclick: () => tour(id) }, headerField(text, "title"));
    return createElement("li", { class: "learn-card" }, lazyThumbnail(entry.file), createElement("h3", {}, open), createElement("p", {}, entry.title));
  });
  return [createElement("div", { class: "learn-body" },
    createElement("p", { class: "muted" }, "A tour explains the execution of an example step by step. You can also step manually, and the tour follows the current step."),
    createElement("ul", { class: "learn-cards" }, ...cards))];
}

/** Waits until a condition on the page holds, for at most ten seconds. */
async function waitUntil(condition) {
  for (let n = 0; n < 200; n += 1) {
    if (condition()) return true;
    await new Promise((resolve) => { setTimeout(resolve, 50); });
  }
  return false;
}

let activeTourEnd = null;

/** Ends the active tour. */
function endTour() {
  activeTourEnd?.();
  activeTourEnd = null;
}

/** Opens an example and waits until its run is ready. */
async function openExample(page, entry, text) {
  if (page.text() !== text) {
    if (location.hash === `#example=${entry.id}`) history.replaceState(history.state, "", "#");
    location.hash = `#example=${entry.id}`;
  }
  return (await waitUntil(() => page.text() === text)) && waitUntil(isPlaybackReady);
}

export async function startTour(page, lessons, id) {
  endTour();
  const tour = lessons.tours.find(([tourId]) => tourId === id);
  const entry = findExample(lessons, id);
  if (!tour || !entry) { page.failed(`Unknown tour “${id}”`); return; }
  try {
    const source = await fetchExample(entry.file);
    const view = await sendRequest("tour", tour[1], source);
    if (!(await openExample(page, entry, source))) throw new Error("the example failed to run");
    history.replaceState(history.state, "", `#learn=tour:${id}`);
    activeTourEnd = mountTour(page, id, view, source);
  } catch (error) {
    page.failed(`Failed to start the tour: ${error.message}`);
  }
}

/** Renders a stop of a tour: a heading that moves the run to the stop, and the text of the stop. */
function tourStop(page, { moment: label, position, prose: paragraphs }, number, onSelect) {
  const pin = (target) => page.pin(target);
  const lineLink = (lineNumber) => createElement("button", { type: "button", class: "learn-target-link", onclick: () => pin(`line ${lineNumber}`) }, `line ${lineNumber}`);
  const factNode = ({ text, pin: pinTarget }) => (pinTarget
    ? createElement("button", { type: "button", class: "learn-target-link verified-fact", title: "Show", onclick: () => pin(pinTarget) }, text)
    : createElement("code", { class: "verified-fact" }, text));
  const heading = createElement("button", { type: "button", class: "learn-stop-name", onclick: onSelect }, `${number + 1}. ${label[0].toUpperCase()}${label.slice(1)}`, createElement("small", {}, `step ${position}`));
  return createElement("li", {}, createElement("h3", {}, heading), createElement("div", { class: "learn-stop-text" }, ...renderParagraphs(paragraphs, { line: lineLink, fact: factNode })));
}

/** Shows the tour beside the page, and synchronizes it with the steps of the run. Returns the function that ends the tour. */
function mountTour(page, id, { title, intro, stops, length }, source) {
  let currentIndex = -1;
  const list = createElement("ol", { class: "learn-stops" });
  const backButton = createElement("button", { type: "button", class: "action-button" }, "Back");
  const nextButton = createElement("button", { type: "button", class: "action-button main" }, "Next");
  const progressLabel = createElement("span", { class: "muted", "aria-live": "polite" });
  const close = createElement("button", { type: "button", class: "icon", "aria-label": "End tour", title: "End tour", onclick: () => { endTour(); history.replaceState(history.state, "", "#"); } }, "✕");
  const panel = createElement("aside", { class: "learn-tour", "aria-label": `Tour: ${title}` },
    createElement("div", { class: "learn-tour-head" }, createElement("h2", {}, title), close),
    createElement("div", { class: "learn-tour-body", tabIndex: 0, role: "group", "aria-label": "Tour text" }, ...renderParagraphs(intro), list),
    createElement("div", { class: "learn-tour-foot" }, backButton, nextButton, copyLinkButton(`#learn=tour:${id}`), progressLabel));

  /** Returns the first focus in the text of a stop. */
  const firstFocus = (stop) => stop.prose.flat().flatMap((piece) => (piece.fact?.pin ? [piece.fact.pin] : piece.line ? [`line ${piece.line}`] : []))[0] ?? "";
  const selectStop = (index) => {
    if (index === currentIndex) return;
    currentIndex = index;
    [...list.children].forEach((node, number) => {
      node.toggleAttribute("data-current", number === currentIndex);
      if (number === currentIndex) node.setAttribute("aria-current", "step"); else node.removeAttribute("aria-current");
    });
    progressLabel.textContent = currentIndex < 0 ? "" : `stop ${currentIndex + 1} of ${stops.length}`;
    backButton.disabled = currentIndex <= 0;
    nextButton.disabled = currentIndex >= stops.length - 1;
    list.children[currentIndex]?.scrollIntoView({ block: "nearest" });
    if (stops[currentIndex]) page.pin(firstFocus(stops[currentIndex]));
  };
  const goToStop = (index) => {
    selectStop(index);
    seekTo(stops[index].position);
    // On a phone, the memory is scrolled into view if the stop does not contain a focus, which would be scrolled into view itself.
    if (firstFocus(stops[index]) === "" && matchMedia("(max-width: 760px)").matches) document.querySelector(".right")?.scrollIntoView({ block: "start" });
  };
  list.append(...stops.map((stop, number) => tourStop(page, stop, number, () => goToStop(number))));
  backButton.onclick = () => goToStop(currentIndex - 1);
  nextButton.onclick = () => goToStop(currentIndex + 1);

  /** Shows the last stop that the run has reached. */
  const update = () => {
    if (page.text() !== source) { endTour(); return; }
    if (!isPlaybackReady()) return;
    const currentPosition = Math.min(currentStep(), length);
    selectStop(Math.max(stops.findLastIndex((stop) => stop.position <= currentPosition), 0));
  };
  const observer = new MutationObserver(update);
  observer.observe(document.querySelector("footer"), { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ["data-ready", "data-position"] });
  document.body.append(panel);
  document.documentElement.classList.add("with-tour");
  goToStop(0);
  nextButton.focus();
  return () => {
    observer.disconnect();
    panel.remove();
    document.documentElement.classList.remove("with-tour");
    page.pin("");
  };
}
