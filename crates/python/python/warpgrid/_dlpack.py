"""Views of arrays that implement the DLPack protocol, such as tensors of PyTorch."""

import ctypes

from ._arrays import view_at
from ._errors import ArgumentError

#: Devices whose memory the processor can access: CPU, and host memory that CUDA has pinned.
_HOST_DEVICES = (1, 3)

#: Element types by the type code of DLPack and the number of bits (`dlpack.h`, `DLDataTypeCode`).
_TYPES = {
    **{(code, bits): f"{prefix}{bits}" for code, prefix in ((0, "s"), (1, "u")) for bits in (8, 16, 32, 64)},
    **{(2, bits): f"f{bits}" for bits in (16, 32, 64)},
    (4, 16): "bf16",
    (6, 8): "u8",
    (10, 8): "e4m3",
    (12, 8): "e5m2",
    (14, 8): "ue8m0",
}


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


def _pointer_of(capsule):
    function = ctypes.pythonapi.PyCapsule_GetPointer
    function.restype = ctypes.c_void_p
    function.argtypes = (ctypes.py_object, ctypes.c_char_p)
    return function(capsule, b"dltensor")


def convert(argument, name):
    """Returns ``(view, element type, shape, owner)`` of an array. The owner is the capsule, whose destructor releases the array."""
    device, _ = argument.__dlpack_device__()
    if int(device) not in _HOST_DEVICES:
        raise ArgumentError(f"argument `{name}`: found an array on a device, expected an array in the memory of the CPU")
    try:
        capsule = argument.__dlpack__()
    except Exception as error:
        raise ArgumentError(f"argument `{name}`: {error}") from error
    tensor = _Tensor.from_address(_pointer_of(capsule))
    element = _TYPES.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
    if element is None:
        raise ArgumentError(
            f"argument `{name}`: found elements with the DLPack type code {tensor.code} and {tensor.bits} bits, expected numbers"
        )
    shape = tuple(tensor.shape[: tensor.ndim])
    if tensor.strides and not _is_contiguous(shape, tensor.strides[: tensor.ndim]):
        raise ArgumentError(f"argument `{name}`: found an array that is not contiguous, expected a contiguous array")
    if not shape:
        shape = (1,)
    view = view_at((tensor.data or 0) + tensor.byte_offset, shape, tensor.bits // 8)
    return (view, element, shape, capsule)


def _is_contiguous(shape, strides):
    expected = 1
    for extent, stride in zip(reversed(shape), reversed(strides)):
        if extent > 1 and stride != expected:
            return False
        expected *= extent
    return True
