"""The state of every table and figure, and the command that mends it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mimlpaper.report.artefacts import ARTEFACTS
from mimlpaper.report.cells import STATES, overall
from mimlpaper.report.claims import Records, records_of

__all__ = ["artefact_status"]

TRIAL = ["dataset", "method", "parameters", "split"]


def artefact_status(
    get_records: Records, n_trials: Mapping[str, int], folder, last_runs: Mapping[str, str]
) -> list[dict]:
    """One row for each artefact: title, notebook, state, trials by state, mending command.

    The state is the first that fits: ``"failed"`` if the notebook's last run did not end well;
    ``"missing"`` if trials are not recorded, or its files are not there; ``"stale"`` if a trial
    was made by other code, unverified; ``"attested"``; ``"fresh"``.

    Parameters
    ----------
    get_records : callable or mapping, from an experiment's name to its records.
    n_trials : mapping from an experiment's name to the number of its trials.
    folder : path, where the artefacts' files are.
    last_runs : mapping from a notebook's name to how its last run ended, ``"done"`` if well.
    """
    rows = []
    for artefact in ARTEFACTS:
        trials = _trials(records_of(get_records, artefact.experiment))
        wanted = n_trials[artefact.experiment] if artefact.experiment else 0
        made = any(Path(folder).glob(f"{artefact.file}.*"))
        if last_runs.get(artefact.notebook, "done") != "done":
            state = "failed"
        elif not made or len(trials) < wanted:
            state = "missing"
        else:
            state = overall(trials["state"]) if wanted else "fresh"
        rows.append(
            {
                "artefact": artefact.title,
                "notebook": artefact.notebook,
                "state": state,
                "trials": _counts(trials, wanted),
                "mend": _mend(artefact, state),
            }
        )
    return rows


def _trials(records):
    """One row a trial; a staged one has a record for each stage."""
    return records.drop_duplicates(TRIAL) if len(records) else records


def _counts(trials, wanted):
    """Such as ``120 fresh of 240``."""
    if not wanted:
        return ""
    counts = trials["state"].value_counts() if len(trials) else {}
    told = ", ".join(f"{counts[word]} {word}" for word in STATES if word in counts)
    return f"{told or 'none'} of {wanted}"


def _mend(artefact, state):
    if state == "stale":
        return f"mimlpaper verify --experiment {artefact.experiment}"
    return f"mimlpaper run {artefact.notebook}" if state in ("failed", "missing") else ""
