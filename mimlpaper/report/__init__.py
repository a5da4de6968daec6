"""From records to what a reader sees: verdicts, claims, tables, figures, the scorecard."""

from mimlpaper.report.accuracies import accuracies_table
from mimlpaper.report.artefacts import ARTEFACTS, Artefact
from mimlpaper.report.cells import as_published, compare_with_paper, curve, swept_values
from mimlpaper.report.claims import ClaimResult, evaluate_claims
from mimlpaper.report.cost_growth import (
    COMPLEXITY,
    exponents,
    exponents_table,
    growth,
    plot_growth,
)
from mimlpaper.report.costs import costs_table, peers_table
from mimlpaper.report.diagrams import draw_africa, draw_degeneration, draw_frameworks
from mimlpaper.report.explanation_pictures import (
    draw_explained_scene,
    draw_explained_text,
    draw_instances,
    draw_mosaic,
    explained_images,
    explained_scenes,
    explained_text,
    telling_words,
)
from mimlpaper.report.explanations import explanation_check, explanation_hits, explanation_table
from mimlpaper.report.figures import (
    plot_data_sets,
    plot_parameter_curves,
    plot_rank_changes,
    plot_ranks,
    plot_scorecard,
    seven_panels,
)
from mimlpaper.report.manifest import codecheck_manifest, gallery
from mimlpaper.report.outcomes import (
    PRINTED_OUTCOMES,
    Outcomes,
    count_outcomes,
    outcomes_by_stage,
    outcomes_table,
    with_percentages,
    with_variants,
)
from mimlpaper.report.overview import (
    by_verdict,
    choices_table,
    claim_counts_table,
    claims_table,
    divergences_table,
    seconds_table,
    status_table,
    totals_table,
    verified_table,
)
from mimlpaper.report.published import (
    ALL_CRITERIA,
    PROTOCOL_RUNS,
    TABLES,
    published_cells,
    published_characteristics,
    published_claims,
    published_divergences,
)
from mimlpaper.report.ranks import mean_ranks, ranks_table
from mimlpaper.report.relatedness import (
    plot_objectives,
    plot_outcomes,
    plot_relatedness,
    relatedness_table,
)
from mimlpaper.report.rendering import ReportTable, save_table
from mimlpaper.report.scorecard import blanks_table, in_words, scorecard, scorecard_cells
from mimlpaper.report.statistics import (
    Comparison,
    compare,
    corrected_resampled_t_test,
    holm,
    paired_t_test,
)
from mimlpaper.report.status import artefact_status
from mimlpaper.report.steps import step_map
from mimlpaper.report.style import METHOD_STYLE, save_figure, use_style
from mimlpaper.report.subcod_pictures import (
    draw_label_vectors,
    draw_sub_concepts,
    plot_m_and_theta,
)
from mimlpaper.report.tables import characteristics_table, measured_table, results_table
from mimlpaper.report.translates import draw_translates
from mimlpaper.report.verdicts import VERDICTS, is_reproduced, verdict

__all__ = [
    "ALL_CRITERIA",
    "ARTEFACTS",
    "COMPLEXITY",
    "METHOD_STYLE",
    "PRINTED_OUTCOMES",
    "PROTOCOL_RUNS",
    "TABLES",
    "VERDICTS",
    "Artefact",
    "ClaimResult",
    "Comparison",
    "Outcomes",
    "ReportTable",
    "accuracies_table",
    "artefact_status",
    "as_published",
    "blanks_table",
    "by_verdict",
    "characteristics_table",
    "choices_table",
    "claim_counts_table",
    "claims_table",
    "codecheck_manifest",
    "compare",
    "compare_with_paper",
    "corrected_resampled_t_test",
    "costs_table",
    "count_outcomes",
    "curve",
    "divergences_table",
    "draw_africa",
    "draw_degeneration",
    "draw_explained_scene",
    "draw_explained_text",
    "draw_frameworks",
    "draw_instances",
    "draw_label_vectors",
    "draw_mosaic",
    "draw_sub_concepts",
    "draw_translates",
    "evaluate_claims",
    "explained_images",
    "explained_scenes",
    "explained_text",
    "explanation_check",
    "explanation_hits",
    "explanation_table",
    "exponents",
    "exponents_table",
    "gallery",
    "growth",
    "holm",
    "in_words",
    "is_reproduced",
    "mean_ranks",
    "measured_table",
    "outcomes_by_stage",
    "outcomes_table",
    "paired_t_test",
    "peers_table",
    "plot_data_sets",
    "plot_growth",
    "plot_m_and_theta",
    "plot_objectives",
    "plot_outcomes",
    "plot_parameter_curves",
    "plot_rank_changes",
    "plot_ranks",
    "plot_relatedness",
    "plot_scorecard",
    "published_cells",
    "published_characteristics",
    "published_claims",
    "published_divergences",
    "ranks_table",
    "relatedness_table",
    "results_table",
    "save_figure",
    "save_table",
    "scorecard",
    "scorecard_cells",
    "seconds_table",
    "seven_panels",
    "status_table",
    "step_map",
    "swept_values",
    "telling_words",
    "totals_table",
    "use_style",
    "verdict",
    "verified_table",
    "with_percentages",
    "with_variants",
]
