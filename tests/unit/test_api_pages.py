"""Every public name has a page of the site, with an example that runs."""

import importlib.util

import pytest

import mimlpaper
from mimlpaper import paths


@pytest.fixture(scope="module")
def api():
    path = paths.project_root() / "site" / "api.py"
    spec = importlib.util.spec_from_file_location("api", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_public_name_has_its_page_and_example(api):
    assert api.EXAMPLES.keys() == set(mimlpaper.__all__)
    index = api.index_page()
    assert all(f"| [{name}]({name}.md) | " in index for name in mimlpaper.__all__)


@pytest.mark.parametrize("name", mimlpaper.__all__)
def test_example_uses_the_name_and_prints(api, name):
    code = api.example(name)
    assert f"{name}(" in code.split("import", 2)[-1] or f'{name}["' in code
    assert api.printed(code).strip()
