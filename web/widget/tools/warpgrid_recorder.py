"""The recorder of the npm package for documentation tools in Python: texts and attributes go in, HTML and what is wrong come out.

One process answers for all blocks of a build.
"""

import json
import os
import subprocess

COMMAND = ["npx", "--no-install", "warpgrid-embed"]
"""The recorder where the npm package is installed beside the document. (npx must not ask the registry for a package of that name.)"""


class RecorderError(Exception):
    """The recorder does not start, or has ended."""


class Recorder:
    """A process that takes a line of JSON for each block; it starts with the first, and once in each process of a parallel build."""

    def __init__(self, command=None):
        self.command = command or COMMAND
        self._started = {}

    def embed(self, text, attributes):
        """The element as HTML, and a list of problems with ``line`` (from 1; 0 is before the text), ``code``, ``severity``, ``message``."""
        process = self._process()
        try:
            process.stdin.write(json.dumps({"text": text, "attributes": attributes}) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except OSError:
            answer = ""
        if not answer:
            self.close()
            raise RecorderError(f"{' '.join(self.command)} has terminated: check that the npm package `warpgrid` is installed here")
        answer = json.loads(answer)
        return answer["html"], answer.get("problems", [])

    def close(self):
        """Ends the process of this one; the next block starts another."""
        process = self._started.pop(os.getpid(), None)
        if process:
            process.stdin.close()
            process.stdout.close()
            process.wait()

    def _process(self):
        process = self._started.get(os.getpid())
        if process is None:
            try:
                process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
            except OSError as error:
                raise RecorderError(f"{' '.join(self.command)}: {error}") from error
            self._started[os.getpid()] = process
        return process
