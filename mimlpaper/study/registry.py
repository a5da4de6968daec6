"""All experiments by name, section by section."""

from mimlpaper.study.experiment import Experiment
from mimlpaper.study.multiverse import every_reading
from mimlpaper.study.section4 import SECTION4, TABLE_1, TABLE_2
from mimlpaper.study.section5 import FIGURE_4, FIGURE_5, SECTION5
from mimlpaper.study.section6 import SECTION6, TABLE_3, TABLE_4
from mimlpaper.study.section7 import SECTION7, TABLE_5
from mimlpaper.study.settings import nearest_to_print
from mimlpaper.study.unseen import UNSEEN, UNSEEN_EXPERIMENTS, UNSEEN_TEXTS

# The rows whose every setting has a basis, see mimlpaper.study.settings.
TABLES = dict(table1=TABLE_1, table2=TABLE_2, table3=TABLE_3, table4=TABLE_4, table5=TABLE_5)
ROWS = TABLES | dict(figure4=FIGURE_4, figure5=FIGURE_5)

ON_PAPER = (*SECTION4, *SECTION5, *SECTION6, *SECTION7)
EXPERIMENTS = {experiment.name: experiment for experiment in (*ON_PAPER, *UNSEEN_EXPERIMENTS)}
EXPERIMENTS |= {
    f"multiverse_{name}": every_reading(EXPERIMENTS[name], table) for name, table in ROWS.items()
}
ROWS |= {"unseen": UNSEEN, "unseen_texts": UNSEEN_TEXTS}  # not in the multiverse


def get_experiment(name: str | Experiment) -> Experiment:
    """The experiment of that name, or the one given; a ValueError lists the names that exist."""
    if isinstance(name, Experiment):
        return name
    if name not in EXPERIMENTS:
        raise ValueError(f"experiment must be one of {list(EXPERIMENTS)}, got {name!r}")
    return EXPERIMENTS[name]


def family(name: str) -> list[str]:
    """The experiments whose names begin with that one: all of the multiverse; else itself."""
    members = [member for member in EXPERIMENTS if member.startswith(f"{name}_")]
    return [name] if name in EXPERIMENTS or not members else members


def settings_nearest_to_print(name: str) -> dict[str, int]:
    """For each row of a table or figure, how many settings were chosen by nearness to print."""
    return nearest_to_print(ROWS[name], get_experiment(name).datasets)
