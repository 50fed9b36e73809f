"""`engine: litellm` in models.yaml: known, checked at the door, and asked like any model."""

from importlib.util import find_spec

import pytest
from command import Afere
from servers import ChatServer, faults

INSTALLED = bool(find_spec("litellm"))
CANARY = "canary-0123456789abcdef"
needs_it = pytest.mark.skipif(not INSTALLED, reason="the extra `litellm` is not installed")


def declare(project: Afere, server: ChatServer, key: str = "") -> None:
    project.write(
        "models.yaml",
        f"providers:\n  any: {{engine: litellm, base_url: '{server.base_url}'{key}}}\n"
        "models:\n  good: {provider: any, model: openai/good}\n",
    )


@pytest.mark.skipif(INSTALLED, reason="the extra `litellm` is installed")
def test_without_the_extra_the_line_to_type_is_told(project: Afere, server: ChatServer) -> None:
    declare(project, server)
    ended = project("run", "suite.yaml", "-m", "good")
    assert ended.code == 2
    assert 'pip install "afere[litellm]"' in ended.err
    assert server.count == 0
    assert 'pip install "afere[litellm]"' in project("ping").out


def test_an_engine_that_is_not_known_names_those_that_are(project: Afere) -> None:
    project.write("models.yaml", "providers: {p: {engine: vllm}}\nmodels: {m: {provider: p}}\n")
    ended = project("run", "suite.yaml", "-m", "m")
    assert ended.code == 2
    assert "litellm" in ended.err


def test_a_declared_key_that_is_not_set_is_told_before_any_call(
    project: Afere,
    server: ChatServer,
) -> None:
    declare(project, server, ", key: '${SOME_API_KEY}'")
    ended = project("run", "suite.yaml", "-m", "good")
    assert ended.code == 2
    assert "SOME_API_KEY" in ended.err


@needs_it
def test_a_run_is_asked_graded_stored_and_replayed(project: Afere, server: ChatServer) -> None:
    declare(project, server)
    first = project(
        "run", "suite.yaml", "-m", "good", "--rounds", "1", "--json", OPENAI_API_KEY="x"
    )
    assert first.code == 0, first
    assert first.json["runs"][0]["outcomes"] == {"right": 18, "wrong": 2}
    assert server.count == 20
    again = project(
        "run", "suite.yaml", "-m", "good", "--rounds", "1", "--json", OPENAI_API_KEY="x"
    )
    assert again.json["runs"][0]["calls"]["cached"] == 20
    assert server.count == 20


@needs_it
def test_a_key_of_the_environment_that_is_echoed_is_kept_nowhere(
    project: Afere,
    server: ChatServer,
) -> None:
    server.plan = lambda _call: faults.echo_headers(400)
    declare(project, server)
    ended = project("run", "suite.yaml", "-m", "good", "--limit", "1", OPENAI_API_KEY=CANARY)
    assert ended.code == 3
    assert CANARY not in ended.out + ended.err
    kept = [path for path in project.folder.rglob("*") if path.is_file()]
    assert not [path for path in kept if CANARY.encode() in path.read_bytes()]


@needs_it
def test_ping_says_what_works_and_names_the_mend(project: Afere, server: ChatServer) -> None:
    declare(project, server)
    server.answers = lambda _body: "42"
    assert project("ping", OPENAI_API_KEY="x").code == 0
    server.plan = lambda _call: faults.error(401, "no such key")
    ended = project("ping", OPENAI_API_KEY="x")
    assert ended.code == 3
    assert "OPENAI_API_KEY" in ended.out
