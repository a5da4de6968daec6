from pathlib import Path

from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.medoids import KMedoids
from mimlpaper.report.artefacts import pseudocode_map

ROOT = Path(__file__).resolve().parents[2]


def test_every_cited_step_is_found_where_it_says():
    steps = pseudocode_map(KMedoids, MimlSvm)
    assert {"Table 7, step 2", "step 2c", "step 4"} <= set(steps["step"])
    for row in steps.itertuples():
        file, number = row.where.split(":")
        assert (ROOT / file).read_text().splitlines()[int(number) - 1].strip().startswith(row.code)
