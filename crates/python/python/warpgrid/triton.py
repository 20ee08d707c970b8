"""Driver of Triton that runs kernels on the emulator, without a GPU and without a CUDA driver.

Importing the module activates the driver. Triton compiles ``@triton.jit`` functions with its NVIDIA back end, and the driver executes the PTX
of each launch. Array arguments are CPU tensors of PyTorch, and NumPy arrays that `array` wraps::

    import triton, triton.language as tl
    import warpgrid.triton as wt

    x = wt.array(np.arange(1000, dtype=np.float32))
    kernel[(8,)](x, 1000, BLOCK=128)

The driver supports Triton 3.4 and later.
"""

import os
import re
import struct
from dataclasses import dataclass

try:
    import triton
except ImportError as error:
    raise ImportError("`warpgrid.triton` requires Triton: install it with `pip install triton`") from error

from triton.backends import Backend, backends
from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase
from triton.runtime.cache import get_cache_manager
from triton.runtime.jit import TensorWrapper

from . import _arrays
from ._errors import ArgumentError
from ._module import MAX_STEPS, Module, analysis
from ._records import TextTranslation

__all__ = ["Driver", "analysis", "array", "use"]

#: Maximum size of the shared memory of a block in bytes, by compute capability (CUDA C++ Programming Guide, "Technical Specifications per
#: Compute Capability").
_SHARED_BYTES = {
    75: 64 << 10,
    80: 163 << 10,
    86: 99 << 10,
    87: 163 << 10,
    89: 99 << 10,
    90: 227 << 10,
    100: 227 << 10,
    103: 227 << 10,
    110: 227 << 10,
    120: 99 << 10,
    121: 99 << 10,
}

#: Number of multiprocessors of the emulated device. Persistent kernels start one program per multiprocessor, so a small number keeps their
#: runs short.
_MULTIPROCESSORS = 4

