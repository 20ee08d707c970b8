// The puzzles: their list by chapter, and the open puzzle. The worker checks an answer by executing it, and solved puzzles are saved in the
// browser.
import { sendRequest, thumbnail } from "./worker-client.js";
import { diagramContainer, renderDiagram, createElement, renderParagraphs, renderInlineCode } from "../dom.js";
import { copyLinkButton } from "./copy-link.js";
import { headerField } from "./lesson-header.js";
import * as progress from "./progress.js";

const progressState = progress.load();

/** Renders the list of puzzles by chapter. */
function puzzleList({ lessons: { puzzles } }, open) {
  const list = createElement("nav", { class: "learn-contents puzzles", "aria-label": "Puzzles" });
  let chapter = "";
  for (const [name, text] of puzzles) {
    if (headerField(text, "chapter") !== chapter) {
      chapter = headerField(text, "chapter");
      list.append(createElement("h3", {}, chapter));
    }
    const button = createElement("button", { type: "button", onclick: () => open(name) }, createElement("span", {}, headerField(text, "title")), createElement("small"));
    button.dataset.name = name;
    list.append(button);
  }
  return list;
}

/** Scrolls the list to a puzzle, without scrolling outer containers. */
function scrollIntoList(button) {
  const side = button.closest(".learn-side");
  if (!side) return;
  const [buttonBox, listBox] = [button.getBoundingClientRect(), side.getBoundingClientRect()];
  if (buttonBox.top < listBox.top || buttonBox.bottom > listBox.bottom) side.scrollTop += buttonBox.top - listBox.top - listBox.height / 2;
}

/** Marks the solved puzzles and the open puzzle in the list. */
function updateMarks(list, name) {
  for (const button of list.querySelectorAll("button")) {
    const isSolved = progressState.solved.has(button.dataset.name);
    button.lastChild.textContent = isSolved ? "solved" : "";
    if (button.dataset.name === name) { button.setAttribute("aria-current", "true"); scrollIntoList(button); }
    else button.removeAttribute("aria-current");
  }
}

/** Renders the lines of a text with line numbers. */
function numberedLines(text, first) {
  const lines = text.replace(/\n$/, "").split("\n");
  return createElement("ol", { class: "learn-lines", start: first, style: `counter-reset: line ${first - 1}` }, ...lines.map((line) => createElement("li", {}, line || " ")));
}

const countLines = (text) => (text === "" ? 0 : text.replace(/\n$/, "").split("\n").length);

/** Returns an example of the answer format, which does not reveal the answer. */
function answerPlaceholder(query) {
  const [, from, to] = /(\d+)\.\.(\d+)/.exec(query) ?? [];
  if (query === "lanes") return "e.g. 0-3, 9";
  return to ? `${to - from} values` : "a number";
}

/** Returns the input field for an answer, with functions that access its value. */
function answerInput(view, saved, onSubmit) {
  if (view.ask === null) {
    const area = createElement("textarea", { class: "learn-code-input", spellcheck: false, autocapitalize: "off", rows: Math.max(4, countLines(saved ?? view.given) + 1), value: saved ?? view.given, "aria-label": "Your code" });
    area.onkeydown = (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); onSubmit(); } };
    return { node: area, value: () => area.value, set: (text) => { area.value = text; } };
  }
  if (view.choices.length > 0) {
    const choices = view.choices.map((choice) => createElement("label", {}, createElement("input", { type: "radio", name: "learn-choice", value: choice, checked: choice === (saved === "ends" ? "completes" : saved) }), choice));
    const group = createElement("fieldset", { class: "learn-choices" }, createElement("legend", {}, "Outcome of the launch"), ...choices);
    const inputs = () => [...group.querySelectorAll("input")];
    return { node: group, value: () => inputs().find((input) => input.checked)?.value ?? "", set: (text) => { for (const input of inputs()) input.checked = input.value === text; } };
  }
  const input = createElement("input", { type: "text", class: "learn-answer", spellcheck: false, autocomplete: "off", value: saved ?? "", placeholder: answerPlaceholder(view.ask), "aria-label": `${view.ask} ${view.moment}` });
  input.onkeydown = (event) => { if (event.key === "Enter") { event.preventDefault(); onSubmit(); } };
  return { node: createElement("label", { class: "learn-query" }, createElement("span", {}, createElement("code", {}, view.ask), ` ${view.moment} `), input), value: () => input.value, set: (text) => { input.value = text; } };
}

