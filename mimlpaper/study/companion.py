"""A notebook's access to the project: trials, claims, data; tables and figures to save."""

import os
from collections.abc import Sequence
from pathlib import Path
from textwrap import indent
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from IPython.display import Markdown, display
from threadpoolctl import threadpool_limits

from mimlpaper import paths
from mimlpaper.datasets import Dataset, load
from mimlpaper.datasets.catalogue import is_present
from mimlpaper.study.claims import ClaimResult, evaluate_claims
from mimlpaper.study.compare import column_records
from mimlpaper.study.costs import measure_costs
from mimlpaper.study.experiment import PROFILES, STAND_INS
from mimlpaper.study.fit_details import (
    characteristics,
    fit_details,
    objective_steps,
    recorded_fit_details,
    related_pairs,
)
from mimlpaper.study.pointing import pointing
from mimlpaper.study.published import PROTOCOL_RUNS, published_claims
from mimlpaper.study.records import KEY, default_store, records, seconds_of
from mimlpaper.study.registry import EXPERIMENTS, ON_PAPER, family, get_experiment
from mimlpaper.study.rendering import LINE, save_figure, save_table, use_style
from mimlpaper.study.runner import compute, compute_together
from mimlpaper.study.scorecard import (
    ARTEFACTS,
    artefact_status,
    finding_in_words,
    rows_in_words,
    scorecard,
)
from mimlpaper.study.section5 import CCCP, RELATEDNESS
from mimlpaper.study.tables import results_table, seconds_table
from mimlpaper.study.universes import NEEDED, Read, drawn_universes, readings_of, recorded_shares
from mimlpaper.study.verify import verified

DRAWN = "Drawn data, in place of files that are not here."


