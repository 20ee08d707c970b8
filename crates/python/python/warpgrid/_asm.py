"""Inline assembly for each element of arrays."""

import functools
import math
import sys

from . import _arrays, _native
from ._errors import ArgumentError
from ._module import MAX_STEPS, Module

#: Number of threads of a block.
_BLOCK = 128

#: NumPy data types, and type codes of `array.array`, by the register types of outputs.
_OUTPUTS = {
    "u16": ("uint16", "H"),
    "u32": ("uint32", "I"),
    "u64": ("uint64", "Q"),
    "f32": ("float32", "f"),
    "f64": ("float64", "d"),
}

#: Element types and sizes of scalar inputs, by the constraint without its modifiers.
_SCALARS = {"h": ("H", "h"), "c": ("H", "h"), "r": ("I", "i"), "l": ("Q", "q"), "f": ("f", "f"), "d": ("d", "d")}


@functools.lru_cache(maxsize=256)
def _kernel(template, constraints, input_bytes, output_bytes, pack, target, ptx_version):
    built = _native.elementwise_module(template, constraints, list(input_bytes), list(output_bytes), pack, target, ptx_version)
    module = Module(built["source"], name="asm")
    outputs = [(output["type"], output["bytes_per_thread"]) for output in built["outputs"]]
    return module[built["kernel"]], outputs


