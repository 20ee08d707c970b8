"""Plain data of the JSON model, with the fields of objects as attributes."""

import json
import re


class Record(dict):
    """JSON object whose fields are also attributes. A field ``notCovered`` is also the attribute ``not_covered``.

    >>> Record(verdict="clean", notCovered=[]).not_covered
    []
    """

    __slots__ = ()

    def __getattr__(self, name):
        if name in self:
            return self[name]
        first, *rest = name.split("_")
        field = first + "".join(word.capitalize() for word in rest)
        if field in self:
            return self[field]
        raise AttributeError(f"found the attribute `{name}`, expected one of {', '.join(self)}")

    def __dir__(self):
        return [*super().__dir__(), *self]


_decoder = json.JSONDecoder(object_pairs_hook=Record)


def loads(text):
    """Parses JSON. Objects are instances of `Record`."""
    return _decoder.decode(text)


class TextTranslation:
    """Translation of texts about a compiled kernel into the terms of the language from which a compiler generated the kernel.

    ``names`` maps names of parameters to names of arguments. ``positions`` maps lines of the kernel to positions such as ``kernel.py:12``.

    >>> translation = TextTranslation({"f_param_1": "x"}, {40: "kernel.py:12"})
    >>> translation(Record(buffer="f_param_1", details=["store to `f_param_10` at line 40", "f_param_1"]))
    {'buffer': 'x', 'details': ['store to `f_param_10` at line 40 (kernel.py:12)', 'x']}
    """

    def __init__(self, names, positions):
        self._names = names
        self._positions = positions
        name = rf"(?<![\w$])(?P<name>{'|'.join(map(re.escape, names))})(?![\w$])" if names else r"(?P<name>(?!))"
        self._pattern = re.compile(rf"{name}|\bline (?P<line>\d+)\b")

    def __call__(self, value):
        """Returns a copy of a value of the JSON model with translated texts."""
        if isinstance(value, str):
            return self._pattern.sub(self._translated, value)
        if isinstance(value, dict):
            return Record((key, self(field)) for key, field in value.items())
        if isinstance(value, list):
            return [self(item) for item in value]
        return value

    def _translated(self, found):
        if found["name"] is not None:
            return self._names[found["name"]]
        position = self._positions.get(int(found["line"]))
        return found[0] if position is None else f"{found[0]} ({position})"
