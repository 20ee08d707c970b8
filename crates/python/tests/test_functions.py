"""Checks, compiled files and compilation."""

import ast
import pathlib
import tempfile
import unittest

import kernels
import warpgrid as wg


class Functions(unittest.TestCase):
    def test_check_accepts_and_rejects(self):
        self.assertTrue(wg.check(kernels.SAXPY).accept)
        source = kernels.HEADER + ".visible .entry k() { wgmma.fence.sync.aligned; ret; }"
        self.assertFalse(wg.check(source).accept)
        self.assertTrue(wg.check(source, target="sm_90a").accept)
        self.assertFalse(wg.check(kernels.SAXPY, target="sm_1").accept)

    def test_language_must_exist(self):
        with self.assertRaises(wg.ArgumentError):
            wg.check(kernels.SAXPY, language="spirv")

    def test_paths_and_bytes_are_sources(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "saxpy.ptx")
            path.write_text(kernels.SAXPY)
            for source in (path, str(path), path.read_bytes()):
                self.assertEqual(list(wg.Module(source)), ["saxpy"])
            self.assertEqual(wg.Module(path).name, "saxpy.ptx")
            with self.assertRaises(OSError):
                wg.Module(pathlib.Path(folder, "missing.ptx"))
        with self.assertRaises(wg.ArgumentError):
            wg.Module(7)

    def test_invalid_compiled_files_are_rejected(self):
        for contents in (b"\x7fELF", b"\x7fELF" + bytes(100), b"\xff\xfe\x00", b"\x50\xed\x55\xba" + bytes(60)):
            with self.assertRaises(wg.Error):
                wg.Module(contents)

    def test_format_and_explain(self):
        self.assertIn("\n", wg.format(".version 8.0 .target sm_80 .visible .entry k() { ret; }"))
        self.assertIsNone(wg.explain("no such subject"))
        self.assertIn("store", wg.explain("st.global.u32").lower())

    def test_records_have_attributes_in_both_notations(self):
        report = wg.check(kernels.SAXPY)
        self.assertIs(report["accept"], report.accept)
        with self.assertRaises(AttributeError):
            report.missing
        self.assertEqual(wg.Record(endLine=3).end_line, 3)

    def test_compiler_that_is_not_installed(self):
        if wg._compile.find_library() is None:
            with self.assertRaisesRegex(wg.CompileError, "pip install"):
                wg.compile("__global__ void k() {}")

    def test_compiler(self):
        if wg._compile.find_library() is None:
            self.skipTest("NVRTC is not installed")
        ptx = wg.compile('extern "C" __global__ void k(int* p) { *p = N; }', arch="sm_80", options=["-DN=5"])
        to = bytearray(4)
        wg.Module(ptx)["k"][1, 1](to)
        self.assertEqual(to, b"\5\0\0\0")
        with self.assertRaisesRegex(wg.CompileError, "kernel.cu"):
            wg.compile("__global__ void k() { undefined(); }")

    def test_stubs_declare_native_module(self):
        native = wg._native
        stubs = pathlib.Path(wg.__file__).with_name("_native.pyi").read_text()
        tree = ast.parse(stubs)
        kinds = (ast.FunctionDef, ast.ClassDef)
        declared = {node.name: node for node in tree.body if isinstance(node, kinds)}
        names = {name for name in dir(native) if not name.startswith("_")}
        constants = {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}
        self.assertEqual(names, set(declared) | constants)
        for name, node in declared.items():
            if isinstance(node, ast.ClassDef):
                methods = {method.name for method in node.body if isinstance(method, kinds)} - {"__init__"}
                self.assertEqual(methods, {own for own in dir(getattr(native, name)) if not own.startswith("_")})

    def test_cell_magic(self):
        class Shell:
            user_ns = {}

            def register_magic_function(self, function, kind, name):
                self.function = function

        shell = Shell()
        wg.load_ipython_extension(shell)
        shell.function("module", kernels.SAXPY)
        self.assertEqual(list(shell.user_ns["module"]), ["saxpy"])


if __name__ == "__main__":
    unittest.main()
