"""Triton kernels on the emulator."""

import contextlib
import io
import os
import pickle
import tempfile
import unittest
import warnings

import warpgrid as wg

try:
    with warnings.catch_warnings():
        # Triton and PyTorch emit warnings about their own code.
        warnings.simplefilter("ignore")
        import numpy as np
        import kernels_of_triton as kernels
        import warpgrid.triton as wt
except ImportError:
    wt = None
try:
    import torch
except ImportError:
    torch = None


@unittest.skipIf(wt is None, "Triton or NumPy is not installed")
class TritonTest(unittest.TestCase):
    def setUp(self):
        cache = tempfile.TemporaryDirectory()
        self.addCleanup(cache.cleanup)
        warning_filters = warnings.catch_warnings()
        warning_filters.__enter__()
        self.addCleanup(warning_filters.__exit__, None, None, None)
        warnings.simplefilter("ignore")
        previous = os.environ.get("TRITON_CACHE_DIR")
        os.environ["TRITON_CACHE_DIR"] = cache.name
        self.addCleanup(self.restore_cache, previous)
        wt.use()

    @staticmethod
    def restore_cache(previous):
        if previous is None:
            del os.environ["TRITON_CACHE_DIR"]
        else:
            os.environ["TRITON_CACHE_DIR"] = previous


class Launches(TritonTest):
    def test_arrays_are_updated_in_place(self):
        x = np.arange(300, dtype=np.float32)
        y, out = np.ones_like(x), np.zeros_like(x)
        kernels.scaled_sum[(3,)](wt.array(x), wt.array(y), wt.array(out), 2.0, 300, BLOCK=128)
        np.testing.assert_array_equal(out, 2 * x + 1)

    def test_target_selects_the_compiled_kernel(self):
        a, b = (wt.array(np.random.default_rng(seed).standard_normal((32, 32)).astype(np.float16)) for seed in (1, 2))
        for target in ("sm_80", "sm_90", "sm_80"):
            wt.use(target=target)
            out = wt.array(np.zeros((32, 32), np.float32))
            compiled = kernels.matrix_product[(1,)](a, b, out, SIZE=32)
            self.assertIn(f".target {target}", compiled.asm["ptx"])
            np.testing.assert_allclose(out, a.astype(np.float32) @ b.astype(np.float32), atol=1e-4)

    def test_unknown_target_is_rejected(self):
        for target in ("sm_1", "90", "gfx942"):
            with self.assertRaises(wg.ArgumentError):
                wt.use(target=target)

    def test_scalars_and_tuples(self):
        out = wt.array(np.zeros(6))
        kernels.store_scalars[(1,)](out, 1.5, -2.5, 0.1, 1 << 40, True, (7, 9))
        np.testing.assert_array_equal(out, [1.5, -2.5, 0.1, 1 << 40, 1, -2])

    def test_rows_with_a_stride(self):
        whole = np.full((3, 48), -1, np.int32)
        rows = wt.array(whole)[:, :16]
        kernels.store_rows[(3,)](rows, rows.stride(0), COLUMNS=16)
        np.testing.assert_array_equal(whole[:, :16], np.arange(3)[:, None] * 100 + np.arange(16))
        self.assertTrue((whole[:, 16:] == -1).all())

    def test_unusable_arrays_are_rejected(self):
        for values in (np.zeros(4, np.complex64), np.zeros(4, ">f4"), np.zeros(4, np.float32)[::-1], ["text"]):
            with self.assertRaises(wg.ArgumentError):
                wt.array(values)
        frozen = np.zeros(32, np.float32)
        frozen.flags.writeable = False
        with self.assertRaises(wg.ArgumentError):
            kernels.unmasked_copy[(1,)](wt.array(np.ones(32, np.float32)), wt.array(frozen), BLOCK=32)

    def test_empty_grid_runs_nothing(self):
        out = wt.array(np.zeros(1, np.int32))
        kernels.racing_store[(0,)](out)
        self.assertEqual(out.tolist(), [0])

    def test_output_of_the_kernel_is_printed(self):
        with contextlib.redirect_stdout(io.StringIO()) as output:
            kernels.print_program[(2,)](num_warps=1)
        self.assertIn("program", output.getvalue())

    def test_autotuner_selects_the_configuration_with_the_fewest_steps(self):
        out = wt.array(np.zeros(500, np.float32))
        kernels.tuned_increment[(2,)](out, 500)
        self.assertEqual(kernels.tuned_increment.best_config.kwargs, {"BLOCK": 256})
        np.testing.assert_array_equal(out, np.ones(500))

    @unittest.skipIf(torch is None, "PyTorch is not installed")
    def test_tensors_of_the_cpu(self):
        x, out = torch.arange(64, dtype=torch.float32), torch.zeros(64)
        kernels.scaled_sum[(1,)](x, torch.ones(64), out, 3.0, 64, BLOCK=64)
        self.assertTrue(torch.equal(out, 3 * x + 1))
        rows = torch.zeros(4, 32, dtype=torch.int32)[:, ::2]
        kernels.store_rows[(4,)](rows, rows.stride(0), COLUMNS=16)
        self.assertEqual(rows.shape, (4, 16))


class Findings(TritonTest):
    def line_of(self, text):
        """Returns the line number of a text in the module of the kernels."""
        with open(kernels.__file__, encoding="utf-8") as file:
            return next(number for number, line in enumerate(file, 1) if text in line)

    def test_fault_has_the_line_and_the_argument_of_the_kernel(self):
        with self.assertRaises(wg.FaultError) as caught:
            kernels.unmasked_copy[(1,)](wt.array(np.zeros(100, np.float32)), wt.array(np.zeros(128, np.float32)), BLOCK=128)
        fault = caught.exception.fault
        line = self.line_of("values = tl.load(source + offsets)")
        self.assertEqual((fault.source[0].line, fault.buffer), (line, "source"))
        self.assertIn(f"kernels_of_triton.py:{line}, line ", str(caught.exception))
        self.assertIn(f"(kernels_of_triton.py:{line}): `", str(caught.exception))
        self.assertEqual(str(pickle.loads(pickle.dumps(caught.exception))), str(caught.exception))

    def test_analysis_reports_data_races(self):
        out = wt.array(np.zeros(1, np.int32))
        with wg.analysis() as reports:
            kernels.racing_store[(4,)](out)
        (report,) = reports
        self.assertEqual([finding.kind for finding in report.errors], ["data-race"])
        (error,) = report.errors
        line = self.line_of("tl.store(out, tl.program_id(0))")
        self.assertEqual(error.source[0].line, line)
        self.assertIn("`out`", error.message)
        self.assertEqual(error.message.count(f"(kernels_of_triton.py:{line})"), 2)

    def test_analysis_can_reject_a_launch(self):
        out = wt.array(np.full(1, 9, np.int32))
        with wg.analysis(fail=True) as reports, self.assertRaises(wg.FindingsError) as caught:
            kernels.racing_store[(4,)](out)
        self.assertIs(caught.exception.report, reports[0])
        self.assertEqual(out.tolist(), [9])

    def test_correct_kernel_has_no_errors(self):
        x = wt.array(np.zeros(256, np.float32))
        with wg.analysis() as reports:
            kernels.scaled_sum[(2,)](x, x, np.zeros_like(x), 1.0, 256, BLOCK=128)
        self.assertEqual(reports[0].errors, [])


if __name__ == "__main__":
    unittest.main()
