#!/usr/bin/env node
// For documentation tools in other languages: lines of JSON `{"text": "...", "attributes": {...}}` come in, lines `{"html": "..."}` go out,
// in order.
import { createInterface } from "node:readline";
import { embed } from "../record.js";

for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === "") continue;
  const { text, attributes } = JSON.parse(line);
  process.stdout.write(`${JSON.stringify({ html: await embed(text, attributes) })}\n`);
}
