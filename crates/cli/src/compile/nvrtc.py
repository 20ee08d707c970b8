"""Compiles the CUDA C++ on standard input with NVRTC: LIBRARY NAME OPTION..."""

import ctypes
import sys

path, name, *options = sys.argv[1:]
try:
    library = ctypes.CDLL(path)
except OSError as error:
    sys.exit(str(error))


def text(kind, program):
    """Returns the PTX or the log of a program."""
    size = ctypes.c_size_t()
    getattr(library, f"nvrtcGet{kind}Size")(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    getattr(library, f"nvrtcGet{kind}")(program, buffer)
    return buffer.value.decode(errors="replace")


def check(result):
    if result != 0:
        library.nvrtcGetErrorString.restype = ctypes.c_char_p
        sys.exit(library.nvrtcGetErrorString(result).decode())


program = ctypes.c_void_p()
source = sys.stdin.buffer.read()
check(library.nvrtcCreateProgram(ctypes.byref(program), source, name.encode(), 0, None, None))
encoded = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
result = library.nvrtcCompileProgram(program, len(options), encoded)
sys.stderr.write(text("ProgramLog", program))
check(result)
sys.stdout.write(text("PTX", program))