/** Renders a button that shows the hints one by one, followed by the solution. */
function hintControls(view, showSolution) {
  const list = createElement("ul", { class: "learn-hints", "aria-live": "polite" });
  const button = createElement("button", { type: "button", class: "action-button" });
  let n = 0;
  const updateLabel = () => { button.textContent = n < view.hints.length ? `Hint ${n + 1} of ${view.hints.length}` : "Show solution"; };
  button.onclick = () => {
    if (n < view.hints.length) list.append(createElement("li", {}, ...renderParagraphs([view.hints[n]])));
    else showSolution();
    n += 1;
    updateLabel();
    button.hidden = n > view.hints.length;
  };
  updateLabel();
  return { list, button };
}

/** Renders the puzzle that is open. */
async function renderPuzzle(context, [name, text], openPuzzle) {
  const { page, close, lessons: { puzzles } } = context;
  const view = await sendRequest("puzzle", text);
  const verdict = createElement("p", { class: "learn-verdict", role: "status" });
  const ownDiagram = diagramContainer("Memory contents after your code");
  ownDiagram.hidden = true;
  const puzzleIndex = puzzles.findIndex(([other]) => other === name);
  const nextName = puzzles[puzzleIndex + 1]?.[0];
  const nextButton = createElement("button", { type: "button", class: "action-button", hidden: !progressState.solved.has(name), onclick: () => openPuzzle(nextName) }, "Next puzzle");
  if (!nextName) nextButton.hidden = true;
  const check = async () => {
    verdict.textContent = "Running…";
    verdict.className = "learn-verdict";
    try {
      const answerText = answer.value();
      const result = await sendRequest("check", text, answerText);
      verdict.replaceChildren(...renderInlineCode(result.sentence[0].toUpperCase() + result.sentence.slice(1) + (/[.!]$/.test(result.sentence) ? "" : ".")));
      verdict.classList.add(result.passed ? "correct" : "incorrect");
      progressState.answers.set(name, answerText);
      if (result.passed) progressState.solved.add(name);
      if (!progress.save(progressState)) verdict.append(" This browser cannot save your progress. Export your progress to a file.");
      context.refresh(name);
      nextButton.hidden = !nextName || !progressState.solved.has(name);
      if (view.ask === null) { ownDiagram.hidden = false; ownDiagram.classList.remove("none"); ownDiagram.replaceChildren(); renderDiagram(ownDiagram, thumbnail(result.source)); }
    } catch (error) {
      verdict.textContent = `Check failed: ${error.message}.`;
    }
  };
  const answer = answerInput(view, progressState.answers.get(name), () => void check());
  const hints = hintControls(view, () => { answer.set(view.answer); });
  const openInEditor = () => {
    const source = view.ask === null ? view.before + answer.value().replace(/\n?$/, "\n") + view.after : view.before;
    close();
    page.setText(source);
    if (view.ask !== null || answer.value() === view.given) page.setReference(source, `#learn=puzzle:${name}`);
  };
  const first = countLines(view.before) + 1;
  const linesAfter = () => numberedLines(view.after, first + Math.max(countLines(answer.value()), 1));
  const code = createElement("div", { class: view.ask === null ? "learn-code" : "learn-code expanded", tabIndex: 0, role: "group", "aria-label": "Kernel" }, numberedLines(view.before, 1));
  if (view.ask === null) {
    let trailingLines = linesAfter();
    code.append(answer.node, trailingLines);
    answer.node.addEventListener("input", () => { const updatedLines = linesAfter(); trailingLines.replaceWith(updatedLines); trailingLines = updatedLines; });
  }
  const expectedDiagram = diagramContainer("Expected memory contents");
  if (view.ask === null) renderDiagram(expectedDiagram, thumbnail(view.solution));
  const limits = view.limits.length > 0 ? createElement("p", { class: "muted" }, `Allowed: ${view.limits.join(", ")}.`) : null;
  return [
    createElement("h3", { tabIndex: -1 }, view.title, createElement("small", {}, view.chapter)),
    createElement("div", { class: "learn-prose" }, ...renderParagraphs(view.prose), limits),
    code,
    view.ask === null ? null : answer.node,
    createElement("div", { class: "learn-actions" },
      createElement("button", { type: "button", class: "action-button main", onclick: () => void check() }, view.ask === null ? "Run and check" : "Check"),
      hints.button, nextButton, createElement("button", { type: "button", class: "action-button", onclick: openInEditor }, "Open in editor"), copyLinkButton(`#learn=puzzle:${name}`)),
    verdict,
    hints.list,
    view.ask === null ? createElement("div", { class: "learn-diagrams" },
      createElement("figure", {}, expectedDiagram, createElement("figcaption", {}, "Expected result")),
      createElement("figure", {}, ownDiagram, createElement("figcaption", {}, "Your result"))) : null,
  ].filter(Boolean);
}

