"""Opens a PDF, or says why it cannot be used."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from afere.exams.errors import ExamError

__all__ = ["MOST_PAGES", "opened"]

MOST_PAGES = 400


@contextmanager
def opened(data: bytes) -> Iterator[Any]:
    """Open a PDF from its bytes; raises ExamError for what is none, is locked or has no page."""
    try:
        import pypdfium2
    except ImportError as error:
        raise ExamError(
            "Reading exams needs more libraries.\nInstall them: pip install 'afere[exams]'"
        ) from error
    if b"%PDF" not in data[:1024]:
        raise ExamError("this is no PDF\nGive the booklet or key as it was published.")
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise ExamError(
                "this PDF is encrypted and asks for a password\n"
                "Save it without one, then build from that file."
            ) from error
        raise ExamError(
            "this PDF is damaged or cut off and cannot be opened\nDownload it again."
        ) from error
    try:
        if len(document) == 0:
            raise ExamError("this PDF has no pages\nDownload it again.")
        if len(document) > MOST_PAGES:
            raise ExamError(
                f"this PDF has {len(document)} pages; a booklet has {MOST_PAGES} at most"
            )
        yield document
    finally:
        document.close()
