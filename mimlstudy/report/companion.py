"""A notebook's access to the project: trials, claims, data; tables and figures to save."""

# ruff: noqa: E402
from mimlstudy.engine.arithmetic import pin

pin()  # before NumPy, which the imports below import

# isort: split
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import indent
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from IPython.display import Image, Markdown, display
from threadpoolctl import threadpool_limits

from mimlpaper.datasets import Dataset
from mimlstudy import folders
from mimlstudy.engine.execution import compute
from mimlstudy.engine.records import CURRENT, records
from mimlstudy.engine.trials import PROFILES
from mimlstudy.judge.claims import ClaimFinding, evaluate_claims
from mimlstudy.judge.multiverse import single_alternatives
from mimlstudy.judge.selection import (
    ALTERNATIVES,
    RECORDED_IN,
    Selection,
    as_published,
    selected,
    unmixed,
)
from mimlstudy.paper.catalogue import CATALOGUE, explored_store
from mimlstudy.paper.experiments import get_experiment
from mimlstudy.paper.published import published_claims
from mimlstudy.report.figures import LINE, save_figure, use_style
from mimlstudy.report.parameters import ParameterError, notebook_parameters, output_folder
from mimlstudy.report.plain import markdown_text
from mimlstudy.report.progress import shown_progress
from mimlstudy.report.status import ARTEFACTS, findings_of, recorded_scorecard
from mimlstudy.report.tables import results_table, save_table
from mimlstudy.report.trace import Trace, trace
from mimlstudy.report.words import counted, finding_in_words

DRAWN = "Drawn data, in place of files that are not here."


