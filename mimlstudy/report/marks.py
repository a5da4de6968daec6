"""The mark of rows with settings that were chosen because they come closest to print."""

from collections.abc import Iterable

from mimlstudy.counts import number_and_noun
from mimlstudy.paper.experiments import settings_closest_to_print

DAGGER = "†"


def marked_names(methods: Iterable[str], experiment: str) -> dict[str, str]:
    """Names of methods, with :data:`DAGGER` after those that have such settings."""
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
    n_chosen = sum(of_marked)
    rows, settings = number_and_noun(len(of_marked), "row"), number_and_noun(n_chosen, "setting")
    reason = "was chosen because it comes" if n_chosen == 1 else "were chosen because they come"
    return f"{DAGGER} marks {rows} with {settings} that {reason} closest to the printed row."
