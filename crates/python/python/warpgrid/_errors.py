"""Exceptions of the package."""


def _position(diagnostic):
    return f"line {diagnostic['line']}, column {diagnostic['column']}"


def source_text(positions):
    """Returns the position in the language from which a compiler generated an instruction: ``kernel.py:12``, or an empty text."""
    if not positions:
        return ""
    file = positions[0]["file"].replace("\\", "/").rpartition("/")[2]
    return f"{file}:{positions[0]['line']}"


class Error(Exception):
    """Base class of all exceptions of the package.

    ``message`` is one sentence, ``code`` is the code of a diagnostic (``W0123``) or ``None``, and ``diagnostics`` is a list of the diagnostics
    of the source.
    """

    def __init__(self, message, *, code=None, diagnostics=()):
        super().__init__(message)
        self.message = message
        self.code = code
        self.diagnostics = list(diagnostics)

    def __reduce__(self):
        return (_restore, (type(self), self.message, self.__dict__))


def _restore(kind, message, attributes):
    error = kind(message)
    error.__dict__.update(attributes)
    return error


class SourceError(Error):
    """The checker or a compiler rejects the source."""

    #: Maximum number of diagnostics in the text of the exception.
    MAX_LISTED = 10

    def __str__(self):
        errors = [found for found in self.diagnostics if found["severity"] == "error"]
        if not errors:
            return self.message
        lines = [f"the source is rejected with {len(errors)} error{'s' * (len(errors) != 1)}"]
        for found in errors[: self.MAX_LISTED]:
            lines.append(f"  {_position(found)}: error[{found['code']}]: {found['message']}")
            if found.get("help"):
                lines.append(f"    help: {found['help']}")
        if len(errors) > self.MAX_LISTED:
            lines.append(f"  … and {len(errors) - self.MAX_LISTED} more")
        return "\n".join(lines)


class CompileError(SourceError):
    """A compiler rejects the source or is not installed."""


class ArgumentError(Error, ValueError):
    """An argument of a call or a parameter of a launch is invalid."""


class FaultError(Error):
    """A fault stopped the run, such as an access out of bounds. All earlier stores are in effect.

    ``fault`` describes the fault: its kind, source line, thread and address. ``causes`` lists earlier events that are related to the fault.
    """

    def __init__(self, message, *, fault=None, hang=None, causes=(), **attributes):
        super().__init__(message, **attributes)
        self.fault = fault
        self.hang = hang
        self.causes = list(causes)
        self._translation = None

    def __str__(self):
        if not self.fault:
            return self.message
        fault = self.fault
        source = source_text(fault["source"])
        text = f"{source}{', ' * bool(source)}line {fault['range']['line']}: {self.message}"
        if not self.message.startswith("thread "):
            text += f" (block {tuple(fault['block'])}, thread {tuple(fault['thread'])})"
        for cause in self.causes:
            line = f"line {cause['range']['line']}"
            text += f"\n  {line if self._translation is None else self._translation(line)}: {cause['text']}"
        return text

    def translate(self, translation):
        """Translates all texts with a `TextTranslation`."""
        self._translation = translation
        self.message, self.fault, self.hang, self.causes = translation([self.message, self.fault, self.hang, self.causes])


class HangError(FaultError):
    """All threads of the launch wait. ``hang`` is the diagnosis: the waiting threads, and the missing event."""


class LimitError(Error, TimeoutError):
    """The run reached its step limit or its deadline. The arrays are unchanged."""

    def __init__(self, message, *, steps=None, **attributes):
        super().__init__(message, **attributes)
        self.steps = steps


class FindingsError(Error):
    """An analysis has findings. ``report`` is the report of the analysis."""

    def __init__(self, message, *, report=None, **attributes):
        super().__init__(message, **attributes)
        self.report = report

    def __str__(self):
        return self.message if self.report is None else str(self.report)


class InternalError(Error, RuntimeError):
    """Error in the emulator, which is a bug of Warpgrid."""
