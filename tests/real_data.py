"""The mark of tests that read the paper's data files."""

import os

import pytest

HAS_DATA = bool(os.environ.get("MIMLPAPER_DATA"))
real_data = pytest.mark.skipif(not HAS_DATA, reason="MIMLPAPER_DATA is not set")
