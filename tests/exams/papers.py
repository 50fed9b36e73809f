"""Writes small PDFs for the tests: every character at its place, in a font of any name."""

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

BODY, LETTERS, BARCODE = "ArialMT", "BundesbahnPiStd-1", "C39HrP24DhTt"
WIDE = 595
HIGH = 842
WORDS = [
    "o",
    "vento",
    "leva",
    "a",
    "folha",
    "da",
    "rua",
    "para",
    "a",
    "praia",
    "e",
    "o",
    "barco",
    "volta",
    "com",
    "a",
    "rede",
    "cheia",
    "de",
    "peixe",
    "uma",
    "casa",
    "de",
    "pedra",
    "fica",
    "no",
    "alto",
    "do",
    "morro",
    "onde",
    "a",
    "menina",
    "conta",
    "os",
    "dias",
    "que",
    "faltam",
]


def prose(seed: int, words: int = 24) -> str:
    """Give a sentence of our own words, another for each seed."""
    chosen = [WORDS[(seed * 7 + place * (1 + seed % 5)) % len(WORDS)] for place in range(words)]
    return f"Texto {seed}: " + " ".join(chosen) + "."


def wrapped(text: str, width: int = 50) -> list[str]:
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line]


@dataclass
class Paper:
    """Pages of drawing commands; fonts are known by their PostScript name."""

    crop: tuple[float, float, float, float] | None = None
    encoding: dict[str, str] = field(default_factory=dict)
    pages: list[list[str]] = field(default_factory=lambda: [[]])
    fonts: list[str] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)

    def page(self) -> None:
        self.pages.append([])

    def text(  # noqa: PLR0917 - as one says it: where, what, how large
        self,
        x: float,
        y: float,
        text: str | bytes,
        size: float = 9,
        font: str = BODY,
        angle: float = 0,
    ) -> float:
        """Write a text and give where it ends: every character is half its size wide."""
        if font not in self.fonts:
            self.fonts.append(font)
        data = text if isinstance(text, bytes) else text.encode("cp1252")
        matrix = "0 1 -1 0" if angle else "1 0 0 1"
        name = f"/F{self.fonts.index(font)}"
        self.draw(f"BT {name} {size} Tf {matrix} {x:.2f} {y:.2f} Tm <{data.hex()}> Tj ET")
        return x + len(data) * size / 2

    def lines(self, x: float, y: float, lines: Iterable[str], size: float = 9) -> float:
        """Write lines one below the other and give the next free height."""
        for line in lines:
            self.text(x, y, line, size)
            y -= 1.2 * size
        return y

    def draw(self, command: str) -> None:
        self.pages[-1].append(command)

    def rule(self, x0: float, y: float, x1: float, thick: float = 0.6) -> None:
        self.draw(f"{x0} {y} {x1 - x0} {thick} re f")

    def box(self, x: float, y: float, wide: float, high: float) -> None:
        self.draw(f"{x} {y} {wide} {high} re S")

    def curve(self, x: float, y: float, wide: float, high: float) -> None:
        self.draw(f"{x} {y} m {x} {y + high} {x + wide} {y + high} {x + wide} {y} c S")

    def image(self, x: float, y: float, wide: float, high: float) -> None:
        self.draw(f"q {wide} 0 0 {high} {x} {y} cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x7f EI Q")

    def question(  # noqa: PLR0917 - as one says it: where, what
        self,
        x: float,
        y: float,
        heading: str,
        statement: Sequence[str],
        alternatives: Sequence[str],
        letters: str = "ABCDE",
    ) -> float:
        """Write a question the usual way and give the next free height."""
        self.text(x, y, heading, 10)
        y = self.lines(x, y - 14, statement)
        for letter, text in zip(letters, alternatives, strict=False):
            self.text(x, y, letter, 9, LETTERS)
            y = self.lines(x + 12, y, wrapped(text, 46))
        return y - 10

    def data(self) -> bytes:
        """Give the file."""
        objects: list[bytes] = [b"", b""]
        names = []
        for number, font in enumerate(self.fonts):
            objects.append(self._font(font))
            names.append(f"/F{number} {len(objects)} 0 R")
        objects += self.raw
        kids = []
        for commands in self.pages:
            stream = zlib.compress("\n".join(commands).encode("latin-1"))
            head = f"<< /Length {len(stream)} /Filter /FlateDecode >>\nstream\n".encode()
            objects.append(head + stream + b"\nendstream")
            crop = f"/CropBox [{' '.join(map(str, self.crop))}]" if self.crop else ""
            objects.append(
                f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDE} {HIGH}] {crop} "
                f"/Resources << /Font << {' '.join(names)} >> >> "
                f"/Contents {len(objects)} 0 R >>".encode()
            )
            kids.append(f"{len(objects)} 0 R")
        objects[0] = b"<< /Type /Catalog /Pages 2 0 R >>"
        objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>".encode()
        return written(objects)

    def _font(self, font: str) -> bytes:
        encoding = self.encoding.get(font, "/Encoding /WinAnsiEncoding")
        if encoding.startswith("/Type0"):
            return (
                f"<< /Type /Font /Subtype /Type0 /BaseFont /{font} /Encoding /Identity-H "
                f"/DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /{font} "
                "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> "
                f"/DW 500 /FontDescriptor << /Type /FontDescriptor /FontName /{font} /Flags 32 "
                "/FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 900 /Descent -200 "
                "/CapHeight 700 /StemV 80 >> >>] >>"
            ).encode()
        return (
            f"<< /Type /Font /Subtype /Type1 /BaseFont /{font} {encoding} "
            f"/FirstChar 0 /LastChar 255 /Widths [{' '.join(['500'] * 256)}] "
            f"/FontDescriptor << /Type /FontDescriptor /FontName /{font} /Flags 32 "
            "/FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 900 /Descent -200 "
            "/CapHeight 700 /StemV 80 >> >>"
        ).encode()


