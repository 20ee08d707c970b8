"""Modules, kernels and launches."""

import contextlib
from collections.abc import Mapping
from typing import NamedTuple

from . import _arrays, _native
from ._errors import ArgumentError, FaultError, FindingsError
from ._report import Report
from ._sources import text_of

#: Default step limit of a run.
MAX_STEPS = 2_000_000_000
#: Default step limit of each run of an analysis.
MAX_ANALYSIS_STEPS = 20_000_000
#: Default number of scheduler seeds of an analysis.
SEEDS = 8


#: Functions that each launch calls before it runs, with the configured kernel and the converted arguments.
_observers = []


@contextlib.contextmanager
def analysis(*, seeds=SEEDS, max_steps=MAX_ANALYSIS_STEPS, timeout=None, fail=False):
    """Context manager that analyzes each launch in all threads before the launch runs. Its value is the list of the reports.

    The options are those of `Kernel.analyze`. With ``fail``, a launch with errors (`Report.errors`) raises `FindingsError` and does not run.
    """
    reports = []

    def observe(configured, converted):
        report = configured._analyzed(converted, seeds, max_steps, timeout)
        reports.append(report)
        if fail and report.errors:
            raise FindingsError(report.errors[0]["message"], report=report)

    _observers.append(observe)
    try:
        yield reports
    finally:
        _observers.remove(observe)


class Run(NamedTuple):
    """Result of a run that finished without a fault."""

    #: Number of steps. A step executes one instruction of one warp, or completes one asynchronous operation.
    steps: int
    #: Number of steps that stored to memory.
    stores: int
    #: Number of executed instructions, counted for each active lane.
    lane_instructions: int
    #: Notes of the run, such as the output of `printf`.
    notes: list


class Module(Mapping):
    """Checked PTX module with its kernels by name.

    ``source`` is a text, a path, or the contents of a text file or of a compiled file (cubin, fatbin, object file) that contains PTX.
    ``target`` and ``ptx_version`` override the directives of the module. Raises `SourceError` if the checker rejects the module.
    """

    def __init__(self, source, *, name=None, target=None, ptx_version=None, language=None):
        text, file = text_of(source)
        self.name = name if name is not None else file
        self._native = _native.Module(text, self.name, target, ptx_version, language)
        signatures = self._native.kernels()
        self._kernels = {
            signature["name"]: Kernel(self, index, signature) for index, signature in enumerate(signatures)
        }

    def __getitem__(self, name):
        try:
            return self._kernels[name]
        except KeyError:
            names = ", ".join(f"`{own}`" for own in self._kernels) or "none"
            raise KeyError(f"the module has no kernel `{name}`; its kernels are {names}") from None

    def __iter__(self):
        return iter(self._kernels)

    def __len__(self):
        return len(self._kernels)

    def __repr__(self):
        return f"<warpgrid.Module {self.name or 'without a name'}: {', '.join(self) or 'no kernels'}>"

    @property
    def source(self):
        """Text of the module."""
        return self._native.source

    @property
    def target(self):
        """Target for which the module is checked: ``"sm_80"``."""
        return self._native.target

    @property
    def diagnostics(self):
        """Warnings and notes of the checker."""
        return self._native.diagnostics()

    def analyze(self, *, seeds=SEEDS, max_steps=MAX_ANALYSIS_STEPS, timeout=None):
        """Analyzes all kernels with the ``//@`` annotations of the source. Launches without annotations are inferred."""
        report = self._native.analyze_all(max_steps, timeout, seeds)
        return Report(report, self.source, self.name, None)


