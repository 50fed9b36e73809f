"""The suites that come with the program, as package data."""

from collections.abc import Mapping
from importlib.resources import files

from afere.domain import SuiteError

__all__ = ["names", "shipped_text"]

_SHIPPED = {
    "first-steps": "60 very easy questions in English, for tiny models",
    "code-3": "3 small Python functions, judged by what they do",
    "swap-20": "20 checkable questions in Portuguese, one of each kind",
    "swap-20-en": "20 checkable questions in English, one of each kind",
    "swap-20-zh": "20 checkable questions in Chinese, one of each kind",
}


def names() -> Mapping[str, str]:
    """Give the name of every built-in suite with one line about it."""
    return dict(_SHIPPED)


def shipped_text(name: str) -> str:
    """Give the YAML of a built-in suite."""
    if name not in _SHIPPED:
        raise SuiteError(f"no built-in suite {name}", mend=f"there are: {', '.join(_SHIPPED)}")
    return (files("afere.suites") / "builtin" / f"{name}.yaml").read_text("utf-8")
