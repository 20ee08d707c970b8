// Guided tours: text beside the page that is synchronized with the steps. Provides the list of tours and the active tour, which opens its
// example, moves to stops, follows the run when the user steps, and points at lines and cells.
import { ask, example } from "./worker-client.js";
import { make, prose } from "./dom.js";
import { lazy } from "./lazy-thumbnails.js";
import { currentStep, goTo, isReady } from "./playback.js";

const titleOf = (text) => /^title: (.+)$/m.exec(text)?.[1] ?? "";
const exampleOf = (lessons, id) => lessons.chapters.flatMap(({ examples }) => examples).find((entry) => entry.id === id);

export function toursView({ lessons, tour }) {
  const cards = lessons.tours.map(([id, text]) => {
    const entry = exampleOf(lessons, id);
    const open = make("button", { type: "button", class: "learn-open", onclick: () => tour(id) }, titleOf(text));
    return make("li", { class: "learn-card" }, lazy(entry.file), make("h3", {}, open), make("p", {}, entry.title));
  });
  return [make("div", { class: "learn-body" },
    make("p", { class: "quiet" }, "A tour explains the execution of an example step by step. You can also step manually, and the tour follows the current step."),
    make("ul", { class: "learn-cards" }, ...cards))];
}

/** Waits until a condition on the page holds, for at most ten seconds. */
async function until(test) {
  for (let n = 0; n < 200; n += 1) {
    if (test()) return true;
    await new Promise((resolve) => { setTimeout(resolve, 50); });
  }
  return false;
}

let ending = null;

/** Ends the active tour. */
function end() {
  ending?.();
  ending = null;
}

/** Opens an example and waits until its run is ready. */
async function openExample(page, entry, text) {
  if (page.text() !== text) {
    if (location.hash === `#example=${entry.id}`) history.replaceState(null, "", "#");
    location.hash = `#example=${entry.id}`;
  }
  return (await until(() => page.text() === text)) && until(isReady);
}

export async function startTour(page, lessons, id) {
  end();
  const found = lessons.tours.find(([own]) => own === id);
  const entry = exampleOf(lessons, id);
  if (!found || !entry) { page.failed(`Unknown tour “${id}”`); return; }
  try {
    const source = await example(entry.file);
    const view = await ask("tour", found[1], source);
    if (!(await openExample(page, entry, source))) throw new Error("the example failed to run");
    history.replaceState(null, "", `#learn=tour:${id}`);
    ending = follow(page, view, source);
  } catch (error) {
    page.failed(`Failed to start the tour: ${error.message}`);
  }
}

/** Renders a stop: a heading that moves to the stop, and its text. */
function stopNode(page, { moment, position, prose: said }, number, go) {
  const pin = (words) => page.pin(words);
  const line = (of) => make("button", { type: "button", class: "learn-point", onclick: () => pin(`line ${of}`) }, `line ${of}`);
  const fact = ({ text, pin: words }) => (words
    ? make("button", { type: "button", class: "learn-point fact", title: "Show", onclick: () => pin(words) }, text)
    : make("code", { class: "fact" }, text));
  const heading = make("button", { type: "button", class: "learn-stop-name", onclick: go }, `${number + 1}. ${moment[0].toUpperCase()}${moment.slice(1)}`, make("small", {}, `step ${position}`));
  return make("li", {}, make("h3", {}, heading), make("div", { class: "learn-said" }, ...prose(said, { line, fact })));
}

/** Shows the tour beside the page and follows its steps. Returns the function that ends the tour. */
function follow(page, { title, intro, stops, length }, source) {
  let at = -1;
  const list = make("ol", { class: "learn-stops" });
  const back = make("button", { type: "button", class: "fix" }, "Back");
  const next = make("button", { type: "button", class: "fix main" }, "Next");
  const place = make("span", { class: "quiet", "aria-live": "polite" });
  const close = make("button", { type: "button", class: "icon", "aria-label": "End tour", title: "End tour", onclick: () => { end(); history.replaceState(null, "", "#"); } }, "✕");
  const pane = make("aside", { class: "learn-tour", "aria-label": `Tour: ${title}` },
    make("div", { class: "learn-tour-head" }, make("h2", {}, title), close),
    make("div", { class: "learn-tour-body", tabIndex: 0, role: "group", "aria-label": "Tour text" }, ...prose(intro), list),
    make("div", { class: "learn-tour-foot" }, back, next, place));

  /** Returns the first focus that a stop names. */
  const named = (stop) => stop.prose.flat().flatMap((piece) => (piece.fact?.pin ? [piece.fact.pin] : piece.line ? [`line ${piece.line}`] : []))[0] ?? "";
  const show = (index) => {
    if (index === at) return;
    at = index;
    [...list.children].forEach((node, number) => {
      node.toggleAttribute("data-here", number === at);
      if (number === at) node.setAttribute("aria-current", "step"); else node.removeAttribute("aria-current");
    });
    place.textContent = at < 0 ? "" : `stop ${at + 1} of ${stops.length}`;
    back.disabled = at <= 0;
    next.disabled = at >= stops.length - 1;
    list.children[at]?.scrollIntoView({ block: "nearest" });
    if (stops[at]) page.pin(named(stops[at]));
  };
  const go = (index) => {
    show(index);
    goTo(stops[index].position);
    // On a phone, the memory is scrolled into view if the stop names nothing that is scrolled into view itself.
    if (named(stops[index]) === "" && matchMedia("(max-width: 760px)").matches) document.querySelector(".right")?.scrollIntoView({ block: "start" });
  };
  list.append(...stops.map((stop, number) => stopNode(page, stop, number, () => go(number))));
  back.onclick = () => go(at - 1);
  next.onclick = () => go(at + 1);

  /** Shows the last stop that the run has reached. */
  const update = () => {
    if (page.text() !== source) { end(); return; }
    if (!isReady()) return;
    const here = Math.min(currentStep(), length);
    show(Math.max(stops.findLastIndex((stop) => stop.position <= here), 0));
  };
  const watcher = new MutationObserver(update);
  watcher.observe(document.querySelector("footer"), { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ["data-ready", "data-position"] });
  document.body.append(pane);
  document.documentElement.classList.add("with-tour");
  go(0);
  next.focus();
  return () => {
    watcher.disconnect();
    pane.remove();
    document.documentElement.classList.remove("with-tour");
    page.pin("");
  };
}
