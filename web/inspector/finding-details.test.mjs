// Lines that a fix changes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { diffOfFix } from "./finding-details.js";

const source = "first\nsecond\nthird\n";

test("inserted line precedes the line of its position", () => {
  assert.deepEqual(diffOfFix(source, [[[2, 1, 2, 1], "bar.sync 0;\n"]]), [{ sign: "+", line: 2, text: "bar.sync 0;" }]);
});

test("replaced part of a line shows the whole line before and after", () => {
  assert.deepEqual(diffOfFix(source, [[[2, 1, 2, 4], "SEC"]]), [{ sign: "−", line: 2, text: "second" }, { sign: "+", line: 2, text: "SECond" }]);
});

test("removed line has no replacement", () => {
  assert.deepEqual(diffOfFix(source, [[[2, 1, 3, 1], ""]]), [{ sign: "−", line: 2, text: "second" }]);
});

test("cleared line has no replacement", () => {
  assert.deepEqual(diffOfFix(source, [[[2, 1, 2, 7], ""]]), [{ sign: "−", line: 2, text: "second" }]);
});

test("edit beyond the end of the source inserts a line", () => {
  assert.deepEqual(diffOfFix("first", [[[2, 1, 2, 1], "ret;"]]), [{ sign: "+", line: 2, text: "ret;" }]);
});

test("each edit of a fix has its own lines", () => {
  assert.deepEqual(diffOfFix(source, [[[1, 1, 1, 6], "1st"], [[3, 1, 3, 1], "x"]]).map(({ sign, line }) => `${sign}${line}`), ["−1", "+1", "−3", "+3"]);
});
