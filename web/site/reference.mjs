// Creates the reference from the tables of the emulator: a page per instruction mnemonic, a page for all diagnostics, and the list of these
// pages.
import { escape, renderInlineCode } from "./page-template.mjs";

/** Returns a syntax line with line break opportunities before each modifier and operand. */
const syntax = (text) => escape(text).replace(/(?<!\{)(?=\.)|(?=\{)/g, "<wbr>");

const listSection = (title, items, renderItem) => (items.length > 0 ? `<h3>${title}</h3>\n<ul>\n${items.map((item) => `<li>${renderItem(item)}</li>`).join("\n")}\n</ul>\n` : "");

function operandTable(operands) {
  const row = ({ name, help, required }) => `<tr><th scope="row"><code>${escape(name)}</code></th><td>${renderInlineCode(help)}${required ? "" : " <small>optional</small>"}</td></tr>`;
  return operands.length > 0 ? `<h3>Operands</h3>\n<table><tbody>\n${operands.map(row).join("\n")}\n</tbody></table>\n` : "";
}

function slotTable({ name, title, required, values }) {
  const row = ({ text, help, needs, origin }) => `<tr><th scope="row"><code>.${escape(text)}</code></th><td>${renderInlineCode(help)}${needs ? ` <small>${renderInlineCode(needs)}</small>` : ""}</td><td class="origin">${renderInlineCode(origin)}</td></tr>`;
  return `<h3><code>.${escape(name)}</code> ${escape(title)}${required ? "" : " <small>optional</small>"}</h3>\n<table><tbody>\n${values.map(row).join("\n")}\n</tbody></table>\n`;
}

function formSection(form, index, widget) {
  const slots = form.slots.filter(({ values }) => values.length > 0);
  return `<section id="form-${index + 1}">
<h2><code>${escape(form.title)}</code></h2>
<p>${renderInlineCode(form.help)}</p>
<pre class="syntax">${syntax(form.syntax)}</pre>
${form.needs ? `<p class="muted">${renderInlineCode(form.needs)}</p>\n` : ""}${widget}${operandTable(form.operands)}${slots.map(slotTable).join("")}${listSection("Rules", form.rules, renderInlineCode)}${form.examples.length > 0 ? `<h3>Examples</h3>\n<pre>${escape(form.examples.join("\n"))}</pre>\n` : ""}${form.section ? `<p class="muted">PTX ISA manual: ${escape(form.section)}</p>\n` : ""}</section>
`;
}

/** Returns the first example of a form that stores to memory as a live widget, or "" if there is no such example. */
async function liveExample({ examples }, { recorder }) {
  for (const text of examples) {
    const source = `${text.replace(/;?\s*$/, "")};`;
    const recording = await recorder.record(source);
    if (recording.accept && recording.steps.some(([, , , changes]) => changes.length > 0)) return `${recorder.elementHtml(recording, { view: "split", playground: "../../index.html" })}\n`;
  }
  return "";
}

const groupBy = (items, key) => items.reduce((groups, item) => groups.set(key(item), [...(groups.get(key(item)) ?? []), item]), new Map());

export async function referencePages(context) {
  const { warpgrid } = context;
  const families = groupBy(warpgrid.forms(), ({ opcode }) => opcode.split(".")[0]);
  const pages = [];
  for (const [name, forms] of families) {
    let hasWidgets = false;
    const sections = [];
    for (const [index, form] of forms.entries()) {
      // Each page contains one live example, which belongs to the first form that stores to memory.
      const widget = hasWidgets ? "" : await liveExample(form, context);
      hasWidgets ||= widget !== "";
      sections.push(formSection(form, index, widget));
    }
    const formList = forms.length > 1 ? `<ul class="contents">\n${forms.map(({ title, help }, index) => `<li><a href="#form-${index + 1}"><code>${escape(title)}</code></a> ${renderInlineCode(help)}</li>`).join("\n")}\n</ul>\n` : "";
    pages.push({
      path: `docs/reference/${name}.html`, navigationEntry: "docs/reference.html", hasWidgets,
      title: `PTX ${name}`, about: `${forms[0].help.replaceAll("`", "")} Syntax, modifiers, PTX versions, targets, rules and examples of PTX ${name}.`, body: `<h1>PTX <code>${escape(name)}</code></h1>\n${formList}${sections.join("")}`,
    });
  }
  const codes = warpgrid.codes();
  const entry = ({ code, title, explanation, wrong, right }) => `<section id="${code}">
<h2><a href="#${code}"><code>${code}</code></a> ${renderInlineCode(title)}</h2>
<p>${renderInlineCode(explanation)}</p>
${wrong ? `<h3>Incorrect</h3>\n<pre>${escape(wrong)}</pre>\n` : ""}${right ? `<h3>Correct</h3>\n<pre>${escape(right)}</pre>\n` : ""}</section>
`;
  const names = [...families.keys()].sort();
  return [
    ...pages,
    {
      path: "docs/reference/diagnostics.html", navigationEntry: "docs/reference.html", title: "Diagnostics", about: "Explanations of all errors and warnings, with incorrect and correct source.",
      body: `<h1>Diagnostics</h1>\n${codes.map(entry).join("")}`,
    },
    {
      path: "docs/reference.html", title: "Reference", about: "All PTX instruction forms with their modifiers, PTX versions, targets and rules, and all diagnostics.",
      body: `<h1>Reference</h1>
<p class="about">This reference is generated from the tables of the checker. It contains every instruction with its modifiers, required PTX versions and targets, and rules.</p>
<p><a href="reference/diagnostics.html">All ${codes.length} diagnostics</a></p>
<ul class="names">
${names.map((name) => `<li><a href="reference/${name}.html"><code>${escape(name)}</code></a></li>`).join("\n")}
</ul>
`,
    },
  ];
}
