"""Remembers looks at reserved rows: a threshold is tested once, and the second look is refused.

A look is kept in the store as the answer to a request of its own, under the hash of the rows: the
first answer under a key counts for ever. With a frozen file it is kept there too.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from afere.domain import (
    Attempt,
    FrozenThreshold,
    Look,
    Provenance,
    Request,
    Response,
    Store,
    Threshold,
    ThresholdPlan,
    UsageError,
    decode,
    digest,
    encode,
    from_plain,
    to_plain,
)

__all__ = ["Frozen", "keep_look", "kept_looks", "refuse_second", "same_look"]

_ENDPOINT = "afere:look"
_VERSION = 1


async def kept_looks(store: Store, look: Look) -> list[Look]:
    """Give the looks that were taken at the same rows, or at the same data with another seed."""
    found: dict[str, Look] = {}
    for name in dict.fromkeys((look.reserved, look.data)):
        number = 1
        while (response := await store.response(_request(name, number).key)) is not None:
            kept = from_plain(Look, decode(response.content))
            found[f"{kept.plan} {kept.reserved}"] = kept
            number += 1
    return sorted(found.values(), key=lambda kept: (kept.at, kept.number))


async def keep_look(store: Store, look: Look, *, now: float) -> None:
    """Keep a look before its result is told."""
    for name in dict.fromkeys((look.reserved, look.data)):
        number = 1
        while await store.response(_request(name, number).key) is not None:
            number += 1
        answer = Response(content=encode(look), answered_at=now, finish_reason="stop")
        await store.keep_attempt(Attempt(request=_request(name, number), result=answer))


def same_look(looks: Sequence[Look], look: Look) -> Look | None:
    """Give the kept look of the same plan at the same rows: its answer is repeated."""
    return next(
        (kept for kept in looks if (kept.plan, kept.reserved) == (look.plan, look.reserved)), None
    )


def refuse_second(looks: Sequence[Look], look: Look) -> None:
    """Raise UsageError where the error budget of these rows is spent."""
    if not looks:
        return
    first = looks[0]
    if any(kept.looks != look.looks for kept in looks):
        raise UsageError(_spent(first, f"for --looks {first.looks}"))
    if len(looks) >= look.looks:
        raise UsageError(_spent(looks[-1], f"{len(looks)} of {look.looks}"))


def _spent(kept: Look, what: str) -> str:
    where = "" if kept.threshold is None else f" at {kept.threshold:g}"
    return (
        f"a second look is refused: these rows were looked at on {kept.at[:10]}{where} ({what}).\n"
        "Collect new rows. Several looks must be named before the first: --looks N"
    )


def _request(name: str, number: int) -> Request:
    body = {"rows": name, "look": number}
    return Request(item="look", round=number, endpoint=_ENDPOINT, model="", body=body)


class Frozen:
    """The small file in which a threshold is frozen before its look."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> FrozenThreshold | None:
        """Read the file; None where it is not there. Raises UsageError for a file that is amiss."""
        try:
            text = self.path.read_text("utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{self.path}: cannot be read: {error}.\nName another file") from None
        try:
            plain = json.loads(text)
            found = from_plain(FrozenThreshold, plain)
            whole = digest(found.plan) == found.plan_hash
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise UsageError(
                f"{self.path}: is no frozen threshold.\nName a file that --freeze wrote"
            ) from None
        if not whole:
            raise UsageError(
                f"{self.path}: was changed by hand: its plan does not have the hash it names.\n"
                "Freeze a threshold anew, on new rows"
            )
        return found

    def write(self, plan: ThresholdPlan, provenance: Provenance, *, at: str) -> FrozenThreshold:
        """Freeze a plan."""
        found = FrozenThreshold(
            version=_VERSION,
            plan=plan,
            plan_hash=digest(plan),
            provenance=provenance,
            frozen_at=at,
        )
        self._write(found)
        return found

    def add(self, frozen: FrozenThreshold, look: Look) -> FrozenThreshold:
        """Write a look into the file, before its result is known."""
        found = replace(frozen, looks=(*frozen.looks, look))
        self._write(found)
        return found

    def finish(self, result: Threshold) -> None:
        """Write what the look found."""
        frozen = self.read()
        if frozen is not None and frozen.result is None:
            self._write(replace(frozen, result=result))

    def _write(self, frozen: FrozenThreshold) -> None:
        text = json.dumps(to_plain(frozen), ensure_ascii=False, indent=2) + "\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(text, "utf-8")
        except OSError as error:
            reason = error.strerror or str(error)
            raise UsageError(
                f"{self.path} cannot be written: {reason}.\nType: --freeze FILE"
            ) from None
