"""The study: what is run, how it is recorded, whether it still holds, and what it says."""

from mimlpaper.study.arithmetic import pin

pin()  # before anything imports NumPy