/** Renders the buttons that export and import the progress. */
function progressControls(status, refresh) {
  const exportProgress = () => {
    const url = URL.createObjectURL(new Blob([progress.serialize(progressState)], { type: "application/json" }));
    createElement("a", { href: url, download: "warpgrid-progress.json" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  };
  const fileInput = createElement("input", { type: "file", hidden: true, accept: ".json,application/json", "aria-label": "Progress file" });
  fileInput.onchange = async () => {
    try {
      const [file] = fileInput.files;
      if (!file) return;
      if (file.size > 2e6) throw new Error("the file exceeds 2 MB");
      progress.merge(progressState, progress.parse(await file.text()));
      progress.save(progressState);
      refresh();
    } catch (error) {
      status.textContent = `Cannot import progress: ${error.message}.`;
    }
    fileInput.value = "";
  };
  return createElement("div", { class: "learn-files" },
    createElement("button", { type: "button", class: "action-button", onclick: exportProgress }, "Export progress"),
    createElement("button", { type: "button", class: "action-button", onclick: () => fileInput.click() }, "Import progress"), fileInput);
}

export function puzzlesView(context) {
  const { lessons: { puzzles }, item, setFragment } = context;
  const body = createElement("div", { class: "learn-body puzzle" });
  const count = createElement("p", { class: "muted", role: "status" });
  let currentName = "";
  const refresh = (name = currentName) => {
    const n = puzzles.filter(([puzzleName]) => progressState.solved.has(puzzleName)).length;
    count.textContent = `${n} of ${puzzles.length} solved`;
    updateMarks(list, name);
  };
  const openPuzzle = async (name, isRequested = true) => {
    const puzzle = puzzles.find(([puzzleName]) => puzzleName === name);
    if (!puzzle) { body.replaceChildren(createElement("p", {}, `Unknown puzzle “${name}”.`)); return; }
    currentName = name;
    refresh();
    if (isRequested) setFragment(`puzzle:${name}`);
    try {
      const nodes = await renderPuzzle({ ...context, refresh }, puzzle, openPuzzle);
      if (currentName !== name) return;
      body.replaceChildren(...nodes);
      // The code of a long kernel is scrolled to the gap.
      const [code, codeInput] = [body.querySelector(".learn-code"), body.querySelector(".learn-code-input")];
      if (codeInput) code.scrollTop = codeInput.offsetTop + codeInput.offsetHeight / 2 - code.clientHeight / 2;
      body.closest("[role=tabpanel]")?.scrollTo(0, 0);
      if (isRequested) nodes[0].focus();
    } catch (error) {
      body.replaceChildren(createElement("p", { class: "bad" }, `Failed to load the puzzle: ${error.message}.`));
    }
  };
  const list = puzzleList(context, (name) => void openPuzzle(name));
  const all = createElement("details", { open: !matchMedia("(max-width: 760px)").matches }, createElement("summary", {}, "All puzzles"), list);
  const side = createElement("div", { class: "learn-side" }, count, progressControls(count, refresh), all);
  body.append(createElement("p", { class: "placeholder" }, "Loading…"));
  const first = item ?? puzzles.find(([name]) => !progressState.solved.has(name))?.[0] ?? puzzles[0][0];
  void openPuzzle(first, item !== undefined);
  requestAnimationFrame(() => updateMarks(list, currentName));
  return [side, body];
}
