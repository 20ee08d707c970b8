// The attributes of the element: what a page states goes in; a sentence for each that means nothing comes out. The list is the one that
// `warpgrid check` reads documents with.
import ATTRIBUTES from "../../crates/cli/src/document/attributes.json";

export { ATTRIBUTES };

const KINDS = {
  position: [/^(end|\d+)$/, "a step number or `end`"],
  count: [/^0*[1-9]\d*$/, "a positive integer"],
  length: [/^(\d*\.?\d+([a-z]+|%)?|.*\))$/i, "a CSS length or a number of pixels"],
};

/** A sentence for each value of an attribute of ours that is none of those it may have; `all`: for each unknown name, too. */
export function mistakes(attributes, all = false) {
  return Object.entries(attributes).flatMap(([name, value]) => {
    const kind = ATTRIBUTES[name];
    if (!kind) return all ? [`unknown attribute \`${name}\``] : [];
    const words = name === "controls" ? `${value}`.split(/[\s,]+/).filter(Boolean) : [`${value}`];
    if (typeof kind === "number" && !(/^\d+$/.test(value) && value >= 1 && value <= kind)) return [`found \`${name}=${value}\`, expected an integer from 1 to ${kind}`];
    const [form, expected] = KINDS[kind] ?? [null, null];
    if (Array.isArray(kind) && !words.every((word) => kind.includes(word))) return [`found \`${name}=${value}\`, expected one of \`${kind.join("`, `")}\``];
    return form && !form.test(value) ? [`found \`${name}=${value}\`, expected ${expected}`] : [];
  });
}
