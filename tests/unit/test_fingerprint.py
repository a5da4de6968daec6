import ast

import pytest
from sklearn.pipeline import make_pipeline

from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.baselines.mlknn import MlKnn
from mimlpaper.datasets import DATASETS
from mimlpaper.experiments import fingerprint
from mimlpaper.experiments.fingerprint import _closure, code_fingerprint, module_hash
from mimlpaper.preprocessing import SumInstances

SOURCE = '''"""A module."""
import os


def area(width, height):
    """Width times height."""
    return width * height  # both positive
'''


@pytest.fixture
def hashed(tmp_path):
    def hash_of(source):
        path = tmp_path / f"module{len(list(tmp_path.iterdir()))}.py"
        path.write_text(source)
        return module_hash(path)

    return hash_of


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  # both positive", ""),
        ('"""Width times height."""', '"""The area."""'),
        ('"""A module."""\n', ""),
        ("return width * height", "return (width\n            * height)"),
    ],
)
def test_comments_docstrings_and_layout_do_not_count(hashed, old, new):
    assert old in SOURCE
    assert hashed(SOURCE) == hashed(SOURCE.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [("width * height", "width + height"), ("height):", "height=1):"), ("area", "surface")],
)
def test_code_counts(hashed, old, new):
    assert hashed(SOURCE) != hashed(SOURCE.replace(old, new))


def test_imports_are_followed_to_the_floor():
    modules = _closure({"mimlpaper.algorithms.mimlsvm"})
    assert {
        "mimlpaper.algorithms.mimlsvm",
        "mimlpaper.algorithms.medoid_map",
        "mimlpaper.baselines.mlsvm",
        "mimlpaper.medoids",
        "mimlpaper.distances",
        "mimlpaper.bags",
    } <= modules
    above = ("mimlpaper.report", "mimlpaper.experiments")
    assert not any(name.startswith(above) for name in modules)


def test_parameters_count_but_seeds_do_not():
    loader = DATASETS["scene"]
    code = code_fingerprint(make_pipeline(MimlSvm(C=1.0)), loader)
    assert code == code_fingerprint(make_pipeline(MimlSvm(C=1.0, random_state=7)), loader)
    assert code != code_fingerprint(make_pipeline(MimlSvm(C=2.0)), loader)
    assert code != code_fingerprint(make_pipeline(MimlSvm(C=1.0)), DATASETS["reuters"])
    assert code != code_fingerprint(make_pipeline(SumInstances(), MlKnn()), loader)


def test_a_changed_module_changes_the_fingerprint(monkeypatch):
    loader = DATASETS["scene"]
    before = code_fingerprint(MimlSvm(), loader)
    knn_before = code_fingerprint(MlKnn(), loader)
    honest = fingerprint.module_hash
    monkeypatch.setattr(
        fingerprint,
        "module_hash",
        lambda path: "changed" if path.name == "medoids.py" else honest(path),
    )
    assert code_fingerprint(MimlSvm(), loader) != before
    assert code_fingerprint(MlKnn(), loader) == knn_before


def test_empty_fields_that_other_versions_add_do_not_count():
    tree = ast.parse("def f():\n    pass")
    text = fingerprint._canonical(tree)
    tree.body[0].type_params = []
    assert fingerprint._canonical(tree) == text
