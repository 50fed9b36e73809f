"""Which call meets which fault."""

import random
from collections.abc import Mapping, Sequence

from servers.chat import Call, Fault, Plan


def always(fault: Fault) -> Plan:
    """Meet every call with one fault."""
    return lambda _call: fault


def in_turn(*faults: Fault | None) -> Plan:
    """Meet the first calls with these, in order of arrival; None is a good reply."""
    return lambda call: faults[call.number - 1] if call.number <= len(faults) else None


def by_number(faults: Mapping[int, Fault]) -> Plan:
    """Meet the nth call of all (from 1) with its fault."""
    return lambda call: faults.get(call.number)


def by_prompt(faults: Mapping[str, Fault | Sequence[Fault | None]]) -> Plan:
    """Meet calls whose last message holds the word: always, or the first, second, … such call."""

    def choose(call: Call) -> Fault | None:
        for word, planned in faults.items():
            if word not in call.prompt.split():
                continue
            if not isinstance(planned, Sequence):
                return planned
            return planned[call.nth - 1] if call.nth <= len(planned) else None
        return None

    return choose


def at_random(faults: Sequence[Fault], rate: float, seed: int) -> Plan:
    """Meet calls with one of the faults, at this rate; the same seed gives the same sequence."""
    dice = random.Random(seed)  # noqa: S311 - a plan, no secret
    return lambda _call: dice.choice(faults) if dice.random() < rate else None
