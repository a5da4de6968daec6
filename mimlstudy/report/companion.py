"""A notebook's access to the project: trials, claims, data; tables, figures and sentences."""

# ruff: noqa: E402
from mimlstudy.engine.arithmetic import pin

pin()  # before NumPy, which the imports below import

# isort: split
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from IPython.display import Image, Markdown, display

from mimlpaper.datasets import Dataset
from mimlstudy import folders
from mimlstudy.engine.execution import compute
from mimlstudy.engine.records import CURRENT, KEY, REFUTED, Store
from mimlstudy.judge.claims import ClaimFinding, evaluate_claims
from mimlstudy.judge.multiverse import single_alternatives
from mimlstudy.judge.selection import (
    ALTERNATIVES,
    RECORDED_IN,
    Selection,
    as_in_our_tables,
    checked_for_means,
    selected,
)
from mimlstudy.paper.catalogue import CATALOGUE, default_store, explored_store
from mimlstudy.paper.experiments import EXPERIMENTS, get_experiment, reader
from mimlstudy.paper.printed import printed_claims, printed_tables
from mimlstudy.report.figures import LINE, caption_of, save_figure, use_style
from mimlstudy.report.forest import claims_caption, claims_figure
from mimlstudy.report.parameters import (
    PATHS,
    ParameterError,
    check_among,
    check_protocol,
    notebook_parameters,
    output_folder,
)
from mimlstudy.report.progress import show_notices, shown_progress
from mimlstudy.report.sentences import FalseSentence, check_sentence, counted
from mimlstudy.report.status import (
    artefacts,
    findings_of,
    not_current,
    reader_of,
    recorded_scorecard,
    trial_counts,
)
from mimlstudy.report.tables import ReportTable, results_table, save_table
from mimlstudy.report.trace import Trace, trace

SYNTHETIC_NOTE = "Synthetic data, in place of files that are not here."