class Kernel:
    """Kernel of a module. ``kernel[grid, block](*arguments)`` runs the kernel."""

    def __init__(self, module, index, signature):
        self.module = module
        #: Name of the kernel.
        self.name = signature["name"]
        #: Parameters: ``{name, type, size_bytes, …}``.
        self.parameters = signature["parameters"]
        self.required_block = signature["required_block"]
        self.required_cluster = signature["required_cluster"]
        #: `TextTranslation` of the texts of reports and faults, or ``None``.
        self.translation = None
        self._index = index
        self._names = [parameter["name"] for parameter in self.parameters]
        self._is_structure = [parameter["is_structure"] for parameter in self.parameters]

    def __repr__(self):
        parameters = ", ".join(f"{own['type']} {own['name']}" for own in self.parameters)
        return f"<warpgrid.Kernel {self.name}({parameters})>"

    def __getitem__(self, configuration):
        """Returns the kernel with a launch configuration: ``kernel[grid, block]``, or ``kernel[grid, block, stream, shared]`` as in Numba."""
        if not isinstance(configuration, tuple) or not 2 <= len(configuration) <= 4:
            raise ArgumentError("expected a launch configuration such as `kernel[grid, block]` or `kernel[grid, block, stream, shared]`")
        grid, block, *rest = configuration
        shared = rest[1] if len(rest) == 2 else 0
        return self.configure(grid, block, shared=shared)

    def configure(self, grid, block, *, cluster=None, shared=0, seed=0, max_steps=MAX_STEPS, timeout=None):
        """Returns the kernel with a launch configuration.

        ``grid``, ``block`` and ``cluster`` are integers or tuples of up to three integers. ``shared`` is the size of the dynamic shared memory
        in bytes, ``seed`` is the seed of the scheduler, ``max_steps`` is the step limit, and ``timeout`` is the time limit in seconds.
        """
        cluster = cluster if cluster is not None else self.required_cluster
        launch = (
            _extents(grid, "grid"),
            _extents(block, "block"),
            None if cluster is None else _extents(cluster, "cluster"),
            _count(shared, "shared"),
            _count(seed, "seed"),
        )
        return Configured(self, launch, _count(max_steps, "max_steps"), timeout)

    def launch(self, grid, block, *arguments, **options):
        """Runs the kernel, see `Configured.__call__`. The options are those of `configure`."""
        return self.configure(grid, block, **options)(*arguments)

    def analyze(self, grid, block, *arguments, seeds=SEEDS, max_steps=MAX_ANALYSIS_STEPS, timeout=None, **options):
        """Runs the kernel with copies of the arrays, and returns a `Report`: the verdict and all findings.

        The analysis detects data races, hangs, faults, uninitialized reads, bank conflicts and uncoalesced accesses. It repeats the run with
        ``seeds`` scheduler seeds. A fault is a finding and not an exception.
        """
        configured = self.configure(grid, block, max_steps=max_steps, timeout=timeout, **options)
        return configured.analyze(*arguments, seeds=seeds)

    def session(self, grid, block, *arguments, **options):
        """Returns a `Session`, which executes the kernel step by step with copies of the arrays."""
        return self.configure(grid, block, **options).session(*arguments)

    def _converted(self, arguments):
        """Returns the arguments in the form of the native module, and the owners of their memory."""
        converted = []
        owners = []
        names = self._names
        n_names = len(names)
        for index, argument in enumerate(arguments):
            if index < n_names and self._is_structure[index]:
                converted.append(bytes(argument) if isinstance(argument, (bytearray, memoryview)) else argument)
                continue
            array = _arrays.convert(argument, names[index] if index < n_names else str(index))
            if array is None:
                converted.append(argument)
            else:
                view, element, shape, owner = array
                converted.append((view, element, shape))
                owners.append(owner)
        return converted, owners


class Configured:
    """Kernel with a launch configuration."""

    __slots__ = ("kernel", "_launch", "_max_steps", "_timeout")

    def __init__(self, kernel, launch, max_steps, timeout):
        self.kernel = kernel
        self._launch = launch
        self._max_steps = max_steps
        self._timeout = timeout

    def __call__(self, *arguments):
        """Runs the kernel to its end, updates the arrays in place, and returns a `Run`.

        Pointer parameters accept arrays and ``None``, scalar parameters accept numbers, and structures accept `bytes`. Raises `ArgumentError`
        for invalid arguments, `FaultError` for a fault, `HangError` if all threads wait, and `LimitError` at the step or time limit.
        """
        # pytest omits this function in tracebacks.
        __tracebackhide__ = True
        kernel = self.kernel
        converted, _owners = kernel._converted(arguments)
        for observe in tuple(_observers):
            observe(self, converted)
        native = kernel.module._native
        try:
            return Run._make(native.launch(kernel._index, self._launch, converted, self._max_steps, self._timeout))
        except FaultError as error:
            if kernel.translation is not None:
                error.translate(kernel.translation)
            raise

    def analyze(self, *arguments, seeds=SEEDS):
        """Analyzes the launch, see `Kernel.analyze`."""
        kernel = self.kernel
        converted, _owners = kernel._converted(arguments)

        def start():
            return Session(kernel.module._native.session(kernel._index, self._launch, converted))

        return self._analyzed(converted, seeds, min(self._max_steps, MAX_ANALYSIS_STEPS), self._timeout, start)

    def _analyzed(self, converted, seeds, max_steps, timeout, start=None):
        """Analyzes the launch with converted arguments. ``start`` creates the session of the report."""
        kernel = self.kernel
        report = kernel.module._native.analyze(kernel._index, self._launch, converted, max_steps, timeout, _count(seeds, "seeds"))
        if kernel.translation is not None:
            report = kernel.translation(report)
        return Report(report, kernel.module.source, kernel.module.name, start)

    def session(self, *arguments):
        """Returns a session of the launch, see `Kernel.session`."""
        kernel = self.kernel
        converted, _owners = kernel._converted(arguments)
        return Session(kernel.module._native.session(kernel._index, self._launch, converted))


