"""Public reports of faults that peers had, as tests of the whole program."""

import pytest
from command import Afere
from servers import ChatServer, Reply, by_prompt, faults
from twenty import SUITE, models_yaml


def run(project: Afere, *more: str) -> dict[str, object]:
    ended = project("run", "suite.yaml", "-m", "good", "--rounds", "1", "--json", *more)
    found: dict[str, object] = ended.json["runs"][0]
    return {**found, "code": ended.code}


def test_br_025_an_endless_429_on_one_item_is_no_failure_of_the_model(
    project: Afere,
    server: ChatServer,
) -> None:
    server.plan = by_prompt({"3": faults.error(429, "slow down", headers=[("Retry-After", "0")])})
    found = run(project)
    assert found["outcomes"] == {"right": 17, "wrong": 2, "endpoint_error": 1}
    assert found["score"] == pytest.approx(17 / 19)
    assert found["bounds"] == [pytest.approx(17 / 20), pytest.approx(18 / 20)]
    assert (found["status"], found["code"]) == ("incomplete", 3)


def test_br_026_errors_never_raise_the_score_unseen(project: Afere, server: ChatServer) -> None:
    """10 tasks, 2 errors, 6 right: 6 of 8, between 60 and 80 %; never plain 75 %."""
    server.plan = by_prompt({"0": faults.status(500), "1": faults.status(500)})
    server.answers = lambda body: (
        "0"
        if "Item 8 " in str(body["messages"]) or "Item 9 " in str(body["messages"])
        else str(2 * int(body["messages"][0]["content"].split()[1]))
    )
    found = run(project, "--limit", "10")
    assert found["score"] == pytest.approx(0.75)
    assert found["bounds"] == [pytest.approx(0.6), pytest.approx(0.8)]
    told = project("run", "suite.yaml", "-m", "good", "--rounds", "1", "--limit", "10").out
    assert told.startswith("INCOMPLETE")
    assert "60.0 %" in told
    assert "80.0 %" in told


def test_br_027_empty_refused_and_wrong_are_three_outcomes(
    project: Afere,
    server: ChatServer,
) -> None:
    server.plan = by_prompt(
        {
            "0": faults.reply(Reply(content="")),
            "1": faults.reply(Reply(content=None, message={"refusal": "I cannot help."})),
            "2": faults.reply(Reply(content="5")),
        },
    )
    assert run(project, "--limit", "3")["outcomes"] == {"empty": 1, "refused": 1, "wrong": 1}


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (Reply(content="", finish_reason="length"), "truncated"),
        (Reply(content=None, finish_reason="length"), "truncated"),
        (Reply(content="", finish_reason="stop"), "empty"),
        (Reply(content=None, finish_reason="stop"), "empty"),
        (Reply(content="<think>0 is the answer", finish_reason="length"), "truncated"),
    ],
)
@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_br_028_nothing_is_taken_from_the_reasoning_and_nothing_asked_again(
    project: Afere,
    server: ChatServer,
    reply: Reply,
    outcome: str,
    field: str,
) -> None:
    thought = Reply(
        content=reply.content,
        finish_reason=reply.finish_reason,
        message={field: "so the answer is 0"},
    )
    server.plan = lambda _call: faults.reply(thought)
    assert run(project, "--limit", "1")["outcomes"] == {outcome: 1}
    assert server.count == 1


def test_br_029_a_bad_key_stops_at_once_and_a_400_concerns_its_item_alone(
    project: Afere,
    server: ChatServer,
) -> None:
    server.plan = by_prompt({"4": faults.error(400, "too long for me")})
    found = run(project)
    assert found["outcomes"] == {"right": 17, "wrong": 2, "endpoint_error": 1}
    assert server.count == 20
    server.plan = lambda _call: faults.error(401, "no such key")
    ended = project("run", "suite.yaml", "-m", "good", "-m", "fair", "--concurrency", "1")
    assert ended.code == 3
    assert server.count == 21
    assert ended.out.count("no such key") <= 4


def test_br_032_when_every_call_fails_the_exit_code_is_never_0(
    project: Afere,
    server: ChatServer,
) -> None:
    server.plan = lambda _call: faults.status(500)
    project.write("models.yaml", models_yaml(server.base_url, retries=0))
    found = run(project)
    assert (found["status"], found["score"], found["code"]) == ("invalid", None, 3)