#: Element types and sizes in bytes, by the element types in signatures of Triton.
_ELEMENTS = {
    **{name: ("u8", 1) for name in ("i1", "u1")},
    **{f"{prefix}{bits}": (f"{kind}{bits}", bits // 8) for prefix, kind in (("i", "s"), ("u", "u")) for bits in (8, 16, 32, 64)},
    "fp16": ("f16", 2),
    "bf16": ("bf16", 2),
    "fp32": ("f32", 4),
    "fp64": ("f64", 8),
    "fp8e4nv": ("e4m3", 1),
    "fp8e5": ("e5m2", 1),
}


#: Block of inline assembly in the PTX that LLVM generates.
_INLINE_ASSEMBLY = re.compile(r"// begin inline asm\n.*?// end inline asm", re.DOTALL)


@dataclass(frozen=True)
class _Options:
    """Options of all launches."""

    capability: int = 90
    seed: int = 0
    max_steps: int = MAX_STEPS
    timeout: float | None = None


def use(*, target="sm_90", seed=0, max_steps=MAX_STEPS, timeout=None):
    """Activates the driver of Warpgrid, also if Triton has activated another driver.

    ``target`` is the target for which Triton compiles, such as ``"sm_80"``. ``seed``, ``max_steps`` and ``timeout`` are the options of
    `Kernel.configure`, and apply to each launch.
    """
    found = re.fullmatch(r"sm_(\d+)[af]?", target)
    if found is None or int(found[1]) not in _SHARED_BYTES:
        supported = ", ".join(f"`sm_{capability}`" for capability in _SHARED_BYTES)
        raise ArgumentError(f"found the target `{target}`, expected one of {supported}")
    driver = Driver(_Options(int(found[1]), seed, max_steps, timeout))
    # Triton also queries the registry, for example to find out whether a GPU is available.
    backends["nvidia"] = Backend(backends["nvidia"].compiler, Driver)
    triton.runtime.driver.set_active(driver)


class Driver(DriverBase):
    """Driver of Triton whose device is the emulator."""

    #: Number of executed steps of all launches. Benchmarks measure steps instead of time, so their results are reproducible.
    n_steps = 0

    def __init__(self, options=_Options()):
        super().__init__()
        self.options = options
        self.utils = _Utilities()
        self.launcher_cls = Launcher

    @staticmethod
    def is_active():
        return True

    def get_current_target(self):
        return GPUTarget("cuda", self.options.capability, 32)

    def get_device_capability(self, device=None):
        return divmod(self.options.capability, 10)

    def get_current_device(self):
        # Triton caches compiled kernels by device, so each target requires its own device index.
        return self.options.capability

    def set_current_device(self, device):
        pass

    def get_current_stream(self, device=None):
        return 0

    def get_active_torch_device(self):
        import torch

        return torch.device("cpu")

    def get_device_interface(self):
        return _DeviceInterface

    def map_python_to_cpp_type(self, ty):
        from triton.backends.nvidia.driver import ty_to_cpp

        return ty_to_cpp(ty)

    def get_benchmarker(self):
        return _benchmark

    def get_empty_cache_for_benchmark(self):
        return None

    def clear_cache(self, cache):
        pass


def _benchmark(kernel_call, *, quantiles=None, **_):
    """Returns the number of steps of one call for each quantile. The number of steps of a launch is deterministic."""
    before = Driver.n_steps
    kernel_call()
    n_steps = float(Driver.n_steps - before)
    return n_steps if quantiles is None else [n_steps] * len(quantiles)


class _Event:
    """Event of a stream, whose time is the number of executed steps."""

    def __init__(self, enable_timing=False):
        self.n_steps = 0

    def record(self, stream=None):
        self.n_steps = Driver.n_steps

    def synchronize(self):
        pass

    def elapsed_time(self, end):
        return float(end.n_steps - self.n_steps)


class _DeviceInterface:
    """Functions of `torch.cuda` that `triton.testing.do_bench` calls."""

    Event = _Event

    @staticmethod
    def current_device():
        return triton.runtime.driver.active.get_current_device()

    @staticmethod
    def synchronize(device=None):
        pass


class _Utilities:
    """Functions of the native module of the CUDA driver of Triton."""

    @staticmethod
    def get_device_properties(device):
        return {
            "max_shared_mem": _SHARED_BYTES[device],
            "max_num_regs": 65536,
            "multiprocessor_count": _MULTIPROCESSORS,
            "warpSize": 32,
            "sm_clock_rate": 1_000_000,
            "mem_clock_rate": 1_000_000,
            "mem_bus_width": 1024,
        }

    @staticmethod
    def load_binary(name, binary, shared, device):
        """Returns the handles of module and function, and the numbers of registers, spills and threads per block."""
        return 1, 1, 0, 0, 1024

    @staticmethod
    def unload_module(module):
        pass

    @staticmethod
    def cuOccupancyMaxActiveClusters(function, shared, n_blocks):
        return _MULTIPROCESSORS // n_blocks if n_blocks <= _MULTIPROCESSORS else int(n_blocks <= 16)

    @staticmethod
    def set_printf_fifo_size(size):
        pass


class Launcher:
    """Launcher of a compiled kernel. Triton creates one launcher for each compiled kernel."""

    def __init__(self, source, metadata):
        self._metadata = metadata
        self._signature = tuple(source.signature.values())
        self._argument_names = [str(name) for name in source.signature]
        self._ptx = _ptx_of(source, metadata)
        self._kernel = None

    def __call__(self, grid_x, grid_y, grid_z, stream, function, packed_metadata, launch_metadata, enter_hook, exit_hook, *arguments):
        if enter_hook is not None:
            enter_hook(launch_metadata)
        grid = [int(grid_x), int(grid_y), int(grid_z)]
        if all(extent > 0 for extent in grid):
            self._launch(grid, arguments)
        if exit_hook is not None:
            exit_hook(launch_metadata)

    def _launch(self, grid, arguments):
        metadata = self._metadata
        cluster = tuple(getattr(metadata, "cluster_dims", (metadata.num_ctas, 1, 1)))
        n_clusters = grid[0] * grid[1] * grid[2]
        n_blocks = n_clusters * cluster[0] * cluster[1] * cluster[2]
        flat = []
        _flatten(self._signature, arguments, self._argument_names, getattr(metadata, "tensordesc_meta", None), flat)
        kernel = self._checked_kernel([name for name, _, _ in flat])
        values = [_converted(*argument) for argument in flat]
        scratch_sizes = [metadata.global_scratch_size, getattr(metadata, "profile_scratch_size", 0)]
        n_scratch = len(kernel.parameters) - len(values)
        if not 0 <= n_scratch <= len(scratch_sizes):
            raise ArgumentError(f"found {len(values)} arguments of the kernel `{kernel.name}`, expected {len(kernel.parameters)}")
        values += [bytearray(n_blocks * size) if size else None for size in scratch_sizes[:n_scratch]]
        options = getattr(triton.runtime.driver.active, "options", _Options())
        configured = kernel.configure(
            [extent * blocks for extent, blocks in zip(grid, cluster)],
            metadata.num_warps * 32,
            cluster=cluster if n_blocks > n_clusters else None,
            shared=metadata.shared,
            seed=options.seed,
            max_steps=options.max_steps,
            timeout=options.timeout,
        )
        run = configured(*values)
        Driver.n_steps += run.steps
        for note in run.notes:
            _, is_output, text = note.partition(" printed: ")
            if is_output:
                print(text, end="")

    def _checked_kernel(self, names):
        """Returns the kernel of the checked module. Its messages contain the names of the arguments and the lines of the Python source."""
        if self._kernel is None:
            module = Module(self._ptx, name=f"{self._metadata.name}.ptx")
            kernel = module[self._metadata.name]
            parameters = (parameter["name"] for parameter in kernel.parameters)
            kernel.translation = TextTranslation(dict(zip(parameters, names)), _positions_of(self._ptx))
            self._kernel = kernel
        return self._kernel


def _ptx_of(source, metadata):
    """Returns the PTX of a compiled kernel. Triton passes only the cubin to drivers, but stores all stages in its cache."""
    group = get_cache_manager(metadata.hash).get_group(f"{source.name[:150]}.json") or {}
    for name, path in group.items():
        if name.endswith(".ptx"):
            with open(path, encoding="utf-8") as file:
                return _INLINE_ASSEMBLY.sub(_with_one_location, file.read())
    raise ArgumentError(f"the cache of Triton does not contain the PTX of the kernel `{metadata.name}`: unset `TRITON_STORE_BINARY_ONLY`")


def _with_one_location(block):
    """Returns a block of inline assembly in which only the first instruction has a `.loc` directive. The number of lines does not change.

    Triton expresses memory accesses as inline assembly. LLVM writes the location of the next operation before the last instruction of some of
    these blocks, so that the access would have the line of another statement.
    """
    first, separator, rest = block[0].partition(";")
    return first + separator + re.sub(r"\.loc\s[^\n]*", "", rest)


def _positions_of(ptx):
    """Returns the positions of the Python source, such as ``kernel.py:12``, by the lines of the PTX."""
    files = {number: os.path.basename(path) for number, path in re.findall(r'^\s*\.file\s+(\d+)\s+"([^"]*)"', ptx, re.MULTILINE)}
    positions = {}
    position = None
    for number, line in enumerate(ptx.splitlines(), 1):
        found = re.match(r"\s*\.loc\s+(\d+)\s+(\d+)", line)
        if found is not None:
            position = f"{files.get(found[1], 'file')}:{found[2]}"
        elif line.startswith("}"):
            position = None
        if position is not None:
            positions[number] = position
    return positions


def _flatten(signature, arguments, names, tensor_maps, flat):
    """Appends the name, the type and the value of each parameter of the kernel to a list. Constants are no parameters."""
    for name, ty, value in zip(names, signature, arguments):
        if isinstance(ty, tuple):
            _flatten(ty, value, [f"{name}[{index}]" for index in range(len(ty))], tensor_maps, flat)
        elif ty.startswith("tensordesc"):
            if tensor_maps:
                raise ArgumentError(
                    f"argument `{name}`: the kernel uses a tensor map of the host: create the descriptor in the kernel with "
                    "`tl.make_tensor_descriptor`, or use the target `sm_80`"
                )
            element = re.match(r"tensordesc(?:_im2col)?<([^[>]*)", ty)[1]
            base, *rest = _decomposed(value)
            flat.append((name, f"*{element}", base))
            flat += [(name, None, part) for part in rest]
        elif ty != "constexpr":
            flat.append((name, ty, value))


def _decomposed(descriptor):
    """Returns the base, the shape, the strides and the options of a tensor descriptor in the order of the parameters."""
    try:
        from triton.backends.driver import decompose_descriptor
    except ImportError:
        from triton.backends.nvidia.driver import make_tensordesc_arg

        return make_tensordesc_arg(descriptor, None)
    return decompose_descriptor(descriptor)


def _converted(name, ty, value):
    """Converts an argument for `Configured.__call__`."""
    if hasattr(value, "data_ptr"):
        return _memory_of(name, ty, value)
    # 16-bit floating-point numbers are parameters of the type `.b8[2]`. The launcher of Triton truncates `bfloat16` arguments.
    if ty == "fp16":
        return struct.pack("<e", value)
    if ty == "bf16":
        return struct.pack("<f", value)[2:]
    return value


def _memory_of(name, ty, tensor):
    """Returns the memory of a tensor, from its first element to its last element."""
    while isinstance(tensor, TensorWrapper):
        tensor = tensor.base
    device = getattr(tensor, "device", "cpu")
    if getattr(device, "type", device) != "cpu":
        raise ArgumentError(f"argument `{name}`: found a tensor on the device `{device}`, expected a tensor in the memory of the CPU")
    try:
        shape, strides, item_size = tuple(tensor.shape), tensor.stride(), tensor.element_size()
    except AttributeError:
        raise ArgumentError(f"argument `{name}`: found `{type(tensor).__name__}`, expected a tensor with shape and strides") from None
    n_elements = 1 + sum((extent - 1) * stride for extent, stride in zip(shape, strides))
    if 0 in shape:
        n_elements = 0
    n_bytes = n_elements * item_size
    view = _arrays.view_at(tensor.data_ptr(), (n_elements,), item_size)
    if getattr(tensor, "is_read_only", False):
        view = view.toreadonly()
    element, element_bytes = _ELEMENTS.get((ty or "").removeprefix("*").removeprefix("k"), ("u8", 1))
    if n_bytes % element_bytes:
        element, element_bytes = "u8", 1
    is_contiguous = n_bytes == item_size * _product(shape) and element_bytes == item_size
    return _arrays.Memory(view, element, shape if shape and is_contiguous else (n_bytes // element_bytes,), tensor)


def _product(extents):
    product = 1
    for extent in extents:
        product *= extent
    return product


def array(values):
    """Wraps a NumPy array, so that kernels of Triton accept the array. The result is a view of the same memory.

    The result is a NumPy array with the methods of tensors that Triton uses, such as ``data_ptr``. Other values, such as lists, are converted
    to NumPy arrays. The data type is one of Triton: integers, floating-point numbers, Booleans, and ``bfloat16``, ``float8_e4m3fn`` and
    ``float8_e5m2`` of the package `ml_dtypes`.
    """
    return _array_class().of(values)


def _array_class():
    """Returns the class of wrapped arrays. The class is created at its first use, because NumPy is optional."""
    global _Array
    if _Array is None:
        import numpy
        from triton._utils import type_canonicalisation_dict

        class Array(numpy.ndarray):
            """NumPy array with the methods of tensors that Triton uses."""

            @staticmethod
            def of(values):
                plain = numpy.asarray(values)
                if plain.dtype.name not in type_canonicalisation_dict or not plain.dtype.isnative:
                    raise ArgumentError(f"found the data type `{plain.dtype}`, expected a data type of Triton")
                if any(stride < 0 or stride % plain.itemsize for stride in plain.strides):
                    raise ArgumentError("found an array with negative strides, expected nonnegative strides: copy it with `numpy.ascontiguousarray`")
                return plain.view(Array)

            def data_ptr(self):
                return self.ctypes.data

            def stride(self, dimension=None):
                strides = tuple(stride // self.itemsize for stride in self.strides)
                return strides if dimension is None else strides[dimension]

            def element_size(self):
                return self.itemsize

            def numel(self):
                return self.size

            def clone(self):
                return self.copy()

            def copy_(self, values):
                self[...] = values
                return self

            def zero_(self):
                self[...] = 0
                return self

            @property
            def is_read_only(self):
                return not self.flags.writeable

        _Array = Array
    return _Array


_Array = None

use()
