#!/usr/bin/env node
// For documentation tools in other languages: reads lines of JSON `{"text": "...", "attributes": {...}}` and writes lines `{"html": "...",
// "problems": [...]}` in the same order, each as soon as its input has been read. A problem has `line` (of the text, starting at 1; 0 is
// the line before it), `code`, `severity` and `message`.
import { createInterface } from "node:readline";
import { embedding } from "../record.js";
import { exitOnArguments } from "./usage.js";

exitOnArguments('warpgrid-embed < REQUESTS\nReads lines of JSON {"text": …, "attributes": …}, and writes lines of JSON {"html": …, "problems": […]}.');
for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === "") continue;
  const { text, attributes } = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(await embedding(text, attributes))}\n`);
}
