// The attributes of the element: returns an error message for each invalid attribute. `warpgrid check` uses the same list for documents.
import ATTRIBUTES from "../../crates/cli/src/document/attributes.json";

export { ATTRIBUTES };

const KINDS = {
  position: [/^(end|\d+)$/, "a step number or `end`"],
  count: [/^0*[1-9]\d*$/, "a positive integer"],
  length: [/^(\d*\.?\d+([a-z]+|%)?|.*\))$/i, "a CSS length or a number of pixels"],
};

/** Returns an error message for each invalid value of a known attribute and, if `all` is set, for each unknown name. */
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
