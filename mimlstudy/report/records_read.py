"""Read all published records when this is imported: forks have them, and need not read again."""

from contextlib import suppress

from mimlstudy.engine.rows import StoreError
from mimlstudy.paper.experiments import EXPERIMENTS
from mimlstudy.report.status import reader_of

read = reader_of("paper")
with suppress(StoreError):  # which the command that reads them as well reports
    for name in EXPERIMENTS:
        read(name)
