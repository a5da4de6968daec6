"""Every table and figure: its files, its notebook, its state; and the map of the pseudo-code."""

import hashlib
import inspect
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from textwrap import fill

import pandas as pd

from mimlpaper import paths
from mimlpaper.experiments.fingerprint import provenance
from mimlpaper.experiments.store import default_store, put_rows
from mimlpaper.experiments.verify import SAME
from mimlpaper.paths import packaged_data, project_root, published
from mimlpaper.report.compare import STATES, Records, overall, records_of


@dataclass(frozen=True)
class Artefact:
    """One table or figure, of the paper or beyond it."""

    title: str  # as the paper calls it
    file: str  # name of its files in figures/, without ending
    notebook: str
    experiment: str | None = None  # whose records it shows; None if it needs no trials
    shows: str = ""  # what a figure shows, in words; empty for a table

    @property
    def is_figure(self) -> bool:
        """Whether it is a picture; otherwise it is a table."""
        return bool(self.shows)

    @property
    def files(self) -> tuple[str, ...]:
        """Names of its files, the one to look at first."""
        endings = ("png", "svg") if self.is_figure else ("csv", "md", "tex")
        return tuple(f"{self.file}.{ending}" for ending in endings)

    @property
    def make(self) -> str:
        """The command that makes its files."""
        return f"mimlpaper run {self.notebook}"

    @property
    def compute(self) -> str:
        """The command that runs its trials; empty if it needs none."""
        return f"mimlpaper compute {self.experiment}" if self.experiment else ""


def _read(path):
    table = pd.read_csv(path, dtype=str, keep_default_na=False).to_dict("records")
    return tuple(Artefact(**row | {"experiment": row["experiment"] or None}) for row in table)


ARTEFACTS = _read(published() / "artefacts.csv")

TRIAL = ["dataset", "method", "parameters", "split"]  # the columns that identify a trial


def artefact_status(
    get_records: Records, n_trials: Mapping[str, int], folder, last_runs: Mapping[str, str]
) -> list[dict]:
    """One row for each artefact: title, notebook, state, trials by state, mending command.

    The state is the first that fits: ``"failed"`` if the notebook's last run did not end well;
    ``"missing"`` if trials or files are missing; ``"stale"`` if a trial was made by other code
    and is not verified; ``"attested"``; ``"fresh"``.

    ``n_trials`` maps an experiment to the number of its trials, ``last_runs`` a notebook to how its
    last run ended, ``"done"`` if well. The artefacts' files are in ``folder``.
    """
    rows = []
    for artefact in ARTEFACTS:
        trials = records_of(get_records, artefact.experiment)
        trials = trials.drop_duplicates(TRIAL) if len(trials) else trials  # one row for all stages
        wanted = n_trials[artefact.experiment] if artefact.experiment else 0
        made = any(Path(folder).glob(f"{artefact.file}.*"))
        if last_runs.get(artefact.notebook, "done") != "done":
            state = "failed"
        elif not made or len(trials) < wanted:
            state = "missing"
        else:
            state = overall(trials["state"]) if wanted else "fresh"
        row = {"artefact": artefact.title, "notebook": artefact.notebook, "state": state}
        rows.append(row | {"trials": _counts(trials, wanted), "mend": _mend(artefact, state)})
    return rows


def _counts(trials, wanted):
    """Such as ``120 fresh of 240``."""
    if not wanted:
        return ""
    counts = trials["state"].value_counts() if len(trials) else {}
    parts = [f"{counts[state]} {state}" for state in STATES if state in counts]
    return f"{', '.join(parts) or 'none'} of {wanted}"


def _mend(artefact, state):
    if state == "stale":
        return f"mimlpaper verify --experiment {artefact.experiment}"
    return artefact.make if state in ("failed", "missing") else ""


def note_checksums(files: list[Path]):
    """Write the checksums of published files to ``checksums.csv`` in their folder."""
    rows = [{"file": path.name, "sha256": _sha256(path)} for path in files]
    checksums = files[0].with_name("checksums.csv")
    put_rows(checksums, rows, ["file", "sha256"], n_keys=1, ordered=True)


def changed_files(folder) -> list[str]:
    """Names of published files that were changed, swapped or lost after :func:`note_checksums`."""
    known = _checksums(Path(folder) / "checksums.csv").itertuples(index=False)
    paths = [(Path(folder) / file, sha256) for file, sha256 in known]
    return [p.name for p, sha256 in paths if not p.is_file() or _sha256(p) != sha256]


