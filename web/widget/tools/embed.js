#!/usr/bin/env node
// For documentation tools in other languages: lines of JSON `{"text": "...", "attributes": {...}}` come in, lines `{"html": "...", "problems": [...]}` go
// out, in order, one as soon as its text has come. A problem has `line` (of the text, from 1; 0 is the line before it), `code`, `severity` and `message`.
import { createInterface } from "node:readline";
import { embedding } from "../record.js";

for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === "") continue;
  const { text, attributes } = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(await embedding(text, attributes))}\n`);
}
