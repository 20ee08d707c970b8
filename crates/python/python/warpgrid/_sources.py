"""Reading of sources: texts, paths and compiled files."""

import os

from . import _native
from ._errors import ArgumentError

#: Start of an ELF file, of a fatbin, and of the wrapper of a fatbin.
_COMPILED = (b"\x7fELF", b"\x50\xed\x55\xba", b"\xb1\x43\x62\x46")


def contents_of(source):
    """Returns the contents of a file and its name. ``source`` is a path or the contents."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), ""
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        with open(path, "rb") as file:
            return file.read(), os.path.basename(path)
    raise ArgumentError(f"found `{type(source).__name__}`, expected a path or the contents of a file")


def text_of(source):
    """Returns the text of a source and its name. ``source`` is a text, a path, or the contents of a text file or of a compiled file.

    A string is a path if it has one line and ends with a file extension.
    """
    if isinstance(source, str) and not _is_path(source):
        return source, ""
    contents, name = contents_of(source)
    if contents.startswith(_COMPILED):
        return _ptx_of(contents, name), name
    try:
        return contents.decode("utf-8-sig"), name
    except UnicodeDecodeError:
        return _ptx_of(contents, name), name


def _is_path(text):
    return len(text) < 4096 and "\n" not in text and os.path.splitext(text)[1][1:].isalnum() and os.path.isfile(text)


def _ptx_of(contents, name):
    """Returns the first PTX source of a compiled file."""
    programs = _native.open_file(contents)["programs"]
    for index, program in enumerate(programs):
        if program["language"] == "ptx":
            return _native.file_text(contents, index)
    raise ArgumentError(f"the file {name} contains no PTX".replace("  ", " "))
