"""Large CSV files: read as columns they say what they say row by row, and need nothing besides."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from result_rows import rows_of

import afere
from afere.domain import SuiteError
from afere.exchange.score_csv_columns import CsvForm, read_large_csv
from afere.exchange.score_texts import read_csv

pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
NEVER = 1 << 60
HEADER = ("item", "round", "score", "model", "category", "note")
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "é", "x y", "1", " a", "'=b", ""]),
        st.sampled_from(["1", "2", "", "1.0", "x"]),
        st.sampled_from(["1", "0", "0.5", "", "true", "nan", " 1"]),
        st.sampled_from(["m", "n", ""]),
        st.sampled_from(["c", "d", ""]),
        st.sampled_from(["", "said", 'a "quote"', "two\nlines", "a,b;c"]),
    ),
    min_size=1,
    max_size=8,
)


def outcome(path: Path, large: int) -> object:
    try:
        tables = read_csv(path, large=large)
    except SuiteError as error:
        return str(error)
    return [
        (
            each.model,
            each.items,
            rows_of(each),
            each.categories,
            each.warnings,
            each.notes,
        )
        for each in tables
    ]


def quoted(cell: str) -> str:
    doubled = cell.replace('"', '""')
    return f'"{doubled}"' if set(cell) & set('",;\n') else cell


@given(rows=ROWS, separator=st.sampled_from([",", ";"]), end=st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=200, deadline=None)
def test_a_file_says_the_same_as_columns_and_row_by_row(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[str, ...]],
    separator: str,
    end: str,
) -> None:
    path = tmp_path_factory.mktemp("r") / "r.csv"
    lines = [separator.join(map(quoted, cells)) for cells in (HEADER, *rows)]
    path.write_bytes(end.join(lines).encode())
    assert outcome(path, large=0) == outcome(path, large=NEVER)


def form(path: Path, places: dict[str, int], separator: str = ",") -> CsvForm:
    return CsvForm(
        path=path,
        separator=separator,
        width=len(places),
        places=places,
        lines=1,
        score_of=float,
    )


def test_a_plain_file_is_read_as_columns(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("item,score,model\n" + "".join(f"p{n},1,m\n" for n in range(100)), "utf-8")
    (table,) = read_large_csv(form(path, {"item": 0, "score": 1, "model": 2})) or ()
    assert len(table.items) == 100
    assert table.model == "m"


@pytest.mark.parametrize("row", ["p01,2", "p01,x", " p01,1", "'=p01,1", ",1", "p01,1,1"])
def test_a_file_that_needs_a_second_look_is_left_to_the_careful_reader(
    tmp_path: Path, row: str
) -> None:
    path = tmp_path / "r.csv"
    path.write_text(f"item,score\n{row}\n", "utf-8")
    assert read_large_csv(form(path, {"item": 0, "score": 1})) is None


def test_small_files_of_text_need_no_pyarrow(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("item,score\np01,1\n", "utf-8")
    script = (
        "import sys\nfrom pathlib import Path\nfrom afere.exchange import read_results\n"
        f"read_results(Path({str(path)!r}))\nprint('pyarrow' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, text=True
    )
    assert done.stdout.strip() == "False"


def test_pyarrow_is_imported_in_two_rooms_alone() -> None:
    source = Path(afere.__file__).parent
    naming = {
        path.relative_to(source).parts[0]
        for path in source.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if (isinstance(node, ast.Constant) and str(node.value).partition(".")[0] == "pyarrow")
        or (isinstance(node, ast.Import) and any("pyarrow" in name.name for name in node.names))
        or (isinstance(node, ast.ImportFrom) and "pyarrow" in (node.module or ""))
    }
    assert naming <= {"exchange", "suites"}