class Companion:
    """One notebook's parameters and the calls that depend on them.

    It sets the style of figures, and one BLAS thread for the notebook's own fits. The parameters
    are those of :func:`~mimlstudy.engine.execution.compute`; ``data_home=""`` is the default
    folder. ``questions`` are the notebook's own parameters, and ``asked`` those that are not empty
    or 0. Trials that it runs are recorded in ``build/explored``, never in ``data/results``, and
    what it shows of an own question is saved there too. What it reads for tables, figures and
    claims are current records: others are blank.
    """

    def __init__(
        self,
        *,
        profile: str = "paper",
        jobs: int = -1,
        data_home: str = "",
        recompute: bool = False,
        **questions,
    ):
        if profile not in PROFILES:
            raise ParameterError(f"profile must be one of {list(PROFILES)}, got {profile!r}")
        self.profile = profile
        self.questions = questions
        self.asked = {name: value for name, value in questions.items() if value}
        self.store, self.data_home = explored_store(profile), data_home or None
        self._how: dict[str, Any] = dict(
            profile=profile, jobs=jobs, data_home=self.data_home, recompute=recompute
        )
        self._known: dict[str, pd.DataFrame] = {}
        self._run: set[str] = set()
        self._tested: dict[str, ClaimFinding] = {}
        use_style()
        # As in trials: sums by several threads differ in the last bit, and small sums take longer.
        threadpool_limits(1, user_api="blas")

    @classmethod
    def of_notebook(cls, cells: Mapping) -> "Companion":
        """The companion of a notebook, whose globals are ``cells``; they stay as they are.

        Its parameters are those of :func:`~mimlstudy.report.parameters.notebook_parameters`.
        """
        return cls(**notebook_parameters(cells))

    def parameters(self, *names: str) -> tuple:
        """The values of the notebook's own parameters, which are exactly these ``names``.

        A ParameterError says which name of the notebook's cell of parameters is another.
        """
        if {*names} != {*self.questions}:
            declared = list(self.questions)
            raise ParameterError(f"the parameters must be {list(names)}, got {declared}")
        return tuple(self.questions[name] for name in names)

    @property
    def explores(self) -> str:
        """The own question in words, such as "dataset = yeast"; "" for what is published."""
        lists = {n: v if isinstance(v, list) else [v] for n, v in self.asked.items()}
        return "; ".join(f"{n} = {', '.join(map(str, v))}" for n, v in lists.items())

    @property
    def folder(self) -> Path:
        """Where tables and figures go; ``site/publish.py`` writes those that git keeps."""
        if self.profile == "paper" and os.environ.get(folders.RUN) == "publish" and not self.asked:
            return folders.figures()
        return output_folder(self.profile, self.questions) / "figures"

    def trials(self, experiment: str, again: bool = True, **asked) -> pd.DataFrame:
        """Records of an experiment that may be shown; trials without one are run first.

        With ``recompute`` all are run once, unless ``again`` is false. ``asked`` varies it, see
        :meth:`~mimlstudy.engine.trials.Experiment.varied`; claims and other tables stay as they
        are. Where trials could not run, a note says how many are left out, and how to mend that.
        """
        asked = {name: value for name, value in asked.items() if value}
        if not asked and experiment in self._run:
            return self.recorded(experiment)
        how = self._how | {"recompute": self._how["recompute"] and again}
        with shown_progress():
            table = compute(get_experiment(experiment).varied(**asked), store=self.store, **how)
        if not asked:
            self._run.add(experiment)
            if not table.equals(self._known.setdefault(experiment, table)):
                self._known[experiment], self._tested = table, {}
        left_out = table.loc[table["state"] != CURRENT, "state"].value_counts()
        if len(left_out):
            mend = f"`mimlpaper compute {experiment} --profile {self.profile}` runs their trials"
            display(Markdown(f"> **Records left out: {counted(left_out)}.** {mend} again."))
        return _current(table)

    def recorded(self, experiment: str) -> pd.DataFrame:
        """Records of an experiment that may be shown."""
        return _current(self.known(experiment))

    def known(self, experiment: str) -> pd.DataFrame:
        """Records of an experiment in any state, read once."""
        if experiment not in self._known:
            self._known[experiment] = records(
                get_experiment(experiment), profile=self.profile, store=self.store
            )
        return self._known[experiment].copy()

    def column(self, experiment: str, column: str) -> pd.DataFrame:
        """The records of a table in the column "fixed" or "equal"; missing trials are run first."""
        self.trials(RECORDED_IN[column], again=False)
        return selected(self.recorded, Selection((experiment,), column))

    def open_choices(self, experiment: str) -> pd.DataFrame:
        """A table's published rows, and each alternative setting of an open choice."""
        self.trials(ALTERNATIVES, again=False)
        return single_alternatives(experiment, self.recorded)

    def scorecard(self) -> dict:
        """Every cell and claim with its verdict, and what ``mimlpaper verify`` last found."""
        card = recorded_scorecard(self.profile)
        self._tested = {claim.id: claim for claim in findings_of(card)}
        return card

    def opening(
        self,
        question: str,
        look_at: str,
        *,
        found: str = "",
        tables: tuple[int, ...] = (),
        claims: tuple[str, ...] = (),
    ) -> Markdown:
        """The box that a notebook opens with: its question, the finding, what to look at.

        The finding, of the full protocol only, is ``found``, then the outcome of ``tables`` and of
        the claims whose ids begin as ``claims``, in numbers.
        """
        finding = f"what the text says is about the profile paper, and this is {self.profile}."
        if self.profile == "paper":
            tested = self.claims(*claims) if claims else []
            finding = f"{found} {finding_in_words(self.recorded, tables, tested)}".strip()
        parts = {"The question": question, "The finding": finding, "Look at": look_at}
        if self.asked:
            parts = {
                "Explored": f"{markdown_text(self.explores)}. The text is about what is published."
            } | parts
        box = "\n\n".join(f"**{head}:** {text}" for head, text in parts.items())
        return Markdown(indent(box.replace(":** - ", ":**\n\n- "), "> ", lambda line: True))

    def claims(self, *beginnings: str) -> list[ClaimFinding]:
        """The claims whose ids have one of these beginnings, or all, tested on the records."""
        wanted = [n for n in published_claims()["id"] if n.startswith(beginnings or ("",))]
        new = tuple(name for name in wanted if name not in self._tested)
        self._tested |= {claim.id: claim for claim in evaluate_claims(self.recorded, new)}
        return [self._tested[name] for name in wanted]

    def trace(self, table: int | str, method: str, criterion: str, dataset: str = "") -> Trace:
        """How a number of Tables 1 to 5 came about, see :func:`mimlstudy.report.trace.trace`."""
        return trace(table, method, criterion, dataset or None)

    def seconds(self, *experiments: str) -> pd.DataFrame:
        """Mean processor seconds of one fit and one prediction: a row for each method."""
        means = {}
        for name in experiments:
            fits = unmixed(as_published(self.recorded(name)))
            by_method = fits.groupby("method", sort=False)
            means[get_experiment(name).title] = by_method[["fit_seconds", "predict_seconds"]].mean()
        return pd.concat(means, axis=1).round(2)

    def table(self, number: int, *, criteria: Sequence[str] = (), **asked):
        """Table ``number`` with the paper's values and ours, also written to :attr:`folder`.

        ``criteria`` are the columns that are shown, all if empty; ``asked`` as in :meth:`trials`.
        Overrides stand in the place of the published rows, without the values fixed in advance.
        """
        name = f"table{number}"
        trials = self.trials(name, **asked).assign(override="{}")
        fixed = None if any(asked.values()) else self.column(name, "fixed")
        table = results_table(
            trials,
            number,
            profile=self.profile,
            fixed=fixed,
            criteria=criteria,
            rows=asked.get("methods"),
        )
        return self.save_table(table, name)

    def dataset(self, name: str) -> Dataset:
        """The original data if their files are present; else, or in "smoke", drawn data, noted."""
        if self.profile != "smoke" and CATALOGUE.is_present(name, self.data_home):
            return CATALOGUE.load(name, self.data_home)
        about = "Figures are those recorded of the original data." * (self.profile == "paper")
        display(Markdown(f"> **{DRAWN}** Numbers that follow are not about *{name}*. {about}"))
        return CATALOGUE.load(CATALOGUE.stand_in(name))

    def save_table(self, table, name: str, *, of: Sequence[Dataset] = ()):
        """Write a table as CSV and Markdown, one that is printed also as LaTeX, and return it.

        ``of`` is the data described; drawn data never replace the table of original data.
        """
        if not (self.folder == folders.figures() and any(data.kind == "synthetic" for data in of)):
            save_table(table, self.folder, name)
        return table

    def save_figure(self, figure, name: str, *, of: Dataset | None = None):
        """Write a figure as PNG and SVG, and show it with an alternative text.

        ``of`` is the data shown; drawn data are named in the picture and its text, and never
        replace the figure of original data: in the profile "paper" the published one is shown.
        """
        texts = {shown.file: f"{shown.title}. {shown.shows}" for shown in ARTEFACTS}
        text = texts.get(name, name.replace("_", " "))
        drawn = of is not None and of.kind == "synthetic"
        published = folders.figures() / f"{name}.png"
        if drawn and self.profile == "paper" and not self.asked and published.is_file():
            plt.close(figure)
            return display(Image(filename=published, alt=text))
        notes = [f"Explored: {self.explores}."] * bool(self.asked) + [DRAWN] * drawn
        if notes:
            figure.set_layout_engine("constrained")  # which leaves room for the note
            figure.suptitle(" ".join(notes), fontsize=8, color=LINE)
        shown = figure
        if not (drawn and self.folder == folders.figures()):
            png, _ = save_figure(figure, self.folder, name)
            shown = Image(filename=png, width=round(figure.get_figwidth() * figure.dpi))
        display(shown, metadata={"image/png": {"alt": " ".join([*notes, text])}})
        plt.close(figure)


def _current(table):
    return table[table["state"] == CURRENT].reset_index(drop=True)