def asm(template, constraints, *inputs, dtype=None, pack=1, target=None, ptx_version=None, max_steps=MAX_STEPS, timeout=None):
    """Executes inline assembly for each element of arrays, as ``tl.inline_asm_elementwise`` of Triton does.

    ``template`` contains the operands ``$0``, ``$1``, …, and ``constraints`` describes them in the notation of LLVM: first the outputs
    (``=h``, ``=r``, ``=l``, ``=f``, ``=d``), then the inputs. The inputs are arrays of one shape, and numbers, which apply to all elements.
    ``dtype`` is the data type of the outputs, or a tuple with one data type per output; by default, outputs are unsigned integers or
    floating-point numbers of the size of their register. ``pack`` is the number of adjacent elements that one execution processes; their
    bytes share registers, or occupy several registers.

    The result is an array, or a tuple if the assembly has several outputs: a NumPy array if an input is a NumPy array, a PyTorch tensor if an
    input is a tensor, and otherwise an `array.array`. If all inputs are numbers, the result is a number.

    >>> asm("popc.b32 $0, $1;", "=r,r", 7)
    3
    >>> import array
    >>> asm("add.f32 $0, $1, $2;", "=f,f,f", array.array("f", [1.0, 2.0]), 0.5)
    array('f', [1.5, 2.5])
    """
    letters = [part.strip() for part in constraints.split(",")]
    letters = [part.lstrip("=+&") for part in letters if not part.startswith(("=", "+", "~"))]
    converted = [_arrays.convert(argument, str(number)) for number, argument in enumerate(inputs)]
    shape, kind = _shape_and_kind(inputs, converted)
    n_elements = 1 if shape is None else math.prod(shape)
    if pack < 1 or n_elements % pack:
        raise ArgumentError(f"found {n_elements} elements, expected a multiple of `pack` ({pack})")
    arrays = []
    sizes = []
    for number, (argument, array) in enumerate(zip(inputs, converted)):
        if array is None:
            array = _filled(argument, letters[number] if number < len(letters) else "", n_elements, number)
        view, element, _, owner = array
        arrays.append((view, element, (n_elements,), owner))
        sizes.append(view.nbytes // n_elements if n_elements else _item_size(argument))
    output_types = () if dtype is None else dtype if isinstance(dtype, tuple) else (dtype,)
    makers = [_output_of_dtype(output, kind) for output in output_types]
    output_bytes = tuple(size for _, size in makers)
    kernel, outputs = _kernel(template, constraints, tuple(sizes), output_bytes, pack, target, ptx_version)
    n_executions = n_elements // pack
    if not makers:
        makers = [_output_of_register(ty, kind) for ty, _ in outputs]
    results = [make(n_elements, shape) for make, _ in makers]
    if n_executions:
        native = kernel.module._native
        result_views = [_arrays.convert(result, "output") for result in results]
        arguments = [(view, element, element_shape) for view, element, element_shape, _ in (*result_views, *arrays)]
        blocks = -(-n_executions // _BLOCK)
        launch = ([blocks, 1, 1], [_BLOCK, 1, 1], None, 0, 0)
        native.launch(kernel._index, launch, [*arguments, n_executions], max_steps, timeout)
    if shape is None:
        results = [result[0] for result in results]
    return results[0] if len(results) == 1 else tuple(results)


def _shape_and_kind(inputs, converted):
    """Returns the shape of the arrays, and the library of the results: ``numpy``, ``torch`` or ``array``."""
    shape = None
    kind = "array"
    for argument, array in zip(inputs, converted):
        if array is None:
            continue
        own = tuple(array[2])
        if array[1] == "u8" and hasattr(argument, "shape"):
            own = tuple(argument.shape)
        if shape is not None and own != shape:
            raise ArgumentError(f"found arrays of the shapes {shape} and {own}, expected one shape")
        shape = own
        library = type(argument).__module__.split(".")[0]
        if library == "torch" or kind != "torch" and hasattr(argument, "__array_interface__"):
            kind = "torch" if library == "torch" else "numpy"
    return shape, kind


def _item_size(argument):
    return getattr(argument, "itemsize", 4)


def _filled(value, letter, n_elements, number):
    """Returns an array in which each element is a number."""
    import array

    codes = _SCALARS.get(letter)
    if codes is None:
        raise ArgumentError(f"input {number}: found a number for the constraint `{letter}`, expected an array")
    unsigned, signed = codes
    code = signed if value < 0 else unsigned
    try:
        one = array.array(code, [value if code in "fd" else value.__index__()])
    except (OverflowError, AttributeError, TypeError) as error:
        raise ArgumentError(f"input {number}: found {value!r}, expected a number for the constraint `{letter}`: {error}") from None
    return _arrays.convert(one * n_elements, str(number))


def _output_of_register(ty, kind):
    if ty not in _OUTPUTS:
        raise ArgumentError(f"found an output of the type `.{ty}`, expected `dtype` with the data type of the output")
    name, code = _OUTPUTS[ty]
    return _maker(name, code, kind), None


def _maker(name, code, kind):
    """Returns a function that creates an array of zeros."""

    def make(n_elements, shape):
        if kind == "numpy":
            return sys.modules["numpy"].zeros(() if shape is None else shape, name)
        if kind == "torch":
            torch = sys.modules["torch"]
            return torch.zeros(shape, dtype=getattr(torch, name))
        import array

        return array.array(code, bytes(n_elements * array.array(code).itemsize))

    return make


def _output_of_dtype(dtype, kind):
    """Returns a function that creates an array of a data type, and the size of an element."""
    if kind == "torch":
        torch = sys.modules["torch"]
        return (lambda _, shape: torch.zeros(shape, dtype=dtype)), dtype.itemsize
    if kind == "array":
        import array

        codes = dict(_OUTPUTS.values()) | {"int8": "b", "uint8": "B", "int16": "h", "int32": "i", "int64": "q"}
        code = codes.get(getattr(dtype, "__name__", dtype), dtype)
        try:
            size = array.array(code).itemsize
        except (TypeError, ValueError):
            raise ArgumentError(f"found the data type {dtype!r}, expected a data type such as `int32`") from None
        return _maker(None, code, kind), size
    numpy = sys.modules["numpy"]
    try:
        data_type = numpy.dtype(dtype)
    except TypeError as error:
        raise ArgumentError(f"found the data type {dtype!r}: {error}") from None
    return _maker(data_type, None, kind), data_type.itemsize
