"""Every table and figure: its files, the notebook that makes it, the experiment behind it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ARTEFACTS", "Artefact"]


@dataclass(frozen=True)
class Artefact:
    """One table or figure, of the paper or beyond it.

    Parameters
    ----------
    title : str, as the paper calls it.
    file : str, name of its files in ``figures/``, without ending.
    notebook : str
    experiment : str or None, whose records it shows; None if it needs no trials.
    shows : str, what a figure shows, for those who do not see it; empty for a table.
    """

    title: str
    file: str
    notebook: str
    experiment: str | None = None
    shows: str = ""

    @property
    def is_figure(self) -> bool:
        """Whether it is a picture; otherwise it is a table."""
        return bool(self.shows)

    @property
    def files(self) -> tuple[str, ...]:
        """Names of its files, the one to look at first."""
        endings = ("png", "svg") if self.is_figure else ("csv", "md", "tex")
        return tuple(f"{self.file}.{ending}" for ending in endings)

    @property
    def make(self) -> str:
        """The command that makes its files anew."""
        return f"mimlpaper run {self.notebook}"

    @property
    def compute(self) -> str:
        """The command that runs its trials; empty if it needs none."""
        return f"mimlpaper compute {self.experiment}" if self.experiment else ""


ARTEFACTS = (
    Artefact(
        "Scorecard",
        "scorecard",
        "0_scorecard",
        shows=(
            "Every cell of Tables 1 to 5 as a coloured square, one panel a table, rows are "
            "algorithms: green agrees with the paper, blue is better than printed, red worse, "
            "purple fills a blank, grey is not run."
        ),
    ),
    Artefact(
        "Fig. 1",
        "figure1",
        "3_framework",
        shows=(
            "Four frameworks of learning as diagrams: one or many instances on the left, one "
            "or many labels on the right; MIML has many of both."
        ),
    ),
    Artefact(
        "Fig. 2",
        "figure2",
        "3_framework",
        shows=(
            "Africa as one label that is hard to learn from images, and as four sub-concepts "
            "in between, elephant, lion, tree and grassland, that lead to it."
        ),
    ),
    Artefact(
        "A scene and its bag",
        "worked_bag",
        "3_framework",
        shows=(
            "A drawn tree on a dune, the 33 blobs of colour that its bag knows with nine of them "
            "numbered, and the nine instances as crosses of five colours."
        ),
    ),
    Artefact(
        "A scene explained",
        "worked_scores",
        "3_framework",
        shows=(
            "The same scene with the scores of its nine instances as discs, for the three labels "
            "that score highest."
        ),
    ),
    Artefact(
        "Fig. 3",
        "figure3",
        "4_degeneration",
        shows=(
            "Two ways from MIML to ordinary learning: solution A by multi-instance learning, "
            "solution B by multi-label learning."
        ),
    ),
    Artefact("Totals", "totals", "0_scorecard"),
    Artefact("Claims", "claims", "0_scorecard"),
    Artefact("Table 1", "table1", "4_degeneration", "table1"),
    Artefact("Table 2", "table2", "4_degeneration", "table2"),
    Artefact(
        "Alternations of MimlSvm_mi",
        "alternations",
        "4_degeneration",
        "alternations",
        shows=(
            "Seven panels, one a criterion: MimlSvm_mi on scene after each turn of training and "
            "guessing; the first turn ranks best."
        ),
    ),
    Artefact("Table 1, everyone tuned", "table1_tuned", "4_degeneration", "table1_tuned"),
    Artefact("Table 2, everyone tuned", "table2_tuned", "4_degeneration", "table2_tuned"),
    Artefact(
        "A fair fight",
        "fair_fight",
        "4_degeneration",
        "table2_tuned",
        shows=(
            "Mean ranks of the eight algorithms of Tables 1 and 2, with the middle 95 % of the "
            "splits: scene above, text below; as published on the left, tuned on the right."
        ),
    ),
    Artefact("Open choices on scene", "choices_scene", "4_degeneration", "choices_scene"),
    Artefact("Open choices on text", "choices_text", "4_degeneration", "choices_text"),
    Artefact("Table 3", "table3", "6_insdif", "table3"),
    Artefact("Table 4", "table4", "6_insdif", "table4"),
    Artefact(
        "Fig. 10",
        "figure10",
        "6_insdif",
        "table4",
        shows=(
            "Seven panels, one a criterion; eleven rows of marks, one a set of web pages: the "
            "sets differ more than the nine algorithms do."
        ),
    ),
    Artefact(
        "Bags of InsDif",
        "translates",
        "6_insdif",
        shows=(
            "Left, two examples and four prototypes in the plane; right, their two bags, of the "
            "same shape, with equal arrows from one to the other."
        ),
    ),
    Artefact("Where prototypes matter", "ablation", "6_insdif", "ablation"),
    Artefact("MlSvm on yeast", "mlsvm_yeast", "6_insdif", "mlsvm_yeast"),
    Artefact("MlSvm on web pages", "mlsvm_yahoo", "6_insdif", "mlsvm_yahoo"),
    Artefact("Table 3, everyone tuned", "table3_tuned", "6_insdif", "table3_tuned"),
    Artefact("Table 4, everyone tuned", "table4_tuned", "6_insdif", "table4_tuned"),
    Artefact(
        "A fair fight on vectors",
        "fair_fight_vectors",
        "6_insdif",
        "table4_tuned",
        shows=(
            "Mean ranks of the algorithms of Tables 3 and 4, with the middle 95 % of the runs: "
            "yeast above, web pages below; as published on the left, tuned on the right."
        ),
    ),
    Artefact("Open choices on yeast", "choices_yeast", "6_insdif", "choices_yeast"),
    Artefact("Open choices on web pages", "choices_yahoo", "6_insdif", "choices_yahoo"),
    Artefact(
        "Fig. 4",
        "figure4",
        "5_regularization",
        "figure4",
        shows=(
            "Seven panels, one a criterion: D-MimlSvm, MimlSvm and MimlSvm_mi on scenes of which "
            "10 to 50 % have several labels."
        ),
    ),
    Artefact(
        "Fig. 5",
        "figure5",
        "5_regularization",
        "figure5",
        shows=(
            "Seven panels, one a criterion: D-MimlSvm, MimlSvm and MimlSvm_mi on texts of which "
            "10 to 50 % have several labels."
        ),
    ),
    Artefact("Wins in Figs. 4 and 5", "figures45_outcomes", "5_regularization", "figure4"),
    Artefact(
        "Other label rules in Figs. 4 and 5", "figures45_rules", "5_regularization", "figure4_rules"
    ),
    Artefact(
        "Alternations in Figs. 4 and 5",
        "figures45_alternations",
        "5_regularization",
        "figure4_alternations",
        shows=(
            "Stacked bars, scenes and texts: in how many of 35 cases D-MimlSvm is better, ties or "
            "is worse than mi-SVM after 1 to 25 alternations."
        ),
    ),
    Artefact("Relatedness by pairs", "figures45_pairwise", "5_regularization", "figure4_pairwise"),
    Artefact(
        "Falling objectives",
        "cccp",
        "5_regularization",
        shows=(
            "The objective of D-MimlSvm after each convex problem, scenes and texts: every curve "
            "falls to its end within a few steps."
        ),
    ),
    Artefact(
        "Related labels",
        "relatedness",
        "5_regularization",
        shows=(
            "Matrices over the labels of scenes and texts: cosines between their functions, and "
            "what each pair shares; sea with sunset and money-fx with interest stand out."
        ),
    ),
    Artefact(
        "Fig. 6",
        "figure6",
        "B_parameter_settings",
        "figure6",
        shows=(
            "Seven panels, one a criterion: MimlBoost and AdtBoost.MH on scene after each of "
            "50 boosting rounds."
        ),
    ),
    Artefact(
        "Fig. 7",
        "figure7",
        "B_parameter_settings",
        "figure7",
        shows=(
            "Seven panels, one a criterion: MimlSvm on scene for k from 10 to 100 % of the "
            "training images; all curves rise beyond 20 %."
        ),
    ),
    Artefact(
        "Fig. 8",
        "figure8",
        "B_parameter_settings",
        "figure8",
        shows=(
            "Seven panels, one a criterion: InsDif on yeast for M from 10 to 100 % of the training "
            "genes; the curves are nearly flat."
        ),
    ),
    Artefact(
        "Fig. 9",
        "figure9",
        "B_parameter_settings",
        "figure9",
        shows=(
            "Seven panels, one a criterion: AdtBoost.MH on yeast after each of 50 boosting rounds; "
            "most curves have settled by round 25."
        ),
    ),
    Artefact("Table 5", "table5", "7_subcod", "table5"),
    Artefact("Table 5, tuned", "table5_tuned", "7_subcod", "table5_tuned"),
    Artefact(
        "Sub-concepts",
        "sub_concepts",
        "7_subcod",
        shows=(
            "Points of forty bags on a plane in six clouds, and the eight components of a "
            "Gaussian mixture as ellipses over them; two clouds hold bags of Africa alone."
        ),
    ),
    Artefact(
        "Label vectors, corrected",
        "label_vectors",
        "7_subcod",
        shows=(
            "Label vectors of forty bags over eight sub-concepts after four corrections: the "
            "minimal one changes two squares; with the whole budget every column is the bag "
            "label or its opposite."
        ),
    ),
    Artefact("Optima of SubCod", "subcod_optima", "7_subcod", "choices_subcod"),
    Artefact(
        "M and θ of SubCod",
        "m_and_theta",
        "7_subcod",
        "sweep_subcod",
        shows=(
            "Accuracy of SubCod against θ on three data sets, one line for each M: level over the "
            "paper's range, falling only close to 100 %, where nothing is corrected."
        ),
    ),
    Artefact("Appendix C", "appendix_c", "C_web_page_data"),
    Artefact("Costs on bags with many labels", "cost_miml", "9_cost"),
    Artefact("Costs on vectors with many labels", "cost_vectors", "9_cost"),
    Artefact("Costs on bags with one label", "cost_one_label", "9_cost"),
    Artefact(
        "Growth of seconds",
        "cost_growth",
        "9_cost",
        shows=(
            "Three panels with logarithmic axes: seconds of a fit of ten methods against the "
            "number of bags, of instances in a bag and of labels; most curves are straight lines."
        ),
    ),
    Artefact(
        "Growth of memory",
        "cost_memory",
        "9_cost",
        shows=(
            "Three panels with logarithmic axes: megabytes that a fit of ten methods adds, against "
            "the number of bags, of instances in a bag and of labels."
        ),
    ),
    Artefact(
        "Growth of seconds, one label",
        "cost_growth_one_label",
        "9_cost",
        shows=(
            "Two panels with logarithmic axes: seconds of a fit of six learners of one label "
            "against the number of bags and of instances in a bag."
        ),
    ),
    Artefact("Exponents of costs", "cost_exponents", "9_cost"),
    Artefact("Costs of other implementations", "cost_peers", "9_cost"),
    Artefact(
        "Fair fights",
        "fair_fights",
        "8_beyond",
        shows=(
            "Mean ranks of the algorithms of Tables 1 to 4, a panel each, with a line from the "
            "setting of the paper to the tuned one."
        ),
    ),
    Artefact("Ranks", "ranks", "8_beyond"),
    Artefact(
        "Images explained",
        "explained_scene",
        "8_beyond",
        shows=(
            "The colours of three test images of scene, and the scores of their nine instances "
            "as discs, for the three labels that score highest."
        ),
    ),
    Artefact(
        "A text explained",
        "explained_text",
        "8_beyond",
        shows=(
            "The passages of a test document of reuters as bars of their scores, for its two "
            "highest labels, each beside its most telling words."
        ),
    ),
    Artefact("Explanations, measured", "explanations", "8_beyond"),
    Artefact("Blank cells", "blanks", "8_beyond"),
    Artefact("Open choices", "divergences", "8_beyond"),
    Artefact("Claims by verdict", "claim_counts", "8_beyond"),
    Artefact(
        "Own images",
        "own_images",
        "own_data",
        shows=(
            "Three drawn landscapes, their bags as blobs of colour, and the scores of the nine "
            "instances as discs, for the two labels that score highest."
        ),
    ),
)
