// Source files of compiled kernels: the text of a file as a `//@ source` annotation of the kernel that a compiler generated from it.

/** Returns the last component of a path. */
export const baseName = (path) => path.split(/[\\/]/).pop();

/** Checks whether a kernel contains the text of a source file. The source view of such a kernel opens without a request. */
export const hasSourceFile = (kernel) => /^\s*(?:\/\/|#)@ ?source \S/m.test(kernel);

/** Adds the text of a source file to a kernel. */
export function withSourceFile(kernel, name, text) {
  const lines = text.replace(/\r\n?/g, "\n").replace(/\n$/, "").split("\n");
  // An empty line ends the file, because compilers start a kernel with comments.
  return `//@ source ${baseName(name)}\n${lines.map((line) => `// ${line}`.trimEnd()).join("\n")}\n\n${kernel}`;
}
