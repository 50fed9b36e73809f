"""What a suite can show before it is run."""

from afere import stats

__all__ = ["smallest_difference"]

NOISE_SHARE = 0.5


def smallest_difference(
    items: int,
    *,
    rounds: int,
    rate: float,
    level: float = 0.95,
    power: float = 0.8,
) -> float | None:
    """Give the smallest difference that a suite shows with that power, as a fraction.

    rate: the share of right answers that is expected. Models are taken to differ on rate × (1 -
    rate) of the items in one round, half of it by the noise that rounds average away. None where
    no difference can be shown.
    """
    discordance = rate * (1 - rate) * (1 - NOISE_SHARE + NOISE_SHARE / rounds)
    if items < 2 or discordance == 0:  # noqa: PLR2004 - one item decides nothing
        return None
    return stats.detectable_difference(items, discordance, level, power)
