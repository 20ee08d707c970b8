"""Launches of kernels: arguments, results and errors."""

import array
import struct
import unittest

import kernels
import warpgrid as wg


def floats(*values):
    return array.array("f", values)


class Launch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.saxpy = wg.Module(kernels.SAXPY)["saxpy"]
        cls.copy = wg.Module(kernels.COPY)["copy"]

    def test_array_is_updated_in_place(self):
        y, x = floats(1, 2, 3), floats(10, 20, 30)
        run = self.saxpy[1, 32](y, x, 2.0, 3)
        self.assertEqual(y.tolist(), [21, 42, 63])
        self.assertEqual(x.tolist(), [10, 20, 30])
        self.assertGreater(run.steps, 10)
        self.assertEqual(run.stores, 1)

    def test_grid_may_have_several_blocks_and_dimensions(self):
        n = 100
        y, x = floats(*[0] * n), floats(*range(n))
        self.saxpy[(4, 1), (32, 1, 1)](y, x, 1, n)
        self.assertEqual(y.tolist(), list(range(n)))

    def test_numba_configuration_with_stream_and_shared_memory(self):
        y, x = floats(0), floats(1)
        self.saxpy[1, 32, 0, 1024](y, x, 1, 1)
        self.assertEqual(y.tolist(), [1])

    def test_bytearray_and_memoryview_are_arrays(self):
        to = bytearray(16)
        self.copy[1, 4](to, memoryview(b"0123456789abcdef"))
        self.assertEqual(to, b"0123456789abcdef")

    def test_array_that_is_passed_twice_is_one_buffer(self):
        y = floats(1, 2)
        self.saxpy[1, 32](y, y, 1.0, 2)
        self.assertEqual(y.tolist(), [2, 4])

    def test_structures_scalars_and_null_pointers(self):
        to = array.array("q", [7] * 6)
        kernel = wg.Module(kernels.PARAMETERS)["parameters"]
        kernel[1, 1](to, struct.pack("<qq", 11, -12), -3, 2.5, 0.5, None)
        bits = struct.unpack("<2q", struct.pack("<2d", 2.5, 0.5))
        self.assertEqual(to.tolist(), [11, -12, -3, *bits, 0])

    def test_source_with_errors_is_rejected(self):
        with self.assertRaises(wg.SourceError) as caught:
            wg.Module(kernels.HEADER + ".visible .entry k() { add.u32 %r1; }")
        self.assertTrue(caught.exception.diagnostics)
        self.assertIn("line 4", str(caught.exception))

    def test_unknown_kernel_lists_kernels(self):
        with self.assertRaisesRegex(KeyError, "saxpy"):
            self.saxpy.module["saxpi"]
        self.assertEqual(list(self.saxpy.module), ["saxpy"])

    def test_wrong_number_of_arguments(self):
        with self.assertRaisesRegex(wg.ArgumentError, "found 2 arguments, expected 4"):
            self.saxpy[1, 32](floats(1), floats(1))
        with self.assertRaisesRegex(wg.ArgumentError, "found 5 arguments, expected 4"):
            self.saxpy[1, 32](floats(1), floats(1), 1, 1, 1)

    def test_arguments_of_wrong_types(self):
        y, x = floats(1), floats(1)
        for arguments in [
            (y, x, 1.0, 1.5),
            (y, x, "1.0", 1),
            (y, x, 1.0, 1 << 40),
            (y, x, 1.0, None),
            (y, x, x, 1),
            (y, object(), 1.0, 1),
            (y, "x", 1.0, 1),
            ([1.0], x, 1.0, 1),
            (1.5, x, 1.0, 1),
        ]:
            with self.assertRaises(wg.ArgumentError, msg=arguments):
                self.saxpy[1, 32](*arguments)
        self.assertEqual(y.tolist(), [1])

    def test_wrong_launch_configurations(self):
        for configuration in [(0, 32), (1, 0), (1, -1), (1, (1, 1, 1, 1)), (1, 2048), ("1", 32), (1, 1.5), (1,)]:
            with self.assertRaises(wg.ArgumentError, msg=configuration):
                self.saxpy[configuration](floats(1), floats(1), 1.0, 1)

    def test_store_to_read_only_array_is_rejected(self):
        with self.assertRaisesRegex(wg.ArgumentError, "read-only"):
            self.copy[1, 4](bytes(16), bytearray(b"0123456789abcdef"))

    def test_array_that_is_not_contiguous_is_rejected(self):
        with self.assertRaisesRegex(wg.ArgumentError, "contiguous"):
            self.copy[1, 4](memoryview(bytearray(64))[::2], bytearray(16))

    def test_released_view_is_rejected(self):
        view = memoryview(bytearray(16))
        view.release()
        with self.assertRaises(wg.ArgumentError):
            self.copy[1, 4](view, bytearray(16))

    def test_store_to_partly_overlapping_arrays_is_rejected(self):
        memory = bytearray(range(24))
        view = memoryview(memory)
        with self.assertRaisesRegex(wg.ArgumentError, "overlaps"):
            self.copy[1, 4](view[4:20], view[:16])
        self.assertEqual(memory, bytearray(range(24)))
        to = bytearray(16)
        self.copy[1, 4](to, view[4:20])
        self.assertEqual(to, memory[4:20])

    def test_fault_has_position_and_earlier_stores(self):
        to = bytearray(12)
        with self.assertRaises(wg.FaultError) as caught:
            self.copy[1, 4](to, bytearray(b"0123456789abcdef"))
        self.assertEqual(caught.exception.fault.kind, "out_of_bounds")
        self.assertEqual(caught.exception.fault.buffer, "to")
        self.assertEqual(caught.exception.fault.thread, [3, 0, 0])
        self.assertIn("line", str(caught.exception))

    def test_hang_is_diagnosed(self):
        with self.assertRaises(wg.HangError) as caught:
            wg.Module(kernels.HANG)["hang"][1, 64]()
        self.assertIsNotNone(caught.exception.hang)

    def test_step_limit(self):
        loop = wg.Module(kernels.LOOP)["loop"]
        with self.assertRaisesRegex(wg.LimitError, "step limit after 1000 steps"):
            loop.launch(1, 1, 1 << 40, max_steps=1000)
        with self.assertRaises(TimeoutError):
            loop.launch(1, 1, 1 << 40, max_steps=0)

    def test_empty_array(self):
        y = floats()
        self.saxpy[1, 32](y, floats(), 1.0, 0)
        self.assertEqual(len(y), 0)

    def test_module_without_kernels_has_no_items(self):
        module = wg.Module(kernels.HEADER + ".global .u32 x;")
        self.assertEqual(len(module), 0)


if __name__ == "__main__":
    unittest.main()
