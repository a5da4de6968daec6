"""How one number came about, from the printed value down to the code."""

from itertools import zip_longest

from mimlstudy import folders
from mimlstudy.engine.fingerprint import code_fingerprint, modules_behind
from mimlstudy.engine.records import records
from mimlstudy.judge import compare
from mimlstudy.paper.catalogue import CATALOGUE, default_store
from mimlstudy.paper.experiments import EXPERIMENTS, ROWS
from mimlstudy.paper.published import TABLES
from mimlstudy.paper.settings import NEAREST, settings
from mimlstudy.report import tables
from mimlstudy.report.words import counted


def trace(table: int | str, method: str, criterion: str, dataset: str | None = None) -> str:
    """How one number of Tables 1 to 5 came about: one screen of text.

    Names are the scorecard's, the data set by default the first; a ValueError lists what there is.
    """
    printed = TABLES.get(int(table)) if str(table).isdigit() else None
    if printed is None:
        raise ValueError(f"table must be one of {list(TABLES)}, got {table!r}")
    experiment, dataset = EXPERIMENTS[printed.experiment], dataset or printed.datasets[0]
    known = dict(method=experiment.methods, criterion=printed.criteria, dataset=printed.datasets)
    for (name, names), value in zip(known.items(), (method, criterion, dataset), strict=True):
        if value not in names:
            raise ValueError(f"{name} must be one of {list(names)}, got {value!r}")
    recorded = compare.as_published(records(experiment, store=default_store(), methods=[method]))
    cell = compare.compare_with_paper(recorded, printed.number).query(
        "algorithm == @method and criterion == @criterion and dataset == @dataset"
    )
    # The eleven data sets of Table 4 are one column of it.
    trials = recorded.query("dataset == @dataset or dataset not in @printed.datasets")
    of_set = trials["dataset"].iloc[0] if len(trials) else experiment.datasets[0]
    verified = (
        default_store().outcomes().query("experiment == @experiment.name and method == @method")
    )
    rows = verified[["date", "outcome", "n_checked", "machine"]].drop_duplicates()
    dates = ["{}: {}, {} trials, {}".format(*row) for row in rows.itertuples(index=False)]
    about = _values(cell.iloc[0]) | {"trials": _trials(experiment, trials)}
    about |= _code(experiment, of_set, method) | {"verified": dates or ["never"]}
    lines = [f"Table {table}, {method}, {criterion} on {dataset}", ""]
    for name, texts in about.items():
        lines += [f"{head:<10}{text}" for head, text in zip_longest([name], texts, fillvalue="")]
    return "\n".join(lines)


def _values(cell):
    mean, published = cell["mean"], cell["published_mean"]
    words = [cell["verdict"] or "none: the paper has no such row"]
    if cell["printed"] == "value" and cell["n"]:
        difference = f"|{mean:.4f} - {published:.4f}| = {abs(mean - published):.4f}"
        words.append(f"{difference}; agrees up to {cell['tolerance']:.4f}")
    words.append("data/published/results.csv, judge/compare.py, judge/verdicts.py in mimlstudy")
    ours = tables.number_text(mean, cell["std"])
    return {"printed": [tables.published_text(cell)], "ours": [ours], "verdict": words}


def _trials(experiment, trials):
    if trials.empty:
        return [f"none; mimlpaper compute {experiment.name}"]
    states = counted(trials["state"].value_counts())
    return [
        f"{len(trials)}: {states}; seeds {trials['split'].min()} to {trials['split'].max()}",
        f"{trials['seconds'].sum():.1f} s of processor time in all",
        f"data/results/{experiment.name}.csv",
    ]


def _code(experiment, dataset, method):
    splits = experiment.part_of(dataset, method).splits
    loader = CATALOGUE.loader(dataset)
    parts = experiment.estimator(dataset, method), loader, splits, experiment.measure
    about = settings({method: ROWS[experiment.name][method]}, [dataset])
    named = [
        f"{f'{one.parameter} = {one.value}':<50} {f'{one.basis} {one.source}'.rstrip()}"
        + " †" * (one.basis == NEAREST)
        for one in about[about["basis"] != ""].itertuples()
    ]
    sections = folders.PACKAGE.glob("paper/section*.py")
    section = next(file for file in sections if f'"{experiment.name}"' in file.read_text())
    files = [
        f"{module.replace('.', '/') + '.py':<42} {n_definitions} definitions in use"
        for module, n_definitions in modules_behind(*parts).items()
    ]
    return {
        "settings": [*named, f"{splits}; mimlstudy/paper/{section.name}"],
        "code": [f"fingerprint {code_fingerprint(*parts)}", *files],
    }
