"""Reads data sets of Hugging Face `datasets`, from the hub or saved on disk; needs the extra `hf`.

Nothing is counted or reported to the hub beyond the download itself.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from afere.domain import SuiteError
from afere.suites.cells import Row
from afere.suites.node import nearest, quoted
from afere.suites.table import Table

__all__ = ["read_hub"]

_SAVED = ("state.json", "dataset_dict.json")
_LABELS = "labels"


def read_hub(table: Table) -> tuple[Iterator[Row], Mapping[str, str]]:
    """Give the rows of a data set and its column map; numbers of classes become their names.

    A map of `expect.label` to a column of classes brings the classes along as `labels`.
    """
    place = str(table.place)
    data = _one_split(_loaded(table), table)
    wanted = {column.partition(".")[0] for column in table.columns.values()}
    names = [name for name in data.column_names if not wanted or name in wanted or name == "id"]
    data = data.select_columns(names)
    classes = {
        name: list(feature.names)
        for name, feature in data.features.items()
        if type(feature).__name__ == "ClassLabel"
    }
    columns = dict(table.columns)
    label = columns.get("expect.label", "")
    if label in classes and _LABELS not in columns:
        columns[_LABELS] = _LABELS
    return _rows(data, classes, classes.get(label, []), place), columns


def _rows(
    data: Any,  # noqa: ANN401 - datasets ships no types
    classes: Mapping[str, list[str]],
    labels: list[str],
    place: str,
) -> Iterator[Row]:
    try:
        for number, row in enumerate(data, 1):
            cells = {name: _class(value, classes.get(name)) for name, value in row.items()}
            if labels:
                cells.setdefault(_LABELS, labels)
            yield Row(cells, number)
    except (OSError, ValueError) as error:
        mend = "load it once with the library itself to see more"
        problem = f"the data set cannot be read: {_first(error)}"
        raise SuiteError(problem, mend=mend, file=place) from error


def _class(value: object, names: list[str] | None) -> object:
    if names is None or not isinstance(value, int):
        return value
    return names[value] if 0 <= value < len(names) else None


def _loaded(table: Table) -> Any:  # noqa: ANN401 - datasets ships no types
    place = str(table.place)
    name = place.removeprefix("hf:")
    try:
        datasets: Any = import_module("datasets")
        hub: Any = import_module("huggingface_hub.constants")
    except ImportError:
        mend = "pip install 'afere[hf]'"
        raise SuiteError("this needs Hugging Face datasets", mend=mend, file=place) from None
    datasets.config.HF_UPDATE_DOWNLOAD_COUNTS = False
    hub.HF_HUB_DISABLE_TELEMETRY = True
    try:
        if any((Path(name) / each).is_file() for each in _SAVED):
            return datasets.load_from_disk(name)
        return datasets.load_dataset(name, table.config, revision=table.revision)
    except Exception as error:  # the library raises of all kinds
        problem = f"the data set cannot be loaded: {_first(error)}"
        mend = "look at the name, the network, and for a private set at your login to the hub"
        raise SuiteError(problem, mend=mend, file=place) from error


def _one_split(data: Any, table: Table) -> Any:  # noqa: ANN401 - datasets ships no types
    if not isinstance(data, Mapping):
        return data
    splits = tuple(data)
    if table.split is None and len(splits) == 1:
        return data[splits[0]]
    if table.split in data:
        return data[table.split]
    listed = f"splits are: {', '.join(splits)}"
    close = nearest(table.split, splits) if table.split else None
    problem = f"no split {quoted(table.split)}" if table.split else "name the split"
    mend = f"did you mean `{close}`?" if close else listed
    raise SuiteError(problem, mend=mend, file=str(table.place), field="split")


def _first(error: BaseException) -> str:
    lines = str(error).splitlines() or [type(error).__name__]
    return lines[0][:200]
