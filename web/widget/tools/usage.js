// Options of the tools that read their input from standard input.

/** Prints the usage and exits if the command line contains an argument. The exit status is 0 for `--help`, and 2 for any other argument. */
export function exitOnArguments(usage) {
  const [argument] = process.argv.slice(2);
  if (argument === undefined) return;
  const isHelp = ["--help", "-h"].includes(argument);
  (isHelp ? process.stdout : process.stderr).write(`usage: ${usage}\n`);
  process.exit(isHelp ? 0 : 2);
}
