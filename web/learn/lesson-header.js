// Header of a tour or a puzzle, which is a Markdown file with lines of the form `title: …` at its start.

/** Returns the first field of this name, or an empty string. */
export const headerField = (text, name) => new RegExp(`^${name}: (.+)$`, "m").exec(text)?.[1] ?? "";
