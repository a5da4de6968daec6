"""Every table and figure: its files, the notebook that makes it, the experiment behind it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ARTEFACTS", "Artefact"]


@dataclass(frozen=True)
class Artefact:
    """One table or figure of the paper.

    Parameters
    ----------
    title : str, as the paper calls it.
    file : str, name of its files in ``figures/``, without ending.
    notebook : str
    experiment : str or None, whose records it shows; None if it needs no trials.
    """

    title: str
    file: str
    notebook: str
    experiment: str | None = None


ARTEFACTS = (
    Artefact("Scorecard", "scorecard", "0_scorecard"),
    Artefact("Fig. 1", "figure1", "3_framework"),
    Artefact("Fig. 2", "figure2", "3_framework"),
    Artefact("Fig. 3", "figure3", "4_degeneration"),
    Artefact("Table 1", "table1", "4_degeneration", "table1"),
    Artefact("Table 2", "table2", "4_degeneration", "table2"),
    Artefact("Fig. 6", "figure6", "B_parameter_settings", "figure6"),
    Artefact("Fig. 7", "figure7", "B_parameter_settings", "figure7"),
    Artefact("Appendix C", "appendix_c", "C_web_page_data"),
)
