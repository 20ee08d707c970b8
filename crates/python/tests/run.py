"""Runs all tests and doctests of the package. The last line contains the counts: `12 passed, 0 failed, 1 skipped`."""

import doctest
import importlib
import pathlib
import pkgutil
import sys
import unittest

import warpgrid

#: Modules without doctests: the native module, and the modules that require other packages.
NOT_IMPORTED = ("warpgrid._native", "warpgrid.triton", "warpgrid.pytest_plugin")


def tests():
    """Returns all tests of this directory, and the doctests of all modules of the package."""
    folder = pathlib.Path(__file__).parent
    sys.path.insert(0, str(folder))
    suite = unittest.defaultTestLoader.discover(str(folder))
    names = [module.name for module in pkgutil.iter_modules(warpgrid.__path__, "warpgrid.")]
    for name in ["warpgrid", *(name for name in names if name not in NOT_IMPORTED)]:
        suite.addTest(doctest.DocTestSuite(importlib.import_module(name)))
    return suite


class Result(unittest.TextTestResult):
    """Test result that also counts successful tests."""

    n_passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.n_passed += 1


if __name__ == "__main__":
    result = unittest.TextTestRunner(verbosity=0, resultclass=Result).run(tests())
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    skipped = len(result.skipped)
    for test, reason in result.skipped:
        print(f"skipped {test}: {reason}")
    print(f"{result.n_passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(failed > 0)