def _checksums(path):
    return pd.read_csv(path) if path.is_file() else pd.DataFrame(columns=["file", "sha256"])


def _sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def gallery(artefacts: tuple[Artefact, ...] | None = None) -> str:
    """``figures/README.md``: a row for each artefact that was made, and the pictures below."""
    text, pictures = _text("gallery.md"), ""
    for artefact in _made() if artefacts is None else artefacts:
        files = " ".join(f"[{name}]({name})" for name in artefact.files)
        notebook = f"[{artefact.notebook}](../notebooks/{artefact.notebook}.ipynb)"
        compute = f"`{artefact.compute}`" if artefact.compute else ""
        text += f"| {artefact.title} | {files} | {notebook} | `{artefact.make}` | {compute} |\n"
        if artefact.is_figure:
            picture = f"![{artefact.shows}]({artefact.files[0]})"
            pictures += f"\n## {artefact.title}\n\n{picture}\n\n{artefact.shows}\n"
    return text + pictures


OUTCOME = re.compile(
    r"(<!-- written by `mimlpaper manifest` -->\n).*?(\n<!-- until here -->)", re.S
)


def with_outcome(readme: str, outcome: str) -> str:
    """The text of a README with the outcome in its place, in lines of at most 100 characters."""
    lines = [fill(line, 100, subsequent_indent="  ") for line in outcome.splitlines()]
    return OUTCOME.sub(lambda ends: ends[1] + "\n".join(lines) + ends[2], readme)


def _text(name):
    """A text in the folder of this module."""
    return Path(__file__).with_name(name).read_text()


def _made():
    return tuple(one for one in ARTEFACTS if (paths.figures() / one.files[0]).is_file())


def codecheck_manifest(artefacts: tuple[Artefact, ...] | None = None) -> str:
    """``codecheck.yml`` of CODECHECK's specification 1.0: a file for each artefact made."""
    artefacts = _made() if artefacts is None else artefacts
    entries = [
        f"  - file: figures/{artefact.files[0]}\n"
        f"    comment: {json.dumps(f'{artefact.title}, made by: {artefact.make}')}\n"
        for artefact in artefacts
    ]
    return _text("codecheck.yml") + "".join(entries)


def certificate(outcomes: pd.DataFrame, profile: str = "paper") -> str:
    """A report for a codechecker: what ran again, what agreed, where, and checksums.

    ``outcomes`` is what :func:`~mimlpaper.experiments.verify` or its ``audit`` gives.
    """
    folder = default_store(profile).folder
    files = [*sorted(folder.glob("*.csv")), packaged_data() / "manifest.csv"]
    sums = [(path.name, f"`{_sha256(path)}`") for path in files]
    differences = outcomes["largest_difference"].map("{:.2g}".format)
    rows = outcomes.assign(largest_difference=differences).astype(str)
    beginning = _text("certificate.md").format(
        date=date.today().isoformat(), profile=profile, n_groups=len(outcomes),
        n_experiments=outcomes["experiment"].nunique(), n_trials=outcomes["n_checked"].sum(),
        n_same=outcomes["outcome"].isin(SAME).sum(),
        largest=max(outcomes["largest_difference"], default=0.0),
        outcomes=_pipe_table([name.replace("_", " ") for name in rows], rows.to_numpy()),
        environment=_pipe_table(["what", "here"], provenance().items()),
    )  # fmt: skip
    return beginning + _pipe_table(["file", "sha256"], sums)


def _pipe_table(heads, rows):
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


CITED = re.compile(r"(?P<code>.*?)\s*#\s*(?P<step>(?:Tables? \d+, )?(?:steps?|lines?) .*)", re.I)


def pseudocode_map(*sources) -> pd.DataFrame:
    """One row for each step of a pseudo-code that the code cites: step, file and line, code.

    ``sources`` are modules, classes or functions, whose modules are searched in this order.
    """
    rows = []
    for module in dict.fromkeys(inspect.getmodule(source) for source in sources):
        path = Path(inspect.getsourcefile(module))
        where = path.relative_to(project_root()) if path.is_relative_to(project_root()) else path
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            match = CITED.fullmatch(line)
            if match:
                rows.append((match["step"], f"{where}:{number}", match["code"].strip()))
    return pd.DataFrame(rows, columns=["step", "where", "code"])
