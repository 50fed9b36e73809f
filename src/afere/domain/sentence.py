"""A text for people that can be said in another language later."""

from collections.abc import Mapping
from typing import Self

__all__ = ["Sentence"]


class Sentence(str):
    """An English text that remembers its template and values, so that a report can translate it.

    >>> Sentence("{n} of {total} items", n=3, total=20)
    '3 of 20 items'
    """

    __slots__ = ("template", "values")

    template: str
    values: Mapping[str, object]

    def __new__(cls, template: str, /, **values: object) -> Self:
        """Fill the template's fields in the way of `str.format`."""
        sentence = super().__new__(cls, template.format(**values))
        sentence.template, sentence.values = template, values
        return sentence
