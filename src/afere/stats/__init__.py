"""Statistics of numbers: intervals, paired tests, noise; the generator is passed in.

Scores and differences are fractions, levels too (0.95); a difference is candidate minus baseline.
Every function refuses what is no number with a ValueError; nothing is read from clock, seed or
environment.
"""

from afere.stats.before_after import (
    DifferenceInDifferences,
    difference_in_differences,
    with_limits,
)
from afere.stats.clusters import FEWEST_GROUPS, ClusterInterval, cluster_interval
from afere.stats.difference import Counts, Difference, paired_difference
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
    rounds_with_losses,
    rows_at,
    score_table,
    spread_rows,
)
from afere.stats.passing import all_of_k, pass_at_k
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
from afere.stats.resampling import (
    dirichlet_mean,
    dirichlet_score,
    dirichlet_strata,
    generator,
    stratified_bootstrap,
)

__all__ = [
    "FEWEST_GROUPS",
    "ClusterInterval",
    "CochranQ",
    "Counts",
    "Difference",
    "DifferenceInDifferences",
    "Floats",
    "Interval",
    "Labels",
    "McNemar",
    "McNemarPower",
    "Mean",
    "Noise",
    "Pairs",
    "RequiredItems",
    "Table",
    "TwoProportions",
    "all_of_k",
    "bonett_price",
    "clopper_pearson",
    "cluster_interval",
    "cochran_q",
    "detectable_difference",
    "detectable_difference_rounds",
    "deviation",
    "difference_in_differences",
    "dirichlet_mean",
    "dirichlet_score",
    "dirichlet_strata",
    "floor_of",
    "generator",
    "holm",
    "item_means",
    "items_for_margin",
    "items_to_decide",
    "labels",
    "lost_rows",
    "mcnemar",
    "mcnemar_power",
    "mean_score",
    "model_confidence_set",
    "newcombe_paired",
    "noise_floor",
    "paired_difference",
    "pairs",
    "pass_at_k",
    "required_items",
    "required_items_equivalence",
    "required_items_rounds",
    "rerun_variance",
    "rounds_together",
    "rounds_with_losses",
    "rows_at",
    "score_table",
    "sign_flip",
    "spread_rows",
    "stratified_bootstrap",
    "tango",
    "two_proportions",
    "wilson",
    "with_limits",
]