class Companion:
    """One notebook's parameters and the calls that depend on them.

    Trials that it runs are recorded in ``build/explored``, of the profile "smoke" in
    ``build/smoke/results``, and never in ``data/results``. Tables, figures, claims and sentences
    show current records alone, and cells without one stay blank. The scorecard and traces also show
    records that are not current, unless they are refuted.

    Parameters
    ----------
    profile : {"paper", "quick", "smoke"}, default "paper"
        How many trials, on which data.
    jobs : int, default -1
        Processes for trials that are not recorded yet; -1 means one per core.
    data_home : str, default ""
        The folder of the data files; "" is the default folder.
    recompute : bool, default False
        Whether trials run again, once in a notebook, also those that have a current record.
    **questions
        The notebook's own parameters. An empty value or 0 asks nothing. The others are ``asked``;
        tables and figures that answer them are saved in ``build/explored``.

    Raises
    ------
    ParameterError
        If ``profile`` has another value, or ``jobs`` is 0 or below -1.
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
        check_protocol(profile, jobs)
        self.profile = profile
        self.jobs = jobs
        self.data_home = data_home or None
        self.recompute = recompute
        self.questions = questions
        self.asked = {name: value for name, value in questions.items() if value}
        self.store: Store = explored_store(profile)
        # Records in any state, read once or as the notebook's own run left them.
        self._records: dict[str, pd.DataFrame] = {}
        self._computed: set[str] = set()  # experiments that have run in this notebook
        use_style()
        show_notices()

    @classmethod
    def of_notebook(cls, notebook_globals: Mapping) -> "Companion":
        """The companion of a notebook with these globals, which stay as they are.

        Its parameters are those of :func:`~mimlstudy.report.parameters.notebook_parameters`.
        """
        return cls(**notebook_parameters(notebook_globals))

    @staticmethod
    def published() -> "PublishedCompanion":
        """The companion of what is published, for the cell above a notebook's parameters."""
        return PublishedCompanion()

    def parameters(self, *names: str) -> tuple:
        """The values of the notebook's own parameters, which are exactly these ``names``.

        Raises ParameterError if the notebook's cell of parameters declares others.
        """
        if {*names} != {*self.questions}:
            declared = list(self.questions)
            raise ParameterError(f"the parameters must be {list(names)}, got {declared}")
        return tuple(self.questions[name] for name in names)

    @property
    def is_full(self) -> bool:
        """Whether this is the paper's protocol, without a question of the reader's own.

        Only then are sentences about records checked and shown.
        """
        return self.profile == "paper" and not self.asked

    @property
    def explores(self) -> str:
        """The reader's question in words, such as "dataset = yeast"; "" for what is published.

        A file is named without its folder: its place is private.
        """
        parts = []
        for name, value in self.asked.items():
            if name in PATHS:
                value = Path(value).name
            values = value if isinstance(value, list) else [value]
            text = ", ".join(map(str, values))
            parts.append(f"{name} = {text}")
        return "; ".join(parts)

    @property
    def folder(self) -> Path:
        """Where tables and figures go: as ``mimlpaper run`` says, else by the parameters."""
        by_run = os.environ.get(folders.FIGURES)
        if by_run:
            return Path(by_run)
        return output_folder(self.profile, self.questions) / "figures"

    def says(self, text: str, **facts: bool) -> None:
        """Show a sentence about records, in Markdown, if all its facts hold.

        Nothing is shown or checked unless :attr:`is_full`. If a sentence needs records that only
        the full protocol has, its cell begins with ``if paper.is_full:``.

        Parameters
        ----------
        text : str, the sentence, with numbers from the records.
        **facts : bool, what the sentence says beyond its numbers, each by a name.

        Raises
        ------
        FalseSentence
            If a fact is false. It names the fact and the sentence, and stops the notebook.
        """
        if self.is_full:
            try:
                check_sentence(text, facts)
            except FalseSentence as error:
                raise FalseSentence(f"{error}; {self._remedy()}") from None
            display(Markdown(text))

    def _remedy(self):
        """What to do about a false sentence, which may lack records that are not current."""
        n_trials = sum(map(Counter, trial_counts(self.profile).values()), Counter())
        states = counted(not_current(n_trials))
        if not states:
            return "correct the sentence"
        return (
            f"trials that it may need are not current ({states}), and `mimlpaper "
            "status` names the commands that make them so; if it is false then, correct it"
        )

    def trials(self, experiment: str, may_repeat: bool = True, **variation) -> pd.DataFrame:
        """Records of an experiment that may be shown; trials without one are run first.

        With ``recompute`` trials run again once, even if they have a record, and those of a varied
        experiment at each call; ``may_repeat=False`` prevents this. ``variation`` varies the
        experiment, see :meth:`~mimlstudy.engine.trials.Experiment.varied`; claims and other tables
        stay as they are. A note says how many records are left out because they are not current.
        """
        variation = {name: value for name, value in variation.items() if value}
        if not variation and self._has_nothing_to_run(experiment, may_repeat):
            return self.recorded(experiment)
        varied = get_experiment(experiment).varied(**variation)
        with shown_progress():
            table = compute(
                varied,
                store=self.store,
                profile=self.profile,
                jobs=self.jobs,
                data_home=self.data_home,
                recompute=self.recompute and may_repeat,
            )
        # Trials of a varied experiment are not the experiment's own.
        if not variation:
            self._records[experiment] = table
            if may_repeat or not self.recompute:
                self._computed.add(experiment)
        self._note_what_is_left_out(table)
        return self._shown(table)

    def _has_nothing_to_run(self, experiment, may_repeat):
        """Whether the trials have run in this notebook, or all have current published records."""
        if experiment in self._computed:
            return True
        if (self.recompute and may_repeat) or not self._reads_published(experiment):
            return False
        published = self.in_any_state(experiment)
        n_recorded = len(published.drop_duplicates(KEY))
        n_trials = len(get_experiment(experiment).trials(self.profile))
        return n_recorded == n_trials and (published["state"] == CURRENT).all()

    def _note_what_is_left_out(self, table):
        is_left_out = ~self._may_be_shown(table)
        states = table.loc[is_left_out, "state"].value_counts()
        if len(states):
            note = (
                f"> **Records left out: {counted(states)}.** Their trials need data or a package "
                "that is not here. Run this cell again when it is."
            )
            display(Markdown(note))

    def recorded(self, experiment: str) -> pd.DataFrame:
        """Records of an experiment that may be shown."""
        return self._shown(self.in_any_state(experiment))

    def in_any_state(self, experiment: str) -> pd.DataFrame:
        """Records of an experiment in any state, read once."""
        if experiment not in self._records:
            self._records[experiment] = self._read(experiment)
        # A notebook may change what it was given.
        return self._records[experiment].copy()

    def _read(self, experiment):
        if self._reads_published(experiment):
            # It does not change while a notebook runs: companions share it.
            return reader_of(self.profile)(experiment)
        return reader(self.store, self.profile)(experiment)

    def _reads_published(self, experiment):
        """Whether all its records are published ones: no notebook has recorded any."""
        return self.profile != "smoke" and not self._has_explored(experiment)

    def _may_be_shown(self, table):
        return table["state"] == CURRENT

    def _shown(self, table):
        return table[self._may_be_shown(table)].reset_index(drop=True)

    def column(self, experiment: str, column: str) -> pd.DataFrame:
        """The records of a table in the column "fixed" or "equal".

        Missing trials of that column run first, of all tables; the table's own do not.
        """
        check_among("column", [column], RECORDED_IN)
        self.trials(RECORDED_IN[column], may_repeat=False)
        return selected(self.recorded, Selection((experiment,), column))

    def open_choices(self, experiment: str) -> pd.DataFrame:
        """A table's rows, and each alternative setting of an open choice.

        Missing alternatives run first, of all tables.
        """
        self.trials(ALTERNATIVES, may_repeat=False)
        return single_alternatives(experiment, self.recorded)

    def scorecard(self) -> dict:
        """Every cell and claim with its verdict, and what ``mimlpaper verify`` last found."""
        return recorded_scorecard(self.profile)

    def claims(self, *beginnings: str) -> list[ClaimFinding]:
        """The claims whose ids have one of these beginnings, or all, tested on the records."""
        ids = printed_claims()["id"]
        check_among("claims", beginnings, ids, begin=True)
        if beginnings:
            ids = ids[ids.str.startswith(beginnings)]
        chosen = tuple(ids)
        if self._shows_what_the_scorecard_reads():
            # All claims take seconds, and are kept for all notebooks.
            return [finding for finding in findings_of(self.scorecard()) if finding.id in chosen]
        return evaluate_claims(self.recorded, chosen)

    def _shows_what_the_scorecard_reads(self):
        """Whether all records are current, and the reader has run nothing for a question."""
        if self.profile != "paper" or any(map(self._has_explored, EXPERIMENTS)):
            return False
        return not any(map(not_current, trial_counts(self.profile).values()))

    def _has_explored(self, experiment):
        return self.store.base is not None and self.store.path(experiment).is_file()

    def claims_figure(self, name: str, *beginnings: str) -> None:
        """Show and save the claims whose ids have one of these beginnings as a forest plot.

        ``name`` is its ``file`` in ``artefacts.csv``.
        """
        findings = self.claims(*beginnings)
        figure = claims_figure(findings, self.recorded)
        self.save_figure(figure, name, shows=claims_caption(findings))

    def trace(self, table: int | str, method: str, criterion: str, dataset: str = "") -> Trace:
        """How a number of Tables 1 to 5 came about, see :func:`mimlstudy.report.trace.trace`."""
        return trace(
            table,
            method,
            criterion,
            dataset or None,
            read=self.in_any_state,
            store=self.store,
            profile=self.profile,
        )

    def seconds(self, *experiments: str) -> pd.DataFrame:
        """Mean processor seconds of one fit and one prediction: a row for each method."""
        if not experiments:
            raise ValueError("seconds needs the names of experiments, such as 'table1'")
        means = {}
        for name in experiments:
            fits = checked_for_means(as_in_our_tables(self.recorded(name)))
            groups = fits.groupby("method", sort=False)
            by_method = groups[["fit_seconds", "predict_seconds"]].mean()
            means[get_experiment(name).title] = by_method
        return pd.concat(means, axis=1).round(2)

    def table(self, number: int, *, criteria: Sequence[str] = (), **variation) -> None:
        """Show Table ``number`` with the paper's values and ours, and write it.

        ``criteria`` are the columns that are shown, all if empty; ``variation`` is as in
        :meth:`trials`. Varied trials stand in the place of our rows, without the rows fixed in
        advance.
        """
        if number not in printed_tables():
            raise ValueError(f"number must be one of {[*printed_tables()]}, got {number!r}")
        name = f"table{number}"
        # Without their override, varied trials fill the rows of our settings.
        trials = self.trials(name, **variation).assign(override="{}")
        is_varied = any(variation.values())
        fixed = None if is_varied else self.column(name, "fixed")
        table = results_table(
            trials,
            number,
            profile=self.profile,
            fixed=fixed,
            criteria=criteria,
            methods=variation.get("methods") or (),
        )
        self.save_table(table, name)

    def dataset(self, name: str) -> Dataset:
        """The original data if their files are here; else, or in "smoke", synthetic ones, noted."""
        if self.profile != "smoke" and CATALOGUE.is_present(name, self.data_home):
            return CATALOGUE.load(name, self.data_home)
        note = f"> **{SYNTHETIC_NOTE}** Numbers that follow are not about *{name}*. "
        if self.is_full:
            note += "Figures are the published ones, where there are some."
        display(Markdown(note))
        return CATALOGUE.load(CATALOGUE.stand_in(name))

    @property
    def _overwrites_published(self):
        """Whether what is saved overwrites what is published."""
        return self.folder == folders.figures()

    def save_table(self, table: ReportTable, name: str, *, of: Sequence[Dataset] = ()) -> None:
        """Show a table, and write it as CSV and Markdown; one that is printed also as LaTeX.

        Parameters
        ----------
        table : ReportTable
        name : str, its ``file`` in ``artefacts.csv``.
        of : sequence of Dataset, default ()
            The data described. Synthetic data are named in the caption, and never replace the
            table of original data.
        """
        is_synthetic = any(data.kind == "synthetic" for data in of)
        if is_synthetic:
            table = replace(table, caption=f"{table.caption} {SYNTHETIC_NOTE}")
        if not is_synthetic or not self._overwrites_published:
            save_table(table, self.folder, name)
        # The site and the rendered pages find an artefact by its name.
        display(table, metadata={"artefact": name})

    def save_figure(
        self,
        figure: plt.Figure,
        name: str,
        *,
        shows: str,
        of: Dataset | None = None,
    ) -> None:
        """Show a figure with its caption as alternative text, and write it as PNG and SVG.

        Parameters
        ----------
        figure : matplotlib Figure; it is closed.
        name : str, its ``file`` in ``artefacts.csv``.
        shows : str
            The caption: what the figure shows, in words. It is the text for readers who do not see
            the picture, and stands in the files themselves.
        of : Dataset or None, default None
            The data shown. Synthetic data are named in the picture and its caption, and never
            replace the figure of original data: where the notebook :attr:`is_full`, the published
            one is shown if there is one.
        """
        is_synthetic = of is not None and of.kind == "synthetic"
        published = folders.figures() / f"{name}.png"
        if is_synthetic and self.is_full and published.is_file():
            plt.close(figure)
            _display_figure(Image(filename=published), name, caption_of(published))
            return
        notes = []
        if self.asked:
            notes.append(f"Explored: {self.explores}.")
        if is_synthetic:
            notes.append(SYNTHETIC_NOTE)
        caption = " ".join([*notes, shows])
        if notes:
            figure.set_layout_engine("constrained")  # which leaves room for the note
            # A dollar in the name of a file begins no formula.
            figure.suptitle(" ".join(notes), fontsize=8, color=LINE, parse_math=False)
        # What is drawn from synthetic data is never written among published figures.
        if is_synthetic and self._overwrites_published:
            _display_figure(figure, name, caption)
        else:
            picture = self._save_and_picture(figure, name, caption)
            _display_figure(picture, name, caption)
        plt.close(figure)

    def _save_and_picture(self, figure, name, caption):
        """Write a figure; return its picture, in the figure's own size."""
        about = {"Title": _title(name), "Description": caption}
        png, _ = save_figure(figure, self.folder, name, about)
        # The file has more pixels than the figure, for print and large screens.
        width = round(figure.get_figwidth() * figure.dpi)
        return Image(filename=png, width=width)


def _display_figure(picture, name, caption):
    alternative = {"alt": f"{_title(name)}. {caption}"}
    metadata = {
        "artefact": name,
        "caption": caption,
        "image/png": alternative,
    }
    display(picture, metadata=metadata)


def _title(name):
    titles = {artefact.file: artefact.title for artefact in artefacts()}
    return titles.get(name, name.replace("_", " "))


class PublishedCompanion(Companion):
    """The companion of what is published: all of ``data/results`` that is not refuted.

    It runs no trial, and depends on no parameter of a notebook. It shows records even if the code
    of a working copy has changed since; ``mimlpaper run --recorded`` fails then.
    """

    def __init__(self):
        super().__init__()
        self.store = default_store()

    def trials(self, experiment: str, may_repeat: bool = True, **variation) -> pd.DataFrame:
        """What is published of an experiment."""
        return self.recorded(experiment)

    def _shows_what_the_scorecard_reads(self):
        return True

    def _may_be_shown(self, table):
        return ~table["state"].isin(REFUTED)
