"""The mark of rows with settings that were chosen because they come closest to print."""

from collections.abc import Iterable

from mimlstudy.paper.experiments import settings_closest_to_print

DAGGER = "†"


def marked_names(methods: Iterable[str], experiment: str) -> dict[str, str]:
    """Names of methods in a table or figure, with :data:`DAGGER` where print chose settings."""
    n_settings = settings_closest_to_print(experiment)
    names = {}
    for method in methods:
        names[method] = f"{method} {DAGGER}" if n_settings.get(method) else method
    return names


def marks_in_words(methods: Iterable[str], experiment: str) -> str:
    """What the mark says of these rows; "" if none of them has it."""
    n_settings = settings_closest_to_print(experiment)
    of_marked = [n_settings[method] for method in methods if n_settings.get(method)]
    if not of_marked:
        return ""
    return (
        f"{DAGGER} marks {len(of_marked)} rows with {sum(of_marked)} settings that were chosen "
        "because they come closest to the printed row."
    )
