"""Conversion of array arguments to views of their bytes.

An array is an object with the buffer protocol (NumPy arrays, `array.array`, `bytearray`, `memoryview`), with `__dlpack__` on the CPU (PyTorch,
JAX), or with `__array_interface__`. The views share the memory of the arrays.
"""

from typing import NamedTuple

from ._errors import ArgumentError


class Memory(NamedTuple):
    """Memory of an array argument: a contiguous view of its bytes, the element type, the shape and the owner of the memory."""

    view: memoryview
    element: str
    shape: tuple
    owner: object


#: Element types of the formats of the module `struct`, by the last character of the format.
_FORMATS = {
    "?": "u8",
    "c": "u8",
    "b": "s8",
    "B": "u8",
    "h": "s16",
    "H": "u16",
    "i": "s32",
    "I": "u32",
    "q": "s64",
    "Q": "u64",
    "e": "f16",
    "f": "f32",
    "d": "f64",
}

#: Element types of NumPy data types that have no format, by their name.
_NAMES = {
    "bfloat16": "bf16",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
    "float6_e2m3fn": "e2m3",
    "float6_e3m2fn": "e3m2",
    "float8_e8m0fnu": "ue8m0",
}

_SCALARS = (int, float)


def convert(argument, name):
    """Returns ``(view, element type, shape, owner)`` of an array, and ``None`` for any other argument.

    ``view`` is a contiguous `memoryview` of bytes. ``owner`` must exist as long as the view is in use.
    """
    if argument is None or isinstance(argument, _SCALARS):
        return None
    if isinstance(argument, Memory):
        return argument
    try:
        view = memoryview(argument)
    except TypeError:
        return _without_buffer_protocol(argument, name)
    except (ValueError, BufferError) as error:
        # NumPy exports no buffer for data types of extensions, such as bfloat16.
        if _is_array(argument):
            return _of_bytes(argument, name)
        raise ArgumentError(f"argument `{name}`: {error}") from None
    if view.ndim == 0:
        return None
    if not view.c_contiguous:
        raise ArgumentError(
            f"argument `{name}`: found an array that is not contiguous, expected a contiguous array: copy it with `numpy.ascontiguousarray`"
        )
    element = _element(view, name)
    if element is None:
        return _of_bytes(argument, name) if _is_array(argument) else _reject(argument, name)
    shape = view.shape
    return (_bytes_of(view), element, shape, argument)


def _bytes_of(view):
    # Views without elements cannot be cast.
    return view.cast("B") if view.nbytes else memoryview(bytearray())


def _is_array(argument):
    return hasattr(argument, "dtype") and hasattr(argument, "view")


def _element(view, name):
    """Returns the element type of a view, or ``None`` if `memoryview.cast` does not support the format."""
    format = view.format.lstrip("@=<")
    if format.startswith(("!", ">")) and view.itemsize > 1:
        raise ArgumentError(f"argument `{name}`: found big-endian elements, expected little-endian elements")
    if format == "O":
        return _reject(view.obj, name)
    if format in ("l", "L"):
        format = {4: "i", 8: "q"}[view.itemsize]
        return _FORMATS[format if view.format[-1] == "l" else format.upper()]
    return _FORMATS.get(format)


def _reject(argument, name):
    kind = getattr(argument, "dtype", None) or type(argument).__name__
    raise ArgumentError(f"argument `{name}`: found elements of the type `{kind}`, expected numbers")


def _of_bytes(argument, name):
    """Converts a NumPy array whose data type has no format that `memoryview.cast` supports, such as bfloat16 or complex64."""
    dtype = argument.dtype
    # Texts, objects and points in time have no meaning in a kernel.
    if dtype.hasobject or dtype.kind in "USMm":
        return _reject(argument, name)
    if not argument.flags.c_contiguous:
        raise ArgumentError(f"argument `{name}`: found an array that is not contiguous, expected a contiguous array")
    element = _NAMES.get(dtype.name)
    shape = argument.shape
    if element is None:
        element, shape = "u8", (argument.nbytes,)
    view = argument.reshape(-1).view("uint8")
    return (_bytes_of(memoryview(view)), element, shape, argument)


def _without_buffer_protocol(argument, name):
    if hasattr(argument, "__dlpack__"):
        from ._dlpack import convert as of_dlpack

        return of_dlpack(argument, name)
    if hasattr(argument, "__array_interface__"):
        return _of_array_interface(argument, name)
    if hasattr(argument, "__index__") or hasattr(argument, "__float__"):
        return None
    raise ArgumentError(f"argument `{name}`: found `{type(argument).__name__}`, expected an array or a number")


#: Element types of the kinds and sizes in `__array_interface__`.
_TYPE_STRINGS = {
    "b1": "u8",
    **{f"{kind}{size}": f"{prefix}{size * 8}" for kind, prefix in (("i", "s"), ("u", "u")) for size in (1, 2, 4, 8)},
    **{f"f{size}": f"f{size * 8}" for size in (2, 4, 8)},
}


def _of_array_interface(argument, name):
    interface = argument.__array_interface__
    element = _TYPE_STRINGS.get(interface["typestr"][1:])
    if element is None or interface["typestr"][0] == ">":
        raise ArgumentError(f"argument `{name}`: found elements of the type `{interface['typestr']}`, expected little-endian numbers")
    if interface.get("strides") is not None or interface.get("data") is None:
        raise ArgumentError(f"argument `{name}`: found an array with strides, expected a contiguous array")
    address, is_read_only = interface["data"]
    shape = tuple(interface["shape"])
    view = view_at(address, shape, int(interface["typestr"][2:]))
    return (view.toreadonly() if is_read_only else view, element, shape, argument)


def view_at(address, shape, item_size):
    """Returns a view of the bytes of a contiguous array at an address."""
    import ctypes
    import math

    n_bytes = math.prod(shape) * item_size
    if n_bytes == 0:
        return memoryview(bytearray())
    return memoryview((ctypes.c_char * n_bytes).from_address(address)).cast("B")
