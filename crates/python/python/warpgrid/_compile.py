"""Compilation of CUDA C++ to PTX with NVRTC, the library of the CUDA toolkit."""

import os
import sys

from . import _native
from ._errors import CompileError

#: Command that installs NVRTC without a GPU.
INSTALLATION = "pip install nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-cccl"


def compile(source, *, arch="sm_80", options=(), name="kernel.cu", library=None):
    """Compiles CUDA C++ to PTX with line information.

    ``source`` is a text. ``arch`` is a target such as ``"sm_90"``, ``options`` are further options of the compiler, such as ``"-DN=16"``, and
    ``library`` is the path of NVRTC; by default, NVRTC of the Python packages of NVIDIA or of the CUDA toolkit. Raises `CompileError` with the
    messages of the compiler if the compiler rejects the source or is not installed.
    """
    import subprocess

    library = library or find_library()
    if library is None:
        raise CompileError(f"cannot find NVRTC: install it with `{INSTALLATION}`, or specify `library`")
    arguments = [
        library,
        name,
        "-lineinfo",
        f"--gpu-architecture={arch.replace('sm_', 'compute_', 1)}",
        *(f"--include-path={folder}" for folder in _include_folders(library)),
        *options,
    ]
    # The compiler runs in a separate process, so that a crash of the compiler does not end the interpreter.
    command = [sys.executable, "-c", _native.NVRTC_DRIVER, *map(os.fspath, arguments)]
    compiled = subprocess.run(command, input=source.encode(), capture_output=True)
    if compiled.returncode:
        raise CompileError(compiled.stderr.decode(errors="replace").strip())
    return compiled.stdout.decode().rstrip("\0")


def _roots():
    """Returns the directories of the Python packages of NVIDIA and of the CUDA toolkit."""
    import importlib.util

    try:
        spec = importlib.util.find_spec("nvidia")
    except (ImportError, ValueError):
        spec = None
    roots = []
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        # The newest package comes first: `cu13` precedes `cuda_nvrtc`, which contains release 12.
        roots += [os.path.join(folder, entry) for entry in sorted(os.listdir(folder))]
    roots += [os.environ[name] for name in ("CUDA_HOME", "CUDA_PATH") if name in os.environ]
    return roots


def find_library():
    """Returns the path of NVRTC, or ``None``."""
    folders = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    folders += [os.path.join(root, name) for root in _roots() for name in ("lib64", "lib", "bin", os.path.join("bin", "x86_64"))]
    for folder in folders:
        if not folder or not os.path.isdir(folder):
            continue
        for file in sorted(os.listdir(folder)):
            is_variant = "builtins" in file or ".alt." in file
            is_library = file.startswith("libnvrtc.so") or file.startswith("nvrtc64_") and file.endswith(".dll")
            if is_library and not is_variant:
                return os.path.join(folder, file)
    return None


def _include_folders(library):
    """Returns the directories of the headers. The headers of the package of the library precede those of other packages."""
    own = os.path.dirname(os.path.dirname(os.path.abspath(library)))
    folders = []
    for root in (own, *_roots()):
        include = os.path.join(root, "include")
        folders += [include, os.path.join(include, "cccl")]
    return [folder for folder in dict.fromkeys(folders) if os.path.isdir(folder)]