class Session:
    """Launch that is executed step by step, forward and back.

    The results have the JSON model of the npm package `warpgrid`. Analyses, such as `races`, rerun the executed steps.
    """

    def __init__(self, native):
        self._native = native

    @property
    def position(self):
        """Number of executed steps."""
        return self._native.position

    @property
    def length(self):
        """Number of steps of the complete run, or ``None`` until the run has reached its end."""
        return self._native.length

    @property
    def is_finished(self):
        """Whether all threads have exited, or a fault has stopped the launch."""
        return self._native.is_finished

    @property
    def fault(self):
        """Fault that stopped the launch, or ``None``."""
        return self._native.fault()

    @property
    def notes(self):
        """Notes of the run, such as the output of `printf`."""
        return self._native.notes()

    def step(self):
        """Executes one warp instruction. Returns ``False`` at the end of the run."""
        return self._native.step()

    def back(self):
        """Steps one warp instruction back. Returns ``False`` at the start of the run."""
        return self._native.back()

    def seek(self, position):
        """Moves to a position, or to the end if the run is shorter."""
        self._native.seek(position)

    def run(self, max_steps=MAX_STEPS):
        """Runs forward by at most ``max_steps`` steps. Returns whether the run is complete."""
        return self._native.run(max_steps)

    def memory_names(self):
        """Returns the names of all memories: buffers (parameter names), ``shared:0`` and ``var:table``."""
        return self._native.memory_names()

    def memory(self, name):
        """Returns the bytes of a memory."""
        return self._native.memory(name)

    def events(self, first=0, end=None):
        """Returns the stores of the steps from ``first`` to ``end``, at most about 10,000."""
        return self._native.events(first, self.position if end is None else end)

    def lanes(self, block=0, warp=0):
        """Returns the lanes and registers of a warp, or ``None`` if its block is not resident."""
        return self._native.lanes(block, warp)

    def races(self):
        """Returns the data races of the executed steps."""
        return self._native.races()

    def hang(self):
        """Returns the diagnosis of a hang, or ``None``."""
        return self._native.hang()

    def causes(self):
        """Returns earlier events that are related to the fault."""
        return self._native.causes()

    def schedules(self, *, max_steps=5_000_000):
        """Explores all schedules of the launch within ``max_steps`` steps of all executions. Returns the verdict ``clean``, ``witness`` or ``incomplete``."""
        return self._native.schedules(_count(max_steps, "max_steps"))

    def traffic(self):
        """Returns the sectors, cache lines, wavefronts and bank conflicts of the executed steps."""
        return self._native.traffic()

    def conflicts(self):
        """Returns the bank conflicts of the executed steps, with layouts that avoid them."""
        return self._native.conflicts()

    def layouts(self):
        """Returns the inferred layout of each access of the executed steps."""
        return self._native.layouts()

    def timeline(self, first=None, end=None, *, columns=None):
        """Returns the timeline of the executed steps. With ``columns``, spans that are shorter than a column are merged."""
        return self._native.timeline(first, end, columns)

    def chrome_trace(self):
        """Returns the timeline in the Trace Event Format, which Perfetto opens."""
        return self._native.chrome_trace()


def _extents(value, name):
    """Returns up to three extents as a list of three integers."""
    try:
        extents = [int(value.__index__())] if hasattr(value, "__index__") else [int(extent.__index__()) for extent in value]
    except (TypeError, AttributeError):
        extents = []
    if not 1 <= len(extents) <= 3 or not all(0 < extent < 1 << 32 for extent in extents):
        raise ArgumentError(f"found the {name} {value!r}, expected one to three positive integers")
    return extents + [1] * (3 - len(extents))


def _count(value, name):
    """Returns a nonnegative 64-bit integer."""
    if not hasattr(value, "__index__") or not 0 <= value.__index__() < 1 << 64:
        raise ArgumentError(f"found `{name}` {value!r}, expected a nonnegative integer")
    return value.__index__()