def written(objects: Sequence[bytes]) -> bytes:
    """Write a PDF of these objects, the first one its catalogue."""
    out = bytearray(b"%PDF-1.5\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    for place in places:
        out += f"{place:010d} 00000 n \n".encode()
    out += (
        f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    ).encode()
    return bytes(out)


ENDINGS = ("azul do mar", "verde da mata", "branca da areia", "cinza da pedra", "rosa do fim")


def alternatives(number: int) -> list[str]:
    return [f"a cor {ending}, caso {number}" for ending in ENDINGS]


def booklet(
    *,
    year: int = 2019,
    day: int = 2,
    colour: str = "AZUL",
    number: int = 7,
    order: Sequence[int] | None = None,
    without: frozenset[int] = frozenset(),
    languages: Sequence[int] = (),
) -> Paper:
    """Write a whole booklet of our own questions in the exam's layout.

    order: which of our questions stands at each place; without: places that are left out.
    """
    paper = Paper()
    paper.text(60, 780, "EXAME NACIONAL DO ENSINO MÉDIO", 12)
    paper.text(60, 760, f"{day}º DIA", 12)
    paper.text(60, 740, "CADERNO", 12)
    paper.text(60, 720, f"{number} {colour}", 12)
    paper.text(60, 700, str(year), 12)
    paper.lines(60, 660, [prose(1000 + place, 12) for place in range(6)])
    first = 1 if day == 1 else 91
    places = [(place, place) for place in range(first, first + 90)]
    if languages:
        block = [(place, place + 1000) for place in languages]
        places[places.index(block[0]) if block[0] in places else 0 : 0] = []
        last = languages[-1] - first + 1
        places = [*places[:last], *block, *places[last:]]
    slots = [(x, y) for x in (40, 312) for y in (780, 545, 310)]
    shown = [pair for pair in places if pair[0] not in without]
    for count, (place, topic) in enumerate(shown):
        if count % len(slots) == 0:
            paper.page()
            foot = f"CN - {day}º dia | Caderno {number} - {colour} - Página {len(paper.pages)}"
            paper.text(200, 30, foot, 8)
        asked = order[place - first] if order is not None else topic
        x, y = slots[count % len(slots)]
        paper.question(x, y, f"QUESTÃO {place:02d}", wrapped(prose(asked)), alternatives(asked))
    return paper


def key(
    answers: Sequence[tuple[int, str]],
    *,
    title: str = "2º DIA - CADERNO 7 - AZUL",
    year: str = "Gabarito 2019",
    notes: Sequence[str] = (),
) -> Paper:
    """Write a key the usual way: two columns of number and letter."""
    paper = Paper()
    paper.text(60, 790, title, 11)
    paper.text(60, 770, year, 11)
    half = (len(answers) + 1) // 2
    for place, (number, letter) in enumerate(answers):
        x, y = (60 if place < half else 300), 740 - 13 * (place % half)
        paper.text(x, y, str(number), 9)
        for column, each in enumerate(letter.split()):
            paper.text(x + 60 + 50 * column, y, each, 9)
    for place, note in enumerate(notes):
        paper.text(60, 120 - 14 * place, note, 9)
    return paper


def usual_key(first: int = 91) -> list[tuple[int, str]]:
    return [(number, "ABCDE"[number % 5]) for number in range(first, first + 90)]