class Companion:
    """One notebook's parameters, checked, and the calls that depend on them.

    It sets the style of figures, and one BLAS thread for the notebook's own fits. The parameters
    are those of :func:`~mimlpaper.study.compute`; ``data_home=""`` is the default folder.
    """

    def __init__(
        self, *, profile: str = "paper", jobs: int = -1, data_home: str = "",
        recompute: bool = False,
    ):  # fmt: skip
        if profile not in PROFILES:
            raise ValueError(f"profile must be one of {list(PROFILES)}, got {profile!r}")
        given: dict[str, Any] = {"jobs": jobs, "data_home": data_home, "recompute": recompute}
        for name, kind in {"jobs": int, "data_home": str, "recompute": bool}.items():
            if type(given[name]) is not kind:
                raise ValueError(f"{name} must be {kind.__name__}, got {given[name]!r}")
        self.profile = profile
        self.jobs = jobs
        self.data_home = data_home or None
        self.recompute = recompute
        self._how = given | {"profile": profile, "data_home": self.data_home}  # to run trials
        self._files: set[tuple] = set()
        self._known: dict[str, pd.DataFrame] = {}
        self._tested: dict[str, ClaimResult] = {}
        use_style()
        # As in trials: sums by several threads differ in the last bit, and small sums take longer.
        threadpool_limits(1, user_api="blas")

    @property
    def folder(self) -> Path:
        """The folder of tables and figures; git keeps only those of the full protocol."""
        return paths.figures() if self.profile == "paper" else paths.figures() / self.profile

    def trials(self, experiment: str) -> pd.DataFrame:
        """Records of an experiment; missing and stale trials are run first."""
        return compute(experiment, **self._how)

    def recorded(self, experiment: str) -> pd.DataFrame:
        """Records of an experiment as they are; files are read again only if one has changed."""
        self._notice_changes()
        if experiment not in self._known:
            self._known[experiment] = self._read(experiment)
        return self._known[experiment].copy()

    def _notice_changes(self):
        """Forget what was read, and the claims tested on it, once a file of records has changed."""
        folder = default_store(self.profile).folder
        stats = {file.name: file.stat() for file in folder.glob("*.csv")}
        files = {(name, stat.st_mtime_ns, stat.st_size) for name, stat in stats.items()}
        if files != self._files:
            self._files, self._known, self._tested = files, {}, {}

    def _read(self, experiment):
        if experiment == "characteristics":
            return self.characteristics()
        if experiment == "cccp":
            return recorded_fit_details(CCCP, self.profile)
        if experiment == "multiverse_claims":
            return recorded_shares(self.profile)
        names = [name for name in family(experiment) if name in EXPERIMENTS]
        tables = [records(name, profile=self.profile) for name in names]
        return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()

    def scorecard(self) -> dict:
        """Every cell and claim with its verdict, and what ``mimlpaper verify`` last found."""
        card = scorecard(self.recorded, self._protocol_n, self.claims())
        return card | {"verified": verified(self.profile, self.recorded)}

    def status(self, last_runs: dict[str, str]) -> list[dict]:
        """The state of every artefact, see :func:`~mimlpaper.study.scorecard.artefact_status`."""
        names = {artefact.experiment for artefact in ARTEFACTS if artefact.experiment}
        n_trials = {
            name: sum(len(EXPERIMENTS[one].trials(self.profile)) for one in family(name))
            for name in names
        }
        return artefact_status(self.recorded, n_trials, self.folder, last_runs)

    def opening(
        self, question: str, look_at: str, *, found: str = "", tables: tuple[int, ...] = (),
        claims: tuple[str, ...] = (),
    ) -> Markdown:  # fmt: skip
        """The box that a notebook opens with: its question, the finding, what to look at.

        The finding is the outcome of ``tables`` and of the claims whose ids begin as
        ``claims``, then ``found``. Only the full protocol has one.
        """
        finding = (
            f"this is the profile {self.profile}, which shows that everything runs; what "
            "the text says of results is about the profile paper."
        )
        if self.profile == "paper":
            tested = self.claims(*claims) if claims else []
            finding = f"{finding_in_words(self.recorded, tables, tested)} {found}".strip()
        parts = {"The question": question, "The finding": finding, "Look at": look_at}
        box = "\n\n".join(f"**{head}:** {text}" for head, text in parts.items())
        return Markdown(indent(box.replace(":** - ", ":**\n\n- "), "> ", lambda line: True))

    def identified(self, number: int) -> Markdown:
        """Which rows of a table are nearest to their own printed row, in words."""
        return Markdown(rows_in_words(self.recorded, number))

    def claims(self, *beginnings: str) -> list[ClaimResult]:
        """The claims whose ids have one of these beginnings, or all, tested on the records."""
        self._notice_changes()
        ids = published_claims()["id"]
        wanted = [name for name in ids if name.startswith(beginnings or ("",))]
        new = tuple(name for name in wanted if name not in self._tested)
        known = self._tested  # a change of the records while claims are tested starts another one
        tested = evaluate_claims(self.recorded, self._protocol_n, ids=new)
        known |= {claim.id: claim for claim in tested}
        return [known[name] for name in wanted]

    @property
    def _protocol_n(self) -> dict[str, int]:
        return PROTOCOL_RUNS | {name: self.n_runs(name) for name in EXPERIMENTS}

    def universes(self) -> pd.DataFrame:
        """Every claim in drawn universes, after missing trials are run.

        Shares and flips are then ``recorded("multiverse_claims")``.
        """
        compute_together(NEEDED, **self._how)
        return drawn_universes(self.recorded, self.profile, jobs=self.jobs)

    def readings(self, experiment: str) -> list[Read]:
        """The recorded readings of a table's or a figure's methods."""
        return readings_of(experiment, self.recorded)

    def seconds(self, *experiments: str):
        """The table of seconds of a fit, for the methods of some experiments."""
        return seconds_table(
            {get_experiment(name).title: self.recorded(name) for name in experiments}
        )

    def core_hours(self) -> float:
        """Processor hours of the trials of Sections 4 to 7 whose records are not stale."""
        tables = [self._of_paper(experiment.name) for experiment in ON_PAPER]
        trials = pd.concat(table.drop_duplicates(KEY) for table in tables if len(table))
        trials = trials[trials["state"] != "stale"]
        return float(seconds_of(trials).sum() / 3600)

    def _of_paper(self, experiment):
        """Records of the full protocol, in every profile."""
        return self.recorded(experiment) if self.profile == "paper" else records(experiment)

    def n_runs(self, experiment: str) -> int:
        """Number of runs of the whole protocol: splits, data sets, or cross-validations."""
        return PROTOCOL_RUNS.get(experiment, get_experiment(experiment).n_splits())

    def table(self, number: int):
        """Table ``number`` with the paper's values and ours, also written to :attr:`folder`."""
        name = f"table{number}"
        trials = self.trials(name)
        table = results_table(
            trials, number, profile=self.profile, n_runs=self.n_runs(name),
            blind=column_records(self.recorded, name, "blind"),
        )  # fmt: skip
        return self.save_table(table, name)

    def characteristics(self) -> pd.DataFrame:
        """Appendix C's numbers: recomputed if there are data, otherwise as last recorded."""
        return characteristics(data_home=self.data_home)

    def objectives(self) -> pd.DataFrame:
        """D-MimlSvm's objective after each outer step; fits that are not recorded are run."""
        return fit_details(CCCP, objective_steps, self.profile, data_home=self.data_home)

    def related_labels(self) -> pd.DataFrame:
        """D-MimlSvm's relatedness of each pair of labels; fits not recorded are run."""
        return fit_details(RELATEDNESS, related_pairs, self.profile, data_home=self.data_home)

    def pointing(self) -> pd.DataFrame:
        """Reasons against truth; fits that are not recorded are run first."""
        return pointing(**self._how)

    def costs(self) -> pd.DataFrame:
        """Seconds and memory of single fits; fits not recorded are measured one by one."""
        return measure_costs(self.profile, recompute=self.recompute, data_home=self.data_home)

    def dataset(self, name: str) -> Dataset:
        """The original data if their files are present; else, or in "smoke", drawn data, noted."""
        if self.profile != "smoke" and is_present(name, self.data_home):
            return load(name, self.data_home)
        display(Markdown(f"> **{DRAWN}** What follows is about them, not about *{name}*."))
        return load(STAND_INS[name])

    def save_table(self, table, name: str, *, of: Sequence[Dataset] = ()):
        """Write a table as CSV and Markdown, one that is printed also as LaTeX, and return it.

        ``of`` is the data described; drawn data never replace the table of original data.
        """
        self._write(save_table, table, name, drawn=any(data.kind == "synthetic" for data in of))
        return table

    def save_figure(self, figure, name: str, *, of: Dataset | None = None):
        """Write a figure as PNG and SVG, and show it with an alternative text.

        ``of`` is the data shown; drawn data are named in the picture and its text, and never
        replace the figure of original data.
        """
        drawn = of is not None and of.kind == "synthetic"
        texts = {shown.file: f"{shown.title}. {shown.shows}" for shown in ARTEFACTS}
        text = texts.get(name, name.replace("_", " "))
        if drawn:
            figure.suptitle(DRAWN, fontsize=8, color=LINE)
            text = f"{DRAWN} {text}"
        self._write(save_figure, figure, name, drawn=drawn)
        display(figure, metadata={"image/png": {"alt": text}})
        plt.close(figure)

    def _write(self, save, shown, name, *, drawn):
        """What shows drawn data, or is explored by hand, replaces nothing that is published."""
        if self.profile == "paper" and drawn:
            return
        published = self.profile != "paper" or paths.PUBLISH in os.environ
        save(shown, self.folder if published else paths.explored(), name)
