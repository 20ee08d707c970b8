// The puzzles: their list by chapter, and the open one. The worker checks an answer by running it; solved puzzles are saved in the browser.
import { ask, picture } from "./worker-client.js";
import { drawn, fill, make, prose, words } from "./dom.js";
import * as progress from "./progress.js";

const field = (text, name) => new RegExp(`^${name}: (.+)$`, "m").exec(text)?.[1] ?? "";

const kept = progress.load();

/** Renders the list by chapter. */
function contents({ lessons: { puzzles } }, open) {
  const list = make("nav", { class: "learn-contents puzzles", "aria-label": "Puzzles" });
  let chapter = "";
  for (const [name, text] of puzzles) {
    if (field(text, "chapter") !== chapter) {
      chapter = field(text, "chapter");
      list.append(make("h3", {}, chapter));
    }
    const button = make("button", { type: "button", onclick: () => open(name) }, make("span", {}, field(text, "title")), make("small"));
    button.dataset.name = name;
    list.append(button);
  }
  return list;
}

/** Scrolls the list to a puzzle. Outer containers do not scroll. */
function bringIntoSight(button) {
  const side = button.closest(".learn-side");
  if (!side) return;
  const [own, around] = [button.getBoundingClientRect(), side.getBoundingClientRect()];
  if (own.top < around.top || own.bottom > around.bottom) side.scrollTop += own.top - around.top - around.height / 2;
}

/** Marks the solved puzzles and the open one. */
function mark(list, name) {
  for (const button of list.querySelectorAll("button")) {
    const isSolved = kept.solved.has(button.dataset.name);
    button.lastChild.textContent = isSolved ? "solved" : "";
    if (button.dataset.name === name) { button.setAttribute("aria-current", "true"); bringIntoSight(button); }
    else button.removeAttribute("aria-current");
  }
}

/** Renders numbered lines. */
function listing(text, first) {
  const lines = text.replace(/\n$/, "").split("\n");
  return make("ol", { class: "learn-lines", start: first, style: `counter-reset: line ${first - 1}` }, ...lines.map((line) => make("li", {}, line || " ")));
}

const countLines = (text) => (text === "" ? 0 : text.replace(/\n$/, "").split("\n").length);

/** Returns an example of the answer format, which the question does not contain. */
function exampleOf(question) {
  const [, from, to] = /(\d+)\.\.(\d+)/.exec(question) ?? [];
  if (question === "lanes") return "e.g. 0-3, 9";
  return to ? `${to - from} values` : "a number";
}

/** Returns the input of an answer with its accessors. */
function answerOf(view, saved, check) {
  if (view.ask === null) {
    const area = make("textarea", { class: "learn-gap", spellcheck: false, autocapitalize: "off", rows: Math.max(4, countLines(saved ?? view.given) + 1), value: saved ?? view.given, "aria-label": "Your code" });
    area.onkeydown = (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); check(); } };
    return { node: area, value: () => area.value, set: (text) => { area.value = text; } };
  }
  if (view.choices.length > 0) {
    const choices = view.choices.map((choice) => make("label", {}, make("input", { type: "radio", name: "learn-choice", value: choice, checked: choice === (saved === "ends" ? "completes" : saved) }), choice));
    const group = make("fieldset", { class: "learn-choices" }, make("legend", {}, "Outcome of the launch"), ...choices);
    const inputs = () => [...group.querySelectorAll("input")];
    return { node: group, value: () => inputs().find((input) => input.checked)?.value ?? "", set: (text) => { for (const input of inputs()) input.checked = input.value === text; } };
  }
  const input = make("input", { type: "text", class: "learn-answer", spellcheck: false, autocomplete: "off", value: saved ?? "", placeholder: exampleOf(view.ask), "aria-label": `${view.ask} ${view.moment}` });
  input.onkeydown = (event) => { if (event.key === "Enter") { event.preventDefault(); check(); } };
  return { node: make("label", { class: "learn-ask" }, make("span", {}, make("code", {}, view.ask), ` ${view.moment} `), input), value: () => input.value, set: (text) => { input.value = text; } };
}

/** Renders the hints one by one, followed by the solution. */
function hintsOf(view, show) {
  const list = make("ul", { class: "learn-hints", "aria-live": "polite" });
  const button = make("button", { type: "button", class: "fix" });
  let n = 0;
  const name = () => { button.textContent = n < view.hints.length ? `Hint ${n + 1} of ${view.hints.length}` : "Show solution"; };
  button.onclick = () => {
    if (n < view.hints.length) list.append(make("li", {}, ...prose([view.hints[n]])));
    else show();
    n += 1;
    name();
    button.hidden = n > view.hints.length;
  };
  name();
  return { list, button };
}

