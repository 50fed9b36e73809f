"""Why a question is left out: the reasons in their order, and what gives each."""

import re
import statistics
import unicodedata
from collections.abc import Iterator, Sequence

from afere.exams.booklet import Found
from afere.exams.profile import Profile
from afere.exams.symbols import is_strange

__all__ = ["DROPPED", "KEEPABLE", "REASONS", "reasons_of"]

REASONS = (
    "foreign_language",
    "annulled",
    "no_key",
    "marker_missing",
    "letters_missing",
    "alternative_empty",
    "duplicate_alternatives",
    "statement_cut",
    "shared_text",
    "needs_image",
    "needs_drawing",
    "needs_table",
    "math_lost",
    "bad_characters",
    "neighbour_text",
)
DROPPED = "dropped"  # by hand, where no reason holds
KEEPABLE = frozenset(
    ("foreign_language", "shared_text", "needs_image", "needs_drawing", "needs_table", "math_lost")
)
NEEDS = {"image": "needs_image", "drawing": "needs_drawing", "table": "needs_table"}
FEW_PATHS = 2
LEAST_STATEMENT = 25  # letters; a shorter one has lost its text to a picture
SHORT_STATEMENT = 150  # characters; one that begins in mid-sentence has lost its beginning
OUTLIER = 4.0  # times the usual length of the other alternatives
OUTLIER_LEAST = 120  # characters more than the longest of the others
_CITATION = re.compile(
    r"Dispon[ií]vel em:|Acesso em:|\((?:adaptado|fragmento)\)\.?$|www\.\w|https?://", re.IGNORECASE
)
_LETTER = re.compile(r"[^\W\d_]")
_SCRIPTS = ("LATIN", "GREEK", "MICRO", "OHM", "MASCULINE", "FEMININE", "SUPERSCRIPT", "SUBSCRIPT",
            "MODIFIER", "SCRIPT", "DOUBLE-STRUCK", "ANGSTROM", "KELVIN", "PLANCK", "INFORMATION",
            "ALEF", "BLACK-LETTER", "MATHEMATICAL")  # fmt: skip


def reasons_of(found: Found, profile: Profile) -> Iterator[str]:
    """Give the reasons that the question's own text and place tell, in any order."""
    alternatives = [text for _, text in found.alternatives]
    whole = sorted(letter for letter, _ in found.alternatives) == list(profile.letters)
    if not whole:
        yield "letters_missing"
    if whole and not all(map(_says_something, alternatives)):
        yield "alternative_empty"
    if whole and _doubles(alternatives):
        yield "duplicate_alternatives"
    if _is_cut(found.statement):
        yield "statement_cut"
    if found.shared_with is not None:
        yield "shared_text"
    yield from _pictures(found, profile)
    if "math_lost" in found.marks:
        yield "math_lost"
    if _strange(found.statement, *alternatives):
        yield "bad_characters"
    if "neighbour_text" in found.marks or (whole and _glued(alternatives, profile)):
        yield "neighbour_text"


def _pictures(found: Found, profile: Profile) -> Iterator[str]:
    """Tell by what is drawn; where that is little, by words that speak of a picture."""
    seen = profile.rules.pictures.search(found.statement) is not None
    if found.pictures.kind == "table" and "regular_table" in found.marks and not seen:
        return  # its rows stand in the statement, cell by cell
    if found.pictures.kind:
        yield NEEDS[found.pictures.kind]
    elif seen and (found.pictures.large or found.pictures.paths >= FEW_PATHS):
        yield "needs_drawing"


def _says_something(text: str) -> bool:
    return any(sign.isalnum() or sign in "+-−×÷=<>≤≥≠%°√∞" for sign in text)


def _doubles(alternatives: Sequence[str]) -> bool:
    folded = [" ".join(text.split()).casefold() for text in alternatives if text.strip()]
    return len(set(folded)) < len(folded)


def _is_cut(statement: str) -> bool:
    letters = len(_LETTER.findall(statement))
    if letters < LEAST_STATEMENT:
        return True
    begins = statement.lstrip("“\"'([…. ")
    return begins[:1].islower() and len(statement) < SHORT_STATEMENT


def _strange(*texts: str) -> bool:
    for text in texts:
        for sign in text:
            if sign == "\n" or (sign < "\x80" and sign >= " "):
                continue
            if is_strange(sign) or (sign.isalpha() and not _known(sign)):
                return True
    return False


def _known(sign: str) -> bool:
    return unicodedata.name(sign, "").startswith(_SCRIPTS)


def _glued(alternatives: Sequence[str], profile: Profile) -> bool:
    """Tell whether an alternative has swallowed what stands beside it."""
    for text in alternatives:
        if _CITATION.search(text) or profile.rules.marker.match("".join(text.split())):
            return True
        if any(profile.rules.footers.match(line) for line in text.splitlines()):
            return True
    lengths = [len(text) for text in alternatives]
    for place, length in enumerate(lengths):
        others = lengths[:place] + lengths[place + 1 :]
        usual = max(statistics.median(others), 12)
        if length > OUTLIER * usual and length > max(others) + OUTLIER_LEAST:
            return True
    return False
