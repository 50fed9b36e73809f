"""`afere ping` says what works and the mend; `afere init` writes files that work."""

import pytest
from command import Afere
from servers import ChatServer, Reply, faults


def ping(project: Afere, *more: str) -> dict[str, object]:
    ended = project("ping", "-m", "good", *more, "--json")
    (found,) = ended.json["endpoints"]
    assert ended.code == (0 if found["ok"] else 3), ended
    return dict(found)


def test_an_endpoint_that_works_says_what_it_supports(project: Afere, server: ChatServer) -> None:
    server.answers = lambda _body: Reply(content='{"ok": true}', message={"reasoning": "easy"})
    found = ping(project)
    assert found["ok"]
    assert found["supports"] == {
        "usage": True,
        "logprobs": False,
        "seed": True,
        "stop": True,
        "json_schema": True,
        "reasoning": True,
    }
    assert server.count == 1


def test_one_that_refuses_extras_is_asked_once_more_without(
    project: Afere,
    server: ChatServer,
) -> None:
    server.answers = lambda _body: "OK"
    server.plan = lambda call: faults.error(400, "no logprobs") if "logprobs" in call.body else None
    found = ping(project)
    assert found["ok"]
    assert found["supports"]["seed"] is False  # type: ignore[index]
    assert server.count == 2


@pytest.mark.parametrize(
    ("code", "mend"),
    [(401, "AFERE_API_KEY"), (403, "--header"), (500, "says")],
)
def test_one_that_fails_has_its_mend(
    project: Afere,
    server: ChatServer,
    code: int,
    mend: str,
) -> None:
    server.answers = lambda _body: "OK"
    server.plan = lambda _call: faults.error(code, "no")
    assert mend in str(ping(project)["mend"])


def test_an_unknown_model_is_told_the_nearest_names(project: Afere, server: ChatServer) -> None:
    server.answers = lambda _body: "OK"
    server.models = ("god", "bad", "ugly")
    server.plan = lambda _call: faults.error(404, "no such model")
    assert "god" in str(ping(project)["mend"])


def test_nobody_there_is_told(afere: Afere) -> None:
    ended = afere("ping", "-m", "m", "--base-url", "http://127.0.0.1:9/v1")
    assert ended.code == 3
    assert "Mend" in ended.out


def test_without_a_name_every_model_of_the_file_is_called(
    project: Afere,
    server: ChatServer,
) -> None:
    server.answers = lambda _body: "OK"
    text = (
        (project.folder / "models.yaml")
        .read_text("utf-8")
        .replace(
            "models:",
            "  far: {base_url: 'https://x.invalid/v1', key: '${NOT_SET}'}\nmodels:\n"
            "  away: {provider: far}",
        )
    )
    project.write("models.yaml", text)
    ended = project("ping", "--json")
    assert ended.code == 3
    found = {each["model"]: each for each in ended.json["endpoints"]}
    assert set(found) == {"good", "fair", "away"}
    assert "export NOT_SET=" in found["away"]["mend"]
    assert found["good"]["ok"]


def test_init_writes_files_that_work_and_overwrites_nothing(afere: Afere) -> None:
    assert afere("init").code == 0
    assert afere("check", "suite.yaml", "--json").code == 0
    ended = afere("run", "suite.yaml", "-m", "nobody")
    assert "gpt-5-mini, qwen3, smollm2" in ended.err
    assert "export OPENAI_API_KEY=" in afere("run", "suite.yaml", "-m", "gpt-5-mini").err
    again = afere("init")
    assert again.code == 2
    assert "models.yaml" in again.err
    assert afere("init", "other").code == 0
