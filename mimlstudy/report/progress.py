"""How far trials are, shown in a notebook while they run.

Progress bars and notices go to standard error, which notebooks show in red as if something were
wrong. Here their last lines are shown in one place that moves on, and that is empty at the end.
"""

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr

from IPython import get_ipython
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


class Notices(logging.Handler):
    """Shows what the package logs, such as that a fit compiles first, until the cell ends."""

    def __init__(self):
        super().__init__()
        self._progress = Progress()

    def emit(self, record: logging.LogRecord):
        self._progress.write(f"{self.format(record)}\n")

    def clear(self, result=None):
        """Show nothing any more; ``result`` is that of the cell, as IPython gives it."""
        self._progress.clear()
        self._progress = Progress()


def show_notices():
    """Show in the notebook, if this is one, what the package logs from now on."""
    shell, logger = get_ipython(), logging.getLogger("mimlpaper")
    if shell is None or any(isinstance(handler, Notices) for handler in logger.handlers):
        return
    notices = Notices()
    logger.addHandler(notices)
    shell.events.register("post_run_cell", notices.clear)
