"""Statistics of numbers: intervals, paired tests, noise; the generator is passed in.

Scores and differences are fractions, levels too (0.95); a difference is candidate minus baseline.
Every function refuses what is no number with a ValueError; nothing is read from clock, seed or
environment.
"""

from afere.stats.acceptance import (
    accepted_at,
    one_of_each,
    units_of,
)
from afere.stats.before_after import (
    DifferenceInDifferences,
    difference_in_differences,
    with_limits,
)
from afere.stats.certificate import (
    Candidate,
    Certified,
    accepted_for_power,
    accepted_needed,
    certifies,
    errors_allowed,
    fixed_sequence,
    power_candidates,
    power_pick,
    search_all_rows,
    sequence_from_top,
    sequence_of,
    spread_thresholds,
    upper_bound,
)
from afere.stats.clusters import ClusterInterval, cluster_interval
from afere.stats.difference import Counts, Difference, paired_difference
from afere.stats.ece_interval import (
    ece_difference,
    ece_interval,
)
from afere.stats.flips import sign_flip
from afere.stats.interval import Floats, Interval
from afere.stats.many import CochranQ, cochran_q, holm, model_confidence_set
from afere.stats.mean import Mean, deviation, item_means, mean_score
from afere.stats.noise import Noise, floor_of, noise_floor, rerun_variance, rounds_together
from afere.stats.paired import McNemar, bonett_price, mcnemar, newcombe_paired, tango
from afere.stats.pairs import (
    Labels,
    Pairs,
    Table,
    labels,
    lost_rows,
    pairs,
    rows_at,
    score_table,
    spread_rows,
)
from afere.stats.power import (
    McNemarPower,
    RequiredItems,
    detectable_difference,
    detectable_difference_rounds,
    items_for_margin,
    items_to_decide,
    mcnemar_power,
    required_items,
    required_items_equivalence,
    required_items_rounds,
)
from afere.stats.proportions import TwoProportions, clopper_pearson, two_proportions, wilson
from afere.stats.recalibration import (
    METHODS as RECALIBRATIONS,
)
from afere.stats.recalibration import (
    Fitted,
    fit_recalibration,
    recalibrated,
)
from afere.stats.reliability import (
    Bins,
    EqualMass,
    bins_at,
    bins_of_equal_mass,
    ece_sweep,
    equal_edges,
)
from afere.stats.resampling import (
    dirichlet_mean,
    dirichlet_score,
    dirichlet_strata,
    generator,
    stratified_bootstrap,
)
from afere.stats.risk import (
    RiskCoverage,
    risk_coverage,
)
from afere.stats.scoring import (
    BrierParts,
    Corp,
    CorpBand,
    HosmerLemeshow,
    auroc,
    brier,
    brier_parts,
    corp,
    corp_band,
    hosmer_lemeshow,
    log_loss,
    smooth_ece,
)

__all__ = [
    "RECALIBRATIONS",
    "Bins",
    "BrierParts",
    "Candidate",
    "Certified",
    "ClusterInterval",
    "CochranQ",
    "Corp",
    "CorpBand",
    "Counts",
    "Difference",
    "DifferenceInDifferences",
    "EqualMass",
    "Fitted",
    "Floats",
    "HosmerLemeshow",
    "Interval",
    "Labels",
    "McNemar",
    "McNemarPower",
    "Mean",
    "Noise",
    "Pairs",
    "RequiredItems",
    "RiskCoverage",
    "Table",
    "TwoProportions",
    "accepted_at",
    "accepted_for_power",
    "accepted_needed",
    "auroc",
    "bins_at",
    "bins_of_equal_mass",
    "bonett_price",
    "brier",
    "brier_parts",
    "certifies",
    "clopper_pearson",
    "cluster_interval",
    "cochran_q",
    "corp",
    "corp_band",
    "detectable_difference",
    "detectable_difference_rounds",
    "deviation",
    "difference_in_differences",
    "dirichlet_mean",
    "dirichlet_score",
    "dirichlet_strata",
    "ece_difference",
    "ece_interval",
    "ece_sweep",
    "equal_edges",
    "errors_allowed",
    "fit_recalibration",
    "fixed_sequence",
    "floor_of",
    "generator",
    "holm",
    "hosmer_lemeshow",
    "item_means",
    "items_for_margin",
    "items_to_decide",
    "labels",
    "log_loss",
    "lost_rows",
    "mcnemar",
    "mcnemar_power",
    "mean_score",
    "model_confidence_set",
    "newcombe_paired",
    "noise_floor",
    "one_of_each",
    "paired_difference",
    "pairs",
    "power_candidates",
    "power_pick",
    "recalibrated",
    "required_items",
    "required_items_equivalence",
    "required_items_rounds",
    "rerun_variance",
    "risk_coverage",
    "rounds_together",
    "rows_at",
    "score_table",
    "search_all_rows",
    "sequence_from_top",
    "sequence_of",
    "sign_flip",
    "smooth_ece",
    "spread_rows",
    "spread_thresholds",
    "stratified_bootstrap",
    "tango",
    "two_proportions",
    "units_of",
    "upper_bound",
    "wilson",
    "with_limits",
]
