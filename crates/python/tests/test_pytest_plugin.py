"""Plugin of pytest."""

import importlib.metadata
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import kernels

TESTS = f"""
import pytest
import warpgrid as wg

COPY = {kernels.COPY!r}
RACE = {kernels.RACE!r}


def test_correct():
    to = bytearray(16)
    wg.Module(COPY, name="copy.ptx")["copy"][1, 4](to, bytes(range(16)))
    assert to == bytes(range(16))


def test_race():
    wg.Module(RACE, name="race.ptx")["race"][1, 64](bytearray(4))


@pytest.mark.warpgrid(allow=["data-race"])
def test_intended_race():
    wg.Module(RACE, name="race.ptx")["race"][1, 64](bytearray(4))


def test_fault():
    wg.Module(COPY, name="copy.ptx")["copy"][1, 4](bytearray(4), bytes(16))


def test_without_launch():
    pass
"""


@unittest.skipIf(importlib.util.find_spec("pytest") is None, "pytest is not installed")
class Plugin(unittest.TestCase):
    def run_tests(self, *options):
        """Runs the tests in a new directory. Returns the directory and the output of pytest."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        (path / "test_kernels.py").write_text(TESTS)
        is_installed = "warpgrid" in importlib.metadata.entry_points(group="pytest11").names
        plugin = [] if is_installed else ["-p", "warpgrid.pytest_plugin"]
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugin, *options]
        return path, subprocess.run(command, cwd=path, capture_output=True, text=True).stdout

    def test_findings_fail_tests(self):
        _, output = self.run_tests("--warpgrid")
        self.assertIn("2 failed, 3 passed", output)
        self.assertIn("race.ptx: error: data race", output)
        self.assertIn("FaultError", output)
        self.assertIn("analyzed 4 kernel launches", output)

    def test_launches_are_not_analyzed_without_the_option(self):
        _, output = self.run_tests()
        self.assertIn("1 failed, 4 passed", output)
        self.assertNotIn("analyzed", output)

    def test_sarif_report_contains_findings(self):
        path, _ = self.run_tests("--warpgrid", "--warpgrid-report=sarif")
        document = json.loads((path / "warpgrid-report.sarif").read_text())
        (run,) = document["runs"]
        races = [result for result in run["results"] if result["ruleId"] == "data-race"]
        self.assertEqual([result["occurrenceCount"] for result in races], [2])
        self.assertEqual(races[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "race.ptx")

    def test_junit_report_contains_failed_tests(self):
        path, _ = self.run_tests("--warpgrid", "--warpgrid-report=junit:findings.xml")
        suite = xml.etree.ElementTree.parse(path / "findings.xml").getroot()[0]
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("5", "2"))
        failed = [case.get("name") for case in suite if case.find("failure") is not None]
        self.assertEqual(failed, ["test_race", "test_fault"])

    def test_html_report_contains_findings(self):
        path, _ = self.run_tests("--warpgrid", "--warpgrid-report=html")
        self.assertIn("test_kernels.py::test_race", (path / "warpgrid-report.html").read_text())

    def test_unknown_format_is_a_usage_error(self):
        _, output = self.run_tests("--warpgrid", "--warpgrid-report=pdf")
        self.assertNotIn("passed", output)


if __name__ == "__main__":
    unittest.main()
