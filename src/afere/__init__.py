"""`afere` gauges language models: checkable questions, several rounds, a plain verdict."""

__version__ = "0.1.0"
