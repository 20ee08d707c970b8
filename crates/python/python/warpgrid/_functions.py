"""Functions that need no launch."""

from . import _native
from ._sources import contents_of, text_of


def check(source, *, target=None, ptx_version=None, language=None):
    """Checks a source as the assembler does, and returns ``{accept, diagnostics, target, …}``. A rejected source is not an exception.

    ``source`` is a text, a path or the contents of a compiled file. ``target`` and ``ptx_version`` override the directives of the module.
    ``language`` is ``"ptx"`` or ``"sass"``; by default, the language is detected from the source.

    >>> report = check(".version 8.0 .target sm_80 .visible .entry k() { retx; }")
    >>> report.accept, report.diagnostics[0].code
    (False, 'W0100')
    """
    text, _ = text_of(source)
    return _native.check(text, target, ptx_version, language)


def explain(subject):
    """Explains a diagnostic code, an instruction, a special register or a term. Returns ``None`` for an unknown subject.

    >>> explain("bank").splitlines()[0]
    'bank'
    """
    return _native.explain(subject)


def format(source):
    """Formats a source. The result contains the same tokens and comments, with one statement per line."""
    return _native.format_source(source)


def open_file(file, *, name=None):
    """Lists the code objects of a cubin, fatbin, object file or executable: ``{kind, programs, notes}``.

    ``file`` is a path or the contents of the file.
    """
    contents, _ = contents_of(file)
    return _native.open_file(contents)
