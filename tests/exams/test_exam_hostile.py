"""PDFs that are none, that are locked, cut, empty, enormous or wicked: an error, and an end."""

import io
import os
import zlib
from pathlib import Path

import pypdf
import pytest
from papers import Paper, booklet, key, prose, usual_key, wrapped, written

from afere import exams
from afere.exams import Bounds, Choice, ExamError, Plan

SHORT = Bounds(cpu=4, wall=20, memory=700 * 1024 * 1024)


def refused(folder: Path, data: bytes, message: str, bounds: Bounds | None = None) -> None:
    """Build from these bytes: an error of a few lines, and nothing written."""
    path = folder / "booklet.pdf"
    path.write_bytes(data)
    before = sorted(folder.iterdir())
    with pytest.raises(ExamError, match=message) as caught:
        exams.build(
            Plan(
                booklet=path,
                folder=folder / "exam",
                choice=Choice(without_key=True),
                bounds=bounds or Bounds(),
            )
        )
    assert len(str(caught.value).splitlines()) <= 3
    assert sorted(folder.iterdir()) == before


def test_what_is_no_pdf_is_refused(tmp_path: Path) -> None:
    refused(tmp_path, b"<html>not found</html>", "no PDF")
    refused(tmp_path, b"", "no PDF")


def test_a_folder_or_a_missing_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "gone.pdf"):
        with pytest.raises(ExamError, match="cannot be read"):
            exams.build(
                Plan(booklet=path, folder=tmp_path / "exam", choice=Choice(without_key=True))
            )


def test_an_encrypted_booklet_is_refused(tmp_path: Path) -> None:
    writer = pypdf.PdfWriter(io.BytesIO(booklet().data()))
    writer.encrypt("secret", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    refused(tmp_path, out.getvalue(), "asks for a password")


def test_a_truncated_booklet_is_refused_or_found_wanting(tmp_path: Path) -> None:
    data = booklet().data()
    refused(tmp_path, data[: len(data) // 20], "damaged|no pages|no text|no exam|only")


def test_a_booklet_without_pages_is_refused(tmp_path: Path) -> None:
    refused(
        tmp_path,
        written([b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [] /Count 0 >>"]),
        "no pages|damaged",
    )


def test_a_scan_is_refused(tmp_path: Path) -> None:
    paper = Paper()
    for place in range(3):
        if place:
            paper.page()
        paper.image(0, 0, 595, 842)
    refused(tmp_path, paper.data(), "no text")


def test_another_document_is_no_exam(tmp_path: Path) -> None:
    paper = Paper()
    paper.lines(40, 800, wrapped(prose(1, 400), 90))
    refused(tmp_path, paper.data(), "no exam that is known")


def test_an_exam_of_another_kind_is_found_wanting(tmp_path: Path) -> None:
    paper = Paper()
    paper.text(60, 790, "EXAME NACIONAL DO ENSINO MÉDIO 2019", 12)
    paper.text(60, 770, "2º DIA", 12)
    paper.text(60, 750, "2019", 12)
    paper.lines(40, 700, wrapped(prose(1, 400), 90))
    refused(tmp_path, paper.data(), "only 0 of 90 questions")


def test_a_key_for_other_questions_is_refused(tmp_path: Path) -> None:
    one, two = tmp_path / "booklet.pdf", tmp_path / "key.csv"
    one.write_bytes(booklet().data())
    two.write_text("number,answer\n1,A\n2,B\n")
    with pytest.raises(ExamError, match="answers 0 of the 90"):
        exams.build(Plan(booklet=one, key=two, folder=tmp_path / "exam"))
    assert not (tmp_path / "exam").exists()


def bomb(depth: int, width: int) -> bytes:
    """Forms that show each other: width to the power of depth texts."""
    fonts = "/Font << /F0 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>"
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"]
    show = b"/X Do " * width
    objects.append(
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        f"/Resources << /XObject << /X 5 0 R >> {fonts} >> >>".encode()
    )
    objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(show), show))
    for level in range(depth):
        body = show if level + 1 < depth else b"BT /F0 9 Tf 40 700 Td (QUESTAO 91) Tj ET"
        deeper = f"/XObject << /X {6 + level} 0 R >>" if level + 1 < depth else ""
        objects.append(
            f"<< /Type /XObject /Subtype /Form /BBox [0 0 595 842] "
            f"/Resources << {deeper} {fonts} >> /Length {len(body)} >>\nstream\n".encode()
            + body
            + b"\nendstream"
        )
    return written(objects)


@pytest.mark.skipif(os.name == "nt", reason="no limits on processes there")
def test_a_bomb_of_nested_forms_ends_in_an_error(tmp_path: Path) -> None:
    refused(tmp_path, bomb(depth=9, width=12), "more time or memory|no text|damaged|read", SHORT)


@pytest.mark.skipif(os.name == "nt", reason="no limits on processes there")
def test_a_stream_that_swells_ends_in_an_error(tmp_path: Path) -> None:
    swollen = zlib.compress(b"0 0 m 1 1 l S " * 8_000_000)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R >>",
        f"<< /Length {len(swollen)} /Filter /FlateDecode >>\nstream\n".encode()
        + swollen
        + b"\nendstream",
    ]
    refused(tmp_path, written(objects), "more time or memory|no text|damaged|read", SHORT)


def test_names_with_control_characters_and_markup_do_no_harm(tmp_path: Path) -> None:
    paper = booklet()
    page = paper.pages[1]
    old = "a cor azul do mar, caso 91".encode("cp1252").hex()
    new = "<script>\x1b[31m{{ 7*7 }}</script>".encode("cp1252").hex()
    page[:] = [each.replace(old, new) for each in page]
    one, two = tmp_path / "booklet.pdf", tmp_path / "key.pdf"
    one.write_bytes(paper.data())
    two.write_bytes(key(usual_key()).data())
    result = exams.build(Plan(booklet=one, key=two, folder=tmp_path / "exam"))
    row = next(row for row in result.rows if row.number == 91)
    assert "\x1b" not in (tmp_path / "exam" / "items.jsonl").read_text("utf-8")
    assert not row.kept or "{{ 7*7 }}" in (tmp_path / "exam" / "items.jsonl").read_text("utf-8")


def test_thousands_of_drawn_objects_are_read(tmp_path: Path) -> None:
    paper = booklet()
    paper.pages[1] += [
        f"{40 + place % 50} {60 + place // 50 % 40} 3 3 re f" for place in range(10_000)
    ]
    one, two = tmp_path / "booklet.pdf", tmp_path / "key.pdf"
    one.write_bytes(paper.data())
    two.write_bytes(key(usual_key()).data())
    result = exams.build(Plan(booklet=one, key=two, folder=tmp_path / "exam"))
    assert result.found == 90


def test_a_folder_that_no_build_wrote_has_no_audit(tmp_path: Path) -> None:
    with pytest.raises(ExamError, match="no folder of a built exam"):
        exams.read_audit(tmp_path)
    (tmp_path / "exam.json").write_text("{")
    (tmp_path / "items.jsonl").write_text("")
    (tmp_path / "audit.jsonl").write_text("")
    with pytest.raises(ExamError, match="damaged"):
        exams.read_audit(tmp_path)
