"""Reads suites, checks them at the door, and renders an item into a request.

Suites come from YAML, JSON lines, CSV, a folder, or the built-in ones shipped as data. Whatever
could spoil a run is refused with file, line, field and mend before a single call is made.
"""

from afere.suites.arrangement import original_letter, rotate, shuffle
from afere.suites.audit import audit
from afere.suites.door import Loaded
from afere.suites.fields import Fields
from afere.suites.load import load, load_with_warnings
from afere.suites.problem import Problem
from afere.suites.render import render, sent_params
from afere.suites.settings import read_settings
from afere.suites.shipped import names

__all__ = [
    "Fields",
    "Loaded",
    "Problem",
    "audit",
    "load",
    "load_with_warnings",
    "names",
    "original_letter",
    "read_settings",
    "render",
    "rotate",
    "sent_params",
    "shuffle",
]
