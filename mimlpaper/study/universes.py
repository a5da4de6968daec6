"""The claims and the printed rows under other readings of what the paper leaves open.

A *universe* is one set of decisions: what the methods of a data set share, such as the scaling, a
reading of each method, and the test of significance. A claim is tested on its records as it is on
the records of the tables.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import islice, product

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from mimlpaper.paths import write_whole
from mimlpaper.study.claims import CLAIM_TESTS, claim_parts, verdict_of
from mimlpaper.study.compare import Records, as_published, records_of, records_of_all, run_means
from mimlpaper.study.fingerprint import code_fingerprint
from mimlpaper.study.multiverse import READ_AS, SHARED, in_words
from mimlpaper.study.published import ALL_CRITERIA, TABLES, published_cells
from mimlpaper.study.records import KEY, MEASURED, default_store
from mimlpaper.study.registry import EXPERIMENTS, family
from mimlpaper.study.verdicts import against_printed, row_verdicts

# Experiments of claims whose methods are read otherwise in a table.
READ_IN = {"choices_subcod": "table5", "table3_tuned": "table3"} | {
    name.removeprefix("multiverse_"): name.removeprefix("multiverse_")
    for name in family("multiverse")
}
NEEDED = (*(name for name in READ_IN if name != "table3_tuned"), *family("multiverse"))
READ_CLAIMS = tuple(
    claim for claim, tests in CLAIM_TESTS.items()
    if claim.startswith("S") and all(test.experiment in READ_IN for test in tests)
)  # fmt: skip
VERDICTS = ("holds", "partly", "fails")
PLAIN = "plain paired t-test"  # in place of the corrected one
FIRM = 0.9  # share of universes
N_UNIVERSES = {"paper": 200, "quick": 20, "smoke": 2}  # drawn for each claim
NO_VARIANCE = 1e-18  # of a criterion's sum of squares
SHARES, DRAWN = "multiverse_claims", "multiverse_drawn"  # cached tables, in the records' folder


@dataclass(frozen=True)
class Read:
    """A recorded reading of a method."""

    method: str
    changes: Mapping[str, str]  # from the published reading, in words
    open: frozenset  # every (choice, alternative) of its row
    records: pd.DataFrame

    def fits(self, policy: Mapping[str, str]) -> bool:
        """Whether it has what is shared; its own setting, where its row has no such alternative."""
        return all(
            self.changes.get(name, "") == (words if (name, words) in self.open else "")
            for name, words in policy.items()
        )

    def free(self) -> list[str]:
        """The changes that are not shared, such as ``MlSvm: C = 10.0``."""
        own = (words for name, words in self.changes.items() if name not in SHARED)
        return [f"{self.method}: {words}" for words in own]


@dataclass(frozen=True)
class Universe:
    """A decision for every choice: what is shared, the test, and a reading of each method."""

    policy: Mapping[str, str]
    plain: bool
    reads: tuple[Read, ...]

    @property
    def changes(self) -> tuple[str, ...]:
        """What differs from the published readings."""
        shared = [f"all: {words}" for words in self.policy.values() if words]
        own = [change for read in self.reads for change in read.free()]
        return (*shared, *own, *[PLAIN] * self.plain)


def readings_of(name: str, get_records: Records) -> list[Read]:
    """The recorded readings of a table's or a figure's methods, the published ones first."""
    experiment = EXPERIMENTS[f"multiverse_{name}"]
    published = as_published(records_of_all(get_records, experiment.of))
    read_otherwise = records_of(get_records, experiment.name)
    rows = pd.concat([rows for rows in (published, read_otherwise) if len(rows)] or [published])
    if rows.empty:
        return []
    rows = rows[rows["method"].isin(experiment.methods) & (rows["split"] < experiment.n_splits())]
    keys = ["dataset", "method", "parameters"]
    groups = dict(list(rows.drop_duplicates([*keys, "split"]).groupby(keys)))
    datasets, found = rows["dataset"].unique(), []
    for row, readings in experiment.variants.items():
        method = READ_AS.get(row, row)
        other = {"row": f"row = {row}"} if method != row else {}
        options = frozenset((n, in_words(change)) for one in readings for n, change in one.items())
        for reading in readings:
            wanted = [(d, row, experiment.parameters(d, row, reading)) for d in datasets]
            if all(key in groups for key in wanted):
                records = pd.concat([groups[key] for key in wanted])
                changes = {n: in_words(change) for n, change in reading.items()} | other
                records = records.assign(method=method, parameters="{}")
                found.append(Read(method, changes, options, records))
    return found


class Universes:
    """The universes of the methods that are compared, from the readings of their table."""

    def __init__(self, reads: Sequence[Read], methods: Sequence[str]):
        self.reads = {name: [r for r in reads if r.method == name] for name in methods}

    @cached_property
    def policies(self) -> list[tuple[dict, list[list[Read]]]]:
        """What may be shared, and the readings of each method that go with it."""
        every = sorted({option for own in self.reads.values() for r in own for option in r.open})
        options = [["", *(words for one, words in every if one == name)] for name in SHARED]
        found = []
        for point in product(*options):
            policy = dict(zip(SHARED, point, strict=True))
            fitting = [[r for r in own if r.fits(policy)] for own in self.reads.values()]
            if all(fitting):
                found.append((policy, fitting))
        return found

    def drawn(self, n: int, seed: int = 0) -> list[Universe]:
        """``n`` universes, each decision drawn with equal chances."""
        rng, found = np.random.default_rng(seed), []
        for _ in range(n if self.policies else 0):
            policy, fitting = self.policies[rng.integers(len(self.policies))]
            reads = tuple(own[rng.integers(len(own))] for own in fitting)
            found.append(Universe(policy, bool(rng.integers(2)), reads))
        return found

    def near(self, n_changes: int) -> Iterator[Universe]:
        """All universes with so many changes."""
        for policy, fitting in self.policies:
            for plain in (False, True):
                left = n_changes - plain - sum(map(bool, policy.values()))
                for reads in _spread(fitting, left):
                    yield Universe(policy, plain, reads)


def _spread(fitting, left):
    """One reading of each method, with so many changes of their own together."""
    if not fitting:
        yield from [()] if left == 0 else []
        return
    for read in fitting[0]:
        n = len(read.free())
        if n <= left:
            yield from ((read, *others) for others in _spread(fitting[1:], left - n))


def universes_of(
    get_records: Records, *, claims: Sequence[str] = READ_CLAIMS, n_drawn: int = 200, jobs: int = 1
) -> pd.DataFrame:
    """Claims tested in drawn universes, in the published one, and in the nearest ones.

    The nearest universes have one change and, if none of them turns the claim over, two; at most
    ``2 * n_drawn`` of each are tested.

    Columns: claim, drawn (whether it counts in shares), verdict, effect (the mean lead of its
    parts, on average precision where that is among them; without leads the share of parts that
    hold), measure (which of these) and changes (a tuple, empty as published).
    """
    reads = {name: readings_of(name, get_records) for name in dict.fromkeys(READ_IN.values())}
    tables = {claim: READ_IN[CLAIM_TESTS[claim][0].experiment] for claim in claims}
    rows = Parallel(jobs)(
        delayed(_tested)(claim, reads[table], n_drawn) for claim, table in tables.items()
    )
    columns = ["claim", "drawn", "verdict", "effect", "measure", "changes"]
    return pd.DataFrame([row for own in rows for row in own], columns=columns)


def _tested(claim, reads, n_drawn):
    methods = dict.fromkeys(m for test in CLAIM_TESTS[claim] for m in test.methods)
    every = Universes(reads, methods)
    rows = [_outcome(claim, one, False) for one in every.near(0)]
    if not rows:
        return []
    for n_changes in (1, 2):
        nearby = islice(every.near(n_changes), 2 * n_drawn)
        rows += [_outcome(claim, one, False) for one in nearby]
        if len({row["verdict"] for row in rows}) > 1:
            break
    return rows + [_outcome(claim, one, True) for one in every.drawn(n_drawn)]


def _outcome(claim, universe, drawn):
    records = pd.concat([read.records for read in universe.reads], ignore_index=True)
    parts, _ = claim_parts(claim, dict.fromkeys(READ_IN, records), "matched")
    verdict = verdict_of(claim, parts, "holds_paired" if universe.plain else "holds")
    leads = [part for part in parts if part.gain is not None]
    main = ALL_CRITERIA["average_precision"].symbol
    precise = [part for part in leads if part.aspect.startswith(main)]
    measure = "lead in average precision" if precise else "lead" if leads else "share of its parts"
    values = [part.gain for part in precise or leads] or [bool(part.holds) for part in parts]
    return {
        "claim": claim, "drawn": drawn, "verdict": verdict, "effect": float(np.mean(values)),
        "measure": measure, "changes": universe.changes,
    }  # fmt: skip


def summary(universes: pd.DataFrame) -> pd.DataFrame:
    """One row a claim: published (verdict), shares holds, partly and fails of n, and flips.

    ``flips`` is JSON: the smallest sets of changes that give another verdict than the published
    one, and which; empty if two changes are too few.
    """
    rows = []
    for claim, own in universes[universes["verdict"].isin(VERDICTS)].groupby("claim", sort=False):
        drawn, near = own.loc[own["drawn"], "verdict"], own[~own["drawn"]]
        published = near["verdict"].iloc[0]
        flipped = near[near["verdict"] != published]
        least = flipped["changes"].map(len)
        found = flipped.loc[least == least.min(), ["changes", "verdict"]].to_dict("records")
        shares = {word: float((drawn == word).mean()) for word in VERDICTS}
        last = {"n": len(drawn), "flips": json.dumps(found)}
        rows.append({"claim": claim, "published": published} | shares | last)
    return pd.DataFrame(rows)


def in_sentences(shares: pd.DataFrame) -> str:
    """How many claims are firm, either way, and how many one change turns over."""
    if shares.empty:
        return "Nothing is recorded yet."
    flips = shares["flips"].map(json.loads)
    least = flips.map(lambda found: min((len(one["changes"]) for one in found), default=0))
    return (
        f"Of {len(shares)} claims {(shares['holds'] > FIRM).sum()} hold in more than {FIRM:.0%} of "
        f"the universes, and {(shares['fails'] > FIRM).sum()} fail in as many; the verdict on "
        f"{(least == 1).sum()} changes with one choice, on {(least == 2).sum()} others with two."
    )


def drawn_universes(get_records: Records, profile: str, *, jobs: int = 1) -> pd.DataFrame:
    """The drawn rows of :func:`universes_of`, cached with their :func:`summary`.

    Both are computed again when the records or the code have changed.
    """
    n_drawn = N_UNIVERSES[profile]
    code = code_fingerprint([universes_of, summary, CLAIM_TESTS, n_drawn], None, None)
    tables = [records_of(get_records, name).filter([*KEY, *MEASURED]) for name in NEEDED]
    sums = [int(pd.util.hash_pandas_object(rows).sum()) for rows in tables if len(rows)]
    code = sha256(f"{code} {sums}".encode()).hexdigest()[:12]
    shares = _kept(SHARES, profile)
    if set(shares.get("code", ())) != {code} or _kept(DRAWN, profile).empty:
        table = universes_of(get_records, n_drawn=n_drawn, jobs=jobs)
        rows = table[table["drawn"]].assign(changes=table["changes"].map(json.dumps))
        for name, made in ((DRAWN, rows), (SHARES, summary(table).assign(code=code))):
            text = made.to_csv(index=False, lineterminator="\n", float_format="%.6g")
            write_whole(_path(name, profile), text)
    drawn = _kept(DRAWN, profile)
    return drawn.assign(changes=drawn["changes"].map(json.loads).map(tuple))


def recorded_shares(profile: str) -> pd.DataFrame:
    """The cached :func:`summary`, empty if there is none."""
    return _kept(SHARES, profile).drop(columns="code", errors="ignore")


def _kept(name, profile):
    path = _path(name, profile)
    return pd.read_csv(path, dtype={"code": str}) if path.is_file() else pd.DataFrame()


def _path(name, profile):
    return default_store(profile).folder / f"{name}{'_quick' * (profile == 'quick')}.csv"


def row_positions(reads: Sequence[Read], number: int) -> pd.DataFrame:
    """Each printed row among the readings of its method, criterion by criterion.

    Columns table, algorithm, criterion, n (readings), identified (share of them that are nearest
    to their own printed row), printed, least, median, largest, and below (share of readings with a
    lower value than printed). Accuracies are means over data sets.
    """
    table = TABLES[number]
    # Each reading counts as an algorithm of its own, named by its number.
    records = [as_published(read.records).assign(method=i) for i, read in enumerate(reads)]
    if not records:
        return pd.DataFrame()
    runs = run_means(pd.concat(records), table).groupby(["dataset", "method"])
    means = runs[list(table.criteria)].mean().rename_axis(columns="criterion").stack()
    ours = means.rename("mean").reset_index().rename(columns={"method": "algorithm"})
    ours = ours.assign(table=number, method=[reads[i].method for i in ours["algorithm"]])
    printed = published_cells(number).query("printed == 'value'")
    printed = printed.rename(columns={"mean": "published_mean"})
    cells = printed[["dataset", "criterion", "algorithm"]].rename(columns={"algorithm": "method"})
    pairs = against_printed(ours.merge(cells), printed).sort_values("algorithm", kind="stable")
    nearest = row_verdicts(pairs).set_index("algorithm")["nearest"]
    pairs["identified"] = pairs["algorithm"].map(nearest) == pairs["method"]
    own = pairs[pairs["other"] == pairs["method"]]
    own = own.groupby(["other", "algorithm", "criterion"], sort=False)
    every = own[["published_mean", "mean", "identified"]].mean()
    every = every.assign(below=every["mean"] < every["published_mean"], table=number)
    found = every.groupby(["table", "other", "criterion"], sort=False).agg(
        n=("mean", "size"), identified=("identified", "mean"), printed=("published_mean", "first"),
        least=("mean", "min"), median=("mean", "median"), largest=("mean", "max"),
        below=("below", "mean"),
    )  # fmt: skip
    return found.rename_axis(index={"other": "algorithm"}).reset_index()


def variance_shares(readings: pd.DataFrame, choices: Sequence[str], criteria) -> pd.DataFrame:
    """Which choices carry the variance: the main effects of an analysis of variance.

    A choice's share is what leaving it out of the model of all main effects adds to the sum of
    squares that is left, over the whole sum; "together" is what no choice explains alone. The
    shares of a criterion that no choice changes are missing.
    ``readings`` has one row a reading, or a reading and split, and a column of words for each
    choice, as :class:`~mimlpaper.study.multiverse.Multiverse` gives it.
    """
    rows = readings.fillna(dict.fromkeys(choices, ""))
    means = rows.groupby(list(choices))[list(criteria)].mean()
    dummies = {
        name: pd.get_dummies(means.index.get_level_values(name), drop_first=True).to_numpy(float)
        for name in choices
    }

    def left(names):
        terms = np.column_stack([np.ones(len(means)), *(dummies[name] for name in names)])
        values = means.to_numpy()
        return ((values - terms @ np.linalg.lstsq(terms, values)[0]) ** 2).sum(axis=0)

    total, best = left([]), left(choices)
    rows = {name: left([n for n in choices if n != name]) - best for name in choices}
    shares = pd.DataFrame(rows | {"together": best}, index=list(criteria)).T
    # Sums of equal values differ in the last bits, on each machine in others.
    varies = total > NO_VARIANCE * (means**2).sum().to_numpy()
    return (shares / np.where(varies, total, np.nan)).round(12) + 0.0


def variance_of(reads: Sequence[Read], criteria) -> pd.DataFrame:
    """:func:`variance_shares` of every method of a table, with a column method."""
    tables = []
    for method in dict.fromkeys(read.method for read in reads):
        own = [read for read in reads if read.method == method]
        rows = pd.DataFrame(
            [read.changes | dict(read.records[list(criteria)].mean()) for read in own]
        )
        choices = [name for name in rows if name not in criteria]
        if choices:
            shares = variance_shares(rows, choices, criteria).rename_axis("choice").reset_index()
            tables.append(shares.assign(method=method))
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()
