"""`list`: elements in order."""

from afere.graders.lists import ListLikeKind

__all__ = ["ListKind"]


class ListKind(ListLikeKind):
    """Judges a list: the same elements in the same order."""

    name = "list"
    version = "3"
    ordered = True
