"""Arrays of NumPy, and objects with the protocols DLPack and `__array_interface__`."""

import unittest

import kernels
import warpgrid as wg

try:
    import numpy as np
except ImportError:
    np = None


class DlpackOnly:
    """Array that has only the protocol DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class InterfaceOnly:
    """Array that has only the attribute `__array_interface__`."""

    def __init__(self, array):
        self.array = array
        self.__array_interface__ = array.__array_interface__


@unittest.skipIf(np is None, "NumPy is not installed")
class Arrays(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.saxpy = wg.Module(kernels.SAXPY)["saxpy"]
        cls.copy = wg.Module(kernels.COPY)["copy"]

    def test_array_is_updated_in_place(self):
        x = np.arange(96, dtype=np.float32).reshape(8, 12)
        y = np.ones_like(x)
        self.saxpy[3, 32](y, x, np.float32(2.0), np.int32(96))
        np.testing.assert_array_equal(y, 2 * x + 1)

    def test_rows_of_a_larger_array(self):
        to = np.zeros((4, 8), np.uint32)
        self.copy[1, 8](to[1], np.arange(8, dtype=np.uint32))
        np.testing.assert_array_equal(to.sum(axis=1), [0, 28, 0, 0])

    def test_protocols_of_other_libraries(self):
        for wrap in (DlpackOnly, InterfaceOnly):
            to = np.zeros(4, np.float32)
            self.copy[1, 4](wrap(to), wrap(np.arange(4, dtype=np.float32)))
            np.testing.assert_array_equal(to, [0, 1, 2, 3])

    def test_types_without_a_format(self):
        to = np.zeros(2, np.complex64)
        self.copy[1, 4](to, np.array([1 + 2j, 3 + 4j], np.complex64))
        np.testing.assert_array_equal(to, [1 + 2j, 3 + 4j])
        pairs = np.zeros(4, [("a", "i2"), ("b", "i2")])
        self.copy[1, 4](pairs, np.full(4, 0x20001, np.int32))
        np.testing.assert_array_equal(pairs["b"], [2] * 4)

    def test_unusable_arrays_are_rejected(self):
        x = np.zeros(16, np.float32)
        frozen = np.zeros(4, np.float32)
        frozen.flags.writeable = False
        for to in [
            x[::2],
            np.zeros((4, 4), np.float32).T,
            np.zeros(4, object),
            np.zeros(4, ">f4"),
            np.array(["text"]),
            frozen,
            InterfaceOnly(x[::2]),
            DlpackOnly(x[::2]),
        ]:
            with self.assertRaises(wg.ArgumentError, msg=repr(to)):
                self.copy[1, 4](to, np.ones(4, np.float32))

    def test_asm_returns_arrays(self):
        a = np.arange(6, dtype=np.float32).reshape(2, 3)
        result = wg.asm("mul.f32 $0, $1, $2;", "=f,f,f", a, 2.0)
        self.assertEqual((result.shape, result.dtype), ((2, 3), np.float32))
        np.testing.assert_array_equal(result, 2 * a)
        half = wg.asm("add.f16 $0, $1, $2;", "=h,h,h", a.astype(np.float16), a.astype(np.float16), dtype=np.float16)
        np.testing.assert_array_equal(half, 2 * a)
        narrow = wg.asm("add.u32 $0, $1, 1;", "=r,r", a.astype(np.uint8), dtype=np.uint8)
        np.testing.assert_array_equal(narrow, a + 1)
        low, high = wg.asm("mov.b64 {$0, $1}, $2;", "=r,=r,l", np.array([5], np.int64), dtype=(np.int32, np.uint32))
        self.assertEqual((low.dtype, high.dtype), (np.int32, np.uint32))
        self.assertEqual(wg.asm("mov.u32 $0, $1;", "=r,r", np.zeros(0, np.uint32)).shape, (0,))


if __name__ == "__main__":
    unittest.main()
