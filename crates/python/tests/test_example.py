"""Example project of the documentation."""

import importlib.metadata
import importlib.util
import pathlib
import subprocess
import sys
import unittest

EXAMPLE = pathlib.Path(__file__).parents[3] / "docs/ci-example-python"


@unittest.skipIf(importlib.util.find_spec("pytest") is None, "pytest is not installed")
class Example(unittest.TestCase):
    def test_all_tests_of_the_example_pass_and_launches_are_analyzed(self):
        is_installed = "warpgrid" in importlib.metadata.entry_points(group="pytest11").names
        plugin = [] if is_installed else ["-p", "warpgrid.pytest_plugin"]
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugin, "--warpgrid"]
        result = subprocess.run(command, cwd=EXAMPLE, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("7 passed", result.stdout)
        self.assertIn("analyzed 2 kernel launches", result.stdout)


if __name__ == "__main__":
    unittest.main()
