"""`afere run` on a real server: known answers give known scores, and nothing is asked twice."""

import signal
import time

import pytest
from command import Afere
from servers import ChatServer, by_number, by_prompt, faults
from twenty import answers, models_yaml

BOTH = ("run", "suite.yaml", "-m", "good", "-m", "fair")


def test_known_answers_give_exactly_the_known_scores(project: Afere, server: ChatServer) -> None:
    ended = project(*BOTH, "--json")
    assert ended.code == 0, ended
    good, fair = ended.json["runs"]
    assert (good["score"], fair["score"]) == (0.9, 0.7)
    assert good["per_round"] == [0.9, 0.9, 0.9]
    assert good["outcomes"]["right"] == 54
    assert good["outcomes"]["wrong"] == 6
    assert sum(good["outcomes"].values()) == 60
    assert good["calls"] == {"made": 60, "cached": 0, "failed": 0, "retried": 0}
    assert good["status"] == "complete"
    assert good["bounds"] == [0.9, 0.9]
    assert good["categories"]["low"]["score"] == 1.0
    assert good["categories"]["high"]["score"] == 0.8
    assert server.count == 120


def test_a_second_run_asks_nothing_and_says_the_same(project: Afere, server: ChatServer) -> None:
    first = project(*BOTH, "--json").json["runs"]
    second = project(*BOTH, "--json").json["runs"]
    assert server.count == 120
    for before, after in zip(first, second, strict=True):
        assert after["calls"] == {"made": 0, "cached": 60, "failed": 0, "retried": 0}
        for name in ("run", "score", "interval", "per_round", "outcomes", "bounds", "tokens"):
            assert before[name] == after[name]


def test_a_503_on_one_item_leaves_the_run_incomplete_with_the_right_bounds(
    project: Afere,
    server: ChatServer,
) -> None:
    server.plan = by_prompt({"3": faults.status(503, "overloaded")})
    ended = project("run", "suite.yaml", "-m", "good", "--json")
    assert ended.code == 3
    (run,) = ended.json["runs"]
    assert run["status"] == "incomplete"
    assert run["outcomes"]["endpoint_error"] == 3
    assert run["score"] == pytest.approx(17 / 19)
    assert run["bounds"] == [pytest.approx(17 / 20), pytest.approx(18 / 20)]
    assert run["calls"] == {"made": 57 + 3 * 4, "cached": 0, "failed": 12, "retried": 9}


def test_an_incomplete_run_says_what_happened_and_the_same_command_goes_on(
    project: Afere,
    server: ChatServer,
) -> None:
    server.plan = by_prompt({"3": faults.status(503, "overloaded")})
    ended = project("run", "suite.yaml", "-m", "good")
    head = ended.out.splitlines()[0]
    assert head.startswith("INCOMPLETE")
    assert "3" in head
    assert "network" in ended.out
    assert "i3" in ended.out
    assert "503" in ended.out
    server.plan = by_prompt({})
    asked = server.count
    again = project("run", "suite.yaml", "-m", "good", "--json")
    assert again.code == 0
    assert server.count == asked + 3
    assert again.json["runs"][0]["score"] == 0.9


@pytest.mark.parametrize(("code", "mend"), [(401, "key"), (403, "--header"), (404, "base URL")])
def test_a_refusal_stops_at_once_and_names_its_mend(
    project: Afere,
    server: ChatServer,
    code: int,
    mend: str,
) -> None:
    server.plan = lambda _call: faults.error(code, "no")
    ended = project("run", "suite.yaml", "-m", "good", "--concurrency", "1")
    assert ended.code == 3
    assert server.count == 1
    assert ended.out.splitlines()[0].startswith("INVALID")
    assert mend in ended.out


def test_an_empty_reply_that_ran_out_of_tokens_counts_and_a_503_does_not(
    project: Afere,
    server: ChatServer,
) -> None:
    from servers import Reply

    server.plan = by_prompt(
        {
            "0": faults.reply(Reply(content="", finish_reason="length")),
            "1": faults.status(503),
        },
    )
    (run,) = project("run", "suite.yaml", "-m", "good", "--rounds", "1", "--json").json["runs"]
    assert run["outcomes"]["truncated"] == 1
    assert run["outcomes"]["endpoint_error"] == 1
    assert run["score"] == pytest.approx(16 / 19)


def test_rounds_are_answers_of_their_own_and_replayed_in_place(
    project: Afere,
    server: ChatServer,
) -> None:
    told = iter(range(1000))
    server.answers = lambda _body: str(next(told))
    project("run", "suite.yaml", "-m", "good", "--rounds", "5", "--limit", "1")
    shown = project("show", "latest", "--item", "i0", "--json").json["rows"]
    assert len({row["content"] for row in shown}) == 5
    project("run", "suite.yaml", "-m", "good", "--rounds", "5", "--limit", "1")
    assert project("show", "latest", "--item", "i0", "--json").json["rows"] == shown
    assert server.count == 5


