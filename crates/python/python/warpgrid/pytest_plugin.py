"""Plugin of pytest that analyzes each kernel launch of the tests.

``pytest --warpgrid`` activates the Triton driver of the package, if Triton is installed, and analyzes each launch during a test. Faults, hangs,
data races and uninitialized reads fail the test.
"""

import json
import os

import pytest

from ._errors import ArgumentError
from ._finding_files import TestFindings, file_contents, finding_text
from ._module import SEEDS, analysis
from ._report import is_error

#: File names of the reports by their format.
_FILES = {"junit": "warpgrid-report.xml", "sarif": "warpgrid-report.sarif", "html": "warpgrid-report.html"}


def pytest_addoption(parser):
    group = parser.getgroup("warpgrid", "analysis of GPU kernels")
    group.addoption("--warpgrid", action="store_true", help="run Triton kernels on the emulator, and analyze each kernel launch")
    group.addoption("--warpgrid-target", metavar="TARGET", default="sm_90", help="target of Triton kernels (default: sm_90)")
    group.addoption("--warpgrid-seeds", metavar="N", type=int, default=SEEDS, help=f"number of scheduler seeds of each analysis (default: {SEEDS})")
    names = ", ".join(_FILES)
    group.addoption("--warpgrid-report", metavar="FORMAT[:PATH]", help=f"write a report of all findings: {names}")


def pytest_configure(config):
    config.addinivalue_line("markers", "warpgrid(allow): kinds of findings that do not fail the test, such as `data-race`")
    if not config.getoption("--warpgrid"):
        return
    format = (config.getoption("--warpgrid-report") or "html").partition(":")[0]
    if format not in _FILES:
        raise pytest.UsageError(f"--warpgrid-report: found the format `{format}`, expected one of {', '.join(_FILES)}")
    try:
        import triton  # noqa: F401
    except ImportError:
        pass
    else:
        from .triton import use

        try:
            use(target=config.getoption("--warpgrid-target"))
        except ArgumentError as error:
            raise pytest.UsageError(f"--warpgrid-target: {error}") from None
    config.pluginmanager.register(_Analysis(config), "warpgrid-analysis")


class _Analysis:
    """Plugin of a test run with the option ``--warpgrid``."""

    def __init__(self, config):
        self.config = config
        self.tests = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        allowed = {kind for marker in item.iter_markers("warpgrid") for kind in marker.kwargs.get("allow", ())}
        with analysis(seeds=self.config.getoption("--warpgrid-seeds")) as reports:
            try:
                result = yield
            finally:
                findings = [dict(finding, module=report.name) for report in reports for finding in report.findings]
                failures = [finding for finding in findings if is_error(finding) and finding["kind"] not in allowed]
                fields = {"n_launches": len(reports), "findings": findings, "is_failed": bool(failures)}
                # pytest-xdist transfers only values of the types of JSON.
                item.stash[_FINDINGS] = json.loads(json.dumps(fields))
        if failures:
            pytest.fail("\n".join(dict.fromkeys(map(finding_text, failures))), pytrace=False)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        if call.when == "call" and _FINDINGS in item.stash:
            # pytest-xdist transfers the attributes of test reports from the workers.
            report.warpgrid = item.stash[_FINDINGS]
        return report

    def pytest_runtest_logreport(self, report):
        if getattr(report, "warpgrid", None):
            self.tests.append(TestFindings(report.nodeid, **report.warpgrid))

    def pytest_terminal_summary(self, terminalreporter):
        n_launches = sum(test.n_launches for test in self.tests)
        terminalreporter.write_line(f"warpgrid: analyzed {n_launches} kernel launches")

    def pytest_sessionfinish(self, session):
        option = self.config.getoption("--warpgrid-report")
        if option is None or hasattr(self.config, "workerinput"):
            return
        format, _, path = option.partition(":")
        path = os.path.join(self.config.invocation_params.dir, path or _FILES[format])
        with open(path, "w", encoding="utf-8") as file:
            file.write(file_contents(format, self.tests, str(self.config.rootpath)))


#: Key of the fields of `TestFindings` except the identifier of the test.
_FINDINGS = pytest.StashKey()
