"""What a run will ask for at most, told before it is long or paid; it waits for no answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from afere.app.models import Model
from afere.domain import Sentence
from afere.endpoints import estimated_tokens, most_output

__all__ = ["SAMPLED", "Estimate", "estimate", "sentences"]

MANY_CALLS = 500
LONG = 60.0  # seconds
SAMPLED = 50
_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86400.0
_PER_MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What is left of a run, retries not counted.

    calls: requests for what is not in the store as a row of this run. input: tokens of all their
    prompts, guessed. output: the most tokens of all replies; None where the body sets no limit.
    cost: USD, with every reply as long as it may be; None where that is not known.
    seconds: the least that the declared limits let it last.
    """

    calls: int
    input: int
    output: int | None
    cost: float | None
    seconds: float

    @property
    def worth_telling(self) -> bool:
        """Whether the run is paid or long: many calls, or limits that make it last."""
        return self.calls > 0 and (
            bool(self.cost) or self.calls > MANY_CALLS or self.seconds > LONG
        )


def estimate(
    model: Model,
    calls: int,
    bodies: Sequence[Mapping[str, Any]],
    *,
    pause: float = 0.0,
) -> Estimate:
    """Estimate `calls` requests by a sample of their bodies; `pause` in seconds between two."""
    sampled = max(len(bodies), 1)
    most = sum(most_output(body) or 0 for body in bodies)
    limited = all(most_output(body) is not None for body in bodies)
    prompts = sum(estimated_tokens(body) for body in bodies) - most
    sent, got = calls * prompts // sampled, calls * most // sampled
    price = model.price
    cost = sent * float(price.get("input", 0)) + got * float(price.get("output", 0))
    return Estimate(
        calls=calls,
        input=sent,
        output=got if limited else None,
        cost=cost / _PER_MILLION if price and limited else None,
        seconds=max(
            pause * (calls - 1),
            *(_seconds(each, calls, sent) for each in (model.limits, model.provider_limits)),
        ),
    )


def sentences(model: Model, found: Estimate) -> list[Sentence]:
    """Say an estimate: the host and the calls, the cost, the time; nothing where it is small."""
    if not found.worth_telling:
        return []
    told = [
        Sentence(
            "{model}: up to {calls} calls to {host}, about {input} tokens sent, "
            "at most {output} received",
            model=model.name,
            calls=found.calls,
            host=model.place,
            input=found.input,
            output="?" if found.output is None else found.output,
        ),
    ]
    if found.cost:
        told.append(
            Sentence("{model}: at most {cost} USD", model=model.name, cost=_usd(found.cost))
        )
    if found.seconds > LONG:
        told.append(
            Sentence(
                "{model}: its limits make this last {span} or longer",
                model=model.name,
                span=_span(found.seconds),
            ),
        )
    return told


def _seconds(limits: Mapping[str, Any], calls: int, tokens: int) -> float:
    """Give the least time that limits allow; the first minute or day is begun with a full one."""
    spans = {"rpm": (calls, _MINUTE), "tpm": (tokens, _MINUTE), "rpd": (calls, _DAY)}
    least = [
        span * (amount / limits[name] - 1)
        for name, (amount, span) in spans.items()
        if limits.get(name)
    ]
    return max(0.0, *least) if least else 0.0


def _usd(cost: float) -> str:
    return f"{cost:.2f}" if cost >= 1 else f"{cost:.2g}"


def _span(seconds: float) -> str:
    """Write a time in one unit that people count in."""
    for unit, size in (("d", _DAY), ("h", _HOUR)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds / _MINUTE:.0f} min"
