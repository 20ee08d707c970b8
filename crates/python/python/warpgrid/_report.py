"""Report of an analysis."""

from html import escape

from ._errors import source_text
from ._records import Record

#: Kinds of findings that show an error of a kernel. The other kinds concern the performance, or can be intended.
_ERROR_KINDS = ("wrong-result", "fault", "hang", "data-race", "uninitialized-read")


class Report(Record):
    """Result of an analysis: ``verdict``, ``diagnostics`` of the source and ``kernels`` with their findings.

    The fields have the JSON model of `warpgrid analyze`. The report is true if the verdict is ``clean``.
    """

    __slots__ = ("_source", "_name", "_start", "_session")

    def __init__(self, report, source, name, start):
        super().__init__(report)
        self._source = source
        self._name = name
        self._start = start
        self._session = None

    def __bool__(self):
        return self["verdict"] == "clean"

    def __reduce__(self):
        # Sessions cannot be pickled.
        return (Report, (dict(self), self._source, self._name, None))

    @property
    def name(self):
        """Name of the analyzed module."""
        return self._name or "module"

    @property
    def findings(self):
        """Diagnostics of the source and findings of all kernels, most severe first."""
        found = list(self["diagnostics"])
        for kernel in self["kernels"]:
            found += kernel["findings"]
        severities = ("error", "warning", "performance", "information")
        return sorted(found, key=lambda finding: severities.index(finding["severity"]))

    @property
    def errors(self):
        """Findings that show an error of a kernel: faults, hangs, data races and uninitialized reads."""
        return list(filter(is_error, self.findings))

    @property
    def session(self):
        """Session of the analyzed launch at its end, or ``None`` for the report of a whole module."""
        if self._session is None and self._start is not None:
            session = self._start()
            session.run()
            self._session = session
        return self._session

    @property
    def races(self):
        """Data races of the run."""
        return self._of_session("races")

    @property
    def hang(self):
        """Diagnosis of a hang, or ``None``."""
        return self._of_session("hang")

    @property
    def conflicts(self):
        """Bank conflicts of the run."""
        return self._of_session("conflicts")

    @property
    def traffic(self):
        """Memory traffic of the run."""
        return self._of_session("traffic")

    @property
    def timeline(self):
        """Timeline of the run."""
        return self._of_session("timeline")

    def _of_session(self, request):
        session = self.session
        return None if session is None else getattr(session, request)()

    def __str__(self):
        lines = [f"{self.name}: {self['verdict']}"]
        for kernel in self["kernels"]:
            lines.append(f"  {kernel['kernel']}  {kernel['launch']}  {kernel['target']}, {kernel['steps']} steps: {kernel['verdict']}")
        for finding in self.findings:
            lines.append(f"    {title_of(finding)}{lines_text(finding)}: {finding['message']}")
            lines += (f"      {detail}" for detail in finding["details"])
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self):
        """Returns the findings as an HTML table, which notebooks display."""
        source = self._source.splitlines()

        def row(finding):
            numbers = finding["lines"]
            text = source[numbers[0] - 1].strip() if numbers and numbers[0] <= len(source) else ""
            details = "".join(f"<br>{escape(detail)}" for detail in finding["details"])
            cells = (
                escape(title_of(finding)),
                escape(", ".join(filter(None, (source_text(finding["source"]), *map(str, numbers))))),
                f"<code>{escape(text)}</code>",
                escape(finding["message"]) + details,
            )
            return "<tr>" + "".join(f"<td style='text-align: left'>{cell}</td>" for cell in cells) + "</tr>"

        kernels = "".join(
            f"<p><code>{escape(kernel['kernel'])}{escape(kernel['launch'])}</code>, {escape(kernel['target'])}, "
            f"{kernel['steps']} steps: <b>{escape(kernel['verdict'])}</b></p>"
            for kernel in self["kernels"]
        )
        rows = "".join(map(row, self.findings))
        head = "".join(f"<th style='text-align: left'>{title}</th>" for title in ("Finding", "Lines", "Source", "Message"))
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>" if rows else ""
        return f"<p>Verdict: <b>{escape(self['verdict'])}</b></p>{kernels}{table}"


def is_error(finding):
    """Returns whether a finding shows an error of a kernel."""
    return finding["kind"] in _ERROR_KINDS and finding["severity"] in ("error", "warning")


def title_of(finding):
    """Returns the severity and the kind of a finding: ``error: data race``."""
    return f"{finding['severity']}: {finding['code'] or finding['kind'].replace('-', ' ')}"


def lines_text(finding):
    """Returns the position of a finding in parentheses: `` (kernel.py:12, line 40)``, or an empty text."""
    numbers = finding["lines"]
    source = source_text(finding["source"])
    lines = f"line{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}" if numbers else ""
    text = ", ".join(filter(None, (source, lines)))
    return f" ({text})" if text else ""
