"""RankSvm's printed values, and which kind of program may have made them."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy import stats

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge.selection import checked_for_means
from mimlstudy.paper.printed import printed_cells, printed_tables
from mimlstudy.report.figures import BLUE, GREEN, LINE, as_loss, loss_title
from mimlstudy.report.tables import HEADS, ReportTable, frame_grid, number_text

STOPPED, CONVERGED = "RankSvm", "RankSvm, converged"  # rows of Tables 1 to 3


def log_likelihood(runs: pd.Series, printed_mean: float, printed_std: float, n: int) -> float:
    """How likely runs like ours give a printed mean and deviation, as a natural logarithm.

    Parameters
    ----------
    runs : Series, our values; they count as normal and independent.
    printed_mean, printed_std : float, of ``n`` runs.
    n : int
    """
    mean, std = runs.mean(), runs.std()
    # Both means are uncertain: the printed one of n runs, and ours.
    of_mean = stats.norm.logpdf(
        printed_mean,
        mean,
        std * np.sqrt(1 / n + 1 / len(runs)),
    )
    scale = (n - 1) / std**2
    of_variance = stats.chi2.logpdf(scale * printed_std**2, n - 1)
    per_std = np.log(2 * scale * printed_std)  # from a density of the variance to one of the std
    return of_mean + of_variance + per_std


def likelihood_text(value: float) -> str:
    """A log likelihood as text, such as −1,253."""
    return f"{value:,.0f}".replace("-", "−")


def likelihoods(number: int, runs: pd.DataFrame) -> pd.DataFrame:
    """For each criterion the mean and std of runs, and the printed values' log likelihood.

    ``runs`` are records of one program on the data of Table ``number``; without any, the printed
    mean and std replace ours.
    """
    printed = _printed(number)
    if runs.empty:
        return printed
    runs = checked_for_means(runs)
    n_printed = printed_tables()[number].n_runs
    rows = {}
    for name, cell in printed.iterrows():
        values = runs[name]
        rows[name] = {
            "mean": values.mean(),
            "std": values.std(),
            "log_likelihood": log_likelihood(values, cell["mean"], cell["std"], n_printed),
        }
    return pd.DataFrame(rows).T.rename_axis("criterion")


def _printed(number):
    """RankSvm's printed mean and std of each criterion in a table."""
    cells = printed_cells(number)
    of_ranksvm = cells[cells["algorithm"] == STOPPED]
    return of_ranksvm.set_index("criterion")[["mean", "std"]]


def programs_table(programs: Mapping[str, tuple[int, pd.DataFrame]]) -> ReportTable:
    """RankSvm's printed values beside programs that may have made them.

    ``programs`` has for each row's name the number of its table and its records; no records stand
    for the printed values. The table's ``tidy`` has a row for each program and criterion.
    """
    parts = {}
    for name, (number, runs) in programs.items():
        parts[name] = likelihoods(number, runs)
    tidy = pd.concat(parts, names=["program", "criterion"])
    tidy = tidy.reset_index()
    numbers = zip(tidy["mean"], tidy["std"], strict=True)
    tidy["text"] = [number_text(*pair) for pair in numbers]
    shown = tidy.pivot(index="program", columns="criterion", values="text")
    shown = shown.loc[list(parts), list(CRITERIA)]
    groups = tidy.groupby("program")["log_likelihood"]
    for name, values in (
        ("mean", groups.mean()),
        ("lowest", groups.min()),
    ):
        shown[f"log likelihood, {name}"] = values.map(likelihood_text, na_action="ignore")
    # The rows without a likelihood are the printed ones, which begin each table.
    first_rows = [name for name, (_, runs) in programs.items() if runs.empty]
    return frame_grid(
        shown.rename(columns=HEADS),
        tidy.drop(columns="text"),
        "RankSvm as printed, and by programs that may have made it: mean ± std over the splits, "
        "and the log likelihood of the printed values: the mean and the lowest over the criteria.",
        corner="program",
        rules_above=tuple(first_rows[1:]),
    )


def steps_figure(steps: pd.DataFrame, converged: pd.DataFrame, criteria) -> plt.Figure:
    """A panel for each criterion: RankSvm after each step, with printed and converged levels.

    Bands are ± one standard deviation over the splits. Precision and recall are drawn as 1 minus
    their value, so that lower is better.
    """
    levels = _printed(1)["mean"]
    by_step = checked_for_means(steps, "stage").groupby("stage")
    converged = checked_for_means(converged)
    figure, axes = plt.subplots(1, len(criteria), figsize=(7.0, 2.6))
    for ax, name in zip(axes, criteria, strict=True):
        _draw_steps(ax, name, by_step[name])
        printed = as_loss(levels[name], name)
        solution = as_loss(converged[name].mean(), name)
        ax.axhline(printed, color=LINE, linestyle=":", label="printed")
        ax.axhline(solution, color=GREEN, linestyle="-.", label="converged")
    handles, names = axes[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=4)
    return figure


def _draw_steps(ax, name, values):
    """The mean loss after each step, and ± std over the splits as a band."""
    means, std = as_loss(values.mean(), name), values.std()
    ax.plot(means, color=BLUE, label="after each step")
    band = dict(color=BLUE, alpha=0.15, linewidth=0)
    ax.fill_between(means.index, means - std, means + std, label="± std", **band)
    ax.set(
        title=loss_title(name),
        xlabel="steps",
        xlim=(1, means.index.max()),
    )
