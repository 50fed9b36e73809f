"""Graders that other packages bring, through the entry point group `afere.graders`."""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points

from afere.domain import Grader, Sandbox, UsageError

__all__ = ["all_graders"]

GROUP = "afere.graders"


def all_graders(sandbox: Sandbox | None = None) -> Mapping[str, Grader]:
    """Give the built-in graders and those of plugins, by the kind of `expect` they judge.

    sandbox: where answers are executed; without one, keys of code are checked and none is graded.
    Raises UsageError where a plugin cannot be loaded or takes the name of another grader.
    """
    from afere import graders

    brought = _brought()
    builtin = graders.builtin(sandbox)
    return {**builtin, **brought} if brought else builtin


@cache
def _brought() -> Mapping[str, Grader]:
    from afere import graders

    builtin = graders.builtin()
    brought: dict[str, Grader] = {}
    for point in entry_points(group=GROUP):
        try:
            grader: Grader = point.load()
        except Exception as error:
            raise UsageError(
                f"The grader {point.name!r} of {point.value} cannot be loaded: {error}\n"
                "Mend or uninstall that package.",
            ) from error
        if point.name in builtin or point.name in brought:
            raise UsageError(
                f"The grader {point.name!r} of {point.value} has the name of another one.\n"
                "Rename it in its package's entry points.",
            )
        brought[point.name] = grader
    return brought
