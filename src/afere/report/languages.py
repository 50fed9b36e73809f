"""The languages of reports, each with its catalogue and the signs of its numbers."""

from collections.abc import Mapping
from functools import cache
from pkgutil import get_data

from afere.report.catalogue import read_catalogue
from afere.report.words import ENGLISH, Words

__all__ = ["LANGUAGES", "words_for"]

LANGUAGES = ("en", "pt-BR", "zh-CN")


@cache
def words_for(language: str) -> Words:
    """Give the words of a language of LANGUAGES; of any other the English ones."""
    match language:
        case "pt-BR":
            return Words(
                language=language,
                catalogue=_catalogue(language),
                decimal=",",
                thousands=".",
            )
        case "zh-CN":
            return Words(
                language=language,
                catalogue=_catalogue(language),
                comma="、",
                colon="：",
                space="",
            )
        case _:
            return ENGLISH


def _catalogue(language: str) -> Mapping[str, str]:
    data = get_data("afere.report", f"locale/{language}.po")
    return read_catalogue(data.decode("utf-8")) if data else {}
