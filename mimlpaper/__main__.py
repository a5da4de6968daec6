"""``python -m mimlpaper`` is the command ``mimlpaper`` of the installed distribution."""

from importlib.metadata import distribution

# By its entry point, because the library does not know the study, whose command it is.
(command,) = distribution("mimlpaper").entry_points.select(
    group="console_scripts", name="mimlpaper"
)
raise SystemExit(command.load()())