def test_fresh_asks_again_and_shares_nothing(project: Afere, server: ChatServer) -> None:
    project("run", "suite.yaml", "-m", "good", "--rounds", "1")
    server.answers = lambda _body: "no idea"
    assert project("run", "suite.yaml", "-m", "good", "--rounds", "1", "--json").json["runs"][0][
        "score"
    ] == pytest.approx(0.9)
    fresh = project("run", "suite.yaml", "-m", "good", "--rounds", "1", "--fresh", "--json")
    assert fresh.json["runs"][0]["score"] == 0
    assert server.count == 40


def test_a_changed_parameter_asks_again_and_a_changed_key_does_not(
    project: Afere,
    server: ChatServer,
) -> None:
    project("run", "suite.yaml", "-m", "good", "--rounds", "1")
    project("run", "suite.yaml", "-m", "good", "--rounds", "1", "--param", "max_tokens=17")
    assert server.count == 40
    text = (project.folder / "suite.yaml").read_text("utf-8")
    project.write("suite.yaml", text.replace("number: 36", "number: 37"))
    (run,) = project("run", "suite.yaml", "-m", "good", "--rounds", "1", "--json").json["runs"]
    assert server.count == 40
    assert run["calls"]["cached"] == 20
    assert run["score"] == pytest.approx(0.95)


def test_parameters_headers_and_limit_reach_the_server(project: Afere, server: ChatServer) -> None:
    ended = project(
        "run",
        "suite.yaml",
        "--model",
        "m",
        "--base-url",
        server.base_url,
        "--header",
        "X-Team: eval",
        "--header",
        "X-Other: 1",
        "--param",
        "temperature=0.25",
        "--param",
        "stop=END",
        "--limit",
        "2",
        "--rounds",
        "1",
    )
    assert ended.code == 0, ended
    assert server.count == 2
    assert server.calls[0].header("x-team") == "eval"
    assert server.calls[0].header("x-other") == "1"
    assert server.calls[0].body["temperature"] == 0.25
    assert server.calls[0].body["stop"] == "END"
    assert server.calls[0].body["max_tokens"] == 16


def test_a_limit_by_its_other_name_replaces_the_default(project: Afere, server: ChatServer) -> None:
    ran = project(
        *("run", "suite.yaml", "-m", "good", "--rounds", "1", "--limit", "1"),
        *("--param", "max_completion_tokens=50"),
    )
    assert ran.code == 0
    assert server.calls[0].body["max_completion_tokens"] == 50
    assert "max_tokens" not in server.calls[0].body


@pytest.mark.parametrize("concurrency", [1, 5])
def test_concurrency_is_reached_and_never_passed(
    project: Afere,
    server: ChatServer,
    concurrency: int,
) -> None:
    server.delay = 0.02
    project("run", "suite.yaml", "-m", "good", "--rounds", "1", "--concurrency", str(concurrency))
    assert server.max_in_flight == concurrency


def test_a_pause_keeps_calls_apart(project: Afere, server: ChatServer) -> None:
    begun = time.monotonic()
    project("run", "suite.yaml", "-m", "good", "--rounds", "1", "--limit", "4", "--pause", "0.2")
    assert time.monotonic() - begun >= 0.6
    assert server.max_in_flight == 1


def test_a_round_s_end_has_its_line_and_small_suites_a_line_an_item(project: Afere) -> None:
    ended = project("run", "suite.yaml", "-m", "good", "--concurrency", "1")
    assert "round 2/3: 18/20" in ended.err
    lines = [line for line in ended.out.splitlines() if line.lstrip().startswith("i17")]
    assert any("0/3" in line for line in lines)
    assert "90.0" in ended.out
    last = ended.out.splitlines()[-1]
    assert "afere compare" in last
    assert ".afere/afere.db" in last


def test_an_interrupt_keeps_what_is_done_and_the_same_command_goes_on(
    project: Afere,
    server: ChatServer,
) -> None:
    server.delay = 0.05
    running = project.start("run", "suite.yaml", "-m", "good", "--concurrency", "2")
    while server.count < 10:
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert b"Traceback" not in err
    asked = server.count
    assert asked < 60
    ended = project("run", "suite.yaml", "-m", "good", "--json")
    assert ended.code == 0
    assert server.count == 60
    assert ended.json["runs"][0]["score"] == 0.9