def test_br_034_an_error_inside_a_200_is_not_kept(project: Afere, server: ChatServer) -> None:
    project.write("models.yaml", models_yaml(server.base_url, retries=0))
    server.plan = lambda _call: faults.ok({"error": {"message": "rate limit exceeded"}})
    assert run(project, "--limit", "1")["outcomes"] == {"endpoint_error": 1}
    server.plan = lambda _call: None
    assert run(project, "--limit", "1")["outcomes"] == {"right": 1}


def test_br_036_a_block_is_the_result_of_its_round_and_stays(
    project: Afere,
    server: ChatServer,
) -> None:
    server.plan = lambda _call: faults.reply(Reply(content="", finish_reason="content_filter"))
    assert run(project, "--limit", "1")["outcomes"] == {"blocked": 1}
    server.plan = lambda _call: None
    found = run(project, "--limit", "1")
    assert found["outcomes"] == {"blocked": 1}
    assert server.count == 1


@pytest.mark.parametrize("code", ["content_filter", "content_policy_violation"])
def test_a_400_of_the_content_filter_is_a_reply(
    project: Afere,
    server: ChatServer,
    code: str,
) -> None:
    server.plan = lambda _call: faults.error(400, "filtered", code=code)
    found = run(project, "--limit", "1")
    assert found["outcomes"] == {"blocked": 1}
    assert (found["status"], found["code"]) == ("complete", 0)


def test_br_037_another_limit_of_tokens_is_another_question(
    project: Afere,
    server: ChatServer,
) -> None:
    run(project, "--limit", "1", "--param", "max_tokens=16")
    run(project, "--limit", "1", "--param", "max_tokens=4000")
    run(project, "--limit", "1", "--param", "max_tokens=4000", "--param", "temperature=0")
    assert server.count == 3


def test_br_043_a_spent_account_is_permanent_and_names_billing(
    project: Afere,
    server: ChatServer,
) -> None:
    server.plan = lambda _call: faults.error(429, "You exceeded it", code="insufficient_quota")
    ended = project("run", "suite.yaml", "-m", "good", "--concurrency", "1")
    assert ended.code == 3
    assert server.count == 1
    assert "billing" in ended.out.lower()


def test_br_044_two_items_of_one_id_are_refused_with_both_lines(afere: Afere) -> None:
    afere.write("suite.yaml", SUITE.replace("id: i7,", "id: i3,"))
    ended = afere("run", "suite.yaml", "-m", "m", "--base-url", "http://127.0.0.1:9")
    assert ended.code == 2
    assert "i3" in ended.err
    assert "suite.yaml:" in ended.err


def test_br_046_a_narrow_terminal_encoding_loses_no_report(
    project: Afere,
    server: ChatServer,
) -> None:
    server.answers = lambda _body: "maçã ✓ 世 −"
    ended = project(
        "run",
        "suite.yaml",
        "-m",
        "good",
        "--rounds",
        "1",
        PYTHONUTF8="0",
        PYTHONIOENCODING="cp1252",
        LC_ALL="C",
    )
    assert ended.code == 0
    rows = project("show", "latest", "--json").json["rows"]
    assert {row["content"] for row in rows} == {"maçã ✓ 世 −"}


def test_br_051_an_empty_selection_is_told_before_anything_is_asked(
    project: Afere,
    server: ChatServer,
) -> None:
    ended = project("run", "suite.yaml", "-m", "good", "--category", "hard")
    assert ended.code == 2
    assert server.count == 0


def test_br_068_nothing_but_the_endpoint_is_contacted(project: Afere, server: ChatServer) -> None:
    """Every connection of the process, by the audit hook that Python itself calls."""
    project.write(
        "sitecustomize.py",
        "import sys, atexit\n"
        "seen = set()\n"
        "def look(event, arguments):\n"
        "    if event == 'socket.connect': seen.add(repr(arguments[1]))\n"
        "    if event == 'socket.getaddrinfo': seen.add(repr(arguments[:2]))\n"
        "sys.addaudithook(look)\n"
        "atexit.register(lambda: open('seen.txt', 'w').write('\\n'.join(sorted(seen))))\n",
    )
    ended = project("run", "suite.yaml", "-m", "good", PYTHONPATH=_paths(project))
    assert ended.code == 0, ended
    port = server.base_url.rsplit(":", 1)[1].split("/")[0]
    seen = (project.folder / "seen.txt").read_text("utf-8").splitlines()
    assert seen
    assert [line for line in seen if "127.0.0.1" not in line or port not in line] == []


def _paths(project: Afere) -> str:
    import os

    return os.pathsep.join(filter(None, [str(project.folder), os.environ.get("PYTHONPATH", "")]))
