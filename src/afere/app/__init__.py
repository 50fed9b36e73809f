"""Wires the rooms: the library's verbs, configuration, plugins and the command line."""

__all__: list[str] = []
