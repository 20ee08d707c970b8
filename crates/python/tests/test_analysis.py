"""Analyses and sessions."""

import array
import unittest

import kernels
import warpgrid as wg


class Analysis(unittest.TestCase):
    def test_correct_kernel_is_clean(self):
        kernel = wg.Module(kernels.COPY, name="copy.ptx")["copy"]
        to = bytearray(16)
        report = kernel.analyze(1, 4, to, b"0123456789abcdef")
        self.assertEqual(report.verdict, "clean")
        self.assertTrue(report)
        self.assertEqual(to, bytes(16))
        self.assertEqual(report.kernels[0].kernel, "copy")
        self.assertEqual(report.kernels[0].not_covered, [])
        self.assertIn("copy.ptx: clean", str(report))

    def test_race_is_a_finding(self):
        report = wg.Module(kernels.RACE)["race"].analyze(1, 64, bytearray(4))
        self.assertEqual(report.verdict, "findings")
        self.assertIn("data-race", [finding.kind for finding in report.findings])
        self.assertTrue(report.races["races"])
        self.assertIn("data race", str(report))

    def test_fault_is_a_finding(self):
        report = wg.Module(kernels.COPY)["copy"].analyze(1, 4, bytearray(4), bytes(16))
        self.assertEqual(report.findings[0].kind, "fault")
        self.assertEqual(report.session.fault.kind, "out_of_bounds")

    def test_hang_is_a_finding(self):
        report = wg.Module(kernels.HANG)["hang"].analyze(1, 64)
        self.assertIn("hang", [finding.kind for finding in report.findings])
        self.assertIsNotNone(report.hang)

    def test_step_limit_makes_report_incomplete(self):
        report = wg.Module(kernels.LOOP)["loop"].analyze(1, 1, 1 << 40, max_steps=1000)
        self.assertEqual(report.verdict, "incomplete")

    def test_timeout_ends_analysis(self):
        with self.assertRaises(wg.LimitError):
            wg.Module(kernels.LOOP)["loop"].analyze(1, 1, 10_000_000, timeout=0.05)

    def test_module_is_analyzed_with_annotations(self):
        source = "//@ launch grid=1 block=4\n//@ buffer to: u32[4] = 0\n//@ buffer from: u32[4] = iota\n" + kernels.COPY
        report = wg.Module(source).analyze()
        self.assertEqual(report.verdict, "clean")
        self.assertIsNone(report.session)

    def test_report_in_html_escapes_texts(self):
        report = wg.Module(kernels.RACE, name="<b>")["race"].analyze(1, 64, bytearray(4))
        html = report._repr_html_()
        self.assertIn("<table>", html)
        self.assertIn("&lt;&lt;&lt;1, 64&gt;&gt;&gt;", html)

    def test_traffic_conflicts_and_timeline(self):
        report = wg.Module(kernels.COPY)["copy"].analyze(1, 32, bytearray(128), bytes(128))
        self.assertTrue(report.traffic)
        self.assertEqual(report.conflicts.accesses, [])
        self.assertEqual(report.timeline.steps, report.kernels[0].steps)
        self.assertIn("traceEvents", report.session.chrome_trace())


class SessionSteps(unittest.TestCase):
    def setUp(self):
        kernel = wg.Module(kernels.COPY)["copy"]
        self.session = kernel.session(1, 4, bytearray(16), b"0123456789abcdef")

    def test_session_steps_forward_and_back(self):
        session = self.session
        self.assertEqual(session.position, 0)
        self.assertTrue(session.step())
        self.assertEqual(session.position, 1)
        self.assertTrue(session.back())
        self.assertFalse(session.back())
        self.assertTrue(session.run())
        self.assertTrue(session.is_finished)
        self.assertEqual(session.length, session.position)
        self.assertEqual(session.memory("to"), b"0123456789abcdef")
        session.seek(2)
        self.assertEqual(session.memory("to"), bytes(16))

    def test_session_lists_stores_and_lanes(self):
        self.session.run()
        self.assertEqual(self.session.memory_names(), ["to", "from"])
        self.assertEqual([len(store.lanes) for store in self.session.events()], [4])
        self.session.seek(3)
        self.assertEqual(len(self.session.lanes().lanes), 32)

    def test_schedules_are_proved_or_have_a_witness(self):
        report = self.session.schedules()
        self.assertEqual((report.verdict, report.witness), ("clean", None))
        racy = wg.Module(kernels.RACE)["race"].session(1, 64, bytearray(4))
        report = racy.schedules()
        self.assertEqual(report.verdict, "witness")
        self.assertEqual(report.witness.finding.kind, "data-race")

    def test_unknown_memory_is_an_argument_error(self):
        with self.assertRaises(wg.ArgumentError) as caught:
            self.session.memory("x")
        self.assertEqual(caught.exception.code, "W0902")


if __name__ == "__main__":
    unittest.main()
