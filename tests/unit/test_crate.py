"""The RO-Crate names every file and the addresses of the data; it needs the package rocrate."""

import csv
import json
import runpy

import pytest

from mimlpaper import paths

pytest.importorskip("rocrate", reason="needs the extra crate: make crate")


def test_the_crate_holds_code_records_figures_and_pointers_to_data(tmp_path):
    crate = runpy.run_path(str(paths.project_root() / "site" / "crate.py"))
    crate["main"](tmp_path / "crate")
    graph = json.loads((tmp_path / "crate" / "ro-crate-metadata.json").read_text())["@graph"]
    found = {entity["@id"]: entity for entity in graph}
    assert "SoftwareSourceCode" in found["mimlpaper/bags.py"]["@type"]
    assert found["data/results/table1.csv"]["description"] == "Recorded trials: Table 1"
    assert found["figures/figure1.png"]["name"] == "Fig. 1"
    for name in crate["tracked"]():
        assert name in found
        assert (tmp_path / "crate" / name).is_file()
    with open(paths.project_root() / "data" / "manifest.csv") as file:
        for row in csv.DictReader(file):
            assert found[row["url"]]["sha256"] == row["sha256"]
    article = found[found["./"]["citation"]["@id"]]
    assert found[article["author"][0]["@id"]]["name"] == "Zhi-Hua Zhou"