def test_kill_9_loses_nothing_and_repeats_only_what_was_in_flight(
    project: Afere,
    server: ChatServer,
) -> None:
    server.delay = 0.03
    running = project.start("run", "suite.yaml", "-m", "good", "--concurrency", "4")
    while server.count < 30:
        time.sleep(0.005)
    running.kill()
    running.communicate(timeout=60)
    ended = project("run", "suite.yaml", "-m", "good", "--json")
    assert ended.code == 0, ended
    assert ended.json["runs"][0]["score"] == 0.9
    assert 60 <= server.count <= 64


def test_two_models_on_one_store_never_share_answers(project: Afere, server: ChatServer) -> None:
    project("run", "suite.yaml", "-m", "good", "--rounds", "1")
    project("run", "suite.yaml", "-m", "fair", "--rounds", "1")
    assert server.count == 40
    assert {call.body["model"] for call in server.calls} == {"good", "fair"}


def test_a_200_with_an_error_inside_is_asked_again_and_never_kept_as_an_answer(
    project: Afere,
    server: ChatServer,
) -> None:
    server.plan = by_number({1: faults.ok({"error": {"message": "rate limit exceeded"}})})
    (run,) = project(
        "run",
        "suite.yaml",
        "-m",
        "good",
        "--limit",
        "1",
        "--rounds",
        "1",
        "--json",
    ).json["runs"]
    assert run["score"] == 1
    assert run["calls"]["retried"] == 1


def test_a_resume_without_the_filter_asks_what_the_filter_left_out(
    project: Afere,
    server: ChatServer,
) -> None:
    project("run", "suite.yaml", "-m", "good", "--rounds", "1", "--item", "i3", "--item", "i5")
    assert server.count == 2
    project("run", "suite.yaml", "-m", "good", "--rounds", "1")
    assert server.count == 20


def test_a_run_of_chosen_items_is_no_run_of_the_suite(project: Afere) -> None:
    project("run", "suite.yaml", "-m", "good", "--rounds", "1", "--category", "low")
    ended = project("compare")
    assert ended.code == 2
    assert "afere run" in ended.err


def test_the_key_is_in_no_file_and_no_output(afere: Afere, server: ChatServer) -> None:
    from twenty import SUITE

    canary = "sk-canary-0123456789"
    afere.write("suite.yaml", SUITE)
    server.plan = by_prompt({"0": faults.echo_headers(400)})
    ended = afere(
        "run",
        "suite.yaml",
        "-m",
        "m",
        "--base-url",
        server.base_url,
        "--rounds",
        "1",
        "--header",
        "X-Api-Key: header-canary-42",
        AFERE_API_KEY=canary,
    )
    assert server.calls[0].header("authorization") == f"Bearer {canary}"
    assert ended.code == 3
    assert afere("report", "latest", "-o", "page.html").code == 0
    assert b"[redacted]" in (afere.folder / "page.html").read_bytes()
    kept = b"".join(path.read_bytes() for path in afere.folder.rglob("*") if path.is_file())
    for secret in (canary, "header-canary-42"):
        assert secret not in ended.out + ended.err
        assert secret.encode() not in kept


def test_retries_are_declared_in_models_yaml(project: Afere, server: ChatServer) -> None:
    project.write("models.yaml", models_yaml(server.base_url, retries=1))
    server.plan = by_prompt({"0": faults.status(500)})
    project("run", "suite.yaml", "-m", "good", "--rounds", "1", "--limit", "1")
    assert server.count == 2


def test_answers_are_those_of_the_fixture(server: ChatServer) -> None:
    body = {"model": "good", "messages": [{"role": "user", "content": "Item 17 : what"}]}
    assert answers(body) == "35"


def test_a_seed_moves_with_the_round_and_may_be_each_item_s_own(
    project: Afere,
    server: ChatServer,
) -> None:
    one = ("run", "suite.yaml", "-m", "good", "--limit", "3", "--concurrency", "1")
    project(*one, "--param", "seed=5")
    assert [call.body["seed"] for call in server.calls] == [5, 5, 5, 6, 6, 6, 7, 7, 7]
    project(*one, "--param", "seed=5", "--seed-per-item")
    own = [call.body["seed"] for call in server.calls[9:]]
    assert len(set(own)) == 9
    assert [b - a for a, b in zip(own[:6], own[3:], strict=True)] == [1] * 6
    asked = server.count
    project(*one, "--param", "seed=5", "--seed-per-item")
    assert server.count == asked


def test_an_item_that_a_run_did_not_ask_is_named(project: Afere) -> None:
    project("run", "suite.yaml", "-m", "good", "--rounds", "1", "--limit", "2")
    for name, said in (("i19", "'i1'"), ("zzz", "afere show"), ("", "afere show")):
        ended = project("show", "latest", "--item", name)
        assert ended.code == 2
        assert repr(name) in ended.err
        assert said in ended.err
