"""Reads and writes what other tools made: answers to be graded, result files, logs."""

from afere.exchange.answers import Answer, read_answers

__all__ = ["Answer", "read_answers"]