/** Renders the open puzzle. */
async function puzzleNodes(context, [name, text], go) {
  const { page, close, lessons: { puzzles } } = context;
  const view = await ask("puzzle", text);
  const verdict = make("p", { class: "learn-verdict", role: "status" });
  const own = drawn("Memory contents after your code");
  own.hidden = true;
  const at = puzzles.findIndex(([other]) => other === name);
  const following = puzzles[at + 1]?.[0];
  const next = make("button", { type: "button", class: "fix", hidden: !kept.solved.has(name), onclick: () => go(following) }, "Next puzzle");
  if (!following) next.hidden = true;
  const check = async () => {
    verdict.textContent = "Running…";
    verdict.className = "learn-verdict";
    try {
      const given = answer.value();
      const found = await ask("check", text, given);
      verdict.replaceChildren(...words(found.sentence[0].toUpperCase() + found.sentence.slice(1) + (/[.!]$/.test(found.sentence) ? "" : ".")));
      verdict.classList.add(found.passed ? "right" : "wrong");
      kept.answers.set(name, given);
      if (found.passed) kept.solved.add(name);
      if (!progress.keep(kept)) verdict.append(" This browser cannot save your progress. Export your progress to a file.");
      context.refresh(name);
      next.hidden = !following || !kept.solved.has(name);
      if (view.ask === null) { own.hidden = false; own.classList.remove("none"); own.replaceChildren(); fill(own, picture(found.source)); }
    } catch (error) {
      verdict.textContent = `Check failed: ${error.message}.`;
    }
  };
  const answer = answerOf(view, kept.answers.get(name), () => void check());
  const hints = hintsOf(view, () => { answer.set(view.answer); });
  const show = () => {
    const source = view.ask === null ? view.before + answer.value().replace(/\n?$/, "\n") + view.after : view.before;
    close();
    page.setText(source);
  };
  const first = countLines(view.before) + 1;
  const after = () => listing(view.after, first + Math.max(countLines(answer.value()), 1));
  const code = make("div", { class: view.ask === null ? "learn-code" : "learn-code whole", tabIndex: 0, role: "group", "aria-label": "Kernel" }, listing(view.before, 1));
  if (view.ask === null) {
    let rest = after();
    code.append(answer.node, rest);
    answer.node.addEventListener("input", () => { const now = after(); rest.replaceWith(now); rest = now; });
  }
  const wanted = drawn("Expected memory contents");
  if (view.ask === null) fill(wanted, picture(view.solution));
  const limits = view.limits.length > 0 ? make("p", { class: "quiet" }, `Allowed: ${view.limits.join(", ")}.`) : null;
  return [
    make("h3", { tabIndex: -1 }, view.title, make("small", {}, view.chapter)),
    make("div", { class: "learn-prose" }, ...prose(view.prose), limits),
    code,
    view.ask === null ? null : answer.node,
    make("div", { class: "learn-actions" },
      make("button", { type: "button", class: "fix main", onclick: () => void check() }, view.ask === null ? "Run and check" : "Check"),
      hints.button, next, make("button", { type: "button", class: "fix", onclick: show }, "Open in editor")),
    verdict,
    hints.list,
    view.ask === null ? make("div", { class: "learn-pictures" },
      make("figure", {}, wanted, make("figcaption", {}, "Expected result")),
      make("figure", {}, own, make("figcaption", {}, "Your result"))) : null,
  ].filter(Boolean);
}

/** Renders the buttons that export and import the progress. */
function files(said, refresh) {
  const save = () => {
    const address = URL.createObjectURL(new Blob([progress.write(kept)], { type: "application/json" }));
    make("a", { href: address, download: "warpgrid-progress.json" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  };
  const chosen = make("input", { type: "file", hidden: true, accept: ".json,application/json", "aria-label": "Progress file" });
  chosen.onchange = async () => {
    try {
      const [file] = chosen.files;
      if (!file) return;
      if (file.size > 2e6) throw new Error("the file exceeds 2 MB");
      progress.merge(kept, progress.read(await file.text()));
      progress.keep(kept);
      refresh();
    } catch (error) {
      said.textContent = `Cannot import progress: ${error.message}.`;
    }
    chosen.value = "";
  };
  return make("div", { class: "learn-files" },
    make("button", { type: "button", class: "fix", onclick: save }, "Export progress"),
    make("button", { type: "button", class: "fix", onclick: () => chosen.click() }, "Import progress"), chosen);
}

export function puzzlesView(context) {
  const { lessons: { puzzles }, item, said: address } = context;
  const body = make("div", { class: "learn-body puzzle" });
  const count = make("p", { class: "quiet", role: "status" });
  let present = "";
  const refresh = (name = present) => {
    const n = puzzles.filter(([own]) => kept.solved.has(own)).length;
    count.textContent = `${n} of ${puzzles.length} solved`;
    mark(list, name);
  };
  const go = async (name, isAsked = true) => {
    const found = puzzles.find(([own]) => own === name);
    if (!found) { body.replaceChildren(make("p", {}, `Unknown puzzle “${name}”.`)); return; }
    present = name;
    refresh();
    if (isAsked) address(`puzzle:${name}`);
    try {
      const nodes = await puzzleNodes({ ...context, refresh }, found, go);
      if (present !== name) return;
      body.replaceChildren(...nodes);
      // A long kernel is scrolled to the gap.
      const [code, gap] = [body.querySelector(".learn-code"), body.querySelector(".learn-gap")];
      if (gap) code.scrollTop = gap.offsetTop + gap.offsetHeight / 2 - code.clientHeight / 2;
      body.closest("[role=tabpanel]")?.scrollTo(0, 0);
      if (isAsked) nodes[0].focus();
    } catch (error) {
      body.replaceChildren(make("p", { class: "bad" }, `Failed to load the puzzle: ${error.message}.`));
    }
  };
  const list = contents(context, (name) => void go(name));
  const all = make("details", { open: !matchMedia("(max-width: 760px)").matches }, make("summary", {}, "All puzzles"), list);
  const side = make("div", { class: "learn-side" }, count, files(count, refresh), all);
  body.append(make("p", { class: "placeholder" }, "Loading…"));
  const first = item ?? puzzles.find(([name]) => !kept.solved.has(name))?.[0] ?? puzzles[0][0];
  void go(first, item !== undefined);
  requestAnimationFrame(() => mark(list, present));
  return [side, body];
}
