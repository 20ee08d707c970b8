"""Check and run GPU kernels in PTX, lane by lane, without a GPU.

A module is checked once, and its kernels run with arrays of NumPy, PyTorch and the standard library:

>>> import array
>>> import warpgrid as wg
>>> module = wg.Module('''
... .version 8.0
... .target sm_80
... .address_size 64
... .visible .entry scale(.param .u64 x, .param .f32 a) {
...   .reg .b32 %t; .reg .f32 %v, %a; .reg .b64 %p, %o;
...   mov.u32 %t, %tid.x;
...   mul.wide.u32 %o, %t, 4;
...   ld.param.u64 %p, [x];
...   add.s64 %p, %p, %o;
...   ld.param.f32 %a, [a];
...   ld.global.f32 %v, [%p];
...   mul.f32 %v, %v, %a;
...   st.global.f32 [%p], %v;
...   ret;
... }
... ''')
>>> x = array.array("f", [1.0, 2.0, 3.0, 4.0])
>>> run = module["scale"][1, 4](x, 10.0)
>>> x.tolist()
[10.0, 20.0, 30.0, 40.0]
>>> run.steps
9
>>> module["scale"].analyze(1, 4, x, 10.0).verdict
'clean'
"""

from ._asm import asm
from ._compile import compile
from ._errors import (
    ArgumentError,
    CompileError,
    Error,
    FaultError,
    FindingsError,
    HangError,
    InternalError,
    LimitError,
    SourceError,
)
from ._functions import check, explain, format, open_file
from ._module import Configured, Kernel, Module, Run, Session, analysis
from ._native import VERSION as __version__
from ._records import Record
from ._report import Report

__all__ = [
    "ArgumentError",
    "CompileError",
    "Configured",
    "Error",
    "FaultError",
    "FindingsError",
    "HangError",
    "InternalError",
    "Kernel",
    "LimitError",
    "Module",
    "Record",
    "Report",
    "Run",
    "Session",
    "SourceError",
    "analysis",
    "asm",
    "check",
    "compile",
    "explain",
    "format",
    "open_file",
]


def load_ipython_extension(shell):
    """Registers the cell magic ``%%ptx`` (``%load_ext warpgrid``)."""
    from ._magic import register

    register(shell)
