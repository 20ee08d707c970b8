"""Tests of the kernels of this project. `pytest --warpgrid` also analyzes each launch."""

from array import array
from pathlib import Path

import pytest
import warpgrid as wg

KERNELS = Path(__file__).parent / "kernels"
TARGETS = ["sm_80", "sm_90", "sm_100", "sm_120"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("path", sorted(KERNELS.glob("*.ptx")), ids=lambda path: path.stem)
def test_kernel_is_accepted(path, target):
    report = wg.check(path.read_text(), target=target)
    assert report.accept, report.diagnostics


def saxpy_arguments(n):
    x = array("f", range(n))
    y = array("f", [1.0] * n)
    return x, y


# The last thread of the second case must not access the elements after the end.
@pytest.mark.parametrize("n", [256, 255])
def test_saxpy_computes_each_element(n):
    x, y = saxpy_arguments(n)
    saxpy = wg.Module(KERNELS / "saxpy.ptx")["saxpy"]
    saxpy[2, 128](x, y, 2.0, n)
    assert list(y) == [2.0 * i + 1.0 for i in range(n)]


def test_saxpy_has_the_same_result_in_every_schedule():
    x, y = saxpy_arguments(64)
    session = wg.Module(KERNELS / "saxpy.ptx")["saxpy"].session(2, 32, x, y, 2.0, 64)
    assert session.schedules().verdict == "clean"
