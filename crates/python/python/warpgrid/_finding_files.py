"""Report files of a test run: JUnit XML, SARIF and HTML.

The functions take a list of `TestFindings` in the order of the tests, and return the contents of the file.
"""

import json
import os
from html import escape
from typing import NamedTuple
from urllib.parse import quote
from xml.sax.saxutils import escape as escape_xml
from xml.sax.saxutils import quoteattr

from ._native import VERSION
from ._report import lines_text, title_of

#: Levels of SARIF by the severity of a finding.
_LEVELS = {"error": "error", "warning": "warning"}


class TestFindings(NamedTuple):
    """Findings of the launches of a test."""

    #: Identifier of the test, such as ``test_kernels.py::test_add``.
    test: str
    #: Number of analyzed launches.
    n_launches: int
    #: Findings of all launches. Each finding has the field ``module``, which is the name of the module of its kernel.
    findings: list
    #: Whether the findings fail the test.
    is_failed: bool


def file_contents(format, tests, root):
    """Returns the contents of a report in the format ``junit``, ``sarif`` or ``html``. ``root`` is the directory of relative paths."""
    return {"junit": _junit, "sarif": _sarif, "html": _html}[format](tests, root)


def finding_text(finding):
    """Returns a finding in one line, and its details in indented lines."""
    text = f"{finding['module']}: {title_of(finding)}{lines_text(finding)}: {finding['message']}"
    return "\n".join([text, *(f"  {detail}" for detail in finding["details"])])


def _junit(tests, root):
    n_failed = sum(test.is_failed for test in tests)
    lines = ['<?xml version="1.0" encoding="utf-8"?>']
    lines.append(f'<testsuites><testsuite name="warpgrid" tests="{len(tests)}" failures="{n_failed}" errors="0" skipped="0">')
    for test in tests:
        file, _, name = test.test.partition("::")
        text = "\n".join(map(finding_text, test.findings))
        lines.append(f"<testcase classname={quoteattr(file)} name={quoteattr(name or file)}>")
        if test.is_failed:
            lines.append(f"<failure message={quoteattr(test.findings[0]['message'])}>{escape_xml(text)}</failure>")
        elif text:
            lines.append(f"<system-out>{escape_xml(text)}</system-out>")
        lines.append("</testcase>")
    lines.append("</testsuite></testsuites>\n")
    return "\n".join(lines)


def _uri(file, root):
    """Returns a URI reference, which is relative for a file in the directory ``root``."""
    path = os.path.relpath(file, root) if os.path.isabs(file) else file
    path = file if path.startswith(os.pardir) else path
    return quote(path.replace(os.sep, "/"))


def _positions(finding):
    """Returns the positions of a finding in the compiled language, and otherwise its position in the module."""
    return finding["source"] or [{"file": finding["module"], "line": line} for line in finding["lines"][:1]]


def _location(position, root):
    region = {"startLine": position["line"]}
    if position.get("column"):
        region["startColumn"] = position["column"]
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(position["file"], root)}, "region": region}}


def _sarif(tests, root):
    rules = {}
    results = {}
    for test in tests:
        for finding in test.findings:
            rule = finding["code"] or finding["kind"]
            rules[rule] = {"id": rule, "shortDescription": {"text": finding["kind"].replace("-", " ")}}
            locations = [_location(position, root) for position in _positions(finding)]
            result = {
                "ruleId": rule,
                "level": _LEVELS.get(finding["severity"], "note"),
                "message": {"text": "\n".join([finding["message"], *finding["details"]])},
                "locations": locations[:1],
                "relatedLocations": locations[1:],
            }
            # Parametrized tests report the same finding several times.
            key = json.dumps(result)
            results.setdefault(key, result | {"occurrenceCount": 0, "properties": {"tests": []}})
            results[key]["occurrenceCount"] += 1
            if test.test not in results[key]["properties"]["tests"]:
                results[key]["properties"]["tests"].append(test.test)
    driver = {"name": "warpgrid", "version": VERSION, "rules": [rules[rule] for rule in sorted(rules)]}
    document = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "utf16CodeUnits", "results": list(results.values())}],
    }
    return json.dumps(document, indent=2) + "\n"


def _html(tests, root):
    rows = []
    for test in tests:
        for finding in test.findings:
            positions = _positions(finding)
            place = f"{_uri(positions[0]['file'], root)}:{positions[0]['line']}" if positions else finding["module"]
            details = "".join(f"<br>{escape(detail)}" for detail in finding["details"])
            cells = (test.test, title_of(finding), place)
            row = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
            rows.append(f"<tr>{row}<td>{escape(finding['message'])}{details}</td></tr>")
    n_launches = sum(test.n_launches for test in tests)
    n_failed = sum(test.is_failed for test in tests)
    summary = f"Analyzed {n_launches} launches of {len(tests)} tests; findings fail {n_failed} tests."
    head = "".join(f"<th>{title}</th>" for title in ("Test", "Finding", "Source", "Message"))
    style = "body { font-family: sans-serif } td, th { text-align: left; vertical-align: top; padding: 0.2em 0.6em }"
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Warpgrid findings</title><style>{style}</style></head>\n'
        f"<body><h1>Warpgrid findings</h1><p>{summary}</p>\n<table><thead><tr>{head}</tr></thead><tbody>\n" + "\n".join(rows) + "\n</tbody></table></body></html>\n"
    )
