"""What the tests of the whole program share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from command import Afere
from servers import ChatServer
from twenty import SUITE, answers, models_yaml


@pytest.fixture
def afere(tmp_path: Path) -> Afere:
    return Afere(tmp_path)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(answers) as running:
        yield running


@pytest.fixture
def project(afere: Afere, server: ChatServer) -> Afere:
    """A folder with a suite of twenty items and two models of which all answers are known."""
    afere.write("suite.yaml", SUITE)
    afere.write("models.yaml", models_yaml(server.base_url))
    return afere
