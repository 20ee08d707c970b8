"""Threads, signals, processes and interpreter shutdown."""

import array
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import unittest
import warnings

import kernels
import warpgrid as wg


class Threads(unittest.TestCase):
    def test_threads_share_a_module(self):
        kernel = wg.Module(kernels.SAXPY)["saxpy"]
        results = {}

        def work(number):
            y = array.array("f", [0] * 64)
            x = array.array("f", [number] * 64)
            for _ in range(20):
                kernel[2, 32](y, x, 1.0, 64)
            results[number] = y.tolist()

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, {number: [20.0 * number] * 64 for number in range(4)})

    def test_other_threads_run_during_a_launch(self):
        loop = wg.Module(kernels.LOOP)["loop"]
        thread = threading.Thread(target=lambda: loop.launch(1, 1, 1_000_000))
        thread.start()
        n = 0
        while thread.is_alive():
            n += 1
            time.sleep(0.001)
        thread.join()
        self.assertGreater(n, 3)


class Signals(unittest.TestCase):
    def setUp(self):
        # A process that a shell starts in the background ignores the signal.
        previous = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, previous)

    def interrupted(self, call):
        """Returns the seconds until a call raises `KeyboardInterrupt` after a signal."""
        timer = threading.Timer(0.1, lambda: signal.raise_signal(signal.SIGINT))
        started = time.monotonic()
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            call()
        timer.join()
        return time.monotonic() - started

    def test_launch_and_analysis_are_interrupted(self):
        loop = wg.Module(kernels.LOOP)["loop"]
        self.assertLess(self.interrupted(lambda: loop.launch(1, 1, 1 << 40)), 2)
        self.assertLess(self.interrupted(lambda: loop.analyze(1, 1, 20_000_000)), 2)

    def test_interrupted_session_remains_usable(self):
        session = wg.Module(kernels.LOOP)["loop"].session(1, 1, 1 << 40)
        self.assertLess(self.interrupted(session.run), 2)
        position = session.position
        self.assertGreater(position, 0)
        self.assertTrue(session.step())
        session.seek(position - 1)
        self.assertEqual(session.position, position - 1)

    def test_launch_has_time_limit(self):
        loop = wg.Module(kernels.LOOP)["loop"]
        started = time.monotonic()
        with self.assertRaisesRegex(wg.LimitError, "0.1 s"):
            loop.launch(1, 1, 1 << 40, timeout=0.1)
        self.assertLess(time.monotonic() - started, 2)
        for timeout in (-1.0, float("nan")):
            with self.assertRaises(wg.ArgumentError):
                loop.launch(1, 1, 1, timeout=timeout)


class Processes(unittest.TestCase):
    @unittest.skipUnless(hasattr(os, "fork"), "the operating system has no `fork`")
    def test_forked_process_can_launch(self):
        kernel = wg.Module(kernels.COPY)["copy"]
        kernel[1, 4](bytearray(16), bytes(16))
        with warnings.catch_warnings():
            # Python reports a process with several threads, such as the threads of interrupted analyses.
            warnings.simplefilter("ignore", DeprecationWarning)
            process = os.fork()
        if process == 0:
            to = bytearray(16)
            kernel[1, 4](to, b"0123456789abcdef")
            report = kernel.analyze(1, 4, to, bytes(16))
            os._exit(0 if to == b"0123456789abcdef" and report else 1)
        self.assertEqual(os.waitpid(process, 0)[1], 0)

    def test_shutdown_during_a_run(self):
        program = (
            "import sys, threading, time\n"
            f"sys.path[:0] = {sys.path!r}\n"
            "import kernels, warpgrid as wg\n"
            "loop = wg.Module(kernels.LOOP)['loop']\n"
            "session = loop.session(1, 1, 1 << 40)\n"
            "for work in (lambda: loop.launch(1, 1, 1 << 40), lambda: session.run(), lambda: loop.analyze(1, 1, 1 << 40)):\n"
            "    threading.Thread(target=work, daemon=True).start()\n"
            "time.sleep(0.3)\n"
            "print('end')\n"
        )
        ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30)
        self.assertEqual((ended.stdout, ended.stderr, ended.returncode), ("end\n", "", 0))

    def test_import_has_no_dependencies(self):
        program = (
            f"import sys; sys.path[:0] = {sys.path!r}; before = set(sys.modules); import warpgrid\n"
            "new = {name.split('.')[0] for name in set(sys.modules) - before}\n"
            "print(sorted(new & {'numpy', 'torch', 'ctypes', 'subprocess', 'asyncio', 'html.parser'}))\n"
        )
        ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30)
        self.assertEqual((ended.stdout, ended.stderr), ("[]\n", ""))


class Errors(unittest.TestCase):
    def test_exceptions_can_be_pickled(self):
        try:
            wg.Module(kernels.COPY)["copy"][1, 4](bytearray(4), bytes(16))
        except wg.FaultError as error:
            copy = pickle.loads(pickle.dumps(error))
            self.assertEqual(str(copy), str(error))
            self.assertEqual(copy.fault.kind, "out_of_bounds")

    def test_classes_of_exceptions(self):
        self.assertTrue(issubclass(wg.ArgumentError, (wg.Error, ValueError)))
        self.assertTrue(issubclass(wg.HangError, wg.FaultError))
        self.assertTrue(issubclass(wg.LimitError, TimeoutError))

    def test_native_arguments_of_wrong_types_raise_exceptions(self):
        native = wg.Module(kernels.COPY)._native
        launch = ([1, 1, 1], [4, 1, 1], None, 0, 0)
        view = memoryview(bytearray(16))
        for arguments in [
            [(view,), (view, "u32", (4,))],
            [(view, "unknown", (4,)), (view, "u32", (4,))],
            [(view, "u32", (5,)), (view, "u32", (4,))],
            [(view, "u32", (1 << 63, 8)), (view, "u32", (4,))],
            [(memoryview(array.array("f", [1])), "u32", (1,)), (view, "u32", (4,))],
        ]:
            with self.assertRaises(Exception) as caught:
                native.launch(0, launch, arguments, 1000, None)
            self.assertNotIsInstance(caught.exception, wg.InternalError)
        with self.assertRaises(wg.ArgumentError):
            native.launch(7, launch, [], 1000, None)


if __name__ == "__main__":
    unittest.main()
