"""`set`: elements in any order, none twice."""

from afere.graders.lists import ListLikeKind

__all__ = ["SetKind"]


class SetKind(ListLikeKind):
    """Judges a set: the same elements in any order, none twice."""

    name = "set"
    version = "3"
    ordered = False
