"""How far trials are, shown in a notebook while they run.

Progress bars go to standard error, which notebooks show in red as if something were wrong. Here
their last lines are shown in one place that moves on, and that is empty at the end.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr

from IPython.display import DisplayHandle

SHOWN = 2  # lines: what is run, and the bar


class Progress(io.TextIOBase):
    """A text file whose last lines are shown in a notebook."""

    def __init__(self):
        self._text = ""
        self._handle = None

    def write(self, text: str) -> int:
        self._text += text
        lines = []
        for line in self._text.split("\n"):
            # A carriage return begins the line again, as in a terminal.
            visible = line.rstrip("\r").rpartition("\r")[2].rstrip()
            if visible:
                lines.append(visible)
        self._show({"text/plain": "\n".join(lines[-SHOWN:])})
        return len(text)

    def clear(self):
        """Show nothing any more."""
        if self._handle is not None:
            self._show({"text/html": ""})

    def _show(self, data):
        if self._handle is None:
            self._handle = DisplayHandle()
            self._handle.display(data, raw=True)
        else:
            self._handle.update(data, raw=True)


@contextmanager
def shown_progress() -> Iterator[None]:
    """Show in the notebook what this block writes to standard error, until it ends well."""
    progress = Progress()
    with redirect_stderr(progress):
        yield
    progress.clear()
